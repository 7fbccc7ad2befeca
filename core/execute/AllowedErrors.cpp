//===- AllowedErrors.cpp - how far a result may be off --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/execute/AllowedErrors.h"
#include "core/execute/IterationViews.h"
#include "core/execute/OperatorFunctions.h"
#include "llvm/ADT/TypeSwitch.h"
#include <algorithm>
#include <cmath>
#include <limits>

using namespace mlir;
using tilewright::tw::IterationSpace;

namespace tilewright::execute {

namespace {

using Sizes = std::vector<int64_t>;

constexpr double epsilon = 0x1p-24;
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double smallestNormal = 0x1p-126; ///< of f32

/// Units in the last place of f32 that a function's approximation may be off.
constexpr double unitsOfFunctions = 8;

double unitsOf(Operation *op) {
  return isa<tw::ExpOp, tw::LogOp, tw::SqrtOp, tw::RsqrtOp, tw::TanhOp,
             tw::ErfOp, tw::SigmoidOp, tw::SiluOp, tw::GeluOp, tw::PowOp,
             tw::ReciprocalOp, tw::DivOp, tw::SoftmaxOp, tw::RmsNormOp,
             tw::LayerNormOp>(op)
             ? unitsOfFunctions
             : 1;
}

/// Rounding of `value` to `element`, on both sides.
double rounding(Element element, double value, double units) {
  if (!std::isfinite(value))
    return 0;
  if (element == Element::F16 || element == Element::BF16)
    return unitInLastPlace(element, value);
  return units * unitInLastPlace(Element::F32, value);
}

/// The difference of two results; not a number where one of them is.
double apart(double moved, double value) {
  if (moved == value || (std::isnan(moved) && std::isnan(value)))
    return 0;
  double difference = std::fabs(moved - value);
  return std::isnan(difference) ? infinity : difference;
}

using WithinFunction = double (*)(double x);

/// What f32 loses at x within an operator that is written out in others,
/// beside the rounding of its result: null where that is all.
WithinFunction writtenOut(Operation *op) {
  // Of erf its own units and the rounding of its argument, each next to 1.
  if (isa<tw::GeluOp>(op))
    return [](double x) {
      return x < 0 ? -x / 2 * (unitsOfFunctions + 1) * epsilon : 0.0;
    };
  // 1 / (1 + e^-x) is below the smallest normal number where it is lost.
  if (isa<tw::SigmoidOp>(op))
    return [](double x) { return x < 0 ? smallestNormal : 0.0; };
  if (isa<tw::SiluOp>(op))
    return [](double x) { return x < 0 ? -x * smallestNormal : 0.0; };
  return nullptr;
}

/// What mapped() makes of |x|, its error and a factor.
double errorOnly(double, double e, double) { return e; }
double magnitudeOnly(double x, double, double) { return x; }
double withError(double x, double e, double) { return x + e; }
double scaledWithError(double x, double e, double c) { return c * x + e; }

class Carrier {
public:
  Carrier(Operation *op, ArrayRef<TensorRef> operands,
          ArrayRef<AllowedError> errors, const HostTensor &result,
          const EvaluateOptions &options)
      : op(op), operands(operands), errors(errors), result(result),
        options(options) {}

  AllowedError run() {
    if (!isFloat(result.element()))
      return allExact() ? AllowedError::exact() : AllowedError();
    return llvm::TypeSwitch<Operation *, AllowedError>(op)
        .Case([&](tw::MatmulOp) { return matmul(); })
        .Case([&](tw::ReduceOp reduce) { return reduced(reduce); })
        .Case([&](tw::SoftmaxOp softmax) {
          return rows(softmax.getNormalizedAxis(), &Carrier::softmaxRow);
        })
        .Case([&](tw::RmsNormOp) {
          return rows(result.rank() - 1, &Carrier::rmsNormRow);
        })
        .Case([&](tw::LayerNormOp) {
          return rows(result.rank() - 1, &Carrier::layerNormRow);
        })
        .Case<tw::TransposeOp, tw::ReshapeOp, tw::SliceOp, tw::InsertOp,
              tw::ConcatOp>([&](Operation *) { return moved(); })
        .Case([&](tw::FullOp) { return AllowedError::exact(); })
        .Case([&](tw::CastOp) { return cast(); })
        .Case([&](tw::SelectOp) { return selected(); })
        .Default([&](Operation *) { return elementwise(); });
  }

private:
  bool allExact() const {
    return llvm::all_of(errors, [](const AllowedError &error) {
      return error.known && !error.tensor;
    });
  }

  static AllowedError known(HostTensor tensor) {
    return {true, std::make_shared<HostTensor>(std::move(tensor))};
  }

