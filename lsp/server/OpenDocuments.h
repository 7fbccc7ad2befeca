//===- OpenDocuments.h - the texts a client has open ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "lsp/protocol/Methods.h"
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace tilewright::lsp {

/// A text as it was at one time, shared by who still needs it.
using TextSnapshot = std::shared_ptr<const TextDocument>;

/// What the client has open, as it is now. A text that someone still reads is
/// copied when it changes. Thread-safe.
class OpenDocuments {
public:
  /// Of LSP's notifications; wrong params throw RequestError.
  struct Opened {
    std::string uri;
    int64_t version = 0;
    TextSnapshot text;
  };
  Opened open(const Json &params);

  struct Changed {
    std::string uri;
    int64_t version = 0;
    std::vector<ByteEdit> edits; ///< what was done, for the engines
    std::string outOfStep; ///< not empty: nothing was done, for this reason
  };
  /// All of a change or nothing: one that cannot be read leaves the document
  /// out of step with the editor, until the editor sends its text anew. Empty
  /// if the document is not open, or out of step still.
  std::optional<Changed> change(const Json &params, PositionEncoding encoding);

  void close(const std::string &uri);

  /// The editor knows another text than we do, since a change was lost. False
  /// if it is not open.
  bool setOutOfStep(const std::string &uri, const std::string &why);
  /// Why it is out of step with the editor; empty if it is not.
  std::string outOfStep(const std::string &uri) const;

  /// Null if it is not open.
  TextSnapshot find(const std::string &uri) const;
  std::vector<std::string> uris() const;
  /// Calls `action` if the document still has this version; no change comes in
  /// between.
  template <typename Action>
  void ifCurrent(const std::string &uri, int64_t version, Action action) const {
    std::lock_guard lock(mutex);
    auto it = documents.find(uri);
    if (it != documents.end() && it->second.text->version() == version)
      action();
  }

  /// Calls `action` with the text if it is open and in step; no change comes in
  /// between.
  template <typename Action>
  void withText(const std::string &uri, Action action) const {
    std::lock_guard lock(mutex);
    auto it = documents.find(uri);
    if (it != documents.end() && it->second.outOfStep.empty())
      action(TextSnapshot(it->second.text));
  }

private:
  mutable std::mutex mutex;
  struct Entry {
    std::shared_ptr<TextDocument> text;
    std::string outOfStep;
  };
  std::map<std::string, Entry> documents;
};

} // namespace tilewright::lsp
