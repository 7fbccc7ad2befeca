//===- ChromeTraceReader.cpp - Chrome trace JSON -> TraceStore ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The list of events is cut into runs of whole events, each parsed on its own,
// so that neither the text nor an index of it is ever held as a whole.
//
//===----------------------------------------------------------------------===//
#include "profiler/ChromeTraceReader.h"
#include "profiler/JsonElements.h"
#include "profiler/TraceBuilder.h"
#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <simdjson.h>
#include <tuple>

namespace tilewright::profiler {

namespace {

namespace ondemand = simdjson::ondemand;

constexpr size_t runSize = 1 << 20;
constexpr size_t longestName = 4096;

/// A token of a number without its trailing white space.
std::string_view trimmed(std::string_view token) {
  while (!token.empty() && static_cast<unsigned char>(token.back()) <= ' ')
    token.remove_suffix(1);
  return token;
}

/// Microseconds as written -> nanoseconds, exact for plain decimals: a double
/// does not hold the nanoseconds of a date.
bool parseMicroseconds(std::string_view text, int64_t &nanoseconds) {
  text = trimmed(text);
  size_t at = 0;
  bool negative = !text.empty() && text[0] == '-';
  at += negative;
  uint64_t whole = 0;
  size_t first = at;
  while (at < text.size() && text[at] >= '0' && text[at] <= '9' &&
         at - first < 16)
    whole = whole * 10 + uint64_t(text[at++] - '0');
  bool plain = at > first;
  uint64_t part = 0;
  if (plain && at < text.size() && text[at] == '.') {
    ++at;
    uint64_t scale = 100;
    bool rounded = false;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
      uint64_t digit = uint64_t(text[at] - '0');
      if (scale > 0) {
        part += digit * scale;
        scale /= 10;
      } else if (!rounded) {
        part += digit >= 5;
        rounded = true;
      }
    }
  }
  if (plain && at == text.size() && whole < uint64_t(2'000'000'000'000'000)) {
    auto value = static_cast<int64_t>(whole * 1000 + part);
    nanoseconds = negative ? -value : value;
    return true;
  }
  double value = 0;
  auto [end, code] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (code == std::errc::result_out_of_range)
    value = negative ? -1e15 : 1e15;
  else if (code != std::errc() || end != text.data() + text.size() ||
           !std::isfinite(value))
    return false;
  nanoseconds = std::llround(std::clamp(value, -2e15, 2e15) * 1000);
  return true;
}

bool parseInteger(std::string_view text, int64_t &value) {
  text = trimmed(text);
  auto [end, code] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc() && end == text.data() + text.size();
}

/// A simple value as it stands in the text: a number or word, or what is
/// between the quotes.
struct Scalar {
  std::string_view text;
  bool isString = false;
  bool present = false;
};

/// One event as written. Texts point into the run.
struct RawEvent {
  char phase = 0;
  std::string_view name, category, bind;
  Scalar time, duration, process, thread, id, bindId;
  bool flowIn = false, flowOut = false;
  // From the arguments:
  std::vector<std::string_view> keys;
  std::vector<int64_t> grid, after;
  std::optional<int64_t> ownId, ownTrack, ownParent;
  std::string_view argName;
  Scalar sortIndex;
  std::vector<std::pair<std::string_view, std::string_view>> numbers;

  void clear() {
    phase = 0;
    name = category = bind = argName = {};
    time = duration = process = thread = id = bindId = sortIndex = {};
    flowIn = flowOut = false;
    keys.clear();
    grid.clear();
    after.clear();
    numbers.clear();
    ownId = ownTrack = ownParent = {};
  }
};

class ChromeReader {
public:
  ChromeReader(ByteSource &source, const ReadOptions &options,
               std::stop_token stop, const Progress &progress,
               model::Diagnostic &error)
      : source(source), json(source), options(options), stop(std::move(stop)),
        progress(progress), error(error) {}

  std::optional<TraceStore> read() {
    if (!readTop())
      return std::nullopt;
    if (stop.stop_requested())
      return cancelled();
    finishTracks();
    matchDurations();
    matchFlows();
    report();
    auto store = builder.finish(stop, [&](double share) {
      if (progress)
        progress(0.8 + 0.2 * share);
    });
    if (!store)
      return cancelled();
    return store;
  }

private:
  using Status = JsonElements::Status;

