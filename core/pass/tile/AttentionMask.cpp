//===- AttentionMask.cpp - what the mask of an attention hides ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pass/tile/AttentionMask.h"
#include "core/execute/ConstantTensor.h"
#include "mlir/IR/Matchers.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace tilewright::pass {

using decision::KeyBand;

namespace {

/// Larger constants are not looked into.
constexpr int64_t maxElements = int64_t(1) << 26;
/// Operators between a mask and the scores.
constexpr unsigned maxDepth = 24;

tw::ComparePredicate opposite(tw::ComparePredicate predicate) {
  using P = tw::ComparePredicate;
  switch (predicate) {
  case P::Eq:
    return P::Ne;
  case P::Ne:
    return P::Eq;
  case P::Lt:
    return P::Ge;
  case P::Le:
    return P::Gt;
  case P::Gt:
    return P::Le;
  case P::Ge:
    return P::Lt;
  }
  llvm_unreachable("unknown predicate");
}

tw::ComparePredicate mirrored(tw::ComparePredicate predicate) {
  using P = tw::ComparePredicate;
  switch (predicate) {
  case P::Lt:
    return P::Gt;
  case P::Le:
    return P::Ge;
  case P::Gt:
    return P::Lt;
  case P::Ge:
    return P::Le;
  default:
    return predicate;
  }
}

class MaskReader {
public:
  MaskReader(int64_t rows, int64_t keys) : rows(rows), keys(keys) {}

  /// Where `value`, on the scores or beside them, may be other than -inf.
  KeyBand finite(Value value, unsigned depth = 0) {
    Operation *op = value.getDefiningOp();
    if (!op || depth > maxDepth)
      return {};
    auto operand = [&](unsigned i) {
      return finite(op->getOperand(i), depth + 1);
    };
    if (auto select = dyn_cast<tw::SelectOp>(op)) {
      KeyBand yes = seen(select.getCondition(), true, depth + 1);
      KeyBand no = seen(select.getCondition(), false, depth + 1);
      return hull(intersection(yes, finite(select.getOnTrue(), depth + 1)),
                  intersection(no, finite(select.getOnFalse(), depth + 1)));
    }
    // -inf stays what it is beside any number.
    if (isa<tw::AddOp, tw::MinimumOp>(op))
      return intersection(operand(0), operand(1));
    if (isa<tw::MaximumOp>(op))
      return hull(operand(0), operand(1));
    if (isa<tw::SubOp>(op) || isa<tw::CastOp>(op))
      return operand(0);
    if (isa<tw::MulOp>(op))
      return isPositive(op->getOperand(1))   ? operand(0)
             : isPositive(op->getOperand(0)) ? operand(1)
                                             : KeyBand();
    if (isa<tw::DivOp>(op))
      return isPositive(op->getOperand(1)) ? operand(0) : KeyBand();
    if (Value viewed = viewedMatrix(op))
      return finite(viewed, depth + 1);
    return whereConstant(value, [](double element) {
      return element != -std::numeric_limits<double>::infinity();
    });
  }

private:
  /// Where the condition may be `truth`.
  KeyBand seen(Value condition, bool truth, unsigned depth) {
    Operation *op = condition.getDefiningOp();
    if (!op || depth > maxDepth)
      return {};
    if (auto compare = dyn_cast<tw::CompareOp>(op))
      return compared(compare, truth);
    // How "and" and "or" are written.
    if (auto select = dyn_cast<tw::SelectOp>(op)) {
      KeyBand yes = seen(select.getCondition(), true, depth + 1);
      KeyBand no = seen(select.getCondition(), false, depth + 1);
      return hull(
          intersection(yes, seen(select.getOnTrue(), truth, depth + 1)),
          intersection(no, seen(select.getOnFalse(), truth, depth + 1)));
    }
    if (Value viewed = viewedMatrix(op))
      return seen(viewed, truth, depth + 1);
    return whereConstant(
        condition, [truth](double element) { return (element != 0) == truth; });
  }

  /// The operand of a reshape that adds or drops nothing but leading ones.
  static Value viewedMatrix(Operation *op) {
    auto reshape = dyn_cast<tw::ReshapeOp>(op);
    if (!reshape)
      return nullptr;
    auto tail = [](Value value) {
      return cast<RankedTensorType>(value.getType())
          .getShape()
          .drop_while([](int64_t size) { return size == 1; });
    };
    // A column and a row of as many elements would look alike.
    ArrayRef<int64_t> from = tail(reshape->getOperand(0)),
                      to = tail(reshape->getResult(0));
    return from == to && from.size() >= 2 ? reshape->getOperand(0) : Value();
  }

