//===- ShowCommand.cpp - tilewright show ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/model/Decision.h"
#include "core/model/Stage.h"
#include "core/model/WhatIf.h"
#include "core/tools/tilewright/CommandLine.h"
#include "core/tools/tilewright/EngineSession.h"
#include "core/tools/tilewright/Failure.h"
#include "core/tools/tilewright/OutputFile.h"
#include "core/tools/tilewright/Table.h"
#include "lsp/protocol/Methods.h"

namespace tilewright::tool {

namespace {

struct ShowOptions {
  std::string file;
  std::string stage = "tensor";
  bool decisions = false;
};

/// What was decided, as comments of the IR: a line for each decision and for
/// each thing that could not be.
std::string asComments(const model::DecisionList &list) {
  std::string text;
  for (const model::Decision &decision : list.decisions) {
    std::string value =
        decision.kind == "tile"
            ? model::tileText(decision.value.get<model::TileSizes>())
            : decision.value.dump();
    text += "// " + decision.kind + " of " + printable(decision.key) + " (" +
            nlohmann::json(decision.origin).get<std::string>() +
            "): " + printable(value) +
            (decision.reason.empty() ? "" : ": " + printable(decision.reason)) +
            "\n";
    for (const model::Alternative &other : decision.weighed)
      if (!other.legal && !other.reason.empty())
        text += "//   not possible: " + printable(other.reason) + "\n";
  }
  return text.empty() ? "" : text + "\n";
}

int show(Context &context, const ShowOptions &options) {
  const SourceFile &source = context.read(options.file);
  // Code is made from the Execution graph when asked for; it is no snapshot.
  bool code = options.stage == "llvm" || options.stage == "asm";
  lsp::Json result, decided;
  {
    EngineSession engine;
    engine.open(source);
    result = code ? engine.ask(lsp::method::compile,
                               context.params({{"emit", options.stage}}))
                  : engine.ask(lsp::method::ir,
                               context.params({{"stage", options.stage}}));
    if (options.decisions)
      decided =
          engine.ask(lsp::method::decisions, context.params({{"key", ""}}));
    reportRemarks(engine, context);
  }
  if (context.json) {
    if (options.decisions)
      result["decisions"] = decided.at("decisions");
    printJson(result);
    return exitOk;
  }
  auto text = code ? result.at("text").get<std::string>()
                   : result.get<model::PrintedStage>().text;
  if (!text.empty() && text.back() != '\n')
    text += '\n';
  if (options.decisions)
    text.insert(0, asComments(decided.get<model::DecisionList>()));
  writeStandardOutput(text);
  return exitOk;
}

} // namespace

void addShow(CommandSet &set) {
  auto options = std::make_shared<ShowOptions>();
  CLI::App *command = set.add(
      "show", "Print the IR after a stage or pass",
      "  tilewright show ffn.mlir --stage tile\n"
      "  tilewright show ffn.mlir --stage block/bufferize\n"
      "  tilewright show ffn.mlir --stage tile/form-scopes --decisions\n"
      "  tilewright show ffn.mlir --stage llvm --target cpu\n");
  command->add_option("FILE", options->file, "Source; - for standard input")
      ->required();
  command
      ->add_option("-s,--stage", options->stage,
                   "STAGE (its last pass) or STAGE/PASS, as 'tilewright "
                   "stages' lists them, or llvm or asm; default: tensor")
      ->type_name("STAGE[/PASS]");
  command->add_flag("--decisions", options->decisions,
                    "Put what was decided, why, and what could not be in "
                    "front, as comments");
  command->callback([&set, options] {
    set.chosen = [options](Context &c) { return show(c, *options); };
  });
}

} // namespace tilewright::tool
