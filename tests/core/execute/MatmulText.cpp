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
  std::string r(nameOf(result)), panelType = multiple > 1 ? t : "f32";
  auto global = [](int64_t rows, int64_t columns, const std::string &type) {
    return "memref<" + number(rows) + "x" + number(columns) + "x" + type +
           ", #block.level<\"GM\">>";
  };
  std::string a = transposeA ? global(k, m, t) : global(m, k, t),
              b = transposeB ? global(n, k, t) : global(k, n, t),
              c = global(m, n, r);
  auto part = [&](int64_t stride, const std::string &type) {
    return "memref<?x?x" + type + ", strided<[" + number(stride) +
           ", 1], offset: ?>, #block.level<\"GM\">>";
  };
  std::string partA = part(transposeA ? m : k, t),
              partB = part(transposeB ? k : n, t), partC = part(n, r);
  int64_t am = up(tileM, rows), bn = up(tileN, columns);
  int64_t padded = up(tileK, multiple) * multiple;
  std::string pa = "memref<" + number(am) + "x" + number(padded / lhsGroup) +
                   "x" + number(rows * lhsGroup) + "x" + panelType +
                   ", #block.level<\"L1\">>",
              pb = "memref<" + number(bn) + "x" + number(padded / rhsGroup) +
                   "x" + number(columns * rhsGroup) + "x" + panelType +
                   ", #block.level<\"L1\">>",
              acc = "memref<" + number(am * rows) + "x" + number(bn * columns) +
                    "xf32, #block.level<\"UB\">>",
              tail = "memref<?x?xf32, strided<[" + number(bn * columns) +
                     ", 1]>, #block.level<\"UB\">>";
  auto layout = [&](int axis, int64_t block, int64_t group) {
    return std::string("<packed ") + (axis ? "axis = 1 " : "") +
           "block = " + number(block) +
           (group > 1 ? " group = " + number(group) : "") +
           (multiple > 1 ? " multiple = " + number(multiple) : "") + ">";
  };
  std::string la = layout(0, rows, lhsGroup), lb = layout(1, columns, rhsGroup);
  int64_t bytesA = up(am * padded * rows * 4, 64) * 64;
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
  out += sub("%as", "%a", transposeA ? "%p, %i" : "%i, %p",
             transposeA ? "%d, %h" : "%h, %d", a, partA);
  out += sub("%bs", "%b", transposeB ? "%j, %p" : "%p, %j",
             transposeB ? "%w, %d" : "%d, %w", b, partB);
  out += "    block.move %as to %pa layout " +
         layout(transposeA ? 1 : 0, rows, lhsGroup) + " : " + partA + " to " +
         pa + "\n    block.move %bs to %pb layout " +
         layout(transposeB ? 0 : 1, columns, rhsGroup) + " : " + partB +
         " to " + pb + "\n";
  out += "    block.matmul %pa layout " + la + ", %pb layout " + lb +
         " into %t k %d accumulate : " + pa + ", " + pb + " into " + tail +
         "\n    }\n";
  out += sub("%cs", "%c", "%i, %j", "%h, %w", c, partC);
  out += "    block.move %t to %cs : " + tail + " to " + partC +
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
