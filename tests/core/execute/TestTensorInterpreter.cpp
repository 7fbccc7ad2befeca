//===- TestTensorInterpreter.cpp ------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ParsedModule.h"
#include "tests/Stopwatch.h"
#include <chrono>
#include <cmath>
#include <limits>
#include <thread>

using namespace tilewright;
using namespace tilewright::execute;

static const double inf = std::numeric_limits<double>::infinity();
static const double nan_ = std::numeric_limits<double>::quiet_NaN();

/// Runs `body`, which makes %r of `type` from %x, on one tensor.
static std::vector<double> run1(const std::string &body, const std::string &in,
                                const std::string &out, TensorRef x) {
  ParsedModule module("func.func @f(%x: " + in + ") -> " + out + " {\n" + body +
                      "\n return %r : " + out + "\n}");
  return numbers(interpret(module.function("f"), {x}).front());
}

static void checkEqual(const std::vector<double> &got,
                       const std::vector<double> &want) {
  REQUIRE(got.size() == want.size());
  for (size_t i = 0; i < got.size(); ++i) {
    INFO("element " << i << ": " << got[i] << ", wanted " << want[i]);
    if (std::isnan(want[i]))
      CHECK(std::isnan(got[i]));
    else
      CHECK(
          (got[i] == want[i] && std::signbit(got[i]) == std::signbit(want[i])));
  }
}

TEST_CASE("unary operators") {
  std::vector<double> in{-2.5, -0.0, 0.0, 0.5, 3.0, inf, -inf, nan_};
  struct Case {
    const char *name;
    double (*function)(double);
  };
  for (Case c : {Case{"neg", [](double x) { return -x; }},
                 {"abs", [](double x) { return std::fabs(x); }},
                 {"exp", [](double x) { return std::exp(x); }},
                 {"log", [](double x) { return std::log(x); }},
                 {"sqrt", [](double x) { return std::sqrt(x); }},
                 {"rsqrt", [](double x) { return 1 / std::sqrt(x); }},
                 {"reciprocal", [](double x) { return 1 / x; }},
                 {"tanh", [](double x) { return std::tanh(x); }},
                 {"erf", [](double x) { return std::erf(x); }},
                 {"sigmoid", [](double x) { return 1 / (1 + std::exp(-x)); }},
                 {"silu", [](double x) { return x / (1 + std::exp(-x)); }},
                 {"relu", [](double x) {
                    return std::isnan(x) ? x : x > 0 ? x : 0;
                  }}}) {
    INFO(c.name);
    std::string text = std::string("%r = tw.") + c.name +
                       " %x : (tensor<8xf32>) -> tensor<8xf32>";
    std::vector<double> want;
    for (double x : in)
      want.push_back(float(c.function(x)));
    checkEqual(run1(text, "tensor<8xf32>", "tensor<8xf32>",
                    tensorOf(Element::F32, {8}, in)),
               want);
  }
  auto gelu = run1("%r = tw.gelu %x : (tensor<3xf32>) -> tensor<3xf32>",
                   "tensor<3xf32>", "tensor<3xf32>",
                   tensorOf(Element::F32, {3}, {-1, 0, 2}));
  CHECK(gelu[0] == Approx(-0.15865525393145707));
  CHECK(gelu[1] == 0);
  CHECK(gelu[2] == Approx(1.9544997361036416));
}

TEST_CASE("binary operators broadcast") {
  ParsedModule module(R"(
    func.func @f(%x: tensor<2x3xf32>, %row: tensor<3xf32>, %column: tensor<2x1xf32>)
        -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
      %a = tw.sub %x, %row : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
      %b = tw.div %x, %column : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>
      %c = tw.pow %row, %column : (tensor<3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>
      %d = tw.maximum %x, %row : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
      %e = tw.minimum %x, %row : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
      return %a, %b, %c, %d, %e : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
    })");
  auto results =
      interpret(module.function("f"),
                {tensorOf(Element::F32, {2, 3}, {1, 2, 3, nan_, -0.0, 6}),
                 tensorOf(Element::F32, {3}, {2, 0, 1}),
                 tensorOf(Element::F32, {2, 1}, {2, 4})});
  checkEqual(numbers(results[0]), {-1, 2, 2, nan_, -0.0, 5});
  checkEqual(numbers(results[1]), {0.5, 1, 1.5, nan_, -0.0, 1.5});
  checkEqual(numbers(results[2]), {4, 0, 1, 16, 0, 1});
  checkEqual(numbers(results[3]), {2, 2, 3, nan_, 0, 6});
  checkEqual(numbers(results[4]), {1, 0, 1, nan_, -0.0, 1});
}