  // --- Errors -------------------------------------------------------------

  bool fail(const char *code, std::string message, uint64_t offset,
            std::string hint = "") {
    error.code = code;
    error.message = std::move(message);
    error.hint = std::move(hint);
    error.range = {static_cast<int64_t>(offset), static_cast<int64_t>(offset)};
    return false;
  }

  std::nullopt_t cancelled() {
    fail("TW0085", "reading the trace was cancelled", 0);
    return std::nullopt;
  }

  /// A fault in the JSON. True if what was read is kept all the same.
  bool broken(std::string what, uint64_t offset) {
    std::string message = what + " at byte " + std::to_string(offset);
    if (options.keepBroken) {
      builder.note(message + "; the events before it were kept");
      return true;
    }
    return fail("TW0082", std::move(message), offset,
                "fetch the file again, or open it keeping what can be read");
  }

  bool sourceFailed() {
    if (options.keepBroken && json.error().code != "TW0080") {
      builder.note(json.error().message + "; the events before it were kept");
      return true;
    }
    error = json.error();
    if (error.range.begin == 0 && error.range.end == 0)
      error.range = {static_cast<int64_t>(json.offset()),
                     static_cast<int64_t>(json.offset())};
    return false;
  }

  bool truncated() {
    return json.failed() ? sourceFailed()
                         : broken("the text ends early,", json.offset());
  }

  // --- The outermost structure --------------------------------------------

  bool readTop() {
    int first = json.peek();
    if (first == 0xef) { // byte order mark
      for (int i = 0; i < 3; ++i)
        if (json.peek() >= 0)
          json.skip();
      first = json.peek();
    }
    if (first < 0)
      return json.failed() ? sourceFailed()
                           : fail("TW0081", "the trace is empty", 0);
    if (first == '[') {
      json.skip();
      bool whole = false;
      if (!readEvents(true, whole))
        return false;
      int more = whole ? json.peek() : -1;
      return more < 0 ||
             broken("text behind the end of the trace", json.offset());
    }
    if (first != '{')
      return fail("TW0081",
                  "this is no trace: it begins with neither '[' nor '{'",
                  json.offset(),
                  "the trace event format of Chrome is read, plain or gzip");
    json.skip();
    return readObject();
  }

  bool readObject() {
    bool found = false;
    std::string names;
    std::string name, value;
    int c = json.peek();
    if (c == '}') {
      json.skip();
    } else {
      while (true) {
        c = json.peek();
        if (c < 0)
          return truncated();
        if (c != '"')
          return broken("expected a name in quotes", json.offset());
        if (json.readString(name) != Status::Ok)
          return truncated();
        c = json.peek();
        if (c < 0)
          return truncated();
        if (c != ':')
          return broken("expected ':' behind a name", json.offset());
        json.skip();
        if (names.size() < 200)
          names += (names.empty() ? "" : ", ") + name.substr(0, 60);
        c = json.peek();
        if (name == "traceEvents" && c == '[') {
          found = true;
          json.skip();
          bool whole = false;
          if (!readEvents(false, whole))
            return false;
          if (!whole)
            return true; // kept what there was
        } else {
          constexpr size_t keep = 1 << 20;
          if (json.skipValue(value, keep) != Status::Ok)
            return truncated();
          if (name == "otherData" && value.size() < keep)
            readOwnData(value);
        }
        c = json.peek();
        if (c < 0)
          return truncated();
        if (c == '}') {
          json.skip();
          break;
        }
        if (c != ',')
          return broken("expected ',' or '}'", json.offset());
        json.skip();
      }
    }
    if (!found)
      return fail("TW0081",
                  "this is no trace: there is no \"traceEvents\" list" +
                      (names.empty() ? "" : ", only " + names),
                  0, "the trace event format of Chrome is read, plain or gzip");
    if (json.peek() >= 0)
      return broken("text behind the end of the trace", json.offset());
    return !json.failed() || sourceFailed();
  }

  void readOwnData(const std::string &text) {
    nlohmann::json data = nlohmann::json::parse(text, nullptr, false);
    if (!data.is_object())
      return;
    if (data.value("schema", nlohmann::json()) != "tilewright/chrome-trace")
      return;
    own = true;
    if (data.contains("origin"))
      builder.setOrigin(data["origin"].get<model::Origin>());
    if (data.contains("target") && data["target"].is_string())
      builder.setTarget(data["target"].get<std::string>());
  }

