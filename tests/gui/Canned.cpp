//===- Canned.cpp ---------------------------------------------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#include "Canned.h"

#include <QFile>
#include <QRegularExpression>

namespace tilewright::gui {

using model::NodeKind;

QByteArray cannedSource() {
  QFile file(TILEWRIGHT_SOURCE_DIR "/resources/examples/swiglu_ffn.mlir");
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

static std::string key(const char *name) {
  return std::string("swiglu_ffn/") + name;
}

static model::TensorType type(std::vector<model::Expr> shape,
                              std::string level = {}) {
  model::TensorType t;
  t.dtype = "f32";
  t.shape = std::move(shape);
  t.level = std::move(level);
  return t;
}

static model::Node node(std::string id, NodeKind kind, std::string op,
                        std::string label, std::string parent,
                        std::vector<std::string> keys,
                        std::vector<model::TensorType> results = {}) {
  model::Node n;
  n.id = std::move(id);
  n.kind = kind;
  n.op = std::move(op);
  n.label = std::move(label);
  n.parent = std::move(parent);
  n.keys = std::move(keys);
  n.results = std::move(results);
  return n;
}

static void edge(model::Graph &graph, std::string from, std::string to,
                 model::TensorType t, int port = 0) {
  model::Edge e;
  e.from = std::move(from);
  e.to = std::move(to);
  e.toPort = port;
  e.type = std::move(t);
  graph.edges.push_back(std::move(e));
}

static model::Graph tensorGraph(const std::string &pass) {
  model::Graph g;
  g.stage = "tensor";
  g.pass = "tensor/" + pass;
  auto x = type({128, 4096}), wide = type({4096, 1408}),
       mid = type({128, 1408}), down = type({1408, 4096});
  g.nodes = {
      node("f", NodeKind::Function, "func.func", "swiglu_ffn", "",
           {"swiglu_ffn"}),
      node("x", NodeKind::Input, "argument", "x", "f", {key("x")}, {x}),
      node("w_gate", NodeKind::Input, "argument", "w_gate", "f",
           {key("w_gate")}, {wide}),
      node("w_up", NodeKind::Input, "argument", "w_up", "f", {key("w_up")},
           {wide}),
      node("w_down", NodeKind::Input, "argument", "w_down", "f",
           {key("w_down")}, {down}),
      node("gate", NodeKind::Operation, "tw.matmul", "gate", "f", {key("gate")},
           {mid}),
      node("up", NodeKind::Operation, "tw.matmul", "up", "f", {key("up")},
           {mid}),
      node("act", NodeKind::Operation, "tw.silu", "act", "f", {key("act")},
           {mid}),
      node("hidden", NodeKind::Operation, "tw.mul", "hidden", "f",
           {key("hidden")}, {mid}),
      node("y", NodeKind::Operation, "tw.matmul", "y", "f", {key("y")}, {x}),
      node("return", NodeKind::Output, "return", "result 0", "f", {})};
  g.nodes[5].metrics = {
      {"flop", 2.0 * 128 * 4096 * 1408, "flop", model::Origin::Estimated}};
  edge(g, "x", "gate", x);
  edge(g, "w_gate", "gate", wide, 1);
  edge(g, "x", "up", x);
  edge(g, "w_up", "up", wide, 1);
  edge(g, "gate", "act", mid);
  edge(g, "act", "hidden", mid);
  edge(g, "up", "hidden", mid, 1);
  edge(g, "hidden", "y", mid);
  edge(g, "w_down", "y", down, 1);
  edge(g, "y", "return", x);
  return g;
}

static model::Graph tileGraph(const std::string &pass) {
  model::Graph g;
  g.stage = "tile";
  g.pass = "tile/" + pass;
  auto x = type({128, 4096}), wide = type({4096, 1408}),
       mid = type({128, 1408}), down = type({1408, 4096}),
       tile = type({64, 128}), a = type({64, 256}, "cache1"),
       b = type({256, 128}, "cache1");
  g.nodes = {node("x", NodeKind::Input, "argument", "x", "", {key("x")}, {x}),
             node("w_gate", NodeKind::Input, "argument", "w_gate", "",
                  {key("w_gate")}, {wide}),
             node("w_up", NodeKind::Input, "argument", "w_up", "",
                  {key("w_up")}, {wide}),
             node("w_down", NodeKind::Input, "argument", "w_down", "",
                  {key("w_down")}, {down})};
  auto scope = node("scope:ffn", NodeKind::Grid, "scf.forall", "gate_up", "",
                    {key("gate"), key("up"), key("act"), key("hidden")}, {mid});
  scope.grid = {2, 11};
  g.nodes.push_back(scope);
  for (const char *name : {"gate", "up"}) {
    std::string loop = std::string("loop:") + name;
    g.nodes.push_back(node(loop, NodeKind::Loop, "scf.for",
                           std::string(name) + " k", "scope:ffn", {key(name)}));
    g.nodes.back().grid = {16};
    g.nodes.push_back(node(loop + "/a", NodeKind::Move, "tile.move", "x tile",
                           loop, {key(name) + "#0"}, {a}));
    g.nodes.push_back(node(loop + "/b", NodeKind::Move, "tile.move",
                           "weight tile", loop, {key(name) + "#1"}, {b}));
    g.nodes.push_back(node(name, NodeKind::Operation, "tw.matmul", name, loop,
                           {key(name)}, {tile}));
    edge(g, "x", loop + "/a", x);
    edge(g, std::string("w_") + name, loop + "/b", wide);
    edge(g, loop + "/a", name, a);
    edge(g, loop + "/b", name, b, 1);
  }
  g.nodes.push_back(node("act", NodeKind::Operation, "tw.silu", "act",
                         "scope:ffn", {key("act")}, {tile}));
  g.nodes.push_back(node("hidden", NodeKind::Operation, "tw.mul", "hidden",
                         "scope:ffn", {key("hidden")}, {tile}));
  auto last =
      node("scope:y", NodeKind::Grid, "scf.forall", "y", "", {key("y")}, {x});
  last.grid = {2, 32};
  g.nodes.push_back(last);
  g.nodes.push_back(node("y/a", NodeKind::Move, "tile.move", "hidden tile",
                         "scope:y", {key("y") + "#0"}, {a}));
  g.nodes.push_back(node("y/b", NodeKind::Move, "tile.move", "weight tile",
                         "scope:y", {key("y") + "#1"}, {b}));
  g.nodes.push_back(node("y", NodeKind::Operation, "tw.matmul", "y", "scope:y",
                         {key("y")}, {tile}));
  g.nodes.push_back(
      node("return", NodeKind::Output, "return", "result 0", "", {}));
  edge(g, "gate", "act", tile);
  edge(g, "act", "hidden", tile);
  edge(g, "up", "hidden", tile, 1);
  edge(g, "hidden", "y/a", mid);
  edge(g, "w_down", "y/b", down);
  edge(g, "y/a", "y", a);
  edge(g, "y/b", "y", b, 1);
  edge(g, "y", "return", x);
  return g;
}

/// A span for every %name of the operator in `text`.
static model::PrintedStage print(std::string stage, std::string pass,
                                 QByteArray text) {
  model::PrintedStage p;
  p.stage = std::move(stage);
  p.pass = std::move(pass);
  p.text = text.toStdString();
  static const QRegularExpression line("^ *%(\\w+) = .*$",
                                       QRegularExpression::MultilineOption);
  auto found = line.globalMatch(QString::fromUtf8(text));
  while (found.hasNext()) {
    auto match = found.next();
    qint64 begin = match.capturedStart(1) - 1;
    model::TextSpan span;
    span.range = {begin, match.capturedEnd(0)};
    span.keys = {
        key(match.captured(1).section('_', 0, 0).toUtf8().constData())};
    p.spans.push_back(span);
  }
  return p;
}

static const char *tiled =
    R"(func.func @swiglu_ffn(%x: tensor<128x4096xf32>, %w_gate: tensor<4096x1408xf32>,
                      %w_up: tensor<4096x1408xf32>, %w_down: tensor<1408x4096xf32>)
    -> tensor<128x4096xf32> {
  %hidden_init = tensor.empty() : tensor<128x1408xf32>
  %hidden = scf.forall (%i, %j) in (2, 11) shared_outs(%out = %hidden_init) -> (tensor<128x1408xf32>) {
    %m = affine.apply affine_map<(d0) -> (d0 * 64)>(%i)
    %n = affine.apply affine_map<(d0) -> (d0 * 128)>(%j)
    %gate = scf.for %k = %c0 to %c4096 step %c256 iter_args(%acc = %zero) -> (tensor<64x128xf32>) {
      %x_tile = tensor.extract_slice %x[%m, %k] [64, 256] [1, 1] : tensor<128x4096xf32> to tensor<64x256xf32>
      %x_in = tile.move %x_tile to "cache1" {layout = "packed<m,8>"} : tensor<64x256xf32>
      %gate_step = tw.matmul %x_in, %w_in acc %acc : (tensor<64x256xf32>, tensor<256x128xf32>) -> tensor<64x128xf32>
      scf.yield %gate_step : tensor<64x128xf32>
    }
    %act = tw.silu %gate : (tensor<64x128xf32>) -> tensor<64x128xf32>
    %hidden_tile = tw.mul %act, %up : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %hidden_tile into %out[%m, %n] [64, 128] [1, 1] : tensor<64x128xf32> into tensor<128x1408xf32>
    }
  }
  %y = scf.forall (%i, %j) in (2, 32) shared_outs(%out = %y_init) -> (tensor<128x4096xf32>) {
    // 64 tasks; each streams 1408 rows of w_down
  }
  return %y : tensor<128x4096xf32>
}
)";

