//===- RearrangeTest.cpp - reductions, rearrangement, chains, errors ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "BlockHarness.h"
#include "KernelText.h"
#include "core/execute/ProgramCompiler.h"
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

using namespace tilewright::test;
using tilewright::execute::nameOf;

namespace {

std::string gm(const Tensor &tensor) {
  return "memref<" + tensor.type() + ", #block.level<\"GM\">>";
}

/// A program of one kernel and one task; `body` may name %a0 … and %r.
std::string single(const std::vector<Tensor> &inputs, const Tensor &result,
                   const std::string &body) {
  std::string arguments, names, types;
  for (size_t i = 0; i < inputs.size(); ++i) {
    std::string n = std::to_string(i);
    arguments += "%a" + n + ": " + gm(inputs[i]) + ", ";
    names += "%a" + n + ", ";
    types += gm(inputs[i]) + ", ";
  }
  arguments += "%r: " + gm(result);
  return "block.kernel @kernel(" + arguments +
         ", %g0: index) attributes {core = \"any\", grid_rank = 1 : i64} {\n" +
         body + "\n  block.return\n}\nblock.program @program(" + arguments +
         ") attributes {result_count = 1 : i64} {\n  block.dispatch @kernel "
         "grid [1] (" +
         names + "%r) : " + types + gm(result) + "\n  block.return\n}\n";
}

void checkBoth(const std::string &text, const std::vector<Tensor> &inputs,
               const Tensor &start, const Tensor &expected, double tolerance) {
  INFO(text);
  CHECK(relativeError(interpret(text, inputs, {start})[0], expected) <=
        tolerance);
  CHECK(relativeError(runCompiled(text, inputs, {start})[0], expected) <=
        tolerance);
}

} // namespace

TEST_CASE("reductions over every set of axes, kept, dropped, accumulated") {
  std::mt19937 rng(7);
  const char *kinds[] = {"sum", "mean", "max", "min", "prod"};
  for (Element element : {Element::F32, Element::BF16})
    for (int kind = 0; kind < 5; ++kind)
      for (unsigned mask = 1; mask < 8; ++mask)
        for (bool keep : {true, false}) {
          bool accumulate = kind != 1 && (rng() & 1);
          std::vector<int64_t> shape = {3, 5, 37}, out;
          if (mask & 4)
            shape = {2, 3, 16 + int64_t(rng() % 40)};
          std::string axes;
          int64_t count = 1;
          for (size_t d = 0; d < 3; ++d) {
            bool reduced = mask >> d & 1;
            if (reduced) {
              axes += (axes.empty() ? "" : ", ") + std::to_string(d);
              count *= shape[d];
            }
            if (!reduced || keep)
              out.push_back(reduced ? 1 : shape[d]);
          }
          Tensor x = Tensor::random(element, shape, rng, 0.9, 1.1);
          Tensor start = Tensor::random(element, out, rng, 0.9, 1.1);
          std::vector<double> acc(size_t(start.count()), 0);
          std::vector<bool> seen(acc.size(), false);
          for (int64_t i = 0; i < x.count(); ++i) {
            int64_t at[3] = {i / (shape[1] * shape[2]), i / shape[2] % shape[1],
                             i % shape[2]};
            int64_t to = 0;
            for (size_t d = 0; d < 3; ++d)
              if (!(mask >> d & 1))
                to = to * shape[d] + at[d];
            double value = x.get(i), &sum = acc[size_t(to)];
            if (!seen[size_t(to)])
              sum = value;
            else if (kind < 2)
              sum += value;
            else if (kind == 2)
              sum = std::max(sum, value);
            else if (kind == 3)
              sum = std::min(sum, value);
            else
              sum *= value;
            seen[size_t(to)] = true;
          }
          Tensor expected(element, out);
          for (int64_t i = 0; i < expected.count(); ++i) {
            double value = acc[size_t(i)], old = start.get(i);
            if (kind == 1)
              value /= double(count);
            if (accumulate)
              value = kind == 0   ? value + old
                      : kind == 2 ? std::max(value, old)
                      : kind == 3 ? std::min(value, old)
                                  : value * old;
            expected.set(i, value);
          }
          INFO(kinds[kind] << " " << axes << " " << nameOf(element));
          checkBoth(single({x}, expected,
                           "  block.reduce <" + std::string(kinds[kind]) +
                               "> %a0 into %r axes [" + axes + "]" +
                               (accumulate ? " accumulate" : "") + " : " +
                               gm(x) + " into " + gm(expected)),
                    {x}, start, expected,
                    element == Element::F32 ? 2e-6 : epsilon(element));
        }
}

