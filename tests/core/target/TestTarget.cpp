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

TEST_CASE("ascend-a5 keeps both what there is and what is used") {
  TargetRegistry::TargetPtr a5 = shipped("ascend-a5");
  CHECK(a5->coreCount("cube") == 32);
  CHECK(a5->core("cube")->physical.value == 36);
  CHECK(a5->core("cube")->count.source.find("28") != std::string::npos);
  CHECK(a5->usableBytes("UB") == 240 * 1024);
  CHECK(a5->capacityBytes("UB") == 256 * 1024);
  CHECK(a5->level("UB")->usable.source.find("248 KiB") != std::string::npos);
  CHECK(a5->pipeOfMove("L0C", "UB") == "FIXP");
  CHECK(a5->pipeOfMove("L1", "GM").empty());
  // fp8: 128 x 256 x 128 takes 512 cycles, 527 as measured.
  const ComputeRate *fp8 = a5->rate("matmul", "f8E4M3FN");
  double seconds = 2.0 * 128 * 256 * 128 / fp8->perSecond.value;
  CHECK(seconds * a5->clock.value == Approx(512));
  CHECK((seconds + fp8->seconds.value) * a5->clock.value ==
        Approx(527).epsilon(0.001));
  CHECK(shipped("ascend-a3")->sharedCache()->capacity.value == 192 << 20);
  CHECK(shipped("cpu-generic")->sharedCache() == nullptr);
}

TEST_CASE("a wrong target file is told field by field, each at its place") {
  std::ifstream stream(fs::path(shippedFolder) / "ascend-a3.json");
  std::string text((std::istreambuf_iterator<char>(stream)), {});
  CHECK(checkTarget(text).empty());
  auto replace = [&](const std::string &from, const std::string &to) {
    size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    text.replace(at, from.size(), to);
  };
  auto told = [&] {
    std::vector<std::string> all;
    for (const model::Diagnostic &each : checkTarget(text))
      all.push_back(each.code + " " + each.message + " @" +
                    text.substr(size_t(each.range.begin),
                                size_t(each.range.end - each.range.begin)));
    return all;
  };
  SECTION("a misspelt field") {
    replace("\"usable\": {\"value\": 188416", "\"usabel\": {\"value\": 188416");
    std::vector<std::string> all = told();
    REQUIRE(all.size() == 1);
    CHECK_THAT(all[0], Catch::Matchers::StartsWith(
                           "TW0061 /levels/7/usabel is no field that there is "
                           "@{\"value\": 188416"));
    CHECK(checkTarget(text)[0].hint == "did you mean \"usable\"?");
  }
  SECTION("a level that does not exist") {
    replace("\"to\": \"L0A\"", "\"to\": \"LOA\"");
    std::vector<std::string> all = told();
    REQUIRE(all.size() == 2); // the move, and the path that needs it
    CHECK_THAT(all[0], Catch::Matchers::StartsWith("TW0071 /moves/2/to is") &&
                           Catch::Matchers::EndsWith("@\"LOA\""));
    CHECK_THAT(all[1], Catch::Matchers::Contains("/placements/0/operands/0/2"));
  }
  SECTION("half an event") {
    replace("\"eventIds\": {\"value\": 8", "\"eventIds\": {\"value\": 8.5");
    std::vector<std::string> all = told();
    REQUIRE(all.size() == 1);
    CHECK_THAT(all[0],
               Catch::Matchers::StartsWith("TW0071 /scheduling/eventIds/value "
                                           "is 8.5, which is no number") &&
                   Catch::Matchers::EndsWith("@8.5"));
  }
  SECTION("a field twice") {
    replace("\"name\": \"ascend-a3\"",
            "\"name\": \"other\", \"name\": \"ascend-a3\"");
    std::vector<std::string> all = told();
    REQUIRE(all.size() == 1);
    CHECK(all[0] ==
          "TW0061 /name is given again below, and that counts @\"other\"");
    CHECK(checkTarget(text)[0].severity == model::Severity::Warning);
  }
  SECTION("no JSON") {
    text.resize(1000);
    std::vector<std::string> all = told();
    REQUIRE(all.size() == 1);
    CHECK_THAT(all[0], Catch::Matchers::StartsWith("TW0060"));
  }
}

