//===- SourceDocument.h - a text being edited, and what it says -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/frontend/ParsedChunk.h"
#include "core/frontend/SourceChunks.h"
#include "core/model/Diagnostic.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace tilewright::frontend {

class SourceContext;

/// Text for a person about the thing at an offset.
struct SourceHover {
  std::string markdown;
  model::TextRange range;
};

/// A function, an operation with a name, or an argument.
struct SourceSymbol {
  std::string name;
  std::string detail;
  std::string kind; ///< function, operation, argument
  model::TextRange range;
  model::TextRange selectionRange;
  std::vector<SourceSymbol> children;
  std::string key; ///< empty if it has none
};

struct KeyAtOffset {
  std::vector<std::string> keys;
  model::TextRange range;
};

/// One version of a text, read. Immutable: any number of threads may ask it
/// while the next version is read. Holds no operations.
class SourceSnapshot {
public:
  std::string uri;
  int64_t version = 0;
  std::string text;
  SourceLayout layout;
  /// One per layout.chunks; null where the chunk is blocked.
  std::vector<std::shared_ptr<const ParsedChunk>> chunks;
  /// Everything wrong with the text, by begin.
  std::vector<model::Diagnostic> diagnostics;
  /// Reading was cancelled; the rest is unreliable.
  bool cancelled = false;
  /// The texts of all aliases, and that none of them is wrong.
  std::string aliasText;
  bool aliasesRight = false;

  bool hasErrors() const;
  std::optional<SourceHover> hover(int64_t offset) const;
  /// Ranges in this text.
  std::vector<model::TextRange> definition(int64_t offset) const;
  std::vector<model::TextRange> references(int64_t offset) const;
  std::vector<SourceSymbol> symbols() const;
  /// The keys of the value or innermost operation at `offset`.
  std::optional<KeyAtOffset> keyAt(int64_t offset) const;
  /// Where the operation or argument with `key` is written. A key made by a
  /// pass ("f/p.row_max", "f/p#1") leads to what it was made from.
  std::optional<model::TextRange> rangeOf(std::string_view key) const;
  /// The name range (of `%qk`, `@f`) for the same.
  std::optional<model::TextRange> nameRangeOf(std::string_view key) const;

  /// Every key with the range of its name.
  void forEachKey(
      const std::function<void(const std::string &key, model::TextRange name)>
          &visit) const;

private:
  struct KeyEntry {
    model::TextRange range, name;
  };
  const KeyEntry *find(std::string_view key) const;
  void buildKeys() const;
  mutable std::once_flag keysBuilt;
  mutable std::unordered_map<std::string, KeyEntry> keys;
};

/// Replaces bytes [begin, end) by `text`.
struct TextEdit {
  int64_t begin = 0;
  int64_t end = 0;
  std::string text;
};

/// A text under editing. Thread-safe: edits from one thread, reading in others.
class SourceDocument {
public:
  SourceDocument(std::string uri, int64_t version, std::string text);

  /// Applies the edits in order, each to the result of the one before. If one
  /// is out of range none is applied and the error says which.
  std::optional<model::Diagnostic> edit(int64_t version,
                                        const std::vector<TextEdit> &edits);
  void replace(int64_t version, std::string text);

  const std::string &uri() const { return name; }
  int64_t version() const;
  std::shared_ptr<const std::string> text() const;

  /// The current version, read; at once if that has been done. Parses only the
  /// chunks that changed since the last call. Several callers wait for one
  /// reading; an edit breaks it off, and what it got done is kept for the next.
  /// `cancel` may be null.
  std::shared_ptr<const SourceSnapshot> read(SourceContext &context,
                                             const std::atomic<bool> *cancel);

  /// The current version, within milliseconds: as read() if little is to be
  /// parsed, else with what was known of the text before its last edits, moved
  /// to where it is now, and without diagnostics. As read() if nothing has been
  /// read yet.
  std::shared_ptr<const SourceSnapshot> glance(SourceContext &context,
                                               const std::atomic<bool> *cancel);

private:
  /// Null if another reading of it is under way at `deadline`.
  std::shared_ptr<const SourceSnapshot>
  readBefore(SourceContext &context, const std::atomic<bool> *cancel,
             std::chrono::steady_clock::time_point deadline);

  const std::string name;
  mutable std::mutex mutex; ///< guards what follows
  int64_t currentVersion;
  std::shared_ptr<const std::string> current;
  std::shared_ptr<const SourceSnapshot> last;
  std::shared_ptr<const SourceSnapshot> glanced;
  /// An unfinished reading, while there is no finished one.
  std::shared_ptr<const SourceSnapshot> brokenOff;
  bool reading = false;
  std::condition_variable readingEnded;
  std::atomic<bool> outdated = false; ///< of what is being read

  std::mutex glancing; ///< one at a time; before `mutex`
};

/// The MLIR context documents are read in. What it has uniqued is never freed,
/// so it is replaced as the process grows; users of the old one keep it.
class SourceContext {
public:
  /// Replaces the context when the process has grown by this many bytes.
  explicit SourceContext(int64_t growthLimit = int64_t(256) << 20)
      : growthLimit(growthLimit) {}
  std::shared_ptr<mlir::MLIRContext> acquire();
  SourceLimits limits;

private:
  std::mutex mutex;
  std::shared_ptr<mlir::MLIRContext> context;
  int64_t residentAtStart = 0;
  const int64_t growthLimit;
};

/// Reads `text` from nothing, re-using chunks of `previous` (may be null).
std::shared_ptr<const SourceSnapshot>
readSource(mlir::MLIRContext &context, std::string uri, int64_t version,
           std::string text, const SourceSnapshot *previous,
           const std::atomic<bool> *cancel, const SourceLimits &limits = {});

/// A module ready to compile, or why there is none.
struct SourceModule {
  mlir::OwningOpRef<mlir::ModuleOp> module; ///< null on errors
  std::vector<model::Diagnostic> diagnostics;
};

/// Fresh verified operations of `source` in `context`, with keys and file
/// positions on their locations. Large stacks are not needed: depth is bounded.
SourceModule buildModule(const SourceSnapshot &source,
                         mlir::MLIRContext &context,
                         const std::atomic<bool> *cancel);

} // namespace tilewright::frontend
