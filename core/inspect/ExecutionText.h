//===- ExecutionText.h - dispatches and their tasks as text -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/dialect/Block/BlockDialect.h"
#include "core/inspect/ExecutionGraph.h"
#include "core/model/Expr.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <map>
#include <tuple>
#include <vector>

namespace tilewright::inspect {

/// Names and indices of one program.
struct ProgramView {
  block::ProgramOp program;
  std::vector<block::DispatchOp> dispatches;
  llvm::DenseMap<mlir::Value, std::string> names; ///< of buffers

  explicit ProgramView(block::ProgramOp program);

private:
  std::string bufferName(mlir::Operation *op);
  int unnamed = 0;
};

/// What was written once of grids, regions and waits: of a hundred equal layers
/// they are the same, and to write them takes many small expressions.
class AccessTexts {
public:
  /// "[4, 8] tasks 32"
  const std::string &grid(block::DispatchOp dispatch);
  /// "[0:128, g1*64 +64]": what one task touches of a buffer.
  const std::string &region(block::AccessAttr access, mlir::MemRefType type,
                            block::DispatchOp dispatch);
  /// "[g0, 0:22]": the tasks of `producer` (may be null) one task waits for.
  const std::string &wait(block::DependencyAttr dependency,
                          block::DispatchOp producer);

private:
  using Key = std::tuple<const void *, const void *, const void *>;
  const std::string &remembered(Key key,
                                llvm::function_ref<std::string()> write);
  std::map<Key, std::string> texts;
};

/// Appends the line of a program.
void writeProgram(std::string &text, const ProgramView &view);
/// Appends the lines of dispatch `i` of a program.
void writeDispatch(std::string &text, const ProgramView &view, size_t i,
                   AccessTexts &texts);

/// The product of `grid`.
model::Expr taskCount(llvm::ArrayRef<model::Expr> grid);

/// "dispatch:NAME/3"
std::string dispatchId(const ProgramView &view, size_t index);

} // namespace tilewright::inspect
