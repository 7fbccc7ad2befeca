//===- View.cpp - parts of buffers ----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/execute/View.h"
#include "core/execute/RunError.h"

namespace tilewright::execute {

std::string extentText(std::span<const int64_t> shape) {
  std::string out;
  for (size_t d = 0; d < shape.size(); ++d)
    out += (d ? "x" : "") + std::to_string(shape[d]);
  return out.empty() ? "scalar" : out;
}

[[noreturn]] static void fail(const StepCode &step, std::string code,
                              std::string message) {
  throw RunError(std::move(code), step.name + (": " + message), step.key);
}

View View::whole(std::byte *base, Element element,
                 std::span<const int64_t> shape) {
  View view;
  view.base = base;
  view.element = element;
  view.rank = int(shape.size());
  int64_t stride = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    view.sizes[d] = shape[d];
    view.strides[d] = stride;
    stride *= shape[d];
  }
  view.limit = stride * bytesOf(element);
  return view;
}

void checkBounds(const StepCode &step, const View &view) {
  int64_t low = view.offset, high = view.offset;
  for (int d = 0; d < view.rank; ++d) {
    int64_t size = view.sizes[size_t(d)], stride = view.strides[size_t(d)];
    if (size == 0)
      return;
    if (size < 0)
      fail(step, "TW0542",
           "a tile has the negative size " + std::to_string(size) +
               " in dimension " + std::to_string(d));
    int64_t reach;
    if (__builtin_mul_overflow(size - 1, stride, &reach) ||
        __builtin_add_overflow(reach < 0 ? low : high, reach,
                               reach < 0 ? &low : &high))
      fail(step, "TW0541", "a tile's extent overflows");
  }
  int64_t elements = view.limit / bytesOf(view.element);
  if (low < 0 || high >= elements)
    fail(step, "TW0541",
         "a tile of shape " + extentText(view.shape()) + " touches elements " +
             std::to_string(low) + " to " + std::to_string(high) +
             " of a buffer of " + std::to_string(elements));
}

} // namespace tilewright::execute
