//===- TargetCommand.cpp - tilewright target ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/tools/tilewright/CommandLine.h"
#include "core/tools/tilewright/EngineSession.h"
#include "core/tools/tilewright/Failure.h"
#include "core/tools/tilewright/OutputFile.h"
#include "core/tools/tilewright/Table.h"
#include "lsp/protocol/Methods.h"

namespace tilewright::tool {

namespace {

using lsp::Json;

struct TargetOptions {
  std::string name;
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

std::string describe(const Json &target) {
  std::string text =
      target.value("name", "") + ": " + target.value("description", "") + "\n";
  if (figure(target, "clock") > 0)
    text += "clock " + amount(figure(target, "clock"), "Hz", false) + " (" +
            source(target, "clock") + ")\n";
  if (target.contains("cores") && target["cores"].is_array() &&
      !target["cores"].empty()) {
    Table table({{"core"}, {"count", true}, {"pipes"}, {"source"}});
    for (const Json &core : target["cores"]) {
      std::string pipes;
      for (const Json &pipe : core.value("pipes", Json::array()))
        pipes += (pipes.empty() ? "" : " ") + pipe.value("name", "");
      table.add({core.value("name", ""), fixed(figure(core, "count"), 0), pipes,
                 source(core, "count")});
    }
    text += "\n" + table.str();
  }
  if (target.contains("levels") && target["levels"].is_array() &&
      !target["levels"].empty()) {
    Table table({{"memory"},
                 {"per"},
                 {"capacity", true},
                 {"usable", true},
                 {"description"},
                 {"source"}});
    for (const Json &level : target["levels"]) {
      std::string core = level.value("core", "");
      table.add({level.value("name", ""), core.empty() ? "all" : core,
                 amount(figure(level, "capacity"), "B", true),
                 amount(figure(level, "usable"), "B", true),
                 level.value("description", ""), source(level, "capacity")});
    }
    text += "\n" + table.str();
  }
  return text;
}

/// Whether `one` of the list is called `name`.
bool isCalled(const Json &one, const std::string &name) {
  Json aliases = one.value("aliases", Json::array());
  return one.value("name", "") == name ||
         std::find(aliases.begin(), aliases.end(), name) != aliases.end();
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
                                "more: tilewright target NAME\n");
  return exitOk;
}

int target(Context &context, const TargetOptions &options) {
  // --target and the argument mean the same here.
  std::string name = options.name.empty() ? context.target : options.name;
  EngineSession engine;
  Json result = engine.ask(lsp::method::targets, Json::object());
  if (name.empty())
    return listTargets(context, result, options.names);
  std::string known;
  for (const Json &one : result.at("targets")) {
    if (isCalled(one, name)) {
      // The machine itself, as a file in resources/targets has it.
      Json target = engine.ask(lsp::method::targets, {{"name", name}})
                        .value("target", one);
      if (context.json)
        printJson(target);
      else
        writeStandardOutput(describe(target));
      return exitOk;
    }
    known += (known.empty() ? "" : ", ") + one.value("name", "");
  }
  throw Failure("TW0706", "there is no target " + printable(name),
                "Known: " + known + ".", exitUsage);
}

} // namespace

void addTarget(CommandSet &set) {
  auto options = std::make_shared<TargetOptions>();
  CLI::App *command = set.add("target", "List the machines, or describe one",
                              "  tilewright target\n"
                              "  tilewright target ascend-a3\n"
                              "  tilewright target cpu --json\n");
  command->add_option("NAME", options->name, "Which one");
  command->add_flag("--names", options->names, "Just the names, one a line");
  command->callback([&set, options] {
    set.chosen = [options](Context &c) { return target(c, *options); };
  });
}

} // namespace tilewright::tool
