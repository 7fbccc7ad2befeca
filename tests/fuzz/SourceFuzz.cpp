//===- SourceFuzz.cpp - nearly right texts against the frontend -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// source_fuzz [--seconds N] [--seed N] [--out DIR] FILE-OR-FOLDER...
// source_fuzz --replay FILE
//
// Changes the given texts and reads them as the engine would, in child
// processes. A child that dies, or takes more than ten seconds of the processor
// or two minutes over one text, is a find: the text is written to DIR. Exit
// code 1 if there was any.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/Dialects.h"
#include "core/frontend/SourceDocument.h"
#include "core/inspect/NamedPrinter.h"
#include "mlir/IR/MLIRContext.h"
#include "tests/fuzz/Mutator.h"
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <time.h>
#include <unistd.h>

using namespace tilewright;
using Clock = std::chrono::steady_clock;

namespace {

constexpr size_t maxText = 1 << 20;
constexpr int textsPerChild = 3000;

/// Processor time a child has used, which a busy or halted machine does not
/// lengthen.
std::chrono::nanoseconds processorTime(pid_t pid) {
  clockid_t clock;
  timespec time = {};
  if (::clock_getcpuclockid(pid, &clock) == 0)
    ::clock_gettime(clock, &time);
  return std::chrono::seconds(time.tv_sec) +
         std::chrono::nanoseconds(time.tv_nsec);
}

/// What a child tells its parent, in memory they share.
struct Shared {
  volatile int64_t done = 0;
  volatile int64_t parsed = 0;
  volatile int64_t valid = 0;
  volatile int64_t size = 0;
  char text[maxText];
};

/// Texts with the control flow that has brought the parser down before.
const char *const builtinSeeds[] = {
    R"(#map = affine_map<(d0) -> (d0)>
!t = tensor<4xf32>
func.func @f(%x: !t, %n: index, %c: i1) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %loop:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z, %o = %z) -> (f32, f32) {
    %e = tensor.extract %x[%i] : !t
    %s = arith.addf %acc, %e : f32
    scf.yield %s, %o : f32, f32
  }
  %if = scf.if %c -> f32 {
    scf.yield %loop#0 : f32
  } else {
    scf.yield %loop#1 : f32
  }
  %w = scf.while (%p = %c0) : (index) -> index {
    %k = arith.cmpi slt, %p, %n : index
    scf.condition(%k) %p : index
  } do {
  ^bb0(%y: index):
    %q = arith.addi %y, %c1 : index
    scf.yield %q : index
  }
  %r = affine.for %j = 0 to 10 iter_args(%v = %if) -> f32 {
    %u = arith.mulf %v, %z : f32
    affine.yield %u : f32
  }
  return %r : f32
}
)",
    R"(module @m attributes {llvm.data_layout = ""} {
  func.func private @g(tensor<8x8xf32>) -> (f32, f32)
  func.func @h(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %p:2 = func.call @g(%a) : (tensor<8x8xf32>) -> (f32, f32)
    %init = tensor.empty() : tensor<8x8xf32>
    %zero = linalg.fill ins(%p#0 : f32) outs(%init : tensor<8x8xf32>) -> tensor<8x8xf32>
    %mm = linalg.matmul ins(%a, %a : tensor<8x8xf32>, tensor<8x8xf32>) outs(%zero : tensor<8x8xf32>) -> tensor<8x8xf32>
    %y = scf.forall (%i) = (0) to (8) step (4) shared_outs(%o = %init) -> (tensor<8x8xf32>) {
      %part = tensor.extract_slice %mm[%i, 0] [4, 8] [1, 1] : tensor<8x8xf32> to tensor<4x8xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %part into %o[%i, 0] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<8x8xf32>
      }
    }
    return %y : tensor<8x8xf32>
  }
}
)",
    R"(func.func @cfg(%c: i1, %x: f32) -> f32 {
  cf.cond_br %c, ^bb1(%x : f32), ^bb2
^bb1(%p: f32):
  cf.br ^bb3(%p : f32)
^bb2:
  %s = "arith.mulf"(%x, %x) : (f32, f32) -> f32
  cf.br ^bb3(%s : f32)
^bb3(%r: f32):
  %d = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  return %r : f32
}
)"};

void collectSeeds(const std::filesystem::path &path,
                  std::vector<std::string> &seeds) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    for (const auto &entry :
         std::filesystem::recursive_directory_iterator(path, error))
      if (entry.path().extension() == ".mlir")
        collectSeeds(entry.path(), seeds);
    return;
  }
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (file && text.str().size() < maxText / 4)
    seeds.push_back(text.str());
}

