//===- CoreChoice.cpp - which kind of core computes what ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pass/tile/CoreChoice.h"
#include "core/dialect/Key.h"
#include "core/dialect/Tensor/TensorDialect.h"
#include "mlir/IR/Builders.h"
#include <cstdio>

using namespace mlir;

namespace tilewright::pass {

static std::string timeText(double seconds) {
  char text[48];
  std::snprintf(text, sizeof text, seconds < 1e-3 ? "%.1f us" : "%.2f ms",
                seconds * (seconds < 1e-3 ? 1e6 : 1e3));
  return text;
}

static std::string nameOf(Operation *op) {
  StringRef key = primaryKey(op);
  return key.empty() ? op->getName().stripDialect().str() : key.str();
}

static std::string noOtherUnit(const std::string &core) {
  return core + " cores multiply matrices; besides they convert what a matmul "
                "makes as they store it, nothing else";
}

bool isStoredCast(Operation *op, const target::Target &target,
                  std::string *why) {
  auto refuse = [&](std::string reason) {
    if (why)
      *why = std::move(reason);
    return false;
  };
  auto cast = dyn_cast<tw::CastOp>(op);
  auto matmul = cast ? cast.getInput().getDefiningOp<tw::MatmulOp>() : nullptr;
  const target::Placement *placement = target.placement("matmul");
  std::string core = placement ? placement->core : "";
  if (!matmul)
    return refuse(noOtherUnit(core));
  if (!placement || placement->result.empty() ||
      target.isCache(placement->result.front().level) ||
      !target.move(placement->result.front().level,
                   target::Target::globalMemory))
    return refuse("the store of " + core + " cores converts nothing");
  Type from = getElementTypeOrSelf(cast.getInput().getType()),
       to = getElementTypeOrSelf(cast.getResult().getType());
  if (!from.isF32() || !(to.isF16() || to.isBF16()))
    return refuse("the store of " + core +
                  " cores converts f32 to f16 and bf16 only");
  if (!matmul->hasOneUse())
    return refuse(nameOf(matmul) +
                  " is also read elsewhere, so that it is stored anyway");
  return true;
}

CoreChoice::CoreChoice(func::FuncOp func, const target::Target &target,
                       const decision::PinsFile &pins)
    : func(func), target(target), pins(pins), cost(target) {
  for (const model::Pin &pin : pins.pins)
    anyPins |= pin.kind == "core";
  for (const target::CoreKind &kind : target.cores)
    kinds.push_back(kind.name);
  if (const target::Placement *placement = target.placement("matmul"))
    matmulCore = placement->core;
  if (const target::Placement *placement = target.placement("elementwise"))
    vectorCore = placement->core;
}

const model::Pin *CoreChoice::pinOf(Operation *op) {
  if (!anyPins)
    return nullptr;
  std::string key = primaryKey(op).str();
  const model::Pin *pin = pins.find(key, target.name, "core");
  if (!pin)
    pin = pins.find(baseKey(key).str(), target.name, "core");
  if (pin)
    usedPins.insert(pin);
  return pin;
}

//===----------------------------------------------------------------------===//
// Matmuls without a matrix unit
//===----------------------------------------------------------------------===//

CoreChoice::Product CoreChoice::weigh(Operation *op) {
  auto matmul = cast<tw::MatmulOp>(op);
  Product product;
  auto isStatic = [](Value value) {
    return cast<RankedTensorType>(value.getType()).hasStaticShape();
  };
  if (!llvm::all_of(op->getOperands(), isStatic) ||
      !isStatic(matmul.getResult())) {
    product.refused = "its sizes are only known at run time";
    return product;
  }
  if (matmul.getAcc())
    product.refused = "its sums begin with a tensor";
  if (!isa<FloatType>(getElementTypeOrSelf(matmul.getLhs().getType())))
    product.refused = "products of integers are for the matrix unit";
  product.matrixSeconds = cost.matmul(op);
  product.vectorSeconds = cost.writtenOutMatmul(op);
  return product;
}

/// `value` with a dimension of one element at `at`, from behind: 0 is behind
/// the last one.
static Value withUnitDim(OpBuilder &builder, Location loc, Value value,
                         unsigned at) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.end() - at, 1);
  return builder.create<tw::ReshapeOp>(loc, type.clone(shape), value);
}