TEST_CASE("compare, select, cast and full") {
  ParsedModule module(R"(
    func.func @f(%x: tensor<4xf32>, %i: tensor<4xi64>) -> (tensor<4xi1>, tensor<4xf32>, tensor<4xbf16>, tensor<4xi8>, tensor<4xi1>, tensor<4xi64>, tensor<4xi32>) {
      %zero = tw.full {value = 0} : () -> tensor<f32>
      %m = tw.compare %x, %zero {predicate = ge} : (tensor<4xf32>, tensor<f32>) -> tensor<4xi1>
      %low = tw.full {value = neg_inf} : () -> tensor<1xf32>
      %s = tw.select %m, %x, %low : (tensor<4xi1>, tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
      %b = tw.cast %x : (tensor<4xf32>) -> tensor<4xbf16>
      %n = tw.cast %x : (tensor<4xf32>) -> tensor<4xi8>
      %most = arith.constant dense<9223372036854775806> : tensor<4xi64>
      %e = tw.compare %i, %most {predicate = eq} : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi1>
      %k = tw.select %e, %most, %i : (tensor<4xi1>, tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
      %w = tw.cast %i : (tensor<4xi64>) -> tensor<4xi32>
      return %m, %s, %b, %n, %e, %k, %w : tensor<4xi1>, tensor<4xf32>, tensor<4xbf16>, tensor<4xi8>, tensor<4xi1>, tensor<4xi64>, tensor<4xi32>
    })");
  auto wide = HostTensor::make(Element::I64, {4},
                               *std::make_unique<model::Diagnostic>());
  int64_t most = std::numeric_limits<int64_t>::max();
  std::vector<int64_t> integers{most, most - 1, -1, 1ll << 32};
  std::copy(integers.begin(), integers.end(), wide->as<int64_t>().begin());
  auto results =
      interpret(module.function("f"),
                {tensorOf(Element::F32, {4}, {1.00390625, nan_, -300, 130.7}),
                 std::make_shared<HostTensor>(std::move(*wide))});
  checkEqual(numbers(results[0]), {1, 0, 0, 1});
  checkEqual(numbers(results[1]), {1.00390625, -inf, -inf, float(130.7)});
  checkEqual(numbers(results[2]), {1, nan_, -300, 131});
  checkEqual(numbers(results[3]), {1, 0, -128, 127});
  // Neighbours beyond 2^53 are told apart.
  checkEqual(numbers(results[4]), {0, 1, 0, 0});
  auto kept = results[5]->as<int64_t>();
  CHECK(std::vector<int64_t>(kept.begin(), kept.end()) == integers);
  checkEqual(numbers(results[6]), {-1, -2, -1, 0});
}

/// A product in the most direct way.
static std::vector<double> directMatmul(const std::vector<double> &a,
                                        const std::vector<double> &b, int64_t m,
                                        int64_t n, int64_t k, bool ta,
                                        bool tb) {
  std::vector<double> c(size_t(m * n));
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j)
      for (int64_t p = 0; p < k; ++p)
        c[i * n + j] +=
            a[ta ? p * m + i : i * k + p] * b[tb ? j * k + p : p * n + j];
  return c;
}

TEST_CASE("matmul of any size and orientation") {
  auto type = [](int64_t a, int64_t b, const char *e) {
    return "tensor<" + std::to_string(a) + "x" + std::to_string(b) + "x" + e +
           ">";
  };
  for (auto [m, n, k] : {std::array<int64_t, 3>{1, 1, 1},
                         {7, 127, 129},
                         {129, 7, 1000},
                         {65, 193, 257},
                         {1, 200, 3},
                         {64, 192, 256}})
    for (bool ta : {false, true})
      for (bool tb : {false, true}) {
        INFO(m << "x" << k << "x" << n << " " << ta << tb);
        std::string a = ta ? type(k, m, "bf16") : type(m, k, "bf16");
        std::string b = tb ? type(n, k, "bf16") : type(k, n, "bf16");
        std::string c = type(m, n, "f32");
        std::string flags = std::string(ta ? "transpose_lhs" : "") +
                            (ta && tb ? ", " : "") +
                            (tb ? "transpose_rhs" : "");
        ParsedModule module(
            "func.func @f(%a: " + a + ", %b: " + b + ", %c: " + c + ") -> (" +
            c + ", " + c + ") { %p = tw.matmul %a, %b {" + flags + "} : (" + a +
            ", " + b + ") -> " + c + " %q = tw.matmul %a, %b acc %c {" + flags +
            "} : (" + a + ", " + b + ", " + c + ") -> " + c +
            " return %p, %q : " + c + ", " + c + " }");
        auto inputs = seededInputs(module.function("f"));
        auto results = interpret(module.function("f"), inputs);
        auto want = directMatmul(numbers(inputs[0]), numbers(inputs[1]), m, n,
                                 k, ta, tb);
        auto got = numbers(results[0]), sum = numbers(results[1]);
        auto acc = numbers(inputs[2]);
        double worst = 0;
        for (size_t i = 0; i < want.size(); ++i) {
          worst = std::max(worst, std::fabs(got[i] - want[i]) /
                                      (1 + std::fabs(want[i])));
          worst = std::max(worst, std::fabs(sum[i] - want[i] - acc[i]) /
                                      (1 + std::fabs(want[i] + acc[i])));
        }
        CHECK(worst < 1e-7);
      }
}

TEST_CASE("batches of matmuls broadcast") {
  ParsedModule module(R"(
    func.func @f(%a: tensor<2x1x3x4xf32>, %b: tensor<5x4x2xf32>) -> tensor<2x5x3x2xf32> {
      %c = tw.matmul %a, %b : (tensor<2x1x3x4xf32>, tensor<5x4x2xf32>) -> tensor<2x5x3x2xf32>
      return %c : tensor<2x5x3x2xf32>
    })");
  auto inputs = seededInputs(module.function("f"));
  auto got = numbers(interpret(module.function("f"), inputs).front());
  auto a = numbers(inputs[0]), b = numbers(inputs[1]);
  for (int64_t i = 0; i < 2; ++i)
    for (int64_t j = 0; j < 5; ++j) {
      auto want = directMatmul({a.begin() + i * 12, a.begin() + (i + 1) * 12},
                               {b.begin() + j * 8, b.begin() + (j + 1) * 8}, 3,
                               2, 4, false, false);
      for (size_t e = 0; e < 6; ++e)
        CHECK(got[(i * 5 + j) * 6 + e] == Approx(want[e]).epsilon(1e-6));
    }
}

TEST_CASE("reductions over any axes") {
  ParsedModule module(R"(
    func.func @f(%x: tensor<2x3x4xf32>, %e: tensor<2x0xf32>, %n: tensor<2xf32>) -> (tensor<2x4xf32>, tensor<3xf32>, tensor<1x1x1xf32>, tensor<2x3xf32>, tensor<f32>, tensor<2xf32>, tensor<f32>) {
      %a = tw.reduce %x {kind = sum, axes = [1]} : (tensor<2x3x4xf32>) -> tensor<2x4xf32>
      %b = tw.reduce %x {kind = mean, axes = [0, -1]} : (tensor<2x3x4xf32>) -> tensor<3xf32>
      %c = tw.reduce %x {kind = max, axes = [0, 1, 2], keepdims} : (tensor<2x3x4xf32>) -> tensor<1x1x1xf32>
      %d = tw.reduce %x {kind = min, axes = [2]} : (tensor<2x3x4xf32>) -> tensor<2x3xf32>
      %p = tw.reduce %n {kind = prod, axes = [0]} : (tensor<2xf32>) -> tensor<f32>
      %z = tw.reduce %e {kind = max, axes = [1]} : (tensor<2x0xf32>) -> tensor<2xf32>
      %m = tw.reduce %e {kind = mean, axes = [0, 1]} : (tensor<2x0xf32>) -> tensor<f32>
      return %a, %b, %c, %d, %p, %z, %m : tensor<2x4xf32>, tensor<3xf32>, tensor<1x1x1xf32>, tensor<2x3xf32>, tensor<f32>, tensor<2xf32>, tensor<f32>
    })");
  std::vector<double> x(24);
  for (int i = 0; i < 24; ++i)
    x[i] = i;
  auto r =
      interpret(module.function("f"), {tensorOf(Element::F32, {2, 3, 4}, x),
                                       tensorOf(Element::F32, {2, 0}, {}),
                                       tensorOf(Element::F32, {2}, {3, nan_})});
  checkEqual(numbers(r[0]), {12, 15, 18, 21, 48, 51, 54, 57});
  checkEqual(numbers(r[1]), {7.5, 11.5, 15.5});
  checkEqual(numbers(r[2]), {23});
  checkEqual(numbers(r[3]), {0, 4, 8, 12, 16, 20});
  checkEqual(numbers(r[4]), {nan_});
  checkEqual(numbers(r[5]), {-inf, -inf});
  checkEqual(numbers(r[6]), {nan_});
}

TEST_CASE("softmax and norms") {
  ParsedModule module(R"(
    func.func @f(%x: tensor<2x3xf32>, %w: tensor<3xf32>, %b: tensor<3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
      %s = tw.softmax %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
      %t = tw.softmax %x {axis = 0} : (tensor<2x3xf32>) -> tensor<2x3xf32>
      %r = tw.rms_norm %x, %w {epsilon = 1.0} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
      %l = tw.layer_norm %x, %w, %b {epsilon = 0.5} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
      return %s, %t, %r, %l : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
    })");
  std::vector<double> x{1, 2, 3, 1000, 1000, 1000}, w{1, 2, -1}, b{0, 1, 0};
  auto r = interpret(module.function("f"), {tensorOf(Element::F32, {2, 3}, x),
                                            tensorOf(Element::F32, {3}, w),
                                            tensorOf(Element::F32, {3}, b)});
  double sum = std::exp(-2.0) + std::exp(-1.0) + 1;
  auto s = numbers(r[0]), t = numbers(r[1]), n = numbers(r[2]),
       l = numbers(r[3]);
  CHECK(s[0] == Approx(std::exp(-2.0) / sum));
  CHECK(s[2] == Approx(1 / sum));
  CHECK(s[3] == Approx(1.0 / 3));
  CHECK(t[0] == 0);
  CHECK(t[3] == 1);
  for (int i = 0; i < 3; ++i) {
    CHECK(n[i] == Approx(x[i] / std::sqrt(14.0 / 3 + 1) * w[i]));
    CHECK(l[i] == Approx((x[i] - 2) / std::sqrt(2.0 / 3 + 0.5) * w[i] + b[i]));
    CHECK(l[3 + i] == Approx(b[i]));
  }
}

TEST_CASE("data movement") {
  ParsedModule module(R"(
    func.func @f(%x: tensor<2x3x4xf32>, %s: tensor<1x2xf32>) -> (tensor<4x2x3xf32>, tensor<1x2xf32>, tensor<4x4xf32>, tensor<3x8xf32>) {
      %t = tw.transpose %x {permutation = [2, 0, 1]} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
      %m = tw.reshape %x : (tensor<2x3x4xf32>) -> tensor<4x6xf32>
      %a = tw.slice %m {offsets = [1, 1], sizes = [1, ?], strides = [1, 3]} : (tensor<4x6xf32>) -> tensor<1x2xf32>
      %q = tw.slice %m {offsets = [0, 0], sizes = [4, 4]} : (tensor<4x6xf32>) -> tensor<4x4xf32>
      %i = tw.insert %s, %q {offsets = [3, 0], strides = [1, 2]} : (tensor<1x2xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %r = tw.reshape %x : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
      %u = tw.slice %r {offsets = [0, 0], sizes = [3, 4]} : (tensor<6x4xf32>) -> tensor<3x4xf32>
      %v = tw.slice %r {offsets = [3, 0], sizes = [3, 4]} : (tensor<6x4xf32>) -> tensor<3x4xf32>
      %c = tw.concat %u, %v {axis = -1} : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x8xf32>
      return %t, %a, %i, %c : tensor<4x2x3xf32>, tensor<1x2xf32>, tensor<4x4xf32>, tensor<3x8xf32>
    })");
  std::vector<double> x(24);
  for (int i = 0; i < 24; ++i)
    x[i] = i;
  auto r = interpret(module.function("f"),
                     {tensorOf(Element::F32, {2, 3, 4}, x),
                      tensorOf(Element::F32, {1, 2}, {100, 200})});
  auto t = numbers(r[0]);
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 2; ++j)
      for (int k = 0; k < 3; ++k)
        CHECK(t[(i * 2 + j) * 3 + k] == x[(j * 3 + k) * 4 + i]);
  checkEqual(numbers(r[1]), {7, 10});
  checkEqual(numbers(r[2]),
             {0, 1, 2, 3, 6, 7, 8, 9, 12, 13, 14, 15, 100, 19, 200, 21});
  checkEqual(numbers(r[3]), {0,  1,  2,  3,  12, 13, 14, 15, 4,  5,  6,  7,
                             16, 17, 18, 19, 8,  9,  10, 11, 20, 21, 22, 23});
}

TEST_CASE("upstream operations") {
  ParsedModule module(R"(
    #id = affine_map<(i, j) -> (i, j)>
    #row = affine_map<(i, j) -> (i)>
    func.func private @twice(%x: tensor<3xf32>) -> tensor<3xf32> {
      %y = tw.add %x, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
      return %y : tensor<3xf32>
    }
    func.func @f(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>, %v: tensor<3xf32>) -> (tensor<2x2xf32>, tensor<2xf32>, tensor<2x3xf32>, tensor<3xf32>, tensor<2x3xf32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %one = arith.constant 1.0 : f32
      %e = tensor.empty() : tensor<2x2xf32>
      %fill = linalg.fill ins(%one : f32) outs(%e : tensor<2x2xf32>) -> tensor<2x2xf32>
      %m = linalg.matmul ins(%a, %b : tensor<2x3xf32>, tensor<3x2xf32>) outs(%fill : tensor<2x2xf32>) -> tensor<2x2xf32>
      %z = arith.constant dense<0.0> : tensor<2xf32>
      %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
             ins(%a : tensor<2x3xf32>) outs(%z : tensor<2xf32>) {
      ^bb0(%x: f32, %acc: f32):
        %j = linalg.index 1 : index
        %ji = arith.index_cast %j : index to i32
        %jf = arith.sitofp %ji : i32 to f32
        %w = arith.mulf %x, %jf : f32
        %n = arith.addf %w, %acc : f32
        linalg.yield %n : f32
      } -> tensor<2xf32>
      %sq = arith.mulf %a, %a : tensor<2x3xf32>
      %q = math.sqrt %sq : tensor<2x3xf32>
      %loop = scf.for %i = %c0 to %c3 step %c1 iter_args(%t = %v) -> tensor<3xf32> {
        %u = func.call @twice(%t) : (tensor<3xf32>) -> tensor<3xf32>
        %old = tensor.extract %u[%i] : tensor<3xf32>
        %new = arith.addf %old, %one : f32
        %splat = tensor.splat %new : tensor<1xf32>
        %w = tensor.insert_slice %splat into %u[%i] [1] [1] : tensor<1xf32> into tensor<3xf32>
        scf.yield %w : tensor<3xf32>
      }
      %par = scf.forall (%i) = (0) to (3) step (2) shared_outs(%o = %q) -> tensor<2x3xf32> {
        %size = affine.min affine_map<(d0) -> (2, -d0 + 3)>(%i)
        %t = tensor.extract_slice %a[0, %i] [2, %size] [1, 1] : tensor<2x3xf32> to tensor<2x?xf32>
        %moved = tile.move %t to "L1" : tensor<2x?xf32> -> tensor<2x?xf32>
        %n = tw.neg %moved : (tensor<2x?xf32>) -> tensor<2x?xf32>
        scf.forall.in_parallel {
          tensor.parallel_insert_slice %n into %o[0, %i] [2, %size] [1, 1] : tensor<2x?xf32> into tensor<2x3xf32>
        }
      }
      return %m, %s, %q, %loop, %par : tensor<2x2xf32>, tensor<2xf32>, tensor<2x3xf32>, tensor<3xf32>, tensor<2x3xf32>
    })");
  auto r = interpret(module.function("f"),
                     {tensorOf(Element::F32, {2, 3}, {1, -2, 3, -4, 5, -6}),
                      tensorOf(Element::F32, {3, 2}, {1, 0, 0, 1, 1, 1}),
                      tensorOf(Element::F32, {3}, {1, 2, 3})});
  checkEqual(numbers(r[0]), {5, 2, -9, 0});
  checkEqual(numbers(r[1]), {4, -7});
  checkEqual(numbers(r[2]), {1, 2, 3, 4, 5, 6});
  checkEqual(numbers(r[3]), {12, 18, 25});
  checkEqual(numbers(r[4]), {-1, 2, -3, 4, -5, 6});
}

TEST_CASE("sizes of ? that disagree are an error on the operation") {
  ParsedModule module(R"(
    func.func @f(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>) -> tensor<?x4xf32> {
      %z = tw.add %x, %y : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32> loc(fused<"f/z">["s":1:1])
      return %z : tensor<?x4xf32>
    })");
  auto function = module.function("f");
  CHECK(interpret(function, seededInputs(function, {3, 3})).front()->shape() ==
        std::vector<int64_t>{3, 4});
  model::Diagnostic error;
  // Not even 1: a ? never stretches.
  CHECK_FALSE(interpretTensorGraph(function, seededInputs(function, {3, 1}), {},
                                   error));
  CHECK(error.code == "TW0516");
  CHECK(error.key == "f/z");
  CHECK(error.message.find("operand 1 has 1 along d0, others 3") !=
        std::string::npos);

  CHECK_FALSE(interpretTensorGraph(function, {}, {}, error));
  CHECK(error.code == "TW0515");
  CHECK_FALSE(
      interpretTensorGraph(function,
                           {tensorOf(Element::F32, {1, 4}, {1, 2, 3, 4}),
                            tensorOf(Element::F32, {1, 5}, {1, 2, 3, 4, 5})},
                           {}, error));
  CHECK(
      error.message.find("argument 1 is tensor<?x4xf32>, the input 1x5xf32") !=
      std::string::npos);
}

TEST_CASE("what cannot be interpreted says so") {
  ParsedModule module(R"(
    func.func @loop(%x: tensor<4xf32>) -> tensor<4xf32> {
      %y = func.call @loop(%x) : (tensor<4xf32>) -> tensor<4xf32>
      return %y : tensor<4xf32>
    }
    func.func private @external(tensor<4xf32>) -> tensor<4xf32>
    func.func @unknown(%x: tensor<4xf32>) -> tensor<4xf32> {
      %c = arith.constant 0 : index
      %y = tensor.generate { ^bb0(%i: index): %v = tensor.extract %x[%i] : tensor<4xf32> tensor.yield %v : f32 } : tensor<4xf32>
      return %y : tensor<4xf32>
    })");
  model::Diagnostic error;
  for (const char *name : {"loop", "external", "unknown"}) {
    auto function = module.function(name);
    CHECK_FALSE(interpretTensorGraph(
        function, {tensorOf(Element::F32, {4}, {1, 2, 3, 4})}, {}, error));
    CHECK(error.code == "TW0510");
  }
  CHECK(error.message == "'tensor.generate' cannot be interpreted");
}

TEST_CASE("a matmul of inputs comes with its bound") {
  ParsedModule module(R"(
    func.func @f(%a: tensor<3x50xf32>, %b: tensor<4x50xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>) {
      %t = tw.transpose %b {permutation = [1, 0]} : (tensor<4x50xf32>) -> tensor<50x4xf32>
      %c = tw.matmul %a, %t : (tensor<3x50xf32>, tensor<50x4xf32>) -> tensor<3x4xf32>
      %e = tw.exp %c : (tensor<3x4xf32>) -> tensor<3x4xf32>
      return %c, %e : tensor<3x4xf32>, tensor<3x4xf32>
    })");
  auto function = module.function("f");
  auto inputs = seededInputs(function);
  TensorRunOptions options;
  options.bounds = true;
  double last = 0;
  options.progress = [&](double done) {
    CHECK(done > last);
    last = done;
  };
  options.threads = 1;
  model::Diagnostic error;
  auto run = interpretTensorGraph(function, inputs, options, error);
  REQUIRE(run);
  CHECK(last == Approx(3.0 / 4));
  REQUIRE(run->bounds.size() == 2);
  REQUIRE(run->bounds[0].magnitudes);
  CHECK(run->bounds[0].depth == 50);
  auto a = numbers(inputs[0]), b = numbers(inputs[1]);
  double want = 0;
  for (int k = 0; k < 50; ++k)
    want += std::fabs(a[50 + k] * b[100 + k]);
  CHECK(run->bounds[0].magnitudes->at(1 * 4 + 2) == Approx(want));
  CHECK_FALSE(run->bounds[1].magnitudes);
  CHECK(compareTensors(*run->results[0], *run->results[0], run->bounds[0])
            .passed);
}

TEST_CASE("the bound of a matmul knows its accumulator") {
  ParsedModule module(R"(
    func.func @f(%a: tensor<1x2xf32>, %b: tensor<2x1xf32>, %c: tensor<1x1xf32>) -> tensor<1x1xf32> {
      %d = tw.matmul %a, %b acc %c : (tensor<1x2xf32>, tensor<2x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
      return %d : tensor<1x1xf32>
    })");
  auto function = module.function("f");
  auto inputs = seededInputs(function);
  TensorRunOptions options;
  options.bounds = true;
  model::Diagnostic error;
  auto run = interpretTensorGraph(function, inputs, options, error);
  REQUIRE(run);
  REQUIRE(run->bounds.size() == 1);
  REQUIRE(run->bounds[0].magnitudes);
  auto a = numbers(inputs[0]), b = numbers(inputs[1]), c = numbers(inputs[2]);
  double want =
      std::fabs(a[0] * b[0]) + std::fabs(a[1] * b[1]) + std::fabs(c[0]);
  CHECK(run->bounds[0].magnitudes->at(0) == Approx(want));
}

TEST_CASE("a run can be cancelled") {
  ParsedModule module(R"(
    func.func @f(%a: tensor<2048x2048xf32>) -> tensor<2048x2048xf32> {
      %b = tw.matmul %a, %a : (tensor<2048x2048xf32>, tensor<2048x2048xf32>) -> tensor<2048x2048xf32>
      %c = tw.matmul %b, %b : (tensor<2048x2048xf32>, tensor<2048x2048xf32>) -> tensor<2048x2048xf32>
      %d = tw.matmul %c, %c : (tensor<2048x2048xf32>, tensor<2048x2048xf32>) -> tensor<2048x2048xf32>
      return %d : tensor<2048x2048xf32>
    })");
  auto function = module.function("f");
  auto inputs = seededInputs(function);
  std::atomic<bool> cancel = false;
  TensorRunOptions options;
  options.cancel = &cancel;
  std::thread stop([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    cancel = true;
  });
  model::Diagnostic error;
  CHECK_FALSE(interpretTensorGraph(function, inputs, options, error));
  CHECK(error.code == "TW0519");
  stop.join();
}

TEST_CASE("a feed-forward block takes little time", "[.speed]") {
  ParsedModule module(R"(
    func.func @f(%x: tensor<128x4096xf32>, %g: tensor<4096x1408xf32>, %u: tensor<4096x1408xf32>, %d: tensor<1408x4096xf32>) -> tensor<128x4096xf32> {
      %gate = tw.matmul %x, %g : (tensor<128x4096xf32>, tensor<4096x1408xf32>) -> tensor<128x1408xf32>
      %up = tw.matmul %x, %u : (tensor<128x4096xf32>, tensor<4096x1408xf32>) -> tensor<128x1408xf32>
      %act = tw.silu %gate : (tensor<128x1408xf32>) -> tensor<128x1408xf32>
      %hidden = tw.mul %act, %up : (tensor<128x1408xf32>, tensor<128x1408xf32>) -> tensor<128x1408xf32>
      %y = tw.matmul %hidden, %d : (tensor<128x1408xf32>, tensor<1408x4096xf32>) -> tensor<128x4096xf32>
      return %y : tensor<128x4096xf32>
    })");
  auto inputs = seededInputs(module.function("f"), {}, 0.25);
  testing::Stopwatch watch;
  interpret(module.function("f"), inputs);
  double seconds = watch.seconds();
  WARN("swiglu_ffn: " << seconds << " s");
  CHECK(seconds < 1.5);
}

TEST_CASE("a padded tensor, with one value and with values by place") {
  TensorRef x = tensorOf(Element::F32, {2, 2}, {1, 2, 3, 4});
  checkEqual(run1("%z = arith.constant -7.0 : f32\n"
                  "%r = tensor.pad %x low[1, 0] high[0, 2] {\n"
                  "^bb0(%i: index, %j: index):\n tensor.yield %z : f32\n"
                  "} : tensor<2x2xf32> to tensor<3x4xf32>",
                  "tensor<2x2xf32>", "tensor<3x4xf32>", x),
             {-7, -7, -7, -7, 1, 2, -7, -7, 3, 4, -7, -7});
  checkEqual(run1("%r = tensor.pad %x low[0, 1] high[1, 0] {\n"
                  "^bb0(%i: index, %j: index):\n"
                  "  %k = arith.addi %i, %j : index\n"
                  "  %n = arith.index_cast %k : index to i32\n"
                  "  %f = arith.sitofp %n : i32 to f32\n"
                  "  tensor.yield %f : f32\n"
                  "} : tensor<2x2xf32> to tensor<3x3xf32>",
                  "tensor<2x2xf32>", "tensor<3x3xf32>", x),
             {0, 1, 2, 1, 3, 4, 2, 3, 4});
}

TEST_CASE("a signed number of one bit is 0 or -1, a truth value 0 or 1") {
  ParsedModule module(R"(
    #id = affine_map<(d0) -> (d0)>
    func.func @f(%a: tensor<4xi1>, %b: tensor<4xi1>) -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) {
      %e = tensor.empty() : tensor<4xi1>
      %s, %u, %m = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id], iterator_types = ["parallel"]}
        ins(%a, %b : tensor<4xi1>, tensor<4xi1>) outs(%e, %e, %e : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) {
      ^bb0(%x: i1, %y: i1, %o: i1, %p: i1, %q: i1):
        %lt = arith.cmpi slt, %x, %y : i1
        %ult = arith.cmpi ult, %x, %y : i1
        %max = arith.maxsi %x, %y : i1
        linalg.yield %lt, %ult, %max : i1, i1, i1
      } -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>)
      %t = tw.compare %a, %b {predicate = lt} : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
      return %s, %u, %m, %t : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>
    })");
  model::Diagnostic error;
  auto a = HostTensor::make(Element::I1, {4}, error);
  auto b = HostTensor::make(Element::I1, {4}, error);
  REQUIRE((a && b));
  for (int i = 0; i < 4; ++i) {
    a->set(i, i & 1);
    b->set(i, i >> 1);
  }
  auto results = interpret(module.function("f"),
                           {std::make_shared<HostTensor>(std::move(*a)),
                            std::make_shared<HostTensor>(std::move(*b))});
  CHECK(numbers(results[0]) == std::vector<double>{0, 1, 0, 0}); // -1 < 0
  CHECK(numbers(results[1]) == std::vector<double>{0, 0, 1, 0});
  CHECK(numbers(results[2]) == std::vector<double>{0, 0, 0, 1});
  CHECK(numbers(results[3]) == std::vector<double>{0, 0, 1, 0});
}
