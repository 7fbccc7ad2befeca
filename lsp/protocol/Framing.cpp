//===- Framing.cpp - messages in a byte stream ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/protocol/Framing.h"
#include "lsp/protocol/Json.h"
#include "lsp/protocol/Utf8.h"
#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

namespace tilewright::lsp {

namespace {

bool equalsIgnoreCase(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; };
    return lower(x) == lower(y);
  });
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
    text.remove_prefix(1);
  while (!text.empty() &&
         (text.back() == ' ' || text.back() == '\t' || text.back() == '\r'))
    text.remove_suffix(1);
  return text;
}

std::string quote(std::string_view text) {
  return "'" + replaceInvalidUtf8(text.substr(0, 60)) + "'";
}

constexpr std::string_view lengthName = "content-length";

/// Where `line` ends in `Content-Length: N`, the begin of that.
std::optional<size_t> headerInLine(std::string_view line) {
  while (!line.empty() && line.back() == '\r')
    line.remove_suffix(1);
  size_t digits = line.size();
  while (digits > 0 && line[digits - 1] >= '0' && line[digits - 1] <= '9')
    --digits;
  size_t colon = digits;
  while (colon > 0 && line[colon - 1] == ' ')
    --colon;
  if (digits == line.size() || colon == 0 || line[colon - 1] != ':' ||
      colon - 1 < lengthName.size())
    return std::nullopt;
  size_t begin = colon - 1 - lengthName.size();
  if (!equalsIgnoreCase(line.substr(begin, lengthName.size()), lengthName))
    return std::nullopt;
  return begin;
}

/// A body is copied only if it is smaller.
constexpr size_t largeBody = 65536;
/// Room made for a body before it has come; a length alone may be a lie.
constexpr size_t reservedBody = size_t(8) << 20;

/// Skipped until the next header line.
constexpr int64_t allUpToHeader = std::numeric_limits<int64_t>::max();

} // namespace

/// The next frame's header line in the buffer before `end`. Scans each byte
/// once.
std::optional<size_t> FrameReader::findHeaderLine(size_t end) {
  std::string_view all = std::string_view(buffer).substr(0, end);
  scanned = std::max(scanned, pos);
  while (true) {
    size_t newline = all.find('\n', std::max(scanned, unbroken));
    if (newline == std::string_view::npos) {
      unbroken = end;
      return std::nullopt;
    }
    // A line of a body may be long; only its end is of interest.
    size_t from = std::max(scanned, newline - std::min<size_t>(newline, 100));
    if (auto at = headerInLine(all.substr(from, newline - from)))
      return from + *at;
    scanned = newline + 1;
  }
}

/// Drops what has come of a refused body. A line that is not complete yet is
/// kept: it may become the next frame's header.
void FrameReader::skipBody() {
  size_t end = pos + std::min<uint64_t>(skip, buffer.size() - pos);
  if (std::optional<size_t> header = findHeaderLine(buffer.size());
      header && *header < end) {
    pos = *header;
    skip = 0;
    return;
  }
  if (static_cast<int64_t>(end - pos) < skip)
    end = std::max(pos, std::max(scanned, end - std::min<size_t>(end, 100)));
  if (skip != allUpToHeader)
    skip -= end - pos;
  pos = end;
}

void FrameReader::feed(std::string_view bytes) {
  if (dead)
    return;
  // Consumed bytes are dropped only when they dominate, so that many small
  // frames in one piece cost linear time.
  if (pos > 65536 && pos * 2 > buffer.size()) {
    buffer.erase(0, pos);
    scanned -= std::min(scanned, pos);
    unbroken -= std::min(unbroken, pos);
    pos = 0;
  }
  buffer.append(bytes);
}