  /// The list of events, behind its '['. `whole` is set if it ends as it
  /// should.
  bool readEvents(bool mayEndEarly, bool &whole) {
    std::string run;
    while (true) {
      if (stop.stop_requested()) {
        cancelled();
        return false;
      }
      run = "[";
      uint64_t start = 0;
      Status status = json.readElements(run, runSize, start);
      run += ']';
      const size_t length = run.size();
      run.append(simdjson::SIMDJSON_PADDING, ' ');
      bool good = true;
      if (!parseRun(std::string_view(run).substr(0, length), start, good))
        return false;
      if (!good)
        return true; // broken, but kept
      if (progress)
        progress(0.8 * source.progress());
      if (status == Status::End) {
        whole = true;
        return true;
      }
      if (status == Status::Failed)
        return sourceFailed();
      if (status == Status::Truncated) {
        // A bare list may lack its ']', so that a writer may die at any time,
        // but not in the middle of an event.
        int more = json.peek();
        if (more == ',') {
          json.skip();
          more = json.peek();
        }
        if (json.failed())
          return sourceFailed();
        if (more >= 0 || !mayEndEarly)
          return broken("the text ends early, within the list of events begun",
                        json.offset());
        builder.note("the list of events lacks its closing ']'");
        return true;
      }
    }
  }

  // --- Events -------------------------------------------------------------

  /// `good` is cleared if the run is broken but what came before is kept.
  /// Behind `run` is what simdjson needs of padding.
  bool parseRun(std::string_view run, uint64_t start, bool &good) {
    auto fault = [&](simdjson::error_code code, uint64_t offset) {
      good = false;
      std::string what = simdjson::error_message(code);
      // Without the advice some messages carry for programmers.
      what = what.substr(0, what.find_first_of(".:"));
      return broken("malformed JSON (" + what + ")", offset);
    };
    ondemand::document document;
    simdjson::error_code code =
        parser
            .iterate(simdjson::padded_string_view(
                run.data(), run.size(),
                run.size() + simdjson::SIMDJSON_PADDING))
            .get(document);
    if (code)
      return fault(code, start);
    auto where = [&]() -> uint64_t {
      const char *at = nullptr;
      if (document.current_location().get(at) || at < run.data() + 1 ||
          at > run.data() + run.size())
        return start;
      return start + uint64_t(at - run.data()) - 1;
    };
    ondemand::array events;
    if ((code = document.get_array().get(events)))
      return fault(code, where());
    for (auto element : events) {
      ondemand::value value;
      if ((code = element.get(value)))
        return fault(code, where());
      ondemand::json_type type;
      if ((code = value.type().get(type)))
        return fault(code, where());
      if (type != ondemand::json_type::object) {
        ++ignored["that are no objects"];
        continue;
      }
      ondemand::object object;
      if ((code = value.get_object().get(object)))
        return fault(code, where());
      raw.clear();
      if ((code = readEvent(object)))
        return fault(code, where());
      if (builder.eventCount() >= options.maxEvents)
        return fail("TW0084",
                    "the trace has more than " +
                        std::to_string(options.maxEvents) + " events",
                    where(), "record a shorter time or fewer tracks");
      takeEvent();
    }
    return true;
  }

  simdjson::error_code readScalar(ondemand::value value, Scalar &into) {
    ondemand::json_type type;
    if (auto code = value.type().get(type))
      return code;
    into.present = true;
    into.isString = false;
    switch (type) {
    case ondemand::json_type::string:
      into.isString = true;
      return value.get_string().get(into.text);
    case ondemand::json_type::number:
    case ondemand::json_type::boolean:
    case ondemand::json_type::null:
      into.text = trimmed(value.raw_json_token());
      into.present = type != ondemand::json_type::null;
      return simdjson::SUCCESS;
    default:
      into.present = false;
      return simdjson::SUCCESS;
    }
  }

  simdjson::error_code readText(ondemand::value value, std::string_view &into) {
    Scalar scalar;
    if (auto code = readScalar(value, scalar))
      return code;
    into = scalar.text.substr(0, longestName);
    return simdjson::SUCCESS;
  }

