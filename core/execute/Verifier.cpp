//===- Verifier.cpp - finds the first pass that gives wrong numbers -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/execute/Verifier.h"
#include "core/execute/NumpyFile.h"
#include <chrono>
#include <filesystem>

namespace tilewright::execute {

/// Beyond this many bytes no more tensors between arguments and results are
/// kept to compare with.
static constexpr int64_t maxReferenceBytes = int64_t(4) << 30;
static constexpr size_t maxFailing = 20;

static double excess(const model::VerifyCheck &check) {
  if (check.tolerance > 0)
    return check.error / check.tolerance;
  return check.error > 0 ? std::numeric_limits<double>::infinity() : 0;
}

static SnapshotRunOptions sourceOptions(SnapshotRunOptions options) {
  options.bounds = true;
  return options;
}

Verifier::Verifier(VerifierOptions given)
    : options(std::move(given)),
      runner(options.function, options.inputs, options.run),
      source(options.function, options.inputs, sourceOptions(options.run)) {
  result.function = options.function;
  result.passed = true;
}

bool Verifier::run(const std::string &pass, SnapshotParts &snapshot) {
  auto start = std::chrono::steady_clock::now();
  model::Diagnostic error;
  bool first = result.passes.empty();
  if (first)
    addOrigin(snapshot);
  auto found = (first ? source : runner).run(snapshot, error);
  double milliseconds = std::chrono::duration<double, std::milli>(
                            std::chrono::steady_clock::now() - start)
                            .count();
  if (options.run.cancel && options.run.cancel->load())
    return false;
  if (!found) {
    failed(pass, std::move(error), (first ? source : runner).failedScope());
    result.passes.back().milliseconds = milliseconds;
    return true;
  }
  if (!first) {
    compare(pass, std::move(*found), milliseconds, &snapshot);
    return true;
  }
  for (const SnapshotTensor &tensor : *found)
    if (tensor.output >= 0)
      outputs.push_back({tensor.tensor, tensor.bound});
  learn(*found, /*all=*/true);
  dump(pass, *found);
  model::VerifiedPass entry;
  entry.pass = pass;
  entry.result = "reference";
  entry.milliseconds = milliseconds;
  entry.compared = int64_t(found->size());
  result.passes.push_back(std::move(entry));
  return true;
}

void Verifier::unchanged(const std::string &pass) {
  model::VerifiedPass entry;
  entry.pass = pass;
  entry.result = "unchanged";
  result.passes.push_back(std::move(entry));
}

void Verifier::results(const std::string &pass,
                       const std::vector<TensorRef> &tensors,
                       double milliseconds) {
  std::vector<SnapshotTensor> found;
  for (size_t i = 0; i < tensors.size(); ++i) {
    SnapshotTensor tensor;
    if (i < source.outputKeys().size())
      tensor.keys = source.outputKeys()[i];
    tensor.tensor = tensors[i];
    tensor.isStored = true;
    tensor.output = int(i);
    found.push_back(std::move(tensor));
  }
  compare(pass, std::move(found), milliseconds, nullptr);
}

void Verifier::failed(const std::string &pass, model::Diagnostic diagnostic,
                      const std::string &scope) {
  if (result.passed) {
    result.passed = false;
    result.firstPass = pass;
    result.firstScope = scope;
    result.firstKey = diagnostic.key;
  }
  model::VerifiedPass entry;
  entry.pass = pass;
  entry.result = "error";
  entry.diagnostic = std::move(diagnostic);
  result.passes.push_back(std::move(entry));
}

const MatmulBound *Verifier::carried(const Reference &want,
                                     const std::string &key, int output) {
  if (want.origin >= origins.size())
    return nullptr;
  Origin &origin = origins[want.origin];
  if (!origin.hasCarried) {
    origin.hasCarried = true;
    SnapshotRunOptions again = options.run;
    again.carryErrors = true;
    model::Diagnostic ignored; // it ran before
    auto found = SnapshotRunner(options.function, options.inputs, again)
                     .run(origin.parts, ignored);
    for (const SnapshotTensor &tensor :
         found ? *found : std::vector<SnapshotTensor>()) {
      if (tensor.output >= 0)
        origin.outputs.push_back(tensor.bound);
      else if (tensor.keys.size() == 1 && tensor.bound.allowed)
        origin.byKey[tensor.keys.front()] = tensor.bound;
    }
  }
  const MatmulBound *bound = nullptr;
  if (output >= 0 && size_t(output) < origin.outputs.size())
    bound = &origin.outputs[size_t(output)];
  else if (auto known = origin.byKey.find(key); known != origin.byKey.end())
    bound = &known->second;
  return bound && bound->allowed ? bound : nullptr;
}

std::optional<model::VerifyCheck> Verifier::check(const SnapshotTensor &got,
                                                  bool count) {
  std::optional<model::VerifyCheck> best;
  auto see = [&](const Reference &want, const std::string &key) {
    model::VerifyCheck check =
        compareInDetail(*got.tensor, *want.tensor, want.bound, count);
    if (!check.passed && check.rule == "row-relative")
      if (const MatmulBound *bound = carried(want, key, got.output))
        check = compareInDetail(*got.tensor, *want.tensor, *bound, count);
    if (best && excess(*best) <= excess(check))
      return;
    check.key = key;
    check.scope = got.scope;
    check.output = got.output;
    best = std::move(check);
  };
  if (got.output >= 0) {
    if (size_t(got.output) < outputs.size())
      see(outputs[size_t(got.output)],
          got.keys.empty() ? "" : got.keys.front());
    return best;
  }
  for (const std::string &key : got.keys) {
    auto want = references.find(key);
    // A pass may compute a part in another type, or an unnamed reshape of it.
    if (want != references.end() &&
        want->second.tensor->element() == got.tensor->element() &&
        want->second.tensor->shape() == got.tensor->shape())
      see(want->second, key);
    if (best && best->passed)
      break;
  }
  return best;
}

bool Verifier::learn(const std::vector<SnapshotTensor> &found, bool all) {
  bool learned = false;
  size_t origin = all ? 0 : origins.size();
  for (const SnapshotTensor &tensor : found) {
    // Which of several keys it stands for nobody can tell.
    if (tensor.output >= 0 || (!all && tensor.keys.size() != 1))
      continue;
    for (const std::string &key : tensor.keys) {
      if (references.contains(key) || referenceBytes > maxReferenceBytes)
        continue;
      references[key] = {tensor.tensor, tensor.bound, origin};
      referenceBytes += tensor.tensor->byteSize();
      learned = true;
    }
  }
  return learned;
}

void Verifier::addOrigin(SnapshotParts &snapshot) {
  Origin &origin = origins.emplace_back();
  // Errors are carried through whole tensors, not through tiles.
  origin.hasCarried =
      !snapshot.scopes.empty() ||
      !snapshot.program->lookupSymbol<mlir::func::FuncOp>(options.function);
  if (!origin.hasCarried)
    origin.parts.program = snapshot.program->clone();
}

void Verifier::compare(const std::string &pass,
                       std::vector<SnapshotTensor> found, double milliseconds,
                       SnapshotParts *snapshot) {
  model::VerifiedPass entry;
  entry.pass = pass;
  entry.milliseconds = milliseconds;
  bool wrong = false;
  // Of those that agree and of all.
  std::optional<model::VerifyCheck> largest[2];
  const SnapshotTensor *worst[2] = {};
  for (const SnapshotTensor &tensor : found) {
    std::optional<model::VerifyCheck> checked = check(tensor, /*count=*/false);
    if (!checked)
      continue;
    ++entry.compared;
    wrong |= !checked->passed && tensor.isStored;
    for (bool all : {false, true}) {
      if (!all && !checked->passed)
        continue;
      if (largest[all] && excess(*checked) <= excess(*largest[all]))
        continue;
      largest[all] = *checked;
      worst[all] = &tensor;
    }
    if (!checked->passed && entry.failing.size() < maxFailing)
      entry.failing.push_back(*check(tensor, /*count=*/true));
  }
  if (const SnapshotTensor *shown = worst[wrong])
    entry.worst = check(*shown, /*count=*/true);
  dump(pass, found);
  entry.result = wrong ? "failed" : "passed";
  entry.resultsOnly =
      !found.empty() && llvm::all_of(found, [](const SnapshotTensor &tensor) {
        return tensor.output >= 0;
      });
  if (!wrong && learn(found, /*all=*/false) && snapshot)
    addOrigin(*snapshot);
  if (wrong && result.passed) {
    result.passed = false;
    result.firstPass = pass;
    result.firstScope = entry.failing.front().scope;
    result.firstKey = entry.failing.front().key;
  }
  result.passes.push_back(std::move(entry));
}

static std::string fileName(std::string text) {
  for (char &c : text)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '.' &&
        c != '-')
      c = '-';
  return text;
}

