// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the server's own methods answer, as far as the extension reads it (docs/protocol.md).
// Ranges are positions: the client asks for that.

export interface Position { line: number; character: number }
export interface Range { start: Position; end: Position }

export interface Metric { name: string; value: number; unit: string; origin: "estimated" | "simulated" | "measured" }

export interface PassRecord {
  stage: string; pass: string; changed: boolean; reused: boolean;
  milliseconds: number; operations: number; changedKeys: string[];
}
export interface ServerDiagnostic { code: string; severity: string; message: string; hint: string; key?: string }
export interface StageTable {
  documentVersion: number; generation: number; target: string; complete: boolean;
  passes: PassRecord[]; diagnostics: ServerDiagnostic[];
}

/** What is new to show of a text, whoever caused it. */
export interface News {
  uri: string; target: string; documentVersion: number; generation: number;
  changed: ("stages" | "estimate" | "run" | "verify" | "pins" | "overrides" | "experiment")[];
}

export interface Decision {
  key: string; target: string; kind: string; value: unknown;
  origin: "default" | "tuned" | "pinned"; reason: string; metrics: Metric[];
  weighed: { value: unknown; legal: boolean; reason: string; metrics: Metric[] }[];
}
export interface DecisionList { decisions: Decision[]; key?: string; root?: string; explanation?: string }

export type TileSizes = Record<string, Record<string, number>>;
export interface TilePoint {
  x: number; y: number; sizes: TileSizes; legal: boolean; code: string; why: string;
  seconds: number; tasks: number; coreUse: number; bound: string;
}
export interface WhatIf {
  key: string; asked: string; target: string; xDim: string; yDim: string; xs: number[]; ys: number[];
  points: TilePoint[]; current: number; best: number; currentSeconds: number; weighed: number; milliseconds: number;
}

export interface PinStates { path: string; fingerprint: string; changed: number;
  pins: { pin: { key: string; target: string; kind: string; value: unknown }; state: string; reason: string; keys: string[] }[] }

export interface PictureNode {
  id: string; label: string; op: string; keys: string[];
  group: boolean; open: boolean;
  /** Nodes in a group that is closed. */
  hidden: number;
}
/** Of `total` nodes of the stage those that are drawn. */
export interface GraphPicture { svg: string; pass: string; nodes: PictureNode[]; total: number; documentVersion: number }

/** A node of a graph as the server tells it, as far as it is read here. */
export interface GraphNode { id: string; label: string; op: string; keys: string[]; parent: string; hidden?: number }
export interface GraphPart { nodes: GraphNode[]; total: number; count: number; found?: string[]; pass: string; documentVersion: number }

export interface MapBuffer { id: string; name: string; keys: string[]; offset: number; bytes: number; first: number; last: number;
  writers: string[]; used: boolean; type: { dtype: string; shape: unknown[] } }
export interface MapLevel { name: string; kind: string; capacity: number; usable: number; highWater: number; peakBytes: number;
  peakStep: number; atPeak: string[]; buffers: MapBuffer[] }
export interface KernelMemory { id: string; kernel: string; core: string; keys: string[];
  steps: { op: string; label: string; pipe: string; keys: string[] }[]; levels: MapLevel[] }
export interface MemoryMap { pass: string; target: string; kernels: KernelMemory[] }

export interface CheckResult { result: string; reference: string; passed: boolean; error: number; tolerance: number; rule: string; worst: string }
export interface RunResult {
  target: string; function: string; threads: number; milliseconds: number[]; flop: number; peakGflops: number; tasks: number;
  metrics: Metric[]; checks: CheckResult[]; tracePath: string; diagnostics: ServerDiagnostic[];
}
export interface VerifyResult {
  target: string; passed: boolean; firstPass: string; firstScope: string; firstKey: string; stoppedAfter?: string;
  passes: { pass: string; result: string; compared: number }[];
}

export interface Experiment {
  id: number; time: string; kind: string; file: string; target: string; function: string; note: string; version: string;
  passed: boolean; metrics: Metric[];
}
export interface ExperimentList { path: string; experiments: Experiment[] }
export interface Comparison {
  before: Experiment; after: Experiment; sameSource: boolean; samePins: boolean;
  decisions: { key: string; kind: string; before: unknown; after: unknown; beforeOrigin: string; afterOrigin: string }[];
  metrics: { name: string; unit: string; before: number | null; after: number | null; beforeOrigin: string; afterOrigin: string }[];
}
export interface TargetList { targets: { name: string; description: string; aliases?: string[] }[]; current: string }
