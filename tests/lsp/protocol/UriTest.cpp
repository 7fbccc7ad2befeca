//===- UriTest.cpp --------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/protocol/Uri.h"
#include <catch2/catch.hpp>

using namespace tilewright::lsp;

TEST_CASE("paths survive the way to a URI and back") {
  for (std::string path : {"/a/b.mlir", "/with space/100%/\xC3\xA4#?.mlir"}) {
    CHECK(pathFromUri(uriFromPath(path)) == path);
  }
  CHECK(uriFromPath("/a b") == "file:///a%20b");
  CHECK(pathFromUri("file://localhost/x") == "/x");
  CHECK(pathFromUri("untitled:1") == "untitled:1");
}

TEST_CASE("stage documents name stage and source") {
  StageUri uri{"tile/expand-tiles@2", "file:///a%20b.mlir"};
  CHECK(uri.str() ==
        "tilewright:/tile/expand-tiles@2?source=file:///a%2520b.mlir");
  auto back = StageUri::parse(uri.str());
  REQUIRE(back);
  CHECK(back->stage == uri.stage);
  CHECK(back->source == uri.source);
  // As VS Code re-encodes it.
  auto encoded =
      StageUri::parse("tilewright:/tile/"
                      "expand-tiles%402?source%3Dfile%3A%2F%2F%2Fa%2520b.mlir");
  REQUIRE(encoded);
  CHECK(encoded->source == uri.source);
  CHECK(encoded->stage == uri.stage);
  CHECK_FALSE(StageUri::parse("file:///x"));
  CHECK_FALSE(StageUri::parse("tilewright:/tile"));
  CHECK_FALSE(StageUri::parse("tilewright:/?source="));
}
