//===- PinTable.cpp - pins for a terminal ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/tools/tilewright/PinTable.h"
#include "core/model/WhatIf.h"
#include "core/tools/tilewright/Table.h"

namespace tilewright::tool {

static std::string valueText(const model::Pin &pin) {
  if (pin.kind == "tile")
    try {
      return model::tileText(pin.value.get<model::TileSizes>());
    } catch (const nlohmann::json::exception &) {
      // Of another form; shown as it is.
    }
  return pin.value.dump(-1, ' ', false,
                        nlohmann::json::error_handler_t::replace);
}

static std::string reasonText(const model::PinState &state) {
  std::string text = state.reason;
  if (!state.code.empty())
    text += " [" + state.code + "]";
  if (!state.likelyKey.empty() &&
      text.find(state.likelyKey) == std::string::npos)
    text += "; its operation is probably called " + state.likelyKey + " now";
  return printable(text);
}

std::string pinTable(const model::PinStates &states) {
  if (states.pins.empty())
    return "no pins: there is nothing in " + printable(states.path) + "\n";
  Table table(
      {{"operation"}, {"target"}, {"kind"}, {"value"}, {"state"}, {"note"}});
  std::string reasons;
  for (const model::PinState &state : states.pins) {
    table.add({printable(state.pin.key), printable(state.pin.target),
               printable(state.pin.kind), printable(valueText(state.pin)),
               state.state, printable(state.pin.note)});
    if (state.state != "honoured" && state.state != "elsewhere")
      reasons += printable(state.pin.key) + " " + printable(state.pin.kind) +
                 " is " + state.state + ": " + reasonText(state) + "\n";
  }
  return table.str() + (reasons.empty() ? "" : "\n" + reasons) + "\n" +
         grouped(int64_t(states.pins.size())) + " in " +
         printable(states.path) + ", compiled for " + states.target + "\n";
}

std::string pinOutcome(const model::PinStates &states, const std::string &key,
                       const std::string &kind) {
  for (const model::PinState &state : states.pins)
    if (state.pin.key == key && state.pin.kind == kind) {
      std::string text = printable(key) + " " + kind + " " +
                         printable(valueText(state.pin)) + " is " + state.state;
      if (state.state != "honoured")
        text += ": " + reasonText(state);
      return text + "\n";
    }
  return "";
}

} // namespace tilewright::tool
