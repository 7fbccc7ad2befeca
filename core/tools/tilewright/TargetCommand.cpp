//===- TargetCommand.cpp - tilewright target ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/tools/tilewright/CommandLine.h"
#include "core/tools/tilewright/EngineSession.h"
#include "core/tools/tilewright/Failure.h"
#include "core/tools/tilewright/OutputFile.h"
#include "core/tools/tilewright/Report.h"
#include "core/tools/tilewright/Table.h"
#include "lsp/protocol/Methods.h"
#include <filesystem>

namespace tilewright::tool {

namespace {

using lsp::Json;

struct TargetOptions {
  std::string name;
  std::string file; ///< of check
  bool names = false;
};

/// A figure with a unit a person can compare: "184 KiB", "1.42 TB/s".
std::string amount(double value, const char *unit, bool binary) {
  static const char *decimal[] = {"", "k", "M", "G", "T", "P"};
  static const char *power2[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi"};
  double step = binary ? 1024 : 1000;
  int scale = 0;
  while (value >= step && scale < 5) {
    value /= step;
    ++scale;
  }
  std::string number = fixed(value, 2);
  number.erase(number.find_last_not_of('0') + 1);
  if (number.back() == '.')
    number.pop_back();
  return number + " " + (binary ? power2 : decimal)[scale] + unit;
}

double figure(const Json &json, const char *name) {
  auto it = json.find(name);
  if (it == json.end())
    return 0;
  if (it->is_object())
    return it->value("value", 0.0);
  return it->is_number() ? it->get<double>() : 0;
}

std::string source(const Json &json, const char *name) {
  auto it = json.find(name);
  return it != json.end() && it->is_object() ? it->value("source", "") : "";
}

/// `target[field]` where that is a list, else an empty one.
Json listOf(const Json &target, const char *field) {
  auto it = target.find(field);
  return it != target.end() && it->is_array() ? *it : Json::array();
}

std::string coreTable(const Json &target) {
  Table table(
      {{"core"}, {"count", true}, {"there are", true}, {"pipes"}, {"source"}});
  for (const Json &core : listOf(target, "cores")) {
    std::string pipes;
    for (const Json &pipe : listOf(core, "pipes"))
      pipes += (pipes.empty() ? "" : " ") + pipe.value("name", "");
    bool differs = core.contains("physical");
    table.add({core.value("name", ""), fixed(figure(core, "count"), 0),
               fixed(figure(core, differs ? "physical" : "count"), 0), pipes,
               source(core, "count") +
                   (differs ? "; " + source(core, "physical") : "")});
  }
  return table.str();
}

std::string levelTable(const Json &target) {
  Table table({{"memory"},
               {"per"},
               {"capacity", true},
               {"usable", true},
               {"aligned", true},
               {"all cores", true},
               {"description"},
               {"source"}});
  for (const Json &level : listOf(target, "levels")) {
    std::string core = level.value("core", "");
    double shared = figure(level, "sharedBandwidth");
    std::string from = source(level, "capacity");
    for (const char *more : {"usable", "alignment", "sharedBandwidth"})
      if (std::string other = source(level, more);
          !other.empty() && other != source(level, "capacity"))
        from += std::string("; ") + more + ": " + other;
    table.add({level.value("name", ""), core.empty() ? "all" : core,
               amount(figure(level, "capacity"), "B", true),
               amount(figure(level, "usable"), "B", true),
               amount(figure(level, "alignment"), "B", true),
               shared > 0 ? amount(shared, "B/s", false) : "",
               level.value("description", ""), from});
  }
  return table.str();
}

/// "0.66 us"; empty for nothing.
std::string duration(double seconds) {
  return seconds > 0 ? significant(seconds * 1e6) + " us" : "";
}

std::string rateSource(const Json &json, const char *rate) {
  std::string text = source(json, rate);
  for (const char *more : {"seconds", "granule"})
    if (std::string other = source(json, more);
        !other.empty() && other != source(json, rate))
      text += std::string("; ") +
              (std::string_view(more) == "seconds" ? "start" : more) + ": " +
              other;
  return text;
}

std::string moveTable(const Json &target) {
  Table table(
      {{"move"}, {"pipe"}, {"a core", true}, {"start", true}, {"source"}});
  for (const Json &move : listOf(target, "moves"))
    table.add({move.value("from", "") + " -> " + move.value("to", ""),
               move.value("core", "") + "." + move.value("pipe", ""),
               amount(figure(move, "bytesPerSecond"), "B/s", false),
               duration(figure(move, "seconds")),
               rateSource(move, "bytesPerSecond")});
  return table.str();
}

std::string rateTable(const Json &target) {
  Table table({{"computes"},
               {"type"},
               {"pipe"},
               {"a core", true},
               {"start", true},
               {"blocks of"},
               {"source"}});
  for (const Json &rate : listOf(target, "rates")) {
    std::string op = rate.value("op", ""), blocks;
    if (rate.contains("granule"))
      for (const Json &size : listOf(rate["granule"], "value"))
        blocks += (blocks.empty() ? "" : "x") + size.dump();
    table.add({op, rate.value("dtype", ""),
               rate.value("core", "") + "." + rate.value("pipe", ""),
               amount(figure(rate, "perSecond"),
                      op == "matmul" ? "flop/s" : "elem/s", false),
               duration(figure(rate, "seconds")), blocks,
               rateSource(rate, "perSecond")});
  }
  return table.str();
}

std::string pathText(const Json &path) {
  std::string text;
  for (const Json &stop : path) {
    std::string layout = stop.value("layout", "row_major");
    text += (text.empty() ? "" : " -> ") + stop.value("level", "") +
            (layout == "row_major" ? "" : " (" + layout + ")");
  }
  return text;
}

std::string placementTable(const Json &target) {
  Table table({{"places"}, {"core"}, {"what"}, {"way"}, {"tile levels"}});
  for (const Json &placement : listOf(target, "placements")) {
    std::string op = placement.value("op", ""), sizes;
    for (const Json &level : listOf(placement, "tileLevels"))
      sizes += (sizes.empty() ? "" : " ") + level.value("name", "");
    int number = 0;
    for (const Json &path : listOf(placement, "operands")) {
      table.add({op == "*" ? "any other" : op, placement.value("core", ""),
                 "operand " + std::to_string(number++), pathText(path), sizes});
      op = sizes = "";
    }
    table.add({"", "", "result", pathText(listOf(placement, "result")), ""});
  }
  return table.str();
}

std::string schedulingTable(const Json &target) {
  auto found = target.find("scheduling");
  if (found == target.end() || !found->is_object())
    return "";
  Table table({{"scheduling"}, {"", true}, {"source"}});
  for (auto [field, name] : {std::pair("launch", "launch, once"),
                             {"coreStart", "start of a core"},
                             {"dispatch", "each task"},
                             {"event", "event between pipes"}})
    table.add({name, significant(figure(*found, field) * 1e6) + " us",
               source(*found, field)});
  if (found->contains("eventIds"))
    table.add({"events of two pipes", fixed(figure(*found, "eventIds"), 0),
               source(*found, "eventIds")});
  return table.str();
}

std::string describe(const Json &target) {
  std::string text =
      target.value("name", "") + ": " + target.value("description", "") + "\n";
  for (const Json &alias : listOf(target, "aliases"))
    text += "also known as " + alias.get<std::string>() + "\n";
  if (figure(target, "clock") > 0)
    text += "clock " + amount(figure(target, "clock"), "Hz", false) + " (" +
            source(target, "clock") + ")\n";
  if (figure(target, "peakAllCores") > 0)
    text += "all cores at once " +
            amount(figure(target, "peakAllCores"), "flop/s", false) + " (" +
            source(target, "peakAllCores") + ")\n";
  for (std::string table :
       {coreTable(target), levelTable(target), moveTable(target),
        rateTable(target), placementTable(target), schedulingTable(target)})
    if (!table.empty())
      text += "\n" + table;
  for (auto [field, what] :
       {std::pair("registerBlock", ""), std::pair("bf16Block", " of bf16")})
    if (auto block = target.find(field); block != target.end())
      text += std::string("\npacked matmul kernel") + what + ": " +
              block->value("rows", Json(0)).dump() + " x " +
              block->value("columns", Json(0)).dump() + " accumulators (" +
              block->value("source", "") + ")\n";
  if (figure(target, "streamingBytes") > 0)
    text += "results from " +
            amount(figure(target, "streamingBytes"), "B", true) +
            " on are written past the caches (" +
            source(target, "streamingBytes") + ")\n";
  if (auto sources = target.find("sources");
      sources != target.end() && sources->is_object() && !sources->empty()) {
    Table table({{"source"}, {"what it is"}});
    for (const auto &[name, what] : sources->items())
      table.add({name, what.is_string() ? what.get<std::string>() : ""});
    text += "\n" + table.str();
  }
  return text;
}

int listTargets(const Context &context, const Json &result, bool namesOnly) {
  if (context.json) {
    printJson(result);
    return exitOk;
  }
  std::string current = result.value("current", "");
  std::string names;
  Table table({{"target"}, {"description"}});
  for (const Json &one : result.at("targets")) {
    std::string name = one.value("name", "");
    names += name + "\n";
    table.add(
        {name + (name == current ? " *" : ""), one.value("description", "")});
  }
  writeStandardOutput(
      namesOnly ? names
                : table.str() + "\n* holds unless --target says otherwise; "
                                "more: tilewright target show NAME\n");
  return exitOk;
}

/// Where targets beside the source are: here, as long as there is no source.
std::string currentFolder() {
  std::error_code error;
  return std::filesystem::current_path(error).string();
}

int target(Context &context, const TargetOptions &options) {
  // --target and the argument mean the same here.
  std::string name = options.name.empty() ? context.target : options.name;
  EngineSession engine;
  Json asked = {{"folder", currentFolder()}};
  if (name.empty())
    return listTargets(context, engine.ask(lsp::method::targets, asked),
                       options.names);
  asked["name"] = targetName(name);
  // The machine itself, as a file in resources/targets has it.
  Json found;
  try {
    found = engine.ask(lsp::method::targets, asked).at("target");
  } catch (Failure &failure) {
    if (failure.error.diagnostic().code == "TW0072")
      failure.exitCode = exitUsage;
    throw;
  }
  if (context.json)
    printJson(found);
  else
    writeStandardOutput(describe(found));
  return exitOk;
}

int checkTarget(Context &context, const std::string &path) {
  const SourceFile &file = context.read(path);
  EngineSession engine;
  Json result = engine.ask(lsp::method::checkTarget,
                           {{"uri", file.uri}, {"text", file.text}});
  bool sound = result.value("sound", false);
  if (context.json) {
    printJson(result);
    return sound ? exitOk : exitFailed;
  }
  auto diagnostics =
      result.at("diagnostics").get<std::vector<model::Diagnostic>>();
  printDiagnostics(diagnostics, &file);
  if (sound)
    writeStandardOutput(file.display + " describes the target " +
                        result.value("name", "") + "; nothing is wrong\n");
  return sound ? exitOk : exitFailed;
}

} // namespace

void addTarget(CommandSet &set) {
  auto options = std::make_shared<TargetOptions>();
  CLI::App *command = set.add(
      "target", "List the machines, describe one, or check the file of one",
      "  tilewright target list\n"
      "  tilewright target show ascend-a3\n"
      "  tilewright target show cpu --json\n"
      "  tilewright target check my-machine.json\n"
      "\nWithout a word: list, and with the name of a machine: show. Targets "
      "are found in our\nresources, in ~/.config/tilewright/targets, and, as "
      "NAME.target.json, beside the source\n(here: in this folder); a path "
      "that ends in .json is that file.\n");
  command->remove_option(command->get_option("--pins")); // reads no source
  // No other name can be meant by what follows a verb.
  auto verb = [&](const char *name, const char *description) {
    CLI::App *added = command->add_subcommand(name, description);
    added->fallthrough();
    return added;
  };
  auto describeOne = [&set, options] {
    set.chosen = [options](Context &c) { return target(c, *options); };
  };
  command->add_option("NAME", options->name, "Which one");
  command->add_flag("--names", options->names, "Just the names, one a line");
  command->callback([command, describeOne] {
    if (command->get_subcommands().empty())
      describeOne();
  });
  CLI::App *list = verb("list", "All that are known");
  list->callback(describeOne);
  CLI::App *show = verb("show", "One of them, with the source of every figure");
  show->add_option("NAME", options->name, "Which one")->required();
  show->callback(describeOne);
  CLI::App *check = verb("check", "What is wrong with a file, field by field");
  check
      ->add_option("FILE", options->file, "A target file; - for standard input")
      ->required();
  check->callback([&set, options] {
    set.chosen = [options](Context &c) {
      return checkTarget(c, options->file);
    };
  });
}

} // namespace tilewright::tool
