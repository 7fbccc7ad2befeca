//===- StableSort.h - sorting that keeps equals in order --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

namespace tilewright::model {

/// Sorts `items` by `less`; of equals the one that stood first comes first.
/// Used instead of std::stable_sort, whose buffer in libstdc++ 12 is deprecated
/// and makes clang warn wherever it is instantiated.
template <typename T, typename Less>
void stableSort(std::vector<T> &items, Less less) {
  std::vector<size_t> order(items.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    if (less(items[a], items[b]))
      return true;
    return a < b && !less(items[b], items[a]);
  });
  std::vector<T> sorted;
  sorted.reserve(items.size());
  for (size_t from : order)
    sorted.push_back(std::move(items[from]));
  items = std::move(sorted);
}

} // namespace tilewright::model