  simdjson::error_code readEvent(ondemand::object &object) {
    for (auto item : object) {
      ondemand::field field;
      if (auto code = std::move(item).get(field))
        return code;
      std::string_view key;
      if (auto code = field.unescaped_key().get(key))
        return code;
      simdjson::error_code code = simdjson::SUCCESS;
      if (key == "name") {
        code = readText(field.value(), raw.name);
      } else if (key == "ph") {
        std::string_view phase;
        code = readText(field.value(), phase);
        raw.phase = phase.size() == 1 ? phase[0] : 0;
      } else if (key == "ts") {
        code = readScalar(field.value(), raw.time);
      } else if (key == "dur") {
        code = readScalar(field.value(), raw.duration);
      } else if (key == "pid") {
        code = readScalar(field.value(), raw.process);
      } else if (key == "tid") {
        code = readScalar(field.value(), raw.thread);
      } else if (key == "args") {
        code = readArguments(field.value());
      } else if (key == "cat") {
        code = readText(field.value(), raw.category);
      } else if (key == "id") {
        code = readScalar(field.value(), raw.id);
      } else if (key == "bp") {
        code = readText(field.value(), raw.bind);
      } else if (key == "bind_id") {
        code = readScalar(field.value(), raw.bindId);
      } else if (key == "flow_in" || key == "flow_out") {
        Scalar flag;
        code = readScalar(field.value(), flag);
        (key == "flow_in" ? raw.flowIn : raw.flowOut) = flag.text == "true";
      } else if (key == "id2") {
        code = readId2(field.value());
      }
      if (code)
        return code;
    }
    return simdjson::SUCCESS;
  }

  simdjson::error_code readId2(ondemand::value value) {
    ondemand::json_type type;
    if (auto code = value.type().get(type))
      return code;
    if (type != ondemand::json_type::object)
      return simdjson::SUCCESS;
    ondemand::object object;
    if (auto code = value.get_object().get(object))
      return code;
    for (auto item : object) {
      ondemand::field field;
      if (auto code = std::move(item).get(field))
        return code;
      if (auto code = readScalar(field.value(), raw.id))
        return code;
    }
    return simdjson::SUCCESS;
  }

  template <typename Take>
  simdjson::error_code readList(ondemand::value value, Take take) {
    ondemand::json_type type;
    if (auto code = value.type().get(type))
      return code;
    if (type != ondemand::json_type::array) {
      Scalar scalar;
      auto code = readScalar(value, scalar);
      if (!code && scalar.present)
        take(scalar);
      return code;
    }
    ondemand::array list;
    if (auto code = value.get_array().get(list))
      return code;
    for (auto item : list) {
      ondemand::value element;
      if (auto code = item.get(element))
        return code;
      Scalar scalar;
      if (auto code = readScalar(element, scalar))
        return code;
      if (scalar.present)
        take(scalar);
    }
    return simdjson::SUCCESS;
  }

  simdjson::error_code readArguments(ondemand::value value) {
    ondemand::json_type type;
    if (auto code = value.type().get(type))
      return code;
    if (type != ondemand::json_type::object)
      return simdjson::SUCCESS;
    ondemand::object object;
    if (auto code = value.get_object().get(object))
      return code;
    for (auto item : object) {
      ondemand::field field;
      if (auto code = std::move(item).get(field))
        return code;
      std::string_view key;
      if (auto code = field.unescaped_key().get(key))
        return code;
      simdjson::error_code code = simdjson::SUCCESS;
      auto integers = [&](std::vector<int64_t> &into) {
        return readList(field.value(), [&](const Scalar &scalar) {
          int64_t number;
          if (parseInteger(scalar.text, number))
            into.push_back(number);
        });
      };
      if (key == "keys" || key == "key") {
        code = readList(field.value(), [&](const Scalar &scalar) {
          if (scalar.isString)
            raw.keys.push_back(scalar.text.substr(0, longestName));
        });
      } else if (key == "grid") {
        code = integers(raw.grid);
      } else if (key == "after") {
        code = integers(raw.after);
      } else {
        Scalar scalar;
        code = readScalar(field.value(), scalar);
        if (!code && scalar.present) {
          int64_t number;
          bool whole = !scalar.isString && parseInteger(scalar.text, number);
          if (key == "id" && whole)
            raw.ownId = number;
          else if (key == "track" && whole)
            raw.ownTrack = number;
          else if (key == "parent" && whole)
            raw.ownParent = number;
          else if (key == "name")
            raw.argName = scalar.text.substr(0, longestName);
          else if (key == "sort_index")
            raw.sortIndex = scalar;
          // What of these a counter means is known only with its phase.
          if (raw.numbers.size() < 64)
            raw.numbers.push_back({key, scalar.text});
        }
      }
      if (code)
        return code;
    }
    return simdjson::SUCCESS;
  }

