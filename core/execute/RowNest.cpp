//===- RowNest.cpp - groups of instructions that go row by row together ---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A reduction ends a group: what follows needs its result. Where rows depend on
// nothing but the same row of what other groups made, all groups do one row
// before any does the next, so that a row is read from memory once and what is
// made of it stays in the first cache.
//
//===----------------------------------------------------------------------===//
#include "core/execute/ElementGroup.h"

using namespace mlir;
using namespace tilewright::block;

namespace tilewright::execute {
namespace {

/// Memory that a group reads or writes, row by row.
struct RowAccess {
  Value root, base;
  Index offset;
  int64_t elementBytes = 1;
  /// Of the loops over rows; nothing if they are not known.
  std::optional<SmallVector<int64_t>> strides;
  int64_t rowElements = 0; ///< from the first to the last one of a row
  bool writes = false;
};

int64_t bytesOf(Type element) {
  return std::max<int64_t>(1, element.getIntOrFloatBitWidth() / 8);
}

RowAccess accessOf(const MemoryView &view, ArrayRef<Index> outerStrides,
                   Index rowSize, Index rowStride, bool writes) {
  RowAccess access{view.root, view.base,  view.offset, bytesOf(view.element),
                   {},        int64_t(0), writes};
  if (!rowSize.isKnown() || !rowStride.isKnown() ||
      !llvm::all_of(outerStrides, [](Index i) { return i.isKnown(); }))
    return access;
  access.strides.emplace();
  for (Index stride : outerStrides)
    access.strides->push_back(stride.number);
  access.rowElements =
      rowSize.number ? 1 + (rowSize.number - 1) * rowStride.number : 0;
  return access;
}

SmallVector<RowAccess> accessesOf(ArrayRef<ElementStatement> statements,
                                  ArrayRef<Index> sizes) {
  SmallVector<RowAccess> accesses;
  size_t outer = sizes.size() - 1;
  for (const ElementStatement &statement : statements) {
    for (const ElementOperand &operand : statement.operands)
      if (operand.statement < 0)
        accesses.push_back(accessOf(
            operand.view, ArrayRef(operand.view.strides).take_front(outer),
            sizes.back(), operand.view.strides.back(), false));
    const MemoryView &dest = statement.dest;
    if (statement.isReduce())
      accesses.push_back(
          accessOf(dest, ArrayRef(dest.strides).take_front(outer), 1, 1, true));
    else if (statement.stored)
      accesses.push_back(accessOf(dest,
                                  ArrayRef(dest.strides).take_front(outer),
                                  sizes.back(), dest.strides.back(), true));
  }
  return accesses;
}

/// Whether two accesses touch the same bytes only in the same row.
bool rowsCorrespond(const RowAccess &a, const RowAccess &b,
                    ArrayRef<Index> rows) {
  if (a.base != b.base || !(a.offset == b.offset) ||
      a.elementBytes != b.elementBytes || !a.strides || a.strides != b.strides)
    return false;
  // Rows lie behind each other, none over another.
  int64_t extent = std::max(a.rowElements, b.rowElements);
  for (size_t d = rows.size(); d-- > 0;) {
    if ((*a.strides)[d] < extent)
      return false;
    if (!d)
      break;
    int64_t outer = (*a.strides)[d - 1];
    if (!rows[d].isKnown() && outer < (*a.strides)[d])
      return false;
    // A ragged tile, as any part of a tensor, ends before the next outer row.
    extent = rows[d].isKnown() ? (*a.strides)[d] * rows[d].number : outer;
  }
  return true;
}

} // namespace

bool KernelEmitter::sharesRows(const Group &earlier, const Group &later) {
  ArrayRef<Index> rows = ArrayRef(earlier.sizes).drop_back();
  if (earlier.sizes.size() < 2 || earlier.sizes.size() != later.sizes.size() ||
      !llvm::equal(rows, ArrayRef(later.sizes).drop_back()))
    return false;
  // Short of axes: a reduction's result must have a place for each row.
  for (const Group *group : {&earlier, &later})
    for (const ElementStatement &statement : group->statements)
      if (statement.isReduce() && statement.dest.rank() < rows.size())
        return false;
  SmallVector<RowAccess> before = accessesOf(earlier.statements, earlier.sizes),
                         after = accessesOf(later.statements, later.sizes);
  for (const RowAccess &a : before)
    for (const RowAccess &b : after)
      if ((a.writes || b.writes) &&
          (a.root == b.root || shareBytes(a.root, b.root)) &&
          !rowsCorrespond(a, b, rows))
        return false;
  return true;
}

/// A loop that computes more than it moves.
static bool computesLong(ArrayRef<ElementStatement> statements) {
  return llvm::any_of(statements, [](const ElementStatement &statement) {
    auto unary = dyn_cast<UnaryOp>(statement.op);
    if (!unary)
      return false;
    switch (unary.getKind()) {
    case UnaryKind::Exp:
    case UnaryKind::Log:
    case UnaryKind::Tanh:
    case UnaryKind::Erf:
    case UnaryKind::Sigmoid:
    case UnaryKind::Silu:
    case UnaryKind::Gelu:
      return true;
    default:
      return false;
    }
  });
}

/// A loop over what an earlier one has brought into the first cache that writes
/// nothing beyond the chip: memory would have nothing to do meanwhile.
static bool leavesMemoryIdle(ArrayRef<ElementStatement> statements) {
  return llvm::none_of(statements, [](const ElementStatement &statement) {
    return statement.stored && !statement.isReduce() &&
           isa_and_nonnull<BlockArgument>(statement.destRoot);
  });
}

/// While one loop computes, what the first one will read of the next row is on
/// its way. Not where all loops wait for memory anyway.
void KernelEmitter::askForNextRow(MutableArrayRef<Group> groups) {
  const Group &first = groups.front();
  Index row = first.sizes.back();
  auto busy = llvm::find_if(groups.drop_front(), [&](const Group &group) {
    return (computesLong(group.statements) ||
            leavesMemoryIdle(group.statements)) &&
           group.sizes.back() == row;
  });
  if (busy == groups.end() || !row.isKnown())
    return;
  for (const ElementStatement &statement : first.statements)
    for (const ElementOperand &operand : statement.operands) {
      const MemoryView &view = operand.view;
      bool known = llvm::any_of(busy->upcoming, [&](const MemoryView &other) {
        return other.base == view.base && other.offset == view.offset;
      });
      // Only rows that are long enough to be worth it, of arguments.
      if (operand.statement < 0 && isa<BlockArgument>(view.root) && !known &&
          view.innerStride().is(1) &&
          row.number * bytesOf(view.element) >= 16 * lineBytes)
        busy->upcoming.push_back(view);
    }
}

/// How many rows each group does before the next group follows. A short row is
/// a chain of things that wait for each other, its maximum, its sum: with
/// several at hand a core has something to do meanwhile. They stay in the first
/// cache.
static int64_t rowsTogether(ArrayRef<Index> rowSizes) {
  constexpr int64_t elements = 2048;
  int64_t longest = 1;
  for (Index row : rowSizes) {
    if (!row.isKnown())
      return 1;
    longest = std::max(longest, row.number);
  }
  return std::max<int64_t>(1, elements / longest);
}

void KernelEmitter::emitGroups(Block::iterator &it, Block::iterator end) {
  std::vector<Group> groups(1);
  collectGroup(it, end, groups[0]);
  auto oneElementRows = [](const Group &group) {
    return group.sizes.size() >= 2 && group.sizes.back().is(1) &&
           llvm::none_of(group.statements, [](const ElementStatement &each) {
             return each.isReduce();
           });
  };
  // What has one element a row is done for many rows at a time with vectors,
  // where in a nest each row would wait for a chain of scalars. Where the rows
  // before it are short and lie on chip, all that a nest saves is that they are
  // read from the first cache and not from the second.
  auto betterBeside = [&](const Group &next) {
    constexpr int64_t shortRow = 1024;
    return oneElementRows(next) && llvm::all_of(groups, [](const Group &group) {
             Index row = group.sizes.back();
             return row.isKnown() && row.number <= shortRow &&
                    llvm::any_of(
                        group.statements, [](const ElementStatement &each) {
                          return each.stored && !each.isReduce() &&
                                 each.destRoot.getDefiningOp<AllocOp>();
                        });
           });
  };
  bool beside = oneElementRows(groups[0]);
  while (it != end && groups[0].sizes.size() >= 2 && !beside) {
    Operation *op = &*it;
    loc = op->getLoc();
    if (elided.contains(op)) { // names another buffer, does nothing
      emitOperation(op);
      ++it;
    } else if (startsGroup(op)) {
      Block::iterator next = it;
      Group group;
      collectGroup(next, end, group);
      if (betterBeside(group) ||
          !llvm::all_of(groups, [&](const Group &earlier) {
            return sharesRows(earlier, group);
          }))
        break;
      groups.push_back(std::move(group));
      it = next;
    } else if (!op->hasTrait<OpTrait::IsTerminator>() && !op->getNumRegions() &&
               emitViewOrScalar(op)) {
      ++it;
    } else {
      break;
    }
  }
  if (groups.size() == 1) {
    emitGroup(groups[0]);
    return;
  }
  for (Group &group : groups)
    prepareGroup(group);
  askForNextRow(groups);
  ArrayRef<Index> rows = ArrayRef(groups[0].sizes).drop_back();
  SmallVector<Index> rowSizes;
  for (const Group &group : groups)
    rowSizes.push_back(group.sizes.back());
  int64_t together = rowsTogether(rowSizes);
  if (together == 1) {
    nest(rows, [&](ArrayRef<Index> row) {
      for (const Group &group : groups)
        emitRow(group, row);
    });
    return;
  }
  // Of short dimensions several.
  size_t d = rows.size() - 1;
  int64_t inner = 1;
  for (; d && rows[d].isKnown() && rows[d].number * inner < together; --d)
    inner *= rows[d].number;
  int64_t step = std::max<int64_t>(1, together / inner);
  nest(rows.take_front(d), [&](ArrayRef<Index> outer) {
    loop(0, rows[d], step, [&](Index first) {
      Index end = index.min(index.add(first, step), rows[d]);
      for (const Group &group : groups)
        loop(first, end, 1, [&](Index at) {
          nest(rows.drop_front(d + 1), [&](ArrayRef<Index> last) {
            SmallVector<Index> row(outer);
            row.push_back(at);
            row.append(last.begin(), last.end());
            emitRow(group, row);
          });
        });
    });
  });
}

} // namespace tilewright::execute
