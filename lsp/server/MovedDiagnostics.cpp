//===- MovedDiagnostics.cpp -----------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/server/MovedDiagnostics.h"
#include <set>
#include <tuple>

namespace tilewright::lsp {

namespace {

/// False if the edit touches the range.
bool move(model::TextRange &range, const ByteEdit &edit) {
  if (range.end <= edit.begin && range.begin < edit.begin)
    return true;
  if (range.begin < edit.end)
    return false;
  int64_t by = int64_t(edit.text.size()) - (edit.end - edit.begin);
  range.begin += by;
  range.end += by;
  return true;
}

auto identity(const model::Diagnostic &diagnostic) {
  return std::tuple(diagnostic.code, diagnostic.range.begin,
                    diagnostic.range.end, diagnostic.message);
}

} // namespace

void moveDiagnostics(std::vector<model::Diagnostic> &found,
                     const std::string &uri, const ByteEdit &edit) {
  auto isHere = [&](const std::string &other) {
    return other.empty() || other == uri;
  };
  std::erase_if(found, [&](model::Diagnostic &diagnostic) {
    std::erase_if(diagnostic.related, [&](model::RelatedInformation &related) {
      return isHere(related.uri) && !move(related.range, edit);
    });
    // Without a place it is about the text as a whole.
    return isHere(diagnostic.uri) && diagnostic.range.end > 0 &&
           !move(diagnostic.range, edit);
  });
}

std::vector<model::Diagnostic>
withoutThose(std::vector<model::Diagnostic> found,
             const std::vector<model::Diagnostic> &others) {
  std::set<decltype(identity(others.front()))> known;
  for (const model::Diagnostic &other : others)
    known.insert(identity(other));
  std::erase_if(found, [&](const model::Diagnostic &each) {
    return known.contains(identity(each));
  });
  return found;
}

} // namespace tilewright::lsp
