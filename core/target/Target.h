//===- Target.h - a machine description -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The struct behind resources/targets/*.json. Every figure carries its source.
// Units are fixed by the field: bytes, seconds, bytes per second, operations
// per second, hertz.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/JsonForm.h"
#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::target {

/// A number and where it comes from: a name out of `Target::sources`, or free
/// text ("measured", "assumed: …").
struct Figure {
  double value = 0;
  std::string source;
};

/// In-order instruction queue of a core.
struct Pipe {
  std::string name;        ///< "CUBE", "MTE2"
  std::string description; ///< for a person
};

/// Cores that are alike. Names used by block.kernel: "cube", "vector", "any".
struct CoreKind {
  std::string name;
  Figure count;    ///< that programs may use
  Figure physical; ///< that there are, for display; 0: as `count`
  std::vector<Pipe> pipes;
};

/// A memory level. The outermost, shared by all cores, is always named "GM".
struct Level {
  std::string name;        ///< "L1", "UB", "cache2"
  std::string description; ///< for a person
  std::string core;        ///< kind of core that owns one each; empty: shared
  /// "memory": addressed by instructions. "cache": fills by itself, so that a
  /// move to it is no copy. "register".
  std::string kind = "memory";
  Figure capacity;       ///< bytes, physical, for display
  Figure usable;         ///< bytes, for legality
  int64_t alignment = 1; ///< bytes, of a buffer's offset
  std::string alignmentSource;
  std::vector<std::string> layouts; ///< allowed; empty: any
  /// Total for all cores, bytes per second; 0 where only the moves limit.
  Figure sharedBandwidth;
};

/// A legal move and what it costs one core that has the pipe to itself.
struct Move {
  std::string from;
  std::string to;
  std::string core; ///< kind of core that does it
  std::string pipe;
  Figure bytesPerSecond;
  Figure seconds; ///< fixed part of each instruction
  /// Least time of each piece that lies side by side in global memory: what
  /// rows shorter than that cost. 0: none.
  Figure pieceSeconds;
};

/// How fast one core computes. `perSecond` counts flop for matmul (2 m n k),
/// elements written for elementwise operations, elements read for reductions.
struct ComputeRate {
  std::string op;    ///< matmul, elementwise, transcendental, reduction, cast
  std::string dtype; ///< of the operands; "*" for any other
  std::string core;
  std::string pipe;
  Figure perSecond;
  Figure seconds; ///< fixed part of each instruction
  /// matmul: m, n, k are rounded up to multiples of these.
  std::array<int64_t, 3> granule = {1, 1, 1};
  std::string granuleSource;
};

/// Where a value is on its way, and how it lies there (#tile.layout's kinds).
struct Stop {
  std::string level;
  std::string layout = "row_major";
  friend bool operator==(const Stop &, const Stop &) = default;
};

/// A name a tile decision uses, and the levels it sizes ("L0": L0A, L0B, L0C).
struct TileLevel {
  std::string name;
  std::vector<std::string> levels;
};

/// Where operands and results of a class of operations must live. Each path
/// runs from GM to the level the unit reads, or from the level it writes to GM;
/// consecutive stops are legal moves. The last operand path repeats.
struct Placement {
  std::string op; ///< as in ComputeRate; "*" for any other
  std::string core;
  std::vector<std::vector<Stop>> operands;
  std::vector<Stop> result;
  std::vector<TileLevel> tileLevels; ///< outermost first
};

/// Block of the packed matmul micro-kernel. `rows` x `columns` accumulators of
/// f32 fill the vector registers; 0 x 0: the target has no such kernel.
struct RegisterBlock {
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t vectorBytes = 0; ///< of one vector register
  std::string source;
  /// Steps of the depth that lie side by side for each row of the left and each
  /// column of the right operand, as the unit sums their products at once; the
  /// depth is padded to a multiple of `multiple` (#tile.layout).
  int64_t lhsGroup = 1, rhsGroup = 1, multiple = 1;
};

