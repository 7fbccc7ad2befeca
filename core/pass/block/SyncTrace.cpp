//===- SyncTrace.cpp - what events order in a kernel ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pass/block/SyncTrace.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace tilewright::pass {

bool Place::overlaps(const Place &other) const {
  if (begin >= 0 && other.begin >= 0)
    return level == other.level && begin < other.end && other.begin < end;
  return root == other.root;
}

Place placeOf(Value memref) {
  Place place;
  place.root = block::underlyingBuffer(memref);
  auto type = cast<MemRefType>(place.root.getType());
  place.level = block::levelOf(type);
  auto alloc = place.root.getDefiningOp<block::AllocOp>();
  if (!alloc || !alloc.getOffset())
    return place;
  int64_t bits =
      type.getElementType().isIntOrFloat() ? type.getElementTypeBitWidth() : 64;
  int64_t bytes = (bits + 7) / 8;
  place.begin = *alloc.getOffset();
  place.end = place.begin + type.getNumElements() * bytes;
  // A view at a place known now touches no more than from its first to its
  // last element.
  auto view = cast<MemRefType>(memref.getType());
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  if (memref == place.root || !view.hasStaticShape() ||
      failed(getStridesAndOffset(view, strides, offset)) ||
      ShapedType::isDynamic(offset) || ShapedType::isDynamicShape(strides) ||
      view.getNumElements() == 0)
    return place;
  int64_t last = offset;
  for (auto [size, stride] : llvm::zip(view.getShape(), strides))
    last += (size - 1) * stride;
  place.end = std::min(place.end, place.begin + (last + 1) * bytes);
  place.begin += offset * bytes;
  return place;
}

std::optional<int64_t> turnsOf(scf::ForOp loop) {
  std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound());
  std::optional<int64_t> upper = getConstantIntValue(loop.getUpperBound());
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  if (!lower || !upper || !step || *step < 1)
    return std::nullopt;
  return std::max<int64_t>(0, (*upper - *lower + *step - 1) / *step);
}

SyncTrace::SyncTrace(Region &body) {
  SmallVector<Operation *> path;
  number(body.front(), path);
  conflicts.resize(allSites.size());
  for (size_t a = 0; a < allSites.size(); ++a)
    for (size_t b = 0; b < a; ++b)
      if (allSites[a].pipe != allSites[b].pipe &&
          conflict(allSites[a], allSites[b])) {
        conflicts[a].push_back(int(b));
        conflicts[b].push_back(int(a));
      }
  // Three turns of each loop, unless nests make that too much.
  constexpr size_t manySteps = 20000;
  for (int64_t most : {3, 2}) {
    traces.clear();
    traces.emplace_back();
    writeOut(body.front(), most, most, traces.back());
    if (traces.back().steps.size() < manySteps)
      break;
  }
  if (unknownLoops) {
    traces.emplace_back();
    writeOut(body.front(), 0, 2, traces.back());
  }
  for (Trace &trace : traces)
    findNeeds(trace);
}

void SyncTrace::number(Block &block, SmallVectorImpl<Operation *> &path) {
  for (Operation &op : block) {
    if (block::isInstruction(&op)) {
      if (block::pipeOf(&op).empty())
        continue;
      auto [pipe, isNew] =
          pipeNumbers.try_emplace(block::pipeOf(&op), pipeNames.size());
      if (isNew)
        pipeNames.push_back(block::pipeOf(&op).str());
      numbers.try_emplace(&op, numbers.size());
      siteOf[&op] = int(allSites.size());
      Site &site = allSites.emplace_back();
      site.op = &op;
      site.pipe = pipe->second;
      block::Accesses accesses = block::accessesOf(&op);
      for (Value value : accesses.reads)
        site.reads.push_back(placeOf(value));
      for (Value value : accesses.writes)
        site.writes.push_back(placeOf(value));
      site.path.assign(path.begin(), path.end());
      site.path.push_back(&op);
      continue;
    }
    if (!op.getNumRegions())
      continue;
    size_t before = allSites.size();
    unsigned here = numbers.size();
    numbers.try_emplace(&op, here);
    path.push_back(&op);
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        number(inner, path);
    path.pop_back();
    auto loop = dyn_cast<scf::ForOp>(op);
    if (allSites.size() > before && (!loop || !turnsOf(loop)))
      unknownLoops = true;
  }
}

bool SyncTrace::conflict(const Site &a, const Site &b) {
  auto overlap = [](ArrayRef<Place> xs, ArrayRef<Place> ys) {
    return llvm::any_of(xs, [&](const Place &x) {
      return llvm::any_of(ys, [&](const Place &y) { return x.overlaps(y); });
    });
  };
  return overlap(a.writes, b.reads) || overlap(a.reads, b.writes) ||
         overlap(a.writes, b.writes);
}