QByteArray cannedTrace(int cores, int tasks) {
  QByteArray json = "{\"traceEvents\":[";
  for (int core = 0; core < cores; ++core)
    json += QString("%1{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,"
                    "\"tid\":%2,\"args\":{\"name\":\"core %2\"}}")
                .arg(core ? "," : "")
                .arg(core)
                .toUtf8();
  std::vector<double> free(cores, 0);
  quint32 noise = 12345;
  auto next = [&noise] {
    return (noise = noise * 1664525u + 1013904223u) >> 8;
  };
  for (int task = 0; task < tasks; ++task) {
    bool second = task >= tasks / 3;
    int core = int(std::min_element(free.begin(), free.end()) - free.begin());
    double length = (second ? 40 : 110) + next() % (second ? 12 : 40);
    double begin = free[core] + next() % 5;
    free[core] = begin + length;
    if (task == tasks / 3)
      std::fill(free.begin(), free.end(),
                *std::max_element(free.begin(), free.end()));
    QString keys =
        second ? "\"swiglu_ffn/y\""
               : "\"swiglu_ffn/gate\",\"swiglu_ffn/up\",\"swiglu_ffn/act\","
                 "\"swiglu_ffn/hidden\"";
    json += QString(",{\"ph\":\"X\",\"name\":\"%1\",\"pid\":1,\"tid\":%2,"
                    "\"ts\":%3,\"dur\":%4,\"args\":{\"id\":%5,\"keys\":[%6],"
                    "\"grid\":[%7,%8]}}")
                .arg(second ? "kernel_y" : "kernel_gate_up")
                .arg(core)
                .arg(begin, 0, 'f', 3)
                .arg(length, 0, 'f', 3)
                .arg(task)
                .arg(keys)
                .arg(task % 2)
                .arg(task / 2)
                .toUtf8();
  }
  return json + "]}";
}

