//===- GridOrderTest.cpp - tasks in strips --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/execute/GridOrder.h"
#include <catch2/catch.hpp>
#include <set>
#include <vector>

using namespace tilewright::execute;

TEST_CASE("every order goes over every point of a grid once, and back") {
  for (const std::vector<int64_t> &grid :
       {std::vector<int64_t>{7}, {1, 1}, {5, 3}, {3, 5}, {2, 7, 4}, {2, 1, 3}})
    for (int64_t strip : {1, 2, 3, 5, 100}) {
      int64_t tasks = 1;
      for (int64_t size : grid)
        tasks *= size;
      std::set<std::vector<int64_t>> seen;
      for (int64_t task = 0; task < tasks; ++task) {
        std::vector<int64_t> point(grid.size());
        gridPoint(grid, strip, task, point.data());
        for (size_t d = 0; d < grid.size(); ++d) {
          REQUIRE(point[d] >= 0);
          REQUIRE(point[d] < grid[d]);
        }
        REQUIRE(gridNumber(grid, strip, point.data()) == task);
        seen.insert(point);
      }
      CHECK(int64_t(seen.size()) == tasks);
    }
}

TEST_CASE("strips go column by column") {
  std::vector<int64_t> grid = {5, 3}, point(2);
  std::vector<std::pair<int64_t, int64_t>> order;
  for (int64_t task = 0; task < 15; ++task) {
    gridPoint(grid, 2, task, point.data());
    order.emplace_back(point[0], point[1]);
  }
  using Order = std::vector<std::pair<int64_t, int64_t>>;
  CHECK(order == Order{{0, 0},
                       {1, 0},
                       {0, 1},
                       {1, 1},
                       {0, 2},
                       {1, 2},
                       {2, 0},
                       {3, 0},
                       {2, 1},
                       {3, 1},
                       {2, 2},
                       {3, 2},
                       {4, 0},
                       {4, 1},
                       {4, 2}});
}
