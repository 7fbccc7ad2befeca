//===- MemoryMapBuilder.cpp - the memory map of a Block graph -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/inspect/MemoryMapBuilder.h"
#include "core/dialect/Block/BufferLife.h"
#include "core/dialect/Key.h"
#include "core/inspect/NamedPrinter.h"
#include "core/inspect/ShownTypes.h"
#include "core/model/StableSort.h"
#include "llvm/ADT/SetVector.h"
#include <map>
#include <numeric>

using namespace mlir;

namespace tilewright::inspect {

namespace {

std::vector<std::string> keyList(Location loc) {
  std::vector<std::string> keys;
  for (StringRef key : keysOf(loc))
    keys.push_back(key.str());
  return keys;
}

class KernelMap {
public:
  KernelMap(block::KernelOp kernel, const target::Target &target,
            const llvm::DenseMap<Value, std::string> &names, ShownTypes &shown)
      : kernel(kernel), target(target), names(names), shown(shown) {}

  model::KernelMemory build() {
    map.kernel = kernel.getSymName().str();
    map.id = "kernel:" + map.kernel;
    map.core = kernel.getCore().str();
    map.keys = keyList(kernel.getLoc());
    kernel->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (block::isInstruction(op))
        addStep(op);
    });
    kernel->walk<WalkOrder::PreOrder>([&](scf::ForOp loop) { addLoop(loop); });
    addBuffers();
    for (auto &[order, level] : levels) {
      findReuse(level);
      findPeak(level);
      map.levels.push_back(std::move(level));
    }
    return std::move(map);
  }

private:
  std::string nameOf(Value value) const {
    auto it = names.find(value);
    return it == names.end() ? std::string() : it->second;
  }

  void addStep(Operation *op) {
    model::MapStep step;
    step.op = op->getName().getStringRef().str();
    step.pipe = block::pipeOf(op).str();
    step.keys = keyList(op->getLoc());
    for (Value write : block::accessesOf(op).writes)
      if (step.label.empty())
        step.label = nameOf(block::underlyingBuffer(write));
    positionOfStep.push_back(positions.lookup(op).first);
    map.steps.push_back(std::move(step));
  }

  /// The steps at the positions `first` to `last`; empty if first > last.
  std::pair<int64_t, int64_t> stepsAt(unsigned first, unsigned last) const {
    auto begin = llvm::lower_bound(positionOfStep, first);
    auto end = llvm::upper_bound(positionOfStep, last);
    return {begin - positionOfStep.begin(), end - positionOfStep.begin() - 1};
  }

  void addLoop(scf::ForOp op) {
    auto [from, to] = positions.lookup(op);
    auto [first, last] = stepsAt(from, to);
    if (first > last)
      return;
    model::MapLoop loop;
    loop.label = nameOf(op.getInductionVar());
    loop.first = first;
    loop.last = last;
    auto lower = getConstantIntValue(op.getLowerBound()),
         upper = getConstantIntValue(op.getUpperBound()),
         step = getConstantIntValue(op.getStep());
    if (lower && upper && step && *step > 0 && *upper >= *lower)
      loop.turns = (*upper - *lower + *step - 1) / *step;
    for (Operation *parent = op->getParentOp(); parent && parent != kernel;
         parent = parent->getParentOp())
      loop.depth += isa<LoopLikeOpInterface>(parent);
    map.loops.push_back(std::move(loop));
  }

  model::MapLevel &levelNamed(StringRef name) {
    size_t order = 0;
    while (order < target.levels.size() && target.levels[order].name != name)
      ++order;
    auto [it, isNew] = levels.try_emplace({order, name.str()});
    model::MapLevel &level = it->second;
    if (isNew) {
      level.name = name.str();
      if (order < target.levels.size()) {
        level.kind = target.levels[order].kind;
        level.capacity = int64_t(target.levels[order].capacity.value);
        level.usable = target.usableBytes(level.name);
      }
    }
    return level;
  }

