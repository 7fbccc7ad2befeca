//===- CheckBlock.cpp - faults of kernels, without running them -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/check/CheckBlock.h"
#include "core/check/EventGroups.h"
#include "core/check/MemoryOrder.h"
#include "core/check/PipeOrder.h"
#include "core/execute/BlockDecoder.h"
#include "core/execute/StepNames.h"
#include "llvm/ADT/Hashing.h"
#include <algorithm>
#include <map>
#include <set>

namespace tilewright::check {
namespace {

using namespace execute;

/// Size of a dimension that only a run knows.
constexpr int64_t assumedSize = 97;

/// Where and how a kernel is dispatched, one of each kind.
struct Use {
  std::vector<int64_t> grid;
  std::vector<int> aliases;
  auto operator<=>(const Use &) const = default;
};

class KernelChecker {
public:
  KernelChecker(const BlockCode &code, const RoutineCode &kernel,
                const target::Target &target, const CheckOptions &options,
                std::vector<model::Diagnostic> &out)
      : code(code), kernel(kernel), target(target), options(options), out(out),
        firstFinding(out.size()) {}

  void run(const std::set<Use> &uses) {
    for (const std::vector<StepCode> &body : kernel.bodies)
      for (const StepCode &step : body)
        if (step.step == Step::Alloc)
          checkPlace(step);
        else if (step.step == Step::SetEvent || step.step == Step::WaitEvent)
          checkEvent(step);
    bool hasErrors = out.size() > firstFinding;
    for (const Use &use : uses) {
      for (const std::vector<int64_t> &point : cornersOf(use.grid))
        followAll(use, point);
      // Where control depends on the task, corners may not show every path.
      if (lengths.size() > 1 || branches.size() < 2 * branchCount())
        for (const std::vector<int64_t> &point : samplesOf(use.grid))
          followAll(use, point);
    }
    hasErrors |= out.size() > firstFinding;
    if (!hasErrors && options.superfluous)
      reportSuperfluous();
  }

private:
  const BlockCode &code;
  const RoutineCode &kernel;
  const target::Target &target;
  const CheckOptions &options;
  std::vector<model::Diagnostic> &out;
  size_t firstFinding;
  std::set<size_t> followed; ///< hashes of traces
  std::set<std::tuple<std::string, const StepCode *, const StepCode *>> told;
  std::set<size_t> lengths;                             ///< of traces
  std::set<std::pair<const StepCode *, bool>> branches; ///< sides taken
  EventUses eventUses;

  //===--- following ------------------------------------------------------===//

  static std::vector<std::vector<int64_t>>
  cornersOf(const std::vector<int64_t> &grid) {
    std::vector<std::vector<int64_t>> points = {{}};
    for (int64_t size : grid) {
      std::vector<std::vector<int64_t>> next;
      for (const std::vector<int64_t> &point : points) {
        next.push_back(point);
        next.back().push_back(0);
        // Of many dimensions only the two outermost corners.
        if (size <= 1 ||
            (grid.size() > 3 && !point.empty() && point.back() == 0))
          continue;
        if (grid.size() > 3 && point.size())
          next.back().back() = size - 1;
        else {
          next.push_back(point);
          next.back().push_back(size - 1);
        }
      }
      points = std::move(next);
    }
    return points;
  }

  size_t branchCount() const {
    size_t count = 0;
    for (const std::vector<StepCode> &body : kernel.bodies)
      count += size_t(std::ranges::count(body, Step::If, &StepCode::step));
    return count;
  }

  /// Up to 64 tasks, evenly over the grid in its order.
  static std::vector<std::vector<int64_t>>
  samplesOf(const std::vector<int64_t> &grid) {
    int64_t tasks = 1;
    for (int64_t size : grid)
      if (size <= 0 || __builtin_mul_overflow(tasks, size, &tasks))
        return {};
    std::vector<std::vector<int64_t>> points;
    int64_t count = std::min<int64_t>(tasks, 64);
    for (int64_t i = 0; i < count; ++i) {
      int64_t rest = tasks / count * i + tasks % count * i / count;
      std::vector<int64_t> point(grid.size());
      for (size_t d = grid.size(); d-- > 0;) {
        point[d] = rest % grid[d];
        rest /= grid[d];
      }
      points.push_back(std::move(point));
    }
    return points;
  }

  void followAll(const Use &use, const std::vector<int64_t> &point) {
    bool loads = follow(use, point, 0);
    for (int loaded = 1; loads && loaded <= 2; ++loaded)
      follow(use, point, loaded);
  }