/// Products over (m, k, n), in the order in which the operands lie, and their
/// sums along k. A row or a column times a matrix needs no third dimension.
void CoreChoice::writeOut(Operation *op) {
  auto matmul = cast<tw::MatmulOp>(op);
  OpBuilder builder(op);
  Location loc = op->getLoc();
  auto at = [&](StringRef part) { return keyPart(loc, part); };
  RankedTensorType type = matmul.getType();
  int64_t rank = type.getRank();
  int64_t m = type.getDimSize(rank - 2), n = type.getDimSize(rank - 1);
  bool tl = matmul.getTransposeLhs(), tr = matmul.getTransposeRhs();
  Value lhs = matmul.getLhs(), rhs = matmul.getRhs();
  auto f32 = builder.getF32Type();
  auto wide = [&](Value value, StringRef part) -> Value {
    return getElementTypeOrSelf(value.getType()).isF32()
               ? value
               : builder.create<tw::CastOp>(at(part), value, f32);
  };
  auto lastTwo = [&](Value value, int64_t first, int64_t second) {
    auto from = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> shape(from.getShape());
    shape[shape.size() - 2] = first;
    shape[shape.size() - 1] = second;
    return shape == from.getShape()
               ? value
               : Value(builder.create<tw::ReshapeOp>(at("turned"),
                                                     from.clone(shape), value));
  };
  int64_t k = matmul.getK();
  int64_t axis;         // of the products, from behind: 0 is the last one
  bool swapped = false; // n comes before m
  if (n == 1) {
    // (m, k) or, transposed, (k, m).
    rhs = tl ? lastTwo(rhs, k, 1) : lastTwo(rhs, 1, k);
    axis = tl ? 1 : 0;
  } else if (m == 1) {
    lhs = tr ? lastTwo(lhs, 1, k) : lastTwo(lhs, k, 1);
    axis = tr ? 0 : 1;
  } else {
    lhs = wide(lhs, "wide_lhs");
    rhs = wide(rhs, "wide_rhs");
    if (tl && tr) { // (n, k, m)
      lhs = withUnitDim(builder, at("lhs_rows"), lhs, 2);
      rhs = withUnitDim(builder, at("rhs_rows"), rhs, 0);
      axis = 1;
      swapped = true;
    } else if (tl) { // (k, m, n)
      lhs = withUnitDim(builder, at("lhs_rows"), lhs, 0);
      rhs = withUnitDim(builder, at("rhs_rows"), rhs, 1);
      axis = 2;
    } else if (tr) { // (m, n, k)
      lhs = withUnitDim(builder, at("lhs_rows"), lhs, 1);
      rhs = withUnitDim(builder, at("rhs_rows"), rhs, 2);
      axis = 0;
    } else { // (m, k, n)
      lhs = withUnitDim(builder, at("lhs_rows"), lhs, 0);
      rhs = withUnitDim(builder, at("rhs_rows"), rhs, 2);
      axis = 1;
    }
  }
  lhs = wide(lhs, "wide_lhs");
  rhs = wide(rhs, "wide_rhs");
  Value product = builder.create<tw::MulOp>(at("products"), lhs, rhs);
  auto productType = cast<RankedTensorType>(product.getType());
  bool flat = n == 1 || m == 1;
  int64_t where = productType.getRank() - 1 - axis;
  SmallVector<int64_t> sums(productType.getShape());
  if (flat)
    sums[size_t(where)] = 1;
  else
    sums.erase(sums.begin() + where);
  bool same = !swapped && ArrayRef(sums) == type.getShape();
  bool narrow = !type.getElementType().isF32();
  auto sumType = RankedTensorType::get(sums, f32);
  Value sum = builder.create<tw::ReduceOp>(
      same && !narrow ? loc : at("sum"), sumType, product, tw::ReduceKind::Sum,
      ArrayRef<int64_t>{where}, /*keepdims=*/flat);
  if (narrow)
    sum = builder.create<tw::CastOp>(same ? loc : at("rounded"), sum,
                                     type.getElementType());
  if (swapped) {
    SmallVector<int64_t> order =
        llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
    std::swap(order[order.size() - 1], order[order.size() - 2]);
    sum = builder.create<tw::TransposeOp>(loc, type, sum,
                                          builder.getDenseI64ArrayAttr(order));
  } else if (!same) {
    sum = builder.create<tw::ReshapeOp>(loc, type, sum);
  }
  op->getResult(0).replaceAllUsesWith(sum);
  op->erase();
}

void CoreChoice::obeyPins() {
  if (matmulCore.empty() || matmulCore == vectorCore)
    return;
  for (auto matmul : llvm::to_vector(func.front().getOps<tw::MatmulOp>())) {
    const model::Pin *pin = pinOf(matmul);
    if (!pin || pin->value != nlohmann::json(vectorCore))
      continue;
    Product product = weigh(matmul);
    bool can = product.refused.empty();
    products[baseKey(primaryKey(matmul))] = std::move(product);
    if (can)
      writeOut(matmul);
  }
}

//===----------------------------------------------------------------------===//
// What is told
//===----------------------------------------------------------------------===//