std::unique_ptr<FakeBackend> cannedBackend() {
  auto backend = std::make_unique<FakeBackend>();
  backend->targetList = {
      {{"cpu", "This machine", {}},
       {"cpu-generic", "A CPU with fixed figures", {}},
       {"ascend-a3", "24 cube and 48 vector cores, 1.85 GHz", {}}},
      "cpu"};
  model::StageTable &t = backend->table;
  t.target = "cpu";
  t.complete = true;
  auto pass = [&](const char *stage, const char *name, bool changed, double ms,
                  int64_t ops, bool reused = false,
                  std::vector<const char *> keys = {}) {
    model::PassRecord p;
    p.stage = stage;
    p.pass = name;
    p.changed = changed;
    p.reused = reused;
    p.milliseconds = ms;
    p.operations = ops;
    for (const char *k : keys)
      p.changedKeys.push_back(key(k));
    t.passes.push_back(p);
  };
  pass("tensor", "source", true, 0.412, 7, false,
       {"gate", "up", "act", "hidden", "y"});
  pass("tensor", "infer-shapes", false, 0.031, 7);
  pass("tensor", "decompose-composites", true, 0.118, 10, false, {"act"});
  pass("tensor", "eliminate-nops", false, 0.022, 10);
  pass("tensor", "simplify-algebra", false, 0.038, 10);
  pass("tensor", "fold-constants", false, 0.019, 10);
  pass("tensor", "cse", false, 0.027, 10);
  pass("tensor", "dce", false, 0.011, 10);
  pass("tile", "form-scopes", true, 0.284, 14, false,
       {"gate", "up", "act", "hidden", "y"});
  pass("tile", "choose-tiles", true, 0.906, 14, true, {"gate", "up", "y"});
  pass("tile", "expand-tiles", true, 2.714, 46, false,
       {"gate", "up", "act", "hidden", "y"});
  pass("tile", "place-tiles", true, 0.533, 58, true, {"gate", "up", "y"});
  pass("block", "bufferize", true, 3.402, 71, true,
       {"gate", "up", "act", "hidden", "y"});
  pass("block", "outline-kernels", true, 0.718, 71, true, {"gate", "y"});
  pass("block", "order-instructions", false, 0.204, 71, true);
  pass("block", "allocate-onchip", true, 0.466, 71, false, {"gate", "up", "y"});
  pass("block", "insert-sync", true, 0.391, 96, false, {"gate", "y"});
  pass("execution", "build-tasks", true, 0.174, 86, false, {"gate", "y"});
  for (const auto &p : t.passes) {
    QString name = QString::fromStdString(p.name());
    bool tensor = p.stage == "tensor";
    backend->printed[name] =
        print(p.stage, p.pass, tensor ? cannedSource() : QByteArray(tiled));
    backend->graphs[name] = tensor ? tensorGraph(p.pass) : tileGraph(p.pass);
    backend->graphs[name].stage = p.stage;
    backend->graphs[name].pass = p.name();
  }
  // Where operations stand in the source: each on a line of its own.
  QList<QByteArray> lines = cannedSource().split('\n');
  backend->sourceKeys.push_back(
      {"swiglu_ffn", {{1, 0}, {int(lines.size()) - 2, 1}}, {{1, 10}, {1, 21}}});
  for (int i = 0; i < lines.size(); ++i) {
    int percent = int(lines[i].indexOf('%'));
    if (!lines[i].contains(" = tw.") || percent < 0)
      continue;
    QByteArray name =
        lines[i].mid(percent + 1, lines[i].indexOf(' ', percent) - percent - 1);
    backend->sourceKeys.push_back(
        {key(name.constData()),
         {{i, percent}, {i, int(lines[i].size())}},
         {{i, percent}, {i, percent + 1 + int(name.size())}}});
  }
  model::RunResult &run = backend->runResult;
  run.target = "cpu";
  run.threads = 4;
  run.repeats = 5;
  run.milliseconds = {13.9, 12.7, 12.4, 12.6, 12.5};
  run.flop = 3 * 2.0 * 128 * 4096 * 1408;
  run.peakGflops = 412;
  run.tasks = 86;
  run.checks = {
      {"result0", "tensor interpreter", true, 0.02, 1, "matmul-bound", ""}};
  backend->traceJson = cannedTrace(4, 86);
  return backend;
}

model::Graph cannedLargeGraph(int count) {
  model::Graph g;
  g.stage = "tensor";
  g.pass = "tensor/source";
  quint32 noise = 7;
  auto next = [&noise] {
    return (noise = noise * 1664525u + 1013904223u) >> 8;
  };
  for (int i = 0; i < count; ++i) {
    std::string id = "n" + std::to_string(i);
    g.nodes.push_back(node(id, NodeKind::Operation, "tw.add", id, "",
                           {"f/" + id}, {type({128, 128})}));
    for (int k = 0; k < 1 + int(next() % 2) && i > 0; ++k)
      edge(g, "n" + std::to_string(i - 1 - int(next() % std::min(i, 8))), id,
           type({128, 128}), k);
  }
  return g;
}

} // namespace tilewright::gui
