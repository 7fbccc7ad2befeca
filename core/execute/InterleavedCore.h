//===- InterleavedCore.h - pipes that run at the same time ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/execute/BlockMachine.h"
#include "core/execute/ByteMap.h"
#include "core/execute/Schedule.h"
#include <deque>
#include <map>
#include <memory>
#include <random>

namespace tilewright::execute {

/// A core whose pipes work through their queues at the same time, in an order
/// drawn by a schedule. An instruction starts when all before it in its pipe is
/// done; it reads its sources bit by bit, then writes its destination bit by
/// bit, and other pipes go on between any two of these steps. A set_event
/// happens when it comes to the head of its pipe's queue, a wait_event lets its
/// pipe pass once the event is set, and clears it. All pipes pass a barrier
/// together. A kernel ends when all queues are empty.
///
/// Data really is read and written in that order. Besides, every byte remembers
/// which instruction wrote it last, so that one that was written too late or
/// overwritten too early is found at the first read.
///
/// Throws RunError: TW0541, TW0542 as BlockMachine; TW0545 (an instruction
/// reads, or the kernel leaves, bytes of another writer than in program order),
/// TW0546 (bytes nobody wrote), TW0547 (pipes wait for ever), TW0548 (an event
/// set twice, or left set), TW0549 (an instruction over its own source).
class InterleavedCore : private InstructionSink {
public:
  InterleavedCore(const BlockCode &code, BlockMachine &machine)
      : code(code), machine(machine) {}

  void runKernel(const RoutineCode &kernel, std::span<const View> buffers,
                 std::span<const int64_t> grid, Schedule schedule);

private:
  /// Bytes that program order says `writer` wrote.
  struct Expected {
    int64_t begin, end;
    int writer;
  };
  /// A part of one operand: read into, or written from, the own copy.
  struct Piece {
    int operand = 0;
    bool write = false;
    View memory, own;
    std::vector<Expected> expected;
  };
  struct Entry {
    const StepCode *step = nullptr;
    int number = 0; ///< in program order, from 1
    int barrier = -1;
    std::vector<View> operands;
    std::vector<Scalar> scalars;
    std::vector<Piece> pieces;
    size_t done = 0;                            ///< pieces
    std::vector<std::vector<std::byte>> copies; ///< one an operand
    std::vector<View> own;
  };
  struct Event {
    bool isSet = false;
    const StepCode *by = nullptr;
  };

  const BlockCode &code;
  BlockMachine &machine;
  InstructionUnit unit;
  const RoutineCode *kernel = nullptr;
  Schedule schedule;
  std::mt19937_64 random;
  std::vector<std::deque<Entry>> queues; ///< by number in kernel->pipes
  std::vector<int> pipeNumbers;          ///< in code.pipes -> in queues
  std::vector<Event> events;
  std::vector<const StepCode *> steps; ///< by entry number
  std::map<int, ByteMap> wanted; ///< by buffer, in program order; 0: global
  std::vector<ByteMap> actual;   ///< by level, global memory last
  std::vector<std::pair<int64_t, int64_t>> arguments; ///< address, bytes
  std::vector<size_t> order; ///< of pipes, for Priority
  std::vector<size_t> able;  ///< pipes that can go on
  int barriers = 0;
  size_t queued = 0; ///< entries in all queues

  void instruction(const StepCode &step, std::span<const View> operands,
                   std::span<const Scalar> scalars) override;
  void event(const StepCode &step) override;
  Scalar load(const StepCode &step, const View &view) override;

  ByteMap &wantedOf(const View &view);
  ByteMap &actualOf(const View &view);
  size_t queueOf(const StepCode &step) const;
  void addPieces(Entry &entry, const OperandAccess &access, int parts);
  void expect(const StepCode &step, Piece &piece);

  bool canGoOn(size_t pipe) const;
  size_t choose(const std::vector<size_t> &able);
  size_t helper(size_t pipe) const;
  void advance(size_t pipe);
  void pop(size_t pipe);
  void instructionStep(Entry &entry);
  void startCopies(Entry &entry);
  void check(const StepCode &step, const Piece &piece) const;
  bool advanceOne(); ///< false if nobody can
  void makeRoom();
  void runUntilEmpty(int pipe); ///< -1: all pipes
  [[noreturn]] void failStuck() const;
  void checkEnd() const;

  std::string nameOf(const StepCode &step) const;
  std::string levelName(int level) const;
  std::string difference(int wanted, int actual) const;
};

} // namespace tilewright::execute
