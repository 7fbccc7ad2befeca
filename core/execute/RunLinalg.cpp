//===- RunLinalg.cpp - linalg operations ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Contractions go to the double matmul; everything else is its region, decoded
// once and run for each point. Outputs are summed in double and rounded at the
// end.
//
//===----------------------------------------------------------------------===//
#include "core/dialect/Key.h"
#include "core/execute/RunError.h"
#include "core/execute/RunValues.h"
#include "core/execute/ScalarDecoder.h"
#include "core/execute/StridedCopy.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include <cstring>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

using namespace mlir;
using mlir::utils::IteratorType;

namespace tilewright::execute {

using Sizes = std::vector<int64_t>;

[[noreturn]] static void fail(Operation *op, const char *code,
                              const std::string &what) {
  throw RunError(code, "'" + op->getName().getStringRef().str() + "': " + what,
                 primaryKey(op).str());
}

/// An affine expression of loop indices as factors and an offset; false if it
/// divides.
static bool linearize(AffineExpr expr, int64_t factor, Sizes &factors,
                      int64_t &offset) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    offset += factor * constant.getValue();
    return true;
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    factors[dim.getPosition()] += factor;
    return true;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return false;
  if (expr.getKind() == AffineExprKind::Add)
    return linearize(binary.getLHS(), factor, factors, offset) &&
           linearize(binary.getRHS(), factor, factors, offset);
  auto by = dyn_cast<AffineConstantExpr>(binary.getRHS());
  return expr.getKind() == AffineExprKind::Mul && by &&
         linearize(binary.getLHS(), factor * by.getValue(), factors, offset);
}

/// Where the loops read or write one operand, in elements.
static StridedView loopView(linalg::LinalgOp op, OpOperand &operand,
                            const Sizes &shape) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  Sizes strides = rowMajorStrides(shape);
  StridedView view{0, Sizes(map.getNumDims(), 0)};
  for (auto [d, expr] : llvm::enumerate(map.getResults()))
    if (!linearize(expr, strides[d], view.strides, view.offset))
      fail(op, "TW0510", "indexing maps that divide are not interpreted");
  return view;
}

/// Calls `visit` with each tensor operand, its sizes and its indexing map.
template <typename Visit>
static void eachTensor(linalg::LinalgOp op, RunValues &values, Visit visit) {
  for (OpOperand &operand : op->getOpOperands())
    if (isa<RankedTensorType>(operand.get().getType()))
      visit(operand, values.tensor(operand.get())->shape(),
            op.getMatchingIndexingMap(&operand));
}

/// Sizes of the loops; every operand must be large enough for them.
static Sizes loopSizes(linalg::LinalgOp op, RunValues &values) {
  Sizes loops(op.getNumLoops(), -1);
  eachTensor(
      op, values, [&](OpOperand &operand, const Sizes &shape, AffineMap map) {
        for (auto [d, expr] : llvm::enumerate(map.getResults())) {
          auto dim = dyn_cast<AffineDimExpr>(expr);
          if (!dim)
            continue;
          int64_t &size = loops[dim.getPosition()];
          if (size >= 0 && size != shape[d])
            fail(op, "TW0516",
                 "operand " + std::to_string(operand.getOperandNumber()) +
                     " has " + std::to_string(shape[d]) + " in dimension " +
                     std::to_string(d) + ", others " + std::to_string(size));
          size = shape[d];
        }
      });
  for (int64_t size : loops)
    if (size < 0)
      fail(op, "TW0510", "a loop whose size no operand tells");
  eachTensor(
      op, values, [&](OpOperand &operand, const Sizes &shape, AffineMap map) {
        for (auto [d, expr] : llvm::enumerate(map.getResults())) {
          Sizes factors(loops.size(), 0);
          int64_t low = 0;
          if (!linearize(expr, 1, factors, low))
            fail(op, "TW0510", "indexing maps that divide are not interpreted");
          int64_t high = low;
          for (size_t l = 0; l < loops.size(); ++l)
            (factors[l] > 0 ? high : low) +=
                factors[l] * std::max<int64_t>(loops[l] - 1, 0);
          if (elementCount(loops) != 0 && (low < 0 || high >= shape[d]))
            fail(op, "TW0516",
                 "the loops reach from " + std::to_string(low) + " to " +
                     std::to_string(high) + " of " + std::to_string(shape[d]) +
                     " in dimension " + std::to_string(d) + " of operand " +
                     std::to_string(operand.getOperandNumber()));
        }
      });
  return loops;
}

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