std::optional<Frame> FrameReader::readHeader() {
  std::string_view rest = std::string_view(buffer).substr(pos);
  // Find the empty line.
  size_t lineBegin = 0, headerEnd = std::string_view::npos;
  while (true) {
    size_t lineEnd = rest.find('\n', lineBegin);
    if (lineEnd == std::string_view::npos || lineEnd > maxHeaderBytes) {
      if (rest.size() > maxHeaderBytes) {
        dead = true;
        return Frame{"",
                     "no message header within " +
                         std::to_string(maxHeaderBytes) +
                         " bytes: " + quote(rest),
                     true};
      }
      return std::nullopt;
    }
    if (trim(rest.substr(lineBegin, lineEnd - lineBegin)).empty()) {
      if (lineBegin == 0) { // stray empty lines between frames
        pos += lineEnd + 1;
        rest.remove_prefix(lineEnd + 1);
        continue;
      }
      headerEnd = lineEnd + 1;
      break;
    }
    lineBegin = lineEnd + 1;
  }

  std::string_view header = rest.substr(0, headerEnd);
  pos += headerEnd;
  std::optional<int64_t> length;
  while (!header.empty()) {
    size_t lineEnd = header.find('\n');
    std::string_view line = trim(header.substr(0, lineEnd));
    header.remove_prefix(lineEnd + 1);
    size_t colon = line.find(':');
    if (colon == std::string_view::npos)
      continue;
    if (!equalsIgnoreCase(trim(line.substr(0, colon)), "content-length"))
      continue;
    std::string_view digits = trim(line.substr(colon + 1));
    int64_t value = -1;
    auto [end, ec] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (ec != std::errc() || end != digits.data() + digits.size() ||
        value < 0) {
      skip = allUpToHeader;
      return Frame{"", "bad Content-Length " + quote(digits), false};
    }
    if (length && *length != value) {
      skip = allUpToHeader;
      return Frame{"", "two different Content-Length headers", false};
    }
    length = value;
  }
  if (!length) {
    skip = allUpToHeader;
    return Frame{"", "a message header without Content-Length", false};
  }
  if (*length > limit) {
    skip = *length;
    return Frame{"",
                 "a message of " + std::to_string(*length) +
                     " bytes; the limit is " + std::to_string(limit),
                 false};
  }
  bodySize = *length;
  return std::nullopt;
}

std::optional<Frame> FrameReader::next() {
  if (dead)
    return std::nullopt;
  if (skip > 0) {
    skipBody();
    if (skip > 0)
      return std::nullopt;
  }
  if (bodySize < 0) {
    if (std::optional<Frame> error = readHeader())
      return error;
    if (bodySize < 0)
      return std::nullopt;
  }
  if (static_cast<int64_t>(buffer.size() - pos) < bodySize) {
    buffer.reserve(pos + std::min<size_t>(size_t(bodySize), reservedBody) +
                   jsonPadding);
    if (std::optional<size_t> header = findHeaderLine(buffer.size())) {
      Frame cut{buffer.substr(pos, *header - pos),
                "a message of " + std::to_string(bodySize) +
                    " bytes ended after " + std::to_string(*header - pos),
                false};
      pos = *header;
      bodySize = -1;
      return cut;
    }
    return std::nullopt;
  }
  Frame result;
  const size_t end = pos + size_t(bodySize);
  bodySize = -1;
  if (end < buffer.size()) {
    result.body.assign(buffer, pos, end - pos);
    pos = end;
    return result;
  }
  // All there is: a large message changes hands without a copy, whose fresh
  // pages would cost more than the copying.
  if (end - pos >= largeBody) {
    buffer.erase(0, pos);
    result.body = std::exchange(buffer, std::string());
  } else {
    result.body.assign(buffer, pos, end - pos);
    buffer.clear();
  }
  pos = scanned = unbroken = 0;
  return result;
}

std::string frameHeader(size_t bodySize) {
  return "Content-Length: " + std::to_string(bodySize) + "\r\n\r\n";
}

std::string frame(std::string body) {
  body.insert(0, frameHeader(body.size()));
  return body;
}

} // namespace tilewright::lsp