  static bool isPositive(Value value) {
    Operation *def = value.getDefiningOp();
    if (!def || roleOf(def) != OpRole::Fill)
      return false;
    std::optional<double> factor = fillValueOf(def);
    return factor && *factor > 0;
  }

  static std::optional<execute::HostTensor> constantOf(Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    ElementsAttr elements;
    if (!type.hasStaticShape() || type.getNumElements() > maxElements ||
        !matchPattern(value, m_Constant(&elements)))
      return std::nullopt;
    return execute::toHostTensor(elements);
  }

  /// The sizes a value has along the queries and along the keys.
  static std::pair<int64_t, int64_t> matrixOf(Value value) {
    ArrayRef<int64_t> shape =
        cast<RankedTensorType>(value.getType()).getShape();
    return {shape.size() > 1 ? shape[shape.size() - 2] : 1,
            shape.empty() ? 1 : shape.back()};
  }

  template <typename Holds> KeyBand whereConstant(Value value, Holds holds) {
    auto [height, width] = matrixOf(value);
    if (Operation *def = value.getDefiningOp();
        def && roleOf(def) == OpRole::Fill) {
      std::optional<double> element = fillValueOf(def);
      return element && !holds(*element) ? KeyBand::none() : KeyBand();
    }
    if ((height != 1 && height != rows) || width != keys)
      return {};
    std::optional<execute::HostTensor> tensor = constantOf(value);
    if (!tensor)
      return {};
    KeyBand band = KeyBand::none();
    std::vector<double> line(static_cast<size_t>(keys));
    for (int64_t at = 0; at < tensor->elements(); at += keys) {
      tensor->read(at, line);
      int64_t first = 0, last = keys - 1;
      while (first < keys && !holds(line[size_t(first)]))
        ++first;
      while (last >= first && !holds(line[size_t(last)]))
        --last;
      see(band, height == 1 ? -1 : at / keys % rows, first, last + 1);
    }
    return band;
  }

  /// Adds the keys [first, end) of `row`; -1: of every row.
  void see(KeyBand &band, int64_t row, int64_t first, int64_t end) {
    if (first >= end)
      return;
    band.from = std::min(band.from, first);
    band.to = std::max(band.to, end);
    if (row < 0) {
      band.rowFrom = -KeyBand::far;
      band.rowTo = KeyBand::far;
    } else {
      band.rowFrom = std::min(band.rowFrom, first - row);
      band.rowTo = std::max(band.rowTo, end - row);
    }
  }

  /// Positions along one dimension; empty if they are not constant.
  std::vector<double> positions(Value value, bool along) {
    auto [height, width] = matrixOf(value);
    int64_t count = along ? width : height, other = along ? height : width;
    auto type = cast<RankedTensorType>(value.getType());
    if (other != 1 || !type.hasStaticShape() ||
        type.getNumElements() != count ||
        (count != 1 && count != (along ? keys : rows)))
      return {};
    std::vector<double> read(static_cast<size_t>(count));
    if (Operation *def = value.getDefiningOp();
        def && roleOf(def) == OpRole::Fill) {
      std::optional<double> element = fillValueOf(def);
      if (!element)
        return {};
      std::fill(read.begin(), read.end(), *element);
    } else if (std::optional<execute::HostTensor> tensor = constantOf(value)) {
      tensor->read(0, read);
    } else if (auto reshape = value.getDefiningOp<tw::ReshapeOp>()) {
      // A vector stood upright.
      std::optional<execute::HostTensor> flat =
          constantOf(reshape->getOperand(0));
      if (!flat || flat->elements() != count)
        return {};
      flat->read(0, read);
    } else {
      return {};
    }
    for (double position : read)
      if (std::isnan(position))
        return {};
    return read;
  }

