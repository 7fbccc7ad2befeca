//===- EngineSupervisor.cpp - engines that may die ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/client/EngineSupervisor.h"
#include "lsp/client/ProcessorWait.h"
#include "lsp/protocol/Uri.h"
#include "lsp/protocol/Utf8.h"
#include <deque>
#include <set>

namespace tilewright::lsp {

namespace {

using Clock = std::chrono::steady_clock;

/// How often it is looked whether calls that may take so long, and no longer,
/// could be worked on; who wakes later by as much was stopped.
constexpr std::chrono::milliseconds tick{200};
/// On a busy machine a call is waited for so many times longer.
constexpr int mostPatience = 4;

/// What the user should know of a child's standard error: its last line.
std::string lastLine(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r'))
    text.remove_suffix(1);
  size_t newline = text.rfind('\n');
  if (newline != std::string_view::npos)
    text.remove_prefix(newline + 1);
  return replaceInvalidUtf8(text.substr(0, 300));
}

struct OpenDocument {
  TextDocument text;
  std::string pins; ///< as in OpenParams

  /// OpenParams with one copy of the text.
  Json params() const {
    Json params = {
        {"uri", text.uri()}, {"version", text.version()}, {"pins", pins}};
    params["text"] = text.text();
    return params;
  }
};

} // namespace

struct EngineSupervisor::Impl {
  Options options;

  /// A call that has not been answered.
  struct Active {
    Call call;
    int slot = 0;
    int64_t rpcId = -1; ///< -1: not sent
    bool sent = false;
    bool cancelled = false; ///< by the caller
    bool timedOut = false;
    bool suspect = false; ///< was in flight when an engine died
    int attempts = 0;
    bool unread = false; ///< an engine died before it had read it
    Clock::time_point deadline = Clock::time_point::max();
    Clock::time_point killAt = Clock::time_point::max();
    /// How much longer it may still be waited for on a busy machine.
    Clock::duration spare{0};
    bool endedFor = false; ///< its engine was killed because of it
  };

  struct Slot {
    std::unique_ptr<Client> client;
    int64_t generation = 0;       ///< of `client`
    std::set<std::string> opened; ///< documents the engine has
    std::set<int64_t> inFlight;
    std::deque<int64_t> suspects; ///< to be sent again, one at a time
    std::deque<int64_t> waiting;  ///< new calls, until no suspect is left
    std::string garbage;          ///< how the engine broke the protocol
    int starts = 0;

    bool proven = false;  ///< `client` has answered something
    bool onTrial = false; ///< the one call in flight is a suspect
    ProcessorWait processorWait;
  };

  mutable std::mutex mutex;
  std::condition_variable wakeUp;
  std::map<std::string, OpenDocument> documents;
  std::map<int64_t, Active> calls;
  std::array<Slot, 2> slots;
  int64_t nextCall = 1;
  bool stopping = false; ///< nothing more is sent
  bool quit = false;     ///< the housekeeper ends when its work is done
  std::vector<std::function<void()>> tasks; ///< for the housekeeper
  std::vector<std::unique_ptr<Client>> graveyard;
  std::thread housekeeper;
  Clock::time_point lastLook{}; ///< at what engines waited for

  //===--------------------------------------------------------------------===//
  // All of these are called with the lock held
  //===--------------------------------------------------------------------===//

  void post(std::function<void()> task) {
    tasks.push_back(std::move(task));
    wakeUp.notify_all();
  }

  void finish(int64_t id, Response response) {
    auto it = calls.find(id);
    if (it == calls.end())
      return;
    Slot &slot = slots[it->second.slot];
    slot.inFlight.erase(id);
    std::erase(slot.suspects, id);
    std::erase(slot.waiting, id);
    post([done = std::move(it->second.call.done),
          response = std::move(response)]() mutable {
      if (done)
        done(std::move(response));
    });
    calls.erase(it);
  }

  std::string subject(const Call &call) const {
    std::string text = call.method;
    if (call.params.is_object() && call.params.contains("uri") &&
        call.params["uri"].is_string())
      text += " on " + pathFromUri(call.params["uri"].get<std::string>());
    return text;
  }

