//===- MemoryOrder.cpp - what must happen before what ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory is cut into cells at every border of an access. A cell remembers its
// last writer, and the last write and read of each pipe: pipes are in order, so
// that what holds for those holds for all earlier ones.
//
//===----------------------------------------------------------------------===//
#include "core/check/MemoryOrder.h"
#include <algorithm>
#include <unordered_set>

namespace tilewright::check {
namespace {

struct Cell {
  int writer = -1;
  int buffer = 0; ///< through which it was written
};

class Memory {
public:
  Memory(const KernelTrace &trace, MemoryOrder &order)
      : trace(trace), order(order), pipes(trace.pipes.size()) {
    borders.resize(size_t(trace.spaces));
    // Global memory that is never written needs no order.
    for (const Touch &touch : trace.touches)
      if (touch.write && isGlobal(touch))
        written.insert(touch.begin >> 44);
    for (const Touch &touch : trace.touches)
      if (matters(touch)) {
        borders[size_t(touch.space)].push_back(touch.begin);
        borders[size_t(touch.space)].push_back(touch.end);
      }
    size_t total = 0;
    for (std::vector<int64_t> &list : borders) {
      std::ranges::sort(list);
      list.erase(std::unique(list.begin(), list.end()), list.end());
      firstCell.push_back(total);
      total += list.size();
    }
    cells.resize(total);
    writes.assign(total * pipes, -1);
    reads.assign(total * pipes, -1);
  }

  void run() {
    for (size_t i = 0; i < trace.entries.size(); ++i) {
      const TraceEntry &entry = trace.entries[i];
      for (const Touch &touch : trace.touchesOf(entry)) {
        if (!matters(touch))
          continue;
        size_t space = size_t(touch.space);
        const std::vector<int64_t> &list = borders[space];
        size_t at =
            size_t(std::ranges::lower_bound(list, touch.begin) - list.begin());
        for (; list[at] < touch.end; ++at)
          if (touch.write)
            write(int(i), entry, touch, firstCell[space] + at);
          else
            read(int(i), entry, touch, firstCell[space] + at, list[at],
                 list[at + 1]);
      }
    }
    // Who uses the results reads them when all is done.
    size_t global = size_t(trace.spaces) - 1;
    for (size_t at = 0; at < borders[global].size(); ++at)
      readBack(firstCell[global] + at, -1);
  }

private:
  const KernelTrace &trace;
  MemoryOrder &order;
  size_t pipes;
  std::unordered_set<int64_t> written;
  std::vector<std::vector<int64_t>> borders; ///< by space, sorted
  std::vector<size_t> firstCell;
  std::vector<Cell> cells;
  std::vector<int> writes, reads; ///< last one, by cell and pipe
  std::unordered_set<int64_t> seen;

  bool isGlobal(const Touch &touch) const {
    return touch.space == trace.spaces - 1;
  }
  bool matters(const Touch &touch) const {
    return !isGlobal(touch) || written.contains(touch.begin >> 44);
  }

  void need(OrderNeeded::Kind kind, int first, int second, int reader) {
    if (first == second ||
        trace.entries[size_t(first)].pipe == trace.entries[size_t(second)].pipe)
      return;
    if (seen.insert(int64_t(first) << 32 | second).second)
      order.needed.push_back({kind, first, second, reader});
  }

  /// The other writes so far must not come between the writer and `reader`.
  void readBack(size_t cell, int reader) {
    int writer = cells[cell].writer;
    if (writer < 0)
      return;
    if (reader >= 0)
      need(OrderNeeded::Read, writer, reader, reader);
    for (size_t pipe = 0; pipe < pipes; ++pipe)
      if (int other = writes[cell * pipes + pipe]; other >= 0)
        need(OrderNeeded::Write, other, writer, reader);
  }

  void read(int index, const TraceEntry &entry, const Touch &touch, size_t cell,
            int64_t begin, int64_t end) {
    const Cell &state = cells[cell];
    if (!isGlobal(touch) &&
        (state.writer < 0 || state.buffer != touch.buffer)) {
      WrongRead wrong{index, touch.buffer, begin, end, touch.space};
      wrong.writer = writerThrough(touch.buffer, index, begin, touch.space);
      if (wrong.writer >= 0)
        wrong.overwriter = state.writer;
      report(wrong);
    }
    readBack(cell, index);
    reads[cell * pipes + size_t(entry.pipe)] = index;
  }

  void write(int index, const TraceEntry &entry, const Touch &touch,
             size_t cell) {
    for (size_t pipe = 0; pipe < pipes; ++pipe)
      if (int reader = reads[cell * pipes + pipe]; reader >= 0)
        need(OrderNeeded::Overwrite, reader, index, reader);
    cells[cell] = {index, touch.buffer};
    writes[cell * pipes + size_t(entry.pipe)] = index;
  }

  /// Neighbouring cells make one message.
  void report(const WrongRead &wrong) {
    if (!order.wrong.empty()) {
      WrongRead &last = order.wrong.back();
      if (last.reader == wrong.reader && last.buffer == wrong.buffer &&
          last.writer == wrong.writer && last.overwriter == wrong.overwriter &&
          last.end == wrong.begin) {
        last.end = wrong.end;
        return;
      }
      if (last.reader == wrong.reader && last.buffer == wrong.buffer)
        return;
    }
    order.wrong.push_back(wrong);
  }

  /// The last writer of byte `at` through `buffer` before entry `end`. Slow;
  /// for messages.
  int writerThrough(int buffer, int end, int64_t at, int space) const {
    for (int i = end; i-- > 0;)
      for (const Touch &touch : trace.touchesOf(trace.entries[size_t(i)]))
        if (touch.write && touch.buffer == buffer && touch.space == space &&
            touch.begin <= at && at < touch.end)
          return i;
    return -1;
  }
};

} // namespace

MemoryOrder memoryOrderOf(const KernelTrace &trace) {
  MemoryOrder order;
  Memory(trace, order).run();
  return order;
}

Touch sharedBytes(const KernelTrace &trace, int a, int b) {
  Touch shared;
  for (const Touch &x : trace.touchesOf(trace.entries[size_t(a)]))
    for (const Touch &y : trace.touchesOf(trace.entries[size_t(b)])) {
      if (x.space != y.space || !(x.write || y.write))
        continue;
      Touch both = x;
      both.begin = std::max(x.begin, y.begin);
      both.end = std::min(x.end, y.end);
      if (both.begin >= both.end)
        continue;
      if (shared.end == 0)
        shared = both;
      else if (both.space == shared.space && both.begin <= shared.end)
        shared.end = std::max(shared.end, both.end);
    }
  return shared;
}

} // namespace tilewright::check
