//===- KernelSource.cpp - small kernels as text ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tests/core/check/KernelSource.h"
#include <map>
#include <sstream>

namespace tilewright::test {

std::string kernelSource(const std::string &body) {
  const std::string global = "memref<8x16xf32, #block.level<\"GM\">>";
  std::map<std::string, std::string> types; // of buffers
  int count = 0;
  std::string out;
  std::istringstream lines(body);
  std::string line;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string word, a, b, c;
    words >> word;
    if (word == "alloc") {
      words >> a >> b >> c;
      types[a] = "memref<" + c + "xf32, #block.level<\"UB\">>";
      out += "%" + a + " = block.alloc" + (b == "-" ? "" : " at " + b) + " : " +
             types[a] + "\n";
    } else if (word == "load" || word == "store") {
      words >> a >> b >> c;
      std::string shape = types[a].substr(7, types[a].find("xf32") - 7);
      std::string rows = shape.substr(0, shape.find('x')),
                  columns = shape.substr(shape.find('x') + 1);
      std::string tile = "%t" + std::to_string(count++);
      bool dynamic = c[0] == '%';
      std::string type = "memref<" + shape + "xf32, strided<[16, 1], offset: " +
                         (dynamic ? "?" : std::to_string(std::stoi(c) * 16)) +
                         ">, #block.level<\"GM\">>";
      out += tile + " = memref.subview %" + b + "[" + c + ", 0] [" + rows +
             ", " + columns + "] [1, 1] : " + global + " to " + type + "\n";
      if (word == "load")
        out += "block.move " + tile + " to %" + a + " on \"MTE2\" : " + type +
               " to " + types[a] + "\n";
      else
        out += "block.move %" + a + " to " + tile +
               " on \"MTE3\" : " + types[a] + " to " + type + "\n";
    } else if (word == "exp" || word == "neg") {
      words >> a >> b;
      out += "block.unary <" + word + "> %" + a + " into %" + b +
             " on \"VEC\" : " + types[a] + " into " + types[b] + "\n";
    } else if (word == "add") {
      words >> a >> b >> c;
      out += "block.binary <add> %" + a + ", %" + b + " into %" + c +
             " on \"VEC\" : " + types[a] + ", " + types[b] + " into " +
             types[c] + "\n";
    } else if (word == "set" || word == "wait") {
      words >> a >> b >> c;
      out += "block." + word + "_event \"" + a + "\" to \"" + b + "\" id " + c +
             "\n";
    } else if (word == "barrier") {
      out += "block.barrier\n";
    } else {
      out += line + "\n";
    }
  }
  return "block.program @p(%x: " + global + ", %y: " + global +
         ") attributes {result_count = 1 : i64} {\n"
         "  block.dispatch @k grid [1](%x, %y) : " +
         global + ", " + global +
         "\n  block.return\n}\n"
         "block.kernel @k(%x: " +
         global + ", %y: " + global +
         ", %g: index) attributes {core = \"vector\", grid_rank = 1 : i64} "
         "{\n" +
         out + "block.return\n}\n";
}

