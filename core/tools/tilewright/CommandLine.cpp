//===- CommandLine.cpp - commands and what they share ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/tools/tilewright/CommandLine.h"
#include "core/tools/tilewright/Failure.h"
#include "core/tools/tilewright/OutputFile.h"
#include "core/tools/tilewright/Report.h"
#include <iostream>

namespace tilewright::tool {

const SourceFile &Context::read(const std::string &path) {
  source.emplace();
  readSource(path, *source);
  return *source;
}

lsp::Json Context::params(lsp::Json more) const {
  if (source)
    more["uri"] = source->uri;
  if (!target.empty())
    more["target"] = target;
  return more;
}

CLI::App *CommandSet::add(const std::string &name,
                          const std::string &description,
                          const std::string &examples) {
  CLI::App *command = app.add_subcommand(name, description);
  command->add_option("-t,--target", context.target,
                      "Machine to compile for: cpu, cpu-generic, ascend-a3, … "
                      "(see 'tilewright target')");
  command->add_flag("--json", context.json,
                    "Print the result as JSON, as docs/protocol.md has it");
  command->footer("Examples:\n" + examples);
  return command;
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
  addRun(set);
  addVerify(set);
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
    // Which command's help to point to.
    std::string name = "tilewright";
    for (const CLI::App *command : app.get_subcommands())
      name += " " + command->get_name();
    std::cerr << "tilewright: error: " << error.what() << " [TW0700]\n"
              << "  hint: " << name << " --help shows how it is used\n";
    return exitUsage;
  }

  try {
    return set.chosen(context);
  } catch (const Failure &failure) {
    report(failure, context);
    return failure.exitCode;
  } catch (const lsp::Json::exception &error) {
    Failure failure("TW0604",
                    std::string("the compiler's answer cannot be read: ") +
                        error.what());
    report(failure, context);
    return failure.exitCode;
  } catch (const std::exception &error) {
    Failure failure("TW0609", std::string("failed: ") + error.what());
    report(failure, context);
    return failure.exitCode;
  }
}

} // namespace tilewright::tool
