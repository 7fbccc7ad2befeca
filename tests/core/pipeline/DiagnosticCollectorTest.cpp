//===- DiagnosticCollectorTest.cpp ----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pipeline/DiagnosticCollector.h"
#include "core/dialect/Key.h"
#include <catch2/catch.hpp>

using namespace mlir;
using namespace tilewright;

TEST_CASE("diagnostics keep code, key, range and what to do") {
  MLIRContext context;
  DiagnosticCollector collector(
      &context, "file:///a.mlir", "TW0310", [](llvm::StringRef key) {
        return key == "f/x" ? model::TextRange{10, 20} : model::TextRange{};
      });
  Location loc = withKey(UnknownLoc::get(&context), "f/x");
  {
    InFlightDiagnostic diagnostic = emitError(loc) << "needs 213 KiB [TW0321]";
    diagnostic.attachNote(loc) << "help: use n = 128";
  }
  emitWarning(UnknownLoc::get(&context)) << "something upstream says";
  CHECK(collector.sawError());
  auto found = collector.take();
  REQUIRE(found.size() == 2);
  CHECK(found[0].code == "TW0321");
  CHECK(found[0].message == "needs 213 KiB");
  CHECK(found[0].hint == "use n = 128");
  CHECK(found[0].key == "f/x");
  CHECK(found[0].range == model::TextRange{10, 20});
  CHECK(found[0].uri == "file:///a.mlir");
  CHECK(found[1].code == "TW0310");
  CHECK(found[1].severity == model::Severity::Warning);
  CHECK(found[1].key.empty());
}

TEST_CASE("a message of any size is cut") {
  MLIRContext context;
  DiagnosticCollector collector(&context, "u", "TW0310", nullptr);
  emitError(UnknownLoc::get(&context)) << std::string(100000, 'x');
  auto found = collector.take();
  REQUIRE(found.size() == 1);
  CHECK(found[0].message.size() < 5000);
}
