//===- TestTarget.cpp - machine descriptions load, answer and refuse ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "SchemaChecker.h"
#include "core/model/Json.h"
#include "core/target/Resources.h"
#include "core/target/TargetRegistry.h"
#include <catch2/catch.hpp>
#include <fstream>

using namespace tilewright;
using namespace tilewright::target;
namespace fs = std::filesystem;

static const char *const shippedFolder =
    TILEWRIGHT_SOURCE_DIR "/resources/targets";

static TargetRegistry::TargetPtr shipped(const char *name) {
  TargetRegistry registry;
  std::vector<model::Diagnostic> problems;
  registry.addFolder(shippedFolder, problems);
  for (const model::Diagnostic &problem : problems)
    FAIL(problem.message);
  model::Diagnostic error;
  TargetRegistry::TargetPtr target = registry.find(name, error);
  INFO(error.message);
  REQUIRE(target);
  return target;
}

static nlohmann::json shippedJson(const char *name) {
  return nlohmann::json(*shipped(name));
}

namespace {
/// A folder that is gone after the test.
struct TemporaryFolder {
  fs::path path;
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "targetXXXXXX").string();
    REQUIRE(mkdtemp(name.data()));
    path = name;
  }
  ~TemporaryFolder() { fs::remove_all(path); }
  void write(const char *name, const std::string &text) const {
    std::ofstream(path / name, std::ios::binary) << text;
  }
};
} // namespace

TEST_CASE("ascend-a3 places a matmul through L1 and L0") {
  TargetRegistry::TargetPtr a3 = shipped("ascend-a3");
  CHECK(shipped("ascend-910b2")->name == "ascend-a3");
  CHECK(a3->coreCount("cube") == 24);
  CHECK(a3->coreCount("vector") == 48);
  CHECK(a3->coreCount("any") == 0);
  CHECK(a3->usableBytes("UB") == 184 * 1024);
  CHECK(a3->capacityBytes("UB") == 192 * 1024);
  CHECK(a3->usableBytes("nowhere") == 0);
  std::vector<Stop> rhs = a3->operandPath("matmul", 1);
  CHECK(rhs ==
        std::vector<Stop>{{"GM", "row_major"}, {"L1", "nz"}, {"L0B", "zn"}});
  CHECK(a3->placement("matmul")->result[0].level == "L0C");
  CHECK(a3->operandPath("elementwise", 7)[1].level == "UB");
  CHECK(a3->pipeOf("matmul", "bf16") == "CUBE");
  CHECK(a3->pipeOf("reduction", "f32") == "VEC");
  CHECK(a3->pipeOfMove("GM", "L1") == "MTE2");
  CHECK(a3->pipeOfMove("L0C", "GM") == "FIXP");
  CHECK(a3->pipeOfMove("L0C", "UB").empty());
  CHECK(a3->tileLevel("matmul", "L0")->levels.size() == 3);
  CHECK(a3->tileLevel("matmul", "UB") == nullptr);
  CHECK_FALSE(a3->isCache("L1"));
}

TEST_CASE("a cube core takes 518 cycles for 128 x 64 x 256 of f16") {
  // 512 by the rate and a start of a few: checked against the published 518.
  TargetRegistry::TargetPtr a3 = shipped("ascend-a3");
  const ComputeRate *rate = a3->rate("matmul", "f16");
  double seconds = 2.0 * 128 * 64 * 256 / rate->perSecond.value;
  CHECK(seconds * a3->clock.value == Approx(512));
  CHECK(rate->seconds.value * a3->clock.value == Approx(12).epsilon(0.01));
  CHECK(a3->rate("matmul", "f32")->perSecond.value * 4 ==
        Approx(rate->perSecond.value));
}

TEST_CASE("cpu-generic has caches, one pipe and a register block") {
  TargetRegistry::TargetPtr cpu = shipped("cpu-generic");
  CHECK(cpu->isCache("cache2"));
  CHECK_FALSE(cpu->isCache("GM"));
  CHECK(cpu->registerBlock.rows == 6);
  CHECK(cpu->registerBlock.columns == 16);
  CHECK(cpu->pipeOf("transcendental", "f16") == "CORE");
  // What has no rate of its own falls back.
  CHECK(cpu->rate("gather", "i32")->op == "elementwise");
}

TEST_CASE("targets round-trip") {
  for (const char *name : {"ascend-a3", "cpu-generic"}) {
    nlohmann::json json = shippedJson(name);
    model::Diagnostic error;
    std::optional<Target> read = readTarget(json.dump(), error);
    INFO(error.message);
    REQUIRE(read);
    CHECK(nlohmann::json(*read) == json);
  }
}

