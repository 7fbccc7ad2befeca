//===- KernelText.cpp - Block graphs as text ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "KernelText.h"
#include <stdexcept>

namespace tilewright::test {

static const char *global = ", #block.level<\"GM\">>";
static const char *chip = ", #block.level<\"UB\">>";

TiledKernel::TiledKernel(std::vector<Tensor> in, Tensor out,
                         std::vector<int64_t> tileSizes)
    : inputs(std::move(in)), result(std::move(out)),
      tile(std::move(tileSizes)) {
  for (int d = 0; d < 2; ++d) {
    std::string n = std::to_string(d), t = std::to_string(tile[size_t(d)]);
    line("%o" + n + " = affine.apply affine_map<(d0) -> (d0 * " + t + ")>(%g" +
         n + ")");
    line("%s" + n + " = affine.min affine_map<(d0) -> (" + t + ", " +
         std::to_string(result.shape[size_t(d)]) + " - d0 * " + t + ")>(%g" +
         n + ")");
  }
}

std::string TiledKernel::tileOf(const std::string &argument,
                                const Tensor &tensor) {
  std::string name = "%t" + std::to_string(count++), offsets, sizes, shape;
  for (size_t d = 0; d < 2; ++d) {
    bool whole = tensor.shape[d] == 1;
    std::string n = std::to_string(d), comma = d ? ", " : "";
    offsets += comma + (whole ? "0" : "%o" + n);
    sizes += comma + (whole ? "1" : "%s" + n);
    shape += whole ? "1x" : "?x";
  }
  std::string type =
      "memref<" + shape + std::string(nameOf(tensor.element)) + ", strided<[" +
      std::to_string(tensor.shape[1]) + ", 1], offset: " +
      (tensor.shape[0] == 1 && tensor.shape[1] == 1 ? "0" : "?") + ">" + global;
  if (tensor.shape[0] == 1 && tensor.shape[1] == 1)
    type = "memref<" + shape + std::string(nameOf(tensor.element)) +
           ", strided<[" + std::to_string(tensor.shape[1]) + ", 1]>" + global;
  line(name + " = memref.subview " + argument + "[" + offsets + "] [" + sizes +
       "] [1, 1] : memref<" + tensor.type() + global + " to " + type);
  types.push_back({name, type});
  return name;
}

std::string TiledKernel::input(size_t i) {
  const Tensor &tensor = inputs[i];
  std::string from = tileOf("%a" + std::to_string(i), tensor);
  std::string to = buffer(tensor.element, {tensor.shape[0] == 1 ? 1 : tile[0],
                                           tensor.shape[1] == 1 ? 1 : tile[1]});
  line("block.move " + from + " to " + to + " : " + typeOf(from) + " to " +
       typeOf(to));
  return to;
}

std::string TiledKernel::buffer(Element element) {
  return buffer(element, tile);
}

std::string TiledKernel::buffer(Element element, std::vector<int64_t> shape) {
  std::string number = std::to_string(count++), alloc = "%m" + number,
              name = "%b" + number;
  Tensor whole(element, shape);
  std::string wholeType = "memref<" + whole.type() + chip;
  line(alloc + " = block.alloc at " + std::to_string(offset) + " : " +
       wholeType);
  offset += (int64_t(whole.bytes.size()) + 63) / 64 * 64;
  std::string sizes, dims;
  for (size_t d = 0; d < 2; ++d) {
    bool one = shape[d] == 1;
    sizes += (d ? ", " : "") + (one ? "1" : "%s" + std::to_string(d));
    dims += one ? "1x" : "?x";
  }
  std::string type = "memref<" + dims + std::string(nameOf(element)) +
                     ", strided<[" + std::to_string(shape[1]) + ", 1]>" + chip;
  line(name + " = memref.subview " + alloc + "[0, 0] [" + sizes +
       "] [1, 1] : " + wholeType + " to " + type);
  types.push_back({name, type});
  return name;
}

std::string TiledKernel::typeOf(const std::string &value) const {
  for (const auto &[name, type] : types)
    if (name == value)
      return type;
  throw std::out_of_range(value);
}

void TiledKernel::output(const std::string &value) {
  std::string to = tileOf("%r", result);
  line("block.move " + value + " to " + to + " : " + typeOf(value) + " to " +
       typeOf(to));
}

std::string TiledKernel::text() const {
  std::string arguments, names, plainTypes;
  for (size_t i = 0; i < inputs.size(); ++i) {
    std::string type = "memref<" + inputs[i].type() + global;
    arguments += "%a" + std::to_string(i) + ": " + type + ", ";
    names += "%a" + std::to_string(i) + ", ";
    plainTypes += type + ", ";
  }
  std::string resultType = "memref<" + result.type() + global;
  arguments += "%r: " + resultType;
  std::string out = "block.kernel @kernel(" + arguments +
                    ", %g0: index, %g1: index) attributes {core = \"any\", "
                    "grid_rank = 2 : i64} {\n" +
                    body + "    block.return\n}\n";
  auto blocks = [&](size_t d) {
    return std::to_string((result.shape[d] + tile[d] - 1) / tile[d]);
  };
  out += "block.program @program(" + arguments +
         ") attributes {result_count = 1 : i64} {\n" +
         "    block.dispatch @kernel grid [" + blocks(0) + ", " + blocks(1) +
         "] (" + names + "%r) : " + plainTypes + resultType +
         "\n    block.return\n}\n";
  return out;
}

} // namespace tilewright::test
