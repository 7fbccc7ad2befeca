//===- HostTensor.cpp - a tensor in this process's memory -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/execute/HostTensor.h"
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace tilewright::execute {

void HostTensor::Release::operator()(std::byte *memory) const {
  std::free(memory);
}

static constexpr size_t alignment = 64;

static std::byte *allocateZeros(size_t bytes) {
  size_t rounded =
      (std::max<size_t>(bytes, 1) + alignment - 1) / alignment * alignment;
  void *memory = std::aligned_alloc(alignment, rounded);
  if (memory)
    std::memset(memory, 0, rounded);
  return static_cast<std::byte *>(memory);
}

HostTensor::HostTensor() : memory(allocateZeros(sizeof(float))) {}

std::optional<int64_t> elementCount(std::span<const int64_t> shape) {
  int64_t count = 1;
  bool empty = false, overflow = false;
  for (int64_t size : shape) {
    if (size < 0)
      return std::nullopt;
    empty |= size == 0;
    overflow |= __builtin_mul_overflow(count, size, &count);
  }
  if (empty)
    return 0;
  if (overflow)
    return std::nullopt;
  return count;
}

std::string shapeText(std::span<const int64_t> shape) {
  std::string text;
  for (int64_t size : shape)
    text += (text.empty() ? "" : "x") + std::to_string(size);
  return shape.empty() ? "scalar" : text;
}

std::string HostTensor::typeText() const {
  std::string element(nameOf(type));
  return sizes.empty() ? element : shapeText(sizes) + "x" + element;
}

std::optional<HostTensor> HostTensor::make(Element element,
                                           std::vector<int64_t> shape,
                                           model::Diagnostic &error) {
  auto fail = [&](std::string what, std::string hint) {
    error = {};
    error.code = "TW0511";
    error.message = "a tensor of " + shapeText(shape) + " elements of " +
                    std::string(nameOf(element)) + " " + what;
    error.hint = std::move(hint);
    return std::nullopt;
  };
  auto count = elementCount(shape);
  int64_t bytes = 0;
  if (!count || __builtin_mul_overflow(*count, bytesOf(element), &bytes))
    return fail("is not possible", "sizes must be 0 or more, and all bytes "
                                   "together below 2^63");
  // Zeroing touches every page, so what cannot be had should fail before.
  HostTensor tensor;
  tensor.memory.reset(bytes > std::numeric_limits<int64_t>::max() / 2
                          ? nullptr
                          : allocateZeros(size_t(bytes)));
  if (!tensor.memory)
    return fail("needs " + std::to_string(bytes) +
                    " bytes, more than this machine gives",
                "use smaller sizes");
  tensor.type = element;
  tensor.sizes = std::move(shape);
  tensor.count = *count;
  return tensor;
}

std::optional<HostTensor> HostTensor::clone(model::Diagnostic &error) const {
  auto copy = make(type, sizes, error);
  if (copy)
    std::memcpy(copy->data(), data(), size_t(byteSize()));
  return copy;
}

bool HostTensor::reshape(std::vector<int64_t> shape) {
  if (elementCount(shape) != count)
    return false;
  sizes = std::move(shape);
  return true;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// To f32 rounded to odd: a further rounding to fewer bits then comes out as if
/// done once from the double.
static float roundToOdd(double value) {
  float rounded = float(value);
  if (double(rounded) == value || std::isnan(value) || std::isinf(value))
    return rounded;
  uint32_t bits = std::bit_cast<uint32_t>(rounded);
  // Toward zero first; then the last bit says that something was cut off.
  if (std::fabs(double(rounded)) > std::fabs(value))
    --bits;
  return std::bit_cast<float>(bits | 1);
}

uint16_t roundToBf16(double value) { return toBf16(roundToOdd(value)); }
uint16_t roundToF16(double value) { return toF16(roundToOdd(value)); }

template <typename T> static T toInteger(double value) {
  if (std::isnan(value))
    return 0;
  // The bounds are compared in double, where the upper one may round up.
  constexpr double low = double(std::numeric_limits<T>::min());
  constexpr double high = double(std::numeric_limits<T>::max());
  if (value <= low)
    return std::numeric_limits<T>::min();
  if (value >= high)
    return std::numeric_limits<T>::max();
  return T(value);
}

template <typename T, typename F>
static void readAs(const std::byte *data, int64_t begin, std::span<double> out,
                   F convert) {
  const T *from = reinterpret_cast<const T *>(data) + begin;
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = convert(from[i]);
}

template <typename T, typename F>
static void writeAs(std::byte *data, int64_t begin,
                    std::span<const double> values, F convert) {
  T *into = reinterpret_cast<T *>(data) + begin;
  for (size_t i = 0; i < values.size(); ++i)
    into[i] = convert(values[i]);
}

void HostTensor::read(int64_t begin, std::span<double> out) const {
  auto plain = [](auto value) { return double(value); };
  const std::byte *from = memory.get();
  switch (type) {
  case Element::F64:
    return readAs<double>(from, begin, out, plain);
  case Element::F32:
    return readAs<float>(from, begin, out, plain);
  case Element::F16:
    return readAs<uint16_t>(from, begin, out, fromF16);
  case Element::BF16:
    return readAs<uint16_t>(from, begin, out, fromBf16);
  case Element::I1:
    return readAs<uint8_t>(from, begin, out,
                           [](uint8_t value) { return double(value != 0); });
  case Element::I8:
    return readAs<int8_t>(from, begin, out, plain);
  case Element::I16:
    return readAs<int16_t>(from, begin, out, plain);
  case Element::I32:
    return readAs<int32_t>(from, begin, out, plain);
  case Element::I64:
    return readAs<int64_t>(from, begin, out, plain);
  }
}

void HostTensor::write(int64_t begin, std::span<const double> values) {
  std::byte *into = memory.get();
  switch (type) {
  case Element::F64:
    return writeAs<double>(into, begin, values, [](double v) { return v; });
  case Element::F32:
    return writeAs<float>(into, begin, values,
                          [](double v) { return float(v); });
  case Element::F16:
    return writeAs<uint16_t>(into, begin, values, roundToF16);
  case Element::BF16:
    return writeAs<uint16_t>(into, begin, values, roundToBf16);
  case Element::I1:
    return writeAs<uint8_t>(into, begin, values,
                            [](double v) { return uint8_t(v != 0); });
  case Element::I8:
    return writeAs<int8_t>(into, begin, values, toInteger<int8_t>);
  case Element::I16:
    return writeAs<int16_t>(into, begin, values, toInteger<int16_t>);
  case Element::I32:
    return writeAs<int32_t>(into, begin, values, toInteger<int32_t>);
  case Element::I64:
    return writeAs<int64_t>(into, begin, values, toInteger<int64_t>);
  }
}

double HostTensor::at(int64_t index) const {
  double value = 0;
  read(index, {&value, 1});
  return value;
}

void HostTensor::set(int64_t index, double value) { write(index, {&value, 1}); }

} // namespace tilewright::execute
