//===- PassList.cpp - the passes in the order they run --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pipeline/PassList.h"

namespace tilewright {

const std::vector<PassEntry> &passList() {
  static const std::vector<PassEntry> passes = {};
  return passes;
}

} // namespace tilewright
