//===- ResultNews.cpp -----------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/server/ResultNews.h"
#include "lsp/protocol/Methods.h"

namespace tilewright::lsp {

void ResultNews::begin(Connection &to) {
  std::lock_guard lock(mutex);
  client = &to;
}

/// What a method's result makes new, besides the experiment it may have
/// recorded.
static Json partsOf(const std::string &method, const Json &result) {
  if (method == method::stages)
    return {"stages", "estimate"};
  if (method == method::run || method == method::verify)
    return Json::array({method.substr(method.find('/') + 1)});
  if ((method == method::pin || method == method::unpin) &&
      result.value("changed", Json(0)) != 0)
    return Json::array({"pins"});
  if (method == method::override && (!result.value("written", Json()).empty() ||
                                     !result.value("removed", Json()).empty()))
    return Json::array({"overrides"});
  return Json::array();
}

void ResultNews::tell(const std::string &uri, const std::string &method,
                      const Json &result) {
  if (!result.is_object())
    return;
  Json parts = partsOf(method, result);
  if (result.contains("experiment"))
    parts.push_back("experiment");
  if (parts.empty())
    return;
  int64_t version = result.value("documentVersion", int64_t(0));
  int64_t generation = result.value("generation", int64_t(0));
  std::string target = result.value("target", std::string());
  std::lock_guard lock(mutex);
  if (!client)
    return;
  if (method == method::stages) {
    std::pair now(version, generation);
    auto [it, isNew] = told.try_emplace({uri, target}, now);
    if (!isNew && std::exchange(it->second, now) == now)
      return;
  }
  client->notify("tilewright/changed", {{"schema", "tilewright/changed"},
                                        {"version", 1},
                                        {"uri", uri},
                                        {"target", target},
                                        {"documentVersion", version},
                                        {"generation", generation},
                                        {"changed", std::move(parts)}});
}

} // namespace tilewright::lsp
