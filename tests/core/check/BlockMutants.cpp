//===- BlockMutants.cpp - how surely faults of kernels are found ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// block_mutants [--seconds N] [--seed N] [--schedules N] [FILE.mlir ...]
//
// Compiles each file (or a few operators of its own) for ascend-a3, changes one
// thing about one of its kernels, drawn at random, and asks the checker, the
// interpreter and, where the kernel is small enough, every order there is.
// Prints one JSON object a kernel and one for all; exit code 1 if a mutant was
// judged wrongly by checker or, on kernels of at most 12 instructions, by the
// interpreter.
//
//===----------------------------------------------------------------------===//
#include "tests/core/check/Mutants.h"
#include "tests/core/pass/PassPipeline.h"
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#include <chrono>
#include <cstring>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

using namespace mlir;
using namespace tilewright;

namespace {

struct Tally {
  size_t instructions = 0, mutants = 0, known = 0, wrong = 0;
  size_t checkerMissed = 0, checkerFalse = 0;
  size_t interpreterMissed = 0, interpreterFalse = 0;
  size_t undecided = 0; ///< truth unknown, checker and interpreter differ

  void add(const Tally &other) {
    mutants += other.mutants;
    known += other.known;
    wrong += other.wrong;
    checkerMissed += other.checkerMissed;
    checkerFalse += other.checkerFalse;
    interpreterMissed += other.interpreterMissed;
    interpreterFalse += other.interpreterFalse;
    undecided += other.undecided;
  }
  nlohmann::json json() const {
    return {{"instructions", instructions},
            {"mutants", mutants},
            {"truthKnown", known},
            {"wrong", wrong},
            {"checkerMissed", checkerMissed},
            {"checkerFalse", checkerFalse},
            {"interpreterMissed", interpreterMissed},
            {"interpreterFalse", interpreterFalse},
            {"undecided", undecided}};
  }
};

std::string readAll(const char *path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

double seconds = 60;
uint64_t seed = 1;
int schedules = 32;
std::vector<std::string> sources;

} // namespace

TEST_CASE("mutants") {
  if (sources.empty())
    sources = test::mutantSources();
  auto target = test::targetNamed("ascend-a3");
  std::mt19937_64 random(seed);
  auto end =
      std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  auto left = [&] { return std::chrono::steady_clock::now() < end; };

  // Which mutants there are, by kernel; then some of each in turn.
  struct Subject {
    std::shared_ptr<MLIRContext> context;
    OwningOpRef<ModuleOp> module;
    std::string kernel;
    std::vector<size_t> order; ///< of mutants, shuffled
    size_t next = 0;
    Tally tally;
  };
  std::vector<Subject> subjects;
  for (const std::string &source : sources) {
    std::shared_ptr<MLIRContext> context = test::makeContext();
    OwningOpRef<ModuleOp> module = test::parse(*context, source);
    if (test::runPasses(*module, target, [](llvm::StringRef) {}) != "")
      continue;
    std::vector<std::string> names;
    for (auto kernel : module->getOps<block::KernelOp>())
      names.push_back(kernel.getSymName().str());
    for (const std::string &name : names) {
      Subject subject;
      subject.context = context;
      subject.module = cast<ModuleOp>((*module)->clone());
      test::keepOnly(*subject.module, name);
      subject.kernel = name;
      size_t count = 0;
      test::forEachMutant(*subject.module, name,
                          [&](const std::string &, ModuleOp) {
                            ++count;
                            return true;
                          });
      for (size_t i = 0; i < count; ++i)
        subject.order.push_back(i);
      std::ranges::shuffle(subject.order, random);
      subjects.push_back(std::move(subject));
    }
  }

  bool failed = false;
  auto assess = [&](Tally &tally, const std::string &kernel,
                    const std::string &what, ModuleOp mutant) {
    test::Verdicts verdicts = test::judge(mutant, *target, schedules, 20000);
    tally.instructions = std::max(tally.instructions, verdicts.instructions);
    ++tally.mutants;
    bool checker = !verdicts.checker.empty(),
         interpreter = !verdicts.interpreter.empty(),
         truth = !verdicts.truth.empty();
    bool bad = false;
    if (verdicts.known) {
      ++tally.known;
      tally.wrong += truth;
      tally.checkerMissed += truth && !checker;
      tally.checkerFalse += !truth && checker;
      tally.interpreterMissed += truth && !interpreter;
      tally.interpreterFalse += !truth && interpreter;
      bad = truth != checker || (!truth && interpreter) ||
            (truth != interpreter && verdicts.instructions <= 12);
    } else {
      tally.undecided += checker != interpreter;
    }
    if (bad) {
      failed = true;
      std::cout << nlohmann::json{{"kernel", kernel},
                                  {"mutant", what},
                                  {"truth", verdicts.truth},
                                  {"checker", verdicts.checker},
                                  {"interpreter", verdicts.interpreter}}
                       .dump()
                << std::endl;
    }
  };
  for (bool any = true; any && left();) {
    any = false;
    for (Subject &subject : subjects) {
      // A handful at a time: making one means walking over those before it.
      std::set<size_t> chosen;
      while (chosen.size() < 4 && subject.next < subject.order.size())
        chosen.insert(subject.order[subject.next++]);
      size_t number = 0;
      if (chosen.empty() || !left())
        continue;
      any = true;
      test::forEachMutant(
          *subject.module, subject.kernel,
          [&](const std::string &what, ModuleOp mutant) {
            if (!chosen.contains(number++))
              return left();
            assess(subject.tally, subject.kernel, what, mutant);
            // One in three gets a second fault.
            size_t second = random() % 3 ? 0 : random() % 64 + 1;
            if (second)
              test::forEachMutant(mutant, subject.kernel,
                                  [&](const std::string &more, ModuleOp both) {
                                    if (--second)
                                      return true;
                                    assess(subject.tally, subject.kernel,
                                           what + "; " + more, both);
                                    return false;
                                  });
            return left();
          });
    }
  }

  Tally all;
  for (const Subject &subject : subjects) {
    nlohmann::json json = subject.tally.json();
    json["kernel"] = subject.kernel;
    std::cout << json.dump() << "\n";
    all.add(subject.tally);
  }
  nlohmann::json json = all.json();
  json.erase("instructions");
  json["kernels"] = subjects.size();
  json["schedules"] = schedules;
  json["seed"] = seed;
  std::cout << json.dump() << std::endl;
  CHECK(!failed);
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; ++i) {
    auto number = [&] { return i + 1 < argc ? std::atof(argv[++i]) : 0; };
    if (!std::strcmp(argv[i], "--seconds"))
      seconds = number();
    else if (!std::strcmp(argv[i], "--seed"))
      seed = uint64_t(number());
    else if (!std::strcmp(argv[i], "--schedules"))
      schedules = int(number());
    else
      sources.push_back(readAll(argv[i]));
  }
  // The helpers that compile belong to tests; standard output is the answer's.
  Catch::Session session;
  session.configData().outputFilename = "/dev/stderr";
  return session.run();
}