  Response failure(const Call &call, std::string code, std::string message,
                   std::string hint) const {
    model::Diagnostic diagnostic;
    diagnostic.code = std::move(code);
    diagnostic.message = std::move(message);
    diagnostic.hint = std::move(hint);
    if (call.params.is_object())
      diagnostic.uri = call.params.value("uri", "");
    return {nullptr, ResponseError::of(std::move(diagnostic))};
  }

  static Response cancelledResponse() {
    return {nullptr,
            ResponseError{ErrorCode::RequestCancelled, "cancelled", nullptr}};
  }

  bool startEngine(int index, std::string &error) {
    Slot &slot = slots[index];
    std::unique_ptr<Client> client = Client::spawn(options.engine, error);
    if (!client)
      return false;
    int64_t generation = ++slot.generation;
    ++slot.starts;
    slot.opened.clear();
    slot.garbage.clear();
    slot.proven = false;
    ChildProcess *process = &client->process();
    client->connection().onProtocolError([this, index, generation,
                                          process](const std::string &what) {
      // An engine that breaks the protocol may never answer: end it now.
      std::lock_guard lock(mutex);
      if (slots[index].generation == generation && slots[index].garbage.empty())
        slots[index].garbage = what;
      process->kill();
    });
    client->connection().onNotification(
        method::progress, [this, index, generation](const Json &params) {
          forwardProgress(index, generation, params);
        });
    slot.client = std::move(client);
    slot.client->start([this, index, generation](const ExitStatus &status,
                                                 const std::string &tail) {
      engineEnded(index, generation, status, tail);
    });
    slot.client->connection().request(
        method::initialize, {{"clientPid", static_cast<int64_t>(::getpid())}},
        [](Response) {});
    return true;
  }

  void send(int64_t id) {
    Active &active = calls.at(id);
    Slot &slot = slots[active.slot];
    std::string error;
    if (!slot.client && !startEngine(active.slot, error)) {
      finish(id,
             failure(active.call, "TW0603",
                     "cannot start " + options.engine.program + ": " + error,
                     "Install Tilewright completely, or set "
                     "TILEWRIGHT_ENGINE to the path of tilewright-engine."));
      return;
    }
    Connection &rpc = slot.client->connection();
    const Json &params = active.call.params;
    if (params.is_object() && params.contains("uri") &&
        params["uri"].is_string()) {
      const std::string &uri = params["uri"].get_ref<const std::string &>();
      auto document = documents.find(uri);
      if (document != documents.end() && slot.opened.insert(uri).second)
        rpc.notify(method::didOpen, document->second.params());
    }
    ++active.attempts;
    active.sent = true;
    slot.inFlight.insert(id);
    if (active.call.timeout.count() > 0) {
      active.deadline = Clock::now() + active.call.timeout;
      active.spare = mostPatience * active.call.timeout;
      wakeUp.notify_all();
    }
    active.rpcId =
        rpc.request(active.call.method, params, [this, id](Response response) {
          // Deaths are sorted out in engineEnded(), with all their calls.
          if (response.error &&
              response.error->code == ErrorCode::ConnectionClosed)
            return;
          answered(id, std::move(response));
        });
  }

  /// Sends what may be sent now.
  void pump(int index) {
    Slot &slot = slots[index];
    if (stopping)
      return;
    while (!slot.suspects.empty()) {
      if (!slot.inFlight.empty())
        return;
      int64_t id = slot.suspects.front();
      slot.suspects.pop_front();
      slot.onTrial = true;
      send(id);
    }
    if (slot.onTrial && !slot.inFlight.empty())
      return;
    slot.onTrial = false;
    while (!slot.waiting.empty()) {
      int64_t id = slot.waiting.front();
      slot.waiting.pop_front();
      send(id);
    }
  }

  /// One function is parsed in one go, some ten megabytes a second on a busy
  /// machine: to be in the middle of that is not to hang.
  std::chrono::milliseconds graceFor(const Call &call) const {
    auto document = call.params.is_object()
                        ? documents.find(call.params.value("uri", ""))
                        : documents.end();
    int64_t bytes = document == documents.end()
                        ? 0
                        : int64_t(document->second.text.text().size());
    return options.cancelGrace * (1 + bytes / (1 << 20));
  }

