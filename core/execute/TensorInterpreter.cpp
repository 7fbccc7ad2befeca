//===- TensorInterpreter.cpp - the Tensor graph on real data --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/execute/TensorInterpreter.h"
#include "core/dialect/Key.h"
#include "core/dialect/Tensor/TensorDialect.h"
#include "core/execute/AllowedErrors.h"
#include "core/execute/RunError.h"
#include "core/execute/RunValues.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include <new>
#include <tbb/task_arena.h>

using namespace mlir;

namespace tilewright::execute {

namespace {

/// Calls nested deeper than this are taken for a recursion without end.
constexpr int maxCallDepth = 64;

class Interpreter {
public:
  Interpreter(const TensorRunOptions &options)
      : options(options), evaluateOptions{options.cancel} {}

  std::vector<RunValue> runFunction(func::FuncOp function,
                                    std::vector<RunValue> arguments, int depth);

  /// Results of the outermost function that have a bound.
  std::vector<MatmulBound> resultBounds;

private:
  std::vector<RunValue> runBlock(Block &block, RunValues &values, int depth);
  void runOperation(Operation *op, RunValues &values, int depth);
  AllowedError errorOf(Value value) const;
  void carryErrors(Operation *op, ArrayRef<TensorRef> operands,
                   const HostTensor &result);
  void runTensorOperator(Operation *op, RunValues &values, int depth);
  void runFor(scf::ForOp op, RunValues &values, int depth);
  void runForall(scf::ForallOp op, RunValues &values, int depth);
  void runIf(scf::IfOp op, RunValues &values, int depth);
  void runCall(func::CallOp op, RunValues &values, int depth);
  void runMissingCall(func::CallOp op, RunValues &values);
  void observe(Operation *op, RunValues &values);

  func::CallOp innermostCall;
  const TensorRunOptions &options;
  EvaluateOptions evaluateOptions;
  llvm::DenseMap<Value, MatmulBound> bounds;
  /// Of the outermost function and those it calls.
  llvm::DenseMap<Value, AllowedError> errors;
};

} // namespace

[[noreturn]] static void unknown(Operation *op, const std::string &why = "") {
  throw RunError("TW0510",
                 "'" + op->getName().getStringRef().str() +
                     "' cannot be interpreted" +
                     (why.empty() ? "" : ": " + why),
                 primaryKey(op).str());
}

/// The last thing a block does is hand these on.
static std::vector<RunValue> takeOperands(Operation *terminator,
                                          RunValues &values) {
  std::vector<RunValue> taken;
  for (Value operand : terminator->getOperands())
    taken.push_back(values.get(operand));
  for (Value operand : terminator->getOperands())
    if (operand.getParentBlock() == terminator->getBlock())
      values.forget(operand);
  return taken;
}

std::vector<RunValue> Interpreter::runBlock(Block &block, RunValues &values,
                                            int depth) {
  bool outermost = depth == 0 && isa<func::FuncOp>(block.getParentOp());
  size_t total = outermost ? block.getOperations().size() : 0, done = 0;
  for (Operation &op : block.without_terminator()) {
    throwIfCancelled(evaluateOptions);
    runOperation(&op, values, depth);
    if (options.observe && isa<func::FuncOp>(block.getParentOp()))
      observe(&op, values);
    for (Value value : values.endingAt(&op)) {
      values.forget(value);
      errors.erase(value);
    }
    if (outermost && options.progress)
      options.progress(double(++done) / double(total));
  }
  return takeOperands(block.getTerminator(), values);
}

void Interpreter::observe(Operation *op, RunValues &values) {
  for (OpResult result : op->getResults())
    if (isa<RankedTensorType>(result.getType()) && values.has(result)) {
      MatmulBound bound = bounds.lookup(result);
      if (AllowedError error = errors.lookup(result); error.known)
        bound.allowed = error.tensor;
      options.observe(result, values.tensor(result), bound, innermostCall);
    }
}

/// Whether `value` is an input or a constant, at most rearranged: its numbers
/// are exactly those a compiled program sees.
static bool isGiven(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || matchPattern(value, m_Constant()) || isa<tw::FullOp>(op))
    return true;
  return isa<tw::TransposeOp, tw::ReshapeOp, tw::SliceOp>(op) &&
         isGiven(op->getOperand(0));
}

