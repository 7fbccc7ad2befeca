//===- TestNumpyFile.cpp --------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/execute/NumpyFile.h"
#include "core/execute/SeededTensor.h"
#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace tilewright;
using namespace tilewright::execute;

namespace {

/// A folder that goes away with the test.
struct Folder {
  std::filesystem::path path = std::filesystem::temp_directory_path() /
                               ("tilewright-npy-" + std::to_string(getpid()));
  Folder() { std::filesystem::create_directories(path); }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string file(const std::string &name) const { return path / name; }
};

std::vector<std::byte> npy(const std::string &header, const std::string &data,
                           int major = 1) {
  std::string text = "\x93NUMPY";
  text += char(major);
  text += '\0';
  text += char(header.size() & 255);
  text += char(header.size() >> 8);
  if (major > 1)
    text += std::string(2, '\0');
  text += header + data;
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

std::string floats(std::vector<float> values) {
  return {reinterpret_cast<const char *>(values.data()), values.size() * 4};
}

} // namespace

TEST_CASE("every element type comes back from a file") {
  Folder folder;
  model::Diagnostic error;
  for (Element element :
       {Element::F64, Element::F32, Element::F16, Element::BF16, Element::I1,
        Element::I8, Element::I16, Element::I32, Element::I64}) {
    INFO(nameOf(element));
    for (std::vector<int64_t> shape :
         {std::vector<int64_t>{}, {3}, {2, 3, 4}, {5, 0}}) {
      auto tensor = seededTensor(element, shape, 1, "t", error);
      REQUIRE(tensor);
      std::string path = folder.file("t.npy");
      REQUIRE(writeNumpy(*tensor, path, error));
      CHECK(std::filesystem::file_size(path) % 64 ==
            size_t(tensor->byteSize()) % 64);
      auto back = readNumpy(path, error);
      REQUIRE(back);
      CHECK(back->typeText() == tensor->typeText());
      CHECK(std::memcmp(back->data(), tensor->data(),
                        size_t(tensor->byteSize())) == 0);
    }
  }
  // Nothing half-written stays.
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path), {}) ==
        1);
}

TEST_CASE("Fortran order and big-endian files are read") {
  model::Diagnostic error;
  auto fortran = parseNumpy(
      npy("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }\n",
          floats({0, 10, 1, 11, 2, 12})),
      "f.npy", error);
  REQUIRE(fortran);
  CHECK(std::vector<float>(fortran->as<float>().begin(),
                           fortran->as<float>().end()) ==
        std::vector<float>{0, 1, 2, 10, 11, 12});
  auto swapped = parseNumpy(
      npy("{'descr': '>i2', 'fortran_order': False, 'shape': (2,), }",
          std::string("\x01\x02\xff\xfe", 4)),
      "b.npy", error);
  REQUIRE(swapped);
  CHECK(swapped->at(0) == 0x0102);
  CHECK(swapped->at(1) == -2);
  auto version3 =
      parseNumpy(npy("{\"shape\":(),\"descr\":\"|b1\",\"fortran_order\":False}",
                     "\x07", 3),
                 "v3.npy", error);
  REQUIRE(version3);
  CHECK(version3->as<uint8_t>()[0] == 1);
}

TEST_CASE("what is no complete file is an error, never a crash") {
  model::Diagnostic error;
  auto good =
      npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n",
          floats({1, 2, 3, 4, 5, 6}));
  REQUIRE(parseNumpy(good, "g.npy", error));
  for (size_t length = 0; length < good.size(); ++length) {
    CHECK_FALSE(parseNumpy({good.data(), length}, "cut.npy", error));
    CHECK(error.code == "TW0513");
    CHECK(error.message.rfind("cut.npy: ", 0) == 0);
  }
  auto longer = good;
  longer.push_back({});
  CHECK_FALSE(parseNumpy(longer, "long.npy", error));
  CHECK(error.message.find("has 24 bytes, the file has 25") !=
        std::string::npos);

  auto header = [&](const std::string &text) {
    bool read = parseNumpy(npy(text, "abcd"), "h.npy", error).has_value();
    return read ? "read" : error.code;
  };
  CHECK(header("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}") ==
        "read");
  CHECK(header("{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}") ==
        "TW0514");
  CHECK(header("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}") ==
        "TW0514");
  CHECK(
      header(
          "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}") ==
      "TW0513");
  CHECK(header("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}") ==
        "TW0513");
  CHECK(header("{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}") ==
        "TW0513");
  CHECK(header("{'descr': '<f4', 'fortran_order': False}") == "TW0513");
  CHECK(
      header(
          "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'x': 1}") ==
      "TW0513");
  CHECK(
      header(
          "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} trailing") ==
      "TW0513");
  CHECK(header("{'descr': '<f4', 'fortran_order': False, 'shape': "
               "(4611686018427387904, 4)}") == "TW0513");
  CHECK(header("{'descr': '<f4', 'fortran_order': False, 'shape': "
               "(99999999999999999999,)}") == "TW0513");
  CHECK(header("{'descr': '<f4") == "TW0513");
  CHECK(header("") == "TW0513");
}

TEST_CASE("a file is held to the type and shape that are wanted") {
  Folder folder;
  model::Diagnostic error;
  auto tensor = seededTensor(Element::F64, {4, 8}, 3, "t", error);
  std::string path = folder.file("t.npy");
  REQUIRE(writeNumpy(*tensor, path, error));
  std::vector<int64_t> any{-1, 8}, other{4, 9};
  auto narrow = readNumpyAs(path, Element::BF16, any, error);
  REQUIRE(narrow);
  CHECK(narrow->as<uint16_t>()[5] == roundToBf16(tensor->at(5)));
  CHECK_FALSE(readNumpyAs(path, Element::F64, other, error));
  CHECK(error.code == "TW0515");
  CHECK(error.message.find("4x8xf64, but 4x9xf64") != std::string::npos);
  CHECK_FALSE(readNumpyAs(path, Element::I32, any, error));

  // The bits of a bf16 in numpy's own terms.
  auto bits = HostTensor::make(Element::I16, {2}, error);
  bits->as<uint16_t>()[0] = 0x3f80;
  bits->as<uint16_t>()[1] = 0xc000;
  REQUIRE(writeNumpy(*bits, path, error));
  std::vector<int64_t> two{2};
  auto bf16 = readNumpyAs(path, Element::BF16, two, error);
  REQUIRE(bf16);
  CHECK(bf16->at(0) == 1);
  CHECK(bf16->at(1) == -2);
}

TEST_CASE("unreadable and unwritable paths say why") {
  Folder folder;
  model::Diagnostic error;
  CHECK_FALSE(readNumpy(folder.file("missing.npy"), error));
  CHECK(error.code == "TW0512");
  CHECK(error.message.find("No such file") != std::string::npos);
  CHECK_FALSE(readNumpy(folder.path, error));
  CHECK(error.code == "TW0512");
  CHECK_FALSE(writeNumpy(HostTensor(), folder.file("no/such/t.npy"), error));
  CHECK(error.code == "TW0512");
  // A device that is always full.
  if (std::filesystem::exists("/dev/full")) {
    std::filesystem::path part =
        folder.file("t.npy.part" + std::to_string(getpid()));
    std::filesystem::create_symlink("/dev/full", part);
    CHECK_FALSE(writeNumpy(HostTensor(), folder.file("t.npy"), error));
    CHECK(error.message.find("No space left") != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(folder.file("t.npy")));
  }
}
