//===- ModelExamples.h - one filled-in value of every document --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every field is set to something other than its default, so that a field
// forgotten in to_json, from_json or a schema shows.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Decision.h"
#include "core/model/Diff.h"
#include "core/model/Experiment.h"
#include "core/model/Graph.h"
#include "core/model/MemoryMap.h"
#include "core/model/Override.h"
#include "core/model/Run.h"
#include "core/model/Stage.h"
#include "core/model/Trace.h"
#include "core/model/Verify.h"

namespace examples {
using namespace tilewright::model;

inline Diagnostic diagnostic() {
  return {"TW0301",
          Severity::Warning,
          "UB needs 213 KiB of 184 KiB usable",
          "n=128 would fit",
          "file:///a.mlir",
          {10, 20},
          "attention/qk",
          {{"file:///a.mlir", {1, 2}, "defined here"}}};
}

inline DiagnosticList diagnosticList() {
  return {"file:///a.mlir", 3, 7, {diagnostic()}};
}

inline Metric metric() { return {"time", 12.5, "us", Origin::Simulated}; }

inline Graph graph() {
  Graph graph;
  graph.stage = "tile";
  graph.pass = "tile/expand-tiles";
  Expr rows = Expr::symbol("x.0");
  TensorType type{"f32", {rows, 64}, "UB", "row_major"};
  Node scope;
  scope.id = "scope:ffn/act";
  scope.kind = NodeKind::Scope;
  scope.op = "scope";
  scope.label = "act";
  scope.keys = {"ffn/act", "ffn/hidden"};
  scope.grid = {Expr::make(Expr::Kind::CeilDiv, rows, 64), 4};
  Node op;
  op.id = "ffn/act";
  op.kind = NodeKind::Operation;
  op.op = "tw.silu";
  op.label = "act";
  op.parent = scope.id;
  op.keys = {"ffn/act"};
  op.results = {type};
  op.attributes = {{"axis", "-1"}};
  op.metrics = {metric()};
  op.range = {5, 90};
  graph.nodes = {scope, op};
  graph.edges = {
      {"scope:ffn/act", 1, "ffn/act", 2, EdgeKind::Order, "x", type, 3}};
  graph.nodes[0].hidden = 2;
  graph.total = 9;
  graph.count = 4;
  graph.next = 2;
  graph.found = {"ffn/act"};
  return graph;
}

inline StageTable stageTable() {
  return {{"file:///a.mlir", 3, 7, "cpu"},
          true,
          {{"tile", "choose-tiles@2", true, true, 1.5, 42, {"ffn/act"}, {}}},
          {diagnostic()}};
}

inline PrintedStage printedStage() {
  return {"tile", "expand-tiles", "func.func", {{{0, 4}, {"ffn"}, "ffn"}}};
}

inline Diff diff() {
  return {"tensor/cse",
          "tensor/dce",
          {{"ffn/act", Change::Removed, "tw.silu", ""}},
          "--- a\n+++ b\n"};
}

inline MemoryMap memoryMap() {
  MapBuffer buffer;
  buffer.id = "ffn.kernel/x_UB";
  buffer.name = "x_UB";
  buffer.keys = {"ffn/x"};
  buffer.type = {"f32", {4, 64}, "UB", "<nz>"};
  buffer.offset = 32;
  buffer.bytes = 1024;
  buffer.first = 1;
  buffer.last = 3;
  buffer.reuses = {"ffn.kernel/w_UB"};
  buffer.writers = {"ffn/act", "ffn/hidden"};
  buffer.used = false;
  MapLevel level{"UB", "memory", 196608,      188416,  1056,
                 1024, 1,        {buffer.id}, {buffer}};
  KernelMemory kernel;
  kernel.id = "kernel:ffn.kernel";
  kernel.kernel = "ffn.kernel";
  kernel.core = "vector";
  kernel.keys = {"ffn/act"};
  kernel.steps = {{"block.move", "x_UB", "MTE2", {"ffn/x"}}};
  kernel.loops = {{"i", 1, 3, 8, 1}};
  kernel.levels = {level};
  return {"block/insert-sync", "ascend-a3", {kernel}};
}

inline RunResult runResult() {
  RunResult result;
  result.uri = "file:///a.mlir";
  result.documentVersion = 3;
  result.generation = 7;
  result.target = "cpu";
  result.function = "ffn";
  result.threads = 2;
  result.repeats = 3;
  result.milliseconds = {10.5, 9.5, 9.75};
  result.flop = 4.4e9;
  result.peakGflops = 400;
  result.tasks = 88;
  result.metrics = {metric()};
  result.checks = {{"result0", "tensor interpreter", true, 1e-7, 1e-5,
                    "row-relative", "[3, 17]: 1.0 and 1.0000001"}};
  result.outputs = {"out.npy"};
  result.tracePath = "trace.json";
  result.diagnostics = {diagnostic()};
  return result;
}

inline VerifyResult verifyResult() {
  VerifyCheck check;
  check.key = "ffn/act";
  check.scope = "ffn.gate";
  check.output = 1;
  check.passed = true;
  check.error = 0.5;
  check.tolerance = 1e-5;
  check.rule = "row-relative";
  check.index = {3, 17};
  check.got = 1.5;
  check.want = 1;
  check.problem = "shape 2 instead of 3";
  check.histogram = {5, 1, {{-7, 3}, {-1, 2}}};
  VerifyResult result;
  result.uri = "file:///a.mlir";
  result.documentVersion = 3;
  result.generation = 7;
  result.target = "cpu";
  result.function = "ffn";
  result.seed = 9;
  result.passed = true;
  result.firstPass = "tile/expand-tiles";
  result.firstScope = "ffn.gate";
  result.firstKey = "ffn/act";
  result.passes = {{"tile/expand-tiles",
                    "failed",
                    1.5,
                    4,
                    true,
                    check,
                    {check},
                    diagnostic()}};
  result.dumps = {{"ffn/act", "tile/expand-tiles", "a/02.npy"}};
  result.diagnostics = {diagnostic()};
  return result;
}

inline Trace trace() {
  return {Origin::Simulated,
          "ascend-a3",
          {{1, 0, "core 0"}},
          {{4, 1, 100, 250, "kernel:act", {"ffn/act"}, {1, 2}}},
          {{4, 5}}};
}

inline Decision decision() {
  return {"ffn/act",
          "cpu",
          "tile",
          {{"cache2", {{"m", 240}}}},
          DecisionOrigin::Pinned,
          "fills half of cache2",
          {{{{"cache2", {{"m", 480}}}}, false, "too large", {metric()}}},
          {metric()}};
}

inline DecisionList decisionList() {
  return {3, 7, {decision()}, "ffn/act", "ffn/act", {}, "because"};
}

inline Experiment experiment() {
  return {4,
          "2026-11-30T23:21:57Z",
          "run",
          "ffn.mlir",
          "cpu",
          "ffn",
          "smaller tiles",
          "0.1",
          false,
          "ba78",
          "cafe",
          "f00d",
          {metric()},
          {decision()},
          "func\n",
          "{}\n",
          "{\"reuse-loads.ffn.act\": \"{}\"}"};
}

inline ExperimentList experimentList() {
  return {"a/.tilewright/experiments.db", {experiment()}};
}

inline ExperimentComparison experimentComparison() {
  ExperimentComparison comparison;
  comparison.before = comparison.after = experiment();
  comparison.sameSource = comparison.samePins = false;
  comparison.sameOverrides = false;
  comparison.overrides = {"reuse-loads.ffn.act"};
  comparison.decisions = {
      {"ffn/act", "cpu", "tile", 1, nullptr, "pinned", "default"}};
  comparison.metrics = {{"best time", "ms", 2, 1.5, "measured", "simulated"}};
  return comparison;
}

inline PinsFile pinsFile() {
  PinsFile file;
  file.pins = {{"ffn/*",
                "cpu",
                "tile",
                {{"cache2", {{"m", 240}}}},
                "why",
                {{"since", 2024}}}};
  return file;
}

inline Override overrideFile() {
  Override override;
  override.stage = "tile/reuse-loads";
  override.target = "cpu";
  override.part = override.scope = "ffn.act";
  override.key = "ffn/act";
  override.fingerprint = "ba78";
  override.base = "func.func @f() {\n}\n";
  override.text = "func.func @f() {\n  return\n}\n";
  override.note = "one move less";
  return override;
}

inline OverrideStates overrideStates() {
  OverrideStates states;
  states.documentVersion = 3;
  states.generation = 7;
  states.target = "cpu";
  states.path = "a/.tilewright/overrides/ffn.mlir";
  OverrideState state;
  int number = 0;
  for (std::string *field :
       {&state.name, &state.stage, &state.target, &state.part, &state.scope,
        &state.key, &state.note, &state.reason, &state.code, &state.likelyPart,
        &state.edit, &state.drift, &state.base, &state.text, &state.now})
    *field = "it " + std::to_string(number++);
  state.state = "conflicting";
  states.overrides = {state};
  states.written = {"a"};
  states.removed = {"b"};
  return states;
}
} // namespace examples
