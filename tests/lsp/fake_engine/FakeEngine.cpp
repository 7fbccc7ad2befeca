//===- FakeEngine.cpp - an engine that misbehaves on demand ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Speaks the inner protocol and compiles nothing. Words in a document's text
// say how a request about it goes:
//   @crash         the process aborts
//   @crash-open    the process aborts when it is given the document
//   @hang          no answer, no heed to cancels
//   @slow N        answers after N ms, or as cancelled at once
//   @garbage       writes what is no message
//   @badjson       writes a message that is no JSON
//   @exit N        exits with code N
//   @whisper TEXT  writes TEXT to standard error first
//   @error TEXT    an error with a diagnostic
//   @wrong LINE    diagnostics has one error, on the first byte of that line
//   @later         stages alone tell of an error, on the word itself
//   @counted       diagnostics tells how many times it was asked, all told
//   @pinned        the tile decision is a pinned one
//   @badpin        there is a pin that cannot be obeyed, and stages tell of it
//   @progress      reports progress twice before answering
//
//===----------------------------------------------------------------------===//
#include "core/model/Decision.h"
#include "core/model/Diff.h"
#include "core/model/Estimate.h"
#include "core/model/Graph.h"
#include "core/model/MemoryMap.h"
#include "core/model/Pins.h"
#include "core/model/Run.h"
#include "core/model/Stage.h"
#include "core/model/Trace.h"
#include "core/model/Verify.h"
#include "lsp/protocol/Completion.h"
#include "lsp/protocol/Connection.h"
#include "lsp/protocol/Params.h"
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <mutex>
#include <sstream>
#include <thread>
#include <unistd.h>

using namespace tilewright;
using namespace tilewright::lsp;