TEST_CASE("transpose and reshape move every element to its place") {
  std::mt19937 rng(8);
  for (Element element : {Element::F32, Element::F16}) {
    std::vector<int64_t> permutation = {0, 1, 2};
    do {
      std::vector<int64_t> shape = {3, 17, 20}, out(3);
      for (size_t d = 0; d < 3; ++d)
        out[d] = shape[size_t(permutation[d])];
      Tensor x = Tensor::random(element, shape, rng), expected(element, out);
      for (int64_t i = 0; i < expected.count(); ++i) {
        int64_t to[3] = {i / (out[1] * out[2]), i / out[2] % out[1],
                         i % out[2]};
        int64_t from[3];
        for (size_t d = 0; d < 3; ++d)
          from[permutation[d]] = to[d];
        expected.set(
            i, x.get((from[0] * shape[1] + from[1]) * shape[2] + from[2]));
      }
      checkBoth(single({x}, expected,
                       "  block.transpose %a0 into %r permutation [" +
                           std::to_string(permutation[0]) + ", " +
                           std::to_string(permutation[1]) + ", " +
                           std::to_string(permutation[2]) + "] : " + gm(x) +
                           " into " + gm(expected)),
                {x}, Tensor(element, out), expected, 0);
    } while (std::next_permutation(permutation.begin(), permutation.end()));

    Tensor x = Tensor::random(element, {6, 35}, rng), flat = x;
    flat.shape = {7, 30};
    checkBoth(
        single({x}, flat,
               "  block.reshape %a0 into %r : " + gm(x) + " into " + gm(flat)),
        {x}, Tensor(element, flat.shape), flat, 0);
    // From a part of a buffer: rows that do not follow each other.
    Tensor part(element, {4, 6});
    for (int64_t i = 0; i < 24; ++i) {
      int64_t row = i / 12, column = i % 12;
      part.set(i, x.get((row + 1) * 35 + column + 3));
    }
    std::string type = "memref<2x12x" + std::string(nameOf(element)) +
                       ", strided<[35, 1], offset: 38>, #block.level<\"GM\">>";
    checkBoth(
        single({x}, part,
               "  %s = memref.subview %a0[1, 3] [2, 12] [1, 1] : " + gm(x) +
                   " to " + type + "\n  block.reshape %s into %r : " + type +
                   " into " + gm(part)),
        {x}, Tensor(element, part.shape), part, 0);
  }
}

TEST_CASE("a generic region computes what it says, by vectors and by element") {
  std::mt19937 rng(9);
  for (Element element : {Element::F32, Element::BF16}) {
    std::string t(nameOf(element));
    Tensor x = Tensor::random(element, {5, 37}, rng),
           y = Tensor::random(element, {37}, rng), out(element, {5, 37});
    for (int64_t i = 0; i < out.count(); ++i) {
      Tensor step(element, {2}); // rounds after each operation
      step.set(0, x.get(i) * y.get(i % 37));
      step.set(1, std::max(step.get(0), 0.5));
      out.set(i, step.get(1));
    }
    std::string body =
        "  block.generic maps [affine_map<(d0, d1) -> (d0, d1)>, "
        "affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>] "
        "iterators [\"parallel\", \"parallel\"] ins(%a0, %a1 : " +
        gm(x) + ", " + gm(y) + ") outs(%r : " + gm(out) +
        ") {\n  ^bb0(%x: " + t + ", %y: " + t + ", %o: " + t +
        "):\n    %half = arith.constant 0.5 : " + t +
        "\n    %p = arith.mulf %x, %y : " + t +
        "\n    %q = arith.maximumf %p, %half : " + t +
        "\n    block.yield %q : " + t + "\n  }";
    checkBoth(single({x, y}, out, body), {x, y}, Tensor(element, out.shape),
              out, 0);

    // A reduction: the output is read too.
    Tensor sums(element, {5});
    for (int64_t i = 0; i < 5; ++i) {
      sums.set(i, 1);
      for (int64_t j = 0; j < 37; ++j)
        sums.set(i, sums.get(i) + x.get(i * 37 + j));
    }
    Tensor ones(element, {5});
    for (int64_t i = 0; i < 5; ++i)
      ones.set(i, 1);
    body = "  block.generic maps [affine_map<(d0, d1) -> (d0, d1)>, "
           "affine_map<(d0, d1) -> (d0)>] iterators [\"parallel\", "
           "\"reduction\"] ins(%a0 : " +
           gm(x) + ") outs(%r : " + gm(sums) + ") {\n  ^bb0(%x: " + t +
           ", %o: " + t + "):\n    %p = arith.addf %o, %x : " + t +
           "\n    block.yield %p : " + t + "\n  }";
    checkBoth(single({x}, sums, body), {x}, ones, sums, 0);
  }
}

