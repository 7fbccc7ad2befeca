//===- TestMeasureCpu.cpp - this machine, measured and remembered ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "SchemaChecker.h"
#include "core/model/Json.h"
#include "core/target/CpuProbes.h"
#include "core/target/MeasureCpu.h"
#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>

using namespace tilewright;
using namespace tilewright::target;
namespace fs = std::filesystem;

TEST_CASE("this machine is a sound target with plausible figures") {
  auto begin = std::chrono::steady_clock::now();
  Target cpu = measureCpu();
  std::chrono::duration<double> taken =
      std::chrono::steady_clock::now() - begin;
  for (const model::FormProblem &problem : problemsOf(cpu))
    FAIL_CHECK(problem.pointer + " " + problem.message);
  testing::SchemaChecker checker(TILEWRIGHT_SOURCE_DIR "/resources/schemas");
  CHECK(checker.check(nlohmann::json(cpu), "target") ==
        std::vector<std::string>{});
  CHECK(cpu.name == "cpu");
  CHECK(cpu.coreCount("any") >= 1);
  CHECK(cpu.usableBytes("cache1") >= 8 << 10);
  CHECK(cpu.capacityBytes("cache2") > cpu.capacityBytes("cache1"));
  // Wide bounds: what they exclude is a probe that was optimised away or a
  // factor of a thousand.
  CHECK(cpu.clock.value > 2e8);
  CHECK(cpu.clock.value < 2e10);
  double flopPerCycle =
      cpu.rate("matmul", "f32")->perSecond.value / cpu.clock.value;
  CHECK(flopPerCycle > 0.5);
  CHECK(flopPerCycle < 256);
  CHECK(cpu.peakAllCores.value > 0);
  CHECK(cpu.move("GM", "cache2")->bytesPerSecond.value > 1e7);
  CHECK(cpu.rate("matmul", "f32")->perSecond.source.find("measured") == 0);
  CHECK(taken.count() < 30);
}

TEST_CASE("the measurement is remembered, and only for the same machine") {
  std::string name = (fs::temp_directory_path() / "cpuXXXXXX").string();
  REQUIRE(mkdtemp(name.data()));
  fs::path folder = fs::path(name) / "new" / "tilewright";
  cachedCpu(folder);
  fs::path file = folder / "cpu.json";
  REQUIRE(fs::exists(file));

  auto rewrite = [&](auto change) {
    std::stringstream text;
    text << std::ifstream(file).rdbuf();
    nlohmann::json json = nlohmann::json::parse(text.str());
    change(json);
    std::ofstream(file) << json.dump();
  };
  // Figures are taken from the file, not measured again.
  rewrite([](nlohmann::json &json) {
    CHECK(json["busy"].is_boolean());
    json["busy"] = false;
    json["clock"]["value"] = 12345;
  });
  Target quiet = cachedCpu(folder);
  CHECK(quiet.clock.value == 12345);
  CHECK(quiet.description.find("busy") == std::string::npos);
  // Those of a busy machine too, else tiles change between two commands.
  rewrite([](nlohmann::json &json) { json["busy"] = true; });
  CHECK(cachedCpu(folder).clock.value == 12345);
  CHECK(cachedCpu(folder).description ==
        quiet.description + "; measured while it was busy (delete " +
            file.string() + " to measure again)");
  // Another machine, an inconsistent or broken file: measured again.
  rewrite([](nlohmann::json &json) { json["identity"] = "other"; });
  CHECK(cachedCpu(folder).clock.value != 12345);
  rewrite([](nlohmann::json &json) {
    json["clock"]["value"] = 12345;
    json["levels"] = nlohmann::json::array();
  });
  CHECK(cachedCpu(folder).clock.value != 12345);
  std::ofstream(file) << "\xff{";
  CHECK(cachedCpu(folder).clock.value != 12345);
  CHECK(std::distance(fs::directory_iterator(folder), {}) == 1);

  // A folder that cannot be made costs nothing but the measurement.
  CHECK(cachedCpu(file / "below a file").name == "cpu");
  fs::remove_all(name);
}
