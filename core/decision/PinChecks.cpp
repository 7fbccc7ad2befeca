//===- PinChecks.cpp - what is odd about a pins file ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/decision/PinChecks.h"
#include "core/decision/DecisionKinds.h"
#include "core/model/JsonForm.h"
#include "core/model/NearestName.h"
#include <algorithm>
#include <map>
#include <tuple>

namespace tilewright::decision {

namespace {

class Checker {
public:
  Checker(std::string_view text, const PinsFile &file,
          const std::vector<std::string> &targets)
      : text(text), file(file), targets(targets), ranges(pinRanges(text)) {}

  std::vector<model::Diagnostic> run() {
    checkVersion();
    for (const PinsFile::Unread &other : file.unread)
      add("TW0210", model::Severity::Error, other.index,
          "pin " + std::to_string(other.index + 1) + inLine(other.index) + " " +
              other.fault + "; it does not act, the others do",
          "a pin is {\"key\": \"f/a\", \"target\": \"*\", \"kind\": "
          "\"tile\", \"value\": …}; it is kept in the file");
    for (model::Diagnostic &problem : unknownKinds(text))
      // What cannot be read has been reported.
      if (std::none_of(file.unread.begin(), file.unread.end(),
                       [&](const PinsFile::Unread &other) {
                         return other.index < ranges.size() &&
                                ranges[other.index].begin <=
                                    problem.range.begin &&
                                problem.range.end <= ranges[other.index].end;
                       }))
        problems.push_back(std::move(problem));
    std::map<std::tuple<std::string, std::string, std::string>, size_t> last;
    for (size_t i = 0; i < file.indices.size(); ++i) {
      const model::Pin &pin = file.pins[i];
      checkTarget(pin, file.indices[i]);
      auto [it, isNew] = last.try_emplace(
          std::tuple(pin.key, pin.target, pin.kind), file.indices[i]);
      if (isNew)
        continue;
      size_t before = std::exchange(it->second, file.indices[i]);
      add("TW0208", model::Severity::Warning, before,
          "the " + pin.kind + " pin of " + pin.key + inLine(before) +
              " does not act: the one" + inLine(file.indices[i]) +
              " is for the same key, target and kind",
          "take one of them away");
    }
    return std::move(problems);
  }

private:
  void add(const char *code, model::Severity severity, size_t index,
           std::string message, std::string hint) {
    model::Diagnostic problem;
    problem.code = code;
    problem.severity = severity;
    problem.message = std::move(message);
    problem.hint = std::move(hint);
    if (index < ranges.size())
      problem.range = ranges[index];
    problems.push_back(std::move(problem));
  }

  std::string lineOf(int64_t offset) const {
    return std::to_string(
        1 + std::count(text.begin(), text.begin() + offset, '\n'));
  }
  std::string inLine(size_t index) const {
    return index < ranges.size() ? " in line " + lineOf(ranges[index].begin)
                                 : std::string();
  }

  void checkVersion() {
    nlohmann::json document =
        nlohmann::json::parse(model::withoutComments(text), nullptr,
                              /*allow_exceptions=*/false);
    auto it = document.find("version");
    if (it == document.end() || *it == PinsFile::version)
      return;
    size_t at = std::min(text.find("\"version\""), text.size());
    add("TW0216", model::Severity::Warning, ranges.size(),
        "the pins file says \"version\": " +
            it->dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)
                .substr(0, 40) +
            " in line " + lineOf(int64_t(at)) + "; it is read as version " +
            std::to_string(PinsFile::version),
        "what a later version adds is kept in the file, but has no effect");
    problems.back().range = {int64_t(at), int64_t(at)};
  }

  void checkTarget(const model::Pin &pin, size_t index) {
    if (std::any_of(targets.begin(), targets.end(),
                    [&](const std::string &target) {
                      return matchesGlob(pin.target, target);
                    }))
      return;
    std::string nearest = model::nearestName(pin.target.substr(0, 80), targets);
    add("TW0209", model::Severity::Warning, index,
        "the " + pin.kind + " pin of " + pin.key + inLine(index) +
            " is for target \"" + pin.target.substr(0, 80) +
            "\", which does not exist",
        nearest.empty() ? "" : "did you mean " + nearest + "?");
  }

  std::string_view text;
  const PinsFile &file;
  const std::vector<std::string> &targets;
  std::vector<model::TextRange> ranges;
  std::vector<model::Diagnostic> problems;
};

} // namespace

std::vector<model::Diagnostic>
checkPins(std::string_view text, const PinsFile &file,
          const std::vector<std::string> &targets) {
  return Checker(text, file, targets).run();
}

} // namespace tilewright::decision
