//===- VerifyCommand.cpp - tilewright verify ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/model/Verify.h"
#include "core/tools/tilewright/CommandLine.h"
#include "core/tools/tilewright/Failure.h"
#include "core/tools/tilewright/InputFiles.h"
#include "core/tools/tilewright/OutputFile.h"
#include "core/tools/tilewright/Report.h"
#include "core/tools/tilewright/RunOptions.h"
#include "core/tools/tilewright/Table.h"
#include "lsp/protocol/Methods.h"

namespace tilewright::tool {

namespace {

/// Beside what RunOptions has.
struct VerifyOptions : RunOptions {
  std::vector<std::string> tensors;
  std::string outputs = "tensors";
};

std::string number(double value, const char *format = "%.9g") {
  char text[40];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string indexText(const std::vector<int64_t> &index) {
  std::string text = "[";
  for (size_t d = 0; d < index.size(); ++d)
    text += (d ? ", " : "") + std::to_string(index[d]);
  return text + "]";
}

std::string where(const model::VerifyCheck &check) {
  std::string text = printable(check.key);
  if (check.output >= 0)
    text +=
        (text.empty() ? "result " : ", result ") + std::to_string(check.output);
  return text;
}

/// "7.1e-07 of 1e-05"
std::string errorText(const model::VerifyCheck &check) {
  return number(check.error, "%.2g") + " of " + number(check.tolerance, "%.2g");
}

std::string histogramText(const model::ErrorHistogram &histogram) {
  Table table({{"  error"}, {"elements", true}});
  if (histogram.equal)
    table.add({"  none", grouped(histogram.equal)});
  for (auto [exponent, count] : histogram.decades)
    table.add({"  1e" + std::to_string(exponent) + " to 1e" +
                   std::to_string(exponent + 1),
               grouped(count)});
  if (histogram.notFinite)
    table.add({"  not finite", grouped(histogram.notFinite)});
  return table.empty() ? std::string() : table.str();
}

std::string describe(const model::VerifyResult &result) {
  Table table({{"pass"}, {"result"}, {"worst error"}, {"where"}, {"ms", true}});
  const model::VerifyCheck *first = nullptr;
  const model::VerifiedPass *onTheWay = nullptr;
  for (const model::VerifiedPass &pass : result.passes) {
    const model::VerifyCheck *shown =
        pass.result == "passed" || pass.failing.empty()
            ? (pass.worst ? &*pass.worst : nullptr)
            : &pass.failing.front();
    if (pass.result == "passed" && !pass.failing.empty() && !onTheWay)
      onTheWay = &pass;
    bool isFirst = pass.pass == result.firstPass;
    if (isFirst && !pass.failing.empty())
      first = &pass.failing.front();
    table.add(
        {pass.pass,
         pass.result == "failed"  ? "FAILED"
         : pass.result == "error" ? "ERROR"
         : pass.resultsOnly       ? pass.result + ", results only"
                                  : pass.result,
         shown ? errorText(*shown) : "",
         shown ? where(*shown)
               : (pass.diagnostic ? printable(pass.diagnostic->key) : ""),
         pass.result == "unchanged" ? "" : milliseconds(pass.milliseconds)});
  }
  std::string text = table.str() + "\n";
  text += printable(result.function) + " on " + result.target + ": ";
  if (!result.stoppedAfter.empty() && result.firstPass.empty()) {
    text += "the compilation stopped with an error after " +
            result.stoppedAfter +
            "; the stages up to there compute what the source says, the others "
            "do not exist\n";
  } else if (result.passed) {
    text += "every stage computes what the source says (times are measured)\n";
  } else {
    text += "wrong since " + result.firstPass;
    if (!result.firstScope.empty())
      text += ", scope @" + printable(result.firstScope);
    if (!result.firstKey.empty())
      text += ", " + printable(result.firstKey);
    text += "\n";
    if (first && !first->problem.empty())
      text += "  " + printable(first->problem) + "\n";
    else if (first)
      text += "  worst at " + indexText(first->index) + ": " +
              number(first->got) + ", the source says " + number(first->want) +
              "; error " + errorText(*first) + " allowed (" + first->rule +
              ")\n" + histogramText(first->histogram);
  }
  if (onTheWay)
    text += "  on the way to results that agree, since " + onTheWay->pass +
            ": " + where(onTheWay->failing.front()) + " is off by " +
            errorText(onTheWay->failing.front()) + "\n";
  for (const model::VerifyDump &dump : result.dumps)
    text += "wrote " + dump.path + "\n";
  return text;
}

int verify(Context &context, const VerifyOptions &options) {
  lsp::VerifyParams params;
  options.fill(params, context);
  const SourceFile &source = *context.source;
  params.tensors = options.tensors;
  if (!options.tensors.empty())
    params.outputs = makeFolder(options.outputs);
  lsp::Json answer = askAboutSource(context, lsp::method::verify, params);
  auto result = answer.get<model::VerifyResult>();
  std::vector<model::Diagnostic> diagnostics = result.diagnostics;
  for (const model::VerifiedPass &pass : result.passes)
    if (pass.diagnostic && pass.pass == result.firstPass)
      diagnostics.push_back(*pass.diagnostic);
  printDiagnostics(diagnostics, &source);
  if (context.json)
    printJson(answer);
  else
    writeStandardOutput(describe(result));
  return result.passed && !hasError(result.diagnostics) ? exitOk : exitFailed;
}

} // namespace

void addVerify(CommandSet &set) {
  auto options = std::make_shared<VerifyOptions>();
  CLI::App *command = set.add(
      "verify",
      "Run every stage on the same inputs and name the first wrong one",
      "  tilewright verify ffn.mlir\n"
      "  tilewright verify ffn.mlir --target ascend-a3 --seed 7\n"
      "  tilewright verify ffn.mlir --tensor swiglu_ffn/act -o tensors\n");
  options->addTo(*command);
  command
      ->add_option("--tensor", options->tensors,
                   "Write this tensor of every stage that has it as .npy. "
                   "Repeatable")
      ->type_name("KEY")
      ->type_size(1)
      ->allow_extra_args(false);
  command
      ->add_option("-o,--output", options->outputs,
                   "Folder for --tensor; default: tensors")
      ->type_name("FOLDER");
  command->callback([&set, options] {
    set.chosen = [options](Context &c) { return verify(c, *options); };
  });
}

} // namespace tilewright::tool
