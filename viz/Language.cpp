//===- Language.cpp -------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "viz/Language.h"

namespace tilewright::viz {

namespace {

template <typename Kind> std::string nameOf(Kind kind) {
  nlohmann::json json = kind;
  return json.is_string() ? json.get<std::string>() : std::string();
}

const char *chinese(model::NodeKind kind) {
  switch (kind) {
  case model::NodeKind::Operation:
    return "操作";
  case model::NodeKind::Input:
    return "输入";
  case model::NodeKind::Output:
    return "输出";
  case model::NodeKind::Constant:
    return "常量";
  case model::NodeKind::Function:
    return "函数";
  case model::NodeKind::Scope:
    return "scope";
  case model::NodeKind::Loop:
    return "循环";
  case model::NodeKind::Grid:
    return "网格";
  case model::NodeKind::Kernel:
    return "核函数";
  case model::NodeKind::Buffer:
    return "缓冲区";
  case model::NodeKind::Move:
    return "搬移";
  case model::NodeKind::Sync:
    return "同步";
  case model::NodeKind::Dispatch:
    return "派发";
  case model::NodeKind::Task:
    return "任务";
  }
  return "";
}

const char *chinese(model::EdgeKind kind) {
  switch (kind) {
  case model::EdgeKind::Data:
    return "数据";
  case model::EdgeKind::Order:
    return "次序";
  case model::EdgeKind::Event:
    return "事件";
  }
  return "";
}

} // namespace

std::string kindName(model::NodeKind kind, Language language) {
  return language == Language::Chinese ? chinese(kind) : nameOf(kind);
}

std::string kindName(model::EdgeKind kind, Language language) {
  return language == Language::Chinese ? chinese(kind) : nameOf(kind);
}

std::string originName(model::Origin origin, Language language) {
  if (language == Language::Chinese)
    switch (origin) {
    case model::Origin::Estimated:
      return "预计";
    case model::Origin::Simulated:
      return "模拟";
    case model::Origin::Measured:
      return "实测";
    }
  return nameOf(origin);
}

std::string insideText(int64_t nodes, Language language) {
  return language == Language::Chinese ? "内含 " + std::to_string(nodes) + " 个"
                                       : std::to_string(nodes) + " inside";
}

std::string countsText(int64_t nodes, int64_t edges, int64_t folded,
                       Language language) {
  if (language == Language::Chinese)
    return std::to_string(nodes) + " 个节点，" + std::to_string(edges) +
           " 条边" +
           (folded > 0 ? "，折叠 " + std::to_string(folded) + " 个" : "");
  auto counted = [](int64_t n, const char *what) {
    return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
  };
  return counted(nodes, "node") + ", " + counted(edges, "edge") +
         (folded > 0 ? ", " + std::to_string(folded) + " folded" : "");
}

TooltipWords tooltipWords(Language language) {
  if (language == Language::Chinese)
    return {"操作", "折叠", "网格", "结果", "键"};
  return {"operation", "folded", "grid", "result", "keys"};
}

} // namespace tilewright::viz