  HostTensor emptyResult() { return makeTensor(Element::F64, result.shape()); }

  /// The errors of an operand as a tensor of its shape.
  TensorRef errorsOf(unsigned i) {
    if (errors[i].tensor)
      return errors[i].tensor;
    return std::make_shared<HostTensor>(
        makeTensor(Element::F64, operands[i]->shape()));
  }

  /// Adds the rounding of the result to what is there.
  void addRounding(HostTensor &allowed) {
    HostTensor carried = std::move(allowed);
    allowed = emptyResult();
    double units = unitsOf(op);
    fillBlocks(allowed, options, [&](int64_t begin, std::span<double> out) {
      std::vector<double> value(out.size());
      result.read(begin, value);
      carried.read(begin, out);
      for (size_t i = 0; i < out.size(); ++i)
        out[i] +=
            rounding(result.element(), std::fabs(value[i]) + out[i], units);
    });
  }

  /// `make(|x|, error)` of each element of an operand.
  HostTensor mapped(unsigned i, double (*make)(double, double, double),
                    double factor) {
    HostTensor tensor = makeTensor(Element::F64, operands[i]->shape());
    fillBlocks(tensor, options, [&](int64_t begin, std::span<double> out) {
      std::vector<double> error(out.size(), 0.0);
      operands[i]->read(begin, out);
      if (errors[i].tensor)
        errors[i].tensor->read(begin, error);
      for (size_t e = 0; e < out.size(); ++e)
        out[e] = make(std::fabs(out[e]), error[e], factor);
    });
    return tensor;
  }

  AllowedError matmul() {
    IterationSpace space = tw::iterationSpace(op);
    double depth = double(iterationSizes(op, space, operands, {}).back());
    double factor = 4 * epsilon * std::sqrt(depth);
    HostTensor left = mapped(0, scaledWithError, factor);
    HostTensor right = mapped(1, withError, 0);
    const HostTensor *acc =
        operands.size() > 2 ? errors[2].tensor.get() : nullptr;
    HostTensor allowed = multiplyAs(op, operands, left, right, acc,
                                    Element::F64, false, options);
    if (errors[1].tensor) {
      HostTensor magnitudes = mapped(0, magnitudeOnly, 0);
      allowed = multiplyAs(op, operands, magnitudes, *errors[1].tensor,
                           &allowed, Element::F64, false, options);
    }
    double underflow = matmulUnderflow(op, operands);
    for (double &value : allowed.as<double>())
      value += underflow;
    // The sum starts with the accumulator, which is added in f32 as well.
    addRounding(allowed);
    return known(std::move(allowed));
  }

  AllowedError reduced(tw::ReduceOp reduce) {
    SmallVector<int64_t> axes = reduce.getNormalizedAxes();
    tw::ReduceKind kind = reduce.getKind();
    if (kind == tw::ReduceKind::Prod)
      return product(axes);
    bool sums = kind == tw::ReduceKind::Sum || kind == tw::ReduceKind::Mean;
    if (!sums && allExact())
      return AllowedError::exact();
    double count = 1;
    for (int64_t axis : axes)
      count *= double(operands[0]->shape()[axis]);
    double factor = 4 * epsilon * std::sqrt(count);
    HostTensor parts =
        sums ? mapped(0, scaledWithError, factor) : mapped(0, errorOnly, 0);
    HostTensor allowed =
        evaluateReduce(sums ? kind : tw::ReduceKind::Max, axes, result.shape(),
                       Element::F64, parts, options);
    addRounding(allowed);
    return known(std::move(allowed));
  }

  AllowedError product(ArrayRef<int64_t> axes) {
    if (result.elements() == 0)
      return AllowedError::exact();
    double count = 1;
    for (int64_t axis : axes)
      count *= double(operands[0]->shape()[axis]);
    auto productOf = [&](double (*make)(double, double, double)) {
      return evaluateReduce(tw::ReduceKind::Prod, axes, result.shape(),
                            Element::F64, mapped(0, make, 0), options);
    };
    HostTensor exact = productOf(magnitudeOnly);
    HostTensor most = productOf(withError);
    // A product flushed to zero on the way would have been multiplied by these.
    HostTensor growth = productOf(
        [](double x, double e, double) { return std::max(1.0, x + e); });
    HostTensor allowed = emptyResult();
    auto out = allowed.as<double>();
    for (size_t i = 0; i < out.size(); ++i) {
      double largest = most.as<double>()[i];
      out[i] = largest - exact.as<double>()[i] + count * epsilon * largest +
               smallestNormal * growth.as<double>()[i];
    }
    addRounding(allowed);
    return known(std::move(allowed));
  }