  /// Checks one task; whether it loads scalars.
  bool follow(const Use &use, const std::vector<int64_t> &point, int loaded) {
    TraceOptions traceOptions;
    traceOptions.point = point;
    traceOptions.aliases = use.aliases;
    traceOptions.shapes = kernel.shapes;
    traceOptions.loaded = loaded;
    for (std::vector<int64_t> &shape : traceOptions.shapes)
      for (int64_t &size : shape)
        if (size < 0)
          size = assumedSize;
    KernelTrace trace = traceKernel(code, kernel, traceOptions);
    for (int64_t turns : {24, 8, 4, 2}) {
      if (!trace.cut)
        break;
      traceOptions.turns = turns;
      trace = traceKernel(code, kernel, traceOptions);
    }
    lengths.insert(trace.entries.size());
    branches.insert(trace.branches.begin(), trace.branches.end());
    if (trace.error) {
      const model::Diagnostic &error = *trace.error;
      tell("TW0459", error.message + where(point), error.key,
           "make the buffer larger or the tile smaller; the shapes are those "
           "of the task named",
           nullptr, nullptr);
      return trace.loads;
    }
    if (!followed.insert(hashOf(trace)).second)
      return trace.loads;
    for (int index : trace.overwriting) {
      const StepCode &step = *trace.entries[size_t(index)].step;
      tell("TW0460",
           nameOf(step) +
               " writes where it still reads: its destination lies "
               "over a source, not element on element" +
               where(point),
           step.key, "give the destination room of its own", &step, nullptr);
    }
    PipeOrder order(trace);
    for (const PipeOrder::Problem &problem : order.problems())
      tellProblem(trace, problem, point);
    if (!order.completes())
      return trace.loads;
    MemoryOrder memory = memoryOrderOf(trace);
    for (const WrongRead &wrong : memory.wrong)
      tellWrong(trace, wrong, point);
    for (const OrderNeeded &needed : memory.needed)
      if (!order.before(needed.first, needed.second))
        tellUnordered(trace, needed, point);
    if (options.superfluous && out.size() == firstFinding)
      eventUses.add(trace, memory);
    return trace.loads;
  }

  /// Equal for tasks that differ only in where they are in global memory.
  size_t hashOf(const KernelTrace &trace) const {
    llvm::hash_code hash = llvm::hash_value(trace.entries.size());
    std::map<int64_t, int64_t> firsts;
    for (const TraceEntry &entry : trace.entries)
      hash = llvm::hash_combine(hash, entry.step, entry.pipe);
    for (const Touch &touch : trace.touches) {
      int64_t begin = touch.begin;
      if (touch.space == trace.spaces - 1)
        begin -= firsts.try_emplace(begin >> 44, begin).first->second;
      hash = llvm::hash_combine(hash, begin, touch.end - touch.begin,
                                touch.space, touch.write);
    }
    return hash;
  }

  //===--- messages -------------------------------------------------------===//

  std::string nameOf(const StepCode &step) const {
    return execute::stepName(code, kernel, step);
  }

  std::string where(const std::vector<int64_t> &point) const {
    std::string text;
    for (int64_t at : point)
      text += (text.empty() ? "" : ", ") + std::to_string(at);
    return " (task [" + text + "] of @" + kernel.name + ")";
  }

  std::string bytesText(int64_t begin, int64_t end, int space) const {
    std::string memory;
    if (size_t(space) < code.levels.size()) {
      memory = code.levels[size_t(space)].name;
    } else { // arguments are far apart
      memory = "argument " + std::to_string((begin >> 44) - 1) + " in " +
               std::string(target::Target::globalMemory);
      begin &= (int64_t(1) << 44) - 1;
      end &= (int64_t(1) << 44) - 1;
    }
    return "bytes [" + std::to_string(begin) + ", " + std::to_string(end) +
           ") of " + memory;
  }

  model::Diagnostic *tell(const char *findingCode, std::string message,
                          const std::string &key, std::string hint,
                          const StepCode *first, const StepCode *second) {
    if (out.size() - firstFinding >= options.maxFindings ||
        ((first || second) &&
         !told.insert({findingCode, first, second}).second))
      return nullptr;
    model::Diagnostic diagnostic;
    diagnostic.code = findingCode;
    diagnostic.message = std::move(message);
    diagnostic.hint = std::move(hint);
    diagnostic.key = key;
    diagnostic.uri = options.uri;
    if (options.rangeOf && !key.empty())
      diagnostic.range = options.rangeOf(key);
    if (first && second)
      for (const StepCode *step : {first, second}) {
        model::RelatedInformation related;
        related.uri = options.uri;
        related.message = nameOf(*step);
        if (options.rangeOf && !step->key.empty())
          related.range = options.rangeOf(step->key);
        diagnostic.related.push_back(std::move(related));
      }
    out.push_back(std::move(diagnostic));
    return &out.back();
  }

