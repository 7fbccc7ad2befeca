//===- ParserMessage.cpp --------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/frontend/ParserMessage.h"
#include "core/frontend/BoundedPrint.h"
#include "core/frontend/SourceLexer.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/StringRef.h"
#include <algorithm>

using llvm::StringRef;

namespace tilewright::frontend {

/// The registered operation whose name is nearest to `name`, if near at all.
static StringRef nearestOperation(StringRef name, mlir::MLIRContext &context) {
  StringRef best;
  unsigned bestDistance = std::max<unsigned>(2, unsigned(name.size()) / 4) + 1;
  for (mlir::RegisteredOperationName op : context.getRegisteredOperations()) {
    StringRef candidate = op.getStringRef();
    unsigned distance = name.edit_distance(candidate, true, bestDistance);
    if (distance < bestDistance) {
      bestDistance = distance;
      best = candidate;
    }
  }
  // The right name under the wrong or a missing dialect: ours first.
  StringRef last = name.contains('.') ? name.split('.').second : name;
  if (best.empty())
    for (StringRef dialect : {"tw", "linalg", "tensor", "arith", "math"})
      for (mlir::RegisteredOperationName op : context.getRegisteredOperations())
        if (op.getStringRef() == (dialect + "." + last).str())
          return op.getStringRef();
  return best;
}

static StringRef between(StringRef text, StringRef open, StringRef close) {
  size_t begin = text.find(open);
  if (begin == StringRef::npos)
    return {};
  begin += open.size();
  size_t end = text.find(close, begin);
  return end == StringRef::npos ? StringRef() : text.slice(begin, end);
}

void describeParserMessage(std::string message, bool parsing,
                           mlir::MLIRContext &context,
                           model::Diagnostic &diagnostic) {
  message = cutText(std::move(message), 2000);
  StringRef text = message;
  diagnostic.code = parsing ? "TW0001" : "TW0101";
  StringRef unknown;
  if (text.starts_with("custom op '"))
    unknown = between(text, "custom op '", "'");
  else if (text.starts_with("Dialect `"))
    unknown = between(text, "custom op '", "'");
  else if (text.contains("unregistered dialect") ||
           text.contains("is unknown") ||
           text.contains("unregistered operation"))
    unknown = between(text, "'", "'");
  bool isUnknown = text.contains("is unknown") ||
                   text.starts_with("Dialect `") ||
                   text.contains("unregistered");
  if (isUnknown) {
    diagnostic.code = "TW0020";
    if (!unknown.empty() && unknown.size() < 100) {
      StringRef nearest = nearestOperation(unknown, context);
      message = ("unknown operation '" + unknown + "'").str();
      if (!nearest.empty())
        diagnostic.hint = ("did you mean '" + nearest + "'?").str();
    }
  } else if (text.starts_with("use of undeclared SSA value name")) {
    diagnostic.code = "TW0021";
    message = "undefined value";
    diagnostic.hint = "define it above this line, or correct its name";
  }
  // Ours end in their code: "… [TW0123]".
  StringRef end = StringRef(message).rtrim();
  if (end.size() > 9 && end.ends_with("]") &&
      end.take_back(8).starts_with("[TW")) {
    diagnostic.code = end.take_back(7).drop_back().str();
    message = end.drop_back(8).rtrim().str();
  }
  if (!isUtf8(message))
    for (char &c : message)
      if (uint8_t(c) >= 128)
        c = '?';
  diagnostic.message = std::move(message);
}

model::TextRange wordAt(std::string_view text, int64_t offset) {
  int64_t size = int64_t(text.size());
  offset = std::clamp<int64_t>(offset, 0, size);
  auto isBlank = [&](int64_t at) {
    return at >= size || text[size_t(at)] == '\n' || text[size_t(at)] == ' ' ||
           text[size_t(at)] == '\r' || text[size_t(at)] == '\t';
  };
  if (isBlank(offset)) {
    // The parser points behind the last token when one is missing.
    int64_t end = offset;
    while (end > 0 && isBlank(end - 1) && text[size_t(end - 1)] != '\n')
      --end;
    int64_t begin = end;
    while (begin > 0 && !isBlank(begin - 1))
      --begin;
    if (begin < end)
      return {begin, end};
    return {offset, std::min(offset + 1, size)};
  }
  SourceLexer lexer(text, uint32_t(offset));
  Token token = lexer.next();
  int64_t end = token.kind == TokenKind::End ? offset + 1 : token.end;
  return {offset,
          std::clamp<int64_t>(end, offset + 1, std::max(size, offset + 1))};
}

} // namespace tilewright::frontend