  void beginCancel(int64_t id, Active &active) {
    Slot &slot = slots[active.slot];
    if (!active.sent) {
      finish(id, cancelledResponse());
      return;
    }
    if (slot.client && active.killAt == Clock::time_point::max()) {
      slot.client->connection().cancel(active.rpcId);
      active.killAt = Clock::now() + graceFor(active.call);
      active.spare = mostPatience * graceFor(active.call);
      wakeUp.notify_all();
    }
  }

  Response timeoutResponse(const Active &active) const {
    return failure(
        active.call, "TW0602",
        "the compiler did not answer " + subject(active.call) + " within " +
            std::to_string(active.call.timeout.count() / 1000.0).substr(0, 4) +
            " s and was stopped",
        "The next request starts a new one. If the text is ordinary, please "
        "report it with this message.");
  }

  //===--------------------------------------------------------------------===//
  // Events; these take the lock
  //===--------------------------------------------------------------------===//

  void answered(int64_t id, Response response) {
    std::lock_guard lock(mutex);
    auto it = calls.find(id);
    if (it == calls.end())
      return;
    int index = it->second.slot;
    slots[index].proven = true;
    if (it->second.timedOut && response.error)
      response = timeoutResponse(it->second);
    finish(id, std::move(response));
    pump(index);
  }

  void forwardProgress(int index, int64_t generation, const Json &params) {
    std::function<void(const std::string &, std::optional<double>)> progress;
    {
      std::lock_guard lock(mutex);
      if (slots[index].generation != generation || !params.is_object())
        return;
      for (int64_t id : slots[index].inFlight) {
        Active &active = calls.at(id);
        if (params.value("id", Json()) == active.rpcId)
          progress = active.call.progress;
      }
    }
    if (!progress)
      return;
    std::optional<double> fraction;
    if (auto it = params.find("fraction");
        it != params.end() && it->is_number())
      fraction = it->get<double>();
    progress(params.value("message", ""), fraction);
  }

  void engineEnded(int index, int64_t generation, const ExitStatus &status,
                   const std::string &tail) {
    std::lock_guard lock(mutex);
    Slot &slot = slots[index];
    if (slot.generation != generation || !slot.client)
      return;
    graveyard.push_back(std::move(slot.client));
    slot.opened.clear();
    wakeUp.notify_all();
    if (stopping) {
      for (int64_t id : std::set<int64_t>(slot.inFlight))
        finish(id, {nullptr, ResponseError{ErrorCode::ConnectionClosed,
                                           "stopped", nullptr}});
      return;
    }

    std::set<int64_t> lost;
    lost.swap(slot.inFlight);
    // Killed for one that did not stop: that one is the culprit.
    bool culpritKnown = false;
    for (int64_t id : lost)
      culpritKnown |= calls.at(id).endedFor;
    bool alone = lost.size() == 1;
    // An engine that was ended while idle takes along what had just been sent.
    // (One that dies as it starts was not idle.)
    bool unread = slot.proven && slot.garbage.empty() &&
                  graveyard.back()->connection().lostOutput();
    if (options.onEvent)
      post([event = options.onEvent,
            what = "an engine " + status.str() + " " +
                   blame(lost, culpritKnown) +
                   (slot.garbage.empty() ? "" : "; " + slot.garbage) +
                   (tail.empty() ? "" : "; it said: " + lastLine(tail))] {
        event(what);
      });

    std::deque<int64_t> again;
    for (int64_t id : lost) {
      Active &active = calls.at(id);
      active.sent = false;
      active.rpcId = -1;
      // Once: a text that kills an engine while it is read is a culprit, too.
      bool innocent = unread && !std::exchange(active.unread, true);
      if (active.timedOut) {
        finish(id, timeoutResponse(active));
      } else if (active.cancelled) {
        finish(id, cancelledResponse());
      } else if (!culpritKnown && !innocent &&
                 (alone || active.attempts >= 5)) {
        std::string hint = "The next request starts a new one.";
        if (!tail.empty())
          hint += " Its last words: " + lastLine(tail);
        if (!slot.garbage.empty())
          finish(id, failure(active.call, "TW0604",
                             "the compiler answered " + subject(active.call) +
                                 " with something that is not the protocol (" +
                                 slot.garbage + ") and was stopped",
                             hint));
        else
          finish(id, failure(active.call, "TW0601",
                             "the compiler " + status.str() +
                                 " while it worked on " + subject(active.call),
                             hint));
      } else {
        active.suspect = true;
        active.endedFor = false;
        active.deadline = active.killAt = Clock::time_point::max();
        again.push_back(id);
      }
    }
    // Not ahead of older suspects: those are still to be tried.
    for (int64_t id : again)
      slot.suspects.push_back(id);
    pump(index);
  }