static bool runContraction(linalg::LinalgOp op, RunValues &values) {
  if (!linalg::isaContractionOpInterface(op) || op->getNumResults() != 1)
    return false;
  auto dims = linalg::inferContractionDims(op);
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (failed(dims) || dims->m.size() > 1 || dims->n.size() > 1 ||
      dims->k.size() != 1 || !isa<FloatType>(type.getElementType()))
    return false;
  // The result must lie as batches, m, n.
  SmallVector<unsigned> order(dims->batch.begin(), dims->batch.end());
  order.append(dims->m.begin(), dims->m.end());
  order.append(dims->n.begin(), dims->n.end());
  OpOperand *init = op.getDpsInitOperand(0);
  AffineMap outMap = op.getMatchingIndexingMap(init);
  for (auto [d, expr] : llvm::enumerate(outMap.getResults()))
    if (!isa<AffineDimExpr>(expr) ||
        cast<AffineDimExpr>(expr).getPosition() != order[d])
      return false;
  Sizes loops = loopSizes(op, values);
  HeldTensor operands[2];
  StridedView views[2];
  for (int i = 0; i < 2; ++i) {
    operands[i] = values.tensor(op->getOperand(i));
    views[i] = loopView(op, op->getOpOperand(i), operands[i]->shape());
  }
  BatchedMatmul shape;
  for (unsigned d : dims->batch) {
    shape.batch.push_back(loops[d]);
    shape.lhsBatchStrides.push_back(views[0].strides[d]);
    shape.rhsBatchStrides.push_back(views[1].strides[d]);
  }
  auto pick = [](ArrayRef<unsigned> dims, const Sizes &from, int64_t none) {
    return dims.empty() ? none : from[dims.front()];
  };
  shape.m = pick(dims->m, loops, 1);
  shape.n = pick(dims->n, loops, 1);
  shape.k = loops[dims->k.front()];
  shape.lhsRow = pick(dims->m, views[0].strides, 0);
  shape.lhsColumn = views[0].strides[dims->k.front()];
  shape.rhsRow = views[1].strides[dims->k.front()];
  shape.rhsColumn = pick(dims->n, views[1].strides, 0);
  const HeldTensor &acc = values.tensor(init->get());
  HostTensor result =
      evaluateMatmul(shape, *operands[0], *operands[1], acc.get(),
                     acc->element(), false, values.options);
  result.reshape(acc->shape());
  values.setTensor(op->getResult(0), std::move(result));
  return true;
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

namespace {

/// A region as scalar code: registers 0.. are the block arguments.
struct RegionCode {
  std::vector<ScalarInstruction> code;
  std::vector<std::pair<int, int64_t>> indices; ///< register, loop
  std::vector<Scalar> start;                    ///< initial registers
  std::vector<int> yields;
};

RegionCode decodeRegion(linalg::LinalgOp op, RunValues &values) {
  Block *body = op.getBlock();
  RegionCode region;
  llvm::DenseMap<Value, int> registers;
  auto registerOf = [&](Value value) {
    auto [it, isNew] = registers.try_emplace(value, int(region.start.size()));
    if (isNew) // from outside the region
      region.start.push_back(values.has(value) ? values.scalar(value)
                                               : Scalar());
    return it->second;
  };
  for (BlockArgument argument : body->getArguments())
    registerOf(argument);
  for (Operation &inner : body->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      region.indices.push_back({registerOf(index), int64_t(index.getDim())});
      continue;
    }
    auto code = decodeScalar(&inner);
    if (!code)
      fail(&inner, "TW0510", "is not known inside a linalg region");
    for (auto [i, operand] : llvm::enumerate(inner.getOperands()))
      code->operands[i] = registerOf(operand);
    code->dest = registerOf(inner.getResult(0));
    // Sums stay in double; only a conversion that is written down rounds.
    if (isFloat(code->type) && code->op != ScalarOp::FloatToFloat)
      code->type = Element::F64;
    region.code.push_back(*code);
  }
  for (Value operand : body->getTerminator()->getOperands())
    region.yields.push_back(registerOf(operand));
  return region;
}

Scalar load(const HostTensor &tensor, int64_t at) {
  Scalar scalar;
  if (isFloat(tensor.element()))
    scalar.f = tensor.at(at);
  else if (tensor.element() == Element::I64)
    scalar.i = tensor.as<int64_t>()[at];
  else
    scalar.i = int64_t(tensor.at(at));
  return scalar;
}

} // namespace

