//===- CommandLine.cpp - commands and what they share ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/tools/tilewright/CommandLine.h"
#include "core/model/NearestName.h"
#include "core/model/Stage.h"
#include "core/tools/tilewright/EngineSession.h"
#include "core/tools/tilewright/Failure.h"
#include "core/tools/tilewright/OutputFile.h"
#include "core/tools/tilewright/Report.h"
#include "core/tools/tilewright/Table.h"
#include "lsp/protocol/Params.h"
#include <algorithm>
#include <filesystem>
#include <iostream>

namespace tilewright::tool {

/// The absolute path of the pins file a person names. Throws Failure.
static std::string pinsFile(const std::string &name, bool mayBeNew) {
  std::error_code error;
  if (!std::filesystem::exists(name, error) && !mayBeNew)
    throw Failure("TW0701",
                  "cannot read the pins in " + printable(name) + ": " +
                      (error ? error.message() : "there is no such file"),
                  "'tilewright pin' makes it.", exitUsage);
  return std::filesystem::absolute(name, error).lexically_normal().string();
}

const SourceFile &Context::read(const std::string &path) {
  source.emplace();
  readSource(path, *source);
  if (!pins.empty())
    source->pins = pinsFile(pins, pinsMayBeNew);
  return *source;
}

lsp::Json Context::params(lsp::Json more) const {
  if (source)
    more["uri"] = source->uri;
  if (!target.empty())
    more["target"] = targetName(target);
  return more;
}

std::string targetName(const std::string &name) {
  if (!name.ends_with(".json"))
    return name;
  std::error_code error;
  std::filesystem::path path = std::filesystem::absolute(name, error);
  return error ? name : path.lexically_normal().string();
}

CLI::App *CommandSet::add(const std::string &name,
                          const std::string &description,
                          const std::string &examples) {
  CLI::App *command = app.add_subcommand(name, description);
  command->add_option("-t,--target", context.target,
                      "Machine to compile for: cpu, cpu-generic, ascend-a3, … "
                      "(see 'tilewright target')");
  command
      ->add_option("--pins", context.pins,
                   "Read and write pins here, not in FILE.pins.json")
      ->group("Options");
  command->add_flag("--json", context.json,
                    "Print the result as JSON, as docs/protocol.md has it");
  command->footer("Examples:\n" + examples);
  return command;
}

lsp::Json askAboutSource(const Context &context, const char *method,
                         lsp::Json params,
                         const std::optional<OutputFile> &output) {
  if (context.target.empty())
    params.erase("target");
  EngineSession engine;
  engine.open(*context.source);
  try {
    return engine.ask(method, std::move(params));
  } catch (Failure &failure) {
    if (output)
      output->speakOfPlace(failure.error);
    throw;
  }
}

bool reportRemarks(EngineSession &engine, const Context &context) {
  auto table = engine.ask(lsp::method::stages, context.params())
                   .get<model::StageTable>();
  printDiagnostics(table.diagnostics, &*context.source);
  return table.complete && !hasError(table.diagnostics);
}

void printJson(const lsp::Json &result) {
  writeStandardOutput(
      result.dump(2, ' ', false, lsp::Json::error_handler_t::replace) + "\n");
}

namespace {

/// Tells of a failure where a person and, with --json, a script look for it.
void report(const Failure &failure, const Context &context) {
  if (context.json) {
    lsp::Json json = {{"schema", "tilewright/error"},
                      {"version", 1},
                      {"error", failure.error.json()}};
    try {
      printJson(json);
    } catch (const Failure &) {
      // Standard output is what failed; the text below says so.
    }
  }
  if (failure.exitCode == exitInterrupted) {
    std::cerr << "tilewright: interrupted\n";
    return;
  }
  model::Diagnostic diagnostic = failure.error.diagnostic();
  printDiagnostics({diagnostic}, context.source ? &*context.source : nullptr);
}

/// A wrong command line, with what was perhaps meant.
Failure usageFailure(const CLI::App &app, const std::string &first,
                     const std::string &what) {
  std::vector<std::string> commands;
  for (const CLI::App *command : app.get_subcommands({}))
    commands.push_back(command->get_name());
  bool known =
      std::find(commands.begin(), commands.end(), first) != commands.end();
  if (!known && !first.starts_with("-")) {
    std::string meant = model::nearestName(first, commands);
    return Failure("TW0700", "there is no command '" + printable(first) + "'",
                   (meant.empty() ? "" : "Did you mean '" + meant + "'? ") +
                       std::string("tilewright --help lists the commands."),
                   exitUsage);
  }
  // Which command's help to point to.
  std::string name = "tilewright", hint;
  for (const CLI::App *command : app.get_subcommands()) {
    name += " " + command->get_name();
    std::vector<std::string> options;
    for (const CLI::Option *option : command->get_options())
      for (const std::string &word : option->get_lnames())
        options.push_back("--" + word);
    for (const std::string &word : command->remaining())
      if (std::string meant =
              word.starts_with("--")
                  ? model::nearestName(word.substr(0, word.find('=')), options)
                  : "";
          !meant.empty() && hint.empty())
        hint = "Did you mean " + meant + "? ";
  }
  return Failure("TW0700", printable(what),
                 hint + name + " --help shows how it is used.", exitUsage);
}

} // namespace

int runCommandLine(int argc, char **argv) {
  CLI::App app("Compiles operators for tile-based accelerators and shows every "
               "stage on the way:\nTensor graph, Tile graph, Block graph, "
               "Execution graph, machine code.",
               "tilewright");
  app.set_version_flag("--version",
                       std::string("tilewright ") + TILEWRIGHT_VERSION);
  app.require_subcommand(1);
  app.fallthrough(false);
  app.get_formatter()->column_width(34);
  app.footer("FILE may be - for standard input. Exit codes: 0 fine, 1 the "
             "compilation, "
             "check or run\nfailed, 2 wrong usage, 130 Ctrl-C.\n\n"
             "Examples:\n"
             "  tilewright run ffn.mlir --check\n"
             "  tilewright stages ffn.mlir\n"
             "  tilewright show ffn.mlir --stage tile/expand-tiles\n"
             "  tilewright graph ffn.mlir --stage tile --svg -o tile.svg\n"
             "  tilewright COMMAND --help");

  Context context;
  CommandSet set{app, context, nullptr};
  addCompile(set);
  addStages(set);
  addShow(set);
  addDiff(set);
  addGraph(set);
  addMemory(set);
  addRun(set);
  addVerify(set);
  addExplain(set);
  addEstimate(set);
  addWhatIf(set);
  addPin(set);
  addUnpin(set);
  addPins(set);
  addOverride(set);
  addExperiments(set);
  addTarget(set);
  addCompletion(set);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0)
      return app.exit(error);
    if (argc < 2) {
      std::cerr << app.help();
      return exitUsage;
    }
    // It may not have been read before the fault.
    context.json = std::find(argv + 1, argv + argc,
                             std::string_view("--json")) != argv + argc;
    Failure failure = usageFailure(app, argv[1], error.what());
    report(failure, context);
    return failure.exitCode;
  }

  try {
    return set.chosen(context);
  } catch (const Failure &failure) {
    report(failure, context);
    return failure.exitCode;
  } catch (const lsp::Json::exception &error) {
    Failure failure("TW0604",
                    std::string("the compiler's answer cannot be read: ") +
                        lsp::describe(error));
    report(failure, context);
    return failure.exitCode;
  } catch (const std::exception &error) {
    Failure failure("TW0609", std::string("failed: ") + error.what());
    report(failure, context);
    return failure.exitCode;
  }
}

} // namespace tilewright::tool
