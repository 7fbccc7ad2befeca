//===- ShowCommand.cpp - tilewright show ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/model/Stage.h"
#include "core/tools/tilewright/CommandLine.h"
#include "core/tools/tilewright/EngineSession.h"
#include "core/tools/tilewright/Failure.h"
#include "core/tools/tilewright/OutputFile.h"
#include "lsp/protocol/Methods.h"

namespace tilewright::tool {

namespace {

struct ShowOptions {
  std::string file;
  std::string stage = "tensor";
};

int show(Context &context, const ShowOptions &options) {
  const SourceFile &source = context.read(options.file);
  // Code is made from the Execution graph when asked for; it is no snapshot.
  bool code = options.stage == "llvm" || options.stage == "asm";
  lsp::Json result;
  {
    EngineSession engine;
    engine.open(source);
    result = code ? engine.ask(lsp::method::compile,
                               context.params({{"emit", options.stage}}))
                  : engine.ask(lsp::method::ir,
                               context.params({{"stage", options.stage}}));
    reportRemarks(engine, context);
  }
  if (context.json) {
    printJson(result);
    return exitOk;
  }
  auto text = code ? result.at("text").get<std::string>()
                   : result.get<model::PrintedStage>().text;
  if (!text.empty() && text.back() != '\n')
    text += '\n';
  writeStandardOutput(text);
  return exitOk;
}

} // namespace

void addShow(CommandSet &set) {
  auto options = std::make_shared<ShowOptions>();
  CLI::App *command =
      set.add("show", "Print the IR after a stage or pass",
              "  tilewright show ffn.mlir --stage tile\n"
              "  tilewright show ffn.mlir --stage block/bufferize\n"
              "  tilewright show ffn.mlir --stage llvm --target cpu\n");
  command->add_option("FILE", options->file, "Source; - for standard input")
      ->required();
  command
      ->add_option("-s,--stage", options->stage,
                   "STAGE (its last pass) or STAGE/PASS, as 'tilewright "
                   "stages' lists them, or llvm or asm; default: tensor")
      ->type_name("STAGE[/PASS]");
  command->callback([&set, options] {
    set.chosen = [options](Context &c) { return show(c, *options); };
  });
}

} // namespace tilewright::tool
