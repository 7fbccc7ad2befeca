//===- UnpinCommand.cpp - tilewright unpin --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/tools/tilewright/CommandLine.h"
#include "core/tools/tilewright/EngineSession.h"
#include "core/tools/tilewright/Failure.h"
#include "core/tools/tilewright/OutputFile.h"
#include "core/tools/tilewright/PinTable.h"
#include "core/tools/tilewright/Table.h"
#include "lsp/protocol/Methods.h"

namespace tilewright::tool {

namespace {

struct UnpinOptions {
  std::string file, key, kind, onlyFor, fingerprint;
};

int unpin(Context &context, const UnpinOptions &options) {
  const SourceFile &source = context.read(options.file);
  EngineSession engine;
  engine.open(source);
  lsp::Json params = {{"key", options.key},
                      {"pinTarget", options.onlyFor},
                      {"kind", options.kind},
                      {"fingerprint", options.fingerprint}};
  lsp::Json result = engine.ask(lsp::method::unpin, context.params(params));
  if (context.json) {
    printJson(result);
    return exitOk;
  }
  auto states = result.get<model::PinStates>();
  writeStandardOutput(grouped(states.changed) +
                      (states.changed == 1 ? " pin" : " pins") + " of " +
                      printable(options.key) + " taken away; " +
                      grouped(int64_t(states.pins.size())) + " left\n");
  return exitOk;
}

} // namespace

void addUnpin(CommandSet &set) {
  auto options = std::make_shared<UnpinOptions>();
  CLI::App *command =
      set.add("unpin", "Take pins away: the compiler decides again",
              "  tilewright unpin ffn.mlir ffn/gate\n"
              "  tilewright unpin ffn.mlir ffn/gate tile --for ascend-a3\n");
  command->add_option("FILE", options->file, "Source")->required();
  command->add_option("KEY", options->key, "As it stands in the pins file")
      ->required();
  command->add_option("KIND", options->kind, "Only of this kind");
  command->add_option("--for", options->onlyFor, "Only those for this target");
  command->add_option("--expect", options->fingerprint,
                      "Only if the file still has this fingerprint");
  command->callback([&set, options] {
    set.chosen = [options](Context &c) { return unpin(c, *options); };
  });
}

} // namespace tilewright::tool
