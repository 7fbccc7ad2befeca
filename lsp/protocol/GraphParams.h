//===- GraphParams.h - which part of which graph is asked for ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/GraphPart.h"
#include "lsp/protocol/Params.h"

namespace tilewright::lsp {

/// graph: as StageParams; the others are those of model::GraphPart.
struct GraphParams {
  std::string uri;
  std::string target;
  std::string stage;
  int64_t atMost = 0;
  std::vector<std::string> open;
  std::vector<std::string> closed;
  std::string root;
  std::string find;
  int64_t offset = 0;
  int64_t limit = 0;

  model::GraphPart part() const {
    return {atMost, open, closed, root, find, offset, limit};
  }
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(GraphParams, uri, target, stage,
                                                atMost, open, closed, root,
                                                find, offset, limit)

template <> inline Json exampleOf<GraphParams>() {
  GraphParams params;
  params.open.emplace_back();
  params.closed.emplace_back();
  return params;
}

} // namespace tilewright::lsp
