//===- TextMergeTest.cpp - two changes of one text ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/inspect/TextMerge.h"
#include <catch2/catch.hpp>

using tilewright::inspect::mergeLines;

TEST_CASE("lines that one side changed are taken from it") {
  const std::string base = "a\nb\nc\nd\ne\nf\n";
  CHECK(mergeLines(base, base, base) == base);
  CHECK(mergeLines(base, "A\nb\nc\nd\ne\nf\n", base) == "A\nb\nc\nd\ne\nf\n");
  CHECK(mergeLines(base, "A\nb\nc\nd\ne\nf\n", "a\nb\nc\nd\ne\nF\n") ==
        "A\nb\nc\nd\ne\nF\n");
  // Inserted, taken away, at both ends.
  CHECK(mergeLines(base, "0\na\nb\nc\nd\ne\nf\n", "a\nb\nd\ne\nf\ng\n") ==
        "0\na\nb\nd\ne\nf\ng\n");
  CHECK(mergeLines(base, "a\nb\n", "A\nb\nc\nd\ne\nf\n") == "A\nb\n");
  // The same change by both.
  CHECK(mergeLines(base, "a\nX\nc\nd\ne\nf\n", "a\nX\nc\nd\ne\nF\n") ==
        "a\nX\nc\nd\ne\nF\n");
  CHECK(mergeLines("", "x\n", "") == "x\n");
  CHECK(mergeLines("x\n", "", "x\n") == "");
}

TEST_CASE("lines that both sides changed are not merged") {
  const std::string base = "a\nb\nc\nd\n";
  CHECK_FALSE(mergeLines(base, "a\nX\nc\nd\n", "a\nY\nc\nd\n"));
  CHECK_FALSE(mergeLines(base, "a\nX\nc\nd\n", "a\nc\nd\n"));
  // Beside each other: who knows what comes first.
  CHECK_FALSE(mergeLines(base, "a\nX\nc\nd\n", "a\nb\nY\nd\n"));
  CHECK_FALSE(mergeLines(base, "a\nb\nX\nc\nd\n", "a\nb\nY\nc\nd\n"));
}
