//===- HeatMapTest.cpp - maps of tile sizes as pictures -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "viz/HeatMap.h"
#include <catch2/catch.hpp>

using namespace tilewright;
using namespace tilewright::viz;

static model::WhatIf sampleMap() {
  model::WhatIf map;
  map.key = "f/<y>";
  map.target = "ascend-a3";
  map.xDim = "n";
  map.yDim = "m";
  map.xs = {16, 32, 64};
  map.ys = {16, 32};
  for (int64_t y : map.ys)
    for (int64_t x : map.xs) {
      model::TilePoint point;
      point.x = x;
      point.y = y;
      point.sizes = {{"L1", {{"m", y}, {"n", x}}}};
      point.legal = x * y < 2048;
      if (point.legal)
        point.seconds = 1e-3 / double(x * y);
      else
        point.why = "L0C needs 2 & more";
      map.points.push_back(point);
    }
  map.current = 0;
  map.best = 4;
  map.currentSeconds = map.points[0].seconds;
  return map;
}

static size_t count(const std::string &text, const std::string &word) {
  size_t found = 0;
  for (size_t at = text.find(word); at != std::string::npos;
       at = text.find(word, at + 1))
    ++found;
  return found;
}

TEST_CASE("a heat map has a cell for every point, and marks two") {
  model::WhatIf map = sampleMap();
  for (ThemeName name : {ThemeName::Light, ThemeName::Dark}) {
    std::string svg = heatMapSvg(map, name);
    CHECK(count(svg, "<title>") == 6);
    CHECK(count(svg, "<g>") == count(svg, "</g>"));
    // What stands in names is no markup.
    CHECK(svg.find("f/&lt;y&gt;") != std::string::npos);
    CHECK(svg.find("2 &amp; more") != std::string::npos);
    // The best is 1.0, the first four times as long.
    CHECK(svg.find(">1.0<") != std::string::npos);
    CHECK(svg.find(">4.0<") != std::string::npos);
    CHECK(svg.find("best 976 ns with L1.m=32 L1.n=32") == std::string::npos);
    CHECK(svg.find("best 977 ns with L1.m=32 L1.n=32") != std::string::npos);
    CHECK(svg.find("4.0 times the best") != std::string::npos);
    CHECK(svg.find(theme(name).selection.hex()) != std::string::npos);
    CHECK(count(svg, "<polygon") == 2); // the best, and in the legend
  }
}

TEST_CASE("maps without points, without a best or with one axis are drawn") {
  model::WhatIf map;
  map.key = "f/y";
  CHECK(heatMapSvg(map).find("nothing to choose") != std::string::npos);
  map = sampleMap();
  map.best = map.current = -1;
  for (model::TilePoint &point : map.points)
    point.legal = false;
  CHECK(count(heatMapSvg(map), "<title>") == 6);
  map = sampleMap();
  map.ys.clear();
  map.yDim.clear();
  map.points.resize(3);
  map.best = 2;
  CHECK(count(heatMapSvg(map), "<title>") == 3);
}
