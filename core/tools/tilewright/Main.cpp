//===- Main.cpp - tilewright, the command line ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/tools/tilewright/CommandLine.h"
#include <csignal>

int main(int argc, char **argv) {
  // A reader of our output that went away is seen as an error when writing.
  std::signal(SIGPIPE, SIG_IGN);
  return tilewright::tool::runCommandLine(argc, argv);
}
