//===- GraphPicture.h - a stage's graph drawn for a client ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "lsp/protocol/Json.h"
#include "viz/Opening.h"
#include "viz/Theme.h"
#include <map>
#include <optional>
#include <string>

namespace tilewright::lsp {

/// How a client that cannot lay graphs out itself wants one drawn: the
/// `picture` of `tilewright/graph`.
class GraphPicture {
public:
  /// Empty if `params` ask for none; a picture of another form is refused
  /// (TW0606). Its own words are in `language`.
  static std::optional<GraphPicture>
  of(const Json &params, viz::Language language = viz::Language::English);

  /// Makes `params` ask for no more than can be drawn: groups closed, but for
  /// those that a person opened, until `mostNodes` are left. What `params` say
  /// of it themselves holds.
  void narrow(Json &params) const;

  /// Adds to the result of `graph`: `svg`; `shown`, the ids of the nodes and
  /// groups that are drawn; `open`, those of the groups that are drawn as boxes
  /// around what is in them. To open a node opens what is around it.
  void draw(Json &result) const;

private:
  /// More are neither read nor drawn in the time that a person waits for.
  static constexpr int64_t mostNodes = 2000;

  viz::ThemeName theme = viz::ThemeName::Light;
  viz::Frame frame;
  viz::Language language = viz::Language::English;
  std::map<std::string, bool> chosen; ///< groups a person opened or closed
};

} // namespace tilewright::lsp
