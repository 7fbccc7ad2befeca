//===- EngineDocuments.h - the open documents, read -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/frontend/SourceDocument.h"
#include "lsp/protocol/Connection.h"
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace tilewright::engine {

/// A document read, and the number of that reading.
struct ReadDocument {
  std::shared_ptr<const frontend::SourceSnapshot> source;
  int64_t generation = 0;
};

/// The texts the front has open. Edits come from the reading thread, readings
/// happen in the workers; each worker reads what was current when it began.
class EngineDocuments {
public:
  /// `pins`: path of its pins file; empty for the one beside it.
  void open(const std::string &uri, int64_t version, std::string text,
            std::string pins = {});
  /// A change that does not fit is kept as the document's error: every request
  /// about it fails with TW0017 until the text is sent again.
  void change(const std::string &uri, int64_t version,
              const std::vector<frontend::TextEdit> &edits);
  void close(const std::string &uri);

  /// The document that `request` names by `uri`, read to the current version;
  /// for what is asked about one place of it, as SourceDocument::glance().
  /// Throws RequestError: not open (TW0605), broken by an edit, cancelled.
  ReadDocument read(const lsp::IncomingRequest &request);

  struct Text {
    std::string text;
    int64_t version = 0;
  };
  std::vector<std::string> uris() const;
  /// Empty for a document that is not open.
  std::optional<Text> textOf(const std::string &uri) const;
  /// Where its pins are; empty for a text that is no file and was given none.
  std::string pinsPathOf(const std::string &uri) const;

private:
  struct Open {
    std::shared_ptr<frontend::SourceDocument> document;
    std::optional<model::Diagnostic> broken;
    std::string pins;                               ///< path; empty: beside it
    const frontend::SourceSnapshot *last = nullptr; ///< for comparing only
    int64_t generation = 0;
  };
  mutable std::mutex mutex;
  std::map<std::string, Open> documents;
  frontend::SourceContext context;
};

} // namespace tilewright::engine
