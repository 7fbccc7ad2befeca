//===- BoundedPrint.h - types as text, up to a bound ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Attributes.h"
#include "mlir/IR/Types.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace tilewright::frontend {

/// Keeps the first `limit` bytes and drops the rest.
class BoundedStream : public llvm::raw_ostream {
public:
  explicit BoundedStream(size_t limit) : limit(limit) { SetUnbuffered(); }
  ~BoundedStream() override = default;
  bool full() const { return position > limit; }
  std::string take();

private:
  void write_impl(const char *data, size_t size) override;
  uint64_t current_pos() const override { return position; }

  size_t limit;
  uint64_t position = 0;
  std::string text;
};

/// The text of `type`, cut behind `limit` bytes with "…".
std::string boundedText(mlir::Type type, size_t limit);
std::string boundedText(mlir::Attribute attribute, size_t limit);

/// `text` cut behind `limit` bytes, between characters, with "…".
std::string cutText(std::string text, size_t limit);

} // namespace tilewright::frontend
