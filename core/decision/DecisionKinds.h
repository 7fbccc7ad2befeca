//===- DecisionKinds.h - what can be decided --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kinds of decisions there are, and which pass obeys a pin of each. A pass
// that begins to obey a kind enters its name here and reports the pins of that
// kind that it cannot obey; those of a kind without a pass are reported by the
// session (TW0207).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/decision/PinsFile.h"
#include <functional>
#include <span>

namespace tilewright::decision {

struct DecisionKind {
  std::string_view name;     ///< as in pins
  std::string_view decides;  ///< completes "decides …"
  std::string_view obeyedBy; ///< "stage/pass"; empty if none does
};

/// By name.
std::span<const DecisionKind> decisionKinds();

/// Null if there is no such kind.
const DecisionKind *decisionKind(std::string_view name);

/// "buffers, core, …": all names.
std::string decisionKindNames();

/// An error (TW0211) for each pin of the pins file `text` whose kind does not
/// exist, at the kind's place in the text. `text` has been read by
/// PinsFile::parse; the `uri` of the diagnostics is left to the caller.
std::vector<model::Diagnostic> unknownKinds(std::string_view text);

/// Where each entry of the list of pins stands in `text`.
std::vector<model::TextRange> pinRanges(std::string_view text);

/// The hint of a pin whose key is not known at all.
inline constexpr const char *removeOrRename =
    "remove the pin, or rename it to the operation's new name";

/// Completes "pin of KEY has no effect: …" of a pin that no operation has the
/// key of; asked only of such.
using MissingKey = std::function<std::string(std::string_view glob)>;

/// A warning (TW0206) that `pin` has no effect, as `missing` says or, without
/// one, because no operation has this key. `subject` names it: "scope pin of
/// KEY".
model::Diagnostic missingKeyReport(const model::Pin &pin,
                                   const std::string &subject,
                                   const MissingKey &missing);

/// A warning (TW0207) for each pin for `target` that no pass obeys, and TW0206
/// where there is not even an operation of its key, or of one that a scope pin
/// names. `keyMatching` gives the key
/// of an operation that matches a glob, if there is one.
std::vector<model::Diagnostic>
idlePins(const PinsFile &pins, std::string_view target,
         const std::function<std::optional<std::string>(std::string_view)>
             &keyMatching,
         const MissingKey &missing = {});

} // namespace tilewright::decision
