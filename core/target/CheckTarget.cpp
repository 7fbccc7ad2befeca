//===- CheckTarget.cpp - what is inconsistent in a machine description ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/target/Target.h"
#include <algorithm>
#include <cmath>
#include <set>

namespace tilewright::target {

namespace {
class Checker {
public:
  explicit Checker(const Target &target) : target(target) {}

  std::vector<std::string> run() {
    if (target.name.empty())
      add("it has no name");
    checkFigure("clock", target.clock, /*positive=*/true);
    checkFigure("peakAllCores", target.peakAllCores);
    for (const CoreKind &core : target.cores)
      checkCore(core);
    if (target.cores.empty())
      add("it has no cores");
    for (const Level &level : target.levels)
      checkLevel(level);
    if (!target.level(Target::globalMemory))
      add("it has no level GM");
    for (const Move &move : target.moves)
      checkMove(move);
    for (const ComputeRate &rate : target.rates)
      checkRate(rate);
    for (const Placement &placement : target.placements)
      checkPlacement(placement);
    const RegisterBlock &block = target.registerBlock;
    if (block.rows < 0 || block.columns < 0 || block.rows > 1024 ||
        block.columns > 1024 || (block.rows == 0) != (block.columns == 0))
      add("registerBlock " + std::to_string(block.rows) + " x " +
          std::to_string(block.columns) + " is no block");
    checkFigure("scheduling.launch", target.scheduling.launch);
    checkFigure("scheduling.coreStart", target.scheduling.coreStart);
    checkFigure("scheduling.dispatch", target.scheduling.dispatch);
    checkFigure("scheduling.event", target.scheduling.event);
    return std::move(problems);
  }

private:
  const Target &target;
  std::vector<std::string> problems;
  std::set<std::string> seen;

  void add(std::string problem) { problems.push_back(std::move(problem)); }

  void checkUnique(const std::string &what) {
    if (!seen.insert(what).second)
      add(what + " is given twice");
  }

  void checkFigure(const std::string &what, const Figure &figure,
                   bool positive = false) {
    if (!std::isfinite(figure.value) || figure.value < 0 ||
        figure.value > 1e18 || (positive && figure.value == 0))
      add(what + " is " + std::to_string(figure.value));
    else if (figure.value != 0 && figure.source.empty())
      add(what + " names no source");
  }

  void checkCore(const CoreKind &core) {
    std::string what = "core " + core.name;
    checkUnique(what);
    checkFigure(what + ".count", core.count, /*positive=*/true);
    if (core.count.value > 1e6)
      add(what + ".count is above a million");
    if (core.pipes.empty())
      add(what + " has no pipes");
    for (const Pipe &pipe : core.pipes)
      checkUnique("pipe " + core.name + "." + pipe.name);
  }

  void checkLevel(const Level &level) {
    std::string what = "level " + level.name;
    checkUnique(what);
    checkFigure(what + ".capacity", level.capacity, /*positive=*/true);
    checkFigure(what + ".usable", level.usable, /*positive=*/true);
    checkFigure(what + ".sharedBandwidth", level.sharedBandwidth);
    if (level.usable.value > level.capacity.value)
      add(what + ".usable is above its capacity");
    if (level.alignment < 1 || (level.alignment & (level.alignment - 1)))
      add(what + ".alignment " + std::to_string(level.alignment) +
          " is no power of two");
    if (!level.core.empty() && !target.core(level.core))
      add(what + " belongs to core " + level.core + ", which does not exist");
    if (level.kind != "memory" && level.kind != "cache" &&
        level.kind != "register")
      add(what + ".kind '" + level.kind +
          "' is none of memory, cache, register");
    for (const std::string &layout : level.layouts)
      checkLayout(what, layout);
  }

  void checkLayout(const std::string &what, const std::string &layout) {
    static const std::set<std::string> known = {
        "row_major", "col_major", "nz", "zz", "zn", "packed"};
    if (!known.count(layout))
      add(what + " has the unknown layout '" + layout + "'");
  }

  void checkPipe(const std::string &what, const std::string &core,
                 const std::string &pipe) {
    const CoreKind *found = target.core(core);
    if (!found) {
      add(what + " is on core '" + core + "', which does not exist");
      return;
    }
    if (std::none_of(found->pipes.begin(), found->pipes.end(),
                     [&](const Pipe &p) { return p.name == pipe; }))
      add(what + " is on pipe '" + pipe + "', which core " + core + " lacks");
  }

  void checkMove(const Move &move) {
    std::string what = "move " + move.from + " to " + move.to;
    checkUnique(what);
    for (const std::string &level : {move.from, move.to})
      if (!target.level(level))
        add(what + ": there is no level '" + level + "'");
    checkPipe(what, move.core, move.pipe);
    checkFigure(what + ".bytesPerSecond", move.bytesPerSecond, true);
    checkFigure(what + ".seconds", move.seconds);
  }

  void checkRate(const ComputeRate &rate) {
    std::string what = "rate of " + rate.op + " " + rate.dtype;
    checkUnique(what);
    checkPipe(what, rate.core, rate.pipe);
    checkFigure(what + ".perSecond", rate.perSecond, true);
    checkFigure(what + ".seconds", rate.seconds);
    for (int64_t granule : rate.granule)
      if (granule < 1 || granule > 65536)
        add(what + " has the granule " + std::to_string(granule));
  }

  void checkPath(const std::string &what, const std::vector<Stop> &path) {
    if (path.empty())
      add(what + " is empty");
    for (const Stop &stop : path) {
      const Level *level = target.level(stop.level);
      if (!level)
        add(what + ": there is no level '" + stop.level + "'");
      else if (!level->layouts.empty() &&
               std::find(level->layouts.begin(), level->layouts.end(),
                         stop.layout) == level->layouts.end())
        add(what + ": level " + stop.level + " does not hold layout '" +
            stop.layout + "'");
      checkLayout(what, stop.layout);
    }
    for (size_t i = 1; i < path.size(); ++i)
      if (!target.move(path[i - 1].level, path[i].level))
        add(what + ": there is no move from " + path[i - 1].level + " to " +
            path[i].level);
  }

  void checkPlacement(const Placement &placement) {
    std::string what = "placement of " + placement.op;
    checkUnique(what);
    if (!target.core(placement.core))
      add(what + " is on core '" + placement.core + "', which does not exist");
    if (placement.operands.empty())
      add(what + " has no operands");
    for (size_t i = 0; i < placement.operands.size(); ++i)
      checkPath(what + ", operand " + std::to_string(i), placement.operands[i]);
    checkPath(what + ", result", placement.result);
    for (const TileLevel &tile : placement.tileLevels)
      for (const std::string &level : tile.levels)
        if (!target.level(level))
          add(what + ", tile level " + tile.name + ": there is no level '" +
              level + "'");
  }
};
} // namespace

std::vector<std::string> problemsOf(const Target &target) {
  return Checker(target).run();
}

} // namespace tilewright::target
