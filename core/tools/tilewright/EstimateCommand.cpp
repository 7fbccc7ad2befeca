//===- EstimateCommand.cpp - tilewright estimate --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/model/Estimate.h"
#include "core/tools/tilewright/CommandLine.h"
#include "core/tools/tilewright/EngineSession.h"
#include "core/tools/tilewright/Failure.h"
#include "core/tools/tilewright/OutputFile.h"
#include "core/tools/tilewright/RecordOptions.h"
#include "core/tools/tilewright/Table.h"
#include "lsp/protocol/Methods.h"
#include <map>

namespace tilewright::tool {

namespace {

std::string percent(double share) { return fixed(share * 100, 0) + " %"; }

/// On-chip room, by level: "L1 384 KiB, L0C 128 KiB".
std::string roomText(const model::Estimate &kernel) {
  std::map<std::string, int64_t> bytes;
  for (const model::BufferRoom &buffer : kernel.buffers)
    bytes[buffer.level] += buffer.bytes * buffer.copies;
  std::string text;
  for (const auto &[level, total] : bytes)
    text += (text.empty() ? "" : ", ") + level + " " +
            fixed(double(total) / 1024, total % 1024 ? 1 : 0) + " KiB";
  return text;
}

std::string tableText(const model::EstimateList &list) {
  Table table({{"kernel"},
               {"kind"},
               {"time", true},
               {"share", true},
               {"tasks", true},
               {"waves", true},
               {"cores busy", true},
               {"flop", true},
               {"moved", true},
               {"flop/B", true},
               {"bound by"},
               {"by", true},
               {"on chip"}});
  for (const model::Estimate &kernel : list.kernels)
    table.add({printable(kernel.key), kernel.kind,
               model::formatSeconds(kernel.seconds),
               percent(list.seconds > 0 ? kernel.seconds / list.seconds : 0),
               kernel.tasks ? grouped(kernel.tasks) : "?",
               grouped(kernel.waves), percent(kernel.coreUse),
               model::formatAmount(kernel.flop, ""),
               model::formatAmount(kernel.globalBytes, "B"),
               significant(kernel.intensity), kernel.bound,
               percent(kernel.boundMargin), roomText(kernel)});
  std::string text = table.str();
  double flop = 0, bytes = 0;
  for (const model::Estimate &kernel : list.kernels) {
    flop += kernel.flop;
    bytes += kernel.globalBytes;
  }
  text += "\nestimated for " + list.target + ": " +
          model::formatSeconds(list.seconds) + " for " +
          grouped(int64_t(list.kernels.size())) +
          (list.kernels.size() == 1 ? " kernel" : " kernels one after another");
  if (list.launchSeconds > 0)
    text += ", of it " + model::formatSeconds(list.launchSeconds) +
            " to launch the program";
  text += "; " + model::formatAmount(flop, "flop") + ", " +
          model::formatAmount(bytes, "B") + " through global memory";
  if (list.seconds > 0)
    text += ", " + model::formatAmount(flop / list.seconds, "flop/s");
  text += "\n";
  for (const model::Estimate &kernel : list.kernels)
    for (const std::string &assumption : kernel.assumptions)
      text += printable(kernel.key) + ": " + assumption + "\n";
  return text;
}

int estimate(Context &context, const std::string &file, const std::string &key,
             const RecordOptions &record) {
  const SourceFile &source = context.read(file);
  lsp::Json result;
  bool ok = false;
  {
    EngineSession engine;
    engine.open(source);
    result = engine.ask(lsp::method::estimate,
                        context.params({{"key", key},
                                        {"record", record.wanted()},
                                        {"note", record.note}}));
    ok = reportRemarks(engine, context);
  }
  if (context.json)
    printJson(result);
  else
    writeStandardOutput(tableText(result.get<model::EstimateList>()) +
                        recordedAs(result));
  return ok ? exitOk : exitFailed;
}

} // namespace

void addEstimate(CommandSet &set) {
  auto file = std::make_shared<std::string>();
  auto key = std::make_shared<std::string>();
  auto record = std::make_shared<RecordOptions>();
  CLI::App *command =
      set.add("estimate",
              "Say what every kernel costs, in closed form: time, bytes, bound",
              "  tilewright estimate ffn.mlir\n"
              "  tilewright estimate ffn.mlir --target ascend-a3\n"
              "  tilewright estimate ffn.mlir ffn/gate --json\n"
              "  tilewright estimate ffn.mlir --note 'smaller tiles'\n");
  command->add_option("FILE", *file, "Source; - for standard input")
      ->required();
  command->add_option("KEY", *key, "Only the kernel of this operation");
  record->add(*command);
  command->callback([&set, file, key, record] {
    set.chosen = [file, key, record](Context &c) {
      return estimate(c, *file, *key, *record);
    };
  });
}

} // namespace tilewright::tool
