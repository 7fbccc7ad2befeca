//===- WrongPass.cpp - compiles with a pass that is wrong -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "WrongPass.h"
#include "core/execute/SeededTensor.h"
#include "core/execute/Verifier.h"
#include "core/pipeline/CompilationImpl.h"
#include "core/target/TargetRegistry.h"
#include <catch2/catch.hpp>

using namespace mlir;
using namespace tilewright;

namespace {

class SpoilPass : public PassWrapper<SpoilPass, OperationPass<ModuleOp>> {
public:
  explicit SpoilPass(Spoil spoil) : spoil(std::move(spoil)) {}
  SpoilPass(const SpoilPass &) = default;
  void runOnOperation() override { spoil(getOperation()); }

private:
  Spoil spoil;
};

std::vector<PassEntry> passesWith(const WrongPass &wrong) {
  std::vector<PassEntry> passes = passList();
  if (wrong.after.empty())
    return passes;
  for (size_t i = 0; i < passes.size(); ++i)
    if (passes[i].stage + "/" + passes[i].name == wrong.after) {
      PassEntry entry{passes[i].stage, "wrong", passes[i].unit,
                      [spoil = wrong.spoil](PassInputs &) {
                        return std::make_unique<SpoilPass>(spoil);
                      }};
      passes.insert(passes.begin() + std::ptrdiff_t(i) + 1, std::move(entry));
      return passes;
    }
  FAIL("no pass is named " << wrong.after);
  return passes;
}

} // namespace

std::string WrongPass::name() const {
  return after.substr(0, after.find('/')) + "/wrong";
}

model::VerifyResult verifyWith(const std::string &text,
                               const std::string &target,
                               const WrongPass &wrong,
                               const std::vector<model::Pin> &pins) {
  std::vector<model::Diagnostic> problems;
  Session session(target::TargetRegistry::standard(problems),
                  passesWith(wrong));
  CompileRequest request;
  request.uri = "file:///f.mlir";
  request.text = text;
  request.target = target;
  request.pins = pins;
  auto compilation = session.compile(request);
  for (const model::Diagnostic &problem : compilation->stages().diagnostics)
    UNSCOPED_INFO(problem.code << " " << problem.message);
  REQUIRE(compilation->complete());
  const Compilation::Impl &impl = compilation->impl();

  execute::VerifierOptions options;
  options.function = "f";
  for (const target::Level &level : impl.target->levels)
    options.run.levelBytes[level.name] = int64_t(level.capacity.value);
  auto source = impl.module(*impl.find("tensor/source", nullptr));
  auto function = source->lookupSymbol<func::FuncOp>("f");
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
    model::Diagnostic error;
    auto tensor = cast<RankedTensorType>(type);
    auto made = execute::seededTensor(
        execute::elementOfType(tensor.getElementType()),
        tensor.getShape().vec(), 0, "input" + std::to_string(i), error);
    REQUIRE(made);
    options.inputs.push_back(
        std::make_shared<execute::HostTensor>(std::move(*made)));
  }
  execute::Verifier verifier(options);
  const Snapshot *before = nullptr;
  bool isSynchronized = false;
  for (const model::PassRecord &pass : compilation->stages().passes) {
    isSynchronized |= pass.name() == "block/insert-sync";
    const Snapshot *snapshot = impl.find(pass.name(), nullptr);
    if (!snapshot || snapshot == before) {
      verifier.unchanged(pass.name());
      continue;
    }
    before = snapshot;
    execute::SnapshotParts parts;
    parts.isSynchronized = isSynchronized;
    parts.program = snapshot->program->module(impl.context.get());
    for (const Snapshot::Scope &scope : snapshot->scopes) {
      const Kept &kept = scope.result->steps[scope.step].module;
      parts.scopes.push_back({scope.result->name,
                              std::to_string(uintptr_t(kept.get())),
                              kept->module(impl.context.get())});
    }
    REQUIRE(verifier.run(pass.name(), parts));
  }
  return verifier.take();
}