void Verifier::dump(const std::string &pass,
                    const std::vector<SnapshotTensor> &found) {
  int number = dumped++;
  if (options.dumpFolder.empty())
    return;
  for (const std::string &key : options.dumpKeys) {
    const SnapshotTensor *tensor = nullptr;
    for (const SnapshotTensor &candidate : found)
      if (llvm::is_contained(candidate.keys, key))
        tensor = &candidate; // the last one is what the key ends up as
    if (!tensor)
      continue;
    std::filesystem::path folder =
        std::filesystem::path(options.dumpFolder) / fileName(key);
    std::error_code code;
    std::filesystem::create_directories(folder, code);
    std::string digits = std::to_string(number);
    std::string path = (folder / (std::string(digits.size() < 2 ? 1 : 0, '0') +
                                  digits + "-" + fileName(pass) + ".npy"))
                           .string();
    model::Diagnostic error;
    if (writeNumpy(*tensor->tensor, path, error))
      result.dumps.push_back({key, pass, path});
    else
      result.diagnostics.push_back(std::move(error));
  }
}

model::VerifyResult Verifier::take() {
  for (const std::string &key : options.dumpKeys)
    if (llvm::none_of(result.dumps, [&](const model::VerifyDump &dump) {
          return dump.key == key;
        })) {
      model::Diagnostic note;
      note.code = "TW0562";
      note.severity = model::Severity::Warning;
      note.message = "no snapshot holds " + key + " as a whole tensor";
      note.hint = "keys are function/name, with the name as in the source "
                  "without %";
      result.diagnostics.push_back(std::move(note));
    }
  return std::move(result);
}

} // namespace tilewright::execute