  void checkPlace(const StepCode &alloc) {
    const LevelCapacity &level = code.levels[size_t(alloc.level)];
    const target::Level *described = target.level(level.name);
    if (!described || described->kind == "cache")
      return;
    int64_t capacity = target.capacityBytes(level.name);
    if (alloc.offset > capacity || alloc.bytes > capacity - alloc.offset)
      tell("TW0433",
           "a buffer of " + std::to_string(alloc.bytes) + " bytes at offset " +
               std::to_string(alloc.offset) + " ends beyond the " +
               std::to_string(capacity) + " bytes of level " + level.name +
               " (@" + kernel.name + ")",
           alloc.key, "use smaller tiles or fewer buffers", &alloc, nullptr);
    int64_t alignment = std::max<int64_t>(1, described->alignment);
    if (alloc.offset % alignment)
      tell("TW0458",
           "a buffer is at offset " + std::to_string(alloc.offset) + " of " +
               level.name + ", whose buffers start at multiples of " +
               std::to_string(alignment) + " bytes (@" + kernel.name + ")",
           alloc.key,
           "move it to " + std::to_string((alloc.offset + alignment - 1) /
                                          alignment * alignment),
           &alloc, nullptr);
  }

  void checkEvent(const StepCode &step) {
    auto ids = int64_t(target.scheduling.eventIds.value);
    int64_t id = kernel.events[size_t(step.event)].id;
    if (ids > 0 && (id < 0 || id >= ids))
      tell("TW0461",
           nameOf(step) + " has an id beyond those of " + target.name +
               ", which has " + std::to_string(ids) +
               " for each pair of pipes (@" + kernel.name + ")",
           step.key,
           "use an id from 0 to " + std::to_string(ids - 1) +
               " that is free there",
           &step, nullptr);
  }

  void tellProblem(const KernelTrace &trace, const PipeOrder::Problem &problem,
                   const std::vector<int64_t> &point) {
    const StepCode *step = trace.entries[size_t(problem.entry)].step;
    const StepCode *other =
        problem.other < 0 ? nullptr : trace.entries[size_t(problem.other)].step;
    using Problem = PipeOrder::Problem;
    switch (problem.kind) {
    case Problem::SetTwice:
      tell("TW0454",
           nameOf(*step) + " may happen while the event is still set by " +
               nameOf(*other) + ", and one of the two is lost" + where(point),
           step->key, "use another id, or order the wait before the second set",
           other, step);
      return;
    case Problem::NeverSet:
      tell("TW0453",
           nameOf(*step) + " waits for ever: nothing sets the event for it" +
               where(point),
           step->key,
           "set it on the source pipe on every path that leads to the wait",
           step, nullptr);
      return;
    case Problem::LeftSet:
      tell("TW0455",
           nameOf(*step) +
               " is never waited for; the next kernel on the core finds the "
               "event set" +
               where(point),
           step->key, "wait for it once for each set, or remove the set", step,
           nullptr);
      return;
    case Problem::Deadlock:
      tell("TW0456",
           nameOf(*step) + " waits for " + nameOf(*other) +
               ", which is queued behind an entry that waits in turn" +
               where(point),
           step->key,
           "set the event before the pipe waits, or remove one of the waits",
           step, other);
      return;
    }
  }

  void tellWrong(const KernelTrace &trace, const WrongRead &wrong,
                 const std::vector<int64_t> &point) {
    const StepCode &reader = *trace.entries[size_t(wrong.reader)].step;
    std::string bytes = bytesText(wrong.begin, wrong.end, wrong.space);
    if (wrong.overwriter < 0) {
      tell("TW0451",
           nameOf(reader) + " reads " + bytes +
               ", which nothing has written to that buffer" + where(point),
           reader.key,
           "write the buffer first: a move, a fill, or a first instruction "
           "without accumulate",
           &reader, nullptr);
      return;
    }
    const StepCode &writer = *trace.entries[size_t(wrong.writer)].step;
    const StepCode &over = *trace.entries[size_t(wrong.overwriter)].step;
    tell("TW0452",
         nameOf(over) + " overwrites " + bytes + ", which " + nameOf(writer) +
             " wrote to another buffer and " + nameOf(reader) + " still reads" +
             where(point),
         over.key, "give one of the two buffers another offset", &over,
         &reader);
  }

