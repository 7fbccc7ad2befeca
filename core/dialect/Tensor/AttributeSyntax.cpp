//===- AttributeSyntax.cpp - attributes as a person writes them -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/dialect/Tensor/AttributeSyntax.h"
#include "core/dialect/Tensor/TensorDialect.h"
#include "llvm/ADT/StringSwitch.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace tilewright::tw {

static bool isSizeList(StringRef name) {
  return llvm::is_contained(
      {"axes", "offsets", "permutation", "sizes", "strides"}, name);
}
static bool isReal(StringRef name) {
  return name == "value" || name == "epsilon";
}

/// `[1, ?, -1]`; a `?` is kDynamic.
static ParseResult parseSizes(OpAsmParser &parser, Attribute &value) {
  SmallVector<int64_t> sizes;
  auto element = [&]() -> ParseResult {
    if (succeeded(parser.parseOptionalQuestion())) {
      sizes.push_back(ShapedType::kDynamic);
      return success();
    }
    return parser.parseInteger(sizes.emplace_back());
  };
  if (parser.parseCommaSeparatedList(element) || parser.parseRSquare())
    return failure();
  value = parser.getBuilder().getDenseI64ArrayAttr(sizes);
  return success();
}

/// A bare word as the value of `name`; null if it means nothing there.
static Attribute wordAttribute(MLIRContext *context, StringRef name,
                               StringRef word) {
  if (name == "kind") {
    if (auto kind = symbolizeReduceKind(word))
      return ReduceKindAttr::get(context, *kind);
  } else if (name == "predicate") {
    if (auto predicate = symbolizeComparePredicate(word))
      return ComparePredicateAttr::get(context, *predicate);
  } else if (name == "value") {
    double inf = std::numeric_limits<double>::infinity();
    double real = llvm::StringSwitch<double>(word)
                      .Case("inf", inf)
                      .Case("neg_inf", -inf)
                      .Default(std::nan(""));
    if (word == "nan" || !std::isnan(real))
      return FloatAttr::get(Float64Type::get(context), real);
  }
  return nullptr;
}

static StringRef wordsFor(StringRef name) {
  return llvm::StringSwitch<StringRef>(name)
      .Case("kind", "sum, mean, max, min or prod")
      .Case("predicate", "eq, ne, lt, le, gt or ge")
      .Default("a number, inf, neg_inf or nan");
}

static ParseResult parseValue(OpAsmParser &parser, StringRef name,
                              Attribute &value) {
  if (isSizeList(name) && succeeded(parser.parseOptionalLSquare())) {
    if (succeeded(parser.parseOptionalRSquare())) {
      value = parser.getBuilder().getDenseI64ArrayAttr({});
      return success();
    }
    return parseSizes(parser, value);
  }
  SMLoc where = parser.getCurrentLocation();
  StringRef word;
  if ((name == "kind" || name == "predicate" || name == "value") &&
      succeeded(parser.parseOptionalKeyword(&word))) {
    value = wordAttribute(parser.getContext(), name, word);
    if (!value)
      return parser.emitError(where)
             << "'" << word << "' is no " << name << "; it is one of "
             << wordsFor(name) << " [TW0112]";
    return success();
  }
  if (parser.parseAttribute(value))
    return failure();
  // A whole number where a real one is meant.
  if (auto integer = dyn_cast<IntegerAttr>(value); integer && isReal(name))
    value = parser.getBuilder().getF64FloatAttr(
        integer.getValue().roundToDouble(/*isSigned=*/true));
  return success();
}

ParseResult parseAttributes(OpAsmParser &parser, NamedAttrList &attributes) {
  if (failed(parser.parseOptionalLBrace()))
    return success();
  if (succeeded(parser.parseOptionalRBrace()))
    return success();
  auto entry = [&]() -> ParseResult {
    std::string name;
    SMLoc where = parser.getCurrentLocation();
    if (parser.parseKeywordOrString(&name))
      return failure();
    Attribute value = parser.getBuilder().getUnitAttr();
    if (succeeded(parser.parseOptionalEqual()) &&
        parseValue(parser, name, value))
      return failure();
    if (attributes.get(name))
      return parser.emitError(where)
             << "attribute '" << name << "' is given twice [TW0112]";
    attributes.append(name, value);
    return success();
  };
  if (parser.parseCommaSeparatedList(entry))
    return failure();
  return parser.parseRBrace();
}

static void printSizes(OpAsmPrinter &printer, ArrayRef<int64_t> sizes) {
  printer << '[';
  llvm::interleaveComma(sizes, printer, [&](int64_t size) {
    if (ShapedType::isDynamic(size))
      printer << '?';
    else
      printer << size;
  });
  printer << ']';
}

static void printReal(OpAsmPrinter &printer, FloatAttr real) {
  double value = real.getValueAsDouble();
  if (std::isinf(value))
    printer << (value < 0 ? "neg_inf" : "inf");
  else if (std::isnan(value))
    printer << "nan";
  else
    printer.printAttributeWithoutType(real);
}

void printAttributes(OpAsmPrinter &printer, Operation *op,
                     DictionaryAttr attributes) {
  if (attributes.empty())
    return;
  printer << " {";
  llvm::interleaveComma(attributes, printer, [&](NamedAttribute entry) {
    StringRef name = entry.getName().getValue();
    Attribute value = entry.getValue();
    printer.printKeywordOrString(name);
    if (isa<UnitAttr>(value))
      return;
    printer << " = ";
    auto real = dyn_cast<FloatAttr>(value);
    auto integer = dyn_cast<IntegerAttr>(value);
    auto sizes = dyn_cast<DenseI64ArrayAttr>(value);
    if (auto kind = dyn_cast<ReduceKindAttr>(value); kind && name == "kind")
      printer << stringifyReduceKind(kind.getValue());
    else if (auto predicate = dyn_cast<ComparePredicateAttr>(value);
             predicate && name == "predicate")
      printer << stringifyComparePredicate(predicate.getValue());
    else if (sizes && isSizeList(name))
      printSizes(printer, sizes);
    else if (real && isReal(name) && real.getType().isF64() &&
             (name == "value" || std::isfinite(real.getValueAsDouble())))
      printReal(printer, real);
    else if (integer && name == "axis" && integer.getType().isInteger(64))
      printer.printAttributeWithoutType(value);
    else
      printer.printAttribute(value);
  });
  printer << '}';
}

} // namespace tilewright::tw
