//===- main.cpp - the C++ API in one page ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// usage: example FILE [TARGET]
// Compiles an operator in this process and prints what each pass did, the
// kernels it became, and the decisions taken.
//
//===----------------------------------------------------------------------===//
#include "core/pipeline/Session.h"
#include "core/target/TargetRegistry.h"
#include <fstream>
#include <iostream>
#include <sstream>

using namespace tilewright;

static void print(const model::Diagnostic &diagnostic) {
  std::cerr << diagnostic.code << " " << diagnostic.message << '\n';
  if (!diagnostic.hint.empty())
    std::cerr << "  " << diagnostic.hint << '\n';
}

int main(int argc, char **argv) {
  if (argc < 2) {
    std::cerr << "usage: example FILE [TARGET]\n";
    return 2;
  }
  std::ifstream file(argv[1]);
  std::stringstream text;
  text << file.rdbuf();

  // The machines that are known: ours, and those of this user.
  std::vector<model::Diagnostic> problems;
  std::shared_ptr<target::TargetRegistry> targets =
      target::TargetRegistry::standard(problems);
  for (const model::Diagnostic &problem : problems)
    print(problem);

  // A session keeps what it compiled, by content. Its results are values that
  // outlive it and may be read from any thread.
  Session session(targets);
  CompileRequest request;
  request.uri = std::string("file://") + argv[1];
  request.text = text.str();
  request.target = argc > 2 ? argv[2] : "cpu-generic";
  std::shared_ptr<const Compilation> result = session.compile(request);

  for (const model::Diagnostic &diagnostic : result->stages().diagnostics)
    print(diagnostic);
  for (const model::PassRecord &pass : result->stages().passes)
    std::cout << pass.name() << (pass.changed ? ": changed, " : ": unchanged, ")
              << pass.operations << " operations, " << pass.milliseconds
              << " ms (measured)\n";
  for (const model::Decision &decision : result->decisions())
    std::cout << decision.key << ": " << decision.kind << " "
              << decision.value.dump() << ", " << decision.reason << '\n';
  if (auto graph = result->graph("block"))
    for (const model::Node &node : graph->nodes)
      if (node.kind == model::NodeKind::Kernel)
        std::cout << "kernel " << node.label << '\n';
  return result->complete() ? 0 : 1;
}