TEST_CASE("every truncation and every changed byte of a target is survived") {
  std::ifstream stream(fs::path(shippedFolder) / "cpu-generic.json");
  std::string text((std::istreambuf_iterator<char>(stream)), {});
  for (size_t length = 0; length < text.size(); length += 7)
    CHECK_FALSE(checkTarget(text.substr(0, length)).empty());
  for (size_t at = 0; at < text.size(); at += 5)
    for (char c : {'0', '-', '"', '{', ']', '\xff'}) {
      std::string changed = text;
      changed[at] = c;
      checkTarget(changed);
    }
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

TEST_CASE(
    "products of bf16 have a block of their own where a unit takes them") {
  TargetRegistry::TargetPtr amx = shipped("cpu-amx"),
                            plain = shipped("cpu-generic");
  CHECK(amx->blockFor("bf16").rows == 32);
  CHECK(amx->blockFor("bf16").lhsGroup == 32);
  CHECK(amx->blockFor("bf16").rhsGroup == 2);
  CHECK(amx->blockFor("f16").rows == amx->registerBlock.rows);
  CHECK(amx->blockFor("f16").multiple == 1);
  CHECK(plain->blockFor("bf16").rows == plain->registerBlock.rows);
  // Groups that do not fit what the depth is padded to, and a block alone.
  Target wrong = *amx;
  wrong.bf16Block.rhsGroup = 3;
  std::vector<model::FormProblem> problems = problemsOf(wrong);
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].pointer == "/bf16Block");
  wrong = *amx;
  wrong.registerBlock = {};
  problems = problemsOf(wrong);
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].pointer == "/bf16Block");
}

