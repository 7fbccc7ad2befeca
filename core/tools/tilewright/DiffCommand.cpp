//===- DiffCommand.cpp - tilewright diff ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/model/Diff.h"
#include "core/tools/tilewright/CommandLine.h"
#include "core/tools/tilewright/EngineSession.h"
#include "core/tools/tilewright/Failure.h"
#include "core/tools/tilewright/OutputFile.h"
#include "lsp/protocol/Methods.h"
#include <unistd.h>

namespace tilewright::tool {

namespace {

struct DiffOptions {
  std::string file;
  std::string from;
  std::string to;
  bool text = false;
};

/// Each line of `text` after `mark`.
std::string marked(const std::string &text, char mark, const char *color,
                   bool colored) {
  std::string result;
  size_t begin = 0;
  while (begin < text.size()) {
    size_t end = text.find('\n', begin);
    std::string line = text.substr(begin, end - begin);
    result += "  " + std::string(colored ? color : "") + mark + " " + line +
              (colored ? "\033[0m" : "") + "\n";
    if (end == std::string::npos)
      break;
    begin = end + 1;
  }
  return result;
}

int diff(Context &context, const DiffOptions &options) {
  const SourceFile &source = context.read(options.file);
  lsp::Json result;
  {
    EngineSession engine;
    engine.open(source);
    result = engine.ask(
        lsp::method::diff,
        context.params({{"from", options.from}, {"to", options.to}}));
    reportRemarks(engine, context);
  }
  if (context.json) {
    printJson(result);
    return exitOk;
  }
  auto diff = result.get<model::Diff>();
  if (options.text || (diff.ops.empty() && !diff.text.empty())) {
    writeStandardOutput(diff.text);
    return exitOk;
  }
  bool colored = ::isatty(1) && !std::getenv("NO_COLOR");
  std::map<std::string, int> counts;
  std::string text;
  for (const model::OperationDiff &op : diff.ops) {
    std::string change = lsp::Json(op.change).get<std::string>();
    ++counts[change];
    text += op.key + ": " + change + "\n";
    // One that moved may have kept its text.
    if (op.before != op.after) {
      text += marked(op.before, '-', "\033[31m", colored);
      text += marked(op.after, '+', "\033[32m", colored);
    }
  }
  std::string summary = diff.from + " -> " + diff.to + ":";
  for (const auto &[change, count] : counts)
    summary += " " + std::to_string(count) + " " + change + ",";
  if (counts.empty())
    summary += " no difference";
  else
    summary.pop_back();
  writeStandardOutput(text + (text.empty() ? "" : "\n") + summary + "\n");
  return exitOk;
}

} // namespace

void addDiff(CommandSet &set) {
  auto options = std::make_shared<DiffOptions>();
  CLI::App *command = set.add(
      "diff", "Show what changed between two passes, by operation",
      "  tilewright diff ffn.mlir tensor tile/form-scopes\n"
      "  tilewright diff ffn.mlir tile/form-scopes tile/expand-tiles --text\n");
  command->add_option("FILE", options->file, "Source; - for standard input")
      ->required();
  command->add_option("FROM", options->from, "STAGE or STAGE/PASS")->required();
  command->add_option("TO", options->to, "STAGE or STAGE/PASS")->required();
  command->add_flag("--text", options->text,
                    "A unified diff of the printed texts instead");
  command->callback([&set, options] {
    set.chosen = [options](Context &c) { return diff(c, *options); };
  });
}

} // namespace tilewright::tool
