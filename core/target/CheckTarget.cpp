//===- CheckTarget.cpp - what is inconsistent in a machine description ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/model/NearestName.h"
#include "core/target/Target.h"
#include <algorithm>
#include <cmath>
#include <set>

namespace tilewright::target {

namespace {
class Checker {
public:
  explicit Checker(const Target &target) : target(target) {}

  std::vector<model::FormProblem> run() {
    if (target.name.empty())
      add("/name", "a name", "is empty; a target needs a name");
    checkFigure("/clock", target.clock, /*positive=*/true);
    checkFigure("/peakAllCores", target.peakAllCores);
    checkFigure("/streamingBytes", target.streamingBytes);
    for (size_t i = 0; i < target.cores.size(); ++i)
      checkCore(at("/cores", i), target.cores[i]);
    if (target.cores.empty())
      add("/cores", "at least one kind of core", "is empty; it has no cores");
    for (size_t i = 0; i < target.levels.size(); ++i)
      checkLevel(at("/levels", i), target.levels[i]);
    if (!target.level(Target::globalMemory))
      add("/levels", "a level GM", "has no level GM");
    for (size_t i = 0; i < target.moves.size(); ++i)
      checkMove(at("/moves", i), target.moves[i]);
    for (size_t i = 0; i < target.rates.size(); ++i)
      checkRate(at("/rates", i), target.rates[i]);
    for (size_t i = 0; i < target.placements.size(); ++i)
      checkPlacement(at("/placements", i), target.placements[i]);
    // It may be shown and asked about all the same.
    if (target.rates.empty())
      warn("/rates", "what its cores compute, and how fast",
           "is empty: it computes nothing, so that no operator compiles for "
           "it");
    if (target.placements.empty())
      warn("/placements", "where operands and results lie",
           "is empty: nothing says where operands lie, so that no operator "
           "compiles for it");
    checkBlock("/registerBlock", target.registerBlock);
    checkBlock("/bf16Block", target.bf16Block);
    if (target.bf16Block.rows && !target.registerBlock.rows)
      add("/bf16Block", "a registerBlock beside it",
          "is for some products of a packed kernel that the target lacks");
    checkFigure("/scheduling/launch", target.scheduling.launch);
    checkFigure("/scheduling/coreStart", target.scheduling.coreStart);
    checkFigure("/scheduling/dispatch", target.scheduling.dispatch);
    checkFigure("/scheduling/event", target.scheduling.event);
    const Figure &ids = target.scheduling.eventIds;
    checkFigure("/scheduling/eventIds", ids);
    if (ids.value != std::floor(ids.value) || ids.value > 1e6)
      add("/scheduling/eventIds/value", "a whole number up to a million",
          "is " + number(ids.value) + ", which is no number of events");
    return std::move(problems);
  }

private:
  const Target &target;
  std::vector<model::FormProblem> problems;
  std::set<std::string> seen;

  static std::string at(const char *list, size_t index) {
    return std::string(list) + "/" + std::to_string(index);
  }

  void checkBlock(const std::string &pointer, const RegisterBlock &block) {
    auto text = [](int64_t number) { return std::to_string(number); };
    if (block.rows < 0 || block.columns < 0 || block.rows > 1024 ||
        block.columns > 1024 || (block.rows == 0) != (block.columns == 0))
      add(pointer, "rows and columns from 1 to 1024",
          text(block.rows) + " x " + text(block.columns) + " is no block");
    else if (block.rows && block.source.empty())
      add(pointer + "/source", "where the block comes from",
          "is missing: a figure names its source");
    auto isGroup = [&](int64_t group) {
      return group >= 1 && group <= 64 && block.multiple % group == 0;
    };
    if (block.multiple < 1 || block.multiple > 4096 ||
        !isGroup(block.lhsGroup) || !isGroup(block.rhsGroup))
      add(pointer, "a multiple from 1 to 4096 of groups from 1 to 64 steps",
          "groups of " + text(block.lhsGroup) + " and " + text(block.rhsGroup) +
              " steps do not fit the multiple " + text(block.multiple));
  }

  void add(std::string pointer, std::string expected, std::string message,
           std::string hint = "") {
    problems.push_back({std::move(pointer), std::move(expected),
                        std::move(message), std::move(hint),
                        model::Severity::Error});
  }

