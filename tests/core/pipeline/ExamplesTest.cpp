//===- ExamplesTest.cpp - every example through every stage ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/dialect/Key.h"
#include "core/pipeline/CompilationImpl.h"
#include "core/pipeline/PassList.h"
#include "core/pipeline/Session.h"
#include "core/target/TargetRegistry.h"
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <future>
#include <set>
#include <thread>

using namespace tilewright;
namespace fs = std::filesystem;

namespace {

std::string textOf(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  return std::string((std::istreambuf_iterator<char>(file)), {});
}

std::vector<fs::path> examples() {
  std::vector<fs::path> paths;
  for (const auto &entry :
       fs::directory_iterator(TILEWRIGHT_SOURCE_DIR "/resources/examples"))
    if (entry.path().extension() == ".mlir")
      paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::shared_ptr<target::TargetRegistry> registry() {
  std::vector<model::Diagnostic> problems;
  std::shared_ptr<target::TargetRegistry> targets =
      target::TargetRegistry::standard(problems);
  for (const model::Diagnostic &problem : problems)
    UNSCOPED_INFO(problem.message);
  CHECK(problems.empty());
  return targets;
}

CompileRequest requestFor(const fs::path &path, const std::string &target) {
  CompileRequest request;
  request.uri = "file://" + path.string();
  request.text = textOf(path);
  request.target = target;
  return request;
}

/// Examples with a `?` go through the Tile stage only; the Block stage says so.
bool isDynamic(const std::string &text) {
  return text.find("tensor<?") != std::string::npos ||
         text.find("x?") != std::string::npos;
}

} // namespace

TEST_CASE("every operation of every stage of every example has a key") {
  auto targets = registry();
  Session session(targets);
  REQUIRE(examples().size() >= 7);
  for (const char *target : {"cpu-generic", "ascend-a3"})
    for (const fs::path &path : examples()) {
      DYNAMIC_SECTION(target << " " << path.filename().string()) {
        CompileRequest request = requestFor(path, target);
        auto compilation = session.compile(request);
        REQUIRE(compilation);
        for (const model::Diagnostic &diagnostic :
             compilation->stages().diagnostics)
          UNSCOPED_INFO(diagnostic.code << " " << diagnostic.message);
        std::set<std::string> stages;
        for (const model::PassRecord &pass : compilation->stages().passes)
          stages.insert(pass.stage);
        CHECK(stages.count("tensor"));
        CHECK(stages.count("tile"));
        if (!isDynamic(request.text)) {
          CHECK(compilation->complete());
          CHECK(stages.count("block"));
          CHECK(stages.count("execution"));
        }
        const Compilation::Impl &impl = compilation->impl();
        for (const Snapshot &snapshot : impl.snapshots) {
          auto module = impl.module(snapshot);
          REQUIRE(module);
          int keyless = 0, relative = 0;
          module->walk([&](mlir::Operation *op) {
            if (mlir::isa<mlir::ModuleOp>(op))
              return;
            auto keys = keysOf(op);
            if (keys.empty()) {
              if (!keyless++)
                UNSCOPED_INFO(snapshot.name()
                              << ": no key on "
                              << op->getName().getStringRef().str());
            }
            for (llvm::StringRef key : keys)
              if (key.starts_with("$") && !relative++)
                UNSCOPED_INFO(snapshot.name()
                              << ": " << key.str() << " on "
                              << op->getName().getStringRef().str());
          });
          CHECK(keyless == 0);
          CHECK(relative == 0);
        }
      }
    }
}

TEST_CASE("every snapshot of an example prints, draws and differs from the one "
          "before") {
  auto targets = registry();
  Session session(targets);
  auto compilation = session.compile(
      requestFor(TILEWRIGHT_SOURCE_DIR "/resources/examples/swiglu_ffn.mlir",
                 "cpu-generic"));
  REQUIRE(compilation);
  REQUIRE(compilation->complete());
  std::string last;
  for (const model::PassRecord &pass : compilation->stages().passes) {
    INFO(pass.name());
    auto printed = compilation->print(pass.name());
    REQUIRE(printed);
    CHECK_FALSE(printed->text.empty());
    auto graph = compilation->graph(pass.name());
    REQUIRE(graph);
    CHECK_FALSE(graph->nodes.empty());
    CHECK(pass.changedKeys.empty() == !pass.changed);
    for (const std::string &key : pass.changedKeys)
      CHECK(key.rfind("swiglu_ffn", 0) == 0);
    if (pass.changed && !last.empty()) {
      CHECK(compilation->resolve(pass.name()) == pass.name());
      auto diff = compilation->diff(last, pass.name());
      REQUIRE(diff);
      CHECK_FALSE((diff->ops.empty() && diff->text.empty()));
    }
    last = pass.name();
  }
  model::Diagnostic error;
  CHECK_FALSE(compilation->print("tile/no-such-pass", &error));
  CHECK(error.code == "TW0610");
}

TEST_CASE("scopes are re-used by content between compilations") {
  auto targets = registry();
  Session session(targets);
  CompileRequest request =
      requestFor(TILEWRIGHT_SOURCE_DIR "/resources/examples/swiglu_ffn.mlir",
                 "cpu-generic");
  REQUIRE(session.compile(request)->complete());
  int64_t compiled = session.statistics().scopesCompiled;
  CHECK(compiled > 0);
  // A comment above moves every line and changes nothing.
  request.text = "// one more line\n" + request.text;
  auto again = session.compile(request);
  REQUIRE(again->complete());
  CHECK(session.statistics().scopesCompiled == compiled);
  bool reused = false;
  for (const model::PassRecord &pass : again->stages().passes)
    reused |= pass.reused;
  CHECK(reused);
}

TEST_CASE("what a scope pass finds wrong is told at its place in the source") {
  auto targets = registry();
  Session session(targets);
  CompileRequest request =
      requestFor(TILEWRIGHT_SOURCE_DIR "/resources/examples/dynamic_rows.mlir",
                 "cpu-generic");
  auto compilation = session.compile(request);
  REQUIRE(compilation);
  CHECK_FALSE(compilation->complete());
  const model::Diagnostic *found = nullptr;
  for (const model::Diagnostic &diagnostic : compilation->stages().diagnostics)
    if (diagnostic.code == "TW0404")
      found = &diagnostic;
  REQUIRE(found);
  CHECK(found->key.rfind("dynamic_rows/", 0) == 0);
  CHECK(found->range.end > found->range.begin);
  CHECK(request.text.substr(size_t(found->range.begin), 1) == "%");
}

TEST_CASE("a compilation that is stopped gives nothing") {
  auto targets = registry();
  Session session(targets);
  std::stop_source stop;
  stop.request_stop();
  CHECK(session.compile(requestFor(TILEWRIGHT_SOURCE_DIR
                                   "/resources/examples/swiglu_ffn.mlir",
                                   "cpu-generic"),
                        stop.get_token()) == nullptr);
}

TEST_CASE("a compilation that waits for another hears of a stop") {
  auto targets = registry();
  Session session(targets);
  const CompileRequest request =
      requestFor(TILEWRIGHT_SOURCE_DIR "/resources/examples/swiglu_ffn.mlir",
                 "cpu-generic");
  std::promise<void> begun, stopped;
  std::thread first([&] {
    bool waited = false;
    session.compile(request, {}, [&](double, const std::string &) {
      if (!std::exchange(waited, true)) {
        begun.set_value();
        stopped.get_future().wait();
      }
    });
  });
  begun.get_future().wait();
  std::stop_source stop;
  auto second = std::async(std::launch::async, [&] {
    return session.compile(request, stop.get_token());
  });
  CHECK(second.wait_for(std::chrono::milliseconds(50)) ==
        std::future_status::timeout);
  stop.request_stop();
  CHECK(second.wait_for(std::chrono::seconds(20)) == std::future_status::ready);
  stopped.set_value();
  first.join();
  CHECK(second.get() == nullptr);
}

TEST_CASE("wrong sources and unknown targets are told, not thrown") {
  auto targets = registry();
  Session session(targets);
  CompileRequest request;
  request.uri = "file:///wrong.mlir";
  request.target = "cpu-generic";
  request.text = "func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
                 "  %b = tw.nothing %a : (tensor<4xf32>) -> tensor<4xf32>\n"
                 "  return %b : tensor<4xf32>\n}\n";
  auto compilation = session.compile(request);
  REQUIRE(compilation);
  CHECK_FALSE(compilation->complete());
  REQUIRE_FALSE(compilation->stages().diagnostics.empty());
  CHECK(compilation->stages().diagnostics[0].code.rfind("TW", 0) == 0);
  model::Diagnostic error;
  CHECK_FALSE(compilation->print("tensor", &error));
  CHECK(error.code == "TW0610");

  request.target = "no-such-machine";
  compilation = session.compile(request);
  REQUIRE(compilation);
  CHECK_FALSE(compilation->complete());
  CHECK(compilation->stages().diagnostics.at(0).code == "TW0072");
}

TEST_CASE("what joining the scopes finds wrong is told") {
  auto targets = registry();
  Session session(targets);
  CompileRequest request;
  request.uri = "scalar.mlir";
  request.target = "cpu-generic";
  request.text = "func.func @f(%x: tensor<4x8xf32>, %s: f32) -> "
                 "tensor<4x8xf32> {\n"
                 "  %y = tw.exp %x : (tensor<4x8xf32>) -> tensor<4x8xf32>\n"
                 "  return %y : tensor<4x8xf32>\n}\n";
  auto compilation = session.compile(request);
  REQUIRE(compilation);
  CHECK_FALSE(compilation->complete());
  REQUIRE_FALSE(compilation->stages().diagnostics.empty());
  CHECK(compilation->stages().diagnostics.back().code == "TW0404");
  CHECK(compilation->stages().diagnostics.back().message.find("f32") !=
        std::string::npos);
}
