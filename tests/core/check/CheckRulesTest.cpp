//===- CheckRulesTest.cpp - each fault of a kernel is found ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/check/CheckBlock.h"
#include "mlir/Parser/Parser.h"
#include "tests/core/check/KernelSource.h"
#include "tests/core/pass/PassPipeline.h"
#include <catch2/catch.hpp>

using namespace mlir;
using namespace tilewright;

namespace {

std::vector<model::Diagnostic> findingsOf(const std::string &body) {
  auto context = test::makeContext();
  std::string source = test::kernelSource(body);
  INFO(source);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(source, &*context);
  REQUIRE(module);
  return check::checkBlock(*module, *test::targetNamed("ascend-a3"));
}

/// Codes of the findings, in order.
std::string codes(const std::string &body) {
  std::string out;
  for (const model::Diagnostic &finding : findingsOf(body))
    out += (out.empty() ? "" : " ") + finding.code;
  return out;
}

/// `body` of the right kernel named, without the line `line` (the `nth` of
/// them) or with `by` in its place.
std::string changed(const std::string &name, const std::string &line,
                    const std::string &by = "", int nth = 0) {
  for (auto &[candidate, body] : test::rightKernels()) {
    if (candidate != name)
      continue;
    std::string text = "\n" + body + "\n";
    size_t at = 0;
    for (int i = 0; i <= nth; ++i) {
      at = text.find("\n" + line + "\n", at + (i ? 1 : 0));
      REQUIRE(at != std::string::npos);
    }
    return text.replace(at + 1, line.size() + 1, by.empty() ? "" : by + "\n");
  }
  FAIL("no kernel " << name);
  return {};
}

} // namespace

TEST_CASE("right kernels have no findings") {
  for (auto &[name, body] : test::rightKernels()) {
    INFO(name);
    for (const model::Diagnostic &finding : findingsOf(body))
      CHECK(finding.code + finding.message == "");
  }
}

TEST_CASE("a scalar expands to one element, which is read and written") {
  // %q is element 2 of %a.
  std::string body = R"(alloc a 0 2x16
load a x 0
set MTE2 VEC 0
wait MTE2 VEC 0
%p = memref.subview %a[0, 2] [1, 1] [1, 1] : memref<2x16xf32, #block.level<"UB">> to memref<f32, strided<[], offset: 2>, #block.level<"UB">>
%q = memref.expand_shape %p [] output_shape [1, 1] : memref<f32, strided<[], offset: 2>, #block.level<"UB">> into memref<1x1xf32, strided<[1, 1], offset: 2>, #block.level<"UB">>
block.unary <exp> %q into %q on "VEC" : memref<1x1xf32, strided<[1, 1], offset: 2>, #block.level<"UB">> into memref<1x1xf32, strided<[1, 1], offset: 2>, #block.level<"UB">>
)";
  std::string wait = "set VEC MTE3 0\nwait VEC MTE3 0\n";
  CHECK(codes(body + wait + "store a y 0") == "");
  std::vector<model::Diagnostic> findings = findingsOf(body + "store a y 0");
  REQUIRE(findings.size() == 2); // of the load, and of the one element
  CHECK(findings[1].message ==
        "block.move on MTE3 reads bytes [8, 12) of UB and may do so before "
        "block.unary on VEC has written them (task [0] of @k)");
}

TEST_CASE("accesses that nothing orders are found and named") {
  std::string body = changed("straight", "set MTE2 VEC 0");
  body.replace(body.find("wait MTE2 VEC 0\n"), 16, "");
  std::vector<model::Diagnostic> findings = findingsOf(body);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].code == "TW0450");
  CHECK(findings[0].message ==
        "block.unary on VEC reads bytes [0, 512) of UB and may do so before "
        "block.move on MTE2 has written them (task [0] of @k)");
  REQUIRE(findings[0].related.size() == 2);
  CHECK(findings[0].related[0].message == "block.move on MTE2");
  CHECK(findings[0].related[1].message == "block.unary on VEC");
}

TEST_CASE("an overwrite that does not wait for the reader is found") {
  CHECK(codes(changed("one buffer twice", "set MTE3 MTE2 0", "") + "") ==
        "TW0453");
  std::string body = changed("one buffer twice", "set MTE3 MTE2 0");
  body.replace(body.find("wait MTE3 MTE2 0\n"), 17, "");
  CHECK(codes(body).find("TW0450") != std::string::npos);
}

TEST_CASE("waits without sets and sets without waits are found") {
  CHECK(codes(changed("straight", "set VEC MTE3 0")) == "TW0453");
  CHECK(codes(changed("straight", "wait VEC MTE3 0")) == "TW0455 TW0450");
  CHECK(codes(changed("double buffer", "set MTE3 MTE2 0")) ==
        "TW0456 TW0456 TW0456");
}

TEST_CASE("a branch that forgets its event is found") {
  CHECK(codes(changed("branch", "set MTE2 VEC 0")) == "TW0453");
}

TEST_CASE("an event set again too early is found") {
  CHECK(codes(changed("two buffers", "set MTE2 VEC 1", "set MTE2 VEC 0"))
            .find("TW0454") == 0);
}

TEST_CASE("pipes that wait for each other are found") {
  CHECK(codes("alloc a 0 8x16\nwait VEC MTE2 0\nload a x 0\nset MTE2 VEC 0\n"
              "wait MTE2 VEC 0\nexp a a\nset VEC MTE2 0\nset VEC MTE3 0\n"
              "wait VEC MTE3 0\nstore a y 0") == "TW0456 TW0456");
}

