//===- JsonElements.cpp - a large JSON text piece by piece ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "profiler/JsonElements.h"
#include <algorithm>
#include <array>
#include <cstring>

namespace tilewright::profiler {

namespace {

constexpr size_t readSize = 1 << 20;
/// One element, or one name, is never larger in a sound trace.
constexpr size_t largestElement = size_t(256) << 20;

bool isSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// Bytes that matter between strings.
constexpr std::array<bool, 256> structural = [] {
  std::array<bool, 256> table{};
  for (unsigned char c : {'"', '{', '}', '[', ']', ','})
    table[c] = true;
  return table;
}();

} // namespace

/// Reads more behind what is there; false at the end or on failure.
bool JsonElements::fill() {
  if (ended || hasFailed)
    return false;
  if (buffer.size() < filled + readSize)
    buffer.resize(std::max(filled + readSize, buffer.size() * 2));
  int64_t got = source.read(buffer.data() + filled, readSize, failure);
  if (got < 0) {
    hasFailed = true;
    return false;
  }
  if (got == 0) {
    ended = true;
    return false;
  }
  filled += static_cast<size_t>(got);
  return true;
}

/// Forgets what is before `at`.
void JsonElements::compact() {
  if (at == 0)
    return;
  std::memmove(buffer.data(), buffer.data() + at, filled - at);
  base += at;
  filled -= at;
  at = 0;
}

int JsonElements::peek() {
  while (true) {
    while (at < filled && isSpace(buffer[at]))
      ++at;
    if (at < filled)
      return static_cast<unsigned char>(buffer[at]);
    compact();
    if (!fill())
      return -1;
  }
}

JsonElements::Status JsonElements::readString(std::string &text) {
  text.clear();
  size_t scan = at + 1;
  while (true) {
    if (scan >= filled) {
      size_t done = scan - at;
      compact();
      scan = done;
      if (filled > largestElement || !fill())
        return hasFailed ? Status::Failed : Status::Truncated;
      continue;
    }
    if (buffer[scan] == '\\') {
      scan += 2;
      continue;
    }
    if (buffer[scan] == '"')
      break;
    ++scan;
  }
  text.assign(buffer, at + 1, scan - at - 1);
  at = scan + 1;
  return Status::Ok;
}

JsonElements::Status JsonElements::skipValue(std::string &text, size_t keep) {
  text.clear();
  if (peek() < 0)
    return hasFailed ? Status::Failed : Status::Truncated;
  int64_t depth = 0;
  bool inString = false, escaped = false;
  while (true) {
    if (at >= filled) {
      compact();
      if (!fill()) {
        if (hasFailed)
          return Status::Failed;
        return Status::Truncated;
      }
    }
    char c = buffer[at];
    if (!inString && depth == 0 && (c == ',' || c == '}' || c == ']'))
      return Status::Ok; // behind a number or a word
    ++at;
    if (text.size() < keep)
      text += c;
    if (inString) {
      if (escaped)
        escaped = false;
      else if (c == '\\')
        escaped = true;
      else if (c == '"') {
        inString = false;
        if (depth == 0)
          return Status::Ok;
      }
      continue;
    }
    if (c == '"')
      inString = true;
    else if (c == '{' || c == '[')
      ++depth;
    else if (c == '}' || c == ']') {
      if (--depth == 0)
        return Status::Ok;
    }
  }
}

JsonElements::Status JsonElements::readElements(std::string &run, size_t size,
                                                uint64_t &start) {
  compact();
  start = base;
  size_t scan = 0;   // next byte to look at
  size_t string = 0; // where to go on inside a string; 0 outside
  size_t whole = 0;  // bytes that are whole elements
  int64_t depth = 0; // inside the current element
  Status status = Status::Ok;
  bool over = false;
  while (!over) {
    const char *bytes = buffer.data();
    while (scan < filled) {
      while (scan < filled &&
             !structural[static_cast<unsigned char>(bytes[scan])])
        ++scan;
      if (scan >= filled)
        break;
      char c = bytes[scan];
      if (c == '"') {
        size_t close = string ? string : scan + 1;
        while (close < filled && bytes[close] != '"')
          close += bytes[close] == '\\' ? 2 : 1;
        if (close >= filled) {
          string = close; // go on there when more has been read
          break;
        }
        string = 0;
        scan = close + 1;
        continue;
      }
      if (c == '{' || c == '[') {
        ++depth;
      } else if (c == ',') {
        if (depth == 0) {
          whole = scan;
          if (scan >= size) {
            over = true;
            break;
          }
        }
      } else if (depth > 0) {
        --depth;
        // Known at once, so that a text cut right behind it keeps it.
        if (depth == 0)
          whole = scan + 1;
      } else {
        // The ']' of the array.
        whole = scan;
        status = c == ']' ? Status::End : Status::Failed;
        over = true;
        break;
      }
      ++scan;
    }
    if (over)
      break;
    if (filled - whole > largestElement) {
      failure.code = "TW0082";
      failure.message = "one event takes more than 256 MiB";
      failure.range = {static_cast<int64_t>(base + whole),
                       static_cast<int64_t>(base + whole)};
      hasFailed = true;
      status = Status::Failed;
      break;
    }
    if (!fill()) {
      status = hasFailed ? Status::Failed : Status::Truncated;
      break;
    }
  }
  run.append(buffer, 0, whole);
  at = whole;
  // The comma that ended the run belongs to no run, nor does the bracket.
  if (status == Status::Ok || status == Status::End)
    ++at;
  if (status == Status::Failed && !hasFailed) {
    hasFailed = true;
    failure.code = "TW0082";
    failure.message = "a '}' where the next event or the ']' of the list is "
                      "expected, at byte " +
                      std::to_string(offset());
    failure.range = {static_cast<int64_t>(offset()),
                     static_cast<int64_t>(offset() + 1)};
  }
  return status;
}

} // namespace tilewright::profiler
