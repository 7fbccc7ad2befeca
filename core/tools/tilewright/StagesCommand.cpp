//===- StagesCommand.cpp - tilewright stages ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/model/Stage.h"
#include "core/tools/tilewright/CommandLine.h"
#include "core/tools/tilewright/Failure.h"
#include "core/tools/tilewright/OutputFile.h"
#include "core/tools/tilewright/Report.h"
#include "core/tools/tilewright/Table.h"
#include "lsp/protocol/Methods.h"

namespace tilewright::tool {

namespace {

int stages(Context &context, const std::string &path) {
  const SourceFile &source = context.read(path);
  lsp::Json result =
      askAboutSource(context, lsp::method::stages, context.params());
  auto stages = result.get<model::StageTable>();
  printDiagnostics(stages.diagnostics, &source);
  bool ok = stages.complete && !hasError(stages.diagnostics);
  if (context.json) {
    printJson(result);
    return ok ? exitOk : exitFailed;
  }
  Table table({{"stage"}, {"pass"}, {"changed"}, {"ops", true}, {"ms", true}});
  std::string stage;
  double total = 0;
  int64_t changed = 0;
  for (const model::PassRecord &pass : stages.passes) {
    // A stage's name once, at its first pass.
    table.add({pass.stage == stage ? "" : pass.stage, pass.pass,
               pass.changed ? (pass.reused ? "yes, re-used" : "yes") : "-",
               grouped(pass.operations), milliseconds(pass.milliseconds)});
    stage = pass.stage;
    total += pass.milliseconds;
    changed += pass.changed;
  }
  std::string text = table.empty() ? "" : table.str();
  for (const model::PassRecord &pass : stages.passes)
    for (const std::string &name : pass.overrides)
      text += "\n" + pass.name() +
              " is followed by what a person wrote: " + printable(name) + "\n";
  text += (text.empty() ? "" : "\n") + std::to_string(stages.passes.size()) +
          " passes for " + stages.target + ", " + std::to_string(changed) +
          " changed something, " + milliseconds(total) + " ms (measured)" +
          (stages.complete ? "" : "; stopped by an error") + "\n";
  writeStandardOutput(text);
  return ok ? exitOk : exitFailed;
}

} // namespace

void addStages(CommandSet &set) {
  auto file = std::make_shared<std::string>();
  CLI::App *command =
      set.add("stages", "List the passes that ran: what changed, ops, time",
              "  tilewright stages ffn.mlir\n"
              "  tilewright stages ffn.mlir --target ascend-a3\n"
              "  tilewright stages ffn.mlir --json | jq '.passes[].pass'\n");
  command->add_option("FILE", *file, "Source; - for standard input")
      ->required();
  command->callback([&set, file] {
    set.chosen = [file](Context &c) { return stages(c, *file); };
  });
}

} // namespace tilewright::tool
