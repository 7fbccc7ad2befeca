//===- ExplainCommand.cpp - tilewright explain ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/model/Decision.h"
#include "core/model/WhatIf.h"
#include "core/tools/tilewright/CommandLine.h"
#include "core/tools/tilewright/EngineSession.h"
#include "core/tools/tilewright/Failure.h"
#include "core/tools/tilewright/OutputFile.h"
#include "core/tools/tilewright/Table.h"
#include "lsp/protocol/Methods.h"

namespace tilewright::tool {

namespace {

/// All decisions, a line each.
std::string overview(const model::DecisionList &list) {
  Table table({{"operation"}, {"kind"}, {"value"}, {"origin"}, {"because"}});
  for (const model::Decision &decision : list.decisions) {
    std::string value = decision.value.dump();
    if (decision.kind == "tile")
      value = model::tileText(decision.value.get<model::TileSizes>());
    else if (decision.kind == "scope" && decision.value.contains("fused"))
      value =
          std::to_string(decision.value["fused"].size()) +
          (decision.value["fused"].size() == 1 ? " operation" : " operations");
    std::string reason = printable(decision.reason);
    table.add({printable(decision.key), decision.kind, printable(value),
               nlohmann::json(decision.origin).get<std::string>(), reason});
  }
  return table.str() + "\n" + grouped(int64_t(list.decisions.size())) +
         " decisions; more of one: tilewright explain FILE OPERATION\n";
}

int explain(Context &context, const std::string &file, const std::string &key) {
  const SourceFile &source = context.read(file);
  lsp::Json result;
  bool ok = false;
  {
    EngineSession engine;
    engine.open(source);
    result = engine.ask(lsp::method::decisions, context.params({{"key", key}}));
    ok = reportRemarks(engine, context);
  }
  if (context.json) {
    printJson(result);
    return ok ? exitOk : exitFailed;
  }
  auto list = result.get<model::DecisionList>();
  writeStandardOutput(key.empty() ? overview(list) : list.explanation);
  return ok ? exitOk : exitFailed;
}

} // namespace

void addExplain(CommandSet &set) {
  auto file = std::make_shared<std::string>();
  auto key = std::make_shared<std::string>();
  CLI::App *command =
      set.add("explain", "Say why: each decision, its reason, what was weighed",
              "  tilewright explain ffn.mlir\n"
              "  tilewright explain ffn.mlir ffn/gate\n"
              "  tilewright explain ffn.mlir ffn/gate --target ascend-a3\n");
  command->add_option("FILE", *file, "Source; - for standard input")
      ->required();
  command->add_option("KEY", *key,
                      "Operation, function/name; all of them if there is none");
  command->callback([&set, file, key] {
    set.chosen = [file, key](Context &c) { return explain(c, *file, *key); };
  });
}

} // namespace tilewright::tool
