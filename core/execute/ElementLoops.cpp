//===- ElementLoops.cpp - inner loops over elements -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/execute/ElementLoops.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#if defined(__x86_64__)
#define TW_WIDE __attribute__((target("avx2,fma,f16c")))
#define TW_HAS_WIDE 1
#else
#define TW_HAS_WIDE 0
#endif
#define TW_INLINE inline __attribute__((always_inline))

namespace tilewright::execute {

#if TW_HAS_WIDE
/// Whether this machine runs the functions marked TW_WIDE.
static bool wide() {
  static const bool has = __builtin_cpu_supports("avx2") &&
                          __builtin_cpu_supports("fma") &&
                          __builtin_cpu_supports("f16c");
  return has;
}
#endif

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

template <typename Stored, typename T, typename Convert>
static TW_INLINE void loadAs(const std::byte *from, int64_t stride, int64_t n,
                             T *to, Convert convert) {
  // Memory of a tile may be aligned to less than an element asks for.
  if (stride == 1) {
    for (int64_t i = 0; i < n; ++i) {
      Stored value;
      std::memcpy(&value, from + i * sizeof(Stored), sizeof(Stored));
      to[i] = convert(value);
    }
    return;
  }
  for (int64_t i = 0; i < n; ++i) {
    Stored value;
    std::memcpy(&value, from + i * stride * int64_t(sizeof(Stored)),
                sizeof(Stored));
    to[i] = convert(value);
  }
}

template <typename Stored, typename T, typename Convert>
static TW_INLINE void storeAs(const T *from, int64_t stride, int64_t n,
                              std::byte *to, Convert convert) {
  if (stride == 1) {
    for (int64_t i = 0; i < n; ++i) {
      Stored value = convert(from[i]);
      std::memcpy(to + i * sizeof(Stored), &value, sizeof(Stored));
    }
    return;
  }
  for (int64_t i = 0; i < n; ++i) {
    Stored value = convert(from[i]);
    std::memcpy(to + i * stride * int64_t(sizeof(Stored)), &value,
                sizeof(Stored));
  }
}

#if TW_HAS_WIDE
template <typename T>
TW_WIDE static void loadF16Wide(const std::byte *from, int64_t stride,
                                int64_t n, T *to) {
  for (int64_t i = 0; i < n; ++i) {
    _Float16 value;
    std::memcpy(&value, from + i * stride * 2, 2);
    to[i] = T(float(value));
  }
}
template <typename T>
TW_WIDE static void storeF16Wide(const T *from, int64_t stride, int64_t n,
                                 std::byte *to) {
  for (int64_t i = 0; i < n; ++i) {
    _Float16 value = _Float16(float(from[i]));
    std::memcpy(to + i * stride * 2, &value, 2);
  }
}
#endif

template <typename T>
void loadRow(const std::byte *from, Element element, int64_t stride, int64_t n,
             T *to) {
  auto plain = [](auto value) { return T(value); };
  switch (element) {
  case Element::F64:
    return loadAs<double>(from, stride, n, to, plain);
  case Element::F32:
    return loadAs<float>(from, stride, n, to, plain);
  case Element::F16:
#if TW_HAS_WIDE
    if (wide())
      return loadF16Wide(from, stride, n, to);
#endif
    return loadAs<uint16_t>(from, stride, n, to,
                            [](uint16_t bits) { return T(fromF16(bits)); });
  case Element::BF16:
    return loadAs<uint16_t>(from, stride, n, to,
                            [](uint16_t bits) { return T(fromBf16(bits)); });
  case Element::I1:
    return loadAs<uint8_t>(from, stride, n, to,
                           [](uint8_t value) { return T(value != 0); });
  case Element::I8:
    return loadAs<int8_t>(from, stride, n, to, plain);
  case Element::I16:
    return loadAs<int16_t>(from, stride, n, to, plain);
  case Element::I32:
    return loadAs<int32_t>(from, stride, n, to, plain);
  case Element::I64:
    return loadAs<int64_t>(from, stride, n, to, plain);
  }
}

/// As arith.fptosi where that is defined; saturates elsewhere, so that no input
/// is undefined behaviour here.
template <typename I, typename T> static TW_INLINE I toInteger(T value) {
  if constexpr (std::is_integral_v<T>) {
    return I(value);
  } else {
    if (value != value)
      return 0;
    if (value <= T(std::numeric_limits<I>::min()))
      return std::numeric_limits<I>::min();
    if (value >= T(std::numeric_limits<I>::max()))
      return std::numeric_limits<I>::max();
    return I(value);
  }
}

template <typename T>
void storeRow(const T *from, Element element, int64_t stride, int64_t n,
              std::byte *to) {
  switch (element) {
  case Element::F64:
    return storeAs<double>(from, stride, n, to, [](T v) { return double(v); });
  case Element::F32:
    return storeAs<float>(from, stride, n, to, [](T v) { return float(v); });
  case Element::F16:
#if TW_HAS_WIDE
    if (wide())
      return storeF16Wide(from, stride, n, to);
#endif
    return storeAs<uint16_t>(from, stride, n, to,
                             [](T v) { return toF16(float(v)); });
  case Element::BF16:
    return storeAs<uint16_t>(from, stride, n, to,
                             [](T v) { return toBf16(float(v)); });
  case Element::I1:
    return storeAs<uint8_t>(from, stride, n, to,
                            [](T v) { return uint8_t(v != T(0)); });
  case Element::I8:
    return storeAs<int8_t>(from, stride, n, to,
                           [](T v) { return toInteger<int8_t>(v); });
  case Element::I16:
    return storeAs<int16_t>(from, stride, n, to,
                            [](T v) { return toInteger<int16_t>(v); });
  case Element::I32:
    return storeAs<int32_t>(from, stride, n, to,
                            [](T v) { return toInteger<int32_t>(v); });
  case Element::I64:
    return storeAs<int64_t>(from, stride, n, to,
                            [](T v) { return toInteger<int64_t>(v); });
  }
}

void copyRow(const std::byte *from, int64_t fromStride, std::byte *to,
             int64_t toStride, int64_t bytes, int64_t n) {
  if (fromStride == 1 && toStride == 1) {
    std::memmove(to, from, size_t(n * bytes));
    return;
  }
  auto strided = [&](auto zero) {
    for (int64_t i = 0; i < n; ++i)
      std::memcpy(to + i * toStride * int64_t(sizeof zero),
                  from + i * fromStride * int64_t(sizeof zero), sizeof zero);
  };
  switch (bytes) {
  case 1:
    return strided(uint8_t(0));
  case 2:
    return strided(uint16_t(0));
  case 4:
    return strided(uint32_t(0));
  default:
    return strided(uint64_t(0));
  }
}

//===----------------------------------------------------------------------===//
// Element by element
//===----------------------------------------------------------------------===//

template <typename T> static TW_INLINE T maximum(T a, T b) {
  return (a > b || a != a) ? a : b;
}
template <typename T> static TW_INLINE T minimum(T a, T b) {
  return (a < b || a != a) ? a : b;
}

template <typename T>
void unaryRow(UnaryFunction function, const T *x, int64_t n, T *out) {
  auto map = [&](auto f) {
    for (int64_t i = 0; i < n; ++i)
      out[i] = f(x[i]);
  };
  switch (function) {
  case UnaryFunction::Neg:
    if constexpr (std::is_integral_v<T>)
      return map([](T v) { return T(0 - uint64_t(v)); });
    else
      return map([](T v) { return -v; });
  case UnaryFunction::Abs:
    if constexpr (std::is_integral_v<T>)
      return map([](T v) { return v < 0 ? T(0 - uint64_t(v)) : v; });
    else
      return map([](T v) { return std::fabs(v); });
  case UnaryFunction::Relu:
    return map([](T v) { return maximum(v, T(0)); });
  default:
    break;
  }
  if constexpr (!std::is_integral_v<T>) {
    switch (function) {
    case UnaryFunction::Exp:
      return map([](T v) { return std::exp(v); });
    case UnaryFunction::Log:
      return map([](T v) { return std::log(v); });
    case UnaryFunction::Sqrt:
      return map([](T v) { return std::sqrt(v); });
    case UnaryFunction::Rsqrt:
      return map([](T v) { return T(1) / std::sqrt(v); });
    case UnaryFunction::Reciprocal:
      return map([](T v) { return T(1) / v; });
    case UnaryFunction::Tanh:
      return map([](T v) { return std::tanh(v); });
    case UnaryFunction::Erf:
      return map([](T v) { return std::erf(v); });
    case UnaryFunction::Sigmoid:
      return map([](T v) { return T(1) / (T(1) + std::exp(-v)); });
    case UnaryFunction::Silu:
      return map([](T v) { return v / (T(1) + std::exp(-v)); });
    case UnaryFunction::Gelu:
      return map([](T v) {
        return T(0.5) * v * (T(1) + std::erf(v * T(0.70710678118654752440)));
      });
    default:
      return;
    }
  } else {
    // The decoder lets no transcendental function of integers through.
    std::copy_n(x, n, out);
  }
}

template <typename T>
void binaryRow(BinaryFunction function, const T *a, int64_t aStep, const T *b,
               int64_t bStep, int64_t n, T *out) {
  auto map = [&](auto f) {
    if (aStep && bStep)
      for (int64_t i = 0; i < n; ++i)
        out[i] = f(a[i], b[i]);
    else if (aStep)
      for (int64_t i = 0; i < n; ++i)
        out[i] = f(a[i], b[0]);
    else
      for (int64_t i = 0; i < n; ++i)
        out[i] = f(a[0], b[i * bStep]);
  };
  switch (function) {
  case BinaryFunction::Add:
    if constexpr (std::is_integral_v<T>)
      return map([](T x, T y) { return T(uint64_t(x) + uint64_t(y)); });
    else
      return map([](T x, T y) { return x + y; });
  case BinaryFunction::Sub:
    if constexpr (std::is_integral_v<T>)
      return map([](T x, T y) { return T(uint64_t(x) - uint64_t(y)); });
    else
      return map([](T x, T y) { return x - y; });
  case BinaryFunction::Mul:
    if constexpr (std::is_integral_v<T>)
      return map([](T x, T y) { return T(uint64_t(x) * uint64_t(y)); });
    else
      return map([](T x, T y) { return x * y; });
  case BinaryFunction::Div:
    if constexpr (std::is_integral_v<T>)
      return map([](T x, T y) {
        return y == 0 ? T(0) : y == -1 ? T(0 - uint64_t(x)) : x / y;
      });
    else
      return map([](T x, T y) { return x / y; });
  case BinaryFunction::Maximum:
    return map([](T x, T y) { return maximum(x, y); });
  case BinaryFunction::Minimum:
    return map([](T x, T y) { return minimum(x, y); });
  case BinaryFunction::Pow:
    return map([](T x, T y) { return T(std::pow(x, y)); });
  }
}

template <typename T>
void compareRow(Predicate predicate, const T *a, int64_t aStep, const T *b,
                int64_t bStep, int64_t n, int64_t *out) {
  auto map = [&](auto f) {
    for (int64_t i = 0; i < n; ++i)
      out[i] = f(a[i * aStep], b[i * bStep]);
  };
  switch (predicate) {
  case Predicate::Eq:
    return map([](T x, T y) { return x == y; });
  case Predicate::Ne:
    return map([](T x, T y) { return x != y; });
  case Predicate::Lt:
    return map([](T x, T y) { return x < y; });
  case Predicate::Le:
    return map([](T x, T y) { return x <= y; });
  case Predicate::Gt:
    return map([](T x, T y) { return x > y; });
  case Predicate::Ge:
    return map([](T x, T y) { return x >= y; });
  }
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

template <typename T> T reduceIdentity(ReduceFunction function) {
  using Limits = std::numeric_limits<T>;
  switch (function) {
  case ReduceFunction::Sum:
  case ReduceFunction::Mean:
    return T(0);
  case ReduceFunction::Prod:
    return T(1);
  case ReduceFunction::Max:
    return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  case ReduceFunction::Min:
    return Limits::has_infinity ? Limits::infinity() : Limits::max();
  }
  return T(0);
}

template <typename T> T combine(ReduceFunction function, T a, T b) {
  switch (function) {
  case ReduceFunction::Sum:
  case ReduceFunction::Mean:
    if constexpr (std::is_integral_v<T>)
      return T(uint64_t(a) + uint64_t(b));
    else
      return a + b;
  case ReduceFunction::Prod:
    if constexpr (std::is_integral_v<T>)
      return T(uint64_t(a) * uint64_t(b));
    else
      return a * b;
  case ReduceFunction::Max:
    return maximum(a, b);
  case ReduceFunction::Min:
    return minimum(a, b);
  }
  return a;
}

template <typename T>
T reduceRow(ReduceFunction function, const T *x, int64_t n) {
  // Lanes keep the rounding error of long sums small and the loop fast.
  constexpr int64_t lanes = 16;
  T acc[lanes];
  std::fill_n(acc, lanes, reduceIdentity<T>(function));
  int64_t i = 0;
  auto run = [&](auto f) {
    for (; i + lanes <= n; i += lanes)
      for (int64_t lane = 0; lane < lanes; ++lane)
        acc[lane] = f(acc[lane], x[i + lane]);
    for (int64_t lane = 0; i < n; ++i, ++lane)
      acc[lane] = f(acc[lane], x[i]);
    for (int64_t half = lanes / 2; half; half /= 2)
      for (int64_t lane = 0; lane < half; ++lane)
        acc[lane] = f(acc[lane], acc[lane + half]);
  };
  switch (function) {
  case ReduceFunction::Sum:
  case ReduceFunction::Mean:
    run([](T a, T b) { return combine(ReduceFunction::Sum, a, b); });
    break;
  case ReduceFunction::Prod:
    run([](T a, T b) { return combine(ReduceFunction::Prod, a, b); });
    break;
  case ReduceFunction::Max:
    run([](T a, T b) { return maximum(a, b); });
    break;
  case ReduceFunction::Min:
    run([](T a, T b) { return minimum(a, b); });
    break;
  }
  return acc[0];
}

template <typename T>
void accumulateRow(ReduceFunction function, const T *x, int64_t n, T *acc) {
  switch (function) {
  case ReduceFunction::Sum:
  case ReduceFunction::Mean:
    return binaryRow(BinaryFunction::Add, acc, 1, x, 1, n, acc);
  case ReduceFunction::Prod:
    return binaryRow(BinaryFunction::Mul, acc, 1, x, 1, n, acc);
  case ReduceFunction::Max:
    return binaryRow(BinaryFunction::Maximum, acc, 1, x, 1, n, acc);
  case ReduceFunction::Min:
    return binaryRow(BinaryFunction::Minimum, acc, 1, x, 1, n, acc);
  }
}

//===----------------------------------------------------------------------===//
// Matrix multiplication
//===----------------------------------------------------------------------===//

template <int64_t rows, int64_t columns>
static TW_INLINE void multiplyTile(const float *a, int64_t lda, const float *b,
                                   int64_t ldb, float *c, int64_t ldc,
                                   int64_t k) {
  float acc[rows][columns];
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      acc[i][j] = c[i * ldc + j];
  for (int64_t p = 0; p < k; ++p)
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j)
        acc[i][j] += a[i * lda + p] * b[p * ldb + j];
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      c[i * ldc + j] = acc[i][j];
}

static TW_INLINE void multiplyBody(const float *a, const float *b, float *c,
                                   int64_t m, int64_t n, int64_t k) {
  constexpr int64_t rows = 4, columns = 16;
  for (int64_t j = 0; j < n; j += columns)
    for (int64_t i = 0; i < m; i += rows) {
      if (j + columns <= n && i + rows <= m) {
        multiplyTile<rows, columns>(a + i * k, k, b + j, n, c + i * n + j, n,
                                    k);
        continue;
      }
      for (int64_t y = i; y < std::min(i + rows, m); ++y) {
        int64_t x = j;
        if (j + columns <= n)
          multiplyTile<1, columns>(a + y * k, k, b + j, n, c + y * n + j, n, k);
        else
          for (; x < n; ++x)
            multiplyTile<1, 1>(a + y * k, k, b + x, n, c + y * n + x, n, k);
      }
    }
}

#if TW_HAS_WIDE
TW_WIDE static void multiplyWide(const float *a, const float *b, float *c,
                                 int64_t m, int64_t n, int64_t k) {
  multiplyBody(a, b, c, m, n, k);
}
#endif

void multiplyAdd(const float *a, const float *b, float *c, int64_t m, int64_t n,
                 int64_t k) {
#if TW_HAS_WIDE
  if (wide())
    return multiplyWide(a, b, c, m, n, k);
#endif
  multiplyBody(a, b, c, m, n, k);
}

#define TW_INSTANTIATE(T)                                                      \
  template void loadRow<T>(const std::byte *, Element, int64_t, int64_t, T *); \
  template void storeRow<T>(const T *, Element, int64_t, int64_t,              \
                            std::byte *);                                      \
  template void unaryRow<T>(UnaryFunction, const T *, int64_t, T *);           \
  template void binaryRow<T>(BinaryFunction, const T *, int64_t, const T *,    \
                             int64_t, int64_t, T *);                           \
  template void compareRow<T>(Predicate, const T *, int64_t, const T *,        \
                              int64_t, int64_t, int64_t *);                    \
  template T reduceIdentity<T>(ReduceFunction);                                \
  template T combine<T>(ReduceFunction, T, T);                                 \
  template T reduceRow<T>(ReduceFunction, const T *, int64_t);                 \
  template void accumulateRow<T>(ReduceFunction, const T *, int64_t, T *);
TW_INSTANTIATE(float)
TW_INSTANTIATE(double)
TW_INSTANTIATE(int64_t)

} // namespace tilewright::execute
