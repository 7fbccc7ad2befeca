//===- PartReader.cpp - single functions and kernels from a text ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/frontend/PartReader.h"
#include "core/frontend/ChunkParser.h"
#include "core/frontend/SourceChunks.h"
#include "core/frontend/SourceDocument.h"
#include "core/frontend/SourceLexer.h"
#include <algorithm>

using namespace mlir;

namespace tilewright::frontend {

/// What locations name as the file of a part; the same for all, since they are
/// never freed.
static constexpr const char *bufferName = "override";

static std::string_view slice(std::string_view text, model::TextRange range) {
  return text.substr(size_t(range.begin), size_t(range.end - range.begin));
}

/// The first `@name` of a chunk: what it defines.
static std::string definedSymbol(std::string_view text) {
  SourceLexer lexer(text);
  for (Token token = lexer.next(); token.kind != TokenKind::End;
       token = lexer.next()) {
    if (token.kind == TokenKind::Symbol)
      return symbolName(lexer.textOf(token));
    if (token.is('{') || token.is('('))
      break;
  }
  return {};
}

/// `text` with every line moved left by the column its first one had.
static std::string movedLeft(std::string_view text, size_t column) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    size_t blanks = std::min(line.find_first_not_of(' '), line.size());
    if (at > 0)
      line.remove_prefix(std::min(blanks, column));
    result.append(line);
    result += '\n';
    at = end + 1;
  }
  return result;
}

std::vector<TextPart> splitParts(std::string_view text) {
  std::vector<TextPart> parts;
  SourceLayout layout = splitSource(text);
  for (const ChunkSpan &chunk : layout.chunks) {
    TextPart part;
    part.range = chunk.range;
    std::string_view own = slice(text, chunk.range);
    part.symbol = definedSymbol(own);
    for (size_t alias : aliasClosure(layout, chunk.aliases)) {
      part.text += slice(text, layout.aliases[alias].range);
      part.text += '\n';
    }
    size_t line = size_t(chunk.range.begin);
    while (line > 0 && text[line - 1] != '\n')
      --line;
    part.text += movedLeft(own, size_t(chunk.range.begin) - line);
    parts.push_back(std::move(part));
  }
  return parts;
}

std::vector<model::Diagnostic> checkParts(MLIRContext &context,
                                          const std::string &uri,
                                          const std::string &text,
                                          const std::atomic<bool> *cancel) {
  std::vector<model::Diagnostic> found =
      readSource(context, uri, 0, text, nullptr, cancel)->diagnostics;
  std::erase_if(found, [](const model::Diagnostic &diagnostic) {
    return diagnostic.code == "TW0113" || diagnostic.code == "TW0018" ||
           diagnostic.severity != model::Severity::Error;
  });
  return found;
}

ReadPart readPart(MLIRContext &context, const std::string &text,
                  const std::atomic<bool> *cancel) {
  ReadPart result;
  SourceLayout layout = splitSource(text);
  auto fail = [&](std::string message) {
    result.diagnostics = checkParts(context, bufferName, text, cancel);
    if (!result.diagnostics.empty())
      return;
    model::Diagnostic diagnostic;
    diagnostic.code = "TW0001";
    diagnostic.message = std::move(message);
    result.diagnostics.push_back(std::move(diagnostic));
  };
  if (layout.chunks.size() != 1 || !layout.modules.empty()) {
    fail("the text must be one function or kernel, not " +
         std::to_string(layout.chunks.size()));
    return result;
  }
  const ChunkSpan &span = layout.chunks.front();
  bool wrong =
      span.blocked || span.unbalanced ||
      std::any_of(layout.diagnostics.begin(), layout.diagnostics.end(),
                  [](const model::Diagnostic &diagnostic) {
                    return diagnostic.severity == model::Severity::Error;
                  });
  if (wrong) {
    fail("the text cannot be read");
    return result;
  }
  ChunkInput input;
  for (size_t alias : aliasClosure(layout, span.aliases)) {
    if (layout.aliases[alias].blocked)
      continue;
    input.prefix += onOneLine(slice(text, layout.aliases[alias].range)) + " ";
  }
  input.text = std::string(slice(text, span.range));
  input.firstLine =
      1 +
      unsigned(std::count(text.begin(), text.begin() + span.range.begin, '\n'));
  ChunkParser parser(context, bufferName);
  OwningOpRef<ModuleOp> operations;
  std::shared_ptr<const ParsedChunk> chunk =
      parser.read(input, cancel, operations);
  if (!operations || !llvm::hasSingleElement(*operations->getBody())) {
    fail("the text cannot be read as one function or kernel");
    return result;
  }
  result.module = std::move(operations);
  result.op = &result.module->getBody()->front();
  return result;
}

} // namespace tilewright::frontend
