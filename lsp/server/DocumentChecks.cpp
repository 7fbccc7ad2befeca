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
  debouncer.schedule(uri, delay, [this, uri] { check(uri); });
}

void DocumentChecks::edited(const std::string &uri,
                            const std::vector<ByteEdit> &edits) {
  stopCheck(uri);
  {
    std::lock_guard lock(mutex);
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
  bool first = pace.readings == 0 && now - pace.lastEdit >= pause;
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
  // Readings under way count on it.
  if (auto it = paces.find(uri); it != paces.end() && it->second.readings == 0)
    paces.erase(it);
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
    if (check.compiled) {
      // What reading tells, it tells again; and that an engine died says
      // nothing of the text.
      keep = withoutThose(std::move(*check.compiled),
                          check.read.value_or(Found()));
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
  {
    // An edit that comes now finds the check; one that came before is in the
    // text.
    std::lock_guard lock(mutex);
    begun.text = session.documents.find(uri);
    if (!begun.text || !session.documents.outOfStep(uri).empty())
      return;
    begun.kept = std::move(kept[uri]);
    kept.erase(uri);
    begun.serial = ++lastSerial;
    checks[uri] = begun;
  }
  ask(uri, begun, EngineRole::Language, method::diagnostics,
      session.options.featureTimeout, [this, uri, begun](Found found) {
        bool wrong = false;
        for (const model::Diagnostic &each : found)
          wrong |= each.severity == model::Severity::Error;
        learn(uri, begun.serial, &Check::read, std::move(found));
        // The compiler would stop at the same errors.
        if (!wrong && session.options.compileDelay.count() >= 0 &&
            begun.text->text().size() <= mostCompiledUnasked)
          scheduleCompile(uri, begun);
      });
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
  ask(uri, begun, EngineRole::Compile, method::stages,
      std::chrono::milliseconds(0), [this, uri, begun](Found found) {
        learn(uri, begun.serial, &Check::compiled, std::move(found));
      });
}

/// `mutex` is held.
bool DocumentChecks::isCurrent(const std::string &uri, uint64_t serial) const {
  auto it = checks.find(uri);
  return it != checks.end() && it->second.serial == serial;
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

/// Sends a call whose answer has `diagnostics`, for `begun`.
void DocumentChecks::ask(const std::string &uri, const Check &begun,
                         EngineRole role, const char *name,
                         std::chrono::milliseconds timeout,
                         std::function<void(Found)> then) {
  const bool reads = role == EngineRole::Language;
  if (reads) {
    std::lock_guard lock(mutex);
    ++paces[uri].readings;
  }
  EngineSupervisor::Call call;
  call.role = role;
  call.method = name;
  call.params = {{"uri", uri}, {"target", begun.target}};
  call.timeout = timeout;
  call.done = [this, uri, reads, start = Clock::now(), text = begun.text,
               then = std::move(then)](Response response) {
    auto found = diagnosticsOf(*text, response);
    if (found && !reads && !response.error)
      requests.news().tell(uri, method::stages, response.result);
    {
      std::lock_guard lock(mutex);
      Pace &pace = paces[uri];
      if (reads)
        --pace.readings;
      if (found)
        (reads ? pace.reading : pace.compilation) =
            std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() -
                                                                  start);
    }
    if (found)
      then(std::move(*found));
  };
  int64_t sent = session.engines->call(std::move(call));
  if (reads)
    return;
  {
    std::lock_guard lock(mutex);
    if (isCurrent(uri, begun.serial)) {
      checks[uri].compilation = sent;
      return;
    }
  }
  session.engines->cancel(sent);
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