  void warn(std::string pointer, std::string expected, std::string message) {
    add(std::move(pointer), std::move(expected), std::move(message));
    problems.back().severity = model::Severity::Warning;
  }

  void checkUnique(const std::string &pointer, const std::string &what) {
    if (!seen.insert(what).second)
      add(pointer, "another name", "gives " + what + " twice");
  }

  static std::string number(double value) {
    return nlohmann::json(value).dump();
  }

  void checkFigure(const std::string &pointer, const Figure &figure,
                   bool positive = false) {
    if (!std::isfinite(figure.value) || figure.value < 0 ||
        figure.value > 1e18 || (positive && figure.value == 0))
      add(pointer + "/value", positive ? "a number above 0" : "a number from 0",
          "is " + number(figure.value) + ", where a number " +
              (positive ? "above 0" : "from 0") + " to 1e18 is expected");
    else if (figure.value != 0 && figure.source.empty())
      add(pointer + "/source",
          "a name out of \"sources\", or where the figure comes from",
          "is missing: a figure names its source");
  }

  /// Cores and bytes come whole.
  void checkWhole(const std::string &pointer, const Figure &figure,
                  const char *what) {
    if (std::isfinite(figure.value) && figure.value != std::floor(figure.value))
      add(pointer + "/value", std::string("a whole number of ") + what,
          "is " + number(figure.value) + ", which is no whole number of " +
              what);
  }

  /// There is no `what` called `name` among `names`.
  void addUnknown(const std::string &pointer, const std::string &what,
                  const std::string &name,
                  const std::vector<std::string> &names) {
    std::string known, near = model::nearestName(name, names);
    for (const std::string &each : names)
      known += (known.empty() ? "" : ", ") + each;
    add(pointer, known.empty() ? what : "one of " + known,
        "is \"" + name + "\", but there is no such " + what +
            (known.empty() ? "; there is none at all" : "; there are " + known),
        near.empty() ? "" : "did you mean \"" + near + "\"?");
  }

  void checkLevelName(const std::string &pointer, const std::string &name) {
    if (target.level(name))
      return;
    std::vector<std::string> names;
    for (const Level &level : target.levels)
      names.push_back(level.name);
    addUnknown(pointer, "level", name, names);
  }

  /// Null and a problem if there is none.
  const CoreKind *checkCoreName(const std::string &pointer,
                                const std::string &name) {
    const CoreKind *found = target.core(name);
    if (found)
      return found;
    std::vector<std::string> names;
    for (const CoreKind &core : target.cores)
      names.push_back(core.name);
    addUnknown(pointer, "kind of core", name, names);
    return nullptr;
  }

  void checkCore(const std::string &pointer, const CoreKind &core) {
    checkUnique(pointer + "/name", "core " + core.name);
    checkFigure(pointer + "/count", core.count, /*positive=*/true);
    checkFigure(pointer + "/physical", core.physical);
    checkWhole(pointer + "/count", core.count, "cores");
    checkWhole(pointer + "/physical", core.physical, "cores");
    if (core.count.value > 1e6)
      add(pointer + "/count/value", "at most a million cores",
          "is " + number(core.count.value) + ", above a million");
    if (core.physical.value > 0 && core.count.value > core.physical.value)
      add(pointer + "/count/value", "at most what there are",
          "is " + number(core.count.value) + ", but there are " +
              number(core.physical.value));
    for (size_t i = 0; i < core.pipes.size(); ++i)
      checkUnique(pointer + at("/pipes", i) + "/name",
                  "pipe " + core.name + "." + core.pipes[i].name);
  }

  void checkLevel(const std::string &pointer, const Level &level) {
    checkUnique(pointer + "/name", "level " + level.name);
    checkFigure(pointer + "/capacity", level.capacity, /*positive=*/true);
    checkFigure(pointer + "/usable", level.usable, /*positive=*/true);
    checkWhole(pointer + "/capacity", level.capacity, "bytes");
    checkWhole(pointer + "/usable", level.usable, "bytes");
    checkFigure(pointer + "/sharedBandwidth", level.sharedBandwidth);
    if (level.usable.value > level.capacity.value)
      add(pointer + "/usable/value", "at most the capacity",
          "of level " + level.name + " is " + number(level.usable.value) +
              ", above its capacity of " + number(level.capacity.value));
    if (level.alignment < 1 || (level.alignment & (level.alignment - 1)))
      add(pointer + "/alignment/value", "a power of two",
          "is " + std::to_string(level.alignment) +
              ", which is no power of two");
    else if (level.alignment > 1 && level.alignmentSource.empty())
      add(pointer + "/alignment/source",
          "a name out of \"sources\", or where the figure comes from",
          "is missing: a figure names its source");
    if (!level.core.empty())
      checkCoreName(pointer + "/core", level.core);
  }

