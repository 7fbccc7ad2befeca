//===- CommandLine.h - commands and what they share -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/tools/tilewright/OutputFile.h"
#include "lsp/protocol/Json.h"
#include <CLI/CLI.hpp>
#include <functional>
#include <optional>

namespace tilewright::tool {

/// What a command works with.
struct Context {
  std::string target; ///< empty: the engine's default
  std::string pins;   ///< path of the pins file; empty: the one beside FILE
  bool json = false;
  bool pinsMayBeNew = false; ///< of a command that writes them
  /// Kept here so that a failure can show the line it is about.
  std::optional<SourceFile> source;

  /// Reads FILE into `source`.
  const SourceFile &read(const std::string &path);
  /// `{uri, target}` of the source and more.
  lsp::Json params(lsp::Json more = lsp::Json::object()) const;
};

/// Returns the exit code; throws Failure.
using Command = std::function<int(Context &context)>;

/// What the engine calls the target a person names: a path of a target file is
/// made absolute.
std::string targetName(const std::string &name);

/// Adds a subcommand with --target, --pins and --json to `app`; `examples` are
/// printed by its --help. `chosen` gets `command` when the subcommand is given.
struct CommandSet {
  CLI::App &app;
  Context &context;
  Command chosen;

  CLI::App *add(const std::string &name, const std::string &description,
                const std::string &examples);
};

void addCompile(CommandSet &set);
void addStages(CommandSet &set);
void addShow(CommandSet &set);
void addDiff(CommandSet &set);
void addGraph(CommandSet &set);
void addMemory(CommandSet &set);
void addRun(CommandSet &set);
void addVerify(CommandSet &set);
void addExperiments(CommandSet &set);
void addEstimate(CommandSet &set);
void addExplain(CommandSet &set);
void addWhatIf(CommandSet &set);
void addPin(CommandSet &set);
void addUnpin(CommandSet &set);
void addPins(CommandSet &set);
void addOverride(CommandSet &set);
void addTarget(CommandSet &set);
void addCompletion(CommandSet &set);

/// Asks an engine of its own about the source of `context`; it may write to
/// `output`. Throws Failure.
lsp::Json askAboutSource(const Context &context, const char *method,
                         lsp::Json params,
                         const std::optional<OutputFile> &output = {});

class EngineSession;
/// Prints what is wrong with `context.source` and what its compilation had to
/// remark: pins that are not in force and the like. False if it did not compile
/// to the end, so that an answer about all of it is about less.
bool reportRemarks(EngineSession &engine, const Context &context);

/// Prints `result` as `--json` does.
void printJson(const lsp::Json &result);

int runCommandLine(int argc, char **argv);

} // namespace tilewright::tool
