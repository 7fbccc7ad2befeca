//===- DocumentChecks.cpp -------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/server/DocumentChecks.h"
#include "lsp/protocol/Params.h"
#include "lsp/server/MovedDiagnostics.h"
#include <set>
#include <tuple>

namespace tilewright::lsp {

using Found = std::vector<model::Diagnostic>;

/// What takes long to read or to compile waits no longer than this for a pause.
static constexpr std::chrono::milliseconds longestPause(1000);

/// A larger text is compiled when the client asks for something that needs it,
/// not whenever it is left alone.
static constexpr size_t mostCompiledUnasked = 1 << 20;

/// The debouncer's key for compiling a text; no URI has a space.
static std::string compileKey(const std::string &uri) {
  return "compile " + uri;
}

void DocumentChecks::schedule(const std::string &uri,
                              std::chrono::milliseconds delay) {
  stopCheck(uri);
  if (delay.count() > 0)
    return debouncer.schedule(uri, delay, [this, uri] { check(uri); });
  debouncer.drop(uri);
  check(uri);
}

void DocumentChecks::edited(const std::string &uri, int64_t version,
                            const std::vector<ByteEdit> &edits) {
  stopCheck(uri);
  {
    std::lock_guard lock(mutex);
    Pace &pace = paces[uri];
    if (version <= pace.version)
      ++pace.epoch;
    pace.version = version;
    auto it = kept.find(uri);
    if (it != kept.end())
      for (const ByteEdit &edit : edits)
        moveDiagnostics(it->second, uri, edit);
  }
  schedule(uri, pauseFor(uri));
}

/// How long to wait after the edit that has just come.
std::chrono::milliseconds DocumentChecks::pauseFor(const std::string &uri) {
  const auto delay = session.options.diagnosticsDelay;
  const Clock::time_point now = Clock::now();
  std::lock_guard lock(mutex);
  Pace &pace = paces[uri];
  auto pause = std::max(delay, std::min(pace.reading, longestPause));
  bool first = !pace.isRead && now - pace.lastEdit >= pause;
  pace.lastEdit = now;
  return first || delay.count() == 0 ? std::chrono::milliseconds(0) : pause;
}

void DocumentChecks::targetChanged() {
  for (const std::string &uri : session.documents.uris()) {
    if (!SessionState::isSource(uri))
      continue;
    stopCheck(uri);
    {
      std::lock_guard lock(mutex);
      kept.erase(uri);
    }
    schedule(uri, std::chrono::milliseconds(0));
  }
}

void DocumentChecks::forget(const std::string &uri) {
  debouncer.drop(uri);
  stopCheck(uri);
  std::lock_guard lock(mutex);
  kept.erase(uri);
  // A reading under way counts on it.
  if (auto it = paces.find(uri); it != paces.end()) {
    if (it->second.isRead) {
      ++it->second.epoch;
      it->second.version = -1;
    } else {
      paces.erase(it);
    }
  }
}

/// What is being found out about an older text is of no use.
void DocumentChecks::stopCheck(const std::string &uri) {
  debouncer.drop(compileKey(uri));
  int64_t stale = -1;
  {
    std::lock_guard lock(mutex);
    auto it = checks.find(uri);
    if (it == checks.end())
      return;
    Check &check = it->second;
    // What was read so far serves the next reading, so that one is not stopped:
    // the engine itself goes on with the newer text.
    stale = check.compilation;
    Found &keep = kept[uri];
    // A compilation that was asked for and overtook the reading tells of errors
    // that only the reading of that text would have told apart.
    if (check.compiled && check.read) {
      // What reading tells, it tells again; and that an engine died says
      // nothing of the text.
      keep = withoutThose(std::move(*check.compiled), *check.read);
      std::erase_if(keep, [](const model::Diagnostic &each) {
        return each.code.starts_with("TW06");
      });
    } else {
      keep = std::move(check.kept);
    }
    checks.erase(it);
  }
  if (stale >= 0)
    session.engines->cancel(stale);
}

/// Reads the text anew, tells at once what is wrong with it as it stands, and
/// has it compiled afterwards to tell the rest.
void DocumentChecks::check(const std::string &uri) {
  Check begun;
  begun.target = session.target();
  bool begins = false;
  // An edit that comes now finds the check; one that came before is in the
  // text.
  session.documents.withText(uri, [&](TextSnapshot text) {
    std::lock_guard lock(mutex);
    begun.text = std::move(text);
    // Another thread may have begun since the last one was stopped.
    if (auto it = checks.find(uri); it != checks.end()) {
      if (it->second.text == begun.text && it->second.target == begun.target)
        return;
      begun.kept = std::move(it->second.kept);
    } else {
      begun.kept = std::move(kept[uri]);
      kept.erase(uri);
    }
    begun.serial = ++lastSerial;
    checks[uri] = begun;
    begins = true;
  });
  if (begins)
    read(uri);
}

/// Nothing if the call was given up, or is about another text: that text's own
/// check tells of it.
static std::optional<Found> diagnosticsOf(const TextDocument &text,
                                          const Response &response) {
  if (response.error) {
    if (response.error->code == ErrorCode::RequestCancelled ||
        response.error->code == ErrorCode::ContentModified ||
        response.error->code == ErrorCode::ConnectionClosed)
      return std::nullopt;
    return std::vector{response.error->diagnostic()};
  }
  try {
    auto result = response.result.get<DiagnosticsResult>();
    if (response.result.contains("documentVersion") &&
        result.documentVersion != text.version())
      return std::nullopt;
    return std::move(result.diagnostics);
  } catch (const Json::exception &e) {
    model::Diagnostic diagnostic;
    diagnostic.code = "TW0604";
    diagnostic.message =
        std::string("the compiler's diagnostics cannot be read: ") +
        describe(e);
    return std::vector{diagnostic};
  }
}

/// Has the text read for its check, unless that is being done already: then
/// afterwards, if it is still wanted.
void DocumentChecks::read(const std::string &uri) {
  EngineSupervisor::Call call;
  {
    std::lock_guard lock(mutex);
    auto it = checks.find(uri);
    if (it == checks.end())
      return;
    const Check &check = it->second;
    Pace &pace = paces[uri];
    if (pace.isRead) {
      pace.again = true;
      return;
    }
    pace.isRead = true;
    pace.again = false;
    call.params = {{"uri", uri}, {"target", check.target}};
    call.done = [this, uri, serial = check.serial,
                 version = check.text->version(), epoch = pace.epoch,
                 start = Clock::now()](Response response) {
      bool again;
      {
        std::lock_guard lock(mutex);
        Pace &pace = paces[uri];
        pace.isRead = false;
        again = std::exchange(pace.again, false);
        if (!response.error)
          pace.reading = std::chrono::duration_cast<std::chrono::milliseconds>(
              Clock::now() - start);
      }
      learnFromReading(uri, serial, version, epoch, response);
      if (!again)
        return;
      {
        std::lock_guard lock(mutex);
        auto it = checks.find(uri);
        if (it == checks.end() || it->second.read)
          return;
      }
      read(uri);
    };
  }
  call.role = EngineRole::Language;
  call.method = method::diagnostics;
  call.timeout = session.options.featureTimeout;
  session.engines->call(std::move(call));
}

/// What a reading told that was asked for when the text was at `version`, by
/// check `serial`. Edits may have come meanwhile, and the engine has read them.
void DocumentChecks::learnFromReading(const std::string &uri, uint64_t serial,
                                      int64_t version, uint64_t epoch,
                                      const Response &response) {
  Check check;
  {
    std::lock_guard lock(mutex);
    auto it = checks.find(uri);
    if (it == checks.end())
      return;
    check = it->second;
    if (check.serial != serial) {
      // An error says which text it is about only by who asked.
      if (response.error || paces[uri].epoch != epoch ||
          check.text->version() <= version)
        return;
    }
  }
  if (auto found = diagnosticsOf(*check.text, response))
    readingTold(uri, check, std::move(*found));
}

void DocumentChecks::readingTold(const std::string &uri, const Check &begun,
                                 Found found) {
  bool wrong = false;
  for (const model::Diagnostic &each : found)
    wrong |= each.severity == model::Severity::Error;
  learn(uri, begun.serial, &Check::read, std::move(found));
  // The compiler would stop at the same errors.
  if (!wrong && session.options.compileDelay.count() >= 0 &&
      begun.text->text().size() <= mostCompiledUnasked)
    scheduleCompile(uri, begun);
}

void DocumentChecks::scheduleCompile(const std::string &uri,
                                     const Check &begun) {
  std::lock_guard lock(mutex);
  // Under the lock: stopCheck() drops what is scheduled here, or comes first.
  if (!isCurrent(uri, begun.serial))
    return;
  debouncer.schedule(compileKey(uri),
                     std::max(session.options.compileDelay,
                              std::min(paces[uri].compilation, longestPause)),
                     [this, uri, begun] { compile(uri, begun); });
}

void DocumentChecks::compile(const std::string &uri, const Check &begun) {
  {
    std::lock_guard lock(mutex);
    if (!isCurrent(uri, begun.serial) || checks[uri].compiled)
      return;
  }
  // What the client has asked for goes first, and most likely compiles it.
  if (requests.isBusy(uri)) {
    scheduleCompile(uri, begun);
    return;
  }
  EngineSupervisor::Call call;
  call.role = EngineRole::Compile;
  call.method = method::stages;
  call.params = {{"uri", uri}, {"target", begun.target}};
  call.done = [this, uri, begun, start = Clock::now()](Response response) {
    auto found = diagnosticsOf(*begun.text, response);
    if (!found)
      return;
    if (!response.error)
      requests.news().tell(uri, method::stages, response.result);
    {
      std::lock_guard lock(mutex);
      paces[uri].compilation =
          std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() -
                                                                start);
    }
    learn(uri, begun.serial, &Check::compiled, std::move(*found));
  };
  int64_t sent = session.engines->call(std::move(call));
  {
    std::lock_guard lock(mutex);
    if (isCurrent(uri, begun.serial)) {
      checks[uri].compilation = sent;
      return;
    }
  }
  session.engines->cancel(sent);
}

