//===- NumpyFile.cpp - .npy files -----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/execute/NumpyFile.h"
#include "core/model/ReplacedFile.h"
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace tilewright::execute {

static_assert(std::endian::native == std::endian::little);

static void setError(model::Diagnostic &error, const char *code,
                     std::string message, std::string hint) {
  error = {};
  error.code = code;
  error.message = std::move(message);
  error.hint = std::move(hint);
}

namespace {

/// The header is a Python dictionary literal; this reads the part of that
/// language which numpy writes.
struct HeaderReader {
  std::string_view rest;

  void skipSpace() {
    size_t n = rest.find_first_not_of(" \t\n\r");
    rest.remove_prefix(n == rest.npos ? rest.size() : n);
  }
  bool take(char c) {
    skipSpace();
    if (rest.empty() || rest.front() != c)
      return false;
    rest.remove_prefix(1);
    return true;
  }
  bool takeWord(std::string_view word) {
    skipSpace();
    if (rest.substr(0, word.size()) != word)
      return false;
    rest.remove_prefix(word.size());
    return true;
  }
  std::optional<std::string> takeString() {
    skipSpace();
    if (rest.empty() || (rest.front() != '\'' && rest.front() != '"'))
      return std::nullopt;
    size_t end = rest.find(rest.front(), 1);
    if (end == rest.npos)
      return std::nullopt;
    std::string text(rest.substr(1, end - 1));
    rest.remove_prefix(end + 1);
    return text;
  }
  std::optional<int64_t> takeInteger() {
    skipSpace();
    int64_t value = 0;
    auto [end, status] =
        std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (status != std::errc())
      return std::nullopt;
    rest.remove_prefix(end - rest.data());
    if (!rest.empty() && rest.front() == 'L') // Python 2
      rest.remove_prefix(1);
    return value;
  }
  std::optional<std::vector<int64_t>> takeShape() {
    std::vector<int64_t> shape;
    if (!take('('))
      return std::nullopt;
    while (!take(')')) {
      auto size = takeInteger();
      // numpy itself stops at 64 dimensions.
      if (!size || *size < 0 || shape.size() >= 64)
        return std::nullopt;
      shape.push_back(*size);
      if (!take(',')) {
        if (!take(')'))
          return std::nullopt;
        break;
      }
    }
    return shape;
  }
};

struct Header {
  std::string type;
  bool fortran = false;
  std::vector<int64_t> shape;
};

} // namespace

static std::optional<Header> parseHeader(std::string_view text) {
  HeaderReader reader{text};
  Header header;
  bool haveType = false, haveOrder = false, haveShape = false;
  if (!reader.take('{'))
    return std::nullopt;
  while (!reader.take('}')) {
    auto name = reader.takeString();
    if (!name || !reader.take(':'))
      return std::nullopt;
    if (*name == "descr" && !haveType) {
      auto type = reader.takeString();
      if (!type)
        return std::nullopt;
      header.type = *type;
      haveType = true;
    } else if (*name == "fortran_order" && !haveOrder) {
      header.fortran = reader.takeWord("True");
      if (!header.fortran && !reader.takeWord("False"))
        return std::nullopt;
      haveOrder = true;
    } else if (*name == "shape" && !haveShape) {
      auto shape = reader.takeShape();
      if (!shape)
        return std::nullopt;
      header.shape = *shape;
      haveShape = true;
    } else {
      return std::nullopt;
    }
    if (!reader.take(',')) {
      if (!reader.take('}'))
        return std::nullopt;
      break;
    }
  }
  reader.skipSpace();
  if (!haveType || !haveOrder || !haveShape || !reader.rest.empty())
    return std::nullopt;
  return header;
}

/// The element of a numpy type string, and whether its bytes are swapped.
static std::optional<std::pair<Element, bool>>
elementOf(std::string_view type) {
  bool swapped = false;
  if (!type.empty() &&
      std::string_view("<>|=").find(type.front()) != type.npos) {
    swapped = type.front() == '>';
    type.remove_prefix(1);
  }
  static constexpr std::pair<std::string_view, Element> known[] = {
      {"f8", Element::F64},  {"f4", Element::F32}, {"f2", Element::F16},
      {"V2", Element::BF16}, {"b1", Element::I1},  {"i1", Element::I8},
      {"i2", Element::I16},  {"u2", Element::I16}, {"i4", Element::I32},
      {"i8", Element::I64}};
  for (auto [name, element] : known)
    if (name == type)
      return std::pair(element, swapped);
  return std::nullopt;
}

/// Copies from column-major to row-major order.
static void fromFortran(const std::byte *from, HostTensor &into) {
  size_t width = size_t(bytesOf(into.element()));
  int64_t rank = into.rank();
  std::vector<int64_t> index(rank, 0), strides(rank, 1);
  for (int64_t d = 1; d < rank; ++d)
    strides[d] = strides[d - 1] * into.shape()[d - 1];
  int64_t position = 0;
  for (int64_t i = 0; i < into.elements(); ++i) {
    std::memcpy(into.data() + i * width, from + position * width, width);
    for (int64_t d = rank - 1; d >= 0; --d) {
      position += strides[d];
      if (++index[d] < into.shape()[d])
        break;
      position -= strides[d] * into.shape()[d];
      index[d] = 0;
    }
  }
}

namespace {
/// What a file says before its data.
struct Start {
  std::pair<Element, bool> element; ///< and whether its bytes are swapped
  Header header;
  size_t bytes = 0; ///< before the data
  int64_t need = 0; ///< bytes of data
};
} // namespace

/// From the beginning of a file of `size` bytes, which holds the whole header.
static std::optional<Start> parseStart(std::span<const std::byte> bytes,
                                       size_t size, const std::string &name,
                                       model::Diagnostic &error) {
  auto fail = [&](const char *code, std::string what, std::string hint) {
    setError(error, code, name + ": " + what, std::move(hint));
    return std::nullopt;
  };
  static const char *const save = "write it with numpy.save";
  const char *text = reinterpret_cast<const char *>(bytes.data());
  if (bytes.size() < 10 || std::memcmp(text, "\x93NUMPY", 6) != 0)
    return fail("TW0513", "no .npy file (it does not begin as one)", save);
  unsigned major = uint8_t(text[6]);
  if (major < 1 || major > 3)
    return fail("TW0513",
                ".npy version " + std::to_string(major) +
                    " is not known; 1 to 3 are",
                save);
  size_t lengthBytes = major == 1 ? 2 : 4, begin = 8 + lengthBytes, length = 0;
  if (bytes.size() < begin)
    return fail("TW0513", "the file ends inside its header", save);
  for (size_t i = 0; i < lengthBytes; ++i)
    length |= size_t(uint8_t(text[8 + i])) << (8 * i);
  if (size - begin < length || bytes.size() - begin < length)
    return fail("TW0513",
                "the header says it has " + std::to_string(length) +
                    " bytes, but only " + std::to_string(size - begin) +
                    " follow",
                save);
  auto header = parseHeader({text + begin, length});
  if (!header)
    return fail("TW0513",
                "the header cannot be read: descr, fortran_order and "
                "shape are expected",
                save);
  auto element = elementOf(header->type);
  if (!element)
    return fail("TW0514",
                "elements of numpy type '" + header->type +
                    "' are not supported",
                "use float32, float16, int8, int32, int64 or bool, or V2 for "
                "the bits of bf16");
  auto count = elementCount(header->shape);
  int64_t need = 0;
  if (!count || __builtin_mul_overflow(*count, bytesOf(element->first), &need))
    return fail("TW0513",
                "the header's shape " + shapeText(header->shape) +
                    " has more than 2^63 bytes",
                save);
  size_t have = size - begin - length;
  // Checked before anything of that size is allocated.
  if (size_t(need) != have)
    return fail("TW0513",
                "a tensor of " + shapeText(header->shape) + " elements of " +
                    std::string(nameOf(element->first)) + " has " +
                    std::to_string(need) + " bytes, the file has " +
                    std::to_string(have) + " after its header",
                save);
  return Start{*element, std::move(*header), begin + length, need};
}

/// Bytes as this machine orders them, and truth values as 0 and 1.
static void normalise(HostTensor &tensor, bool swapped) {
  int64_t width = bytesOf(tensor.element());
  if (swapped && width > 1)
    for (int64_t i = 0; i < tensor.byteSize(); i += width)
      std::reverse(tensor.data() + i, tensor.data() + i + width);
  if (tensor.element() == Element::I1)
    for (uint8_t &value : tensor.as<uint8_t>())
      value = value != 0;
}

std::optional<HostTensor> parseNumpy(std::span<const std::byte> bytes,
                                     const std::string &name,
                                     model::Diagnostic &error) {
  auto start = parseStart(bytes, bytes.size(), name, error);
  if (!start)
    return std::nullopt;
  auto tensor =
      HostTensor::make(start->element.first, start->header.shape, error);
  if (!tensor)
    return std::nullopt;
  const std::byte *data = bytes.data() + start->bytes;
  if (start->header.fortran && tensor->rank() > 1)
    fromFortran(data, *tensor);
  else if (start->need)
    std::memcpy(tensor->data(), data, size_t(start->need));
  normalise(*tensor, start->element.second);
  return tensor;
}

static std::string reason() { return std::strerror(errno); }

namespace {
/// Closes itself.
struct File {
  int number = -1;
  ~File() {
    if (number >= 0)
      ::close(number);
  }
};
} // namespace

/// Reads all of `into`; why not, if it cannot.
static std::string readAll(int file, std::span<std::byte> into) {
  size_t done = 0;
  while (done < into.size()) {
    ssize_t n = ::read(file, into.data() + done, into.size() - done);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return n < 0 ? reason() : "it became shorter";
    done += size_t(n);
  }
  return "";
}

std::optional<HostTensor> readNumpy(const std::string &path,
                                    model::Diagnostic &error) {
  auto fail = [&](const std::string &why) {
    setError(error, "TW0512", path + ": cannot be read: " + why,
             "check the path and its permissions");
    return std::nullopt;
  };
  File file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.number < 0)
    return fail(reason());
  struct stat status;
  if (::fstat(file.number, &status) != 0 || !S_ISREG(status.st_mode))
    return fail("it is no regular file");
  size_t size = size_t(status.st_size);
  // The data goes straight to where it is wanted: large tensors are not in
  // memory twice. numpy's headers are far shorter than this; if one is not, or
  // elements have to change places, the whole file is read.
  std::vector<std::byte> bytes(std::min<size_t>(size, 64 << 10));
  if (std::string why = readAll(file.number, bytes); !why.empty())
    return fail(why);
  model::Diagnostic ignored;
  auto start = parseStart(bytes, size, path, ignored);
  if (start && !start->header.fortran) {
    auto tensor =
        HostTensor::make(start->element.first, start->header.shape, error);
    if (!tensor)
      return std::nullopt;
    size_t had = std::min(bytes.size() - start->bytes, size_t(start->need));
    if (had)
      std::memcpy(tensor->data(), bytes.data() + start->bytes, had);
    if (std::string why = readAll(
            file.number, {tensor->data() + had, size_t(start->need) - had});
        !why.empty())
      return fail(why);
    normalise(*tensor, start->element.second);
    return tensor;
  }
  size_t had = bytes.size();
  try {
    bytes.resize(size);
  } catch (const std::exception &) {
    return fail("its " + std::to_string(size) + " bytes do not fit in memory");
  }
  if (std::string why = readAll(file.number, std::span(bytes).subspan(had));
      !why.empty())
    return fail(why);
  return parseNumpy(bytes, path, error);
}

