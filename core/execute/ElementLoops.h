//===- ElementLoops.h - inner loops over elements ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loops in which the block interpreter spends its time. Strides are in
// elements; `T` is float for floating types of at most 32 bits, double for f64,
// int64_t for integers.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/execute/Element.h"
#include <cstddef>

namespace tilewright::execute {

enum class UnaryFunction : uint8_t {
  Neg,
  Abs,
  Exp,
  Log,
  Sqrt,
  Rsqrt,
  Reciprocal,
  Tanh,
  Erf,
  Sigmoid,
  Silu,
  Gelu,
  Relu
};
enum class BinaryFunction : uint8_t {
  Add,
  Sub,
  Mul,
  Div,
  Maximum,
  Minimum,
  Pow
};
enum class ReduceFunction : uint8_t { Sum, Mean, Max, Min, Prod };
enum class Predicate : uint8_t { Eq, Ne, Lt, Le, Gt, Ge };

/// `n` elements from memory as T.
template <typename T>
void loadRow(const std::byte *from, Element element, int64_t stride, int64_t n,
             T *to);
/// The reverse, rounding to nearest even.
template <typename T>
void storeRow(const T *from, Element element, int64_t stride, int64_t n,
              std::byte *to);

/// Copies `n` elements of one type.
void copyRow(const std::byte *from, int64_t fromStride, std::byte *to,
             int64_t toStride, int64_t bytes, int64_t n);

template <typename T>
void unaryRow(UnaryFunction function, const T *x, int64_t n, T *out);
/// Steps are 0 (one value for the row) or 1.
template <typename T>
void binaryRow(BinaryFunction function, const T *a, int64_t aStep, const T *b,
               int64_t bStep, int64_t n, T *out);
template <typename T>
void compareRow(Predicate predicate, const T *a, int64_t aStep, const T *b,
                int64_t bStep, int64_t n, int64_t *out);

/// The value that changes nothing; Mean starts as Sum does.
template <typename T> T reduceIdentity(ReduceFunction function);
template <typename T> T combine(ReduceFunction function, T a, T b);
/// Reduces a row to one value.
template <typename T>
T reduceRow(ReduceFunction function, const T *x, int64_t n);
/// acc[i] = combine(acc[i], x[i]).
template <typename T>
void accumulateRow(ReduceFunction function, const T *x, int64_t n, T *acc);

/// c (m x n) += a (m x k) x b (k x n), all dense row-major f32.
void multiplyAdd(const float *a, const float *b, float *c, int64_t m, int64_t n,
                 int64_t k);

} // namespace tilewright::execute
