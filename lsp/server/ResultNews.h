//===- ResultNews.h - telling a client that a result is new -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "lsp/protocol/Connection.h"
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace tilewright::lsp {

/// Sends `tilewright/changed` when there is something new to show of a text:
/// its views need not ask again and again, nor know who caused it. Thread safe.
class ResultNews {
public:
  /// Nothing is sent until then; `to` must outlive this.
  void begin(Connection &to);

  /// `result` is what `method` gave for the text `uri`. The same compiled state
  /// is news once.
  void tell(const std::string &uri, const std::string &method,
            const Json &result);

private:
  std::mutex mutex;
  Connection *client = nullptr;
  /// Version and generation last told, by text and target.
  std::map<std::pair<std::string, std::string>, std::pair<int64_t, int64_t>>
      told;
};

} // namespace tilewright::lsp
