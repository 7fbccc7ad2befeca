//===- ExperimentsCommand.cpp - tilewright experiments --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/model/Experiment.h"
#include "core/model/OverrideFiles.h"
#include "core/model/ReplacedFile.h"
#include "core/tools/tilewright/CommandLine.h"
#include "core/tools/tilewright/EngineSession.h"
#include "core/tools/tilewright/Failure.h"
#include "core/tools/tilewright/OutputFile.h"
#include "core/tools/tilewright/Table.h"
#include "lsp/protocol/Methods.h"
#include "lsp/protocol/Uri.h"
#include <cmath>
#include <cstring>
#include <filesystem>

namespace tilewright::tool {

namespace {

namespace fs = std::filesystem;

struct ExperimentsOptions {
  std::string action;
  std::vector<int64_t> numbers;
  std::string folder = ".";
  std::string file;
  int64_t limit = 50;
};

std::string originOf(model::Origin origin) {
  return nlohmann::json(origin).get<std::string>();
}

/// The first number worth a column: what was measured, then what was not.
std::string headline(const model::Experiment &experiment) {
  for (const char *name :
       {"best time", "simulated time", "time", "compile time"})
    for (const model::Metric &metric : experiment.metrics)
      if (metric.name == name)
        return metric.name + " " + significant(metric.value) + " " +
               metric.unit + " (" + originOf(metric.origin) + ")";
  return "";
}

std::string describe(const model::ExperimentList &list) {
  if (list.experiments.empty())
    return "No experiment was recorded here yet; tilewright run FILE --record "
           "records one.\n";
  Table table({{"", true},
               {"when (UTC)"},
               {"source"},
               {"target"},
               {"what"},
               {"result"},
               {"note"}});
  for (const model::Experiment &each : list.experiments)
    table.add({std::to_string(each.id), each.time, printable(each.file),
               each.target,
               each.kind + (each.function.empty() ? "" : " @" + each.function),
               (each.passed ? "" : "FAILED ") + headline(each),
               printable(each.note)});
  return table.str();
}

std::string describe(const model::Experiment &experiment) {
  std::string text = "experiment " + std::to_string(experiment.id) + ": " +
                     experiment.kind + " of " + printable(experiment.file) +
                     " for " + experiment.target + ", " + experiment.time +
                     ", Tilewright " + printable(experiment.version) +
                     (experiment.passed ? "" : ", FAILED") + "\n";
  if (!experiment.note.empty())
    text += "note: " + printable(experiment.note) + "\n";
  text += "source " + experiment.sourceFingerprint + ", " +
          (experiment.pinsFingerprint.empty()
               ? "no pins"
               : "pins " + experiment.pinsFingerprint) +
          (experiment.overridesFingerprint.empty()
               ? ""
               : ", overrides " + experiment.overridesFingerprint) +
          "\n\n";
  Table numbers({{"number"}, {"value", true}, {"unit"}, {"origin"}});
  for (const model::Metric &metric : experiment.metrics)
    numbers.add({printable(metric.name), significant(metric.value), metric.unit,
                 originOf(metric.origin)});
  if (!numbers.empty())
    text += numbers.str();
  Table decisions({{"decision"}, {"kind"}, {"value"}, {"origin"}});
  for (const model::Decision &decision : experiment.decisions)
    decisions.add({printable(decision.key), decision.kind,
                   printable(decision.value.dump()),
                   nlohmann::json(decision.origin).get<std::string>()});
  if (!decisions.empty())
    text += "\n" + decisions.str();
  return text;
}

std::string describe(const model::ExperimentComparison &comparison) {
  std::string before = std::to_string(comparison.before.id),
              after = std::to_string(comparison.after.id);
  std::string text;
  text += comparison.sameSource ? "same source" : "the source differs";
  text += comparison.samePins ? ", same pins" : ", the pins differ";
  if (!comparison.sameOverrides) {
    text += ", the overrides differ:";
    for (const std::string &name : comparison.overrides)
      text += " " + printable(name);
  }
  if (comparison.before.target != comparison.after.target)
    text += ", " + comparison.before.target + " and " + comparison.after.target;
  text += "\n";
  auto side = [](const nlohmann::json &value, const std::string &origin) {
    return value.is_null() ? std::string("-")
                           : printable(value.dump()) + " (" + origin + ")";
  };
  Table decisions({{"decision"}, {"kind"}, {"in " + before}, {"in " + after}});
  for (const model::DecisionChange &change : comparison.decisions)
    decisions.add({printable(change.key), change.kind,
                   side(change.before, change.beforeOrigin),
                   side(change.after, change.afterOrigin)});
  text +=
      decisions.empty() ? "\nno decision differs\n" : "\n" + decisions.str();
  Table numbers({{"number"},
                 {"in " + before, true},
                 {"in " + after, true},
                 {"unit"},
                 {"change", true},
                 {"origin"}});
  for (const model::MetricChange &change : comparison.metrics) {
    auto shown = [](double value) {
      return std::isfinite(value) ? significant(value) : std::string("-");
    };
    std::string ratio = "-";
    if (std::isfinite(change.before) && std::isfinite(change.after) &&
        change.before != 0)
      ratio = (change.after >= change.before ? "+" : "") +
              fixed(100 * (change.after / change.before - 1), 1) + " %";
    std::string origin = change.beforeOrigin;
    if (origin != change.afterOrigin)
      origin += (origin.empty() || change.afterOrigin.empty() ? "" : ", ") +
                change.afterOrigin;
    numbers.add({printable(change.name), shown(change.before),
                 shown(change.after), change.unit, ratio, origin});
  }
  if (!numbers.empty())
    text += "\n" + numbers.str();
  return text;
}

void replace(const fs::path &path, const std::string &text) {
  model::ReplacedFile file(path.string());
  if (!file.write(text) || !file.commit())
    throw Failure("TW0705",
                  path.string() +
                      " could not be written: " + std::strerror(file.error()),
                  "is there space, and may you write there?");
}

/// Writes the source, the pins and the overrides of an experiment back. What
/// was there becomes an experiment first, so that nothing is lost.
std::string restore(Context &context, EngineSession &engine,
                    const model::Experiment &experiment,
                    const std::string &folder, lsp::Json &result) {
  fs::path source = fs::path(folder) / experiment.file;
  fs::path pins = source.string() + ".pins.json";
  std::error_code ignored;
  std::string kept;
  std::string pinsNow;
  if (fs::exists(pins, ignored)) {
    SourceFile file;
    readSource(pins.string(), file);
    pinsNow = std::move(file.text);
  }
  if (fs::exists(source, ignored)) {
    const SourceFile &now = context.read(source.string());
    if (now.text == experiment.sourceText && pinsNow == experiment.pinsText &&
        model::overrideFilesText(source.string()) == experiment.overridesText) {
      result["restored"] = false;
      return source.string() + " and its pins are as they were in experiment " +
             std::to_string(experiment.id) + " already\n";
    }
    engine.open(now);
    lsp::CompileParams keep;
    keep.uri = now.uri;
    keep.target = experiment.target;
    keep.record = true;
    keep.note =
        "before experiment " + std::to_string(experiment.id) + " was restored";
    lsp::Json recorded = engine.ask(lsp::method::compile, keep);
    int64_t id = recorded.value("experiment", int64_t(0));
    result["before"] = id;
    kept = "; what was there is experiment " + std::to_string(id);
  }
  replace(source, experiment.sourceText);
  if (!experiment.pinsText.empty())
    replace(pins, experiment.pinsText);
  else if (fs::exists(pins, ignored))
    fs::remove(pins, ignored);
  if (std::string failed = model::restoreOverrideFiles(
          source.string(), experiment.overridesText);
      !failed.empty())
    throw Failure("TW0705", failed, "is there space, and may you write there?");
  result["restored"] = true;
  return "restored " + source.string() +
         (experiment.pinsText.empty() ? " without pins" : " and its pins") +
         (experiment.overridesText.empty() ? "" : " and its overrides") +
         " as of experiment " + std::to_string(experiment.id) + kept + "\n";
}

int experiments(Context &context, const ExperimentsOptions &options) {
  size_t needed = options.action == "list"      ? 0
                  : options.action == "compare" ? 2
                                                : 1;
  if (options.numbers.size() != needed)
    throw Failure("TW0700",
                  "experiments " + options.action + " takes " +
                      (needed == 0   ? "no number"
                       : needed == 1 ? "the number of one experiment"
                                     : "the numbers of two experiments"),
                  "tilewright experiments --help shows how it is used.",
                  exitUsage);
  std::error_code failed;
  std::string folder = fs::absolute(options.folder, failed).string();
  if (!fs::is_directory(folder, failed))
    throw Failure("TW0701", options.folder + " is no folder", "", exitUsage);
  EngineSession engine;
  lsp::Json ask = {{"folder", folder}};
  if (options.action == "compare") {
    ask["before"] = options.numbers[0];
    ask["after"] = options.numbers[1];
    lsp::Json result = engine.ask(lsp::method::compare, ask);
    if (context.json)
      printJson(result);
    else
      writeStandardOutput(describe(result.get<model::ExperimentComparison>()));
    return exitOk;
  }
  if (options.action == "list") {
    ask["limit"] = options.limit;
    if (!options.file.empty())
      ask["uri"] = lsp::uriFromPath(
          (fs::path(folder) / fs::path(options.file).filename()).string());
  } else {
    ask["id"] = options.numbers[0];
  }
  lsp::Json result = engine.ask(lsp::method::experiments, ask);
  auto list = result.get<model::ExperimentList>();
  std::string text;
  if (options.action == "list")
    text = describe(list);
  else if (list.experiments.empty())
    throw Failure("TW0641", "there is no experiment " +
                                std::to_string(options.numbers[0]));
  else if (options.action == "show")
    text = describe(list.experiments.front());
  else
    text = restore(context, engine, list.experiments.front(), folder, result);
  if (context.json)
    printJson(result);
  else
    writeStandardOutput(text);
  return exitOk;
}

} // namespace

void addExperiments(CommandSet &set) {
  auto options = std::make_shared<ExperimentsOptions>();
  CLI::App *command =
      set.add("experiments", "List, compare and restore recorded states",
              "  tilewright run ffn.mlir --record --note 'before pinning'\n"
              "  tilewright experiments list\n"
              "  tilewright experiments compare 1 2\n"
              "  tilewright experiments restore 1\n");
  // Their pins are kept with them.
  command->remove_option(command->get_option("--pins"));
  command
      ->add_option("ACTION", options->action, "list, show, compare or restore")
      ->required()
      ->check(CLI::IsMember({"list", "show", "compare", "restore"}));
  command
      ->add_option("NUMBER", options->numbers,
                   "Of experiments: one to show or restore, two to compare")
      ->check(CLI::Range(int64_t(1), INT64_MAX));
  command
      ->add_option("--in", options->folder,
                   "Folder of the sources; default: this one")
      ->type_name("FOLDER");
  command->add_option("--of", options->file, "List only those of this source")
      ->type_name("FILE");
  command->add_option("--limit", options->limit, "List the last N; default 50")
      ->check(CLI::Range(int64_t(1), int64_t(1000000)))
      ->type_name("N");
  command->callback([&set, options] {
    set.chosen = [options](Context &c) { return experiments(c, *options); };
  });
}

} // namespace tilewright::tool
