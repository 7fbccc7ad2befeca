//===- NodeText.h - what is written on nodes and edges ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Graph.h"
#include "viz/Language.h"
#include <string>

namespace tilewright::viz {

/// "operation", "scope" …, as in the JSON.

/// The label, else the operation, else the id.
const std::string &titleOf(const model::Node &node);
/// Operation and the attributes short enough to read; empty if the title says
/// it all. `hidden` > 0: how much is folded in.
std::string subtitleOf(const model::Node &node, int64_t hidden,
                       Language language = Language::English);
/// On the frame of an expanded group.
std::string groupTitleOf(const model::Node &node,
                         Language language = Language::English);
/// "48x24"; empty for a single instance.
std::string gridText(const model::Node &node);
/// "128x1408xf32 @UB"; empty for what is no tensor.
std::string typeText(const model::TensorType &type);

} // namespace tilewright::viz