  /// What a call is about, and why its engine was ended if that was for it.
  std::string blame(const Active &active) const {
    std::string text = subject(active.call);
    if (!active.endedFor)
      return text;
    return text + (active.timedOut ? ", which did not end in time"
                                   : ", which did not heed a cancel");
  }

  /// Who an engine may have died of: those it was ended for, else all.
  std::string blame(const std::set<int64_t> &lost, bool culpritKnown) const {
    std::string text;
    size_t told = 0, more = 0;
    for (int64_t id : lost) {
      const Active &active = calls.at(id);
      if (culpritKnown && !active.endedFor)
        continue;
      if (told == 3) {
        ++more;
        continue;
      }
      text += (told++ ? "; " : "") + blame(active);
    }
    if (more)
      text += "; and " + std::to_string(more) + " more";
    return text.empty() ? "while it was idle" : "at work on " + text;
  }

  /// Gives calls the time back that nobody could use: all of that in which we
  /// did not run ourselves, as on a machine that was stopped, and within
  /// bounds that in which their engine waited for a processor (a hang of more
  /// threads than there are processors waits as well).
  void giveBack(Clock::time_point now, Clock::duration stopped) {
    std::array<Clock::duration, 2> waited{};
    const Clock::duration passed = now - lastLook;
    if (passed >= tick / 2) {
      lastLook = now;
      for (size_t i = 0; i < slots.size(); ++i)
        if (slots[i].client && !slots[i].inFlight.empty())
          waited[i] = std::min<Clock::duration>(
              slots[i].processorWait.since(slots[i].client->process().pid()),
              std::min<Clock::duration>(passed, tick));
    }
    for (auto &[id, active] : calls) {
      if (!active.sent || active.endedFor)
        continue;
      Clock::duration more =
          std::min(waited[size_t(active.slot)], active.spare);
      active.spare -= more;
      for (Clock::time_point *end : {&active.deadline, &active.killAt})
        if (*end != Clock::time_point::max())
          *end += more + stopped;
    }
  }

