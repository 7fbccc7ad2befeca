//===- BlockEnums.td - enumerations of the Block graph -----*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_BLOCK_ENUMS
#define TILEWRIGHT_BLOCK_ENUMS

include "mlir/IR/EnumAttr.td"

class Block_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::tilewright::block";
  let genSpecializedAttr = 0;
}

def Block_AccessMode : Block_Enum<"AccessMode", "how a kernel uses an argument", [
    I32EnumAttrCase<"Read", 0, "read">,
    I32EnumAttrCase<"Write", 1, "write">,
    I32EnumAttrCase<"ReadWrite", 2, "read_write">]>;

def Block_UnaryKind : Block_Enum<"UnaryKind", "function of one operand", [
    I32EnumAttrCase<"Neg", 0, "neg">, I32EnumAttrCase<"Abs", 1, "abs">,
    I32EnumAttrCase<"Exp", 2, "exp">, I32EnumAttrCase<"Log", 3, "log">,
    I32EnumAttrCase<"Sqrt", 4, "sqrt">, I32EnumAttrCase<"Rsqrt", 5, "rsqrt">,
    I32EnumAttrCase<"Reciprocal", 6, "reciprocal">, I32EnumAttrCase<"Tanh", 7, "tanh">,
    I32EnumAttrCase<"Erf", 8, "erf">, I32EnumAttrCase<"Sigmoid", 9, "sigmoid">,
    I32EnumAttrCase<"Silu", 10, "silu">, I32EnumAttrCase<"Gelu", 11, "gelu">,
    I32EnumAttrCase<"Relu", 12, "relu">]>;

def Block_BinaryKind : Block_Enum<"BinaryKind", "function of two operands", [
    I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Sub", 1, "sub">,
    I32EnumAttrCase<"Mul", 2, "mul">, I32EnumAttrCase<"Div", 3, "div">,
    I32EnumAttrCase<"Maximum", 4, "maximum">, I32EnumAttrCase<"Minimum", 5, "minimum">,
    I32EnumAttrCase<"Pow", 6, "pow">]>;

def Block_ReduceKind : Block_Enum<"ReduceKind", "reduction", [
    I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Mean", 1, "mean">,
    I32EnumAttrCase<"Max", 2, "max">, I32EnumAttrCase<"Min", 3, "min">,
    I32EnumAttrCase<"Prod", 4, "prod">]>;

def Block_ComparePredicate : Block_Enum<"ComparePredicate", "ordered comparison", [
    I32EnumAttrCase<"Eq", 0, "eq">, I32EnumAttrCase<"Ne", 1, "ne">,
    I32EnumAttrCase<"Lt", 2, "lt">, I32EnumAttrCase<"Le", 3, "le">,
    I32EnumAttrCase<"Gt", 4, "gt">, I32EnumAttrCase<"Ge", 5, "ge">]>;

#endif
