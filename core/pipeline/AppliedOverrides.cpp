//===- AppliedOverrides.cpp - overrides put in force by a compilation -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pipeline/AppliedOverrides.h"
#include "core/pipeline/DiagnosticCollector.h"
#include "core/pipeline/OverrideText.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace tilewright {

AppliedOverrides::AppliedOverrides(std::vector<model::Override> given,
                                   std::string target)
    : overrides(std::move(given)) {
  for (const model::Override &override : overrides)
    outcomes[override.name].kind =
        override.target == "*" || override.target == target
            ? OverrideOutcome::NotReached
            : OverrideOutcome::Elsewhere;
}

std::vector<std::string> AppliedOverrides::apply(const std::string &pass,
                                                 ModuleOp module,
                                                 StringRef scope) {
  std::vector<std::string> done;
  for (const model::Override &override : overrides) {
    OverrideOutcome &outcome = outcomes[override.name];
    if (override.stage != pass || override.scope != scope ||
        outcome.kind == OverrideOutcome::Elsewhere)
      continue;
    applyOne(override, module);
    if (outcome.kind == OverrideOutcome::InForce)
      done.push_back(override.name);
  }
  return done;
}

void AppliedOverrides::applyOne(const model::Override &override,
                                ModuleOp module) {
  OverrideOutcome &outcome = outcomes[override.name];
  std::string about = "the override of @" + override.part + " behind " +
                      override.stage + " (" + override.name + ")";
  auto refuse = [&](OverrideOutcome::Kind kind, model::Diagnostic problem) {
    problem.severity = model::Severity::Warning;
    problem.key = override.key;
    problem.message = about + " is not in force: " + problem.message;
    outcome = {kind, std::move(problem)};
  };
  Operation *now = SymbolTable::lookupSymbolIn(module, override.part);
  model::Diagnostic problem;
  if (!now) {
    problem.code = "TW0241";
    problem.message = "the pass leaves no function or kernel of this name now";
    problem.hint = "'tilewright override list FILE' says what it is probably "
                   "called now; 'override apply' puts it there, 'override "
                   "drop' takes it away";
    return refuse(OverrideOutcome::Stale, std::move(problem));
  }
  if (partFingerprint(now) != override.fingerprint) {
    problem.code = "TW0240";
    problem.message = "what it stands for has changed since it was written";
    problem.hint = "'tilewright override list FILE' shows both sides; "
                   "'override apply' brings it onto what there is now, "
                   "'override drop' takes it away";
    return refuse(OverrideOutcome::Conflicting, std::move(problem));
  }
  DiagnosticCollector collected(module.getContext(), "", "TW0101", {});
  std::optional<WrittenPart> written = writePart(override, now, problem);
  if (!written)
    return refuse(OverrideOutcome::Refused, std::move(problem));
  // Into the module and, if that is not right with it, out again.
  now->getBlock()->getOperations().splice(
      Block::iterator(now), written->module->getBody()->getOperations(),
      Block::iterator(written->op));
  now->remove();
  unsigned line = 0;
  bool right;
  {
    ScopedDiagnosticHandler lines(
        module.getContext(), [&](mlir::Diagnostic &diagnostic) {
          if (line == 0)
            line = lineInText(diagnostic.getLocation());
          return failure(); // the collector takes it
        });
    right = succeeded(verify(module));
  }
  if (right) {
    written->locate();
    now->erase();
    outcome = {OverrideOutcome::InForce, std::nullopt};
    return;
  }
  module.getBody()->getOperations().insert(Block::iterator(written->op), now);
  written->op->erase();
  std::vector<model::Diagnostic> said = collected.take();
  problem.code = "TW0243";
  problem.message = lineOfText(override.text, line);
  if (!problem.message.empty())
    problem.message += ": ";
  problem.message +=
      said.empty() ? "the IR would not be valid with it"
                   : said.front().message + " [" + said.front().code + "]";
  if (!said.empty())
    problem.hint = said.front().hint;
  refuse(OverrideOutcome::Refused, std::move(problem));
}

OverrideOutcomes AppliedOverrides::outcomesOf(StringRef scope) const {
  OverrideOutcomes found;
  for (const model::Override &override : overrides)
    if (override.scope == scope && !scope.empty())
      found.insert(*outcomes.find(override.name));
  return found;
}

void AppliedOverrides::take(const OverrideOutcomes &known) {
  for (const auto &[name, outcome] : known)
    outcomes[name] = outcome;
}

std::string AppliedOverrides::contentFor(StringRef scope) const {
  std::string content;
  for (const model::Override &override : overrides)
    if (override.scope == scope &&
        outcomes.at(override.name).kind != OverrideOutcome::Elsewhere)
      content += nlohmann::json(override).dump(
                     -1, ' ', false, nlohmann::json::error_handler_t::replace) +
                 override.name + "\n";
  return content;
}

std::vector<model::Override>
formingOverrides(const std::vector<model::Override> &overrides) {
  std::vector<model::Override> forming;
  for (const model::Override &override : overrides)
    if (override.scope.empty() && override.stage != "tile/choose-tiles")
      forming.push_back(override);
  return forming;
}

} // namespace tilewright