static void runRegion(linalg::LinalgOp op, RunValues &values) {
  Sizes loops = loopSizes(op, values);
  RegionCode region = decodeRegion(op, values);
  struct Port {
    HeldTensor tensor;
    StridedView view;
    Scalar fixed;
  };
  std::vector<Port> ports;
  int64_t inputs = op.getNumDpsInputs();
  for (OpOperand &operand : op->getOpOperands()) {
    Port port;
    if (!isa<RankedTensorType>(operand.get().getType())) {
      port.fixed = values.scalar(operand.get());
    } else {
      port.tensor = values.tensor(operand.get());
      port.view = loopView(op, operand, port.tensor->shape());
      if (int64_t(operand.getOperandNumber()) >= inputs) {
        // Written, and floats summed in double.
        Element element = isFloat(port.tensor->element())
                              ? Element::F64
                              : port.tensor->element();
        HostTensor sums = makeTensor(element, port.tensor->shape());
        if (element == port.tensor->element())
          std::memcpy(sums.data(), port.tensor->data(),
                      size_t(sums.byteSize()));
        else
          fillBlocks(sums, values.options,
                     [&](int64_t begin, std::span<double> out) {
                       port.tensor->read(begin, out);
                     });
        port.tensor = std::make_shared<HostTensor>(std::move(sums));
      }
    }
    ports.push_back(std::move(port));
  }

  auto run = [&](int64_t first, int64_t begin, int64_t end) {
    // Loop `first` over [begin, end), the others over all; -1: no loops.
    std::vector<Scalar> registers = region.start;
    Sizes low(loops.size(), 0), high = loops, index;
    if (first >= 0) {
      low[first] = begin;
      high[first] = end;
    }
    for (size_t d = 0; d < loops.size(); ++d)
      if (low[d] >= high[d])
        return;
    index = low;
    std::vector<int64_t> at(ports.size(), 0);
    auto locate = [&] {
      for (size_t p = 0; p < ports.size(); ++p) {
        if (!ports[p].tensor)
          continue;
        at[p] = ports[p].view.offset;
        for (size_t d = 0; d < loops.size(); ++d)
          at[p] += index[d] * ports[p].view.strides[d];
      }
    };
    locate();
    for (int64_t steps = 0;; ++steps) {
      if (steps % 65536 == 0)
        throwIfCancelled(values.options);
      for (size_t p = 0; p < ports.size(); ++p)
        registers[p] =
            ports[p].tensor ? load(*ports[p].tensor, at[p]) : ports[p].fixed;
      for (auto [dest, loop] : region.indices)
        registers[dest].i = index[loop];
      for (const ScalarInstruction &instruction : region.code)
        evaluate(instruction, registers.data());
      for (size_t y = 0; y < region.yields.size(); ++y) {
        Port &port = ports[inputs + y];
        const Scalar &value = registers[region.yields[y]];
        if (port.tensor->element() == Element::I64)
          port.tensor->as<int64_t>()[at[inputs + y]] = value.i;
        else
          port.tensor->set(at[inputs + y], isFloat(port.tensor->element())
                                               ? value.f
                                               : double(value.i));
      }
      size_t d = loops.size();
      while (d-- > 0) {
        if (++index[d] < high[d]) {
          for (size_t p = 0; p < ports.size(); ++p)
            if (ports[p].tensor)
              at[p] += ports[p].view.strides[d];
          break;
        }
        index[d] = low[d];
        if (d == 0)
          return;
        for (size_t p = 0; p < ports.size(); ++p)
          if (ports[p].tensor)
            at[p] -= (high[d] - low[d] - 1) * ports[p].view.strides[d];
      }
      if (loops.empty())
        return;
    }
  };

  // The outermost parallel loop that every output moves along is cut up.
  int64_t cut = -1;
  SmallVector<IteratorType> iterators = op.getIteratorTypesArray();
  for (size_t d = 0; d < loops.size() && cut < 0; ++d) {
    bool moves = iterators[d] == IteratorType::parallel;
    for (size_t p = inputs; p < ports.size(); ++p)
      moves = moves &&
              op.getMatchingIndexingMap(&op->getOpOperand(p))
                  .isProjectedPermutation() &&
              ports[p].view.strides[d] != 0;
    if (moves)
      cut = int64_t(d);
  }
  if (cut < 0)
    run(-1, 0, 0);
  else
    tbb::parallel_for(tbb::blocked_range<int64_t>(0, loops[cut]),
                      [&](const tbb::blocked_range<int64_t> &range) {
                        run(cut, range.begin(), range.end());
                      });

  for (auto [y, result] : llvm::enumerate(op->getResults())) {
    HeldTensor &sums = ports[inputs + y].tensor;
    Element element = elementOfType(
        cast<RankedTensorType>(result.getType()).getElementType());
    if (element == sums->element()) {
      values.set(result, sums);
      continue;
    }
    HostTensor rounded = makeTensor(element, sums->shape());
    fillBlocks(
        rounded, values.options,
        [&](int64_t begin, std::span<double> out) { sums->read(begin, out); });
    values.setTensor(result, std::move(rounded));
  }
}

bool runLinalg(Operation *op, RunValues &values) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp)
    return false;
  if (!linalgOp.hasPureTensorSemantics())
    fail(op, "TW0510", "only tensors are interpreted here, not buffers");
  if (!runContraction(linalgOp, values))
    runRegion(linalgOp, values);
  return true;
}

} // namespace tilewright::execute