  void addBuffers() {
    for (const block::BufferLife &life : block::livesIn(kernel, positions)) {
      block::AllocOp alloc = life.alloc;
      if (!alloc.getOffset())
        continue;
      auto type = cast<MemRefType>(alloc.getType());
      model::MapBuffer buffer;
      buffer.name = nameOf(alloc.getResult());
      buffer.id = map.kernel + "/" + buffer.name;
      buffer.keys = keyList(alloc.getLoc());
      buffer.type = shown.of(type);
      buffer.offset = life.offset;
      buffer.bytes = life.bytes;
      auto [first, last] = stepsAt(life.first, life.last);
      buffer.first = std::max<int64_t>(
          0, std::min<int64_t>(first, int64_t(map.steps.size()) - 1));
      buffer.last = std::max(last, buffer.first);
      buffer.used = life.used;
      llvm::SmallSetVector<StringRef, 4> writers;
      SmallVector<Operation *> uses = block::usesOfBuffer(alloc.getResult());
      llvm::sort(uses, [&](Operation *a, Operation *b) {
        return positions.lookup(a).first < positions.lookup(b).first;
      });
      for (Operation *use : uses) {
        if (!block::isInstruction(use))
          continue;
        for (Value write : block::accessesOf(use).writes)
          if (block::underlyingBuffer(write) == alloc.getResult())
            if (StringRef key = primaryKey(use); !key.empty())
              writers.insert(key);
        if (auto move = dyn_cast<block::MoveOp>(use);
            move && move.getLayout() && buffer.type.layout.empty() &&
            block::underlyingBuffer(move.getDest()) == alloc.getResult())
          buffer.type.layout = shown.textOf(*move.getLayout());
      }
      for (StringRef key : writers)
        buffer.writers.push_back(key.str());
      levelNamed(buffer.type.level).buffers.push_back(std::move(buffer));
    }
  }

  /// Buffers in the order they come alive write themselves over a map of
  /// addresses; what they write over, they reuse.
  static void findReuse(model::MapLevel &level) {
    std::vector<size_t> order(level.buffers.size());
    std::iota(order.begin(), order.end(), size_t(0));
    model::stableSort(order, [&](size_t a, size_t b) {
      return level.buffers[a].first < level.buffers[b].first;
    });
    struct Held {
      int64_t end;
      size_t by;
    };
    std::map<int64_t, Held> held; // by begin; ranges do not overlap
    for (size_t i : order) {
      model::MapBuffer &buffer = level.buffers[i];
      int64_t begin = buffer.offset, end = begin + buffer.bytes;
      if (begin == end)
        continue;
      llvm::SmallSetVector<size_t, 4> before;
      auto it = held.upper_bound(begin);
      if (it != held.begin() && std::prev(it)->second.end > begin)
        --it;
      while (it != held.end() && it->first < end) {
        auto [from, range] = *it;
        before.insert(range.by);
        it = held.erase(it);
        if (from < begin)
          held[from] = {begin, range.by};
        if (range.end > end)
          it = held.insert({end, {range.end, range.by}}).first;
      }
      held[begin] = {end, i};
      for (size_t earlier : before)
        buffer.reuses.push_back(level.buffers[earlier].id);
    }
  }

  static void findPeak(model::MapLevel &level) {
    std::map<int64_t, int64_t> change; // step -> bytes more
    for (const model::MapBuffer &buffer : level.buffers) {
      level.highWater = std::max(level.highWater, buffer.offset + buffer.bytes);
      change[buffer.first] += buffer.bytes;
      change[buffer.last + 1] -= buffer.bytes;
    }
    int64_t alive = 0;
    for (auto [step, bytes] : change) {
      alive += bytes;
      if (alive > level.peakBytes) {
        level.peakBytes = alive;
        level.peakStep = step;
      }
    }
    std::vector<const model::MapBuffer *> there;
    for (const model::MapBuffer &buffer : level.buffers)
      if (buffer.first <= level.peakStep && level.peakStep <= buffer.last)
        there.push_back(&buffer);
    model::stableSort(there, [](const auto *a, const auto *b) {
      return a->bytes > b->bytes;
    });
    for (const model::MapBuffer *buffer : there)
      level.atPeak.push_back(buffer->id);
  }

  block::KernelOp kernel;
  const target::Target &target;
  const llvm::DenseMap<Value, std::string> &names;
  ShownTypes &shown;
  block::ProgramPositions positions = block::positionsIn(kernel);
  SmallVector<unsigned> positionOfStep; ///< ascending
  model::KernelMemory map;
  /// By place in the target, outermost first; then by name.
  std::map<std::pair<size_t, std::string>, model::MapLevel> levels;
};

} // namespace

model::MemoryMap buildMemoryMap(ModuleOp module, const target::Target &target) {
  model::MemoryMap map;
  map.target = target.name;
  ShownTypes shown;
  llvm::DenseMap<Value, std::string> names = printedNames(module);
  for (auto kernel : module.getOps<block::KernelOp>())
    map.kernels.push_back(KernelMap(kernel, target, names, shown).build());
  return map;
}

bool hasOffsets(ModuleOp module) {
  bool any = false;
  for (auto kernel : module.getOps<block::KernelOp>()) {
    any = true;
    bool all = true;
    kernel.walk(
        [&](block::AllocOp alloc) { all &= alloc.getOffset().has_value(); });
    if (!all)
      return false;
  }
  return any;
}

} // namespace tilewright::inspect