TEST_CASE("targets round-trip") {
  for (const char *name :
       {"ascend-a3", "ascend-a5", "cpu-amx", "cpu-generic"}) {
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
  for (const char *name :
       {"ascend-a3", "ascend-a5", "cpu-amx", "cpu-generic"}) {
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
    CHECK_THAT(problem(),
               contains("TW0071") && contains("/levels/1/usable/source is "
                                              "missing: a figure names its"));
  }
  SECTION("a bare number instead of a figure") {
    json["clock"] = 1e9;
    CHECK_THAT(problem(), contains("TW0061") &&
                              contains("/clock is 1000000000.0, where a figure "
                                       "{\"value\": number"));
  }
  SECTION("more usable than there is") {
    json["levels"][7]["usable"]["value"] = 1e6;
    CHECK_THAT(problem(), contains("/levels/7/usable/value of level UB is "
                                   "1000000.0, above its capacity of 196608"));
  }
  SECTION("a path without its move, and the pipe of a move") {
    json["moves"].erase(0);
    json["moves"][0]["pipe"] = "MTE9";
    CHECK_THAT(problem(), contains("there is no move from GM to L1") &&
                              contains("/moves/0/pipe is \"MTE9\"") &&
                              contains("did you mean \"MTE2\""));
  }
  SECTION("a layout the level does not hold") {
    json["placements"][0]["operands"][0][2]["layout"] = "nz";
    CHECK_THAT(problem(),
               contains("/placements/0/operands/0/2/layout is nz, which "
                        "level L0A does not hold; it holds zz"));
  }
  SECTION("sizes that are none") {
    json["levels"][2]["alignment"]["value"] = 48;
    json["rates"][0]["granule"]["value"][0] = 70000;
    json["clock"]["value"] = -1;
    CHECK_THAT(problem(), contains("/levels/2/alignment/value is 48, which") &&
                              contains("/rates/0/granule/value/0 is 70000") &&
                              contains("/clock/value is -1"));
  }
  SECTION("cores and bytes that are not whole") {
    json["cores"][0]["count"]["value"] = 0.5;
    json["levels"][7]["usable"]["value"] = 1000.5;
    CHECK_THAT(problem(), contains("/cores/0/count/value is 0.5, which is no "
                                   "whole number of cores") &&
                              contains("/levels/7/usable/value is 1000.5, "
                                       "which is no whole number of bytes"));
  }
  SECTION("an integer beyond 64 bits") {
    json["levels"][2]["alignment"]["value"] = uint64_t(1) << 63;
    CHECK_THAT(problem(), contains("/levels/2/alignment/value is "
                                   "9223372036854775808, above"));
  }
  SECTION("no schema") {
    json.erase("schema");
    CHECK_THAT(problem(), contains("/schema is missing: \"tilewright/target\" "
                                   "is expected"));
  }
  SECTION("no levels at all") {
    json["levels"] = nlohmann::json::array();
    CHECK_THAT(problem(), contains("there is none at all"));
  }
  SECTION("nothing that it computes, or says where it does") {
    for (const char *list : {"rates", "placements"}) {
      nlohmann::json less = shippedJson("cpu-generic");
      less.erase(list);
      std::vector<model::Diagnostic> found = checkTarget(less.dump());
      REQUIRE(found.size() == 1);
      CHECK(found[0].severity == model::Severity::Warning);
      CHECK(found[0].message.find(std::string("/") + list + " is empty") == 0);
    }
  }
  SECTION("no global memory, a name twice") {
    json["levels"][0]["name"] = "L1";
    CHECK_THAT(problem(), contains("/levels has no level GM") &&
                              contains("gives level L1 twice"));
  }
  SECTION("nothing at all") {
    json = nlohmann::json::object();
    CHECK_THAT(problem(), contains("TW0061") && contains("/name is missing"));
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
  CHECK(names == std::vector<std::string>{"cpu", "ascend-a3", "ascend-a5",
                                          "cpu-amx", "cpu-generic", "mine"});
  model::Diagnostic error;
  CHECK(registry.find("mine", error));
  CHECK_FALSE(registry.find("ascend-z9", error));
  CHECK(error.code == "TW0072");
  CHECK(error.message == "there is no target 'ascend-z9'; known are cpu, "
                         "ascend-a3, ascend-a5, cpu-amx, cpu-generic, mine");
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
  CHECK(registry.list().size() == 5);
}

TEST_CASE("a target beside the source is found, and read again when changed") {
  TemporaryFolder folder;
  nlohmann::json mine = shippedJson("cpu-generic");
  mine["name"] = "mine";
  mine["aliases"] = {"my-own"};
  folder.write("any.target.json", mine.dump());
  folder.write("other.json", mine.dump()); // a document like any other
  TargetRegistry registry;
  std::vector<model::Diagnostic> problems;
  registry.addFolder(shippedFolder, problems);
  model::Diagnostic error;
  CHECK_FALSE(registry.find("mine", error));
  auto first = registry.find("my-own", error, folder.path);
  REQUIRE(first);
  CHECK(first == registry.find("mine", error, folder.path));
  CHECK(registry.find((folder.path / "any.target.json").string(), error) ==
        first);
  CHECK(registry.list().size() == 5);
  CHECK(registry.list(folder.path).size() == 6);
  CHECK(registry.list(folder.path)[5].file ==
        (folder.path / "any.target.json").string());

  mine["description"] = "changed, and longer";
  folder.write("any.target.json", mine.dump());
  CHECK(registry.find("mine", error, folder.path)->description ==
        "changed, and longer");
  // Broken, it is no longer there; by its file's name it says why.
  folder.write("any.target.json", "{");
  CHECK_FALSE(registry.find("mine", error, folder.path));
  CHECK(error.code == "TW0072");
  CHECK_FALSE(registry.find("any", error, folder.path));
  CHECK(error.code == "TW0060");
  CHECK_FALSE(registry.find("ascend-a33", error));
  CHECK_THAT(error.hint, Catch::Matchers::StartsWith("did you mean ascend-a3"));
}

TEST_CASE("resources are found from the build tree") {
  CHECK(fs::exists(resourceFolder() / "targets" / "ascend-a3.json"));
}
