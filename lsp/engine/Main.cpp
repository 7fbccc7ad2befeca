//===- Main.cpp - tilewright-engine ---------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The process that runs MLIR for a front. Speaks lsp/protocol over standard
// input and output. It may be killed at any time; the front starts another.
//
//===----------------------------------------------------------------------===//
#include "core/target/TargetRegistry.h"
#include "lsp/client/Locate.h"
#include "lsp/engine/CompileService.h"
#include "lsp/engine/DecisionMethods.h"
#include "lsp/engine/DocumentMethods.h"
#include "lsp/engine/FeatureMethods.h"
#include "lsp/engine/OverrideMethods.h"
#include "lsp/engine/RenameMethod.h"
#include "lsp/engine/RunService.h"
#include "lsp/engine/Runner.h"
#include "lsp/engine/VerifyService.h"
#include "lsp/protocol/Connection.h"
#include "lsp/protocol/KeptMemory.h"
#include "lsp/protocol/Methods.h"
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

using namespace tilewright;

namespace {

/// The parser, verifier and printer recurse. What the source limits let through
/// fits 8 MiB; sanitizers and dialects of plugins need more. Touched lazily.
constexpr size_t workerStackBytes = size_t(64) << 20;

/// Where messages go. Whatever prints to standard output by accident must not
/// end up among them.
int messageOutput() {
  int out = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  if (out < 0 || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
    std::fprintf(stderr, "tilewright-engine: no standard output\n");
    ::_exit(2);
  }
  return out;
}

/// A large text and what is made of it while it is read again.
constexpr size_t keptBytes = size_t(256) << 20;

int serve() {
  int out = messageOutput();
  lsp::KeptMemory kept(keptBytes);
  lsp::Connection::Options options;
  // Those that wait for a text to be read must not keep out the others.
  options.workers = 16;
  options.workerStack = workerStackBytes;
  engine::EngineDocuments documents;
  lsp::Connection connection(
      std::make_unique<lsp::FdStream>(STDIN_FILENO, out, /*owned=*/false),
      options);
  connection.onRequest(lsp::method::initialize,
                       [](lsp::IncomingRequest &) -> lsp::Json {
                         return {{"schema", "tilewright/initialize"},
                                 {"version", 1},
                                 {"documentVersion", 0},
                                 {"generation", 0},
                                 {"engineVersion", TILEWRIGHT_VERSION},
                                 {"pid", int64_t(::getpid())}};
                       });
  std::vector<model::Diagnostic> problems;
  std::shared_ptr<target::TargetRegistry> targets =
      target::TargetRegistry::standard(problems);
  for (const model::Diagnostic &problem : problems)
    std::fprintf(stderr, "tilewright-engine: %s: %s [%s]\n",
                 problem.uri.c_str(), problem.message.c_str(),
                 problem.code.c_str());
  engine::CompileService compiler(targets, documents);
  engine::registerDocumentMethods(
      connection, documents,
      [&](lsp::IncomingRequest &request, const std::string &uri,
          const std::string &target, const std::string &stage) {
        return engine::printedStage(compiler, request, uri, target, stage);
      });
  engine::registerFeatureMethods(connection, documents);
  engine::registerCompileMethods(connection, compiler);
  engine::registerDecisionMethods(connection, compiler);
  engine::registerOverrideMethod(connection, compiler);
  engine::registerRenameMethod(connection, documents);
  engine::RunService runs(compiler, lsp::locateEngine());
  engine::ExperimentService experiments(documents);
  engine::registerRunMethods(connection, runs, compiler, experiments);
  engine::registerExperimentMethods(connection);
  engine::registerEstimateMethod(connection, compiler, experiments);
  engine::VerifyService verifications(compiler, lsp::locateEngine());
  engine::registerVerifyMethod(connection, verifications);
  connection.onNotification(lsp::method::exit,
                            [](const lsp::Json &) { ::_exit(0); });
  connection.run();
  // Work under way is for nobody any more.
  ::_exit(0);
}

} // namespace

int main(int argc, char **argv) {
  // Who reads what we write may go: an error when writing, no end of ours.
  std::signal(SIGPIPE, SIG_IGN);
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--version") == 0) {
      std::printf("tilewright-engine %s\n", TILEWRIGHT_VERSION);
      return 0;
    }
    if (std::strcmp(argv[i], "--help") == 0) {
      std::printf(
          "usage: tilewright-engine [--runner]\n\nReads requests from standard "
          "input and answers on standard output. Started by\n"
          "tilewright, tilewright-lsp and tilewright-studio; see "
          "docs/protocol.md.\n");
      return 0;
    }
    if (std::strcmp(argv[i], "--runner") == 0)
      engine::serveRunner(STDIN_FILENO, messageOutput());
    std::fprintf(stderr, "tilewright-engine: unknown argument '%s'\n", argv[i]);
    return 2;
  }
  return serve();
}
