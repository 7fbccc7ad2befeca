//===- BoundedPrint.cpp ---------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/frontend/BoundedPrint.h"
#include <algorithm>

namespace tilewright::frontend {

void BoundedStream::write_impl(const char *data, size_t size) {
  if (text.size() < limit)
    text.append(data, std::min(size, limit - text.size()));
  position += size;
}

std::string BoundedStream::take() {
  if (full())
    text += "…";
  return std::move(text);
}

std::string boundedText(mlir::Type type, size_t limit) {
  BoundedStream stream(limit);
  type.print(stream);
  return stream.take();
}

std::string boundedText(mlir::Attribute attribute, size_t limit) {
  BoundedStream stream(limit);
  attribute.print(stream);
  return stream.take();
}

std::string cutText(std::string text, size_t limit) {
  if (text.size() <= limit)
    return text;
  while (limit > 0 && (uint8_t(text[limit]) & 0xC0) == 0x80)
    --limit;
  text.resize(limit);
  return text + "…";
}

} // namespace tilewright::frontend
