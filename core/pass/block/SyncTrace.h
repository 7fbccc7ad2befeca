//===- SyncTrace.h - what events order in a kernel --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The instructions of a kernel in the order in which they are given to their
// pipes, loops written out for up to three turns (first, any, last). Between
// two turns that follow each other everything that can happen between two later
// ones happens too, because a loop's buffers lie at the same bytes in each of
// its turns; so what is ordered here is ordered in the whole loop.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/dialect/Block/BlockDialect.h"
#include "llvm/ADT/StringMap.h"
#include <vector>

namespace tilewright::pass {

/// Bytes of an on-chip level, or a buffer of which no more is known.
struct Place {
  mlir::Value root;
  llvm::StringRef level;
  int64_t begin = -1, end = -1;

  bool overlaps(const Place &other) const;
};
Place placeOf(mlir::Value memref);

/// Sets and waits of one event between two pipes. Along every run of the kernel
/// they alternate, beginning with a set.
struct SyncEvent {
  struct Point {
    mlir::Operation *op = nullptr; ///< an instruction, or a loop with some in
    bool after = false;            ///< behind it, else before it
    friend bool operator==(const Point &, const Point &) = default;
  };
  unsigned from = 0, to = 0; ///< numbers of pipes; unused by a barrier
  llvm::SmallVector<Point, 2> sets, waits;
  /// Of an event from one turn of a loop to the next.
  mlir::Operation *loop = nullptr;
  std::optional<int64_t> id;
  bool barrier = false; ///< all pipes, at waits.front()
  bool active = true;
};

class SyncTrace {
public:
  /// An instruction on its pipe.
  struct Site {
    mlir::Operation *op;
    unsigned pipe;
    llvm::SmallVector<Place, 4> reads, writes;
    /// The operations around it, from the kernel's body inwards, then itself.
    llvm::SmallVector<mlir::Operation *, 4> path;
  };

  explicit SyncTrace(mlir::Region &body);

  llvm::ArrayRef<Site> sites() const { return allSites; }
  llvm::ArrayRef<std::string> pipes() const { return pipeNames; }
  /// Whether the order of the two matters.
  static bool conflict(const Site &a, const Site &b);
  /// Position in the program; the operation must be an instruction or hold one.
  unsigned numberOf(mlir::Operation *op) const { return numbers.lookup(op); }

  /// Whether the active events make every run right: instructions of different
  /// pipes that share bytes keep their order, no event is set before it has
  /// been waited for. Events of the same pipes and id are one.
  bool ordered(llvm::ArrayRef<SyncEvent> events) const;

private:
  /// Steps of a trace: a site, or ~point, points being numbered two an
  /// operation: before it, behind it.
  struct Trace {
    llvm::SmallVector<int> steps;
    /// For each step that is a site, and each pipe: the latest earlier step of
    /// that pipe it must come behind; -1: none.
    llvm::SmallVector<llvm::SmallVector<int, 4>> needs;
  };

  void number(mlir::Block &block,
              llvm::SmallVectorImpl<mlir::Operation *> &path);
  void writeOut(mlir::Block &block, int64_t unknownTurns, int64_t mostTurns,
                Trace &trace) const;
  void findNeeds(Trace &trace) const;
  bool ordered(
      const Trace &trace, llvm::ArrayRef<SyncEvent> events,
      llvm::ArrayRef<llvm::SmallVector<std::pair<int, bool>, 2>> atPoint) const;

  std::vector<Site> allSites;
  llvm::SmallVector<std::string> pipeNames;
  llvm::StringMap<unsigned> pipeNumbers;
  llvm::DenseMap<mlir::Operation *, unsigned> numbers;
  llvm::DenseMap<mlir::Operation *, int> siteOf;
  /// conflicts[a]: sites of other pipes whose order with a matters.
  llvm::SmallVector<llvm::SmallVector<int, 4>> conflicts;
  std::vector<Trace> traces;
  bool unknownLoops = false;
};

/// Turns of a loop, if they are known.
std::optional<int64_t> turnsOf(mlir::scf::ForOp loop);

} // namespace tilewright::pass