void SyncTrace::writeOut(Block &block, int64_t unknownTurns, int64_t mostTurns,
                         Trace &trace) const {
  for (Operation &op : block) {
    auto it = numbers.find(&op);
    if (it == numbers.end())
      continue;
    trace.steps.push_back(~int(2 * it->second));
    if (auto site = siteOf.find(&op); site != siteOf.end()) {
      trace.steps.push_back(site->second);
    } else {
      auto loop = dyn_cast<scf::ForOp>(op);
      std::optional<int64_t> known = loop ? turnsOf(loop) : std::nullopt;
      int64_t turns = std::min(known.value_or(unknownTurns), mostTurns);
      for (int64_t turn = 0; turn < turns; ++turn)
        for (Region &region : op.getRegions())
          for (Block &inner : region)
            writeOut(inner, unknownTurns, mostTurns, trace);
    }
    trace.steps.push_back(~int(2 * it->second + 1));
  }
}

void SyncTrace::findNeeds(Trace &trace) const {
  SmallVector<int> latest(allSites.size(), -1);
  trace.needs.resize(trace.steps.size());
  for (int t = 0; t < int(trace.steps.size()); ++t) {
    int site = trace.steps[t];
    if (site < 0)
      continue;
    SmallVector<int, 4> &needs = trace.needs[t];
    needs.assign(pipeNames.size(), -1);
    for (int other : conflicts[site]) {
      int &need = needs[allSites[other].pipe];
      need = std::max(need, latest[other]);
    }
    latest[site] = t;
  }
}

bool SyncTrace::ordered(ArrayRef<SyncEvent> events) const {
  // Sets before waits where both stand at one point, as they are inserted.
  SmallVector<SmallVector<std::pair<int, bool>, 2>> atPoint(2 * numbers.size());
  auto indexOf = [&](const SyncEvent::Point &point) {
    return 2 * numbers.lookup(point.op) + (point.after ? 1 : 0);
  };
  for (auto [i, event] : llvm::enumerate(events))
    if (event.active)
      for (const SyncEvent::Point &point : event.sets)
        atPoint[indexOf(point)].push_back({int(i), true});
  for (auto [i, event] : llvm::enumerate(events))
    if (event.active)
      for (const SyncEvent::Point &point : event.waits)
        atPoint[indexOf(point)].push_back({int(i), false});
  return llvm::all_of(traces, [&](const Trace &trace) {
    return ordered(trace, events, atPoint);
  });
}

bool SyncTrace::ordered(
    const Trace &trace, ArrayRef<SyncEvent> events,
    ArrayRef<SmallVector<std::pair<int, bool>, 2>> atPoint) const {
  unsigned count = pipeNames.size();
  // clocks[p][q]: the step of q up to which p knows it to be done.
  SmallVector<SmallVector<int, 6>, 6> clocks(count,
                                             SmallVector<int, 6>(count, -1));
  struct State {
    bool set = false;
    int waited = -1; ///< step of the last wait
    SmallVector<int, 6> clock;
  };
  // Events of one id are one: the first of them holds the state.
  SmallVector<State> states(events.size());
  SmallVector<int> stateOf(events.size());
  llvm::DenseMap<std::pair<unsigned, int64_t>, int> byId;
  for (auto [i, event] : llvm::enumerate(events)) {
    stateOf[i] = int(i);
    if (event.active && event.id && !event.barrier)
      stateOf[i] =
          byId.try_emplace({event.from * count + event.to, *event.id}, int(i))
              .first->second;
  }
  auto join = [&](SmallVectorImpl<int> &into, ArrayRef<int> from) {
    for (unsigned p = 0; p < count; ++p)
      into[p] = std::max(into[p], from[p]);
  };
  for (int t = 0; t < int(trace.steps.size()); ++t) {
    int step = trace.steps[t];
    if (step >= 0) {
      unsigned pipe = allSites[step].pipe;
      for (unsigned p = 0; p < count; ++p)
        if (clocks[pipe][p] < trace.needs[t][p])
          return false;
      clocks[pipe][pipe] = t;
      continue;
    }
    for (auto [e, isSet] : atPoint[~step]) {
      const SyncEvent &event = events[e];
      if (event.barrier) {
        SmallVector<int, 6> all(count, -1);
        for (unsigned p = 0; p < count; ++p)
          join(all, clocks[p]);
        for (unsigned p = 0; p < count; ++p)
          clocks[p] = all;
        continue;
      }
      State &state = states[stateOf[e]];
      if (isSet) {
        if (state.set || clocks[event.from][event.to] < state.waited)
          return false;
        clocks[event.from][event.from] = t;
        state.set = true;
        state.clock = clocks[event.from];
      } else {
        if (!state.set)
          return false;
        join(clocks[event.to], state.clock);
        clocks[event.to][event.to] = t;
        state.set = false;
        state.waited = t;
      }
    }
  }
  return llvm::none_of(states, [](const State &state) { return state.set; });
}

} // namespace tilewright::pass
