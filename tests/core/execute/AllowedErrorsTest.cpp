//===- AllowedErrorsTest.cpp ----------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ParsedModule.h"
#include <cmath>

using namespace tilewright;
using namespace tilewright::execute;

namespace {

/// Runs @f on seeded inputs, with the errors that are allowed.
TensorRun carried(ParsedModule &module, std::vector<TensorRef> inputs) {
  TensorRunOptions options;
  options.carryErrors = true;
  model::Diagnostic error;
  auto run = interpretTensorGraph(module.function("f"), inputs, options, error);
  INFO(error.message);
  REQUIRE(run);
  return *run;
}

/// One column, whose rows cancel as they please: a product, a bias and silu in
/// the element type `dtype`.
std::string column(const std::string &dtype) {
  auto type = [&](const std::string &shape) {
    return "tensor<" + shape + "x" + dtype + ">";
  };
  std::string a = type("200x300"), b = type("300x1"), c = type("200x1"),
              d = type("1");
  return "func.func @f(%a: " + a + ", %b: " + b + ", %d: " + d + ") -> " + c +
         " {\n  %c = tw.matmul %a, %b : (" + a + ", " + b + ") -> " + c +
         "\n  %e = tw.add %c, %d : (" + c + ", " + d + ") -> " + c +
         "\n  %s = tw.silu %e : (" + c + ") -> " + c + "\n  return %s : " + c +
         "\n}";
}

/// The same in f32 from k = `from` on, rounded once to the result's type.
HostTensor inFloat(const std::vector<TensorRef> &inputs, int from = 0) {
  auto a = numbers(inputs[0]), b = numbers(inputs[1]), d = numbers(inputs[2]);
  model::Diagnostic error;
  auto result = HostTensor::make(inputs[0]->element(), {200, 1}, error);
  REQUIRE(result);
  for (int i = 0; i < 200; ++i) {
    float sum = 0;
    for (int k = 299; k >= from; --k)
      sum += float(a[size_t(i * 300 + k)]) * float(b[size_t(k)]);
    sum += float(d[0]);
    result->set(i, sum / (1 + std::exp(-sum)));
  }
  return std::move(*result);
}

} // namespace

TEST_CASE("rows that cancel are judged by what went into them") {
  for (const char *dtype : {"f32", "bf16", "f16"}) {
    INFO(dtype);
    ParsedModule module(column(dtype));
    auto inputs = seededInputs(module.function("f"));
    TensorRun run = carried(module, inputs);
    REQUIRE(run.bounds[0].allowed);
    HostTensor right = inFloat(inputs);
    // Against the only value of a row the difference is too large somewhere.
    CHECK_FALSE(compareTensors(right, *run.results[0]).passed);
    auto check = compareTensors(right, *run.results[0], run.bounds[0]);
    CHECK(check.rule == "carried-errors");
    INFO(check.worst << " " << check.error);
    CHECK(check.passed);
    // One step of k left out is no rounding.
    CHECK_FALSE(
        compareTensors(inFloat(inputs, 1), *run.results[0], run.bounds[0])
            .passed);
  }
}

TEST_CASE("errors go with their elements") {
  ParsedModule module(R"(
    func.func @f(%a: tensor<3x50xf32>, %b: tensor<50x4xf32>) -> (tensor<3x4xf32>, tensor<4x3xf32>, tensor<2x2xf32>, tensor<3x8xf32>, tensor<3x50xf32>) {
      %c = tw.matmul %a, %b : (tensor<3x50xf32>, tensor<50x4xf32>) -> tensor<3x4xf32>
      %t = tw.transpose %c {permutation = [1, 0]} : (tensor<3x4xf32>) -> tensor<4x3xf32>
      %s = tw.slice %c {offsets = [1, 1], sizes = [2, 2]} : (tensor<3x4xf32>) -> tensor<2x2xf32>
      %z = tw.full {value = 1.0} : () -> tensor<3x4xf32>
      %j = tw.concat %z, %c {axis = 1} : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x8xf32>
      return %c, %t, %s, %j, %a : tensor<3x4xf32>, tensor<4x3xf32>, tensor<2x2xf32>, tensor<3x8xf32>, tensor<3x50xf32>
    })");
  auto inputs = seededInputs(module.function("f"));
  TensorRun run = carried(module, inputs);
  auto a = numbers(inputs[0]), b = numbers(inputs[1]);
  const HostTensor &c = *run.bounds[0].allowed;
  double magnitude = 0;
  for (int k = 0; k < 50; ++k)
    magnitude += std::fabs(a[50 + size_t(k)] * b[size_t(k) * 4 + 2]);
  double bound = 4 * 0x1p-24 * std::sqrt(50.0) * magnitude;
  // Beside rounding the result.
  CHECK(c.at(1 * 4 + 2) >= bound);
  CHECK(c.at(1 * 4 + 2) <
        bound + 4 * 0x1p-24 * std::fabs(run.results[0]->at(6)) + 1e-12);
  CHECK(run.bounds[1].allowed->at(2 * 3 + 1) == c.at(6));
  CHECK(run.bounds[2].allowed->at(0 * 2 + 1) == c.at(6));
  CHECK(run.bounds[3].allowed->at(1 * 8 + 4 + 2) == c.at(6));
  CHECK(run.bounds[3].allowed->at(1 * 8 + 2) == 0);
  CHECK_FALSE(run.bounds[4].allowed); // an input is what it is
}

