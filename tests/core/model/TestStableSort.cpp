// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/model/StableSort.h"
#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <utility>

using tilewright::model::stableSort;

TEST_CASE("equals stay in the order they stood in", "[stable sort]") {
  using Item = std::pair<int, std::string>;
  std::mt19937 random(7);
  for (int size : {0, 1, 2, 3, 17, 500}) {
    std::vector<Item> items;
    for (int i = 0; i < size; ++i)
      items.push_back({int(random() % 5),
                       "a longer text, number " + std::to_string(1000 + i)});
    stableSort(items,
               [](const Item &a, const Item &b) { return a.first < b.first; });
    CHECK(items.size() == size_t(size));
    // Numbers were given in order, so by both parts it is sorted strictly.
    for (int i = 1; i < size; ++i)
      CHECK(items[i - 1] < items[i]);
  }
}