namespace {

std::mutex mutex;
std::map<std::string, TextDocument> documents;

std::optional<std::string> argumentOf(const std::string &text,
                                      const std::string &word) {
  size_t at = text.find(word);
  if (at == std::string::npos)
    return std::nullopt;
  at += word.size();
  size_t end = text.find('\n', at);
  std::string argument = text.substr(at, end - at);
  size_t begin = argument.find_first_not_of(' ');
  return begin == std::string::npos ? "" : argument.substr(begin);
}

TextDocument documentOf(const Json &params) {
  std::lock_guard lock(mutex);
  auto it = documents.find(params.value("uri", ""));
  if (it == documents.end())
    throw RequestError(ErrorCode::InvalidParams,
                       "no open document " + params.value("uri", ""));
  return it->second;
}

void behave(IncomingRequest &request, const std::string &text) {
  if (auto words = argumentOf(text, "@whisper"))
    std::cerr << *words << std::endl;
  if (text.find("@crash") != std::string::npos)
    std::abort();
  if (auto code = argumentOf(text, "@exit"))
    ::_exit(std::stoi(*code));
  if (text.find("@garbage") != std::string::npos) {
    std::string junk(20000, 'x');
    [[maybe_unused]] ssize_t n = ::write(1, junk.data(), junk.size());
  }
  if (text.find("@badjson") != std::string::npos) {
    std::string junk = frame("{\"half\": ");
    [[maybe_unused]] ssize_t n = ::write(1, junk.data(), junk.size());
  }
  if (text.find("@hang") != std::string::npos)
    while (true)
      ::pause();
  if (auto words = argumentOf(text, "@error")) {
    model::Diagnostic diagnostic;
    diagnostic.code = "TW0199";
    diagnostic.message = *words;
    diagnostic.uri = request.params().value("uri", "");
    diagnostic.range = {0, 1};
    throw RequestError(ResponseError::of(diagnostic));
  }
  if (text.find("@progress") != std::string::npos) {
    request.progress("halfway", 0.5);
    request.progress("nearly", 0.9);
  }
  if (auto time = argumentOf(text, "@slow"))
    for (int left = std::stoi(*time); left > 0; left -= 10) {
      request.throwIfCancelled();
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
}

Json envelope(Json json, const TextDocument &document, const char *schema) {
  json["schema"] = schema;
  json["version"] = 1;
  json["documentVersion"] = document.version();
  json["generation"] = 7;
  return json;
}

model::StageTable stages(const TextDocument &document, const Json &params) {
  model::StageTable table;
  table.uri = document.uri();
  table.documentVersion = document.version();
  table.generation = 7;
  table.target = params.value("target", "cpu");
  table.complete = true;
  table.passes = {{"tensor", "infer-shapes", false, false, 0.25, 3, {}, {}},
                  {"tile", "form-scopes", true, false, 1.5, 5, {"f/y"}, {}},
                  {"block", "bufferize", true, true, 0.125, 9, {}, {}}};
  if (auto line = argumentOf(document.text(), "@wrong")) {
    model::Diagnostic diagnostic;
    diagnostic.code = "TW0198";
    diagnostic.message = "this line is wrong: 3 is not 4";
    diagnostic.hint = "make it 4";
    diagnostic.uri = document.uri();
    diagnostic.key = "f/y";
    int64_t begin = document.lines().lineStart(std::min<int64_t>(
        std::stoi(*line) - 1, document.lines().lineCount() - 1));
    diagnostic.range = {begin, begin + 1};
    table.diagnostics.push_back(diagnostic);
    table.complete = false;
  }
  return table;
}

} // namespace

int main() {
  Connection::Options options;
  options.workers = 8;
  Connection rpc(std::make_unique<FdStream>(0, 1, false), options);

  rpc.onRequest(method::initialize, [](IncomingRequest &) {
    return Json{{"engineVersion", "fake"}, {"pid", ::getpid()}};
  });
  rpc.onNotification(method::didOpen, [](const Json &params) {
    auto open = params.get<OpenParams>();
    if (open.text.find("@crash-open") != std::string::npos)
      std::abort();
    std::lock_guard lock(mutex);
    documents[open.uri] = TextDocument(open.uri, open.version, open.text);
  });
  rpc.onNotification(method::didChange, [](const Json &params) {
    auto change = params.get<ChangeParams>();
    std::lock_guard lock(mutex);
    TextDocument &document = documents[change.uri];
    for (const ByteEdit &edit : change.edits)
      document.apply(edit);
    document.setVersion(change.version);
  });
  rpc.onNotification(method::didClose, [](const Json &params) {
    std::lock_guard lock(mutex);
    documents.erase(params.value("uri", ""));
  });

  auto on = [&](const char *name, auto make) {
    rpc.onRequest(name, [make](IncomingRequest &request) -> Json {
      TextDocument document = documentOf(request.params());
      behave(request, document.text());
      return make(document, request.params());
    });
  };
  on(method::diagnostics, [asked = std::make_shared<std::atomic<int>>(0)](
                              const TextDocument &document,
                              const Json &params) {
    std::vector<model::Diagnostic> found = stages(document, params).diagnostics;
    ++*asked;
    if (auto time = argumentOf(document.text(), "@readslowly"))
      std::this_thread::sleep_for(std::chrono::milliseconds(std::stoi(*time)));
    if (document.text().find("@counted") != std::string::npos) {
      model::Diagnostic diagnostic;
      diagnostic.code = "TW0196";
      diagnostic.message = std::to_string(*asked);
      diagnostic.uri = document.uri();
      diagnostic.range = {0, 1};
      found.push_back(diagnostic);
    }
    return envelope({{"diagnostics", found}}, document,
                    "tilewright/diagnostics");
  });
  on(method::hover, [](const TextDocument &document, const Json &params) {
    int64_t at = params.value("offset", int64_t(0));
    return Json{{"markdown", "at " + std::to_string(at)},
                {"range", model::TextRange{at, at + 1}}};
  });
  on(method::definition, [](const TextDocument &document, const Json &params) {
    int64_t at = params.value("offset", int64_t(0));
    return Json{
        {"ranges",
         {{{"uri", document.uri()}, {"range", model::TextRange{at, at + 1}}}}}};
  });
  on(method::symbols, [](const TextDocument &document, const Json &) {
    Symbol function{
        "f",        "2 operations",
        "function", {0, static_cast<int64_t>(document.text().size())},
        {0, 1},     {},
        ""};
    function.children.push_back(
        {"y", "tw.add", "operation", {0, 1}, {0, 1}, {}, "f/y"});
    return Json{{"symbols", {function}}};
  });
  on(method::stages, [](const TextDocument &document, const Json &params) {
    model::StageTable table = stages(document, params);
    if (size_t at = document.text().find("@later"); at != std::string::npos) {
      model::Diagnostic diagnostic;
      diagnostic.code = "TW0197";
      diagnostic.message = "no pass can do this";
      diagnostic.uri = document.uri();
      diagnostic.range = {int64_t(at), int64_t(at) + 6};
      diagnostic.related.push_back({document.uri(), {0, 1}, "begins here"});
      table.diagnostics.push_back(diagnostic);
      table.complete = false;
    }
    return Json(table);
  });
  on(method::decisions, [](const TextDocument &document, const Json &params) {
    model::Decision decision;
    decision.key = "f/y";
    decision.target = params.value("target", "cpu");
    decision.kind = "tile";
    decision.value = {{"cache2", {{"m", 240}}}};
    if (document.text().find("@pinned") != std::string::npos)
      decision.origin = model::DecisionOrigin::Pinned;
    decision.reason = "fills half of cache2";
    model::DecisionList list;
    list.documentVersion = document.version();
    list.generation = 7;
    list.decisions = {decision};
    return Json(list);
  });
  on(method::estimate, [](const TextDocument &document, const Json &params) {
    model::Estimate kernel;
    kernel.key = "f/y";
    kernel.kind = "rows";
    kernel.seconds = 2.5e-6;
    kernel.bound = "GM";
    model::EstimateList list;
    list.documentVersion = document.version();
    list.target = params.value("target", "cpu");
    list.kernels = {kernel};
    return Json(list);
  });
  on(method::completion, [](const TextDocument &document, const Json &params) {
    int64_t at = params.value("offset", int64_t(0));
    CompletionResult result;
    result.range = {std::max<int64_t>(0, at - 1), at};
    result.entries = {{"axis", "attribute", "tw.softmax", "", "axis = $0"},
                      {"%x", "value", "tensor<4xf32>", "", ""},
                      {"tw.add", "operation", "", "Adds.", ""}};
    return envelope(Json(result), document, "tilewright/completion");
  });
  on(method::pins, [](const TextDocument &document, const Json &) {
    model::PinStates states;
    states.documentVersion = document.version();
    if (document.text().find("@badpin") != std::string::npos) {
      model::PinState state;
      state.pin.key = "f/y";
      state.pin.kind = "tile";
      state.pin.value = {{"cache2", {{"m", 480}, {"n", 7}}}};
      state.pin.note = "a try";
      state.state = "conflicting";
      state.code = "TW0201";
      state.reason = "cache2 needs 3 of 2 MiB; cache2.m=120 would do";
      state.keys = {"f/y"};
      states.pins = {state};
    }
    return Json(states);
  });
  // What came in comes back, so that tests see it.
  for (const char *name : {method::pin, method::unpin})
    on(name, [](const TextDocument &document, const Json &params) {
      readParams<PinParams>(params);
      return envelope({{"path", "x.pins.json"},
                       {"pins", Json::array()},
                       {"changed", 1},
                       {"echo", params}},
                      document, "tilewright/pinStates");
    });
  on(method::ir, [](const TextDocument &document, const Json &params) {
    model::PrintedStage printed;
    std::string name = params.value("stage", "");
    size_t slash = name.find('/');
    printed.stage = name.substr(0, slash);
    printed.pass = slash == std::string::npos ? "last" : name.substr(slash + 1);
    printed.text = "// " + name + "\n" + document.text();
    printed.spans = {{{0, 2}, {"f/y"}, "y"}};
    return envelope(printed, document, model::PrintedStage::schema);
  });
  on(method::graph, [](const TextDocument &document, const Json &params) {
    model::Graph graph;
    graph.stage = params.value("stage", "tensor");
    graph.pass = graph.stage + "/last";
    for (const char *id : {"x", "y"}) {
      model::Node node;
      node.id = node.label = id;
      node.op = "tw.add";
      node.keys = {std::string("f/") + id};
      graph.nodes.push_back(node);
    }
    model::Edge edge;
    edge.from = "x";
    edge.to = "y";
    graph.edges.push_back(edge);
    Json result = envelope(graph, document, model::Graph::schema);
    result["echo"] = params;
    return result;
  });
  on(method::diff, [](const TextDocument &document, const Json &params) {
    model::Diff diff;
    diff.from = params.value("from", "");
    diff.to = params.value("to", "");
    diff.ops = {{"f/y", model::Change::Changed, "%y = a", "%y = b"}};
    diff.text = "--- a\n+++ b\n@@ -1 +1 @@\n-%y = a\n+%y = b\n";
    return envelope(diff, document, model::Diff::schema);
  });
  on(method::memoryMap, [](const TextDocument &document, const Json &) {
    model::MapBuffer buffer;
    buffer.id = "k/x_UB";
    buffer.name = "x_UB";
    buffer.type = {"f32", {32, 64}, "UB", ""};
    buffer.bytes = 8192;
    model::MapLevel level{"UB", "memory", 196608,      188416,  8192,
                          8192, 0,        {buffer.id}, {buffer}};
    model::KernelMemory kernel;
    kernel.id = "kernel:k";
    kernel.kernel = "k";
    kernel.core = "vector";
    kernel.steps = {{"block.move", "x_UB", "MTE2", {"f/x"}}};
    kernel.levels = {level};
    model::MemoryMap map{"block/insert-sync", "ascend-a3", {kernel}};
    return envelope(map, document, model::MemoryMap::schema);
  });
  on(method::keyAt, [](const TextDocument &document, const Json &params) {
    int64_t at = params.value("offset", int64_t(0));
    return envelope({{"keys", {"f/y"}},
                     {"range", model::TextRange{at, at + 1}},
                     {"source", {{"range", model::TextRange{at, at + 1}}}}},
                    document, "tilewright/keyAt");
  });
  on(method::run, [](const TextDocument &document, const Json &params) {
    auto run = readParams<RunParams>(params);
    model::RunResult result;
    result.uri = document.uri();
    result.documentVersion = document.version();
    result.target = run.target;
    result.function = "f";
    result.threads = run.threads ? run.threads : 2;
    result.repeats = run.repeat;
    for (int i = 0; i < run.repeat; ++i)
      result.milliseconds.push_back(2.0 + i);
    result.flop = 4e6;
    result.peakGflops = 100;
    result.tasks = 12;
    if (run.check)
      result.checks = {{"result0", "tensor interpreter",
                        document.text().find("@differs") == std::string::npos,
                        1e-7, 1e-5, "row-relative", "[0, 1]: 1.0 and 1.0"}};
    if (!run.trace.empty()) {
      std::ofstream(run.trace) << "{\"traceEvents\":[]}";
      result.tracePath = run.trace;
    }
    return Json(result);
  });
  on(method::verify, [](const TextDocument &document, const Json &params) {
    auto verify = params.get<VerifyParams>();
    model::VerifyResult result;
    result.uri = document.uri();
    result.documentVersion = document.version();
    result.target = verify.target;
    result.function = "f";
    bool differs = document.text().find("@differs") != std::string::npos;
    result.passed = !differs;
    model::VerifyCheck check;
    check.key = "f/y";
    check.scope = "f.y";
    check.passed = !differs;
    check.error = differs ? 0.5 : 1e-7;
    check.tolerance = 1e-5;
    check.rule = "row-relative";
    check.index = {0, 3};
    check.got = differs ? 1.5 : 1;
    check.want = 1;
    check.histogram.equal = 6;
    check.histogram.decades[differs ? -1 : -7] = 2;
    model::VerifiedPass source, expanded;
    source.pass = "tensor/source";
    source.result = "reference";
    expanded.pass = "tile/expand-tiles";
    expanded.result = differs ? "failed" : "passed";
    expanded.compared = 1;
    expanded.worst = check;
    if (differs) {
      expanded.failing = {check};
      result.firstPass = expanded.pass;
      result.firstScope = check.scope;
      result.firstKey = check.key;
    }
    result.passes = {source, expanded};
    return Json(result);
  });
  on(method::trace, [](const TextDocument &document, const Json &) {
    return envelope({{"path", "/tmp/trace.json"}, {"origin", "measured"}},
                    document, model::Trace::schema);
  });
  on(method::compile, [](const TextDocument &document, const Json &params) {
    auto compile = readParams<CompileParams>(params);
    Json result = {{"stages", stages(document, params)}};
    if (compile.emit != "none" && !compile.output.empty()) {
      std::ofstream(compile.output) << "; " << compile.emit << "\n";
      result["path"] = compile.output;
    } else if (compile.emit != "none") {
      result["text"] = "; " + compile.emit + "\n";
    }
    return envelope(result, document, "tilewright/compile");
  });
  rpc.onRequest(method::targets, [](IncomingRequest &request) -> Json {
    Json result = {{"schema", "tilewright/targets"},
                   {"version", 1},
                   {"targets",
                    {{{"name", "cpu"}, {"description", "this machine"}},
                     {{"name", "ascend-a3"},
                      {"description", "24 cube cores"},
                      {"aliases", {"a3"}}}}},
                   {"current", "cpu"}};
    std::string name = request.params().value("name", "cpu");
    if (name != "cpu" && name != "ascend-a3" && name != "a3") {
      model::Diagnostic diagnostic;
      diagnostic.code = "TW0072";
      diagnostic.message =
          "there is no target '" + name + "'; known are cpu, ascend-a3";
      throw RequestError(
          ResponseError::of(diagnostic, ErrorCode::InvalidParams));
    }
    if (request.params().contains("name"))
      result["target"] = {
          {"name", request.params()["name"]},
          {"description", "a machine"},
          {"clock", {{"value", 1.85e9}, {"source", "platform"}}},
          {"cores",
           {{{"name", "cube"},
             {"count", {{"value", 24}, {"source", "platform"}}},
             {"pipes", {{{"name", "MTE2"}}, {{"name", "CUBE"}}}}}}},
          {"levels",
           {{{"name", "UB"},
             {"core", "vector"},
             {"description", "unified buffer"},
             {"capacity", {{"value", 196608}, {"source", "pto-isa"}}},
             {"usable", {{"value", 188416}, {"source", "pto-isa"}}}}}}};
    return result;
  });
  rpc.onRequest(method::setTarget, [](IncomingRequest &request) {
    if (request.params().value("target", "") == "nowhere")
      throw RequestError(ErrorCode::InvalidParams, "no target nowhere");
    return Json{{"target", request.params().value("target", "")}};
  });
  rpc.run();
  ::_exit(0);
}
