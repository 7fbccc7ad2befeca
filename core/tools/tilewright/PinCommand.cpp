//===- PinCommand.cpp - tilewright pin ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/tools/tilewright/CommandLine.h"
#include "core/tools/tilewright/EngineSession.h"
#include "core/tools/tilewright/Failure.h"
#include "core/tools/tilewright/OutputFile.h"
#include "core/tools/tilewright/PinTable.h"
#include "lsp/protocol/Methods.h"

namespace tilewright::tool {

namespace {

struct PinOptions {
  std::string file, key, kind, note, onlyFor, fingerprint;
  std::vector<std::string> words;
};

int pin(Context &context, const PinOptions &options) {
  context.pinsMayBeNew = true;
  const SourceFile &source = context.read(options.file);
  EngineSession engine;
  engine.open(source);
  lsp::Json params = {
      {"key", options.key},   {"pinTarget", options.onlyFor},
      {"kind", options.kind}, {"words", options.words},
      {"note", options.note}, {"fingerprint", options.fingerprint}};
  lsp::Json result = engine.ask(lsp::method::pin, context.params(params));
  if (context.json)
    printJson(result);
  else
    writeStandardOutput(
        pinOutcome(result.get<model::PinStates>(), options.key, options.kind));
  reportRemarks(engine, context);
  return exitOk;
}

} // namespace

void addPin(CommandSet &set) {
  auto options = std::make_shared<PinOptions>();
  CLI::App *command = set.add(
      "pin", "Fix a decision: tile, scope, buffers, merge, split_k, …",
      "  tilewright pin ffn.mlir ffn/gate tile cache2.m=120 cache2.n=256\n"
      "  tilewright pin ffn.mlir 'layer*/qk' tile L1.m=128 L0.k=64 "
      "--for ascend-a3\n"
      "  tilewright pin ffn.mlir ffn/gate scope apart --note 'measured'\n"
      "  tilewright pin ffn.mlir 'ffn/y#0' buffers 2\n\n"
      "The pin is written to FILE.pins.json (or that of --pins), over one of "
      "the same key, target "
      "and kind.\n");
  command->add_option("FILE", options->file, "Source")->required();
  command
      ->add_option("KEY", options->key,
                   "Operation, function/name; may be a glob (quote it)")
      ->required();
  command->add_option("KIND", options->kind, "What is decided")->required();
  command
      ->add_option("VALUE", options->words,
                   "Its value: LEVEL.dim=size …, a number, or JSON")
      ->required();
  command->add_option("--for", options->onlyFor,
                      "Only for this target (or a glob); default: all, *");
  command->add_option("--note", options->note, "Why, for a person");
  command->add_option("--expect", options->fingerprint,
                      "Only if the file still has this fingerprint (see "
                      "'tilewright pins --json')");
  command->callback([&set, options] {
    set.chosen = [options](Context &c) { return pin(c, *options); };
  });
}

} // namespace tilewright::tool
