//===- Table.h - columns for a terminal -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string>
#include <vector>

namespace tilewright::tool {

/// Aligned columns under headings; numbers to the right.
class Table {
public:
  struct Column {
    std::string heading;
    bool right = false;
  };
  explicit Table(std::vector<Column> columns) : columns(std::move(columns)) {}

  void add(std::vector<std::string> cells) { rows.push_back(std::move(cells)); }
  bool empty() const { return rows.empty(); }
  std::string str() const;

private:
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;
};

/// `value` with `digits` after the point.
std::string fixed(double value, int digits);
/// Three significant digits, no fewer than all before the point: "0.25",
/// "12.3", "1,234".
std::string significant(double value);
/// Milliseconds, to the microsecond at most.
std::string milliseconds(double value);
/// An integer with thousands separators.
std::string grouped(int64_t value);
/// `text` without control characters; bytes that are not UTF-8 replaced.
std::string printable(std::string_view text);
/// Code points, for alignment.
size_t displayWidth(std::string_view text);

} // namespace tilewright::tool
