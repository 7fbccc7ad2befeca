//===- RecordOptions.cpp - whether to record an experiment ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/tools/tilewright/RecordOptions.h"

namespace tilewright::tool {

void RecordOptions::add(CLI::App &command) {
  command.add_flag("--record", record,
                   "Keep the source, the decisions and the numbers as an "
                   "experiment (see 'tilewright experiments')");
  command.add_option("--note", note, "Record, with a note")->type_name("TEXT");
}

std::string recordedAs(const lsp::Json &result) {
  auto id = result.find("experiment");
  return id == result.end() || !id->is_number_integer()
             ? ""
             : "recorded as experiment " + std::to_string(id->get<int64_t>()) +
                   "\n";
}

} // namespace tilewright::tool