  void keepHouse() {
    std::unique_lock lock(mutex);
    bool watching = false; ///< slept with an end in sight
    Clock::time_point wanted;
    while (true) {
      std::vector<std::function<void()>> run;
      run.swap(tasks);
      std::vector<std::unique_ptr<Client>> dead;
      dead.swap(graveyard);
      if (!run.empty() || !dead.empty()) {
        lock.unlock();
        for (auto &task : run)
          task();
        run.clear();
        dead.clear();
        lock.lock();
        continue;
      }
      if (quit)
        return;
      Clock::time_point now = Clock::now(), next = Clock::time_point::max();
      if (watching)
        giveBack(now, now > wanted + tick ? now - wanted : Clock::duration(0));
      watching = false;
      for (auto &[id, active] : calls) {
        if (!active.sent)
          continue;
        if (active.deadline <= now) {
          active.deadline = Clock::time_point::max();
          active.timedOut = true;
          beginCancel(id, active);
        }
        if (active.killAt <= now && slots[active.slot].client) {
          active.endedFor = true;
          slots[active.slot].client->process().kill();
        } else {
          next = std::min(next, active.killAt);
        }
        next = std::min(next, active.deadline);
      }
      if (next == Clock::time_point::max())
        wakeUp.wait(lock);
      else {
        watching = true;
        wanted = std::min(next, now + tick);
        wakeUp.wait_until(lock, wanted);
      }
    }
  }
};

EngineSupervisor::EngineSupervisor(Options options)
    : impl(std::make_shared<Impl>()) {
  impl->options = std::move(options);
  impl->housekeeper = std::thread([state = impl.get()] { state->keepHouse(); });
}

EngineSupervisor::~EngineSupervisor() {
  std::vector<std::unique_ptr<Client>> clients;
  {
    std::lock_guard lock(impl->mutex);
    impl->stopping = impl->quit = true;
    for (Impl::Slot &slot : impl->slots)
      if (slot.client)
        clients.push_back(std::move(slot.client));
    std::vector<int64_t> ids;
    for (auto &[id, active] : impl->calls)
      ids.push_back(id);
    for (int64_t id : ids)
      impl->finish(id, {nullptr, ResponseError{ErrorCode::ConnectionClosed,
                                               "stopped", nullptr}});
    impl->wakeUp.notify_all();
  }
  clients.clear();
  impl->housekeeper.join();
}

void EngineSupervisor::open(TextDocument text, std::string pins) {
  std::lock_guard lock(impl->mutex);
  std::string uri = text.uri();
  OpenDocument &document = impl->documents[uri];
  document = {std::move(text), std::move(pins)};
  for (Impl::Slot &slot : impl->slots)
    if (slot.client && slot.opened.count(uri))
      slot.client->connection().notify(method::didOpen, document.params());
}

void EngineSupervisor::change(const std::string &uri, int64_t version,
                              const std::vector<ByteEdit> &edits) {
  std::lock_guard lock(impl->mutex);
  auto it = impl->documents.find(uri);
  if (it == impl->documents.end())
    return;
  for (const ByteEdit &edit : edits)
    it->second.text.apply(edit);
  it->second.text.setVersion(version);
  for (Impl::Slot &slot : impl->slots)
    if (slot.client && slot.opened.count(uri))
      slot.client->connection().notify(method::didChange,
                                       ChangeParams{uri, version, edits});
}

void EngineSupervisor::close(const std::string &uri) {
  std::lock_guard lock(impl->mutex);
  impl->documents.erase(uri);
  for (Impl::Slot &slot : impl->slots)
    if (slot.client && slot.opened.erase(uri))
      slot.client->connection().notify(method::didClose, CloseParams{uri});
}

int64_t EngineSupervisor::call(Call call) {
  std::lock_guard lock(impl->mutex);
  int64_t id = impl->nextCall++;
  int index = static_cast<int>(call.role);
  Impl::Active &active = impl->calls[id];
  active.call = std::move(call);
  active.slot = index;
  if (impl->stopping) {
    impl->finish(id, {nullptr, ResponseError{ErrorCode::ConnectionClosed,
                                             "stopped", nullptr}});
    return id;
  }
  impl->slots[index].waiting.push_back(id);
  impl->pump(index);
  return id;
}

void EngineSupervisor::cancel(int64_t id) {
  std::lock_guard lock(impl->mutex);
  auto it = impl->calls.find(id);
  if (it == impl->calls.end())
    return;
  it->second.cancelled = true;
  impl->beginCancel(id, it->second);
}

Response EngineSupervisor::callAndWait(EngineRole role,
                                       const std::string &method, Json params) {
  auto promise = std::make_shared<std::promise<Response>>();
  std::future<Response> future = promise->get_future();
  Call request;
  request.role = role;
  request.method = method;
  request.params = std::move(params);
  request.done = [promise](Response response) {
    promise->set_value(std::move(response));
  };
  call(std::move(request));
  return future.get();
}

pid_t EngineSupervisor::enginePid(EngineRole role) const {
  std::lock_guard lock(impl->mutex);
  const auto &client = impl->slots[static_cast<int>(role)].client;
  return client ? client->process().pid() : -1;
}

int EngineSupervisor::starts(EngineRole role) const {
  std::lock_guard lock(impl->mutex);
  return impl->slots[static_cast<int>(role)].starts;
}

void EngineSupervisor::killAll() {
  std::lock_guard lock(impl->mutex);
  impl->stopping = true;
  for (Impl::Slot &slot : impl->slots)
    if (slot.client)
      slot.client->process().kill();
  impl->wakeUp.notify_all();
}

} // namespace tilewright::lsp
