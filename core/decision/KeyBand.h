//===- KeyBand.h - the keys that a mask lets queries see --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>

namespace tilewright::decision {

/// What a mask leaves of the keys: query r may see key c only if
/// from <= c < to and r + rowFrom <= c < r + rowTo. A causal mask of Q queries
/// at the end of K keys has rowTo = K - Q + 1, one over a window of w keys also
/// rowFrom = K - Q + 1 - w. Outside of it nothing can be seen; inside, the mask
/// may still hide some.
struct KeyBand {
  /// Further than any key.
  static constexpr int64_t far = int64_t(1) << 40;
  int64_t from = -far, to = far;
  int64_t rowFrom = -far, rowTo = far;

  static KeyBand none() { return {far, -far, far, -far}; }
  bool operator==(const KeyBand &) const = default;
};

/// What both let see, and what one of them does, at most.
KeyBand intersection(const KeyBand &a, const KeyBand &b);
KeyBand hull(const KeyBand &a, const KeyBand &b);

/// The keys that a tile of queries goes through in whole tiles of keys, and
/// whether it also takes what is left behind the last whole one.
struct KeySteps {
  int64_t begin = 0, end = 0; ///< multiples of the tile of keys
  bool rest = false;

  int64_t count(int64_t keyTile) const {
    return (end > begin ? (end - begin) / keyTile : 0) + rest;
  }
};
KeySteps keySteps(const KeyBand &band, int64_t row, int64_t rowTile,
                  int64_t keys, int64_t keyTile);

/// Steps over the keys that all tiles of `rows` queries take together, and the
/// most that one of them takes.
struct StepCount {
  int64_t total = 0, most = 0;
};
StepCount countSteps(const KeyBand &band, int64_t rows, int64_t rowTile,
                     int64_t keys, int64_t keyTile);

} // namespace tilewright::decision
