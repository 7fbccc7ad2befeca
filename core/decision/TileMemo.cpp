//===- TileMemo.cpp - tile choices that were made before ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/decision/TileMemo.h"
#include <cstring>

namespace tilewright::decision {

namespace {

/// Appends values so that no two lists of values give one text.
class Writer {
public:
  std::string text;

  void add(double value) { raw(&value, sizeof value); }
  void add(int64_t value) { raw(&value, sizeof value); }
  void add(bool value) { text += value ? '1' : '0'; }
  void add(const std::string &value) {
    add(int64_t(value.size()));
    text += value;
  }
  void add(const char *) = delete;
  void add(const target::Figure &figure) { add(figure.value); }
  void add(const std::vector<bool> &values) {
    add(int64_t(values.size()));
    for (bool value : values)
      add(value);
  }
  void add(const target::Stop &stop) {
    add(stop.level);
    add(stop.layout);
  }
  template <typename T> void add(const std::vector<T> &values) {
    add(int64_t(values.size()));
    for (const T &value : values)
      add(value);
  }

private:
  void raw(const void *from, size_t size) {
    text.append(static_cast<const char *>(from), size);
  }
};

void addProblem(Writer &writer, const TileProblem &problem) {
  auto add = [&](const auto &...values) { (writer.add(values), ...); };
  add(problem.matmul, problem.attention, problem.visibleKeys.has_value());
  if (const std::optional<KeyBand> &band = problem.visibleKeys)
    add(band->from, band->to, band->rowFrom, band->rowTo);
  add(int64_t(problem.dims.size()));
  for (const Dimension &dimension : problem.dims)
    add(dimension.name, dimension.extent, dimension.parallel,
        dimension.sequential);
  add(problem.lhsBytes, problem.rhsBytes, problem.resultBytes, problem.dtype,
      problem.lhsRowBytes, problem.rhsRowBytes, problem.lhsTransposed,
      problem.rhsTransposed, problem.matmuls, problem.sharedLhs,
      problem.lhsWeight, problem.rhsWeight, problem.lhsPrologueBytes,
      problem.rhsPrologueBytes, problem.sequentialRows, problem.computesRows);
  for (const auto *buffers : {&problem.buffers, &problem.pieceBuffers}) {
    add(int64_t(buffers->size()));
    for (const TileProblem::Buffer &buffer : *buffers)
      add(buffer.elementBytes, buffer.along);
  }
  add(int64_t(problem.work.size()));
  for (const TileProblem::Work &work : problem.work)
    add(work.op, work.dtype, work.along);
  add(int64_t(problem.tensors.size()));
  for (const TileProblem::Tensor &tensor : problem.tensors)
    add(tensor.elementBytes, tensor.along, tensor.written);
}

void addTarget(Writer &writer, const target::Target &target) {
  auto add = [&](const auto &...values) { (writer.add(values), ...); };
  add(target.name, int64_t(target.cores.size()));
  for (const target::CoreKind &core : target.cores) {
    add(core.name, core.count, int64_t(core.pipes.size()));
    for (const target::Pipe &pipe : core.pipes)
      add(pipe.name);
  }
  add(int64_t(target.levels.size()));
  for (const target::Level &level : target.levels)
    add(level.name, level.core, level.kind, level.capacity, level.usable,
        level.alignment, level.sharedBandwidth);
  add(int64_t(target.moves.size()));
  for (const target::Move &move : target.moves)
    add(move.from, move.to, move.core, move.pipe, move.bytesPerSecond,
        move.seconds, move.pieceSeconds);
  add(int64_t(target.rates.size()));
  for (const target::ComputeRate &rate : target.rates)
    add(rate.op, rate.dtype, rate.core, rate.pipe, rate.perSecond, rate.seconds,
        rate.granule[0], rate.granule[1], rate.granule[2]);
  add(int64_t(target.placements.size()));
  for (const target::Placement &placement : target.placements) {
    add(placement.op, placement.core, placement.operands, placement.result,
        int64_t(placement.tileLevels.size()));
    for (const target::TileLevel &level : placement.tileLevels)
      add(level.name, level.levels);
  }
  add(target.registerBlock.rows, target.registerBlock.columns,
      target.registerBlock.vectorBytes, target.bf16Block.rows,
      target.bf16Block.columns, target.bf16Block.multiple,
      target.streamingBytes, target.scheduling.launch,
      target.scheduling.coreStart, target.scheduling.dispatch,
      target.scheduling.event, target.scheduling.eventIds);
}

} // namespace

std::string textOf(const TileProblem &problem, const target::Target &target,
                   double budget) {
  Writer writer;
  writer.text.reserve(4096);
  writer.add(budget);
  addProblem(writer, problem);
  addTarget(writer, target);
  return std::move(writer.text);
}

std::optional<TileChoice> TileMemo::find(const std::string &text) {
  std::lock_guard lock(mutex);
  if (auto it = young.find(text); it != young.end())
    return it->second;
  auto it = old.find(text);
  if (it == old.end())
    return std::nullopt;
  TileChoice choice = it->second;
  auto node = old.extract(it);
  young.insert(std::move(node));
  return choice;
}

void TileMemo::add(std::string text, const TileChoice &choice) {
  std::lock_guard lock(mutex);
  if (young.size() >= most) {
    old = std::move(young);
    young.clear();
  }
  young.emplace(std::move(text), choice);
}

} // namespace tilewright::decision