  void checkPipe(const std::string &pointer, const std::string &core,
                 const std::string &pipe) {
    const CoreKind *found = checkCoreName(pointer + "/core", core);
    if (!found || std::any_of(found->pipes.begin(), found->pipes.end(),
                              [&](const Pipe &p) { return p.name == pipe; }))
      return;
    std::vector<std::string> names;
    for (const Pipe &each : found->pipes)
      names.push_back(each.name);
    addUnknown(pointer + "/pipe", "pipe of core " + core, pipe, names);
  }

  void checkMove(const std::string &pointer, const Move &move) {
    checkUnique(pointer, "move " + move.from + " to " + move.to);
    checkLevelName(pointer + "/from", move.from);
    checkLevelName(pointer + "/to", move.to);
    checkPipe(pointer, move.core, move.pipe);
    checkFigure(pointer + "/bytesPerSecond", move.bytesPerSecond, true);
    checkFigure(pointer + "/seconds", move.seconds);
    checkFigure(pointer + "/pieceSeconds", move.pieceSeconds);
  }

  void checkRate(const std::string &pointer, const ComputeRate &rate) {
    checkUnique(pointer, "rate of " + rate.op + " " + rate.dtype);
    checkPipe(pointer, rate.core, rate.pipe);
    checkFigure(pointer + "/perSecond", rate.perSecond, true);
    checkFigure(pointer + "/seconds", rate.seconds);
    for (size_t i = 0; i < rate.granule.size(); ++i)
      if (rate.granule[i] < 1 || rate.granule[i] > 65536)
        add(pointer + at("/granule/value", i), "a number from 1 to 65536",
            "is " + std::to_string(rate.granule[i]) +
                ", where a number from 1 to 65536 is expected");
    if (rate.granule != std::array<int64_t, 3>{1, 1, 1} &&
        rate.granuleSource.empty())
      add(pointer + "/granule/source",
          "a name out of \"sources\", or where the figure comes from",
          "is missing: a figure names its source");
  }

  void checkPath(const std::string &pointer, const std::vector<Stop> &path) {
    for (size_t i = 0; i < path.size(); ++i) {
      const Stop &stop = path[i];
      std::string place = pointer + "/" + std::to_string(i);
      const Level *level = target.level(stop.level);
      if (!level) {
        checkLevelName(place + "/level", stop.level);
      } else if (!level->layouts.empty() &&
                 std::find(level->layouts.begin(), level->layouts.end(),
                           stop.layout) == level->layouts.end()) {
        std::string held;
        for (const std::string &layout : level->layouts)
          held += (held.empty() ? "" : ", ") + layout;
        add(place + "/layout", "one of " + held,
            "is " + stop.layout + ", which level " + stop.level +
                " does not hold; it holds " + held);
      }
      if (i && level && target.level(path[i - 1].level) &&
          !target.move(path[i - 1].level, stop.level))
        add(place, "a level that a move leads to",
            "cannot be reached: there is no move from " + path[i - 1].level +
                " to " + stop.level);
    }
  }

  void checkPlacement(const std::string &pointer, const Placement &placement) {
    checkUnique(pointer, "placement of " + placement.op);
    checkCoreName(pointer + "/core", placement.core);
    for (size_t i = 0; i < placement.operands.size(); ++i)
      checkPath(pointer + at("/operands", i), placement.operands[i]);
    checkPath(pointer + "/result", placement.result);
    for (size_t i = 0; i < placement.tileLevels.size(); ++i)
      for (size_t j = 0; j < placement.tileLevels[i].levels.size(); ++j)
        checkLevelName(pointer + at("/tileLevels", i) + at("/levels", j),
                       placement.tileLevels[i].levels[j]);
  }
};
} // namespace

std::vector<model::FormProblem> problemsOf(const Target &target) {
  return Checker(target).run();
}

} // namespace tilewright::target