AllowedError Interpreter::errorOf(Value value) const {
  auto known = errors.find(value);
  if (known != errors.end())
    return known->second;
  return isGiven(value) ? AllowedError::exact() : AllowedError();
}

void Interpreter::carryErrors(Operation *op, ArrayRef<TensorRef> operands,
                              const HostTensor &result) {
  SmallVector<AllowedError> known;
  for (Value operand : op->getOperands())
    known.push_back(errorOf(operand));
  errors[op->getResult(0)] =
      allowedError(op, operands, known, result, evaluateOptions);
}

void Interpreter::runTensorOperator(Operation *op, RunValues &values,
                                    int depth) {
  SmallVector<TensorRef> operands;
  SmallVector<int64_t> sizes;
  for (Value operand : op->getOperands()) {
    if (isa<RankedTensorType>(operand.getType())) {
      operands.push_back(values.tensor(operand));
    } else {
      operands.push_back(nullptr);
      sizes.push_back(values.scalar(operand).i);
    }
  }
  Value result = op->getResult(0);
  values.setTensor(result,
                   evaluateOperator(op, operands, sizes, evaluateOptions));
  if (options.carryErrors && isa<func::FuncOp>(op->getParentOp()))
    carryErrors(op, operands, *values.tensor(result));
  if (options.bounds && depth == 0 && isa<tw::MatmulOp>(op) &&
      llvm::all_of(op->getOperands(), isGiven) &&
      (options.observe || llvm::any_of(result.getUsers(), [](Operation *user) {
         return isa<func::ReturnOp>(user);
       })))
    bounds[result] = matmulBound(op, operands, evaluateOptions);
}

void Interpreter::runFor(scf::ForOp op, RunValues &values, int depth) {
  int64_t lower = values.scalar(op.getLowerBound()).i;
  int64_t upper = values.scalar(op.getUpperBound()).i;
  int64_t step = values.scalar(op.getStep()).i;
  if (step <= 0)
    unknown(op, "a step of " + std::to_string(step));
  std::vector<RunValue> carried;
  for (Value init : op.getInitArgs()) {
    // The loop may write what nobody reads after it.
    if (isa<RankedTensorType>(init.getType()))
      carried.push_back(values.takeForWriting(init, op));
    else
      carried.push_back(values.get(init));
  }
  for (Value init : op.getInitArgs())
    if (llvm::is_contained(values.endingAt(op), init))
      values.forget(init);
  for (int64_t i = lower; i < upper;) {
    values.setInteger(op.getInductionVar(), i);
    for (auto [argument, value] :
         llvm::zip_equal(op.getRegionIterArgs(), carried))
      values.set(argument, std::move(value));
    carried = runBlock(*op.getBody(), values, depth);
    if (__builtin_add_overflow(i, step, &i))
      break;
  }
  for (auto [result, value] : llvm::zip_equal(op.getResults(), carried))
    values.set(result, std::move(value));
}

