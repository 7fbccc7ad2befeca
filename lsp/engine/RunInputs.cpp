//===- RunInputs.cpp - what a request asks to be run ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/engine/RunInputs.h"
#include "core/dialect/Key.h"
#include "core/execute/NumpyFile.h"
#include "core/execute/SeededTensor.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

namespace tilewright::engine {

using execute::HostTensor;

void refuse(model::Diagnostic error, const std::string &uri,
            lsp::ErrorCode code) {
  if (error.uri.empty())
    error.uri = uri;
  throw lsp::RequestError(lsp::ResponseError::of(std::move(error), code));
}

bool runsHere(const target::Target &target) { return !target.features.empty(); }

execute::CpuFeatures cpuOf(const target::Target &target) {
  if (target.name == "cpu")
    return execute::hostCpu();
  return llvm::is_contained(target.features, "amx-bf16")
             ? execute::amxCpu()
             : execute::genericCpu();
}

void checkThreads(int threads, const std::string &uri) {
  if (threads >= 0 && threads <= maxThreads)
    return;
  model::Diagnostic error;
  error.code = "TW0555";
  error.message = std::to_string(threads) + " threads were asked for";
  error.hint =
      "0 (all processors) to " + std::to_string(maxThreads) + " are possible";
  refuse(std::move(error), uri, lsp::ErrorCode::InvalidParams);
}

mlir::func::FuncOp findRunFunction(mlir::ModuleOp module,
                                   const std::string &wanted,
                                   const std::string &uri) {
  mlir::func::FuncOp function;
  std::string names;
  for (auto candidate : module.getOps<mlir::func::FuncOp>()) {
    if (candidate.isExternal() || candidate.isPrivate())
      continue;
    std::string name = candidate.getName().str();
    names += (names.empty() ? "" : ", ") + name;
    if (!function && (wanted.empty() || wanted == name))
      function = candidate;
  }
  if (function)
    return function;
  model::Diagnostic error;
  error.code = "TW0551";
  error.message = wanted.empty() ? "there is no public function to run"
                                 : "there is no public function @" + wanted;
  error.hint = names.empty() ? "" : "there is: " + names;
  refuse(std::move(error), uri, lsp::ErrorCode::InvalidParams);
}

std::optional<model::Diagnostic> noteOtherFunctions(mlir::ModuleOp module,
                                                    mlir::func::FuncOp function,
                                                    const std::string &done,
                                                    const std::string &uri) {
  std::string others;
  for (auto other : module.getOps<mlir::func::FuncOp>())
    if (other != function && !other.isExternal() && !other.isPrivate())
      others += (others.empty() ? "@" : ", @") + other.getName().str();
  if (others.empty())
    return std::nullopt;
  model::Diagnostic note;
  note.code = "TW0558";
  note.severity = model::Severity::Information;
  note.uri = uri;
  note.message = "only @" + function.getName().str() + " was " + done +
                 "; there is also " + others;
  note.hint = "Choose with --function NAME (of the method: function).";
  return note;
}

static std::string argumentName(mlir::func::FuncOp function, unsigned i) {
  for (llvm::StringRef key : keysOf(function.getArgument(i).getLoc()))
    return key.substr(key.rfind('/') + 1).str();
  return "arg" + std::to_string(i);
}

std::vector<execute::TensorRef>
makeRunInputs(mlir::func::FuncOp function,
              const std::vector<lsp::RunInput> &files, uint64_t seed,
              const std::string &uri) {
  std::map<std::string, std::string> given;
  for (const lsp::RunInput &input : files)
    given[input.name] = input.path;
  std::vector<execute::TensorRef> inputs;
  std::string names;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    std::string name = argumentName(function, i);
    names += (names.empty() ? "" : ", ") + name;
    auto type = mlir::dyn_cast<mlir::RankedTensorType>(
        function.getArgument(i).getType());
    auto path = given.find(name);
    model::Diagnostic error;
    if (!type || (!type.hasStaticShape() && path == given.end())) {
      error.code = "TW0552";
      error.message = "argument " + name + " is " +
                      (type ? "of a shape that only its value tells; none can "
                              "be made"
                            : "no tensor; it cannot be given a value");
      if (type)
        error.hint = "give it one: --input " + name +
                     "=FILE.npy (of tilewright/run and verify: inputs)";
      refuse(std::move(error), uri);
    }
    std::string dtype;
    llvm::raw_string_ostream(dtype) << type.getElementType();
    std::optional<execute::Element> element = execute::elementNamed(dtype);
    if (!element) {
      error.code = "TW0552";
      error.message =
          "argument " + name + " holds " + dtype + ", which cannot be run";
      refuse(std::move(error), uri);
    }
    std::vector<int64_t> shape = type.getShape().vec(); // of ?: negative
    std::optional<HostTensor> tensor =
        path != given.end()
            ? execute::readNumpyAs(path->second, *element, shape, error)
            : execute::seededTensor(*element, shape, seed, name, error);
    if (!tensor)
      refuse(std::move(error), uri);
    if (path != given.end())
      given.erase(path);
    inputs.push_back(std::make_shared<HostTensor>(std::move(*tensor)));
  }
  if (!given.empty()) {
    model::Diagnostic error;
    error.code = "TW0553";
    error.message = "@" + function.getName().str() + " has no argument " +
                    given.begin()->first;
    error.hint = names.empty() ? "it takes none" : "it takes: " + names;
    refuse(std::move(error), uri, lsp::ErrorCode::InvalidParams);
  }
  return inputs;
}

} // namespace tilewright::engine
