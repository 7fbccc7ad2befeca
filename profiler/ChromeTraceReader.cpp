//===- ChromeTraceReader.cpp - Chrome trace JSON -> TraceStore ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The list of events is cut into runs of whole events, each parsed on its own,
// so that neither the text nor an index of it is ever held as a whole.
//
//===----------------------------------------------------------------------===//
#include "profiler/ChromeTraceReader.h"
#include "profiler/ChromeEventCollector.h"
#include "profiler/JsonElements.h"
#include "profiler/TraceBuilder.h"
#include <simdjson.h>

namespace tilewright::profiler {

namespace {

namespace ondemand = simdjson::ondemand;

constexpr size_t runSize = 1 << 20;

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
    collector.finish();
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
    collector.setOwn();
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
        collector.ignore("that are no objects");
        continue;
      }
      ondemand::object object;
      if ((code = value.get_object().get(object)))
        return fault(code, where());
      event.clear();
      if ((code = event.read(object)))
        return fault(code, where());
      if (builder.eventCount() >= options.maxEvents)
        return fail("TW0084",
                    "the trace has more than " +
                        std::to_string(options.maxEvents) + " events",
                    where(), "record a shorter time or fewer tracks");
      collector.take(event);
    }
    return true;
  }

  ByteSource &source;
  JsonElements json;
  const ReadOptions &options;
  const std::stop_token stop;
  const Progress &progress;
  model::Diagnostic &error;
  ondemand::parser parser;
  TraceBuilder builder;
  ChromeEventCollector collector{builder};
  ChromeEvent event;
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