/// Whether every rounding from `from` to `to` is to a float of fewer bits.
static bool narrows(Element from, Element to) {
  return isFloat(from) && isFloat(to) && bytesOf(from) > bytesOf(to);
}

std::optional<HostTensor> readNumpyAs(const std::string &path, Element element,
                                      std::span<const int64_t> shape,
                                      model::Diagnostic &error) {
  auto tensor = readNumpy(path, error);
  if (!tensor)
    return std::nullopt;
  bool bits = tensor->element() == Element::I16 && element == Element::BF16;
  bool fits = tensor->shape().size() == shape.size();
  for (size_t d = 0; fits && d < shape.size(); ++d)
    fits = shape[d] < 0 || shape[d] == tensor->shape()[d];
  if (!fits || (!bits && tensor->element() != element &&
                !narrows(tensor->element(), element))) {
    std::string wanted;
    for (int64_t size : shape)
      wanted += (size < 0 ? "?" : std::to_string(size)) + "x";
    wanted += nameOf(element);
    setError(error, "TW0515",
             path + ": holds " + tensor->typeText() + ", but " + wanted +
                 " is wanted",
             fits ? "convert it with numpy's astype"
                  : "give a tensor of that shape");
    return std::nullopt;
  }
  if (tensor->element() == element)
    return tensor;
  auto converted = HostTensor::make(element, tensor->shape(), error);
  if (!converted)
    return std::nullopt;
  if (bits) {
    std::memcpy(converted->data(), tensor->data(), size_t(tensor->byteSize()));
    return converted;
  }
  std::vector<double> values(4096);
  for (int64_t i = 0; i < tensor->elements(); i += int64_t(values.size())) {
    std::span<double> part(
        values.data(),
        size_t(std::min<int64_t>(values.size(), tensor->elements() - i)));
    tensor->read(i, part);
    converted->write(i, part);
  }
  return converted;
}

