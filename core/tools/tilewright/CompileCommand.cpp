//===- CompileCommand.cpp - tilewright compile ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/model/Stage.h"
#include "core/tools/tilewright/CommandLine.h"
#include "core/tools/tilewright/Failure.h"
#include "core/tools/tilewright/OutputFile.h"
#include "core/tools/tilewright/RecordOptions.h"
#include "core/tools/tilewright/Report.h"
#include "core/tools/tilewright/Table.h"
#include "lsp/protocol/Methods.h"
#include <filesystem>
#include <iostream>

namespace tilewright::tool {

namespace {

struct CompileOptions {
  std::string file;
  std::string emit = "none";
  std::string output;
  RecordOptions record;
};

int compile(Context &context, const CompileOptions &options) {
  if (options.emit == "object" && options.output.empty())
    throw Failure("TW0700", "--emit object needs -o FILE",
                  "Object code is no text: say where to write it.", exitUsage);
  if (options.emit == "none" && !options.output.empty())
    throw Failure("TW0700", "-o needs --emit llvm, asm or object", "",
                  exitUsage);
  const SourceFile &source = context.read(options.file);
  std::optional<OutputFile> output;
  lsp::Json more = {{"emit", options.emit},
                    {"record", options.record.wanted()},
                    {"note", options.record.note}};
  if (!options.output.empty()) {
    output.emplace(options.output, source);
    more["output"] = output->temporaryPath();
  }
  lsp::Json result = askAboutSource(context, lsp::method::compile,
                                    context.params(std::move(more)), output);
  auto stages = result.at("stages").get<model::StageTable>();
  printDiagnostics(stages.diagnostics, &source);
  bool ok = stages.complete && !hasError(stages.diagnostics);
  if (ok && output) {
    // The engine has said it wrote the file; see that it is so before the old
    // one goes.
    std::error_code error;
    if (!std::filesystem::exists(output->temporaryPath(), error))
      throw Failure("TW0705", "the compiler wrote no " + options.output);
    output->commit();
    result["path"] = options.output;
  }
  if (context.json) {
    printJson(result);
    return ok ? exitOk : exitFailed;
  }
  double total = 0;
  for (const model::PassRecord &pass : stages.passes)
    total += pass.milliseconds;
  if (ok && !output && result.contains("text"))
    writeStandardOutput(result["text"].get<std::string>());
  else if (ok)
    writeStandardOutput(source.display + ": compiled for " + stages.target +
                        ", " + std::to_string(stages.passes.size()) +
                        " passes in " + milliseconds(total) + " ms (measured)" +
                        (output ? ", wrote " + options.output : "") + "\n" +
                        recordedAs(result));
  return ok ? exitOk : exitFailed;
}

} // namespace

void addCompile(CommandSet &set) {
  auto options = std::make_shared<CompileOptions>();
  CLI::App *command =
      set.add("compile", "Compile a file and say what is wrong with it",
              "  tilewright compile ffn.mlir\n"
              "  tilewright compile ffn.mlir --emit llvm\n"
              "  tilewright compile ffn.mlir --emit object -o ffn.o\n"
              "  tilewright compile ffn.mlir --target ascend-a3 --json\n");
  command->add_option("FILE", options->file, "Source; - for standard input")
      ->required();
  command
      ->add_option("-e,--emit", options->emit,
                   "What to write: none, llvm, asm or object")
      ->check(CLI::IsMember({"none", "llvm", "asm", "object"}))
      ->type_name("KIND");
  command
      ->add_option("-o,--output", options->output,
                   "Write there instead of standard output")
      ->type_name("FILE");
  options->record.add(*command);
  command->callback([&set, options] {
    set.chosen = [options](Context &c) { return compile(c, *options); };
  });
}

} // namespace tilewright::tool
