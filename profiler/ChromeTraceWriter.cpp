//===- ChromeTraceWriter.cpp - traces -> Chrome trace JSON ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "profiler/ChromeTraceWriter.h"
#include "core/model/ReplacedFile.h"
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <unistd.h>
#include <zlib.h>

namespace tilewright::profiler {

namespace {

constexpr size_t flushSize = 1 << 18;

std::string jsonText(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false,
                                   nlohmann::json::error_handler_t::replace);
}

class ChromeWriter {
public:
  /// Takes a piece of the text; false to stop.
  using Sink = std::function<bool(std::string_view)>;

  ChromeWriter(const TraceStore &store, const WriteOptions &options, Sink sink,
               std::stop_token stop, const Progress &progress)
      : store(store), options(options), sink(std::move(sink)),
        stop(std::move(stop)), progress(progress) {}

  /// False if the sink refused or `stop` was requested.
  bool write() {
    groupTracks();
    nlohmann::json origin = store.origin;
    out = "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"schema\":"
          "\"tilewright/chrome-trace\",\"version\":1,\"origin\":" +
          origin.dump() + ",\"target\":" + jsonText(store.target) +
          "},\n\"traceEvents\":[\n";
    names();
    renderStrings();
    for (EventIndex i = 0; i < store.size(); ++i) {
      event(i);
      if (i % 65536 == 0) {
        if (stop.stop_requested())
          return false;
        if (progress)
          progress(double(i) / double(store.size()));
      }
      if (!flush(flushSize))
        return false;
    }
    for (const CounterRecord &counter : store.counters)
      for (size_t i = 0; i < counter.times.size(); ++i) {
        sample(counter, i);
        if (!flush(flushSize))
          return false;
      }
    if (2 * store.flows.size() <= options.maxFlowEvents)
      for (size_t f = 0; f < store.flows.size(); ++f) {
        flow(f);
        if (!flush(flushSize))
          return false;
      }
    out += "\n]}\n";
    if (!flush(0))
      return false;
    if (progress)
      progress(1);
    return true;
  }

private:
  bool flush(size_t least) {
    if (out.size() < least)
      return true;
    bool good = sink(out);
    out.clear();
    return good;
  }

  void integer(int64_t value) {
    char text[24];
    out.append(text, std::to_chars(text, text + sizeof text, value).ptr);
  }

  /// Nanoseconds as microseconds, exactly.
  void microseconds(int64_t time) {
    if (time < 0) {
      out += '-';
      time = -time;
    }
    integer(time / 1000);
    if (int64_t part = time % 1000) {
      char digits[5] = {'.', char('0' + part / 100), char('0' + part / 10 % 10),
                        char('0' + part % 10), 0};
      size_t length = 4;
      while (digits[length - 1] == '0')
        --length;
      out.append(digits, length);
    }
  }

  void begin() {
    out += any ? ",\n" : "";
    any = true;
  }

  /// The number of a row's process: a group of tracks is one, and what stands
  /// alone shares the first.
  void groupTracks() {
    const size_t count = store.tracks.size();
    std::vector<uint8_t> hasChildren(count, 0);
    root.resize(count);
    process.assign(count, 1);
    for (size_t t = 0; t < count; ++t) {
      int32_t parent = store.tracks[t].parent;
      root[t] = parent < 0 ? static_cast<uint32_t>(t) : root[parent];
      if (parent >= 0)
        hasChildren[parent] = 1;
    }
    int64_t next = 2;
    for (size_t t = 0; t < count; ++t) {
      if (root[t] == t && hasChildren[t])
        process[t] = next++;
      else
        process[t] = process[root[t]];
    }
  }

  void names() {
    auto metadata = [&](const char *what, int64_t pid, int64_t tid,
                        const std::string &arguments) {
      begin();
      out += "{\"ph\":\"M\",\"pid\":";
      integer(pid);
      out += ",\"tid\":";
      integer(tid);
      out += ",\"name\":\"";
      out += what;
      out += "\",\"args\":{";
      out += arguments;
      out += "}}";
    };
    bool first = false;
    for (size_t t = 0; t < store.tracks.size(); ++t) {
      const TrackRecord &track = store.tracks[t];
      if (process[t] == 1 && !first) {
        first = true;
        metadata("process_name", 1, 0,
                 "\"name\":" +
                     jsonText(store.target.empty() ? "tracks" : store.target));
      } else if (process[t] != 1 && root[t] == t) {
        metadata("process_name", process[t], 0,
                 "\"name\":" + jsonText(track.name));
        metadata("process_sort_index", process[t], 0,
                 "\"sort_index\":" + std::to_string(t));
      }
      int64_t parent = track.parent < 0 ? -1 : store.tracks[track.parent].id;
      metadata("thread_name", process[t], int64_t(t) + 1,
               "\"name\":" + jsonText(track.name) +
                   ",\"track\":" + std::to_string(track.id) +
                   (track.parent < 0
                        ? ""
                        : ",\"parent\":" + std::to_string(parent)));
      metadata("thread_sort_index", process[t], int64_t(t) + 1,
               "\"sort_index\":" + std::to_string(t));
    }
  }

  /// Every name and every set of keys is made JSON once.
  void renderStrings() {
    nameText.reserve(store.strings.size());
    for (uint32_t s = 0; s < store.strings.size(); ++s)
      nameText.push_back(jsonText(store.strings[s]));
    for (const std::vector<uint32_t> &set : store.keySets) {
      std::string text;
      for (uint32_t key : set) {
        text += text.empty() ? "" : ",";
        text += nameText[key];
      }
      keyText.push_back(std::move(text));
    }
  }

