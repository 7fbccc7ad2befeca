//===- PinsCommand.cpp - tilewright pins ----------------------------------===//
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

static int pins(Context &context, const std::string &file) {
  const SourceFile &source = context.read(file);
  EngineSession engine;
  engine.open(source);
  lsp::Json result = engine.ask(lsp::method::pins, context.params());
  if (context.json)
    printJson(result);
  else
    writeStandardOutput(pinTable(result.get<model::PinStates>()));
  return exitOk;
}

void addPins(CommandSet &set) {
  auto file = std::make_shared<std::string>();
  CLI::App *command =
      set.add("pins", "List the pins of a source and what became of each",
              "  tilewright pins ffn.mlir\n"
              "  tilewright pins ffn.mlir --target ascend-a3\n");
  command->add_option("FILE", *file, "Source")->required();
  command->callback([&set, file] {
    set.chosen = [file](Context &c) { return pins(c, *file); };
  });
}

} // namespace tilewright::tool
