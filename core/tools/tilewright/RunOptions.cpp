//===- RunOptions.cpp -----------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/tools/tilewright/RunOptions.h"
#include "core/tools/tilewright/InputFiles.h"
#include "core/tools/tilewright/Table.h"
#include <charconv>

namespace tilewright::tool {

/// Refuses what is no integer of 64 bits: the parser would take -1 for the
/// largest number there is.
static CLI::Validator seedRange() {
  return CLI::Validator(
      [](const std::string &text) {
        uint64_t value = 0;
        const char *end = text.data() + text.size();
        auto [at, failed] = std::from_chars(text.data(), end, value);
        return failed == std::errc() && at == end
                   ? std::string()
                   : "must be an integer from 0 to 18446744073709551615; it "
                     "is " +
                         printable(text);
      },
      "");
}

void RunOptions::addTo(CLI::App &command) {
  command.add_option("FILE", file, "Source; - for standard input")->required();
  command
      .add_option("--function", function,
                  "Which function; default: the only one, or the first. What "
                  "is wrong with the others does not matter")
      ->type_name("NAME");
  command
      .add_option("-i,--input", inputs,
                  "Value of an argument, from NumPy's format; others are made "
                  "from the seed. Repeatable")
      ->type_name("NAME=FILE.npy")
      ->type_size(1)
      ->allow_extra_args(false);
  command.add_option("--seed", seed, "Of the values made; default 0")
      ->check(seedRange())
      ->type_name("N");
  command
      .add_option("--threads", threads, "Worker threads; default: all cores")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
}

void RunOptions::fill(lsp::ExecutionParams &params, Context &context) const {
  params.uri = context.read(file).uri;
  params.target = context.target;
  params.function = function;
  params.inputs = parseInputs(inputs);
  params.seed = seed;
  params.threads = threads;
}

} // namespace tilewright::tool
