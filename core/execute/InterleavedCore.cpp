//===- InterleavedCore.cpp - pipes that run at the same time --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/execute/InterleavedCore.h"
#include "core/execute/RunError.h"
#include "core/execute/StepNames.h"
#include <algorithm>
#include <cstring>

namespace tilewright::execute {

/// Entries in all queues; then pipes must get on before more is issued.
static constexpr size_t mostQueued = 8192;

//===----------------------------------------------------------------------===//
// Filling the queues, in program order
//===----------------------------------------------------------------------===//

size_t InterleavedCore::queueOf(const StepCode &step) const {
  return step.pipe < 0 ? 0 : size_t(pipeNumbers[size_t(step.pipe)]);
}

ByteMap &InterleavedCore::wantedOf(const View &view) {
  // Buffers do not overlap in program order; arguments may be the same one.
  return wanted[view.level < 0 ? 0 : view.buffer + 1];
}

ByteMap &InterleavedCore::actualOf(const View &view) {
  return actual[view.level < 0 ? code.levels.size() : size_t(view.level)];
}

/// Notes who has written what `piece` reads.
void InterleavedCore::expect(const StepCode &step, Piece &piece) {
  const ByteMap &map = wantedOf(piece.memory);
  forEachByteRange(piece.memory, [&](int64_t begin, int64_t end) {
    map.visit(begin, end, [&](int64_t from, int64_t to, int writer) {
      if (!writer && piece.memory.level >= 0)
        throw RunError("TW0546",
                       nameOf(step) + " reads bytes [" + std::to_string(from) +
                           ", " + std::to_string(to) + ") of " +
                           levelName(piece.memory.level) +
                           ", which nothing has written to that buffer",
                       step.key,
                       "write the buffer first: a move, a fill, or a first "
                       "instruction without accumulate");
      if (!piece.expected.empty() && piece.expected.back().end == from &&
          piece.expected.back().writer == writer)
        piece.expected.back().end = to;
      else
        piece.expected.push_back({from, to, writer});
      return true;
    });
  });
}

/// Cuts what is accessed along its first dimension that is longer than 1.
void InterleavedCore::addPieces(Entry &entry, const OperandAccess &access,
                                int parts) {
  View whole = entry.operands[size_t(access.operand)];
  whole.sizes = access.sizes;
  if (whole.count() == 0)
    return;
  size_t dim = 0;
  while (dim + 1 < size_t(whole.rank) && whole.sizes[dim] == 1)
    ++dim;
  int64_t size = whole.rank ? whole.sizes[dim] : 1;
  int64_t count = std::clamp<int64_t>(size, 1, parts);
  for (int64_t i = 0; i < count; ++i) {
    Piece piece;
    piece.operand = access.operand;
    piece.write = access.write;
    piece.memory = whole;
    piece.own = entry.own[size_t(access.operand)];
    piece.own.sizes = access.sizes;
    if (whole.rank) {
      int64_t begin = size * i / count, end = size * (i + 1) / count;
      for (View *view : {&piece.memory, &piece.own}) {
        view->sizes[dim] = end - begin;
        view->offset += begin * view->strides[dim];
      }
    }
    if (!piece.write)
      expect(*entry.step, piece);
    entry.pieces.push_back(std::move(piece));
  }
}

void InterleavedCore::instruction(const StepCode &step,
                                  std::span<const View> operands,
                                  std::span<const Scalar> scalars) {
  if (overwritesSource(step, operands))
    throw RunError("TW0549",
                   nameOf(step) + " writes where it still reads: its "
                                  "destination lies over a source, not "
                                  "element on element",
                   step.key, "give the destination room of its own");
  Entry entry;
  entry.step = &step;
  steps.push_back(&step);
  entry.number = int(steps.size()) - 1;
  entry.operands.assign(operands.begin(), operands.end());
  entry.scalars.assign(scalars.begin(), scalars.end());
  for (const View &operand : operands) {
    View own = View::whole(nullptr, operand.element, operand.shape());
    entry.own.push_back(own);
  }
  std::vector<OperandAccess> accesses = accessesOf(step, operands, scalars);
  for (const OperandAccess &access : accesses)
    addPieces(entry, access, 2);
  for (const OperandAccess &access : accesses)
    if (access.write) {
      View view = operands[size_t(access.operand)];
      view.sizes = access.sizes;
      ByteMap &map = wantedOf(view);
      forEachByteRange(view, [&](int64_t begin, int64_t end) {
        map.assign(begin, end, entry.number);
      });
    }
  queues[queueOf(step)].push_back(std::move(entry));
  ++queued;
  makeRoom();
}

void InterleavedCore::event(const StepCode &step) {
  Entry entry;
  entry.step = &step;
  if (step.step != Step::Barrier) {
    queues[queueOf(step)].push_back(std::move(entry));
    ++queued;
    return;
  }
  entry.barrier = barriers++;
  for (std::deque<Entry> &queue : queues)
    queue.push_back(entry);
  queued += queues.size();
}

Scalar InterleavedCore::load(const StepCode &step, const View &view) {
  // Control waits for the value: what is queued before it on its pipe is done
  // first, the others as far as the schedule happens to take them.
  runUntilEmpty(int(queueOf(step)));
  Piece piece;
  piece.memory = view;
  expect(step, piece);
  check(step, piece);
  return loadElement(view, 0);
}

//===----------------------------------------------------------------------===//
// Executing
//===----------------------------------------------------------------------===//

void InterleavedCore::startCopies(Entry &entry) {
  for (View &own : entry.own) {
    entry.copies.emplace_back(size_t(own.limit), std::byte(0xff));
    own.base = entry.copies.back().data();
  }
  for (Piece &piece : entry.pieces)
    piece.own.base = entry.own[size_t(piece.operand)].base;
}

void InterleavedCore::check(const StepCode &step, const Piece &piece) const {
  const ByteMap &map =
      actual[piece.memory.level < 0 ? code.levels.size()
                                    : size_t(piece.memory.level)];
  for (const Expected &expected : piece.expected)
    map.visit(
        expected.begin, expected.end,
        [&](int64_t from, int64_t to, int writer) {
          if (writer == expected.writer)
            return true;
          bool global = piece.memory.level < 0;
          int64_t base = global ? piece.memory.address : 0;
          throw RunError(
              "TW0545",
              nameOf(step) + " reads bytes [" + std::to_string(from - base) +
                  ", " + std::to_string(to - base) + ") of " +
                  (global
                       ? "argument " +
                             std::to_string(-1 - piece.memory.buffer) + " in "
                       : "") +
                  levelName(piece.memory.level) +
                  difference(expected.writer, writer),
              step.key,
              "an event, or other room for one of the buffers, must keep the "
              "two apart");
        });
}

void InterleavedCore::instructionStep(Entry &entry) {
  if (entry.copies.empty())
    startCopies(entry);
  if (entry.done == entry.pieces.size())
    return;
  Piece &piece = entry.pieces[entry.done];
  auto copyElements = [](const View &from, const View &to) {
    int64_t bytes = bytesOf(to.element);
    forEachRow<2>(to.shape(), {&to, &from}, [&](auto offsets, int64_t n) {
      copyRow(from.at(offsets[1]), innerStride(from), to.at(offsets[0]),
              innerStride(to), bytes, n);
    });
  };
  if (!piece.write) {
    check(*entry.step, piece);
    copyElements(piece.memory, piece.own);
  } else {
    // Everything is read; what is to be written is worked out once.
    if (entry.done == 0 || !entry.pieces[entry.done - 1].write)
      unit.execute(*entry.step, entry.own, entry.scalars);
    copyElements(piece.own, piece.memory);
    ByteMap &map = actualOf(piece.memory);
    forEachByteRange(piece.memory, [&](int64_t begin, int64_t end) {
      map.assign(begin, end, entry.number);
    });
  }
  ++entry.done;
}

bool InterleavedCore::canGoOn(size_t pipe) const {
  if (queues[pipe].empty())
    return false;
  const Entry &head = queues[pipe].front();
  switch (head.step->step) {
  case Step::WaitEvent:
    return events[size_t(head.step->event)].isSet;
  case Step::Barrier:
    return std::ranges::all_of(queues, [&](const std::deque<Entry> &queue) {
      return !queue.empty() && queue.front().barrier == head.barrier;
    });
  default:
    return true;
  }
}

/// A pipe that must go on before `pipe` can.
size_t InterleavedCore::helper(size_t pipe) const {
  for (size_t hops = 0; hops <= queues.size(); ++hops) {
    if (canGoOn(pipe))
      return pipe;
    if (queues[pipe].empty())
      break;
    const Entry &head = queues[pipe].front();
    if (head.step->step == Step::WaitEvent) {
      int from = kernel->events[size_t(head.step->event)].from;
      pipe = size_t(pipeNumbers[size_t(from)]);
      continue;
    }
    size_t next = pipe;
    for (size_t other = 0; other < queues.size(); ++other)
      if (queues[other].empty() ||
          queues[other].front().barrier != head.barrier)
        next = other;
    if (next == pipe)
      break;
    pipe = next;
  }
  return queues.size();
}

size_t InterleavedCore::choose(const std::vector<size_t> &able) {
  auto any = [&] { return able[random() % able.size()]; };
  size_t favourite = schedule.seed % queues.size();
  switch (schedule.kind) {
  case Schedule::Program:
  case Schedule::Random:
    return any();
  case Schedule::Ahead: {
    size_t pipe = helper(favourite);
    return pipe < queues.size() ? pipe : any();
  }
  case Schedule::Late: {
    std::vector<size_t> others;
    for (size_t pipe : able)
      if (pipe != favourite)
        others.push_back(pipe);
    return others.empty() ? favourite : others[random() % others.size()];
  }
  case Schedule::Priority:
    if (random() % 16 == 0)
      std::ranges::shuffle(order, random);
    for (size_t pipe : order)
      if (size_t able = helper(pipe); able < queues.size())
        return able;
    return any();
  }
  return any();
}

void InterleavedCore::pop(size_t pipe) {
  queues[pipe].pop_front();
  --queued;
}

void InterleavedCore::advance(size_t pipe) {
  Entry &head = queues[pipe].front();
  switch (head.step->step) {
  case Step::SetEvent: {
    Event &event = events[size_t(head.step->event)];
    if (event.isSet)
      throw RunError("TW0548",
                     nameOf(*head.step) + " happens while the event is still "
                                          "set: nobody has waited for it yet",
                     head.step->key,
                     "use another id, or order the wait before the second "
                     "set");
    event = {true, head.step};
    pop(pipe);
    return;
  }
  case Step::WaitEvent:
    events[size_t(head.step->event)].isSet = false;
    pop(pipe);
    return;
  case Step::Barrier:
    for (size_t other = 0; other < queues.size(); ++other)
      pop(other);
    return;
  default:
    instructionStep(head);
    if (head.done == head.pieces.size())
      pop(pipe);
  }
}

bool InterleavedCore::advanceOne() {
  able.clear();
  for (size_t i = 0; i < queues.size(); ++i)
    if (canGoOn(i))
      able.push_back(i);
  if (able.empty())
    return false;
  advance(choose(able));
  return true;
}

/// Queues are as long as memory bears, not longer.
void InterleavedCore::makeRoom() {
  if (queued < mostQueued)
    return;
  while (queued > mostQueued / 2 && advanceOne()) {
  }
}

void InterleavedCore::runUntilEmpty(int pipe) {
  while (pipe < 0 ? queued > 0 : !queues[size_t(pipe)].empty())
    if (!advanceOne())
      failStuck();
}

void InterleavedCore::failStuck() const {
  std::string text;
  const StepCode *first = nullptr;
  for (const std::deque<Entry> &queue : queues) {
    if (queue.empty())
      continue;
    const StepCode *step = queue.front().step;
    if (!first)
      first = step;
    text += (text.empty() ? "" : ", ") + nameOf(*step);
  }
  throw RunError("TW0547", "the pipes wait for ever: " + text, first->key,
                 "every wait needs a set that its pipe comes to first");
}

/// Results must be what program order leaves, and events clear for whoever
/// runs next.
void InterleavedCore::checkEnd() const {
  for (const Event &event : events)
    if (event.isSet)
      throw RunError("TW0548",
                     nameOf(*event.by) + " is never waited for; the next "
                                         "kernel on the core finds it set",
                     event.by->key, "wait for it once for each set");
  auto global = wanted.find(0);
  if (global == wanted.end())
    return;
  global->second.visitAll([&](int64_t begin, int64_t end, int writer) {
    actual.back().visit(begin, end, [&](int64_t from, int64_t to, int last) {
      if (last == writer)
        return true;
      const StepCode &step = *steps[size_t(writer)];
      std::string bytes = "bytes";
      for (size_t i = 0; i < arguments.size(); ++i)
        if (int64_t base = arguments[i].first;
            base <= from && from < base + arguments[i].second)
          bytes += " [" + std::to_string(from - base) + ", " +
                   std::to_string(to - base) + ") of argument " +
                   std::to_string(i);
      throw RunError("TW0545",
                     "the kernel leaves " + bytes + " in global memory" +
                         difference(writer, last),
                     step.key, "an event must order the two writes");
    });
  });
}

void InterleavedCore::runKernel(const RoutineCode &routine,
                                std::span<const View> buffers,
                                std::span<const int64_t> grid,
                                Schedule chosen) {
  kernel = &routine;
  schedule = chosen;
  random.seed(schedule.seed);
  queues.assign(std::max<size_t>(1, routine.pipes.size()), {});
  pipeNumbers.assign(code.pipes.size(), -1);
  order.clear();
  for (size_t i = 0; i < queues.size(); ++i)
    order.push_back(i);
  std::ranges::shuffle(order, random);
  for (size_t i = 0; i < routine.pipes.size(); ++i)
    pipeNumbers[size_t(routine.pipes[i])] = int(i);
  events.assign(routine.events.size(), {});
  steps.assign(1, nullptr);
  wanted.clear();
  actual.assign(code.levels.size() + 1, {});
  barriers = 0;
  queued = 0;
  arguments.clear();
  for (const View &buffer : buffers)
    arguments.push_back(
        {int64_t(reinterpret_cast<intptr_t>(buffer.base)), buffer.limit});
  machine.runKernel(routine, buffers, grid, this);
  runUntilEmpty(-1);
  checkEnd();
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

std::string InterleavedCore::nameOf(const StepCode &step) const {
  return stepName(code, *kernel, step);
}

std::string InterleavedCore::levelName(int level) const {
  return level < 0 ? "global memory" : code.levels[size_t(level)].name;
}

/// Entries are numbered in program order.
std::string InterleavedCore::difference(int wantedWriter,
                                        int actualWriter) const {
  std::string right = wantedWriter ? nameOf(*steps[size_t(wantedWriter)])
                                   : std::string("the caller");
  if (actualWriter == 0 || (wantedWriter && actualWriter < wantedWriter))
    return " before " + right + " has written them" +
           (actualWriter ? " over what " +
                               nameOf(*steps[size_t(actualWriter)]) + " wrote"
                         : "");
  return " that " + nameOf(*steps[size_t(actualWriter)]) +
         " has overwritten, which " + right + " wrote";
}

} // namespace tilewright::execute
