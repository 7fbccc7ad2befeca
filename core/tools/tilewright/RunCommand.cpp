//===- RunCommand.cpp - tilewright run ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/model/Run.h"
#include "core/tools/tilewright/CommandLine.h"
#include "core/tools/tilewright/Failure.h"
#include "core/tools/tilewright/InputFiles.h"
#include "core/tools/tilewright/OutputFile.h"
#include "core/tools/tilewright/RecordOptions.h"
#include "core/tools/tilewright/Report.h"
#include "core/tools/tilewright/RunOptions.h"
#include "core/tools/tilewright/Table.h"
#include "lsp/protocol/Methods.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <unistd.h>

namespace tilewright::tool {

namespace {

/// Beside what RunOptions has.
struct RunCommandOptions : RunOptions {
  int repeat = 1;
  bool check = false;
  std::string trace;
  std::string outputs;
  RecordOptions record;
};

std::string describe(const model::RunResult &run) {
  std::string text = run.function + " on " + run.target;
  if (run.threads > 0)
    text += ", " + std::to_string(run.threads) +
            (run.threads == 1 ? " thread" : " threads");
  if (run.tasks > 0)
    text += ", " + grouped(run.tasks) + (run.tasks == 1 ? " task" : " tasks");
  text += "\n";
  Table table({{"  what"}, {"value", true}, {"unit"}, {"origin"}});
  if (!run.milliseconds.empty()) {
    std::vector<double> times = run.milliseconds;
    std::sort(times.begin(), times.end());
    double best = times.front();
    table.add({times.size() > 1 ? "  best time" : "  time", milliseconds(best),
               "ms", "measured"});
    if (times.size() > 1) {
      size_t middle = times.size() / 2;
      double median = times.size() % 2
                          ? times[middle]
                          : (times[middle - 1] + times[middle]) / 2;
      table.add({"  median of " + std::to_string(times.size()),
                 milliseconds(median), "ms", "measured"});
    }
    if (run.flop > 0 && best > 0) {
      double rate = run.flop / best / 1e6;
      std::string share;
      if (run.peakGflops > 0)
        share = ", " + significant(100 * rate / run.peakGflops) + " % of " +
                fixed(run.peakGflops, 0) + " GFLOP/s peak (measured)";
      table.add({"  speed", significant(rate), "GFLOP/s",
                 "measured time, counted operations" + share});
    }
  }
  for (const model::Metric &metric : run.metrics)
    table.add({"  " + printable(metric.name),
               metric.value == static_cast<double>(
                                   static_cast<int64_t>(metric.value)) &&
                       std::abs(metric.value) < 1e15
                   ? grouped(static_cast<int64_t>(metric.value))
                   : significant(metric.value),
               metric.unit, lsp::Json(metric.origin).get<std::string>()});
  if (!table.empty())
    text += table.str();
  for (const model::CheckResult &check : run.checks) {
    char numbers[96];
    std::snprintf(numbers, sizeof numbers, "error %.2g of %.2g allowed",
                  check.error, check.tolerance);
    text += std::string("check ") + check.result + " against " +
            check.reference + ": " + (check.passed ? "passed" : "FAILED") +
            ", " + numbers + " (" + check.rule + ")";
    if (!check.passed && !check.worst.empty())
      text += ", worst at " + check.worst;
    text += "\n";
  }
  for (const std::string &path : run.outputs)
    text += "wrote " + path + "\n";
  if (!run.tracePath.empty())
    text += "wrote " + run.tracePath +
            " (open it in tilewright-studio, Perfetto or chrome://tracing)\n";
  return text;
}

int run(Context &context, const RunCommandOptions &options) {
  lsp::RunParams params;
  options.fill(params, context);
  const SourceFile &source = *context.source;
  params.repeat = options.repeat;
  params.check = options.check;
  params.record = options.record.wanted();
  params.note = options.record.note;
  std::optional<OutputFile> trace;
  if (!options.trace.empty()) {
    trace.emplace(options.trace, source);
    params.trace = trace->temporaryPath();
  }
  if (!options.outputs.empty())
    params.outputs = makeFolder(options.outputs);
  lsp::Json result = askAboutSource(context, lsp::method::run, params, trace);
  auto run = result.get<model::RunResult>();
  if (trace && !run.tracePath.empty()) {
    trace->commit();
    run.tracePath = trace->path();
    result["tracePath"] = run.tracePath;
  }
  printDiagnostics(run.diagnostics, &source);
  bool ok = !hasError(run.diagnostics) &&
            std::all_of(run.checks.begin(), run.checks.end(),
                        [](const model::CheckResult &c) { return c.passed; });
  if (context.json)
    printJson(result);
  else if (!run.milliseconds.empty() || !hasError(run.diagnostics))
    writeStandardOutput(describe(run) + recordedAs(result));
  return ok ? exitOk : exitFailed;
}

} // namespace

void addRun(CommandSet &set) {
  auto options = std::make_shared<RunCommandOptions>();
  CLI::App *command =
      set.add("run", "Compile, run on this machine, and tell times and checks",
              "  tilewright run ffn.mlir --check\n"
              "  tilewright run ffn.mlir --input x=x.npy --output results\n"
              "  tilewright run ffn.mlir --repeat 7 --threads 1\n"
              "  tilewright run ffn.mlir --trace trace.json\n");
  options->addTo(*command);
  command->add_flag(
      "--check", options->check,
      "Compare with the interpreters; exit code 1 if they differ");
  command
      ->add_option("--trace", options->trace,
                   "Write when each task ran, as Chrome JSON")
      ->type_name("FILE");
  command->add_option("--repeat", options->repeat, "Run N times; default 1")
      ->check(CLI::Range(1, 1000000))
      ->type_name("N");
  command
      ->add_option("-o,--output", options->outputs,
                   "Write each result there as .npy")
      ->type_name("FOLDER");
  options->record.add(*command);
  command->callback([&set, options] {
    set.chosen = [options](Context &c) { return run(c, *options); };
  });
}

} // namespace tilewright::tool
