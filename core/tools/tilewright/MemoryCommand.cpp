//===- MemoryCommand.cpp - tilewright memory ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/model/ByteCount.h"
#include "core/model/MemoryMap.h"
#include "core/tools/tilewright/CommandLine.h"
#include "core/tools/tilewright/EngineSession.h"
#include "core/tools/tilewright/Failure.h"
#include "core/tools/tilewright/OutputFile.h"
#include "core/tools/tilewright/Table.h"
#include "lsp/protocol/Methods.h"
#include "viz/MemoryMapSvg.h"
#include <filesystem>

namespace tilewright::tool {

namespace {

struct MemoryOptions {
  std::string file;
  std::string stage;
  std::string kernel;
  bool svg = false;
  bool dark = false;
  std::string output;
};

std::string countOf(size_t n, const char *what) {
  return grouped(int64_t(n)) + " " + what + (n == 1 ? "" : "s");
}

std::string shapeOf(const model::TensorType &type) {
  std::string text;
  for (const model::Expr &size : type.shape)
    text += size.str() + "x";
  return text + type.dtype;
}

std::string listed(const std::vector<std::string> &names,
                   const std::string &kernel) {
  std::string text;
  for (const std::string &name : names) {
    std::string_view shown = name;
    if (shown.starts_with(kernel + "/"))
      shown.remove_prefix(kernel.size() + 1);
    text += (text.empty() ? "" : ", ") + std::string(shown);
  }
  return text;
}

/// One line a level of each kernel.
std::string overview(const model::MemoryMap &map) {
  Table table({{"kernel"},
               {"level"},
               {"buffers", true},
               {"reaches", true},
               {"usable", true},
               {"most alive", true},
               {"at", true}});
  for (const model::KernelMemory &kernel : map.kernels)
    for (const model::MapLevel &level : kernel.levels)
      table.add(
          {&level == &kernel.levels.front() ? printable(kernel.kernel) : "",
           level.name, grouped(int64_t(level.buffers.size())),
           model::formatBytes(level.highWater),
           model::formatBytes(level.usable),
           model::formatBytes(level.peakBytes), grouped(level.peakStep + 1)});
  if (table.empty())
    return map.pass + ": no kernel keeps a buffer on the chip\n";
  return table.str() + "\n" + map.pass + " for " + map.target + ", " +
         countOf(map.kernels.size(), "kernel") +
         "; --kernel NAME lists its buffers, --svg draws them\n";
}

/// Every buffer of one kernel.
std::string details(const model::KernelMemory &kernel) {
  std::string text = printable(kernel.kernel) + ", " + kernel.core + " core, " +
                     countOf(kernel.steps.size(), "instruction") + "\n";
  for (const model::MapLevel &level : kernel.levels) {
    text += "\n" + level.name + ": reaches " +
            model::formatBytes(level.highWater) + " of " +
            model::formatBytes(level.usable) + " usable; most alive at once " +
            model::formatBytes(level.peakBytes) + " from instruction " +
            grouped(level.peakStep + 1) + ": " +
            printable(listed(level.atPeak, kernel.kernel)) + "\n";
    Table table({{"buffer"},
                 {"type"},
                 {"address", true},
                 {"bytes", true},
                 {"alive"},
                 {"room of"},
                 {"written by"}});
    for (const model::MapBuffer &buffer : level.buffers) {
      // One that nothing reads or writes takes room for nothing.
      std::string alive = buffer.used ? grouped(buffer.first + 1) + " \u2013 " +
                                            grouped(buffer.last + 1)
                                      : "not used";
      table.add({printable(buffer.name), shapeOf(buffer.type),
                 grouped(buffer.offset), grouped(buffer.bytes), alive,
                 printable(listed(buffer.reuses, kernel.kernel)),
                 printable(listed(buffer.writers, ""))});
    }
    text += table.str();
  }
  return text;
}

int memory(Context &context, const MemoryOptions &options) {
  const SourceFile &source = context.read(options.file);
  std::optional<OutputFile> output;
  if (!options.output.empty())
    output.emplace(options.output, source);
  lsp::Json more = lsp::Json::object();
  if (!options.stage.empty())
    more["stage"] = options.stage;
  if (!options.kernel.empty())
    more["kernel"] = options.kernel;
  lsp::Json result;
  {
    EngineSession engine;
    engine.open(source);
    result = engine.ask(lsp::method::memoryMap, context.params(more));
    reportRemarks(engine, context);
  }
  std::string text;
  if (context.json) {
    text =
        result.dump(2, ' ', false, lsp::Json::error_handler_t::replace) + "\n";
  } else {
    auto map = result.get<model::MemoryMap>();
    if (options.svg) {
      viz::MemoryMapOptions picture;
      picture.title = std::filesystem::path(source.display).filename().string();
      if (options.dark)
        picture.theme = viz::ThemeName::Dark;
      text = viz::toSvg(map, picture);
    } else if (!options.kernel.empty() && !map.kernels.empty()) {
      text = details(map.kernels.front());
    } else {
      text = overview(map);
    }
  }
  writeOutput(output, text);
  return exitOk;
}

} // namespace

void addMemory(CommandSet &set) {
  auto options = std::make_shared<MemoryOptions>();
  CLI::App *command = set.add(
      "memory", "Show what lies where and when in the on-chip memories",
      "  tilewright memory ffn.mlir --target ascend-a3\n"
      "  tilewright memory ffn.mlir --target ascend-a3 --kernel ffn.y.kernel\n"
      "  tilewright memory ffn.mlir --target ascend-a3 --svg -o memory.svg\n");
  command->add_option("FILE", options->file, "Source; - for standard input")
      ->required();
  command
      ->add_option("-s,--stage", options->stage,
                   "block/allocate-onchip or a later pass; default: the last "
                   "of the Block graph")
      ->type_name("STAGE[/PASS]");
  command
      ->add_option("-k,--kernel", options->kernel,
                   "Only this kernel, and each of its buffers")
      ->type_name("NAME");
  auto *svg = command->add_flag("--svg", options->svg, "A picture");
  svg->excludes(command->get_option("--json"));
  command->add_flag("--dark", options->dark, "Light on dark (SVG)");
  command
      ->add_option("-o,--output", options->output,
                   "Write there instead of standard output")
      ->type_name("FILE");
  command->callback([&set, options] {
    set.chosen = [options](Context &c) { return memory(c, *options); };
  });
}

} // namespace tilewright::tool