  void takeEvent() {
    switch (raw.phase) {
    case 'M':
      return takeMetadata();
    case 'C':
      return takeCounter();
    case 'B':
    case 'E':
    case 'X':
    case 'i':
    case 'I':
    case 'R':
    case 's':
    case 't':
    case 'f':
    case 'b':
    case 'e':
    case 'n':
      break;
    case 0:
      ++ignored["without a phase"];
      return;
    default:
      ++ignored[std::string("of phase '") +
                (raw.phase > ' ' && raw.phase < 0x7f ? raw.phase : '?') + "'"];
      return;
    }
    int64_t time = 0;
    if (!raw.time.present || !parseMicroseconds(raw.time.text, time)) {
      ++ignored["without a time"];
      return;
    }
    switch (raw.phase) {
    case 'X':
      return takeComplete(time);
    case 'B':
      return marks.push_back(
          {threadOf(), addSlice(threadOf(), time, time, EventKind::Unfinished),
           time, 0});
    case 'E':
      return marks.push_back({threadOf(), noEvent, time, nameNumber()});
    case 'b':
    case 'e':
    case 'n':
      return takeAsync(time);
    case 's':
    case 't':
    case 'f':
      return takeFlow(time);
    default:
      addSlice(threadOf(), time, time, EventKind::Instant);
    }
  }

  uint32_t nameNumber() { return builder.intern(raw.name); }

  uint32_t addSlice(uint32_t track, int64_t begin, int64_t end,
                    EventKind kind) {
    uint32_t event = builder.addEvent(track, begin, end, nameNumber(),
                                      builder.internKeys(raw.keys), raw.grid,
                                      raw.ownId, kind);
    for (int64_t before : raw.after)
      after.push_back({before, event});
    return event;
  }

  void takeComplete(int64_t time) {
    int64_t duration = 0;
    bool known =
        raw.duration.present && parseMicroseconds(raw.duration.text, duration);
    uint32_t event = addSlice(threadOf(), time, time + duration,
                              known ? EventKind::Slice : EventKind::Unfinished);
    if (raw.bindId.present && (raw.flowIn || raw.flowOut)) {
      FlowPoint point;
      point.flow = flowNumber(raw.bindId, {}, {});
      point.time = time;
      point.event = event;
      point.phase = raw.flowIn ? 't' : 's';
      flowPoints.push_back(point);
    }
  }

  // --- Rows ---------------------------------------------------------------

  struct Process {
    std::string key, name;
    int64_t sortIndex = 0;
    bool named = false;
  };
  struct Thread {
    uint32_t process = 0, track = 0;
    std::string key, name;
    int64_t sortIndex = 0;
    bool named = false, async = false;
    std::optional<int64_t> ownId, ownParent;
  };

  uint32_t processOf() {
    std::string_view key = raw.process.text;
    if (lastProcess < processes.size() && processes[lastProcess].key == key)
      return lastProcess;
    auto found = processNumber.find(key);
    if (found == processNumber.end()) {
      Process process;
      process.key = key;
      processes.push_back(std::move(process));
      found = processNumber
                  .emplace(std::string(key),
                           static_cast<uint32_t>(processes.size() - 1))
                  .first;
    }
    return lastProcess = found->second;
  }

  uint32_t threadRecord(bool async, std::string_view key) {
    uint32_t process = processOf();
    if (lastThread < threads.size() && threads[lastThread].async == async &&
        threads[lastThread].process == process &&
        threads[lastThread].key == key)
      return lastThread;
    scratch.assign(reinterpret_cast<const char *>(&process), sizeof process);
    scratch += async ? 'a' : 't';
    scratch += key;
    auto found = threadNumber.find(scratch);
    if (found == threadNumber.end()) {
      Thread thread;
      thread.process = process;
      thread.async = async;
      thread.key = key;
      thread.track = builder.addTrack(0, -1, "");
      threads.push_back(std::move(thread));
      found = threadNumber
                  .emplace(scratch, static_cast<uint32_t>(threads.size() - 1))
                  .first;
    }
    return lastThread = found->second;
  }

