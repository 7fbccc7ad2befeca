//===- TestNearestName.cpp ------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/model/NearestName.h"
#include <catch2/catch.hpp>

using tilewright::model::nearestName;

TEST_CASE("the nearest name is named, or none if none is near") {
  std::vector<std::string> names = {"cpu", "cpu-generic", "ascend-a3"};
  CHECK(nearestName("ascnd-a3", names) == "ascend-a3");
  CHECK(nearestName("cpi", names) == "cpu");
  CHECK(nearestName("cpu-genric", names) == "cpu-generic");
  CHECK(nearestName("teapot", names).empty());
  // All letters of a name changed is not near, however short it is.
  CHECK(nearestName("xyz", {"cpu"}).empty());
  CHECK(nearestName("cpu", {}).empty());
}
