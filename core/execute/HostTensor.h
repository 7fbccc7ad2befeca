//===- HostTensor.h - a tensor in this process's memory ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/execute/Element.h"
#include "core/model/Diagnostic.h"
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tilewright::execute {

/// Elements in row-major order without gaps, 64-byte aligned, owned. Moves; a
/// copy is asked for by name.
class HostTensor {
public:
  /// A scalar f32 of 0.
  HostTensor();

  /// Zeros. On failure `error` is TW0511: a negative size, more bytes than can
  /// be counted or more than can be had.
  static std::optional<HostTensor>
  make(Element element, std::vector<int64_t> shape, model::Diagnostic &error);
  /// The same elements again; fails as make() does.
  std::optional<HostTensor> clone(model::Diagnostic &error) const;

  Element element() const { return type; }
  const std::vector<int64_t> &shape() const { return sizes; }
  int64_t rank() const { return int64_t(sizes.size()); }
  /// Number of elements.
  int64_t elements() const { return count; }
  int64_t byteSize() const { return count * bytesOf(type); }

  std::byte *data() { return memory.get(); }
  const std::byte *data() const { return memory.get(); }
  /// The elements as `T`, whose size must be that of the element.
  template <typename T> std::span<T> as() {
    return {reinterpret_cast<T *>(memory.get()), size_t(count)};
  }
  template <typename T> std::span<const T> as() const {
    return {reinterpret_cast<const T *>(memory.get()), size_t(count)};
  }

  /// Element `index` of the row-major order (an i64 beyond 2^53 is rounded).
  double at(int64_t index) const;
  /// Rounds to nearest even; integers toward zero, clamped, NaN as 0.
  void set(int64_t index, double value);
  /// Elements [begin, begin + out.size()) as at() gives them.
  void read(int64_t begin, std::span<double> out) const;
  /// Elements [begin, begin + values.size()) as set() takes them.
  void write(int64_t begin, std::span<const double> values);

  /// Another shape for the same elements; false, and nothing done, if their
  /// number differs.
  bool reshape(std::vector<int64_t> shape);

  /// "128x4096xbf16", "f32" for a scalar.
  std::string typeText() const;

private:
  struct Release {
    void operator()(std::byte *memory) const;
  };
  Element type = Element::F32;
  std::vector<int64_t> sizes;
  int64_t count = 1;
  std::unique_ptr<std::byte[], Release> memory;
};

/// Number of elements of `shape`; empty for negative sizes and beyond 2^63.
std::optional<int64_t> elementCount(std::span<const int64_t> shape);

/// "128x4096", "scalar" for no dimensions.
std::string shapeText(std::span<const int64_t> shape);

/// A double rounded once, to nearest even, to a 16-bit type.
uint16_t roundToBf16(double value);
uint16_t roundToF16(double value);

} // namespace tilewright::execute
