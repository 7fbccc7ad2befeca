//===- Methods.h - what fronts and engine say to each other -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The protocol between a front (tilewright, tilewright-lsp) and its engine:
// JSON-RPC over the child's standard input and output. Offsets are UTF-8 bytes.
// docs/protocol.md tells what each method means.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Diagnostic.h"
#include "core/model/Origin.h"
#include "lsp/protocol/Json.h"
#include "lsp/protocol/TextDocument.h"
#include <optional>
#include <string>
#include <vector>

namespace tilewright::lsp {

namespace method {
inline constexpr const char *initialize = "initialize";
inline constexpr const char *shutdown = "shutdown";
inline constexpr const char *exit = "exit";
inline constexpr const char *didOpen = "textDocument/didOpen";
inline constexpr const char *didChange = "textDocument/didChange";
inline constexpr const char *didClose = "textDocument/didClose";
inline constexpr const char *progress = "$/progress";
inline constexpr const char *diagnostics = "tilewright/diagnostics";
inline constexpr const char *hover = "tilewright/hover";
inline constexpr const char *definition = "tilewright/definition";
inline constexpr const char *rename = "tilewright/rename";
inline constexpr const char *symbols = "tilewright/symbols";
inline constexpr const char *targets = "tilewright/targets";
inline constexpr const char *setTarget = "tilewright/setTarget";
/// To a server only, a notification: {trusted}.
inline constexpr const char *setTrust = "tilewright/setTrust";
inline constexpr const char *checkTarget = "tilewright/checkTarget";
inline constexpr const char *stages = "tilewright/stages";
inline constexpr const char *ir = "tilewright/ir";
inline constexpr const char *graph = "tilewright/graph";
inline constexpr const char *diff = "tilewright/diff";
inline constexpr const char *memoryMap = "tilewright/memoryMap";
inline constexpr const char *decisions = "tilewright/decisions";
inline constexpr const char *estimate = "tilewright/estimate";
inline constexpr const char *whatIf = "tilewright/whatIf";
inline constexpr const char *pins = "tilewright/pins";
inline constexpr const char *pin = "tilewright/pin";
inline constexpr const char *unpin = "tilewright/unpin";
inline constexpr const char *override = "tilewright/override";
inline constexpr const char *keyAt = "tilewright/keyAt";
inline constexpr const char *run = "tilewright/run";
inline constexpr const char *verify = "tilewright/verify";
inline constexpr const char *trace = "tilewright/trace";
inline constexpr const char *compile = "tilewright/compile";
inline constexpr const char *experiments = "tilewright/experiments";
inline constexpr const char *compare = "tilewright/compare";
} // namespace method

//===----------------------------------------------------------------------===//
// Documents (notifications to the engine)
//===----------------------------------------------------------------------===//

struct OpenParams {
  std::string uri;
  int64_t version = 0;
  std::string text;
  std::string pins; ///< path of its pins file; empty: the one beside it
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(OpenParams, uri, version, text,
                                                pins)

struct ChangeParams {
  std::string uri;
  int64_t version = 0;
  std::vector<ByteEdit> edits;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ChangeParams, uri, version, edits)

struct CloseParams {
  std::string uri;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CloseParams, uri)

//===----------------------------------------------------------------------===//
// Requests
//===----------------------------------------------------------------------===//

/// Of every request about a document. `target` empty means the current one.
struct DocumentParams {
  std::string uri;
  std::string target;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(DocumentParams, uri, target)

/// hover, definition.
struct OffsetParams {
  std::string uri;
  std::string target;
  int64_t offset = 0;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(OffsetParams, uri, target,
                                                offset)

/// rename: what stands at `offset`; `newName` empty: only what that is.
struct RenameParams {
  std::string uri;
  int64_t offset = 0;
  std::string newName;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(RenameParams, uri, offset,
                                                newName)

/// keyAt: `offset` is in the source, or in the printed text of `stage`.
struct KeyAtParams {
  std::string uri;
  std::string target;
  int64_t offset = 0;
  std::string stage;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(KeyAtParams, uri, target,
                                                offset, stage)

/// ir, graph: `stage` is "tile/expand-tiles", or "tile" for its last pass.
struct StageParams {
  std::string uri;
  std::string target;
  std::string stage;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(StageParams, uri, target, stage)

/// memoryMap: `stage` is one whose buffers have offsets; empty: the last of the
/// Block graph. `kernel`: only this one; empty: all.
struct MemoryMapParams {
  std::string uri;
  std::string target;
  std::string stage;
  std::string kernel;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(MemoryMapParams, uri, target,
                                                stage, kernel)

/// decisions: `key` empty means all.
struct KeyParams {
  std::string uri;
  std::string target;
  std::string key;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(KeyParams, uri, target, key)

/// estimate: as KeyParams.
struct EstimateParams {
  std::string uri;
  std::string target;
  std::string key;
  bool record = false; ///< as an experiment
  std::string note;    ///< of that
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(EstimateParams, uri, target,
                                                key, record, note)

struct WhatIfParams {
  std::string uri;
  std::string target;
  std::string key;
  int64_t points = 1024; ///< at most so many
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(WhatIfParams, uri, target, key,
                                                points)

/// pin, unpin. The value of a pin is `value`, of any form, or else `words` as
/// on the command line.
struct PinParams {
  std::string uri;
  std::string target; ///< to compile for
  std::string key;
  std::string pinTarget; ///< of the pin; empty: "*", and any to unpin
  std::string kind;      ///< empty: any (unpin)
  std::vector<std::string> words;
  std::string note;
  std::string fingerprint; ///< of the file as last read; empty: any
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(PinParams, uri, target, key,
                                                pinTarget, kind, words, note,
                                                fingerprint)

/// override. What it does, `action`, decides what else it needs: `list` (with
/// `name` that one whole), `edit` (`stage` and its edited `text`), `apply` and
/// `drop` (`name`).
struct OverrideParams {
  std::string uri;
  std::string target;
  std::string action = "list";
  std::string stage;
  std::string text;
  std::string textUri; ///< of the text, for messages
  std::string name;
  std::string note;
  bool asIs = false; ///< apply: the text as it stands, whatever changed
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(OverrideParams, uri, target,
                                                action, stage, text, textUri,
                                                name, note, asIs)

struct DiffParams {
  std::string uri;
  std::string target;
  std::string from;
  std::string to;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(DiffParams, uri, target, from,
                                                to)

struct RunInput {
  std::string name; ///< of the argument, without %
  std::string path; ///< a .npy file
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RunInput, name, path)

/// What every method that gives a function values is told.
struct ExecutionParams {
  std::string uri;
  std::string target;
  std::string function;         ///< empty: the only one, or the first
  std::vector<RunInput> inputs; ///< arguments without one get seeded values
  uint64_t seed = 0;
  int threads = 0; ///< 0: all cores
};

struct RunParams : ExecutionParams {
  int repeat = 1;
  bool check = false;
  std::string trace;   ///< path to write a Chrome JSON trace to; may be empty
  std::string outputs; ///< folder to write results as .npy to; may be empty
  bool record = false; ///< as an experiment
  std::string note;    ///< of that
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(RunParams, uri, target,
                                                function, inputs, seed, threads,
                                                repeat, check, trace, outputs,
                                                record, note)

struct VerifyParams : ExecutionParams {
  std::vector<std::string> tensors; ///< keys of tensors to write
  std::string outputs;              ///< folder to write them to
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(VerifyParams, uri, target,
                                                function, inputs, seed, threads,
                                                tensors, outputs)

struct CompileParams {
  std::string uri;
  std::string target;
  std::string emit = "none"; ///< none, llvm, asm, object
  std::string output;        ///< path; an object file needs one
  bool record = false;       ///< as an experiment
  std::string note;          ///< of that
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(CompileParams, uri, target,
                                                emit, output, record, note)

/// experiments: those of one folder, named as it is or by a document in it, of
/// which they then are. `id`: this one whole; 0: a list.
struct ExperimentsParams {
  std::string uri;
  std::string folder;
  int64_t id = 0;
  int64_t limit = 1000; ///< the last so many
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ExperimentsParams, uri, folder,
                                                id, limit)

struct CompareParams {
  std::string uri;
  std::string folder;
  int64_t before = 0;
  int64_t after = 0;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(CompareParams, uri, folder,
                                                before, after)

struct SetTargetParams {
  std::string target;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SetTargetParams, target)

//===----------------------------------------------------------------------===//
// Results that are not in core/model
//===----------------------------------------------------------------------===//

/// Null when there is nothing to say.
struct HoverResult {
  std::string markdown;
  model::TextRange range;
  std::string key; ///< empty if it has none
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(HoverResult, markdown, range,
                                                key)

struct Place {
  std::string uri;
  model::TextRange range;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Place, uri, range)

/// A function, an argument or an operation, with what it holds.
struct Symbol {
  std::string name;
  std::string detail;
  std::string kind; ///< function, operation, argument
  model::TextRange range;
  model::TextRange selectionRange;
  std::vector<Symbol> children;
  std::string key; ///< empty if it has none
};
void to_json(Json &json, const Symbol &symbol);
void from_json(const Json &json, Symbol &symbol);

struct DiagnosticsResult {
  int64_t documentVersion = 0;
  std::vector<model::Diagnostic> diagnostics;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(DiagnosticsResult,
                                                documentVersion, diagnostics)

} // namespace tilewright::lsp