TEST_CASE("a result moves no further than is allowed when its input moves") {
  const std::string x = "tensor<5x6xf32>", w = "tensor<6xf32>";
  const std::string one = " : (" + x + ") -> " + x;
  const std::string two = " : (" + x + ", " + w + ") -> " + x;
  const std::string three = " : (" + x + ", " + w + ", " + w + ") -> " + x;
  for (const std::string &row :
       {"tw.softmax %c {axis = -1}" + one, "tw.softmax %c {axis = 0}" + one,
        "tw.rms_norm %c, %w {epsilon = 1.0e-05}" + two,
        "tw.layer_norm %c, %w, %v {epsilon = 1.0e-05}" + three,
        "tw.gelu %c" + one, "tw.tanh %c" + one, "tw.exp %c" + one,
        "tw.mul %c, %w" + two, "tw.div %w, %c : (" + w + ", " + x + ") -> " + x,
        "tw.maximum %c, %w" + two,
        "tw.reduce %c {kind = sum, axes = [0], keepdims} : (" + x +
            ") -> tensor<1x6xf32>",
        "tw.reduce %c {kind = prod, axes = [1]} : (" + x +
            ") -> tensor<5xf32>"}) {
    INFO(row);
    std::string result = row.substr(row.rfind("tensor"));
    // @f makes %c by a product, @g is given it.
    std::string rest = ", %w: " + w + ", %v: " + w + ") -> ";
    ParsedModule module(
        "func.func @f(%a: tensor<5x80xf32>, %b: tensor<80x6xf32>" + rest + "(" +
        x + ", " + result +
        ") {\n%c = tw.matmul %a, %b : (tensor<5x80xf32>, "
        "tensor<80x6xf32>) -> " +
        x + "\n%r = " + row + "\nreturn %c, %r : " + x + ", " + result +
        "\n}\nfunc.func @g(%c: " + x + rest + result + " {\n%r = " + row +
        "\nreturn %r : " + result + "\n}");
    auto inputs = seededInputs(module.function("f"));
    TensorRun run = carried(module, inputs);
    const HostTensor &off = *run.bounds[0].allowed;
    const HostTensor &allowed = *run.bounds[1].allowed;
    double closest = 0;
    for (unsigned signs = 0; signs < 64; ++signs) {
      model::Diagnostic error;
      auto moved = run.results[0]->clone(error);
      REQUIRE(moved);
      // Nearly as far as allowed: what is set is rounded to f32.
      for (int64_t i = 0; i < moved->elements(); ++i)
        moved->set(i, moved->at(i) + ((signs * 2654435761u >> (i % 32)) & 1
                                          ? 0.9 * off.at(i)
                                          : -0.9 * off.at(i)));
      auto got = interpret(module.function("g"),
                           {std::make_shared<HostTensor>(std::move(*moved)),
                            inputs[2], inputs[3]});
      for (int64_t i = 0; i < allowed.elements(); ++i) {
        double share =
            std::fabs(got[0]->at(i) - run.results[1]->at(i)) / allowed.at(i);
        REQUIRE(share <= 1);
        closest = std::max(closest, share);
      }
    }
    // And what is allowed is not boundless.
    CHECK(closest > 0.05);
  }
}