  AllowedError moved() {
    if (allExact())
      return AllowedError::exact();
    SmallVector<TensorRef> parts;
    for (unsigned i = 0; i < operands.size(); ++i)
      parts.push_back(operands[i] ? errorsOf(i) : nullptr);
    return known(evaluateOperator(op, parts, {}, options));
  }

  AllowedError cast() {
    bool widens = bytesOf(result.element()) >= bytesOf(operands[0]->element());
    if (widens && isFloat(operands[0]->element()))
      return errors[0];
    HostTensor allowed = emptyResult();
    if (errors[0].tensor)
      allowed = mapped(0, errorOnly, 0);
    addRounding(allowed);
    return known(std::move(allowed));
  }

  AllowedError selected() {
    if (errors[0].tensor)
      return {}; // the other value may be chosen
    if (allExact())
      return AllowedError::exact();
    SmallVector<TensorRef> parts = {operands[0], errorsOf(1), errorsOf(2)};
    HostTensor allowed = emptyResult();
    readOperands(parts, allowed, [](std::span<const double> x, const auto &) {
      return x[0] != 0 ? x[1] : x[2];
    });
    return known(std::move(allowed));
  }

  /// Fills `into` with `make` of each point's operands (and, where `errors`
  /// are given, of theirs).
  template <typename Make>
  void readOperands(ArrayRef<TensorRef> values, HostTensor &into, Make make,
                    bool withErrors = false) {
    IterationSpace space = tw::iterationSpace(op);
    Sizes shape = result.shape();
    size_t count = values.size();
    SmallVector<StridedView, 3> views;
    for (size_t i = 0; i < count; ++i)
      views.push_back(
          broadcastView(*values[i], space.operands[i], shape.size()));
    fillBlocks(into, options, [&](int64_t begin, std::span<double> out) {
      std::vector<std::vector<double>> x(count), e(count);
      for (size_t i = 0; i < count; ++i) {
        x[i].resize(out.size());
        e[i].resize(out.size());
        readStrided(shape, *values[i], views[i], begin, x[i]);
        if (withErrors && errors[i].tensor)
          readStrided(shape, *errors[i].tensor, views[i], begin, e[i]);
      }
      std::array<double, 3> point{}, off{};
      for (size_t at = 0; at < out.size(); ++at) {
        for (size_t i = 0; i < count; ++i) {
          point[i] = x[i][at];
          off[i] = e[i][at];
        }
        out[at] = make(std::span<const double>(point.data(), count), off);
      }
    });
  }

  AllowedError elementwise() {
    HostTensor allowed = emptyResult();
    if (UnaryFunction function = unaryFunction(op)) {
      WithinFunction within = writtenOut(op);
      readOperands(
          operands, allowed,
          [function, within](std::span<const double> x, const auto &off) {
            double inner = within ? within(x[0] - off[0]) : 0;
            if (off[0] == 0)
              return inner;
            double value = function(x[0]);
            return inner + std::max(apart(function(x[0] - off[0]), value),
                                    apart(function(x[0] + off[0]), value));
          },
          true);
    } else if (BinaryFunction function = binaryFunction(op)) {
      bool divides = isa<tw::DivOp>(op);
      readOperands(
          operands, allowed,
          [function, divides](std::span<const double> x, const auto &off) {
            if (off[0] == 0 && off[1] == 0)
              return 0.0;
            if (divides && std::fabs(x[1]) <= off[1])
              return infinity;
            double value = function(x[0], x[1]), most = 0;
            for (double s : {-off[0], off[0]})
              for (double t : {-off[1], off[1]})
                most =
                    std::max(most, apart(function(x[0] + s, x[1] + t), value));
            return most;
          },
          true);
    } else {
      return {};
    }
    addRounding(allowed);
    return known(std::move(allowed));
  }

  //===--------------------------------------------------------------------===//
  // Rows
  //===--------------------------------------------------------------------===//

  /// One row: its values, its errors, the result; errors of the result go over
  /// those of the row.
  struct Row {
    std::span<const double> x, y;
    std::span<double> e;
  };

  AllowedError rows(int64_t axis, void (Carrier::*row)(Row)) {
    HostTensor allowed = emptyResult();
    int64_t length = result.shape()[axis];
    if (result.elements() > 0) {
      int64_t stride = rowMajorStrides(result.shape())[axis];
      TensorRef off = errorsOf(0);
      std::vector<double> x(static_cast<size_t>(length)), y = x, e = x;
      for (int64_t r = 0; r < result.elements() / length; ++r) {
        throwIfCancelled(options);
        StridedView line{r / stride * stride * length + r % stride, {stride}};
        readStrided(Sizes{length}, *operands[0], line, 0, x);
        readStrided(Sizes{length}, *off, line, 0, e);
        readStrided(Sizes{length}, result, line, 0, y);
        (this->*row)({x, y, e});
        for (int64_t i = 0; i < length; ++i)
          allowed.set(line.offset + i * stride, e[size_t(i)]);
      }
    }
    addRounding(allowed);
    return known(std::move(allowed));
  }