/// `mutex` is held.
bool DocumentChecks::isCurrent(const std::string &uri, uint64_t serial) const {
  auto it = checks.find(uri);
  return it != checks.end() && it->second.serial == serial;
}

/// Keeps what was found, and publishes all that is known by now if that is
/// another list than before.
void DocumentChecks::learn(const std::string &uri, uint64_t serial,
                           std::optional<Found> Check::*part, Found found) {
  std::lock_guard order(publishing);
  Check known;
  {
    std::lock_guard lock(mutex);
    if (!isCurrent(uri, serial))
      return;
    checks[uri].*part = std::move(found);
    known = checks[uri];
  }
  // Before it was read, what compiling found is only part of the truth.
  if (!known.read)
    return;
  Json list = listOf(known);
  if (known.published == list)
    return;
  session.documents.ifCurrent(uri, known.text->version(), [&] {
    {
      std::lock_guard lock(mutex);
      if (!isCurrent(uri, serial))
        return;
      checks[uri].published = list;
    }
    session.rpc->notify("textDocument/publishDiagnostics",
                        {{"uri", uri},
                         {"version", known.text->version()},
                         {"diagnostics", std::move(list)}});
  });
}

/// What reading and compiling have found, each thing once.
Json DocumentChecks::listOf(const Check &known) const {
  Json list = Json::array();
  std::set<std::tuple<std::string, int64_t, int64_t, std::string>> seen;
  const Found &compiled = known.compiled ? *known.compiled : known.kept;
  for (const Found *part : {&*known.read, &compiled})
    for (const model::Diagnostic &each : *part) {
      if (list.size() == 1000)
        return list; // an editor shows no more, and some stop responding
      if (seen.emplace(each.code, each.range.begin, each.range.end,
                       each.message)
              .second)
        list.push_back(lspDiagnostic(each, *known.text, session.lookup(),
                                     session.encoding));
    }
  return list;
}

bool DocumentChecks::isCompiled(const std::string &uri, int64_t version,
                                const std::string &target) const {
  std::lock_guard lock(mutex);
  auto it = checks.find(uri);
  return it != checks.end() && it->second.compiled && it->second.text &&
         it->second.text->version() == version && it->second.target == target;
}

bool DocumentChecks::isBusy() const {
  std::lock_guard lock(mutex);
  for (const auto &[uri, pace] : paces)
    if (pace.isRead)
      return true;
  for (const auto &[uri, check] : checks)
    if (check.compilation >= 0 && !check.compiled)
      return true;
  return false;
}

void DocumentChecks::learnFromStages(const std::string &uri, int64_t version,
                                     const std::string &target,
                                     const Json &result) {
  uint64_t serial = 0;
  {
    std::lock_guard lock(mutex);
    auto it = checks.find(uri);
    if (it == checks.end() || it->second.text->version() != version ||
        it->second.target != target)
      return;
    serial = it->second.serial;
  }
  try {
    learn(uri, serial, &Check::compiled, result.at("diagnostics").get<Found>());
  } catch (const Json::exception &) {
    // The client sees the answer itself.
  }
}

} // namespace tilewright::lsp
