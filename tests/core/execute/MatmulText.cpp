//===- MatmulText.cpp - matrix products as Block graphs -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "MatmulText.h"

namespace tilewright::test {

static std::string number(int64_t n) { return std::to_string(n); }

std::string PackedMatmul::str() const {
  auto up = [](int64_t a, int64_t b) { return (a + b - 1) / b; };
  std::string t(nameOf(element));
  std::string a = "memref<" + number(m) + "x" + number(k) + "x" + t +
                  ", #block.level<\"GM\">>",
              b = "memref<" + number(k) + "x" + number(n) + "x" + t +
                  ", #block.level<\"GM\">>",
              c = "memref<" + number(m) + "x" + number(n) + "x" + t +
                  ", #block.level<\"GM\">>";
  auto part = [&](int64_t stride) {
    return "memref<?x?x" + t + ", strided<[" + number(stride) +
           ", 1], offset: ?>, #block.level<\"GM\">>";
  };
  int64_t am = up(tileM, rows), bn = up(tileN, columns);
  std::string pa = "memref<" + number(am) + "x" + number(tileK) + "x" +
                   number(rows) + "xf32, #block.level<\"L1\">>",
              pb = "memref<" + number(bn) + "x" + number(tileK) + "x" +
                   number(columns) + "xf32, #block.level<\"L1\">>",
              acc = "memref<" + number(am * rows) + "x" + number(bn * columns) +
                    "xf32, #block.level<\"UB\">>",
              tail = "memref<?x?xf32, strided<[" + number(bn * columns) +
                     ", 1]>, #block.level<\"UB\">>";
  std::string la = "<packed block = " + number(rows) + ">",
              lb = "<packed axis = 1 block = " + number(columns) + ">";
  int64_t bytesA = up(am * tileK * rows * 4, 64) * 64;
  auto sub = [&](const char *name, const char *from, const std::string &at,
                 const std::string &size, const std::string &fromType,
                 const std::string &toType) {
    return std::string("    ") + name + " = memref.subview " + from + "[" + at +
           "] [" + size + "] [1, 1] : " + fromType + " to " + toType + "\n";
  };
  std::string args = "%a: " + a + ", %b: " + b + ", %c: " + c;
  std::string out = "block.kernel @matmul(" + args +
                    ", %g0: index, %g1: index) attributes {core = \"any\", "
                    "grid_rank = 2 : i64} {\n";
  auto origin = [&](const char *name, const char *size, const char *at,
                    int64_t tile, int64_t whole) {
    return std::string("    ") + name +
           " = affine.apply affine_map<(d0) -> (d0 * " + number(tile) + ")>(" +
           at + ")\n    " + size + " = affine.min affine_map<(d0) -> (" +
           number(tile) + ", " + number(whole) + " - d0 * " + number(tile) +
           ")>(" + at + ")\n";
  };
  out +=
      origin("%i", "%h", "%g0", tileM, m) + origin("%j", "%w", "%g1", tileN, n);
  out += "    %pa = block.alloc at 0 : " + pa + "\n    %pb = block.alloc at " +
         number(bytesA) + " : " + pb +
         "\n    %acc = block.alloc at 0 : " + acc + "\n";
  out += sub("%t", "%acc", "0, 0", "%h, %w", acc, tail);
  out += "    block.fill 0.0 : f32, %t : " + tail + "\n";
  out += "    %zero = arith.constant 0 : index\n    %size = arith.constant " +
         number(k) + " : index\n    %step = arith.constant " + number(tileK) +
         " : index\n    scf.for %p = %zero to %size step %step {\n";
  out += "    %d = affine.min affine_map<(d0) -> (" + number(tileK) + ", " +
         number(k) + " - d0)>(%p)\n";
  out += sub("%as", "%a", "%i, %p", "%h, %d", a, part(k));
  out += sub("%bs", "%b", "%p, %j", "%d, %w", b, part(n));
  out += "    block.move %as to %pa layout " + la + " : " + part(k) + " to " +
         pa + "\n    block.move %bs to %pb layout " + lb + " : " + part(n) +
         " to " + pb + "\n";
  out += "    block.matmul %pa layout " + la + ", %pb layout " + lb +
         " into %t k %d accumulate : " + pa + ", " + pb + " into " + tail +
         "\n    }\n";
  out += sub("%cs", "%c", "%i, %j", "%h, %w", c, part(n));
  out += "    block.move %t to %cs : " + tail + " to " + part(n) +
         "\n    block.return\n}\n";
  out += "block.program @program(" + args +
         ") attributes {result_count = 1 : i64} {\n    block.dispatch @matmul "
         "grid [" +
         number(up(m, tileM)) + ", " + number(up(n, tileN)) +
         "] (%a, %b, %c) : " + a + ", " + b + ", " + c +
         "\n    block.return\n}\n";
  return out;
}

std::string plainMatmul(const Tensor &a, const Tensor &b, const Tensor &c,
                        bool transposeA, bool transposeB) {
  auto type = [](const Tensor &tensor) {
    return "memref<" + tensor.type() + ", #block.level<\"GM\">>";
  };
  std::string args = "%a: " + type(a) + ", %b: " + type(b) + ", %c: " + type(c);
  return "block.kernel @matmul(" + args +
         ", %g0: index) attributes {core = \"any\", grid_rank = 1 : i64} {\n"
         "    block.matmul %a " +
         (transposeA ? "transposed " : "") + ", %b " +
         (transposeB ? "transposed " : "") + "into %c : " + type(a) + ", " +
         type(b) + " into " + type(c) +
         "\n    block.return\n}\nblock.program @program(" + args +
         ") attributes {result_count = 1 : i64} {\n    block.dispatch @matmul "
         "grid [1] (%a, %b, %c) : " +
         type(a) + ", " + type(b) + ", " + type(c) + "\n    block.return\n}\n";
}

} // namespace tilewright::test
