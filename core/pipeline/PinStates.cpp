//===- PinStates.cpp - what became of the pins ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pipeline/PinStates.h"
#include "core/decision/Legality.h"
#include "core/decision/PinsFile.h"
#include "core/pipeline/CompilationImpl.h"
#include "core/pipeline/LikeliestKey.h"
#include <algorithm>
#include <set>

namespace tilewright {

namespace {

using decision::matchesGlob;

class Judge {
public:
  Judge(const Compilation &compilation, const std::vector<model::Pin> &pins)
      : compilation(compilation), impl(compilation.impl()) {
    file.pins = pins;
    if (impl.source)
      impl.source->forEachKey(
          [&](const std::string &key, model::TextRange) { keys.insert(key); });
    for (const decision::TiledScope &scope : impl.scopes) {
      keys.insert(scope.key);
      keys.insert(scope.keys.begin(), scope.keys.end());
    }
  }

  std::vector<model::PinState> run() {
    std::vector<model::PinState> states;
    for (const model::Pin &pin : file.pins)
      states.push_back(judge(pin));
    return states;
  }

private:
  const Compilation &compilation;
  const Compilation::Impl &impl;
  decision::PinsFile file;
  std::set<std::string> keys;

  /// Whether `pin` speaks of `key`, of the whole it is a part of, or of one of
  /// its operands.
  static bool speaksOf(const model::Pin &pin, const std::string &key) {
    if (matchesGlob(pin.key, key))
      return true;
    size_t cut = partOf(key);
    if (cut != std::string::npos && matchesGlob(pin.key, key.substr(0, cut)))
      return true;
    cut = pin.key.rfind('#');
    return cut != std::string::npos && matchesGlob(pin.key.substr(0, cut), key);
  }

  model::PinState judge(const model::Pin &pin) const {
    model::PinState state;
    state.pin = pin;
    for (const std::string &key : keys)
      if (speaksOf(pin, key) && state.keys.size() < 1000)
        state.keys.push_back(key);
    if (!matchesGlob(pin.target, impl.table.target)) {
      state.state = "elsewhere";
      state.reason =
          "it is for target " + pin.target + ", not for " + impl.table.target;
      return state;
    }
    size_t obeyed = 0, shadowed = 0, overridden = 0;
    for (const model::Decision &decision : compilation.decisions()) {
      if (decision.kind != pin.kind || !speaksOf(pin, decision.key))
        continue;
      if (decision.origin == model::DecisionOrigin::Overridden)
        overridden += 1;
      if (decision.origin != model::DecisionOrigin::Pinned)
        continue;
      const model::Pin *inForce =
          file.find(decision.key, impl.table.target, pin.kind);
      if (!inForce) {
        // By the whole of which the decision's subject is a part.
        size_t cut = partOf(decision.key);
        inForce =
            file.find(decision.key.substr(0, cut), impl.table.target, pin.kind);
      }
      (inForce == &pin ? obeyed : shadowed) += 1;
      if (inForce == &pin && state.reason.empty())
        state.reason = decision.reason;
    }
    if (obeyed) {
      state.state = "honoured";
      state.reason = obeyed == 1
                         ? state.reason
                         : "decides " + std::to_string(obeyed) + " operations";
      return state;
    }
    if (overridden) {
      state.state = "shadowed";
      state.reason = "a person wrote the IR it would decide: 'tilewright "
                     "override list' tells where";
      return state;
    }
    bool refused = false;
    if (const model::Diagnostic *said = diagnosticOf(pin)) {
      refused =
          said->severity <= model::Severity::Warning || said->code == "TW0205";
      state.reason =
          said->message + (said->hint.empty() ? "" : "; " + said->hint);
      state.code = said->code;
    }
    if (state.keys.empty() && !impl.table.complete &&
        impl.table.passes.empty()) {
      // What stands in an operation that cannot be read may well be its key.
      state.state = "conflicting";
      state.reason = "the source has errors, so that not all of its operations "
                     "are known; mend them first";
      return state;
    }
    if (state.keys.empty()) {
      state.state = "orphaned";
      if (state.reason.empty())
        state.reason = "no operation has this key";
      state.likelyKey = likeliestKey(impl, file, pin);
      return state;
    }
    if (!refused && (shadowed || later(pin))) {
      state.state = "shadowed";
      state.reason = "another pin for the same operations is more specific, or "
                     "stands later in the file";
      return state;
    }
    // A level the target lacks: the pin is for other targets.
    state.state = state.code == "TW0205" ? "not applicable" : "conflicting";
    if (state.reason.empty())
      state.reason = impl.table.complete
                         ? "no decision of kind " + pin.kind +
                               " was made for what it is about"
                         : "the compilation did not come so far as to decide";
    return state;
  }

  /// Whether a later pin takes the place of `pin`.
  bool later(const model::Pin &pin) const {
    bool behind = false;
    for (const model::Pin &other : file.pins) {
      if (behind && other.key == pin.key && other.target == pin.target &&
          other.kind == pin.kind)
        return true;
      behind |= &other == &pin;
    }
    return false;
  }

  /// What the compilation said of it.
  const model::Diagnostic *diagnosticOf(const model::Pin &pin) const {
    static const std::pair<const char *, const char *> kinds[] = {
        {"TW0201", "tile"},    {"TW0202", "tile"},    {"TW0203", "tile"},
        {"TW0204", "tile"},    {"TW0205", "tile"},    {"TW0212", "scope"},
        {"TW0213", "scope"},   {"TW0214", "split_k"}, {"TW0215", "split_k"},
        {"TW0220", "buffers"}, {"TW0222", "buffers"}, {"TW0223", "merge"},
        {"TW0231", "order"},   {"TW0232", "order"},   {"TW0233", "core"},
        {"TW0234", "core"}};
    const model::Diagnostic *mildest = nullptr; // where nothing is refused
    for (const model::Diagnostic &diagnostic : impl.table.diagnostics) {
      if (!diagnostic.code.starts_with("TW02") ||
          diagnostic.code >= "TW0240") // of overrides
        continue;
      auto kind = std::find_if(
          std::begin(kinds), std::end(kinds),
          [&](const auto &each) { return diagnostic.code == each.first; });
      bool fits = kind == std::end(kinds)
                      ? diagnostic.message.find(pin.key) != std::string::npos
                      : pin.kind == kind->second;
      // What a target lacks is told of pins of several kinds.
      if (diagnostic.code == "TW0205")
        fits = diagnostic.message.starts_with(
            (pin.kind == "tile" ? "" : pin.kind + " ") + "pin of ");
      // What is wrong with an entry of the file stands at no operation.
      bool ofEntry = diagnostic.key.empty() && !pin.key.empty() &&
                     diagnostic.message.find("pin of " + pin.key + " ") !=
                         std::string::npos &&
                     diagnostic.message.find(pin.kind) != std::string::npos;
      if (!ofEntry && (!fits || (diagnostic.key != pin.key &&
                                 !speaksOf(pin, diagnostic.key))))
        continue;
      if (ofEntry)
        return &diagnostic;
      // Of a key that a more specific pin decides, that one is spoken of.
      const model::Pin *inForce =
          file.find(diagnostic.key, impl.table.target, pin.kind);
      if (inForce && inForce != &pin)
        continue;
      if (diagnostic.severity <= model::Severity::Warning)
        return &diagnostic;
      mildest = mildest ? mildest : &diagnostic;
    }
    return mildest;
  }
};

} // namespace

std::vector<model::PinState> pinStates(const Compilation &compilation,
                                       const std::vector<model::Pin> &pins) {
  return Judge(compilation, pins).run();
}

} // namespace tilewright