  uint32_t threadOf() {
    return threads[threadRecord(false, raw.thread.text)].track;
  }

  void takeMetadata() {
    int64_t sort = 0;
    bool hasSort =
        raw.sortIndex.present && parseInteger(raw.sortIndex.text, sort);
    if (raw.name == "process_name") {
      Process &process = processes[processOf()];
      process.name = raw.argName;
      process.named = true;
    } else if (raw.name == "process_sort_index" && hasSort) {
      processes[processOf()].sortIndex = sort;
    } else if (raw.name == "thread_name") {
      Thread &thread = threads[threadRecord(false, raw.thread.text)];
      thread.name = raw.argName;
      thread.named = true;
      thread.ownId = raw.ownTrack;
      thread.ownParent = raw.ownParent;
    } else if (raw.name == "thread_sort_index" && hasSort) {
      threads[threadRecord(false, raw.thread.text)].sortIndex = sort;
    }
  }

  void takeCounter() {
    int64_t time = 0;
    if (!raw.time.present || !parseMicroseconds(raw.time.text, time)) {
      ++ignored["without a time"];
      return;
    }
    uint32_t process = processOf();
    for (auto [series, text] : raw.numbers) {
      double value = 0;
      auto [end, code] =
          std::from_chars(text.data(), text.data() + text.size(), value);
      if (code != std::errc() || end != text.data() + text.size())
        continue;
      scratch.assign(reinterpret_cast<const char *>(&process), sizeof process);
      scratch += raw.name;
      scratch += '\0';
      scratch += raw.id.text;
      scratch += '\0';
      scratch += series;
      auto found = counterNumber.find(scratch);
      if (found == counterNumber.end()) {
        std::string name(raw.name);
        if (raw.id.present)
          name += "[" + std::string(raw.id.text) + "]";
        if (series != "value" && series != raw.name)
          name += " / " + std::string(series);
        found =
            counterNumber.emplace(scratch, builder.addCounter(name, -1)).first;
        counterProcess.push_back(process);
      }
      builder.addSample(found->second, time, value);
    }
  }

  /// Names, order and parents, now that all metadata has been seen. A process
  /// becomes a row above its threads if it has a name or is not the only one.
  void finishTracks() {
    std::vector<uint32_t> order(processes.size());
    for (uint32_t p = 0; p < order.size(); ++p)
      order[p] = p;
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      return std::pair(processes[a].sortIndex, a) <
             std::pair(processes[b].sortIndex, b);
    });
    std::vector<std::vector<uint32_t>> threadsOf(processes.size());
    for (uint32_t t = 0; t < threads.size(); ++t)
      threadsOf[threads[t].process].push_back(t);
    std::vector<int32_t> processTrack(processes.size(), -1);
    std::map<int64_t, uint32_t> ownTracks;
    int64_t nextId = 0;
    if (own)
      for (const Thread &thread : threads)
        if (thread.ownId)
          nextId = std::max(nextId, *thread.ownId < (int64_t(1) << 60)
                                        ? *thread.ownId + 1
                                        : int64_t(0));
    for (uint32_t p : order) {
      const Process &process = processes[p];
      bool allOwn = own && !threadsOf[p].empty();
      for (uint32_t t : threadsOf[p])
        allOwn &= threads[t].ownId.has_value();
      if (!allOwn && (process.named || processes.size() > 1)) {
        std::string name = process.named         ? process.name
                           : process.key.empty() ? "process"
                                                 : "process " + process.key;
        processTrack[p] =
            static_cast<int32_t>(builder.addTrack(nextId, -1, name, nextId));
        ++nextId;
      }
      auto numeric = [&](const Thread &thread) {
        int64_t value = 0;
        return parseInteger(thread.key, value)
                   ? value
                   : std::numeric_limits<int64_t>::max();
      };
      std::sort(threadsOf[p].begin(), threadsOf[p].end(),
                [&](uint32_t a, uint32_t b) {
                  const Thread &x = threads[a], &y = threads[b];
                  return std::tuple(x.async, x.sortIndex, numeric(x), a) <
                         std::tuple(y.async, y.sortIndex, numeric(y), b);
                });
      for (uint32_t t : threadsOf[p]) {
        Thread &thread = threads[t];
        int64_t value;
        if (!thread.named)
          thread.name =
              thread.async         ? (thread.key.empty() ? "async" : thread.key)
              : thread.key.empty() ? "thread"
              : parseInteger(thread.key, value) ? "thread " + thread.key
                                                : thread.key;
        builder.renameTrack(thread.track, thread.name);
        bool keepsId = own && thread.ownId &&
                       ownTracks.emplace(*thread.ownId, thread.track).second;
        builder.setTrackId(thread.track, keepsId ? *thread.ownId : nextId++);
        builder.setSortIndex(thread.track, trackOrder++);
        builder.setParent(thread.track, processTrack[p]);
      }
    }
    for (const Thread &thread : threads)
      if (own && thread.ownParent)
        if (auto parent = ownTracks.find(*thread.ownParent);
            parent != ownTracks.end())
          builder.setParent(thread.track, static_cast<int32_t>(parent->second));
    for (uint32_t c = 0; c < counterProcess.size(); ++c)
      builder.setCounterTrack(c, processTrack[counterProcess[c]]);
  }