  void tellUnordered(const KernelTrace &trace, const OrderNeeded &needed,
                     const std::vector<int64_t> &point) {
    const TraceEntry &first = trace.entries[size_t(needed.first)];
    const TraceEntry &second = trace.entries[size_t(needed.second)];
    Touch shared = sharedBytes(trace, needed.first, needed.second);
    std::string bytes = bytesText(shared.begin, shared.end, shared.space);
    std::string a = nameOf(*first.step), b = nameOf(*second.step);
    std::string message;
    switch (needed.kind) {
    case OrderNeeded::Read:
      message = b + " reads " + bytes + " and may do so before " + a +
                " has written them";
      break;
    case OrderNeeded::Overwrite:
      message = b + " writes " + bytes + " and may do so while " + a +
                " still reads them";
      break;
    case OrderNeeded::Write:
      message = b + " and " + a + " both write " + bytes +
                ", in whichever order, and " +
                (needed.reader < 0
                     ? std::string("that is the kernel's result")
                     : nameOf(*trace.entries[size_t(needed.reader)].step) +
                           " reads them");
      break;
    }
    tell("TW0450", message + where(point), second.step->key,
         "set an event from " + pipeName(trace, first) + " to " +
             pipeName(trace, second) +
             " behind the first and wait for it before the second, or give "
             "the buffers room of their own",
         first.step, second.step);
  }

  std::string pipeName(const KernelTrace &trace,
                       const TraceEntry &entry) const {
    int pipe = trace.pipes[size_t(entry.pipe)];
    return pipe < 0 ? "" : code.pipes[size_t(pipe)];
  }

  void reportSuperfluous() {
    for (const EventGroup &group : eventUses.superfluous()) {
      const StepCode &step = *group.front();
      bool barrier = step.step == Step::Barrier;
      const StepCode *last = group.back();
      model::Diagnostic *finding = tell(
          "TW0457",
          barrier ? nameOf(step) +
                        " is superfluous: without it every order "
                        "of the pipes gives the same result (@" +
                        kernel.name + ")"
                  : "event " + execute::eventName(code, kernel, step) +
                        " is superfluous: without its " +
                        std::to_string(group.size()) +
                        " sets and waits every order of the pipes gives the "
                        "same result (@" +
                        kernel.name + ")",
          step.key, barrier ? "remove it" : "remove its sets and waits",
          group.front(), last);
      if (finding)
        finding->severity = model::Severity::Warning;
    }
  }
};

} // namespace

std::vector<model::Diagnostic> checkBlock(mlir::ModuleOp module,
                                          const target::Target &target,
                                          const CheckOptions &options) {
  std::map<std::string, int64_t> levels;
  for (const target::Level &level : target.levels)
    levels[level.name] = std::numeric_limits<int64_t>::max();
  auto decoded = decodeKernels(module, levels);
  if (auto *diagnostic = std::get_if<model::Diagnostic>(&decoded)) {
    diagnostic->uri = options.uri;
    if (options.rangeOf && !diagnostic->key.empty())
      diagnostic->range = options.rangeOf(diagnostic->key);
    return {std::move(*diagnostic)};
  }
  const auto &[code, programs] = std::get<KernelCodes>(decoded);
  std::vector<std::set<Use>> uses(code.kernels.size());
  for (const RoutineCode &program : programs)
    for (const std::vector<StepCode> &body : program.bodies)
      for (const StepCode &step : body) {
        if (step.step != Step::Dispatch)
          continue;
        Use use;
        for (const IndexOperand &size : step.dispatch->grid)
          use.grid.push_back(size.reg >= 0 ? 2 : size.number);
        for (size_t i = 0; i < step.views.size(); ++i)
          use.aliases.push_back(
              int(std::ranges::find(step.views, step.views[i]) -
                  step.views.begin()));
        uses[size_t(step.dispatch->kernel)].insert(std::move(use));
      }
  std::vector<model::Diagnostic> findings;
  for (size_t i = 0; i < code.kernels.size(); ++i) {
    const RoutineCode &kernel = code.kernels[i];
    if (uses[i].empty())
      uses[i].insert({std::vector<int64_t>(size_t(kernel.gridRank), 1), {}});
    KernelChecker(code, kernel, target, options, findings).run(uses[i]);
  }
  return findings;
}

} // namespace tilewright::check