/// As an editor would: the text, a change of it, every question.
void readAll(mlir::MLIRContext &context, const std::string &text,
             Shared &shared) {
  auto source =
      frontend::readSource(context, "fuzz.mlir", 1, text, nullptr, nullptr);
  for (size_t at = 0; at < text.size(); at += 1 + text.size() / 7) {
    source->hover(int64_t(at));
    source->definition(int64_t(at));
    source->keyAt(int64_t(at));
  }
  source->symbols();
  frontend::SourceModule module =
      frontend::buildModule(*source, context, nullptr);
  shared.parsed = shared.parsed + 1;
  if (module.module) {
    shared.valid = shared.valid + 1;
    inspect::printNamed(*module.module);
  }
}

[[noreturn]] void child(const std::vector<std::string> &seeds, uint64_t seed,
                        Clock::time_point end, Shared &shared) {
  // Reading is what is tested; what the children print is of no interest.
  std::freopen("/dev/null", "w", stderr);
  fuzz::Mutator mutator(seeds, seed);
  auto context = makeContext();
  for (int i = 0; i < textsPerChild && Clock::now() < end; ++i) {
    std::string text = mutator.next();
    if (text.size() >= maxText)
      continue;
    std::memcpy(shared.text, text.data(), text.size());
    shared.size = int64_t(text.size());
    readAll(*context, text, shared);
    shared.done = shared.done + 1;
  }
  ::_exit(0);
}

} // namespace

int main(int argc, char **argv) {
  double seconds = 20;
  uint64_t seed = 1;
  std::string out = "found";
  std::vector<std::string> seeds(std::begin(builtinSeeds),
                                 std::end(builtinSeeds));
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    bool hasValue = i + 1 < argc;
    if (argument == "--seconds" && hasValue)
      seconds = std::atof(argv[++i]);
    else if (argument == "--seed" && hasValue)
      seed = std::strtoull(argv[++i], nullptr, 10);
    else if (argument == "--out" && hasValue)
      out = argv[++i];
    else if (argument == "--replay" && hasValue) {
      // In this process, for a debugger.
      std::vector<std::string> texts;
      collectSeeds(argv[++i], texts);
      auto shared = std::make_unique<Shared>();
      auto context = makeContext();
      for (const std::string &text : texts)
        readAll(*context, text, *shared);
      return 0;
    } else if (argument.rfind("--", 0) == 0) {
      std::fprintf(stderr,
                   "usage: source_fuzz [--seconds N] [--seed N] [--out DIR] "
                   "FILE-OR-FOLDER...\n       source_fuzz --replay FILE\n");
      return 2;
    } else
      collectSeeds(argument, seeds);
  }
  auto *shared = static_cast<Shared *>(
      ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  if (shared == MAP_FAILED) {
    std::perror("mmap");
    return 2;
  }
  auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                std::chrono::duration<double>(seconds));
  int finds = 0;
  int64_t total = 0;
  for (uint64_t round = 0; Clock::now() < end && finds < 50; ++round) {
    shared->done = 0;
    pid_t pid = ::fork();
    if (pid < 0) {
      std::perror("fork");
      return 2;
    }
    if (pid == 0)
      child(seeds, seed * 1000003 + round, end, *shared);
    int64_t last = -1;
    auto lastChange = Clock::now();
    std::chrono::nanoseconds lastUsed(0);
    int status = 0;
    bool hung = false;
    while (::waitpid(pid, &status, WNOHANG) == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      if (shared->done != last) {
        last = shared->done;
        lastChange = Clock::now();
        lastUsed = processorTime(pid);
      } else if (processorTime(pid) - lastUsed > std::chrono::seconds(10) ||
                 Clock::now() - lastChange > std::chrono::minutes(2)) {
        hung = true;
        ::kill(pid, SIGKILL);
        ::waitpid(pid, &status, 0);
        break;
      }
    }
    total += shared->done;
    if (!hung && WIFEXITED(status) && WEXITSTATUS(status) == 0)
      continue;
    ++finds;
    std::filesystem::create_directories(out);
    std::string path = out + "/" + std::to_string(seed) + "-" +
                       std::to_string(round) + ".mlir";
    std::ofstream(path, std::ios::binary)
        .write(shared->text, std::streamsize(shared->size));
    std::fprintf(
        stderr, "%s: %s\n",
        hung ? "hung"
             : (WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "exited"),
        path.c_str());
  }
  std::printf("%lld texts read, %lld of them valid, %d finds\n",
              static_cast<long long>(total),
              static_cast<long long>(shared->valid), finds);
  return finds ? 1 : 0;
}