TEST_CASE("shipped targets satisfy the schema, as files and as written") {
  testing::SchemaChecker checker(TILEWRIGHT_SOURCE_DIR "/resources/schemas");
  for (const char *name : {"ascend-a3", "cpu-generic"}) {
    std::ifstream stream(fs::path(shippedFolder) /
                         (name + std::string(".json")));
    CHECK(checker.check(nlohmann::json::parse(stream), "target") ==
          std::vector<std::string>{});
    CHECK(checker.check(shippedJson(name), "target") ==
          std::vector<std::string>{});
  }
}

TEST_CASE("an inconsistent target says everything that is wrong") {
  nlohmann::json json = shippedJson("ascend-a3");
  auto problem = [&] {
    model::Diagnostic error;
    CHECK_FALSE(readTarget(json.dump(), error));
    return error.code + " " + error.message;
  };
  auto contains = [](const char *text) {
    return Catch::Matchers::Contains(text);
  };
  SECTION("a figure without a source") {
    json["levels"][1]["usable"]["source"] = "";
    CHECK_THAT(problem(), contains("TW0071") &&
                              contains("level L1.usable names no source"));
  }
  SECTION("a bare number instead of a figure") {
    json["clock"] = 1e9;
    CHECK_THAT(problem(), contains("TW0061") && contains("clock: a figure"));
  }
  SECTION("more usable than there is") {
    json["levels"][5]["usable"]["value"] = 1e6;
    CHECK_THAT(problem(), contains("level UB.usable is above its capacity"));
  }
  SECTION("a path without its move, and the pipe of a move") {
    json["moves"].erase(0);
    json["moves"][0]["pipe"] = "MTE9";
    CHECK_THAT(problem(), contains("there is no move from GM to L1") &&
                              contains("pipe 'MTE9', which core cube lacks"));
  }
  SECTION("a layout the level does not hold") {
    json["placements"][0]["operands"][0][2]["layout"] = "nz";
    CHECK_THAT(problem(), contains("level L0A does not hold layout 'nz'"));
  }
  SECTION("sizes that are none") {
    json["levels"][1]["alignment"] = 48;
    json["rates"][0]["granule"][0] = 0;
    json["clock"]["value"] = -1;
    CHECK_THAT(problem(), contains("48 is no power of two") &&
                              contains("granule 0") && contains("clock is"));
  }
  SECTION("no global memory, a name twice") {
    json["levels"][0]["name"] = "L1";
    CHECK_THAT(problem(), contains("it has no level GM") &&
                              contains("level L1 is given twice"));
  }
  SECTION("nothing at all") {
    json = nlohmann::json::object();
    CHECK_THAT(problem(), contains("it has no name"));
  }
}

TEST_CASE("the registry reads what it can and reports the rest") {
  TemporaryFolder folder;
  nlohmann::json mine = shippedJson("cpu-generic");
  mine["name"] = "mine";
  folder.write("mine.json", mine.dump());
  folder.write("broken.json", "{\"name\": ");
  folder.write("list.json", "[1, 2]");
  folder.write("newer.json", R"({"schema":"tilewright/target","version":9})");
  folder.write("large.json", std::string(5 << 20, ' '));
  folder.write("notes.txt", "no target");
  fs::create_directory(folder.path / "folder.json");

  TargetRegistry registry;
  std::vector<model::Diagnostic> problems;
  registry.addFolder(shippedFolder, problems);
  registry.addFolder(folder.path, problems);
  registry.addFolder(folder.path / "missing", problems);
  std::vector<std::string> codes;
  for (const model::Diagnostic &problem : problems)
    codes.push_back(problem.code);
  // broken, folder, large, list, newer
  CHECK(codes == std::vector<std::string>{"TW0060", "TW0070", "TW0070",
                                          "TW0061", "TW0061"});
  CHECK(problems[0].message.find("broken.json") == 0);

  std::vector<std::string> names;
  for (const TargetRegistry::Summary &summary : registry.list())
    names.push_back(summary.name);
  CHECK(names ==
        std::vector<std::string>{"cpu", "ascend-a3", "cpu-generic", "mine"});
  model::Diagnostic error;
  CHECK(registry.find("mine", error));
  CHECK_FALSE(registry.find("ascend-z9", error));
  CHECK(error.code == "TW0072");
  CHECK(error.message == "there is no target 'ascend-z9'; known are cpu, "
                         "ascend-a3, cpu-generic, mine");
}

TEST_CASE("a later target replaces an earlier one of its name") {
  TemporaryFolder folder;
  nlohmann::json mine = shippedJson("cpu-generic");
  mine["description"] = "changed";
  folder.write("a.json", mine.dump());
  TargetRegistry registry;
  std::vector<model::Diagnostic> problems;
  registry.addFolder(shippedFolder, problems);
  registry.addFolder(folder.path, problems);
  model::Diagnostic error;
  CHECK(registry.find("cpu-generic", error)->description == "changed");
  CHECK(registry.list().size() == 3);
}

TEST_CASE("resources are found from the build tree") {
  CHECK(fs::exists(resourceFolder() / "targets" / "ascend-a3.json"));
}