void Interpreter::runForall(scf::ForallOp op, RunValues &values, int depth) {
  std::vector<int64_t> lower = values.numbers(op.getMixedLowerBound());
  std::vector<int64_t> upper = values.numbers(op.getMixedUpperBound());
  std::vector<int64_t> step = values.numbers(op.getMixedStep());
  std::vector<HeldTensor> outs;
  for (Value out : op.getOutputs())
    outs.push_back(values.takeForWriting(out, op));
  bool any = true;
  for (size_t d = 0; d < lower.size(); ++d) {
    if (step[d] <= 0)
      unknown(op, "a step of " + std::to_string(step[d]));
    any = any && lower[d] < upper[d];
  }
  std::vector<int64_t> index = lower;
  SmallVector<Value> ivs = op.getInductionVars();
  while (any) {
    for (auto [iv, i] : llvm::zip_equal(ivs, index))
      values.setInteger(iv, i);
    for (auto [argument, out] : llvm::zip_equal(op.getRegionOutArgs(), outs))
      values.set(argument, out);
    for (Operation &inner : op.getBody()->without_terminator()) {
      throwIfCancelled(evaluateOptions);
      runOperation(&inner, values, depth);
      // Values that end inside the terminator are kept for it.
      for (Value value : values.endingAt(&inner))
        values.forget(value);
    }
    for (Operation &insert : op.getTerminator().getYieldingOps())
      runOperation(&insert, values, depth);
    any = false;
    for (size_t d = index.size(); d-- > 0;) {
      if (index[d] + step[d] < upper[d]) {
        index[d] += step[d];
        any = true;
        break;
      }
      index[d] = lower[d];
    }
  }
  for (auto [result, out] : llvm::zip_equal(op.getResults(), outs))
    values.set(result, out);
  for (Value argument : op.getRegionOutArgs())
    values.forget(argument);
}

void Interpreter::runIf(scf::IfOp op, RunValues &values, int depth) {
  bool taken = values.scalar(op.getCondition()).i != 0;
  Region &region = taken ? op.getThenRegion() : op.getElseRegion();
  if (region.empty())
    return;
  std::vector<RunValue> results = runBlock(region.front(), values, depth);
  for (auto [result, value] : llvm::zip_equal(op.getResults(), results))
    values.set(result, std::move(value));
}

void Interpreter::runCall(func::CallOp op, RunValues &values, int depth) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      op, op.getCalleeAttr());
  if ((!callee || callee.isExternal()) && options.callMissing)
    return runMissingCall(op, values);
  if (!callee || callee.isExternal())
    unknown(op, "@" + op.getCallee().str() + " has no body");
  if (depth >= maxCallDepth)
    unknown(op, "calls are nested more than " + std::to_string(maxCallDepth) +
                    " deep");
  std::vector<RunValue> arguments;
  for (Value operand : op.getOperands())
    arguments.push_back(values.get(operand));
  if (options.carryErrors)
    for (auto [operand, argument] :
         llvm::zip_equal(op.getOperands(), callee.getArguments()))
      errors[argument] = errorOf(operand);
  func::CallOp outer = std::exchange(innermostCall, op);
  std::vector<RunValue> results =
      runFunction(callee, std::move(arguments), depth + 1);
  innermostCall = outer;
  if (options.carryErrors)
    for (auto [result, returned] : llvm::zip_equal(
             op.getResults(), callee.front().getTerminator()->getOperands()))
      errors[result] = errorOf(returned);
  for (auto [result, value] : llvm::zip_equal(op.getResults(), results))
    values.set(result, std::move(value));
}

void Interpreter::runMissingCall(func::CallOp op, RunValues &values) {
  std::vector<TensorRef> arguments;
  for (Value operand : op.getOperands()) {
    if (!isa<RankedTensorType>(operand.getType()))
      unknown(op, "@" + op.getCallee().str() + " takes what is no tensor");
    arguments.push_back(values.tensor(operand));
  }
  std::vector<TensorRef> results = options.callMissing(op, arguments);
  if (results.size() != op.getNumResults())
    unknown(op, "@" + op.getCallee().str() + " gave " +
                    std::to_string(results.size()) + " results");
  // Others may hold on to them, so none is ever written.
  for (auto [result, tensor] : llvm::zip_equal(op.getResults(), results))
    values.set(result, std::const_pointer_cast<HostTensor>(tensor));
}

