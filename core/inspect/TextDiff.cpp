//===- TextDiff.cpp -------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/inspect/TextDiff.h"
#include <algorithm>
#include <unordered_map>
#include <vector>

namespace tilewright::inspect {

namespace {

std::vector<std::string_view> splitLines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    if (end == std::string_view::npos)
      break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

/// Marks the lines that have no partner. Works on a list of ranges instead of
/// recursing, so that no input can use up the stack.
class Comparer {
public:
  Comparer(const std::vector<int> &a, const std::vector<int> &b, int64_t steps)
      : a(a), b(b), steps(steps), removed(a.size()), added(b.size()) {
    size_t width = 2 * (a.size() + b.size()) + 3;
    forward.assign(width, 0);
    backward.assign(width, 0);
    run();
  }
  const std::vector<char> &removedLines() const { return removed; }
  const std::vector<char> &addedLines() const { return added; }

private:
  struct Box {
    int64_t aBegin, aEnd, bBegin, bEnd;
  };

  void run() {
    std::vector<Box> work{{0, int64_t(a.size()), 0, int64_t(b.size())}};
    while (!work.empty()) {
      Box box = work.back();
      work.pop_back();
      while (box.aBegin < box.aEnd && box.bBegin < box.bEnd &&
             a[size_t(box.aBegin)] == b[size_t(box.bBegin)])
        ++box.aBegin, ++box.bBegin;
      while (box.aBegin < box.aEnd && box.bBegin < box.bEnd &&
             a[size_t(box.aEnd) - 1] == b[size_t(box.bEnd) - 1])
        --box.aEnd, --box.bEnd;
      if (box.aBegin == box.aEnd || box.bBegin == box.bEnd || steps <= 0) {
        std::fill(removed.begin() + box.aBegin, removed.begin() + box.aEnd, 1);
        std::fill(added.begin() + box.bBegin, added.begin() + box.bEnd, 1);
        continue;
      }
      int64_t x, y;
      if (!middle(box, x, y)) {
        std::fill(removed.begin() + box.aBegin, removed.begin() + box.aEnd, 1);
        std::fill(added.begin() + box.bBegin, added.begin() + box.bEnd, 1);
        continue;
      }
      work.push_back({x, box.aEnd, y, box.bEnd});
      work.push_back({box.aBegin, x, box.bBegin, y});
    }
  }

  /// A point on a shortest path through the box, found from both corners.
  bool middle(const Box &box, int64_t &x, int64_t &y) {
    const int64_t n = box.aEnd - box.aBegin, m = box.bEnd - box.bBegin;
    const int64_t delta = n - m, half = (n + m + 1) / 2;
    const bool odd = delta & 1;
    const int64_t zero = int64_t(a.size() + b.size()) + 1;
    forward[size_t(zero + 1)] = 0;
    backward[size_t(zero + 1)] = 0;
    for (int64_t d = 0; d <= half; ++d) {
      for (int64_t k = -d; k <= d; k += 2) {
        // Diagonals outside the box cannot lead back in.
        if (k < -m || k > n)
          continue;
        if (--steps <= 0)
          return false;
        int64_t at = k == -d || (k != d && forward[size_t(zero + k - 1)] <
                                               forward[size_t(zero + k + 1)])
                         ? forward[size_t(zero + k + 1)]
                         : forward[size_t(zero + k - 1)] + 1;
        int64_t from = at;
        while (at < n && at - k < m && at - k >= 0 &&
               a[size_t(box.aBegin + at)] == b[size_t(box.bBegin + at - k)])
          ++at;
        steps -= at - from;
        forward[size_t(zero + k)] = at;
        int64_t other = delta - k;
        if (odd && other >= -(d - 1) && other <= d - 1 &&
            at + backward[size_t(zero + other)] >= n) {
          x = box.aBegin + at;
          y = box.bBegin + at - k;
          return inside(box, x, y);
        }
      }
      for (int64_t k = -d; k <= d; k += 2) {
        if (k < -m || k > n)
          continue;
        if (--steps <= 0)
          return false;
        int64_t at = k == -d || (k != d && backward[size_t(zero + k - 1)] <
                                               backward[size_t(zero + k + 1)])
                         ? backward[size_t(zero + k + 1)]
                         : backward[size_t(zero + k - 1)] + 1;
        int64_t from = at;
        while (at < n && at - k < m && at - k >= 0 &&
               a[size_t(box.aEnd - at) - 1] == b[size_t(box.bEnd - at + k) - 1])
          ++at;
        steps -= at - from;
        backward[size_t(zero + k)] = at;
        int64_t other = delta - k;
        if (!odd && other >= -d && other <= d &&
            at + forward[size_t(zero + other)] >= n) {
          x = box.aEnd - at;
          y = box.bEnd - at + k;
          return inside(box, x, y);
        }
      }
    }
    return false;
  }