  KeyBand compared(tw::CompareOp op, bool truth) {
    tw::ComparePredicate predicate = op.getPredicate();
    std::vector<double> queries = positions(op.getLhs(), false);
    std::vector<double> keyed = positions(op.getRhs(), true);
    if (queries.empty() || keyed.empty()) {
      queries = positions(op.getRhs(), false);
      keyed = positions(op.getLhs(), true);
      predicate = mirrored(predicate);
    }
    if (queries.empty() || int64_t(keyed.size()) != keys)
      return {};
    if (!truth)
      predicate = opposite(predicate);
    using P = tw::ComparePredicate;
    switch (predicate) {
    case P::Eq:
      return intersection(atMost(queries, keyed, false, false),
                          atMost(queries, keyed, false, true));
    case P::Ne:
      return {};
    case P::Ge:
    case P::Gt: // key <= query, key < query
      return atMost(queries, keyed, predicate == P::Gt, false);
    case P::Le:
    case P::Lt:
      return atMost(queries, keyed, predicate == P::Lt, true);
    }
    llvm_unreachable("unknown predicate");
  }

  /// The keys whose position is at most the query's, or with `negated` at
  /// least; `strictly`: less, or more.
  KeyBand atMost(std::vector<double> queries, std::vector<double> keyed,
                 bool strictly, bool negated) {
    if (negated) {
      for (double &each : queries)
        each = -each;
      for (double &each : keyed)
        each = -each;
    }
    // The least from here on and up to here: both fall or rise only.
    std::vector<double> after = keyed, before = keyed;
    for (size_t c = after.size() - 1; c-- > 0;)
      after[c] = std::min(after[c], after[c + 1]);
    for (size_t c = 1; c < before.size(); ++c)
      before[c] = std::min(before[c], before[c - 1]);
    KeyBand band = KeyBand::none();
    for (size_t r = 0; r < queries.size(); ++r) {
      auto sees = [&](double key) {
        return strictly ? key < queries[r] : key <= queries[r];
      };
      auto end = llvm::partition_point(after, sees);
      auto first =
          llvm::partition_point(before, [&](double key) { return !sees(key); });
      see(band, queries.size() == 1 && rows != 1 ? -1 : int64_t(r),
          first - before.begin(), end - after.begin());
    }
    return band;
  }

  int64_t rows, keys;
};

} // namespace

std::optional<KeyBand> visibleKeys(Attention &attention) {
  ArrayRef<int64_t> shape = attention.scores.getType().getShape();
  int64_t rows = shape[shape.size() - 2], keys = shape.back();
  if (ShapedType::isDynamic(rows) || ShapedType::isDynamic(keys) || !rows ||
      !keys)
    return std::nullopt;
  KeyBand band = MaskReader(rows, keys).finite(attention.x);
  // One query a head: heads may become the rows of one product.
  if (rows == 1) {
    band.from = std::max(band.from, band.rowFrom);
    band.to = std::min(band.to, band.rowTo);
    band.rowFrom = -KeyBand::far;
    band.rowTo = KeyBand::far;
  }
  // What bounds no query is no bound.
  if (band.from <= 0)
    band.from = -KeyBand::far;
  if (band.to >= keys)
    band.to = KeyBand::far;
  if (band.rowFrom + rows - 1 <= 0)
    band.rowFrom = -KeyBand::far;
  if (band.rowTo >= std::min(keys, band.to))
    band.rowTo = KeyBand::far;
  // Nor is what the other bound implies.
  if (band.rowTo + rows - 1 <= band.to)
    band.to = KeyBand::far;
  if (band.rowFrom + rows - 1 <= band.from)
    band.rowFrom = -KeyBand::far;
  if (band.rowFrom >= band.from)
    band.from = -KeyBand::far;
  if (band == KeyBand())
    return std::nullopt;
  return band;
}

DictionaryAttr toAttribute(const KeyBand &band, MLIRContext *context) {
  Builder builder(context);
  NamedAttrList fields;
  auto add = [&](StringRef name, int64_t value, int64_t unbounded) {
    if (value != unbounded)
      fields.set(name, builder.getI64IntegerAttr(value));
  };
  add("from", band.from, -KeyBand::far);
  add("to", band.to, KeyBand::far);
  add("row_from", band.rowFrom, -KeyBand::far);
  add("row_to", band.rowTo, KeyBand::far);
  return fields.getDictionary(context);
}

std::optional<KeyBand> visibleKeysOf(func::FuncOp scope) {
  auto fields = scope->getAttrOfType<DictionaryAttr>(visibleKeysAttrName);
  if (!fields)
    return std::nullopt;
  KeyBand band;
  auto read = [&](StringRef name, int64_t &into) {
    if (auto value = fields.getAs<IntegerAttr>(name))
      into = value.getInt();
  };
  read("from", band.from);
  read("to", band.to);
  read("row_from", band.rowFrom);
  read("row_to", band.rowTo);
  return band;
}

} // namespace tilewright::pass
