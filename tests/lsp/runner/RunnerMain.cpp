//===- RunnerMain.cpp - the runner alone ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/engine/Runner.h"

int main() { tilewright::engine::serveRunner(0, 1); }
