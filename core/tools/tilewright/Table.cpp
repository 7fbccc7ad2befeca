//===- Table.cpp - columns for a terminal ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/tools/tilewright/Table.h"
#include "lsp/protocol/Utf8.h"
#include <algorithm>
#include <cmath>
#include <cstdio>

namespace tilewright::tool {

size_t displayWidth(std::string_view text) {
  return std::count_if(text.begin(), text.end(),
                       [](char c) { return (c & 0xC0) != 0x80; });
}

std::string Table::str() const {
  std::vector<size_t> widths;
  for (const Column &column : columns)
    widths.push_back(displayWidth(column.heading));
  for (const auto &row : rows)
    for (size_t i = 0; i < row.size() && i < widths.size(); ++i)
      widths[i] = std::max(widths[i], displayWidth(row[i]));
  std::string text;
  auto line = [&](auto cellOf, size_t count) {
    std::string one;
    for (size_t i = 0; i < count; ++i) {
      const std::string &cell = cellOf(i);
      std::string pad(widths[i] - displayWidth(cell), ' ');
      if (i > 0)
        one += "  ";
      one += columns[i].right ? pad + cell : cell + pad;
    }
    one.erase(one.find_last_not_of(' ') + 1);
    text += one + "\n";
  };
  line([&](size_t i) -> const std::string & { return columns[i].heading; },
       columns.size());
  for (const auto &row : rows)
    line([&](size_t i) -> const std::string & { return row[i]; },
         std::min(row.size(), columns.size()));
  return text;
}

std::string fixed(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

std::string milliseconds(double value) {
  if (value >= 1000)
    return grouped(std::llround(value));
  return fixed(value, value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3);
}

std::string significant(double value) {
  double size = std::abs(value);
  if (size >= 999.5)
    return grouped(std::llround(value));
  if (size < 1e-6)
    return size == 0 ? "0" : fixed(value, 9);
  return fixed(
      value,
      std::max(0, 2 - static_cast<int>(std::floor(std::log10(size) + 1e-9))));
}

std::string grouped(int64_t value) {
  std::string digits = std::to_string(std::abs(value));
  for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(at, ",");
  return value < 0 ? "-" + digits : digits;
}

std::string printable(std::string_view text) {
  std::string result;
  for (char c : lsp::replaceInvalidUtf8(text))
    result += (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) ? ' ' : c;
  return result;
}

} // namespace tilewright::tool