/// What starting and joining work costs, in seconds.
struct Scheduling {
  Figure launch;    ///< once for a program
  Figure coreStart; ///< once for each core
  Figure dispatch;  ///< for each task
  Figure event;     ///< set on one pipe until seen on another
  Figure eventIds;  ///< a number: events of one pair of pipes; 0: no limit
};

/// A machine variant. Immutable once loaded; safe to share between threads.
struct Target {
  static constexpr const char *schema = "tilewright/target";
  static constexpr int version = 1;

  std::string name;
  std::string description;
  std::vector<std::string> aliases;
  Figure clock;                      ///< hertz
  std::vector<std::string> features; ///< CPU: as LLVM names them ("avx2")
  std::string cpu;                   ///< CPU: model name; else empty
  /// f32 flop/s of all cores at once; 0: cores times their matmul rate.
  Figure peakAllCores;
  std::vector<CoreKind> cores;
  std::vector<Level> levels; ///< outermost first
  std::vector<Move> moves;
  std::vector<ComputeRate> rates;
  std::vector<Placement> placements;
  RegisterBlock registerBlock;
  /// Of products of bf16 whose panels stay bf16; 0 x 0: they become f32.
  RegisterBlock bf16Block;
  /// A result of so many bytes is out of the caches before it is read again:
  /// better written past them. 0: the target has no such writes.
  Figure streamingBytes;
  Scheduling scheduling;
  /// Short name of a source -> what it is.
  std::vector<std::pair<std::string, std::string>> sources;

  const Level *level(std::string_view name) const;
  /// 0 if there is no such level.
  int64_t usableBytes(std::string_view level) const;
  int64_t capacityBytes(std::string_view level) const;
  const CoreKind *core(std::string_view kind) const;
  int64_t coreCount(std::string_view kind) const;
  const Move *move(std::string_view from, std::string_view to) const;
  /// For `op` (matmul, elementwise, transcendental, reduction, cast) on
  /// `dtype`; falls back to dtype "*", then to elementwise. Null only if the
  /// target has no rate at all for it.
  const ComputeRate *rate(std::string_view op, std::string_view dtype) const;
  /// Null only if the target lists neither `op` nor "*".
  const Placement *placement(std::string_view op) const;
  /// Path of operand `index` of `op`; empty if there is no placement.
  std::vector<Stop> operandPath(std::string_view op, size_t index) const;
  /// Level a tile-decision name sizes for `op`; null if `op` has no such name.
  const TileLevel *tileLevel(std::string_view op, std::string_view name) const;
  /// Pipe an operation of class `op` on `dtype` runs on; empty if unknown.
  std::string pipeOf(std::string_view op, std::string_view dtype) const;
  /// Pipe of the move; empty if it is not legal.
  std::string pipeOfMove(std::string_view from, std::string_view to) const;
  /// Caches move by themselves: no instruction, no copy, unless the layout or
  /// the type changes.
  bool isCache(std::string_view level) const;
  /// The block of the packed micro-kernel for operands of `dtype`.
  const RegisterBlock &blockFor(std::string_view dtype) const;
  /// A cache that all cores share in front of GM; null if none is described.
  const Level *sharedCache() const;
  /// GM for every value that crosses kernels.
  static constexpr std::string_view globalMemory = "GM";
};

void to_json(nlohmann::json &json, const Target &target);
void from_json(const nlohmann::json &json, Target &target);

/// Everything that is inconsistent: names that do not exist, a path with an
/// illegal step, figures without a source, sizes that are no sizes. Pointers
/// are those of the target as JSON; empty if the target is sound.
std::vector<model::FormProblem> problemsOf(const Target &target);

/// All that is wrong with the text of a target file: first that it is no JSON
/// (TW0060), else that fields are missing, misspelt or of another type
/// (TW0061), else what is inconsistent (TW0071). Each names the field by its
/// JSON pointer and has its place in `text`; the `uri` is left to the caller.
std::vector<model::Diagnostic> checkTarget(std::string_view text);

/// Reads and checks one target. On failure `error` is TW0060, TW0061 or TW0071
/// and lists everything, as checkTarget does one by one.
std::optional<Target> readTarget(std::string_view text,
                                 model::Diagnostic &error);

} // namespace tilewright::target