  // --- Begins and ends ----------------------------------------------------

  struct Mark {
    uint32_t stack; ///< a track, or behind all tracks an async chain
    uint32_t event; ///< that begins, or noEvent: an end
    int64_t time;
    uint32_t name; ///< of an end
  };

  void takeAsync(int64_t time) {
    uint32_t track = threads[threadRecord(true, raw.category)].track;
    if (raw.phase == 'n') {
      addSlice(track, time, time, EventKind::Instant);
      return;
    }
    uint32_t process = processOf();
    scratch.assign(reinterpret_cast<const char *>(&process), sizeof process);
    scratch += raw.category;
    scratch += '\0';
    scratch += raw.id.text;
    auto found =
        chainNumber
            .try_emplace(scratch, static_cast<uint32_t>(chainNumber.size()))
            .first;
    if (raw.phase == 'b')
      asyncMarks.push_back({found->second,
                            addSlice(track, time, time, EventKind::Unfinished),
                            time, 0});
    else
      asyncMarks.push_back({found->second, noEvent, time, nameNumber()});
  }

  /// Ends close the innermost open event of their name, or the innermost if
  /// they have none. The order of the file counts only at equal times.
  void match(std::vector<Mark> &list) {
    std::vector<uint32_t> order(list.size());
    for (uint32_t i = 0; i < order.size(); ++i)
      order[i] = i;
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      return std::tuple(list[a].stack, list[a].time, a) <
             std::tuple(list[b].stack, list[b].time, b);
    });
    struct Open {
      uint32_t event, name;
    };
    std::vector<Open> open;
    for (size_t i = 0; i < order.size(); ++i) {
      const Mark &mark = list[order[i]];
      if (i > 0 && list[order[i - 1]].stack != mark.stack)
        open.clear();
      if (mark.event != noEvent) {
        open.push_back({mark.event, builder.nameOf(mark.event)});
        continue;
      }
      size_t depth = open.size();
      if (mark.name != 0) {
        // Names that do not match are common enough to look only a little
        // way down.
        constexpr size_t farthest = 64;
        size_t least = open.size() > farthest ? open.size() - farthest : 0;
        while (depth > least && open[depth - 1].name != mark.name)
          --depth;
        if (depth == least && (depth == 0 || open[depth - 1].name != mark.name))
          depth = open.size();
      }
      if (open.empty()) {
        ++strayEnds;
        continue;
      }
      // What was opened inside it and not closed ends with it.
      for (size_t k = depth - 1; k < open.size(); ++k) {
        builder.endEvent(open[k].event, mark.time);
        impliedEnds += k >= depth;
      }
      open.resize(depth - 1);
    }
    list = {};
  }

  void matchDurations() {
    match(marks);
    match(asyncMarks);
  }

  // --- Flows --------------------------------------------------------------

  struct FlowPoint {
    uint32_t flow = 0;
    int64_t time = 0;
    uint32_t track = 0;
    uint32_t event = noEvent; ///< known, or by track and time
    char phase = 's';
    bool next = false; ///< binds to what begins next
  };

  uint32_t flowNumber(const Scalar &id, std::string_view category,
                      std::string_view name) {
    scratch = id.text;
    scratch += '\0';
    scratch += category;
    scratch += '\0';
    scratch += name;
    return flowNumbers
        .try_emplace(scratch, static_cast<uint32_t>(flowNumbers.size()))
        .first->second;
  }

  void takeFlow(int64_t time) {
    if (!raw.id.present) {
      ++ignored["of a flow without an id"];
      return;
    }
    FlowPoint point;
    point.flow = flowNumber(raw.id, raw.category, raw.name);
    point.time = time;
    point.track = threadOf();
    point.phase = raw.phase;
    point.next = raw.phase == 'f' && raw.bind != "e";
    flowPoints.push_back(point);
  }

  void matchFlows() {
    // Our own files name the dependencies themselves.
    for (auto [from, to] : after)
      builder.addFlowToEvent(from, to);
    if (own && !after.empty())
      return;
    std::sort(flowPoints.begin(), flowPoints.end(),
              [](const FlowPoint &a, const FlowPoint &b) {
                auto rank = [](char phase) {
                  return phase == 's' ? 0 : phase == 't' ? 1 : 2;
                };
                return std::tuple(a.flow, a.time, rank(a.phase)) <
                       std::tuple(b.flow, b.time, rank(b.phase));
              });
    for (size_t i = 1; i < flowPoints.size(); ++i) {
      const FlowPoint &from = flowPoints[i - 1], &to = flowPoints[i];
      if (from.flow != to.flow || from.phase == 'f' || to.phase == 's')
        continue;
      if (from.event != noEvent && to.event != noEvent)
        builder.addFlow(from.event, to.event);
      else if (from.event == noEvent && to.event == noEvent)
        builder.addFlowByTime(from.track, from.time, to.track, to.time,
                              to.next);
    }
    flowPoints = {};
  }

  void report() {
    for (const auto &[what, count] : ignored)
      builder.note(std::to_string(count) + " events " + what +
                   " were left out");
    if (strayEnds)
      builder.note(std::to_string(strayEnds) +
                   " ends without a begin were left out");
    if (impliedEnds)
      builder.note(std::to_string(impliedEnds) +
                   " events without an end of their own end with what is "
                   "around them");
  }

  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  using Numbers =
      std::unordered_map<std::string, uint32_t, Hash, std::equal_to<>>;

  ByteSource &source;
  JsonElements json;
  const ReadOptions &options;
  const std::stop_token stop;
  const Progress &progress;
  model::Diagnostic &error;
  ondemand::parser parser;
  TraceBuilder builder;
  RawEvent raw;
  bool own = false; ///< written by our writer
  std::string scratch;
  std::vector<Process> processes;
  std::vector<Thread> threads;
  Numbers processNumber, threadNumber, counterNumber, chainNumber, flowNumbers;
  std::vector<uint32_t> counterProcess;
  uint32_t lastProcess = 0, lastThread = 0;
  int64_t trackOrder = 0;
  std::vector<Mark> marks, asyncMarks;
  std::vector<FlowPoint> flowPoints;
  std::vector<std::pair<int64_t, uint32_t>> after; ///< id, event
  std::map<std::string, int64_t> ignored;
  int64_t strayEnds = 0, impliedEnds = 0;
};

std::optional<TraceStore> readFrom(std::unique_ptr<ByteSource> packed,
                                   model::Diagnostic &error,
                                   const ReadOptions &options,
                                   std::stop_token stop,
                                   const Progress &progress) {
  std::unique_ptr<ByteSource> source = unpack(std::move(packed), error);
  if (!source)
    return std::nullopt;
  return ChromeReader(*source, options, std::move(stop), progress, error)
      .read();
}

} // namespace

std::optional<TraceStore> readChromeTrace(const std::string &path,
                                          model::Diagnostic &error,
                                          const ReadOptions &options,
                                          std::stop_token stop,
                                          const Progress &progress) {
  error = {};
  error.uri = path;
  std::unique_ptr<ByteSource> file = openFile(path, error);
  if (!file)
    return std::nullopt;
  auto store =
      readFrom(std::move(file), error, options, std::move(stop), progress);
  error.uri = path;
  return store;
}

std::optional<TraceStore> readChromeTraceText(std::string_view text,
                                              model::Diagnostic &error,
                                              const ReadOptions &options,
                                              std::stop_token stop,
                                              const Progress &progress) {
  error = {};
  return readFrom(openText(text), error, options, std::move(stop), progress);
}

} // namespace tilewright::profiler
