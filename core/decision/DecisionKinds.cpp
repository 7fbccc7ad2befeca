//===- DecisionKinds.cpp - what can be decided ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/decision/DecisionKinds.h"
#include "core/model/JsonForm.h"
#include <algorithm>
#include <iterator>

namespace tilewright::decision {

std::span<const DecisionKind> decisionKinds() {
  static constexpr DecisionKind kinds[] = {
      {"buffers", "how many copies of an operand's buffer there are",
       "block/pipeline-buffers"},
      {"core", "which kind of core computes an operation", "tile/form-scopes"},
      {"merge", "how many neighbouring blocks one task does",
       "tile/choose-tiles"},
      {"order", "in which order a dispatch goes over its grid",
       "tile/choose-tiles"},
      {"scope", "which operations are fused into one kernel",
       "tile/form-scopes"},
      {"split_k", "into how many partial sums a reduction is cut",
       "tile/choose-tiles"},
      {"tile", "the sizes of an operation's tiles", "tile/choose-tiles"},
  };
  return kinds;
}

const DecisionKind *decisionKind(std::string_view name) {
  for (const DecisionKind &kind : decisionKinds())
    if (kind.name == name)
      return &kind;
  return nullptr;
}

std::string decisionKindNames() {
  std::string names;
  for (const DecisionKind &kind : decisionKinds())
    names += (names.empty() ? "" : ", ") + std::string(kind.name);
  return names;
}

namespace {

/// Reads a text and tells how far the reader has come.
struct CountedText {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char *;
  using reference = const char &;

  const char *at = nullptr;
  const char **reached = nullptr;