TEST_CASE("a softmax over tails: chains, row values, in-place updates") {
  std::mt19937 rng(10);
  for (Element element : {Element::F32, Element::F16})
    for (int64_t columns : {1, 7, 100, 129, 1000}) {
      Tensor x = Tensor::random(element, {9, columns}, rng, -8, 8);
      Tensor expected(element, x.shape);
      for (int64_t i = 0; i < 9; ++i) {
        double top = -1e300, sum = 0;
        for (int64_t j = 0; j < columns; ++j)
          top = std::max(top, x.get(i * columns + j));
        for (int64_t j = 0; j < columns; ++j)
          sum += std::exp(x.get(i * columns + j) - top);
        for (int64_t j = 0; j < columns; ++j)
          expected.set(i * columns + j,
                       std::exp(x.get(i * columns + j) - top) / sum);
      }
      TiledKernel kernel({x}, expected, {4, columns});
      std::string a = kernel.input(0), v = kernel.buffer(Element::F32),
                  row = kernel.buffer(Element::F32, {4, 1});
      auto line = [&](const std::string &head, std::vector<std::string> in,
                      const std::string &out, const std::string &extra = "") {
        std::string names, types;
        for (size_t i = 0; i < in.size(); ++i) {
          names += (i ? ", " : "") + in[i];
          types += (i ? ", " : "") + kernel.typeOf(in[i]);
        }
        kernel.line("block." + head + " " + names + " into " + out + extra +
                    " : " + types + " into " + kernel.typeOf(out));
      };
      line("cast", {a}, v);
      line("reduce <max>", {v}, row, " axes [1]");
      line("binary <sub>", {v, row}, v);
      line("unary <exp>", {v}, v);
      line("reduce <sum>", {v}, row, " axes [1]");
      line("binary <div>", {v, row}, v);
      std::string out = kernel.buffer(element);
      line("cast", {v}, out);
      kernel.output(out);
      checkBoth(kernel.text(), {x}, Tensor(element, x.shape), expected,
                element == Element::F32 ? 2e-6 : epsilon(element));
    }
}

TEST_CASE("buffers that share bytes are not mixed up in one loop") {
  // The second buffer lies over the first, shifted by one element; each
  // instruction must be done before the next begins.
  std::mt19937 rng(11);
  Tensor x = Tensor::random(Element::F32, {1, 64}, rng), expected = x;
  for (int64_t i = 0; i < 64; ++i)
    expected.set(i, std::fabs(double(float(-x.get(i)))) + x.get(i));
  std::string chip = "memref<1x64xf32, #block.level<\"UB\">>";
  std::string text = single(
      {x}, expected,
      "  %p = block.alloc at 0 : " + chip + "\n  %q = block.alloc at 4 : " +
          chip + "\n  block.unary <neg> %a0 into %p : " + gm(x) + " into " +
          chip + "\n  block.unary <abs> %p into %q : " + chip + " into " +
          chip + "\n  block.binary <add> %q, %a0 into %r : " + chip + ", " +
          gm(x) + " into " + gm(x));
  // What the interpreter does is the meaning: reads of %p end before %q is
  // written only if rows are handled whole, so both must agree with it.
  Tensor meaning = interpret(text, {x}, {Tensor(Element::F32, x.shape)})[0];
  Tensor compiled = runCompiled(text, {x}, {Tensor(Element::F32, x.shape)})[0];
  CHECK(relativeError(meaning, expected) == 0);
  CHECK(relativeError(compiled, expected) == 0);
}

TEST_CASE("the interpreter refuses what leaves a buffer or has no address") {
  Tensor x(Element::F32, {4, 8}), r(Element::F32, {4, 8});
  auto run = [&](const std::string &body) {
    BlockModule module(single({x}, r, body));
    tilewright::execute::BlockInterpreter::Options options;
    options.levelBytes = {{"UB", 256}};
    auto created = tilewright::execute::BlockInterpreter::create(module.get(),
                                                                 "", options);
    if (auto *diagnostic = std::get_if<tilewright::model::Diagnostic>(&created))
      return diagnostic->code;
    std::vector<std::span<const std::byte>> in = {x.bytes};
    Tensor copy = r;
    std::vector<std::span<std::byte>> out = {copy.bytes};
    auto error =
        std::get<tilewright::execute::BlockInterpreter>(created).run(in, out);
    return error ? error->code : std::string();
  };
  std::string chip = "memref<4x8xf32, #block.level<\"UB\">>";
  auto move = [&](const std::string &alloc) {
    return "  %m = " + alloc + "\n  block.move %a0 to %m : " + gm(x) + " to " +
           chip;
  };
  CHECK(run(move("block.alloc at 0 : " + chip)) == "");
  CHECK(run(move("block.alloc : " + chip)) == "TW0431");
  CHECK(run(move("block.alloc at 160 : " + chip)) == "TW0433");
  CHECK(
      run("  %m = block.alloc at 0 : memref<4x8xf32, #block.level<\"L9\">>") ==
      "TW0432");
  std::string part =
      "memref<?x8xf32, strided<[8, 1], offset: ?>, #block.level<\"GM\">>";
  CHECK(run("  %c3 = arith.constant 3 : index\n  %c2 = arith.constant 2 : "
            "index\n  %s = memref.subview %a0[%c3, 0] [%c2, 8] [1, 1] : " +
            gm(x) + " to " + part) == "TW0541");
}
