//===- OverrideEdit.cpp - overrides made and judged -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pipeline/OverrideEdit.h"
#include "core/dialect/Key.h"
#include "core/frontend/PartReader.h"
#include "core/frontend/SourceLexer.h"
#include "core/inspect/TextDiff.h"
#include "core/inspect/TextMerge.h"
#include "core/model/NearestName.h"
#include "core/pipeline/CompilationImpl.h"
#include "core/pipeline/OverrideText.h"
#include "core/pipeline/ScopeKeys.h"
#include "mlir/IR/SymbolTable.h"
#include <algorithm>
#include <map>

using namespace mlir;

namespace tilewright {

namespace {

model::Diagnostic fault(const char *code, std::string message,
                        std::string hint) {
  model::Diagnostic problem;
  problem.code = code;
  problem.message = std::move(message);
  problem.hint = std::move(hint);
  return problem;
}

/// A function or kernel of a snapshot as passes see it, its keys relative.
struct FoundPart {
  OwningOpRef<ModuleOp> module;
  Operation *op = nullptr;
  std::string scope;
};

/// Visits every part that an override can stand for; `visit` returns true to
/// stop, and that part is returned.
FoundPart
findPart(const Compilation::Impl &impl, const Snapshot &snapshot,
         llvm::function_ref<bool(Operation *op, StringRef scope)> visit) {
  auto look = [&](const Kept &kept, StringRef scope) {
    FoundPart part;
    part.module = kept->module(impl.context.get());
    if (!part.module)
      return part;
    for (Operation &op : *part.module->getBody())
      if (isa<SymbolOpInterface>(op) && visit(&op, scope)) {
        part.op = &op;
        part.scope = scope.str();
        return part;
      }
    return part;
  };
  if (snapshot.scopes.empty())
    return look(snapshot.program, "");
  for (const Snapshot::Scope &scope : snapshot.scopes)
    if (FoundPart part =
            look(scope.result->steps[scope.step].module, scope.result->name);
        part.op)
      return part;
  return {};
}

FoundPart partNamed(const Compilation::Impl &impl, const Snapshot &snapshot,
                    StringRef symbol) {
  return findPart(impl, snapshot, [&](Operation *op, StringRef) {
    return SymbolTable::getSymbolName(op).getValue() == symbol;
  });
}

/// The parts of a stage as it is shown.
std::vector<frontend::TextPart> shownParts(const Compilation &compilation,
                                           const std::string &stage,
                                           model::PrintedStage *printed = {}) {
  std::optional<model::PrintedStage> shown = compilation.print(stage);
  if (!shown)
    return {};
  auto parts = frontend::splitParts(shown->text);
  if (printed)
    *printed = std::move(*shown);
  return parts;
}

const frontend::TextPart *named(const std::vector<frontend::TextPart> &parts,
                                const std::string &symbol) {
  for (const frontend::TextPart &part : parts)
    if (part.symbol == symbol)
      return &part;
  return nullptr;
}

/// The key a message about the part stands at: of its first operation that the
/// source has.
std::string keyOfPart(const Compilation::Impl &impl,
                      const model::PrintedStage &printed,
                      const frontend::TextPart &part) {
  std::string first;
  for (const model::TextSpan &span : printed.spans) {
    if (span.range.begin < part.range.begin ||
        span.range.begin >= part.range.end)
      continue;
    for (const std::string &key : span.keys) {
      if (first.empty())
        first = key;
      if (impl.source && impl.source->rangeOf(key))
        return key;
    }
  }
  return first;
}

const char *stateName(OverrideOutcome::Kind kind) {
  switch (kind) {
  case OverrideOutcome::NotReached:
    return "not reached";
  case OverrideOutcome::InForce:
    return "in force";
  case OverrideOutcome::Conflicting:
    return "conflicting";
  case OverrideOutcome::Stale:
    return "stale";
  case OverrideOutcome::Refused:
    return "refused";
  case OverrideOutcome::Elsewhere:
    return "elsewhere";
  }
  return "";
}

/// The only part behind the pass of `override` that is what it stands for.
FoundPart likelyPart(const Compilation::Impl &impl,
                     const model::Override &override) {
  const Snapshot *snapshot = impl.find(override.stage, nullptr);
  if (!snapshot)
    return {};
  int found = 0;
  std::string only;
  findPart(impl, *snapshot, [&](Operation *op, StringRef) {
    if (partFingerprint(op) == override.fingerprint) {
      ++found;
      only = SymbolTable::getSymbolName(op).str();
    }
    return false;
  });
  return found == 1 ? partNamed(impl, *snapshot, only) : FoundPart();
}

/// `text`, an edited `base`, with the names that `now` has where `base` has
/// others. Both are prints of the same IR. None if names do not correspond.
std::optional<std::string> withNamesOf(const std::string &now,
                                       const std::string &base,
                                       const std::string &text) {
  using frontend::SourceLexer;
  using frontend::Token;
  using frontend::TokenKind;
  auto isName = [](const Token &token) {
    return token.kind == TokenKind::Value || token.kind == TokenKind::Symbol ||
           token.kind == TokenKind::String;
  };
  std::map<std::string_view, std::string_view> names;
  SourceLexer before(base), after(now);
  while (true) {
    Token a = before.next(), b = after.next();
    if (a.kind != b.kind || (!isName(a) && before.textOf(a) != after.textOf(b)))
      return std::nullopt;
    if (a.kind == TokenKind::End)
      break;
    if (isName(a) &&
        names.try_emplace(before.textOf(a), after.textOf(b)).first->second !=
            after.textOf(b))
      return std::nullopt;
  }
  std::string result;
  size_t copied = 0;
  SourceLexer edited(text);
  for (Token token = edited.next(); token.kind != TokenKind::End;
       token = edited.next()) {
    auto found = isName(token) ? names.find(edited.textOf(token)) : names.end();
    if (found == names.end())
      continue;
    result.append(text, copied, token.begin - copied);
    result += found->second;
    copied = token.end;
  }
  return result + text.substr(copied);
}

std::string joined(const std::vector<std::string> &names) {
  std::string text;
  constexpr size_t most = 12;
  for (size_t i = 0; i < std::min(names.size(), most); ++i)
    text += (i ? ", @" : "@") + names[i];
  if (names.size() > most)
    text += " and " + std::to_string(names.size() - most) + " more";
  return text;
}

} // namespace

std::optional<OverrideEdit> editStage(const Compilation &compilation,
                                      const std::string &stage,
                                      const std::string &text,
                                      const std::string &textUri,
                                      model::Diagnostic &problem) {
  const Compilation::Impl &impl = compilation.impl();
  const Snapshot *snapshot = impl.find(stage, &problem);
  if (!snapshot)
    return std::nullopt;
  const std::string pass = snapshot->name();
  auto refuse = [&](const char *code, std::string message, std::string hint,
                    model::TextRange range = {}) {
    problem = fault(code, std::move(message), std::move(hint));
    problem.uri = textUri;
    problem.range = range;
    return std::nullopt;
  };
  if (snapshot->pass == "source")
    return refuse("TW0246", "tensor/source is the source itself",
                  "edit the source");
  if (snapshot->stage == "execution" ||
      StringRef(stage).split('/').first == "execution")
    return refuse("TW0246",
                  "the Execution graph follows from the Block graph "
                  "and has no text of its own to be edited",
                  "edit a stage of the Block graph, such as "
                  "block/insert-sync");

  model::PrintedStage printed;
  std::vector<frontend::TextPart> shown =
      shownParts(compilation, pass, &printed);
  if (StringRef(printed.text).contains("\n// … cut behind "))
    return refuse("TW0246",
                  pass + " is too large to be shown whole, and so to "
                         "be edited",
                  "edit a stage of a smaller source");
  std::vector<model::Diagnostic> wrong =
      frontend::checkParts(*impl.context, textUri, text, nullptr);
  std::vector<frontend::TextPart> edited = frontend::splitParts(text);
  // What was not edited is not judged: it is ours.
  std::erase_if(edited, [&](const frontend::TextPart &part) {
    const frontend::TextPart *before = named(shown, part.symbol);
    if (!before || before->text != part.text)
      return false;
    std::erase_if(wrong, [&](const model::Diagnostic &each) {
      return each.range.begin >= part.range.begin &&
             each.range.end <= part.range.end;
    });
    return true;
  });
  if (!wrong.empty()) {
    problem = std::move(wrong.front());
    problem.uri = textUri;
    for (size_t i = 1; i < std::min<size_t>(wrong.size(), 5); ++i)
      problem.related.push_back(
          {textUri, wrong[i].range,
           wrong[i].message + " [" + wrong[i].code + "]"});
    return std::nullopt;
  }
  OverrideEdit result;
  std::vector<std::string> names;
  for (const frontend::TextPart &part : shown)
    names.push_back(part.symbol);
  for (const frontend::TextPart &part : edited) {
    const frontend::TextPart *before = named(shown, part.symbol);
    if (!before) {
      std::string near = model::nearestName(part.symbol, names);
      return refuse("TW0241",
                    (part.symbol.empty()
                         ? std::string("what stands here has no name and")
                         : "@" + part.symbol) +
                        " is no function or kernel of " + pass,
                    (near.empty() ? "" : "did you mean @" + near + "? ") +
                        ("there are " + joined(names)),
                    part.range);
    }
    FoundPart found = partNamed(impl, *snapshot, part.symbol);
    if (!found.op)
      return refuse(
          "TW0246",
          "@" + part.symbol + " is put together from its scopes in " + pass +
              " and cannot be edited there",
          "edit it in a stage up to tile/choose-tiles, or edit its scopes and "
          "kernels",
          part.range);
    model::Override made;
    made.stage = pass;
    made.target = snapshot->stage == "tensor" ? "*" : impl.target->name;
    made.part = part.symbol;
    made.scope = found.scope;
    made.key = keyOfPart(impl, printed, *before);
    made.fingerprint = partFingerprint(found.op);
    made.base = before->text;
    made.text = part.text;
    made.name = model::overrideName(made.stage, made.part, made.target);
    // One in force is edited: it stands for what the pass leaves.
    for (const model::Override &other : impl.overrides) {
      auto outcome = impl.overrideOutcomes.find(other.name);
      if (other.stage != pass || other.part != part.symbol ||
          outcome == impl.overrideOutcomes.end() ||
          outcome->second.kind == OverrideOutcome::Elsewhere)
        continue;
      if (outcome->second.kind != OverrideOutcome::InForce) {
        if (other.name == made.name) {
          made.note = other.note;
          made.extra = other.extra;
        }
        continue;
      }
      made = other;
      made.text = part.text;
    }
    if (made.text == made.base) {
      result.removed.push_back(made.name);
      continue;
    }
    result.written.push_back(std::move(made));
  }
  if (result.written.empty() && result.removed.empty())
    return refuse("TW0251", "the text is " + pass + " as it is already",
                  "edit it first; 'tilewright show FILE --stage " + pass +
                      "' prints what to begin with");
  return result;
}

std::vector<model::OverrideState> overrideStates(const Compilation &compilation,
                                                 const std::string &whole) {
  const Compilation::Impl &impl = compilation.impl();
  std::map<std::string, std::vector<frontend::TextPart>> shown;
  std::vector<model::OverrideState> states;
  for (const model::Override &override : impl.overrides) {
    OverrideOutcome outcome;
    if (auto it = impl.overrideOutcomes.find(override.name);
        it != impl.overrideOutcomes.end())
      outcome = it->second;
    model::OverrideState state = model::stateOf(override);
    state.state = stateName(outcome.kind);
    if (outcome.problem) {
      state.reason = outcome.problem->message;
      state.code = outcome.problem->code;
    } else if (outcome.kind == OverrideOutcome::Elsewhere) {
      state.reason = "it is for target " + override.target + ", not for " +
                     impl.table.target;
    } else if (outcome.kind == OverrideOutcome::NotReached) {
      state.reason = "the compilation stopped before " + override.stage;
    }
    state.edit = inspect::unifiedDiff(override.base, override.text,
                                      override.stage, "override");
    std::string part = override.part;
    if (outcome.kind == OverrideOutcome::Stale)
      if (FoundPart likely = likelyPart(impl, override); likely.op)
        part = state.likelyPart = SymbolTable::getSymbolName(likely.op).str();
    bool drifted = outcome.kind == OverrideOutcome::Conflicting;
    if (drifted || override.name == whole) {
      auto [it, isNew] = shown.try_emplace(override.stage);
      if (isNew)
        it->second = shownParts(compilation, override.stage);
      std::string now;
      // In force, what the pass leaves is what it was written for.
      if (outcome.kind == OverrideOutcome::InForce)
        now = override.base;
      else if (const frontend::TextPart *current = named(it->second, part))
        now = current->text;
      if (drifted)
        state.drift =
            inspect::unifiedDiff(override.base, now, override.stage + " before",
                                 override.stage + " now");
      if (override.name == whole) {
        state.base = override.base;
        state.text = override.text;
        state.now = now;
      }
    }
    states.push_back(std::move(state));
  }
  std::sort(states.begin(), states.end(),
            [](const auto &a, const auto &b) { return a.name < b.name; });
  return states;
}

std::optional<model::Override> reapply(const Compilation &compilation,
                                       const model::Override &override,
                                       bool asIs, model::Diagnostic &problem) {
  const Compilation::Impl &impl = compilation.impl();
  const Snapshot *snapshot = impl.find(override.stage, &problem);
  if (!snapshot)
    return std::nullopt;
  model::Override result = override;
  FoundPart part = partNamed(impl, *snapshot, override.part);
  if (part.op && part.scope != override.scope)
    part.op = nullptr;
  if (!part.op) {
    part = likelyPart(impl, override);
    if (!part.op) {
      problem = fault("TW0241",
                      override.stage + " has no function or kernel @" +
                          override.part +
                          " now, and none that is what it was written for",
                      "copy what you need of its text (tilewright override "
                      "list FILE " +
                          override.name + "), then drop it");
      return std::nullopt;
    }
    result.part = SymbolTable::getSymbolName(part.op).str();
    result.scope = part.scope;
    result.name = model::overrideName(result.stage, result.part, result.target);
  }
  model::PrintedStage printed;
  std::vector<frontend::TextPart> shown =
      shownParts(compilation, override.stage, &printed);
  const frontend::TextPart *now = named(shown, result.part);
  if (!now) {
    problem = fault("TW0241",
                    "@" + result.part + " is not shown in " + override.stage,
                    "look at it with 'tilewright show'");
    return std::nullopt;
  }
  result.key = keyOfPart(impl, printed, *now);
  std::string fingerprint = partFingerprint(part.op);
  if (fingerprint == result.fingerprint) {
    // Names are all that differs. Its text may keep its own.
    if (auto text = withNamesOf(now->text, override.base, override.text)) {
      result.base = now->text;
      result.text = std::move(*text);
    }
    return result;
  }
  std::optional<std::string> text =
      asIs ? override.text
           : inspect::mergeLines(override.base, override.text, now->text);
  if (!text) {
    problem =
        fault("TW0240",
              "the override of @" + override.part +
                  " and what changed under it "
                  "concern the same lines. It changes:\n" +
                  inspect::unifiedDiff(override.base, override.text,
                                       override.stage, "override") +
                  "Since then has changed:\n" +
                  inspect::unifiedDiff(override.base, now->text,
                                       override.stage + " before",
                                       override.stage + " now"),
              "edit the stage as it is shown now and hand that in, or take the "
              "text as it stands: tilewright override apply FILE " +
                  override.name + " --as-is");
    return std::nullopt;
  }
  result.base = now->text;
  result.text = std::move(*text);
  result.fingerprint = std::move(fingerprint);
  return result;
}

} // namespace tilewright