  reference operator*() const { return *at; }
  CountedText &operator++() {
    *reached = ++at;
    return *this;
  }
  CountedText operator++(int) {
    CountedText before = *this;
    ++*this;
    return before;
  }
  bool operator==(const CountedText &other) const { return at == other.at; }
  bool operator!=(const CountedText &other) const { return at != other.at; }
};

} // namespace

std::vector<model::Diagnostic> unknownKinds(std::string_view written) {
  const std::string text = model::withoutComments(written);
  std::vector<model::Diagnostic> problems;
  const char *reached = text.data();
  std::string topMember, member, key;
  size_t first = 0; // of the problems of the entry being read
  auto lineAt = [&](int64_t offset) {
    return 1 + std::count(text.begin(), text.begin() + offset, '\n');
  };
  auto look = [&](int depth, nlohmann::json::parse_event_t event,
                  nlohmann::json &parsed) {
    using Event = nlohmann::json::parse_event_t;
    // Depths: 1 in the document, 2 in the list of pins, 3 in a pin.
    if (event == Event::key && depth == 1)
      topMember = parsed.get<std::string>();
    if (topMember != "pins")
      return true;
    if (event == Event::object_start && depth == 2) {
      key.clear();
      first = problems.size();
    } else if (event == Event::object_end && depth == 2) {
      for (size_t i = first; i < problems.size(); ++i)
        problems[i].message = "pin of " + key + problems[i].message;
    } else if (event == Event::key && depth == 3) {
      member = parsed.get<std::string>();
    } else if (event == Event::value && depth == 3 && parsed.is_string()) {
      std::string value = parsed.get<std::string>();
      if (member == "key")
        key = value;
      if (member != "kind" || decisionKind(value))
        return true;
      model::Diagnostic problem;
      problem.code = "TW0211";
      problem.severity = model::Severity::Error;
      problem.hint = "the kinds are " + decisionKindNames();
      // The reader stands behind the string's closing quote.
      problem.range.end = reached - text.data();
      size_t quote = text.rfind('"', size_t(problem.range.end) - 2);
      problem.range.begin =
          quote == std::string::npos ? problem.range.end : int64_t(quote);
      problem.message = " in line " +
                        std::to_string(lineAt(problem.range.begin)) +
                        " is of kind \"" + value.substr(0, 80) +
                        "\", which does not exist; it is kept in the file";
      problems.push_back(std::move(problem));
    }
    return true;
  };
  (void)nlohmann::json::parse(CountedText{text.data(), &reached},
                              CountedText{text.data() + text.size(), &reached},
                              look, /*allow_exceptions=*/false);
  return problems;
}

std::vector<model::TextRange> pinRanges(std::string_view written) {
  const std::string text = model::withoutComments(written);
  std::vector<model::TextRange> ranges;
  const char *reached = text.data();
  std::string topMember;
  auto look = [&](int depth, nlohmann::json::parse_event_t event,
                  nlohmann::json &parsed) {
    using Event = nlohmann::json::parse_event_t;
    int64_t at = reached - text.data();
    if (event == Event::key && depth == 1)
      topMember = parsed.get<std::string>();
    if (topMember != "pins" || depth != 2)
      return true;
    bool starts = event == Event::object_start || event == Event::array_start;
    if (starts || event == Event::value)
      ranges.push_back({at - 1, at});
    else if (event != Event::key && !ranges.empty())
      ranges.back().end = at;
    return true;
  };
  (void)nlohmann::json::parse(CountedText{text.data(), &reached},
                              CountedText{text.data() + text.size(), &reached},
                              look, /*allow_exceptions=*/false);
  return ranges;
}

model::Diagnostic missingKeyReport(const model::Pin &pin,
                                   const std::string &subject,
                                   const MissingKey &missing) {
  model::Diagnostic report;
  report.code = "TW0206";
  report.severity = model::Severity::Warning;
  report.key = pin.key;
  std::string why = missing ? missing(pin.key) : "";
  report.message = subject + " has no effect: " +
                   (why.empty() ? "no operation has this key" : why);
  report.hint = why.empty() ? removeOrRename
                            : "pin an operation that is computed, or remove "
                              "the pin";
  return report;
}

/// A warning for each name in a scope pin that no operation has.
static void reportUnknownPartners(
    const model::Pin &pin,
    const std::function<std::optional<std::string>(std::string_view)>
        &keyMatching,
    const MissingKey &missing, std::vector<model::Diagnostic> &reports) {
  std::optional<std::string> own = keyMatching(pin.key);
  if (!own || !pin.value.is_object())
    return; // reported as a whole
  bool anyKnown = false;
  size_t first = reports.size();
  for (const char *member : {"fuse", "apart"}) {
    auto it = pin.value.find(member);
    if (it == pin.value.end())
      continue;
    nlohmann::json names = it->is_array() ? *it : nlohmann::json::array({*it});
    for (const nlohmann::json &name : names) {
      if (!name.is_string() || keyMatching(name.get<std::string>())) {
        anyKnown |= !name.is_boolean() || name.get<bool>();
        continue;
      }
      model::Diagnostic report;
      report.code = "TW0206";
      report.severity = model::Severity::Warning;
      report.key = *own;
      std::string why = missing ? missing(name.get<std::string>()) : "";
      report.message =
          "scope pin of " + pin.key + " names " +
          name.get<std::string>().substr(0, 80) + " in \"" + member +
          "\": " + (why.empty() ? "no operation has this key" : why);
      reports.push_back(std::move(report));
    }
  }
  for (size_t i = first; i < reports.size(); ++i)
    reports[i].hint = anyKnown ? "correct the key; the rest of the pin acts"
                               : "correct the key; the pin has no effect";
}

std::vector<model::Diagnostic>
idlePins(const PinsFile &pins, std::string_view target,
         const std::function<std::optional<std::string>(std::string_view)>
             &keyMatching,
         const MissingKey &missing) {
  std::vector<model::Diagnostic> reports;
  for (const model::Pin &pin : pins.pins) {
    const DecisionKind *kind = decisionKind(pin.kind);
    if (!kind || !matchesGlob(pin.target, target))
      continue;
    if (kind->name == "scope")
      reportUnknownPartners(pin, keyMatching, missing, reports);
    if (!kind->obeyedBy.empty())
      continue;
    std::optional<std::string> key = keyMatching(pin.key);
    std::string subject = std::string(kind->name) + " pin of " + pin.key;
    if (!key) {
      reports.push_back(missingKeyReport(pin, subject, missing));
      continue;
    }
    model::Diagnostic report;
    report.severity = model::Severity::Warning;
    report.key = *key;
    report.code = "TW0207";
    report.message = subject + " is not applicable: no pass decides yet " +
                     std::string(kind->decides) + "; it is kept in the file";
    reports.push_back(std::move(report));
  }
  return reports;
}

} // namespace tilewright::decision
