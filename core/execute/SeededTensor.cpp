//===- SeededTensor.cpp - the same random numbers everywhere --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/execute/SeededTensor.h"
#include <algorithm>

namespace tilewright::execute {

/// A bijection of 64 bits that mixes them well (the finalizer of SplitMix64).
static uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

static uint64_t random(uint64_t stream, uint64_t counter) {
  return mix(stream + (counter + 1) * 0x9e3779b97f4a7c15u);
}

static int64_t sumOfQuarters(uint64_t bits) {
  return int64_t(bits & 0xffff) + int64_t(bits >> 16 & 0xffff) +
         int64_t(bits >> 32 & 0xffff) + int64_t(bits >> 48);
}

/// Mean 0, deviation 1: the sum of twelve 16-bit numbers has a deviation of
/// 65536 but for one part in 10^10. Exact in f32.
static double normal(uint64_t stream, int64_t position) {
  uint64_t counter = uint64_t(position) * 3;
  int64_t sum = sumOfQuarters(random(stream, counter)) +
                sumOfQuarters(random(stream, counter + 1)) +
                sumOfQuarters(random(stream, counter + 2));
  return double(sum - 12 * 65535 / 2) / 65536;
}

std::optional<HostTensor> seededTensor(Element element,
                                       std::vector<int64_t> shape,
                                       uint64_t seed, std::string_view name,
                                       model::Diagnostic &error, double scale) {
  auto tensor = HostTensor::make(element, std::move(shape), error);
  if (!tensor)
    return std::nullopt;
  uint64_t stream = mix(seed + 0x9e3779b97f4a7c15u);
  for (char c : name)
    stream = mix(stream ^ uint8_t(c)) + 0x9e3779b97f4a7c15u;
  std::vector<double> values(4096);
  for (int64_t begin = 0; begin < tensor->elements();
       begin += int64_t(values.size())) {
    size_t count =
        size_t(std::min<int64_t>(values.size(), tensor->elements() - begin));
    for (size_t i = 0; i < count; ++i) {
      int64_t position = begin + int64_t(i);
      if (isFloat(element))
        values[i] = normal(stream, position) * scale;
      else if (element == Element::I1)
        values[i] = double(random(stream, position) >> 63);
      else
        values[i] = double(int64_t(random(stream, position) >> 57) - 64);
    }
    tensor->write(begin, {values.data(), count});
  }
  return tensor;
}

} // namespace tilewright::execute
