//===- Runner.cpp - the process that runs compiled code -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/engine/Runner.h"
#include "core/execute/NumpyFile.h"
#include "core/execute/ProgramRun.h"
#include "core/target/CpuProbes.h"
#include "lsp/engine/VerifyJob.h"
#include "lsp/protocol/Connection.h"
#include "lsp/protocol/Params.h"
#include <cstring>
#include <fstream>
#include <mutex>
#include <thread>
#include <unistd.h>

namespace tilewright::engine {
namespace {

using lsp::Json;

[[noreturn]] void fail(model::Diagnostic diagnostic) {
  throw lsp::RequestError(lsp::ResponseError::of(std::move(diagnostic)));
}

[[noreturn]] void fail(std::string code, std::string message) {
  model::Diagnostic diagnostic;
  diagnostic.code = std::move(code);
  diagnostic.message = std::move(message);
  fail(std::move(diagnostic));
}

/// One request at a time: a run wants all cores.
class RunnerState {
public:
  Json load(const Json &params) {
    std::lock_guard lock(mutex);
    run.reset();
    auto read =
        execute::CompiledProgram::read(params.at("program").get<std::string>());
    if (auto *diagnostic = std::get_if<model::Diagnostic>(&read))
      fail(std::move(*diagnostic));
    auto loaded = execute::ProgramRun::load(
        std::move(std::get<execute::CompiledProgram>(read)));
    if (auto *diagnostic = std::get_if<model::Diagnostic>(&loaded))
      fail(std::move(*diagnostic));
    run.emplace(std::move(std::get<execute::ProgramRun>(loaded)));
    Json inputs = Json::array(), results = Json::array();
    for (const execute::ProgramBuffer &buffer : run->program().buffers) {
      Json type = {{"dtype", buffer.dtype}, {"shape", buffer.shape}};
      if (buffer.kind == execute::ProgramBuffer::Kind::Argument)
        inputs.push_back(std::move(type));
      else if (buffer.kind == execute::ProgramBuffer::Kind::Result)
        results.push_back(std::move(type));
    }
    return {{"tasks", run->program().tasks()},
            {"inputs", std::move(inputs)},
            {"results", std::move(results)}};
  }

  Json execute(lsp::IncomingRequest &request) {
    std::lock_guard lock(mutex);
    if (!run)
      fail("TW0522", "no program is loaded");
    const Json &params = request.params();
    readInputs(params.value("inputs", std::vector<std::string>()));
    std::string trace = params.value("trace", std::string());
    execute::ProgramRun::Result result = run->run(
        params.value("threads", 0), params.value("repeats", 1), !trace.empty(),
        [cancel = request.cancel()] { return cancel.cancelled(); });
    request.throwIfCancelled();
    writeOutputs(params.value("outputs", std::vector<std::string>()));
    if (!trace.empty()) {
      std::ofstream out(trace, std::ios::binary);
      out << Json(result.trace);
      out.close();
      if (!out)
        fail("TW0523",
             trace + ": the trace cannot be written: " + std::strerror(errno));
    }
    return {{"milliseconds", result.milliseconds},
            {"threads", result.threads},
            {"tasks", run->program().tasks()}};
  }

  Json verify(lsp::IncomingRequest &request) {
    std::lock_guard lock(mutex);
    return runVerifyJob(request.params().get<VerifyJob>(), request);
  }

  Json peak(const Json &params) {
    std::lock_guard lock(mutex);
    int threads = params.value("threads", 0);
    if (threads <= 0)
      threads = int(std::thread::hardware_concurrency());
    return {{"gflops", target::measurePeakFlops(threads) * 1e-9}};
  }

private:
  std::mutex mutex;
  std::optional<execute::ProgramRun> run;

  void readInputs(const std::vector<std::string> &paths) {
    size_t given = 0;
    for (size_t i = 0; i < run->program().buffers.size(); ++i) {
      const execute::ProgramBuffer &buffer = run->program().buffers[i];
      if (buffer.kind != execute::ProgramBuffer::Kind::Argument)
        continue;
      if (given == paths.size())
        fail("TW0524", "the program takes more inputs than the " +
                           std::to_string(paths.size()) + " given");
      model::Diagnostic error;
      auto tensor = execute::readNumpyAs(paths[given++],
                                         *execute::elementNamed(buffer.dtype),
                                         buffer.shape, error);
      if (!tensor)
        fail(std::move(error));
      std::memcpy(run->data(i), tensor->data(), size_t(tensor->byteSize()));
    }
    if (given != paths.size())
      fail("TW0524", "the program takes " + std::to_string(given) +
                         " inputs; " + std::to_string(paths.size()) +
                         " were given");
  }

  void writeOutputs(const std::vector<std::string> &paths) {
    size_t given = 0;
    for (size_t i = 0; i < run->program().buffers.size(); ++i) {
      const execute::ProgramBuffer &buffer = run->program().buffers[i];
      if (buffer.kind != execute::ProgramBuffer::Kind::Result ||
          given == paths.size())
        continue;
      model::Diagnostic error;
      if (!execute::writeNumpy(*execute::elementNamed(buffer.dtype),
                               buffer.shape,
                               {static_cast<const std::byte *>(run->data(i)),
                                size_t(buffer.bytes)},
                               paths[given++], error))
        fail(std::move(error));
    }
  }
};

/// Answers what the standard library or JSON throws with an error, so that bad
/// parameters cost one request.
template <typename Work> Json guarded(Work work) {
  try {
    return work();
  } catch (const lsp::RequestError &) {
    throw;
  } catch (const Json::exception &error) {
    throw lsp::RequestError(lsp::ErrorCode::InvalidParams,
                            lsp::describe(error));
  } catch (const std::exception &error) {
    fail("TW0525", std::string("the run failed: ") + error.what());
  }
}

} // namespace

void serveRunner(int in, int out) {
  lsp::Connection::Options options;
  options.workers = 1;
  RunnerState state;
  lsp::Connection connection(
      std::make_unique<lsp::FdStream>(in, out, /*owned=*/false), options);
  connection.onRequest("runner/load", [&](lsp::IncomingRequest &request) {
    return guarded([&] { return state.load(request.params()); });
  });
  connection.onRequest("runner/run", [&](lsp::IncomingRequest &request) {
    return guarded([&] { return state.execute(request); });
  });
  connection.onRequest("runner/verify", [&](lsp::IncomingRequest &request) {
    return guarded([&] { return state.verify(request); });
  });
  connection.onRequest("runner/peak", [&](lsp::IncomingRequest &request) {
    return guarded([&] { return state.peak(request.params()); });
  });
  connection.run();
  // Whatever still runs is for nobody, and may never end.
  ::_exit(0);
}

} // namespace tilewright::engine
