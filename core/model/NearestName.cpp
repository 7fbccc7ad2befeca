//===- NearestName.cpp - what a misspelt name may have meant --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/model/NearestName.h"
#include <algorithm>
#include <numeric>
#include <utility>

namespace tilewright::model {

/// How many letters must be changed, added or taken away to make `b` of `a`.
static size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t(0));
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t change = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
    }
  }
  return row.back();
}

std::string nearestName(std::string_view word,
                        const std::vector<std::string> &names) {
  std::string best;
  size_t least = std::max<size_t>(2, word.size() / 3) + 1;
  for (const std::string &name : names)
    if (size_t d = distance(word, name); d < least && d < name.size()) {
      least = d;
      best = name;
    }
  return best;
}

} // namespace tilewright::model
