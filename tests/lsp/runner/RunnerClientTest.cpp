//===- RunnerClientTest.cpp - programs run in a child that may die --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/engine/RunnerClient.h"
#include "BlockHarness.h"
#include "MatmulText.h"
#include "core/execute/NumpyFile.h"
#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <signal.h>
#include <thread>

using namespace tilewright;
using namespace tilewright::test;

namespace {

/// A folder of its own, removed at the end.
struct Folder {
  std::filesystem::path path;
  Folder() {
    std::string name =
        (std::filesystem::temp_directory_path() / "tilewright-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()));
    path = name;
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string operator/(const char *name) const {
    return (path / name).string();
  }
};

void save(const Tensor &tensor, const std::string &path) {
  model::Diagnostic error;
  auto host = execute::HostTensor::make(tensor.element, tensor.shape, error);
  REQUIRE(host);
  std::memcpy(host->data(), tensor.bytes.data(), tensor.bytes.size());
  REQUIRE(execute::writeNumpy(*host, path, error));
}

engine::RunnerJob matmulJob(const Folder &folder, int64_t size, int repeats) {
  PackedMatmul text{size, size, size, Element::F32, 48, 64, 32, 4, 8};
  execute::CompiledProgram program = compile(text.str(), execute::hostCpu());
  REQUIRE_FALSE(program.write(folder / "program"));
  std::mt19937 rng(13);
  save(Tensor::random(Element::F32, {size, size}, rng), folder / "a.npy");
  save(Tensor::random(Element::F32, {size, size}, rng), folder / "b.npy");
  engine::RunnerJob job;
  job.what = "matmul of test.mlir";
  job.program = folder / "program";
  job.inputs = {folder / "a.npy", folder / "b.npy"};
  job.outputs = {folder / "c.npy"};
  job.threads = 2;
  job.repeats = repeats;
  return job;
}

std::string
codeOf(const std::variant<engine::RunnerOutcome, model::Diagnostic> &result) {
  auto *diagnostic = std::get_if<model::Diagnostic>(&result);
  return diagnostic ? diagnostic->code : "";
}

} // namespace

TEST_CASE("a program runs in a child and its results come back") {
  Folder folder;
  engine::RunnerJob job = matmulJob(folder, 100, 3);
  job.trace = folder / "trace.json";
  engine::RunnerClient runner(RUNNER);
  auto result = runner.run(job, lsp::CancelToken());
  if (auto *diagnostic = std::get_if<model::Diagnostic>(&result))
    FAIL(diagnostic->code << ": " << diagnostic->message);
  auto &outcome = std::get<engine::RunnerOutcome>(result);
  CHECK(outcome.milliseconds.size() == 3);
  CHECK(outcome.threads == 2);
  CHECK(outcome.tasks == 6);
  model::Diagnostic error;
  auto c = execute::readNumpy(job.outputs[0], error);
  REQUIRE(c);
  auto a = execute::readNumpy(job.inputs[0], error);
  auto b = execute::readNumpy(job.inputs[1], error);
  double sum = 0;
  for (int64_t k = 0; k < 100; ++k)
    sum += a->at(7 * 100 + k) * b->at(k * 100 + 93);
  CHECK(c->at(7 * 100 + 93) == Approx(sum).epsilon(1e-4));
  std::ifstream trace(job.trace);
  auto json = nlohmann::json::parse(trace);
  CHECK(json.at("schema") == "tilewright/trace");
  CHECK(json.at("events").size() == 6);
  auto peak = runner.peakGflops(1);
  REQUIRE(std::holds_alternative<double>(peak));
  CHECK(std::get<double>(peak) > 0.1);
}

TEST_CASE("a killed runner costs one run, which names the input") {
  Folder folder;
  engine::RunnerJob job = matmulJob(folder, 300, 1000000);
  engine::RunnerClient runner(RUNNER);
  std::thread killer([&] {
    while (runner.pid() < 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    ::kill(runner.pid(), SIGKILL);
  });
  auto result = runner.run(job, lsp::CancelToken());
  killer.join();
  REQUIRE(codeOf(result) == "TW0620");
  auto message = std::get<model::Diagnostic>(result).message;
  CHECK(message.find("matmul of test.mlir") != std::string::npos);
  CHECK(message.find("Killed") != std::string::npos);
  job.repeats = 1;
  CHECK(codeOf(runner.run(job, lsp::CancelToken())) == "");
}

TEST_CASE("a run is cancelled, and bad input is an error of that run only") {
  Folder folder;
  engine::RunnerJob job = matmulJob(folder, 300, 1000000);
  engine::RunnerClient runner(RUNNER);
  lsp::CancelToken cancel;
  std::thread canceller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    cancel.cancel();
  });
  CHECK(codeOf(runner.run(job, cancel)) == "TW0621");
  canceller.join();
  job.repeats = 1;
  engine::RunnerJob bad = job;
  bad.inputs.pop_back();
  CHECK(codeOf(runner.run(bad, lsp::CancelToken())) == "TW0524");
  bad = job;
  bad.inputs[0] = folder / "missing.npy";
  CHECK(codeOf(runner.run(bad, lsp::CancelToken())) == "TW0512");
  bad = job;
  std::ofstream(folder / "cut") << "TWPROG01 and no more";
  bad.program = folder / "cut";
  CHECK(codeOf(runner.run(bad, lsp::CancelToken())) == "TW0530");
  CHECK(codeOf(runner.run(job, lsp::CancelToken())) == "");
  engine::RunnerClient absent("/nonexistent/runner");
  CHECK(codeOf(absent.run(job, lsp::CancelToken())) != "");
}
