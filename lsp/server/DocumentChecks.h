//===- DocumentChecks.h - what is wrong with the open texts -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "lsp/server/Debouncer.h"
#include "lsp/server/Forwarder.h"
#include <map>

namespace tilewright::lsp {

/// Finds out what is wrong with each open text once it is left alone, and
/// publishes it: first what reading it tells, then, of a text without errors,
/// what compiling it tells besides. What the last compilation found stays and
/// moves with the edits until the next one has its say. Thread safe.
class DocumentChecks {
public:
  DocumentChecks(SessionState &session, const Forwarder &requests)
      : session(session), requests(requests) {}

  void schedule(const std::string &uri, std::chrono::milliseconds delay);
  /// A text was edited: in this order, each edit counts from the one before. It
  /// is read at once if it had been left alone before, as after a single key;
  /// within a burst of keys once that is over.
  void edited(const std::string &uri, int64_t version,
              const std::vector<ByteEdit> &edits);
  /// All texts, at once, for another target.
  void targetChanged();
  /// Of a text that is closed, or no longer known.
  void forget(const std::string &uri);
  /// A stage table that the client asked for tells what compiling finds, too.
  void learnFromStages(const std::string &uri, int64_t version,
                       const std::string &target, const Json &result);
  /// Whether that version has been compiled for that target: what the compiler
  /// is asked about it then takes no compilation.
  bool isCompiled(const std::string &uri, int64_t version,
                  const std::string &target) const;
  /// Whether a text is being read or compiled for what is wrong with it.
  bool isBusy() const;
  /// Afterwards nothing is begun any more.
  void stop() { debouncer.stop(); }

private:
  using Clock = std::chrono::steady_clock;

  /// What is being found out about a text, and what has been.
  struct Check {
    uint64_t serial = 0; ///< tells it from those before and after it
    TextSnapshot text;
    std::string target;
    int64_t compilation = -1; ///< the call, while there is one
    std::optional<std::vector<model::Diagnostic>> read, compiled;
    /// Found by compiling an older text; holds until `compiled` is there.
    std::vector<model::Diagnostic> kept;
    std::optional<Json> published;
  };

  /// How a text is worked on.
  struct Pace {
    Clock::time_point lastEdit;
    int64_t version = -1; ///< of the last edit
    /// A reading is under way. There is never a second: it would wait for the
    /// first, and the engine reads the newest text in any case.
    bool isRead = false;
    bool again = false; ///< a check began meanwhile
    /// Counted up where a text may come back under a version it had before:
    /// what is told of that version then may be of either text.
    uint64_t epoch = 0;
    /// What the last ones took: what is slow waits for a longer pause.
    std::chrono::milliseconds reading{0}, compilation{0};
  };

  std::chrono::milliseconds pauseFor(const std::string &uri);
  void stopCheck(const std::string &uri);
  void check(const std::string &uri);
  void read(const std::string &uri);
  void learnFromReading(const std::string &uri, uint64_t serial,
                        int64_t version, uint64_t epoch,
                        const Response &response);
  void readingTold(const std::string &uri, const Check &begun,
                   std::vector<model::Diagnostic> found);
  void scheduleCompile(const std::string &uri, const Check &begun);
  void compile(const std::string &uri, const Check &begun);
  bool isCurrent(const std::string &uri, uint64_t serial) const;
  void learn(const std::string &uri, uint64_t serial,
             std::optional<std::vector<model::Diagnostic>> Check::*part,
             std::vector<model::Diagnostic> found);
  Json listOf(const Check &known) const;

  SessionState &session;
  const Forwarder &requests;

  // Locked in this order: `publishing`, that of the texts, `mutex`. Nothing of
  // the texts is asked while `mutex` is held.
  mutable std::mutex mutex; ///< guards the next four
  std::map<std::string, Check> checks;
  /// Between two checks: what compiling found, at its place now.
  std::map<std::string, std::vector<model::Diagnostic>> kept;
  std::map<std::string, Pace> paces;
  uint64_t lastSerial = 0;

  std::mutex publishing; ///< what is told later is known later
  Debouncer debouncer;
};

} // namespace tilewright::lsp