model::Decision CoreChoice::decide(Operation *op, const std::string &core) {
  model::Decision decision;
  decision.key = baseKey(primaryKey(op)).str();
  decision.target = target.name;
  decision.kind = "core";
  decision.value = core;
  model::Alternative other;
  auto metric = [](double seconds) {
    return model::Metric{"seconds", seconds, "s", model::Origin::Estimated};
  };
  auto written = products.find(decision.key);
  if (written != products.end() && core == vectorCore) {
    const Product &product = written->second;
    decision.reason = "products and their sums, " +
                      timeText(product.vectorSeconds) + " (estimated)";
    decision.metrics = {metric(product.vectorSeconds)};
    other.value = matmulCore;
    other.reason = "the default: the matrix unit, " +
                   timeText(product.matrixSeconds) + " (estimated)";
    other.metrics = {metric(product.matrixSeconds)};
  } else if (isa<tw::MatmulOp>(op)) {
    if (written == products.end())
      written = products.try_emplace(decision.key, weigh(op)).first;
    const Product &product = written->second;
    decision.reason = matmulCore + " cores have the matrix unit";
    other.value = vectorCore;
    other.legal = product.refused.empty();
    if (other.legal) {
      decision.metrics = {metric(product.matrixSeconds)};
      other.reason = "products and their sums, " +
                     timeText(product.vectorSeconds) + " instead of " +
                     timeText(product.matrixSeconds) + " (estimated)";
      other.metrics = {metric(product.vectorSeconds)};
    } else {
      other.reason = product.refused;
    }
  } else if (core == matmulCore) {
    decision.reason = "the store of " + matmulCore +
                      " cores converts what the matmul makes as it writes";
    other.value = vectorCore;
    other.reason = "a kernel of its own that reads and writes it again";
  } else {
    decision.reason = core + " cores compute what is no matmul";
    other.value = matmulCore;
    // Of what is written out in parts the whole is spoken of.
    other.legal = primaryKey(op) == StringRef(decision.key) &&
                  isStoredCast(op, target, &other.reason);
    if (other.reason.empty())
      other.reason = noOtherUnit(matmulCore);
    if (other.legal)
      other.reason = "the store of " + matmulCore +
                     " cores converts what the matmul makes as it writes";
  }
  decision.weighed.push_back(std::move(other));
  return decision;
}

void CoreChoice::judge(const model::Pin &pin, Operation *op,
                       model::Decision &decision) {
  auto refuse = [&](const char *code, const std::string &reason,
                    std::string hint) {
    if (!reported.insert(&pin).second)
      return;
    model::Diagnostic why;
    why.code = code;
    why.severity = model::Severity::Warning;
    why.key = decision.key;
    why.message = "core pin of " + decision.key +
                  " is not obeyed, the default is used: " + reason;
    why.hint = std::move(hint);
    diagnostics.push_back(std::move(why));
  };
  std::string names;
  for (const std::string &kind : kinds)
    names += (names.empty() ? "" : " or ") + kind;
  std::string wanted =
      pin.value.is_string() ? pin.value.get<std::string>() : std::string();
  if (!llvm::is_contained(kinds, wanted))
    return refuse("TW0233",
                  pin.value.dump().substr(0, 80) + " is no kind of core of " +
                      target.name,
                  "write " + names);
  if (pin.value == decision.value) {
    decision.origin = model::DecisionOrigin::Pinned;
    decision.reason =
        (pin.note.empty() ? "pinned: " : "pinned: " + pin.note + "; ") +
        decision.reason;
    return;
  }
  std::string reason =
      wanted + " cores do not compute " + std::string(targetClassOf(op));
  for (const model::Alternative &other : decision.weighed)
    if (other.value == pin.value)
      reason = other.reason;
  refuse("TW0234", reason,
         decision.value.get<std::string>() + " is what computes it");
}

void CoreChoice::tell(const ScopeGroups &grouping) {
  bool several =
      !matmulCore.empty() && !vectorCore.empty() && matmulCore != vectorCore;
  if (!several && !anyPins)
    return;
  llvm::StringMap<std::string> told;
  for (const ScopeGroup &group : grouping.groups)
    for (unsigned index : group.ops) {
      Operation *op = grouping.ops[index];
      const model::Pin *pin = pinOf(op);
      if (!several) {
        if (pin && reported.insert(pin).second) {
          model::Diagnostic why;
          bool isName = pin->value.is_string();
          why.code = isName ? "TW0205" : "TW0233";
          why.severity =
              isName ? model::Severity::Information : model::Severity::Warning;
          why.key = baseKey(primaryKey(op)).str();
          why.message =
              "core pin of " + why.key +
              (isName ? " is not applicable: "
                      : " is not obeyed: " + pin->value.dump().substr(0, 80) +
                            " is no kind of core, and ") +
              target.name + " has cores of one kind, " +
              (kinds.empty() ? "none" : kinds.front());
          diagnostics.push_back(std::move(why));
        }
        continue;
      }
      const target::Placement *placement = target.placement(targetClassOf(op));
      std::string core = group.space.kind == OpRole::Matmul ? matmulCore
                         : placement                        ? placement->core
                                                            : vectorCore;
      // What an operation was made into is computed as it is, but for parts
      // that another kind of core computes.
      StringRef key = primaryKey(op), whole = baseKey(key);
      auto [first, isNew] = told.try_emplace(whole, core);
      bool isPart = !isNew && key != whole && first->second != core &&
                    told.try_emplace(key, core).second;
      if (!isNew && !isPart)
        continue;
      model::Decision decision = decide(op, core);
      if (isPart)
        decision.key = key.str();
      else if (pin)
        judge(*pin, op, decision);
      decisions.push_back(std::move(decision));
    }
}

} // namespace tilewright::pass