  void place(uint32_t track, int64_t time) {
    out += ",\"pid\":";
    integer(process[track]);
    out += ",\"tid\":";
    integer(int64_t(track) + 1);
    out += ",\"ts\":";
    microseconds(time + store.timeBase);
  }

  void event(EventIndex i) {
    begin();
    uint32_t track = store.track[i];
    switch (store.kind[i]) {
    case EventKind::Slice:
      out += "{\"ph\":\"X\"";
      place(track, store.begin[i]);
      out += ",\"dur\":";
      microseconds(store.end[i] - store.begin[i]);
      break;
    case EventKind::Instant:
      out += "{\"ph\":\"i\",\"s\":\"t\"";
      place(track, store.begin[i]);
      break;
    case EventKind::Unfinished:
      // A begin without an end.
      out += "{\"ph\":\"B\"";
      place(track, store.begin[i]);
      break;
    }
    out += ",\"name\":";
    out += nameText[store.name[i]];
    out += ",\"args\":{\"id\":";
    integer(store.id[i]);
    if (store.keySet[i] != 0) {
      out += ",\"keys\":[";
      out += keyText[store.keySet[i]];
      out += ']';
    }
    list("grid", store.gridOf(i), [](int64_t value) { return value; });
    list("after", store.flowsInto(i),
         [&](const FlowRecord &flow) { return store.id[flow.from]; });
    out += "}}";
  }

  template <typename Range, typename Value>
  void list(const char *name, const Range &range, Value value) {
    if (range.empty())
      return;
    out += ",\"";
    out += name;
    out += "\":[";
    for (const auto &item : range) {
      integer(value(item));
      out += ',';
    }
    out.back() = ']';
  }

  void sample(const CounterRecord &counter, size_t i) {
    begin();
    out += "{\"ph\":\"C\",\"pid\":";
    integer(counter.track < 0 ? 1 : process[counter.track]);
    out += ",\"ts\":";
    microseconds(counter.times[i] + store.timeBase);
    out += ",\"name\":" + jsonText(counter.name) +
           ",\"args\":{\"value\":" + nlohmann::json(counter.values[i]).dump() +
           "}}";
  }

  /// Viewers take the events around these points, and sort points by time: the
  /// arrow starts within its event and not after its target has begun.
  void flow(size_t f) {
    EventIndex from = store.flows[f].from, to = store.flows[f].to;
    if (store.begin[from] > store.begin[to])
      return;
    int64_t leave = std::min(std::max(store.begin[from], store.end[from] - 1),
                             store.begin[to]);
    auto point = [&](const char *head, EventIndex event, int64_t time) {
      begin();
      out += head;
      out += ",\"cat\":\"dependency\",\"name\":\"after\",\"id\":";
      integer(int64_t(f));
      place(store.track[event], time);
      out += '}';
    };
    point("{\"ph\":\"s\"", from, leave);
    point("{\"ph\":\"f\",\"bp\":\"e\"", to, store.begin[to]);
  }

  const TraceStore &store;
  const WriteOptions &options;
  const Sink sink;
  const std::stop_token stop;
  const Progress &progress;
  std::string out;
  bool any = false;
  std::vector<uint32_t> root;
  std::vector<int64_t> process;
  std::vector<std::string> nameText, keyText;
};

/// The trace's file, packed if wanted.
class TraceFile {
public:
  TraceFile(const std::string &path, bool gzip) : file(path) {
    if (gzip && file.descriptor() >= 0)
      packed = gzdopen(::dup(file.descriptor()), "wb6");
    lacksPacker = gzip && !packed;
  }
  ~TraceFile() {
    if (packed)
      gzclose(packed);
  }
  bool opened() const { return file.descriptor() >= 0 && !lacksPacker; }
  int error() const { return file.error() ? file.error() : errno; }
  bool write(std::string_view text) {
    if (packed)
      return gzwrite(packed, text.data(), static_cast<unsigned>(text.size())) ==
             static_cast<int>(text.size());
    return file.write(text);
  }
  bool commit() {
    bool good = !packed || gzclose(packed) == Z_OK;
    packed = nullptr;
    return good && file.commit();
  }

private:
  model::ReplacedFile file;
  gzFile packed = nullptr;
  bool lacksPacker = false;
};

} // namespace

bool writeChromeTrace(const TraceStore &store, const std::string &path,
                      model::Diagnostic &error, const WriteOptions &options,
                      std::stop_token stop, const Progress &progress) {
  error = {};
  error.uri = path;
  auto fail = [&](int code) {
    error.code = "TW0086";
    error.message = "cannot write '" + path + "': " +
                    (code ? std::strerror(code) : "the disk may be full");
    error.hint = "free some space or choose another place";
    return false;
  };
  errno = 0;
  TraceFile file(path, options.gzip || path.ends_with(".gz"));
  if (!file.opened())
    return fail(file.error());
  bool written = true;
  ChromeWriter writer(
      store, options,
      [&](std::string_view text) { return written = file.write(text); }, stop,
      progress);
  errno = 0;
  if (!writer.write()) {
    if (!written)
      return fail(file.error());
    error.code = "TW0085";
    error.message = "writing the trace was cancelled";
    return false;
  }
  return file.commit() || fail(file.error());
}

std::string toChromeTrace(const TraceStore &store,
                          const WriteOptions &options) {
  std::string text;
  ChromeWriter(store, options,
               [&](std::string_view piece) {
                 text += piece;
                 return true;
               },
               {}, {})
      .write();
  return text;
}

} // namespace tilewright::profiler
