//===- KernelText.h - Block graphs as text ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "BlockHarness.h"
#include <string>
#include <vector>

namespace tilewright::test {

/// Writes a program of one kernel over a grid of `tile`-sized pieces of its
/// result (2-D). Inputs whose size in a dimension is 1 are not cut there. Tiles
/// at the border are smaller: memref.subview with dynamic sizes, as the tile
/// stage makes them.
class TiledKernel {
public:
  TiledKernel(std::vector<Tensor> inputs, Tensor result,
              std::vector<int64_t> tile);

  /// The tile of input i in an on-chip buffer; result: a buffer like it.
  std::string input(size_t i);
  /// A fresh on-chip buffer of the shape of the tile, or `shape`, with
  /// `element`; returns its view (clipped at borders).
  std::string buffer(Element element);
  std::string buffer(Element element, std::vector<int64_t> shape);
  /// The type of what input() or buffer() returned.
  std::string typeOf(const std::string &value) const;
  void line(const std::string &text) { body += "    " + text + "\n"; }
  /// Moves `value` to the result's tile.
  void output(const std::string &value);

  std::string text() const;

private:
  std::vector<Tensor> inputs;
  Tensor result;
  std::vector<int64_t> tile;
  std::string body;
  std::vector<std::pair<std::string, std::string>> types;
  int64_t offset = 0;
  int count = 0;

  std::string tileOf(const std::string &argument, const Tensor &tensor);
};

} // namespace tilewright::test