TEST_CASE("tensors without elements have errors without elements") {
  ParsedModule module(R"(
    func.func @f(%a: tensor<4x0xf32>, %b: tensor<0x5xf32>) -> (tensor<4x5xf32>, tensor<4x0xf32>, tensor<4xf32>) {
      %c = tw.matmul %a, %b : (tensor<4x0xf32>, tensor<0x5xf32>) -> tensor<4x5xf32>
      %s = tw.softmax %a {axis = -1} : (tensor<4x0xf32>) -> tensor<4x0xf32>
      %r = tw.reduce %a {kind = sum, axes = [1]} : (tensor<4x0xf32>) -> tensor<4xf32>
      return %c, %s, %r : tensor<4x5xf32>, tensor<4x0xf32>, tensor<4xf32>
    })");
  auto inputs = seededInputs(module.function("f"));
  TensorRun run = carried(module, inputs);
  for (size_t i = 0; i < 3; ++i) {
    REQUIRE(run.bounds[i].allowed);
    CHECK(
        compareTensors(*run.results[i], *run.results[i], run.bounds[i]).passed);
  }
  TensorRunOptions options;
  options.bounds = true;
  model::Diagnostic error;
  auto bounded =
      interpretTensorGraph(module.function("f"), inputs, options, error);
  REQUIRE(bounded);
  CHECK(bounded->bounds[0].depth == 0);
}

TEST_CASE("what is not worked out is not known") {
  ParsedModule module(R"(
    func.func @f(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
      %c = tw.matmul %a, %a : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %b = tw.compare %c, %a {predicate = lt} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xi1>
      %s = tw.select %b, %a, %c : (tensor<4x4xi1>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      return %s : tensor<4x4xf32>
    })");
  TensorRun run = carried(module, seededInputs(module.function("f")));
  CHECK_FALSE(run.bounds[0].allowed);
}

TEST_CASE("activations are held to what they come to written out in f32") {
  // One column, so that each value is the largest of its row.
  auto check = [](const std::string &op, double low, double high,
                  float (*written)(float), float (*wrong)(float)) {
    CAPTURE(op);
    const std::string type = "tensor<200x1xf32>";
    ParsedModule module("func.func @f(%x: " + type + ") -> " + type +
                        " {\n%r = tw." + op + " %x : (" + type + ") -> " +
                        type + "\nreturn %r : " + type + "\n}");
    model::Diagnostic error;
    auto x = HostTensor::make(Element::F32, {200, 1}, error);
    auto right = HostTensor::make(Element::F32, {200, 1}, error);
    auto other = HostTensor::make(Element::F32, {200, 1}, error);
    REQUIRE((x && right && other));
    for (int i = 0; i < 200; ++i) {
      x->set(i, low + (high - low) * i / 199);
      right->set(i, written(float(x->at(i))));
      other->set(i, wrong(float(x->at(i))));
    }
    TensorRun run =
        carried(module, {std::make_shared<HostTensor>(std::move(*x))});
    CHECK_FALSE(compareTensors(*right, *run.results[0]).passed);
    auto checked = compareTensors(*right, *run.results[0], run.bounds[0]);
    INFO(checked.worst << " " << checked.error);
    CHECK(checked.passed);
    CHECK_FALSE(compareTensors(*other, *run.results[0], run.bounds[0]).passed);
  };
  check(
      "gelu", -6, 0,
      [](float x) { return x * 0.5f * (1.0f + std::erf(x * 0.70710678f)); },
      [](float x) {
        return 0.5f * x *
               (1.0f + std::tanh(0.79788456f * (x + 0.044715f * x * x * x)));
      });
  check(
      "sigmoid", -100, -1, [](float x) { return 1.0f / (1.0f + std::exp(-x)); },
      [](float x) { return 1.0f / std::exp(-x); });
  check(
      "silu", -100, -1, [](float x) { return x / (1.0f + std::exp(-x)); },
      [](float x) { return x / std::exp(-x); });
}

TEST_CASE("errors go into calls and come back") {
  ParsedModule module(R"(
    func.func @f(%a: tensor<3x50xf32>, %b: tensor<50x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) {
      %c = tw.matmul %a, %b : (tensor<3x50xf32>, tensor<50x4xf32>) -> tensor<3x4xf32>
      %d = tw.neg %c : (tensor<3x4xf32>) -> tensor<3x4xf32>
      %e = call @g(%c) : (tensor<3x4xf32>) -> tensor<3x4xf32>
      %z = tw.full {value = 1.0} : () -> tensor<3x4xf32>
      %h = call @g(%z) : (tensor<3x4xf32>) -> tensor<3x4xf32>
      return %d, %e, %h : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>
    }
    func.func private @g(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
      %y = tw.neg %x : (tensor<3x4xf32>) -> tensor<3x4xf32>
      return %y : tensor<3x4xf32>
    })");
  TensorRun run = carried(module, seededInputs(module.function("f")));
  REQUIRE(run.bounds[1].allowed);
  REQUIRE(run.bounds[2].allowed);
  for (int64_t i = 0; i < 12; ++i)
    CHECK(run.bounds[1].allowed->at(i) == run.bounds[0].allowed->at(i));
  CHECK(run.bounds[2].allowed->at(0) < 1e-6); // of this call, not the last one
}
