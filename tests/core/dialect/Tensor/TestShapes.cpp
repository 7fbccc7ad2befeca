//===- TestShapes.cpp -----------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/dialect/Tensor/ShapeInference.h"
#include <catch2/catch.hpp>

using namespace tilewright::tw;

static constexpr int64_t any = mlir::ShapedType::kDynamic;
using Sizes = std::vector<int64_t>;

static Sizes sizes(llvm::FailureOr<Shape> shape) {
  REQUIRE(succeeded(shape));
  return Sizes(shape->begin(), shape->end());
}

TEST_CASE("shapes broadcast as in numpy, ? never") {
  std::string error;
  CHECK(sizes(broadcastShapes({{4, 1, 8}, {5, 1}}, error)) == Sizes{4, 5, 8});
  CHECK(sizes(broadcastShapes({{any, 8}, {4, 8}}, error)) == Sizes{4, 8});
  CHECK(sizes(broadcastShapes({{any, 8}, {1, 8}}, error)) == Sizes{any, 8});
  CHECK(sizes(broadcastShapes({{any}, {any}}, error)) == Sizes{any});
  CHECK(sizes(broadcastShapes({{}, {3}}, error)) == Sizes{3});
  CHECK(sizes(broadcastShapes({{0}, {1}}, error)) == Sizes{0});
  CHECK(failed(broadcastShapes({{0}, {2}}, error)));
  CHECK(failed(broadcastShapes({{any, 4}, {any, 3}}, error)));
}

TEST_CASE("matmul shapes") {
  std::string error;
  CHECK(sizes(matmulShape({2, 3, 4}, {4, 5}, false, false, error)) ==
        Sizes{2, 3, 5});
  CHECK(sizes(matmulShape({4, 3}, {5, 4}, true, true, error)) == Sizes{3, 5});
  CHECK(sizes(matmulShape({any, any}, {4, any}, false, false, error)) ==
        Sizes{any, any});
  CHECK(failed(matmulShape({3, 4}, {5, 6}, false, false, error)));
}

TEST_CASE("reshape works the ? out") {
  std::string error;
  CHECK(sizes(reshapeShape({4, 6}, {any, 8}, error)) == Sizes{3, 8});
  CHECK(sizes(reshapeShape({any, 6}, {any, 3}, error)) == Sizes{any, 3});
  CHECK(sizes(reshapeShape({0, 6}, {0}, error)) == Sizes{0});
  CHECK(failed(reshapeShape({0, 6}, {any, 0}, error)));
  CHECK(failed(reshapeShape({int64_t(1) << 62, 8}, {any}, error)));
  CHECK(error.find("TW0102") != std::string::npos);
}

TEST_CASE("slices do not reach beyond") {
  std::string error;
  CHECK(sizes(sliceShape({10}, {1}, {any}, {4}, error)) == Sizes{3});
  CHECK(sizes(sliceShape({10}, {10}, {0}, {}, error)) == Sizes{0});
  CHECK(sizes(sliceShape({any}, {1}, {any}, {}, error)) == Sizes{any});
  CHECK(sizes(sliceShape({10}, {0}, {4}, {3}, error)) == Sizes{4});
  CHECK(failed(sliceShape({10}, {1}, {4}, {3}, error)));
  CHECK(failed(sliceShape({10}, {0}, {2}, {INT64_MAX}, error)));
  CHECK(failed(sliceShape({any}, {2}, {INT64_MAX}, {INT64_MAX}, error)));
}
