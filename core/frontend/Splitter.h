//===- Splitter.h - cuts a text into functions, token by token -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/frontend/SourceChunks.h"
#include "core/frontend/SourceLexer.h"
#include <unordered_map>

namespace tilewright::frontend {

struct OpenBracket {
  char sign;
  uint32_t at;
  int operators = 0; ///< of the expression at this level
};

/// What is being read.
enum class Entity { None, Chunk, Alias, Metadata, Trailer };

/// Does the cutting. One use.
class Splitter {
public:
  Splitter(std::string_view text, const SourceLimits &limits)
      : text(text), limits(limits), lexer(text) {}
  SourceLayout run();

  /// Begins at the first token of the chunk `before.chunks[chunk]`, which is
  /// what it was when `before` was made, and ends where everything is as it was
  /// then. False if that is not so before something other than a chunk comes.
  /// `editEnd` is the end of what was changed, in the text as it is now; from
  /// there on all has moved by `shift`. Fills layout.chunks and
  /// layout.diagnostics with what was found, and `stopAt` with its end.
  bool runPart(const SourceLayout &before, size_t chunk, int64_t editEnd,
               int64_t shift);
  SourceLayout layout;
  int64_t stopAt = 0;

private:
  void report(const char *code, model::TextRange range, std::string message,
              std::string hint = {});
  void findLongLines();
  void take(const Token &token);
  bool tryModule(const Token &token);
  bool startsAlias(const Token &token);
  bool startsOperation(const Token &token) const;
  void begin(Entity kind, const Token &token);
  void finish();
  void openBracket(const Token &token);
  void closeBracket(const Token &token);
  void reportUnclosed();
  void block() { blocked = true; }
  uint32_t columnOf(const Token &token);
  void noteAliasUse(std::string_view name);
  void resolveAliases();
  void resolveChunk(
      size_t index,
      const std::unordered_map<std::string_view, size_t> &aliasesByName);
  /// In runPart(): true if nothing more is to be read.
  bool endsPart(const Token &token, bool chunkBegins);

  std::string_view text;
  const SourceLimits &limits;
  SourceLexer lexer;

  std::vector<OpenBracket> stack;
  int braces = 0;
  std::vector<int> openModules;
  Token previous;
  bool afterModule = false;
  uint32_t lineStart = 0;

  // The entity being read.
  Entity entity = Entity::None;
  Token first;
  std::string_view firstText;
  uint32_t column = 0;
  uint32_t end = 0;
  int64_t tokens = 0;
  bool blocked = false;
  bool unbalanced = false;
  bool tooDeep = false;
  bool tooLong = false;
  std::unordered_map<std::string_view, int64_t> aliasUses;

  /// Aliases' and chunks' uses by name, resolved when all names are known.
  std::vector<std::unordered_map<std::string_view, int64_t>> aliasUseNames;
  std::vector<std::unordered_map<std::string_view, int64_t>> chunkUseNames;

  // Of runPart().
  const SourceLayout *old = nullptr;
  size_t oldChunk = 0;
  int64_t editEnd = 0;
  int64_t shift = 0;
  int64_t nextOther = 0; ///< in the text before
  bool stopped = false, gaveUp = false;
};

} // namespace tilewright::frontend