  /// p = exp(x - max) / sum: dp_i = p_i (dx_i - sum_j p_j dx_j). The sum is
  /// rounded like any, and exp sees x - max rounded.
  void softmaxRow(Row row) {
    double largest = -infinity, mean = 0;
    for (double x : row.x)
      largest = std::max(largest, x);
    double sumError = 4 * epsilon * std::sqrt(double(row.x.size()));
    for (size_t i = 0; i < row.x.size(); ++i) {
      row.e[i] += epsilon * std::fabs(row.x[i] - largest);
      mean += row.y[i] * row.e[i];
    }
    for (size_t i = 0; i < row.x.size(); ++i)
      row.e[i] = row.y[i] * (row.e[i] + mean + sumError);
  }

  std::vector<double> weights(unsigned i) {
    std::vector<double> values(size_t(operands[i]->elements()));
    operands[i]->read(0, values);
    return values;
  }

  /// z = x s with s = 1 / sqrt(mean(x^2) + epsilon):
  /// dz_i = s dx_i - z_i mean_j(z_j s dx_j); e becomes the error of z.
  static void normalise(std::span<const double> x, double s,
                        std::span<double> e) {
    double n = double(x.size()), mean = 0;
    for (size_t i = 0; i < x.size(); ++i)
      mean += std::fabs(x[i]) * s * s * e[i] / n;
    double sumError = 4 * epsilon * std::sqrt(n);
    for (size_t i = 0; i < x.size(); ++i)
      e[i] = s * e[i] + std::fabs(x[i]) * s * (mean + sumError);
  }

  /// The errors of z w (+ b) where e holds those of z.
  void scale(std::span<const double> z, std::span<double> e, bool bias) {
    if (weight.empty())
      weight = weights(1);
    std::vector<double> off(weight.size()), biasOff(weight.size());
    if (errors[1].tensor)
      errors[1].tensor->read(0, off);
    if (bias && errors[2].tensor)
      errors[2].tensor->read(0, biasOff);
    for (size_t i = 0; i < e.size(); ++i) {
      e[i] = std::fabs(weight[i]) * e[i] + (std::fabs(z[i]) + e[i]) * off[i] +
             biasOff[i];
      // The bias is added to a rounded product.
      if (bias)
        e[i] += epsilon * std::fabs(z[i] * weight[i]);
    }
  }

  void rmsNormRow(Row row) {
    double squares = 0, n = double(row.x.size());
    for (double x : row.x)
      squares += x * x;
    double s =
        1 /
        std::sqrt(squares / n +
                  llvm::cast<tw::RmsNormOp>(op).getEpsilon().convertToDouble());
    normalise(row.x, s, row.e);
    std::vector<double> z(row.x.begin(), row.x.end());
    for (double &value : z)
      value *= s;
    scale(z, row.e, false);
  }

  void layerNormRow(Row row) {
    double sum = 0, squares = 0, off = 0, magnitude = 0;
    double n = double(row.x.size());
    for (size_t i = 0; i < row.x.size(); ++i) {
      sum += row.x[i];
      off += row.e[i];
      magnitude += std::fabs(row.x[i]);
    }
    double mean = sum / n;
    // x - mean, which cancels where the row is nearly constant.
    double meanError = off / n + 4 * epsilon * std::sqrt(n) * magnitude / n;
    std::vector<double> z(row.x.begin(), row.x.end());
    for (size_t i = 0; i < z.size(); ++i) {
      z[i] -= mean;
      squares += z[i] * z[i];
      row.e[i] += meanError + epsilon * std::fabs(row.x[i]);
    }
    double s =
        1 / std::sqrt(
                squares / n +
                llvm::cast<tw::LayerNormOp>(op).getEpsilon().convertToDouble());
    normalise(z, s, row.e);
    for (double &value : z)
      value *= s;
    scale(z, row.e, true);
  }

  Operation *op;
  ArrayRef<TensorRef> operands;
  ArrayRef<AllowedError> errors;
  const HostTensor &result;
  const EvaluateOptions &options;
  std::vector<double> weight;
};

} // namespace

AllowedError allowedError(Operation *op, ArrayRef<TensorRef> operands,
                          ArrayRef<AllowedError> errors,
                          const HostTensor &result,
                          const EvaluateOptions &options) {
  for (const AllowedError &error : errors)
    if (!error.known)
      return {};
  return Carrier(op, operands, errors, result, options).run();
}

} // namespace tilewright::execute