  /// A point that cuts off nothing would never end.
  static bool inside(const Box &box, int64_t x, int64_t y) {
    bool valid =
        x >= box.aBegin && x <= box.aEnd && y >= box.bBegin && y <= box.bEnd;
    bool cuts = !(x == box.aBegin && y == box.bBegin) &&
                !(x == box.aEnd && y == box.bEnd);
    return valid && cuts;
  }

  const std::vector<int> &a, &b;
  int64_t steps;
  std::vector<char> removed, added;
  std::vector<int64_t> forward, backward;
};

} // namespace

std::string unifiedDiff(std::string_view before, std::string_view after,
                        std::string_view beforeName, std::string_view afterName,
                        const TextDiffLimits &limits) {
  if (before == after)
    return {};
  std::vector<std::string_view> aLines = splitLines(before),
                                bLines = splitLines(after);
  std::unordered_map<std::string_view, int> numbers;
  auto number = [&](const std::vector<std::string_view> &lines) {
    std::vector<int> result;
    result.reserve(lines.size());
    for (std::string_view line : lines)
      result.push_back(
          numbers.try_emplace(line, int(numbers.size())).first->second);
    return result;
  };
  std::vector<int> a = number(aLines), b = number(bLines);
  Comparer comparer(a, b, limits.steps);
  const std::vector<char> &removed = comparer.removedLines();
  const std::vector<char> &added = comparer.addedLines();

  std::string out = "--- " + std::string(beforeName) + "\n+++ " +
                    std::string(afterName) + "\n";
  size_t i = 0, j = 0;
  const size_t context = size_t(limits.context);
  while (i < a.size() || j < b.size()) {
    // To the next change.
    while (i < a.size() && j < b.size() && !removed[i] && !added[j])
      ++i, ++j;
    if (i >= a.size() && j >= b.size())
      break;
    size_t lead = std::min({context, i, j});
    size_t aBegin = i - lead, bBegin = j - lead;
    std::string body;
    for (size_t k = aBegin; k < i; ++k)
      body += " " + std::string(aLines[k]) + "\n";
    size_t quiet = 0;
    while (i < a.size() || j < b.size()) {
      if (i < a.size() && removed[i]) {
        body += "-" + std::string(aLines[i++]) + "\n";
        quiet = 0;
      } else if (j < b.size() && added[j]) {
        body += "+" + std::string(bLines[j++]) + "\n";
        quiet = 0;
      } else {
        // Enough unchanged lines end the hunk, unless the next one is near.
        size_t ahead = 0;
        while (ahead <= 2 * context && i + ahead < a.size() &&
               j + ahead < b.size() && !removed[i + ahead] && !added[j + ahead])
          ++ahead;
        bool last = i + ahead >= a.size() && j + ahead >= b.size();
        if (quiet == 0 && (ahead > 2 * context || last)) {
          for (size_t k = 0; k < std::min(context, ahead); ++k, ++i, ++j)
            body += " " + std::string(aLines[i]) + "\n";
          break;
        }
        if (i >= a.size() || j >= b.size())
          break;
        body += " " + std::string(aLines[i]) + "\n";
        ++i, ++j;
        quiet = ahead > 1 ? 1 : 0;
      }
      if (int64_t(out.size() + body.size()) > limits.bytes)
        break;
    }
    auto hunk = [](size_t begin, size_t end) {
      size_t count = end - begin;
      return std::to_string(count ? begin + 1 : begin) +
             (count == 1 ? "" : "," + std::to_string(count));
    };
    out += "@@ -" + hunk(aBegin, i) + " +" + hunk(bBegin, j) + " @@\n" + body;
    if (int64_t(out.size()) > limits.bytes) {
      out += "… cut behind " + std::to_string(limits.bytes) + " bytes\n";
      break;
    }
  }
  return out;
}

} // namespace tilewright::inspect