static const char *numpyType(Element element) {
  switch (element) {
  case Element::F64:
    return "<f8";
  case Element::F32:
    return "<f4";
  case Element::F16:
    return "<f2";
  case Element::BF16:
    return "<V2";
  case Element::I1:
    return "|b1";
  case Element::I8:
    return "|i1";
  case Element::I16:
    return "<i2";
  case Element::I32:
    return "<i4";
  case Element::I64:
    return "<i8";
  }
  return "";
}

bool writeNumpy(const HostTensor &tensor, const std::string &path,
                model::Diagnostic &error) {
  return writeNumpy(tensor.element(), tensor.shape(),
                    {tensor.data(), size_t(tensor.byteSize())}, path, error);
}

bool writeNumpy(Element element, std::span<const int64_t> shape,
                std::span<const std::byte> data, const std::string &path,
                model::Diagnostic &error) {
  std::string header = std::string("{'descr': '") + numpyType(element) +
                       "', 'fortran_order': False, 'shape': (";
  for (int64_t size : shape)
    header += std::to_string(size) + ",";
  header += "), }";
  // Data begins at a multiple of 64 bytes, after a line feed.
  size_t prefix = 10;
  header.append(63 - (prefix + header.size()) % 64, ' ');
  header += '\n';
  std::string start("\x93NUMPY\x01\x00", 8);
  start += char(header.size() & 0xff);
  start += char(header.size() >> 8);
  start += header;

  model::ReplacedFile file(path);
  file.write(start);
  file.write({reinterpret_cast<const char *>(data.data()), data.size()});
  if (file.commit())
    return true;
  std::string why = std::strerror(file.error());
  setError(error, "TW0512", path + ": cannot be written: " + why,
           "check the folder, its permissions and the free space");
  return false;
}

} // namespace tilewright::execute