TEST_CASE("bytes nobody wrote are found") {
  std::vector<model::Diagnostic> findings =
      findingsOf(changed("straight", "load a x 0"));
  REQUIRE(findings.size() >= 1);
  CHECK(findings[0].code == "TW0451");
  CHECK(findings[0].message ==
        "block.unary on VEC reads bytes [0, 512) of UB, which nothing has "
        "written to that buffer (task [0] of @k)");
}

TEST_CASE("buffers in each other's way are found") {
  CHECK(codes(changed("two buffers", "alloc b 256 4x16", "alloc b 192 4x16"))
            .find("TW0452") != std::string::npos);
}

TEST_CASE("superfluous events are found") {
  CHECK(codes(changed("straight", "exp a b",
                      "set VEC MTE3 7\nwait VEC MTE3 7\nexp a b")) == "TW0457");
  CHECK(codes(changed("straight", "exp a b", "barrier\nexp a b"))
            .find("TW0457") == 0);
}

TEST_CASE("buffers beyond their level or misaligned are found") {
  CHECK(codes(changed("straight", "alloc b 512 8x16", "alloc b 196352 8x16")) ==
        "TW0433");
  CHECK(codes(changed("straight", "alloc b 512 8x16", "alloc b 520 8x16")) ==
        "TW0458");
}

TEST_CASE("event ids the target lacks are found") {
  auto with = [](const std::string &id) {
    return codes("alloc a 0 4x16\nload a x 0\nset MTE2 MTE3 " + id +
                 "\nwait MTE2 MTE3 " + id + "\nstore a y 0");
  };
  CHECK(with("7") == "");
  CHECK(with("8") == "TW0461 TW0461");
}

TEST_CASE("accesses outside a buffer are found") {
  CHECK(codes("alloc a 0 4x16\n%c6 = arith.constant 6 : index\nload a x %c6\n"
              "set MTE2 MTE3 0\nwait MTE2 MTE3 0\nstore a y 0") == "TW0459");
}

TEST_CASE("an instruction over its own source is found") {
  CHECK(codes("alloc a 0 4x16\nalloc b 128 16x4\nload a x 0\nset MTE2 VEC "
              "0\nwait MTE2 VEC 0\n"
              "block.transpose %a into %b permutation [1, 0] on \"VEC\" : "
              "memref<4x16xf32, #block.level<\"UB\">> into memref<16x4xf32, "
              "#block.level<\"UB\">>\nset VEC MTE3 0\nwait VEC MTE3 0\n"
              "store a y 0")
            .find("TW0460") != std::string::npos);
}

TEST_CASE("control that depends on loaded values is followed both ways") {
  const std::string load = "%c0 = arith.constant 0 : index\n"
                           "%f = memref.load %x[%c0, %c0] : memref<8x16xf32, "
                           "#block.level<\"GM\">>\n"
                           "%zero = arith.constant 0.0 : f32\n"
                           "%some = arith.cmpf ogt, %f, %zero : f32\n";
  const std::string head = "alloc a 0 8x16\n" + load + "load a x 0\n";
  CHECK(codes(head + "scf.if %some {\nset MTE2 VEC 0\nwait MTE2 VEC 0\n"
                     "exp a a\nset VEC MTE3 0\nwait VEC MTE3 0\n} else {\n"
                     "set MTE2 MTE3 0\nwait MTE2 MTE3 0\n}\nstore a y 0") ==
        "");
  CHECK(codes(head + "scf.if %some {\nset MTE2 VEC 0\nwait MTE2 VEC 0\n"
                     "exp a a\nset VEC MTE3 0\nwait VEC MTE3 0\n} else {\n"
                     "set MTE2 MTE3 0\n}\nstore a y 0")
            .find("TW0455") != std::string::npos);
}

TEST_CASE("long loops are checked by their first and last turns") {
  auto loop = [](const std::string &inner) {
    return "alloc a 0 2x16\nalloc b 128 2x16\n"
           "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n"
           "%n = arith.constant 1000001 : index\n"
           "set MTE3 MTE2 0\nset MTE3 MTE2 1\n"
           "scf.for %i = %c0 to %n step %c1 {\n" +
           inner + "}\nwait MTE3 MTE2 0\nwait MTE3 MTE2 1";
  };
  auto half = [](const std::string &buffer, const std::string &id) {
    return "wait MTE3 MTE2 " + id + "\nload " + buffer + " x 0\nset MTE2 VEC " +
           id + "\nwait MTE2 VEC " + id + "\nexp " + buffer + " " + buffer +
           "\nset VEC MTE3 " + id + "\nwait VEC MTE3 " + id + "\nstore " +
           buffer + " y 0\nset MTE3 MTE2 " + id + "\n";
  };
  CHECK(codes(loop(half("a", "0") + half("b", "1"))) == "");
  CHECK(codes(loop(half("a", "0") + half("a", "1"))).find("TW0450") !=
        std::string::npos);
}

TEST_CASE("a branch that one task in the middle takes is checked") {
  // Task 3 of 8 forgets to wait.
  std::string source = test::kernelSource(
      "alloc a 0 8x16\n%c3 = arith.constant 3 : index\nload a x 0\n"
      "%other = arith.cmpi ne, %g, %c3 : index\nscf.if %other {\n"
      "set MTE2 MTE3 0\nwait MTE2 MTE3 0\n}\nstore a y 0");
  size_t grid = source.find("grid [1]");
  source.replace(grid, 8, "grid [8]");
  auto context = test::makeContext();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(source, &*context);
  REQUIRE(module);
  std::vector<model::Diagnostic> findings =
      check::checkBlock(*module, *test::targetNamed("ascend-a3"));
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].code == "TW0450");
  CHECK(findings[0].message.find("(task [3] of @k)") != std::string::npos);
}
