//===- FramingTest.cpp ----------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/protocol/Framing.h"
#include <catch2/catch.hpp>

using namespace tilewright::lsp;

TEST_CASE("frames arrive in any pieces") {
  std::string stream =
      frame("one") + frame("") + frame(std::string(70000, 'x'));
  for (size_t piece : {size_t(1), size_t(7), size_t(4096), stream.size()}) {
    FrameReader reader;
    std::vector<std::string> bodies;
    for (size_t at = 0; at < stream.size(); at += piece) {
      reader.feed(std::string_view(stream).substr(at, piece));
      while (auto next = reader.next()) {
        REQUIRE(next->error.empty());
        bodies.push_back(next->body);
      }
    }
    REQUIRE(bodies.size() == 3);
    CHECK(bodies[0] == "one");
    CHECK(bodies[1].empty());
    CHECK(bodies[2].size() == 70000);
    CHECK_FALSE(reader.midFrame());
  }
}

TEST_CASE("header names match in any case, lines may end in LF") {
  FrameReader reader;
  reader.feed("content-type: x\ncontent-LENGTH:2 \n\nab\r\n\r\n"
              "CONTENT-LENGTH: 1\r\n\r\nc");
  CHECK(reader.next()->body == "ab");
  CHECK(reader.next()->body == "c");
  CHECK_FALSE(reader.next());
}

TEST_CASE("a bad header costs one frame") {
  for (std::string header :
       {"Content-Length: -1", "Content-Length: 1x",
        "Content-Length: 99999999999999999999", "Content-Length:", "Other: 3",
        "Content-Length: 1\r\nContent-Length: 2"}) {
    FrameReader reader;
    reader.feed(header + "\r\n\r\n" + frame("good"));
    auto bad = reader.next();
    REQUIRE(bad);
    CHECK_FALSE(bad->error.empty());
    CHECK_FALSE(bad->fatal);
    CHECK(reader.next()->body == "good");
  }
}

TEST_CASE("an oversize body is skipped and not stored") {
  FrameReader reader(100);
  reader.feed("Content-Length: 1000000\r\n\r\n");
  auto bad = reader.next();
  REQUIRE(bad);
  CHECK(bad->error.find("1000000") != std::string::npos);
  for (int i = 0; i < 1000; ++i) {
    reader.feed(std::string(1000, 'y'));
    CHECK_FALSE(reader.next());
  }
  reader.feed(frame("after"));
  CHECK(reader.next()->body == "after");
}

TEST_CASE("what is no header at all ends the stream") {
  FrameReader reader;
  reader.feed(std::string(10000, '\xff'));
  auto bad = reader.next();
  REQUIRE(bad);
  CHECK(bad->fatal);
  reader.feed(frame("never"));
  CHECK_FALSE(reader.next());
}

TEST_CASE("a length that promises too much does not swallow what follows") {
  // Below the limit and beyond it, in any pieces, with and without a body.
  for (std::string length : {"5000", "99999999999", "9223372036854775807",
                             "99999999999999999999999", "x"})
    for (std::string body : {"", "{\"half\": 1}", "{\n\"a\":\r\n2}"})
      for (size_t piece : {size_t(1), size_t(13), size_t(100000)}) {
        INFO(length << " " << body << " " << piece);
        std::string stream = frame("before") + "Content-Length: " + length +
                             "\r\n\r\n" + body + frame("{}") +
                             "content-length:  5\n\nafter";
        FrameReader reader(1 << 20);
        std::string got;
        for (size_t at = 0; at < stream.size(); at += piece) {
          reader.feed(std::string_view(stream).substr(at, piece));
          while (auto next = reader.next())
            got += next->error.empty() ? next->body + "|" : "error|";
        }
        CHECK(got == "before|error|{}|after|");
        CHECK_FALSE(reader.midFrame());
      }
}

TEST_CASE("a body may talk of headers") {
  FrameReader reader;
  std::string body = "{\"text\": \"Content-Length: 5\\r\\n\"}";
  reader.feed(frame(body).substr(0, 40));
  CHECK_FALSE(reader.next());
  reader.feed(frame(body).substr(40));
  CHECK(reader.next()->body == body);
}
