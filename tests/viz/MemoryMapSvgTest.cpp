//===- MemoryMapSvgTest.cpp -----------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "viz/MemoryMapSvg.h"
#include "tests/viz/XmlFault.h"
#include <catch2/catch.hpp>

using namespace tilewright;

static model::MemoryMap sample() {
  model::MapBuffer first;
  first.id = "k/x_<UB>";
  first.name = "x_<UB>";
  first.keys = {"f/x"};
  first.type = {"f32", {32, 64}, "UB", ""};
  first.bytes = 8192;
  first.last = 1;
  first.writers = {"f/x", "f/y"};
  model::MapBuffer second = first;
  second.id = "k/y";
  second.name = "y";
  second.first = 2;
  second.last = 3;
  second.reuses = {first.id};
  model::MapLevel level{"UB", "memory", 196608,     188416,         8192,
                        8192, 0,        {first.id}, {first, second}};
  model::KernelMemory kernel;
  kernel.id = "kernel:k";
  kernel.kernel = "k";
  kernel.core = "vector";
  kernel.steps.resize(4);
  kernel.loops = {{"i", 0, 3, 8, 0}};
  kernel.levels = {level};
  return {"block/insert-sync", "ascend-a3", {kernel}};
}

static size_t count(const std::string &text, const std::string &part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos;
       at = text.find(part, at + 1))
    ++found;
  return found;
}

TEST_CASE("a memory map is drawn with its figures") {
  for (viz::ThemeName name : {viz::ThemeName::Light, viz::ThemeName::Dark}) {
    viz::MemoryMapOptions options;
    options.theme = name;
    options.title = "a & b";
    std::string svg = viz::toSvg(sample(), options);
    CHECK(xmlFault(svg) == "");
    CHECK(count(svg, "<title>k/") == 2);
    CHECK(count(svg, "has room of k/x_&lt;UB&gt;") == 1);
    CHECK(svg.find("in place: f/x, f/y") != std::string::npos);
    CHECK(svg.find("reaches 8 KiB of 184 KiB usable (192 KiB physical)") !=
          std::string::npos);
    CHECK(svg.find("i \u00d78") != std::string::npos);
    CHECK(svg.find("axis ends at 10 KiB") != std::string::npos);
  }
}

TEST_CASE("a full level is drawn against what is usable") {
  model::MemoryMap map = sample();
  map.kernels[0].levels[0].highWater = 150000;
  map.kernels[0].levels[0].buffers[0].bytes = 150000;
  std::string svg = viz::toSvg(map);
  CHECK(svg.find("axis ends") == std::string::npos);
  CHECK(svg.find("stroke-dasharray=\"7 4\"") != std::string::npos);
}

TEST_CASE("a map without buffers says so") {
  model::MemoryMap map = sample();
  map.kernels.clear();
  std::string svg = viz::toSvg(map);
  CHECK(xmlFault(svg) == "");
  CHECK(svg.find("No kernel keeps a buffer") != std::string::npos);
}

TEST_CASE("a kernel of a hundred thousand instructions stays a picture") {
  model::MemoryMap map = sample();
  map.kernels[0].steps.resize(100000);
  map.kernels[0].levels[0].buffers[1].last = 99999;
  std::string svg = viz::toSvg(map);
  CHECK(svg.size() < 100000);
  CHECK(svg.find("width=\"6124\"") != std::string::npos);
}

TEST_CASE("texts stand out from buffers of any colour") {
  for (viz::ThemeName name : {viz::ThemeName::Light, viz::ThemeName::Dark})
    for (int i = 0; i < 100; ++i) {
      viz::NodeColours c = viz::bufferColours(name, "f/v" + std::to_string(i));
      CHECK(contrast(c.fill, c.text) >= 4.5);
    }
}