std::vector<std::pair<std::string, std::string>> rightKernels() {
  return {
      {"straight", R"(alloc a 0 8x16
alloc b 512 8x16
load a x 0
set MTE2 VEC 0
wait MTE2 VEC 0
exp a b
set VEC MTE3 0
wait VEC MTE3 0
store b y 0)"},
      {"in place", R"(alloc a 0 8x16
load a x 0
set MTE2 VEC 0
wait MTE2 VEC 0
exp a a
neg a a
set VEC MTE3 3
wait VEC MTE3 3
store a y 0)"},
      {"one buffer twice", R"(alloc a 0 4x16
load a x 0
set MTE2 VEC 0
wait MTE2 VEC 0
exp a a
set VEC MTE3 0
wait VEC MTE3 0
store a y 0
set MTE3 MTE2 0
wait MTE3 MTE2 0
load a x 4
set MTE2 VEC 0
wait MTE2 VEC 0
exp a a
set VEC MTE3 0
wait VEC MTE3 0
store a y 4)"},
      {"two buffers", R"(alloc a 0 4x16
alloc b 256 4x16
load a x 0
set MTE2 VEC 0
load b x 4
set MTE2 VEC 1
wait MTE2 VEC 0
exp a a
set VEC MTE3 0
wait MTE2 VEC 1
exp b b
set VEC MTE3 1
wait VEC MTE3 0
store a y 0
wait VEC MTE3 1
store b y 4)"},
      {"room shared in time", R"(alloc a 0 4x16
alloc b 256 4x16
alloc c 0 4x16
load a x 0
set MTE2 VEC 0
wait MTE2 VEC 0
exp a b
neg b c
set VEC MTE3 0
wait VEC MTE3 0
store c y 0
store b y 4)"},
      {"barriers", R"(alloc a 0 8x16
load a x 0
barrier
exp a a
barrier
store a y 0)"},
      {"double buffer", R"(alloc a 0 2x16
alloc b 128 2x16
%c0 = arith.constant 0 : index
%c2 = arith.constant 2 : index
%c4 = arith.constant 4 : index
%c8 = arith.constant 8 : index
set MTE3 MTE2 0
set MTE3 MTE2 1
scf.for %i = %c0 to %c8 step %c4 {
wait MTE3 MTE2 0
load a x %i
set MTE2 VEC 0
%j = arith.addi %i, %c2 : index
wait MTE3 MTE2 1
load b x %j
set MTE2 VEC 1
wait MTE2 VEC 0
exp a a
set VEC MTE3 0
wait VEC MTE3 0
store a y %i
set MTE3 MTE2 0
wait MTE2 VEC 1
exp b b
set VEC MTE3 1
wait VEC MTE3 1
store b y %j
set MTE3 MTE2 1
}
wait MTE3 MTE2 0
wait MTE3 MTE2 1)"},
      {"rotating buffers", R"(alloc a 0 2x16
alloc b 128 2x16
%c0 = arith.constant 0 : index
%c2 = arith.constant 2 : index
%c6 = arith.constant 6 : index
load a x 0
set MTE2 VEC 0
%last:2 = scf.for %i = %c0 to %c6 step %c2 iter_args(%p = %a, %q = %b) -> (memref<2x16xf32, #block.level<"UB">>, memref<2x16xf32, #block.level<"UB">>) {
%j = arith.addi %i, %c2 : index
wait MTE2 VEC 0
set VEC MTE2 0
wait VEC MTE2 0
%s = memref.subview %x[%j, 0] [2, 16] [1, 1] : memref<8x16xf32, #block.level<"GM">> to memref<2x16xf32, strided<[16, 1], offset: ?>, #block.level<"GM">>
block.move %s to %q on "MTE2" : memref<2x16xf32, strided<[16, 1], offset: ?>, #block.level<"GM">> to memref<2x16xf32, #block.level<"UB">>
set MTE2 VEC 0
block.unary <exp> %p into %p on "VEC" : memref<2x16xf32, #block.level<"UB">> into memref<2x16xf32, #block.level<"UB">>
set VEC MTE3 0
wait VEC MTE3 0
%d = memref.subview %y[%i, 0] [2, 16] [1, 1] : memref<8x16xf32, #block.level<"GM">> to memref<2x16xf32, strided<[16, 1], offset: ?>, #block.level<"GM">>
block.move %p to %d on "MTE3" : memref<2x16xf32, #block.level<"UB">> to memref<2x16xf32, strided<[16, 1], offset: ?>, #block.level<"GM">>
set MTE3 VEC 0
wait MTE3 VEC 0
scf.yield %q, %p : memref<2x16xf32, #block.level<"UB">>, memref<2x16xf32, #block.level<"UB">>
}
wait MTE2 VEC 0
block.unary <exp> %last#0 into %last#0 on "VEC" : memref<2x16xf32, #block.level<"UB">> into memref<2x16xf32, #block.level<"UB">>
set VEC MTE3 0
wait VEC MTE3 0
%e = memref.subview %y[6, 0] [2, 16] [1, 1] : memref<8x16xf32, #block.level<"GM">> to memref<2x16xf32, strided<[16, 1], offset: 96>, #block.level<"GM">>
block.move %last#0 to %e on "MTE3" : memref<2x16xf32, #block.level<"UB">> to memref<2x16xf32, strided<[16, 1], offset: 96>, #block.level<"GM">>)"},
      {"branch", R"(alloc a 0 8x16
%c0 = arith.constant 0 : index
load a x 0
%first = arith.cmpi eq, %g, %c0 : index
scf.if %first {
set MTE2 VEC 0
wait MTE2 VEC 0
exp a a
set VEC MTE3 0
wait VEC MTE3 0
} else {
set MTE2 MTE3 0
wait MTE2 MTE3 0
}
store a y 0)"},
  };
}

} // namespace tilewright::test