void Interpreter::runOperation(Operation *op, RunValues &values, int depth) {
  try {
    if (isa_and_nonnull<tw::TensorDialect>(op->getDialect()))
      return runTensorOperator(op, values, depth);
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return runFor(loop, values, depth);
    if (auto loop = dyn_cast<scf::ForallOp>(op))
      return runForall(loop, values, depth);
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return runIf(branch, values, depth);
    if (auto call = dyn_cast<func::CallOp>(op))
      return runCall(call, values, depth);
    if (runLinalg(op, values) || runUpstream(op, values))
      return;
  } catch (RunError &error) {
    if (error.diagnostic.key.empty())
      error.diagnostic.key = primaryKey(op).str();
    throw;
  }
  unknown(op);
}

std::vector<RunValue> Interpreter::runFunction(func::FuncOp function,
                                               std::vector<RunValue> arguments,
                                               int depth) {
  if (function.isExternal() || !function.getBody().hasOneBlock())
    unknown(function, "it must have one block");
  RunValues values(evaluateOptions);
  for (auto [argument, value] :
       llvm::zip_equal(function.getArguments(), arguments))
    values.set(argument, std::move(value));
  arguments.clear();
  Block &body = function.getBody().front();
  std::vector<RunValue> results = runBlock(body, values, depth);
  if (depth == 0)
    for (Value operand : body.getTerminator()->getOperands()) {
      resultBounds.push_back(bounds.lookup(operand));
      if (AllowedError error = errors.lookup(operand); error.known)
        resultBounds.back().allowed = error.tensor;
    }
  return results;
}

static std::string typeText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

static void checkInputs(func::FuncOp function,
                        const std::vector<TensorRef> &inputs) {
  auto fail = [&](const std::string &what) {
    throw RunError("TW0515", "@" + function.getName().str() + ": " + what, "",
                   "give one tensor for each argument");
  };
  ArrayRef<Type> types = function.getArgumentTypes();
  if (types.size() != inputs.size())
    fail(std::to_string(inputs.size()) + " inputs for " +
         std::to_string(types.size()) + " arguments");
  for (auto [i, type] : llvm::enumerate(types)) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    bool fits =
        tensor && inputs[i] &&
        elementOfType(tensor.getElementType()) == inputs[i]->element() &&
        tensor.getRank() == inputs[i]->rank();
    for (int64_t d = 0; fits && d < tensor.getRank(); ++d)
      fits = tensor.isDynamicDim(d) ||
             tensor.getDimSize(d) == inputs[i]->shape()[d];
    if (!fits)
      fail("argument " + std::to_string(i) + " is " + typeText(type) +
           ", the input " + (inputs[i] ? inputs[i]->typeText() : "none"));
  }
}

std::optional<TensorRun> interpretTensorGraph(
    func::FuncOp function, const std::vector<TensorRef> &inputs,
    const TensorRunOptions &options, model::Diagnostic &error) {
  TensorRun run;
  auto work = [&] {
    checkInputs(function, inputs);
    std::vector<RunValue> arguments;
    // `inputs` holds on to each, so none of them is ever written.
    for (const TensorRef &input : inputs)
      arguments.push_back(std::const_pointer_cast<HostTensor>(input));
    Interpreter interpreter(options);
    for (RunValue &value :
         interpreter.runFunction(function, std::move(arguments), 0)) {
      auto *tensor = std::get_if<HeldTensor>(&value);
      if (!tensor)
        throw RunError("TW0510", "@" + function.getName().str() +
                                     " returns something that is no tensor");
      run.results.push_back(*tensor);
    }
    run.bounds = std::move(interpreter.resultBounds);
  };
  try {
    if (options.threads > 0) {
      tbb::task_arena arena(options.threads);
      arena.execute(work);
    } else {
      work();
    }
    return run;
  } catch (const RunError &failure) {
    error = failure.diagnostic;
  } catch (const std::bad_alloc &) {
    error = {};
    error.code = "TW0511";
    error.message = "@" + function.getName().str() + ": out of memory";
  }
  return std::nullopt;
}

} // namespace tilewright::execute
