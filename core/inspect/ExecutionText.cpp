//===- ExecutionText.cpp - dispatches and their tasks as text -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/inspect/ExecutionText.h"
#include "core/dialect/Key.h"
#include "core/inspect/DispatchGrid.h"

using namespace mlir;
using namespace tilewright::block;

namespace tilewright::inspect {

using model::Expr;

Expr toExpr(AffineExpr expr) {
  switch (expr.getKind()) {
  case AffineExprKind::Constant:
    return Expr(cast<AffineConstantExpr>(expr).getValue());
  case AffineExprKind::DimId:
    return Expr::symbol(
        "g" + std::to_string(cast<AffineDimExpr>(expr).getPosition()));
  case AffineExprKind::SymbolId:
    return Expr::symbol(
        "s" + std::to_string(cast<AffineSymbolExpr>(expr).getPosition()));
  default:
    break;
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Expr lhs = toExpr(binary.getLHS()), rhs = toExpr(binary.getRHS());
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return lhs + rhs;
  case AffineExprKind::Mul:
    return lhs * rhs;
  case AffineExprKind::FloorDiv:
    return Expr::make(Expr::Kind::FloorDiv, lhs, rhs);
  case AffineExprKind::CeilDiv:
    return Expr::make(Expr::Kind::CeilDiv, lhs, rhs);
  default:
    return Expr::make(Expr::Kind::Mod, lhs, rhs);
  }
}

/// The last part of the first key on `loc`, which is that of the value itself;
/// empty if there is none.
static std::string nameOf(Location loc) {
  SmallVector<StringRef> keys = keysOf(loc);
  return keys.empty() ? std::string()
                      : keys[0].substr(keys[0].rfind('/') + 1).str();
}

ProgramView::ProgramView(ProgramOp program) : program(program) {
  Block &body = program.getBody().front();
  int64_t results = program.getResultCount();
  int64_t inputs = int64_t(body.getNumArguments()) - results;
  for (auto [i, argument] : llvm::enumerate(body.getArguments())) {
    std::string &name = names[argument];
    name = nameOf(argument.getLoc());
    if (name.empty())
      name = int64_t(i) < inputs
                 ? "arg" + std::to_string(i)
                 : "result" + std::to_string(int64_t(i) - inputs);
  }
  for (Operation &op : body) {
    if (auto dispatch = dyn_cast<DispatchOp>(op))
      dispatches.push_back(dispatch);
    else if (op.getNumResults() == 1 &&
             isa<MemRefType>(op.getResult(0).getType()))
      names[op.getResult(0)] = bufferName(&op);
  }
}

/// A buffer is called after the tensor it holds.
std::string ProgramView::bufferName(Operation *op) {
  StringRef key = primaryKey(op);
  if (key.empty())
    return "buffer" + std::to_string(unnamed++);
  return key.rsplit('/').second.empty() ? key.str()
                                        : key.rsplit('/').second.str();
}

Expr taskCount(ArrayRef<Expr> grid) {
  Expr count(1);
  for (const Expr &size : grid)
    count = count * size;
  return count;
}

static std::string joined(ArrayRef<Expr> exprs) {
  std::string text;
  for (const Expr &expr : exprs)
    text += (text.empty() ? "" : ", ") + expr.str();
  return "[" + text + "]";
}

/// " in strips of 4 rows", where tasks do not go row by row.
static std::string orderText(DispatchOp dispatch) {
  auto strip = dispatch->getAttrOfType<IntegerAttr>(orderAttrName);
  if (!strip || strip.getInt() <= 1)
    return "";
  return " in strips of " + std::to_string(strip.getInt()) + " rows";
}

/// "[0:128, g1*64 +64]": the region of one argument one task of `grid` touches.
/// Kernels clip the last tile of a ragged dimension, and so does the text:
/// "[0:100, g1*64:min(g1*64 + 64, 100)]".
static std::string regionText(AccessAttr access, MemRefType type,
                              ArrayRef<Expr> grid) {
  SmallVector<std::optional<int64_t>> lower(grid.size(), 0), upper;
  for (const Expr &size : grid) {
    std::optional<int64_t> count = size.constant();
    upper.push_back(count ? std::optional(*count - 1) : std::nullopt);
  }
  std::string text;
  for (auto [d, size] : llvm::enumerate(access.getSizes())) {
    AffineExpr map = access.getMap().getResult(unsigned(d));
    Expr begin = toExpr(map), end = begin + Expr(size);
    int64_t extent = d < size_t(type.getRank()) ? type.getDimSize(unsigned(d))
                                                : ShapedType::kDynamic;
    bool clipped = false;
    if (!ShapedType::isDynamic(extent)) {
      std::optional<int64_t> last;
      if (access.getMap().getNumDims() == grid.size() &&
          access.getMap().getNumSymbols() == 0)
        last = getBoundForAffineExpr(map, unsigned(grid.size()), 0, lower,
                                     upper, /*isUpper=*/true);
      clipped = !last || *last > extent - size;
    }
    if (clipped)
      end = Expr::make(Expr::Kind::Min, end, Expr(extent));
    text += d ? ", " : "";
    if (begin.constant() || clipped)
      text += begin.str() + ":" + end.str();
    else
      text += begin.str() + " +" + std::to_string(size);
  }
  return "[" + text + "]";
}

/// "[g0, 0:22]": the tasks of the producer one task waits for.
static std::string waitText(DependencyAttr dependency,
                            ArrayRef<Expr> producerGrid) {
  std::string text;
  for (unsigned d = 0; d < dependency.getLower().getNumResults(); ++d) {
    Expr lower = toExpr(dependency.getLower().getResult(d));
    Expr upper = toExpr(dependency.getUpper().getResult(d));
    text += d ? ", " : "";
    if (d < producerGrid.size() && lower == Expr(0) && upper == producerGrid[d])
      text += "all";
    else if (upper == lower + Expr(1))
      text += lower.str();
    else
      text += lower.str() + ":" + upper.str();
  }
  return "[" + text + "]";
}

std::string dispatchId(const ProgramView &view, size_t index) {
  return "dispatch:" + ProgramOp(view.program).getName().str() + "/" +
         std::to_string(index);
}

static const void *gridKey(DispatchOp dispatch) {
  return dispatch.getStaticGridAttr().getAsOpaquePointer();
}

const std::string &AccessTexts::remembered(Key key,
                                           function_ref<std::string()> write) {
  auto [known, isNew] = texts.try_emplace(key);
  if (isNew)
    known->second = write();
  return known->second;
}

const std::string &AccessTexts::grid(DispatchOp dispatch) {
  return remembered({gridKey(dispatch), nullptr, nullptr}, [&] {
    std::vector<Expr> grid = dispatchGrid(dispatch);
    return joined(grid) + " tasks " + taskCount(grid).str();
  });
}

const std::string &AccessTexts::region(AccessAttr access, MemRefType type,
                                       DispatchOp dispatch) {
  return remembered(
      {access.getAsOpaquePointer(), type.getAsOpaquePointer(),
       gridKey(dispatch)},
      [&] { return regionText(access, type, dispatchGrid(dispatch)); });
}

const std::string &AccessTexts::wait(DependencyAttr dependency,
                                     DispatchOp producer) {
  return remembered({dependency.getLower().getAsOpaquePointer(),
                     dependency.getUpper().getAsOpaquePointer(),
                     producer ? gridKey(producer) : nullptr},
                    [&] {
                      return waitText(dependency, producer
                                                      ? dispatchGrid(producer)
                                                      : std::vector<Expr>());
                    });
}

void writeProgram(std::string &text, const ProgramView &view) {
  int64_t known = 0;
  Expr total(0); // of what is not known
  for (DispatchOp dispatch : view.dispatches) {
    Expr count = taskCount(dispatchGrid(dispatch));
    if (std::optional<int64_t> tasks = count.constant())
      known += *tasks;
    else
      total = total + count;
  }
  text += "program @" + ProgramOp(view.program).getName().str() + ": " +
          std::to_string(view.dispatches.size()) + " dispatches, " +
          (total + Expr(known)).str() + " tasks\n";
}

void writeDispatch(std::string &text, const ProgramView &view, size_t i,
                   AccessTexts &texts) {
  DispatchOp dispatch = view.dispatches[i];
  text += "  dispatch ";
  text += std::to_string(i);
  text += " @";
  text += dispatch.getKernel();
  text += " grid ";
  text += texts.grid(dispatch);
  text += orderText(dispatch);
  text += '\n';
  if (auto accesses = dispatch.getAccess())
    for (auto [attr, buffer] : llvm::zip(*accesses, dispatch.getBuffers())) {
      auto access = cast<AccessAttr>(attr);
      text += access.getMode() == AccessMode::Read    ? "    reads "
              : access.getMode() == AccessMode::Write ? "    writes "
                                                      : "    updates ";
      if (auto name = view.names.find(buffer); name != view.names.end())
        text += name->second;
      text +=
          texts.region(access, cast<MemRefType>(buffer.getType()), dispatch);
      text += '\n';
    }
  if (auto dependencies = dispatch.getDependencies())
    for (auto dependency : dependencies->getAsRange<DependencyAttr>()) {
      size_t producer = size_t(dependency.getProducer());
      text += "    waits for dispatch ";
      text += std::to_string(producer);
      text += ' ';
      text += texts.wait(dependency, producer < view.dispatches.size()
                                         ? view.dispatches[producer]
                                         : DispatchOp());
      text += '\n';
    }
}

} // namespace tilewright::inspect
