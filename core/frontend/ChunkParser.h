//===- ChunkParser.h - one function from text to tables ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/frontend/ParsedChunk.h"
#include "core/frontend/SourceLimits.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilewright::frontend {

struct ChunkInput {
  std::string prefix; ///< one line: the aliases it needs, `module … {`
  std::string text;   ///< the chunk
  std::string suffix; ///< `}` of the modules, resources
  /// The chunk's brackets are known not to match: the parser's own complaints
  /// about that would only confuse.
  bool unbalanced = false;
  int modules = 0;  ///< `module … {` in the prefix
  std::string path; ///< key of the enclosing module; nearly always empty
  /// Where the chunk begins in its file, 1-based, for operations that are kept:
  /// they get file positions and keys on their locations. 0: nobody keeps them
  /// and no location is made beyond the parser's own, which count from the
  /// chunk's start (locations are never freed).
  unsigned firstLine = 0;
  unsigned firstColumn = 1;
  /// Where in the prefix something stands for a place that is not in the text,
  /// and that place, counted from the text's begin: what notes point at.
  std::vector<std::pair<uint32_t, model::TextRange>> standIns;
};

/// Parses and verifies chunks. The dialects must be loaded beforehand. A
/// context may be shared by parsers in several threads if its multithreading is
/// enabled.
///
/// MLIR's parser leaves dangling uses behind after some ordinary errors; this
/// severs everything at the first error, so that a broken chunk never yields
/// operations, only tables.
class ChunkParser {
public:
  /// `bufferName` is what locations name as the file; the same for all chunks
  /// of all versions of a document, because locations are never freed.
  ChunkParser(mlir::MLIRContext &context, std::string bufferName,
              SourceLimits limits = {});

  /// Tables and diagnostics; several errors are found by blanking lines that
  /// do not parse. `cancel` may be null.
  std::shared_ptr<const ParsedChunk> read(const ChunkInput &input,
                                          const std::atomic<bool> *cancel);

  /// As read(), and the operations inside the modules of the prefix; see
  /// ChunkInput::firstLine. Null unless the chunk is complete.
  std::shared_ptr<const ParsedChunk>
  read(const ChunkInput &input, const std::atomic<bool> *cancel,
       mlir::OwningOpRef<mlir::ModuleOp> &operations);

private:
  struct Attempt;
  void attempt(const ChunkInput &input, const std::string &text,
               const std::atomic<bool> *cancel, ParsedChunk &tables,
               Attempt &result);

  mlir::MLIRContext &context;
  std::string bufferName;
  SourceLimits limits;
};

/// Checks on a chunk's text for input known to bring MLIR's parser down.
/// Ranges count from the chunk's start; `aliases` are those it may name. On the
/// way `symbols` (may be null) gets each `@name` in the text.
std::vector<model::Diagnostic>
checkBeforeParsing(std::string_view text, std::string_view aliases,
                   std::vector<ParsedSymbol> *symbols = nullptr);

} // namespace tilewright::frontend
