//===- Target.cpp - a machine description ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/target/Target.h"
#include "core/model/Json.h"
#include <algorithm>

namespace tilewright::target {

using model::JsonError;
using model::readField;

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static void to_json(nlohmann::json &json, const Figure &figure) {
  json = {{"value", figure.value}, {"source", figure.source}};
}

static void from_json(const nlohmann::json &json, Figure &figure) {
  if (!json.is_object() || !json.contains("value"))
    throw JsonError("a figure must be {\"value\": number, \"source\": text}, "
                    "but is " +
                    model::writeJson(json));
  figure = Figure();
  readField(json, "value", figure.value);
  readField(json, "source", figure.source);
}

/// A fixed part of zero needs no source and is left out.
static void writeFigure(nlohmann::json &json, const char *field,
                        const Figure &figure) {
  if (figure.value != 0 || !figure.source.empty())
    json[field] = figure;
}

static void to_json(nlohmann::json &json, const Pipe &pipe) {
  json = {{"name", pipe.name}, {"description", pipe.description}};
}

static void from_json(const nlohmann::json &json, Pipe &pipe) {
  if (json.is_string()) {
    pipe.name = json.get<std::string>();
    return;
  }
  readField(json, "name", pipe.name);
  readField(json, "description", pipe.description);
}

static void to_json(nlohmann::json &json, const CoreKind &core) {
  json = {{"name", core.name}, {"count", core.count}, {"pipes", core.pipes}};
  writeFigure(json, "physical", core.physical);
}

static void from_json(const nlohmann::json &json, CoreKind &core) {
  readField(json, "name", core.name);
  readField(json, "count", core.count);
  readField(json, "physical", core.physical);
  readField(json, "pipes", core.pipes);
}

static void to_json(nlohmann::json &json, const Level &level) {
  json = {{"name", level.name},         {"description", level.description},
          {"core", level.core},         {"kind", level.kind},
          {"capacity", level.capacity}, {"usable", level.usable},
          {"layouts", level.layouts}};
  json["alignment"] = {{"value", level.alignment},
                       {"source", level.alignmentSource}};
  writeFigure(json, "sharedBandwidth", level.sharedBandwidth);
}

static void from_json(const nlohmann::json &json, Level &level) {
  readField(json, "name", level.name);
  readField(json, "description", level.description);
  readField(json, "core", level.core);
  readField(json, "kind", level.kind);
  readField(json, "capacity", level.capacity);
  level.usable = level.capacity;
  readField(json, "usable", level.usable);
  if (auto alignment = json.find("alignment"); alignment != json.end()) {
    readField(*alignment, "value", level.alignment);
    readField(*alignment, "source", level.alignmentSource);
  }
  readField(json, "layouts", level.layouts);
  readField(json, "sharedBandwidth", level.sharedBandwidth);
}

static void to_json(nlohmann::json &json, const Move &move) {
  json = {{"from", move.from},
          {"to", move.to},
          {"core", move.core},
          {"pipe", move.pipe},
          {"bytesPerSecond", move.bytesPerSecond}};
  writeFigure(json, "seconds", move.seconds);
  writeFigure(json, "pieceSeconds", move.pieceSeconds);
}

static void from_json(const nlohmann::json &json, Move &move) {
  readField(json, "from", move.from);
  readField(json, "to", move.to);
  readField(json, "core", move.core);
  readField(json, "pipe", move.pipe);
  readField(json, "bytesPerSecond", move.bytesPerSecond);
  readField(json, "seconds", move.seconds);
  readField(json, "pieceSeconds", move.pieceSeconds);
}

static void to_json(nlohmann::json &json, const ComputeRate &rate) {
  json = {{"op", rate.op},
          {"dtype", rate.dtype},
          {"core", rate.core},
          {"pipe", rate.pipe},
          {"perSecond", rate.perSecond}};
  writeFigure(json, "seconds", rate.seconds);
  if (rate.granule != std::array<int64_t, 3>{1, 1, 1})
    json["granule"] = {{"value", rate.granule}, {"source", rate.granuleSource}};
}

static void from_json(const nlohmann::json &json, ComputeRate &rate) {
  readField(json, "op", rate.op);
  readField(json, "dtype", rate.dtype);
  readField(json, "core", rate.core);
  readField(json, "pipe", rate.pipe);
  readField(json, "perSecond", rate.perSecond);
  readField(json, "seconds", rate.seconds);
  if (auto granule = json.find("granule"); granule != json.end()) {
    readField(*granule, "value", rate.granule);
    readField(*granule, "source", rate.granuleSource);
  }
}

static void to_json(nlohmann::json &json, const Stop &stop) {
  json = {{"level", stop.level}, {"layout", stop.layout}};
}

static void from_json(const nlohmann::json &json, Stop &stop) {
  if (json.is_string()) {
    stop.level = json.get<std::string>();
    return;
  }
  readField(json, "level", stop.level);
  readField(json, "layout", stop.layout);
}

static void to_json(nlohmann::json &json, const TileLevel &level) {
  json = {{"name", level.name}, {"levels", level.levels}};
}

static void from_json(const nlohmann::json &json, TileLevel &level) {
  readField(json, "name", level.name);
  readField(json, "levels", level.levels);
}

static void to_json(nlohmann::json &json, const Placement &placement) {
  json = {{"op", placement.op},
          {"core", placement.core},
          {"operands", placement.operands},
          {"result", placement.result},
          {"tileLevels", placement.tileLevels}};
}

static void from_json(const nlohmann::json &json, Placement &placement) {
  readField(json, "op", placement.op);
  readField(json, "core", placement.core);
  readField(json, "operands", placement.operands);
  readField(json, "result", placement.result);
  readField(json, "tileLevels", placement.tileLevels);
}

static void to_json(nlohmann::json &json, const RegisterBlock &block) {
  json = {{"rows", block.rows},
          {"columns", block.columns},
          {"vectorBytes", block.vectorBytes},
          {"source", block.source}};
  if (block.multiple > 1) {
    json["lhsGroup"] = block.lhsGroup;
    json["rhsGroup"] = block.rhsGroup;
    json["multiple"] = block.multiple;
  }
}

static void from_json(const nlohmann::json &json, RegisterBlock &block) {
  readField(json, "rows", block.rows);
  readField(json, "columns", block.columns);
  readField(json, "vectorBytes", block.vectorBytes);
  readField(json, "lhsGroup", block.lhsGroup);
  readField(json, "rhsGroup", block.rhsGroup);
  readField(json, "multiple", block.multiple);
  readField(json, "source", block.source);
}

static void to_json(nlohmann::json &json, const Scheduling &scheduling) {
  json = {{"launch", scheduling.launch},
          {"coreStart", scheduling.coreStart},
          {"dispatch", scheduling.dispatch},
          {"event", scheduling.event}};
  writeFigure(json, "eventIds", scheduling.eventIds);
}

static void from_json(const nlohmann::json &json, Scheduling &scheduling) {
  readField(json, "launch", scheduling.launch);
  readField(json, "coreStart", scheduling.coreStart);
  readField(json, "dispatch", scheduling.dispatch);
  readField(json, "event", scheduling.event);
  readField(json, "eventIds", scheduling.eventIds);
}

void to_json(nlohmann::json &json, const Target &target) {
  json = model::makeHeader(Target::schema, Target::version);
  json["name"] = target.name;
  json["description"] = target.description;
  json["aliases"] = target.aliases;
  json["clock"] = target.clock;
  json["features"] = target.features;
  json["cpu"] = target.cpu;
  writeFigure(json, "peakAllCores", target.peakAllCores);
  json["cores"] = target.cores;
  json["levels"] = target.levels;
  json["moves"] = target.moves;
  json["rates"] = target.rates;
  json["placements"] = target.placements;
  if (target.registerBlock.rows > 0)
    json["registerBlock"] = target.registerBlock;
  if (target.bf16Block.rows > 0)
    json["bf16Block"] = target.bf16Block;
  writeFigure(json, "streamingBytes", target.streamingBytes);
  json["scheduling"] = target.scheduling;
  nlohmann::json sources = nlohmann::json::object();
  for (const auto &[name, text] : target.sources)
    sources[name] = text;
  json["sources"] = std::move(sources);
}

void from_json(const nlohmann::json &json, Target &target) {
  model::checkHeader(json, Target::schema, Target::version);
  target = Target();
  readField(json, "name", target.name);
  readField(json, "description", target.description);
  readField(json, "aliases", target.aliases);
  readField(json, "clock", target.clock);
  readField(json, "features", target.features);
  readField(json, "cpu", target.cpu);
  readField(json, "peakAllCores", target.peakAllCores);
  readField(json, "cores", target.cores);
  readField(json, "levels", target.levels);
  readField(json, "moves", target.moves);
  readField(json, "rates", target.rates);
  readField(json, "placements", target.placements);
  readField(json, "registerBlock", target.registerBlock);
  readField(json, "bf16Block", target.bf16Block);
  readField(json, "streamingBytes", target.streamingBytes);
  readField(json, "scheduling", target.scheduling);
  std::map<std::string, std::string> sources;
  readField(json, "sources", sources);
  target.sources.assign(sources.begin(), sources.end());
}

/// The schema of target files; the program carries it with it.
static const nlohmann::json &targetForm() {
  static const nlohmann::json form = [] {
    std::string text;
    for (const char *piece : {
#include "core/target/TargetForm.inc"
         })
      text += piece;
    return nlohmann::json::parse(text);
  }();
  return form;
}

static std::string sentence(const model::FormProblem &problem) {
  return (problem.pointer.empty() ? "/" : problem.pointer) + " " +
         problem.message;
}

/// What is wrong with the form and, if nothing is, with what it says; `target`
/// is what it says. The code is that of errors.
static std::vector<model::FormProblem>
problemsOf(const nlohmann::json &json, std::string &code,
           std::optional<Target> &target) {
  std::vector<model::FormProblem> problems =
      model::checkForm(json, targetForm());
  auto isError = [](const model::FormProblem &problem) {
    return problem.severity == model::Severity::Error;
  };
  code = "TW0061";
  if (std::any_of(problems.begin(), problems.end(), isError))
    return problems;
  try {
    target = json.get<Target>();
  } catch (const std::exception &exception) {
    problems.push_back({"", "", model::plainMessage(exception), "", {}});
    problems.back().severity = model::Severity::Error;
    return problems;
  }
  code = "TW0071";
  for (model::FormProblem &problem : problemsOf(*target))
    problems.push_back(std::move(problem));
  if (std::any_of(problems.begin(), problems.end(), isError))
    target.reset();
  return problems;
}

std::vector<model::Diagnostic> checkTarget(std::string_view text) {
  std::vector<model::Diagnostic> diagnostics;
  model::Diagnostic error;
  std::optional<nlohmann::json> json = model::parseJson(text, error);
  if (!json)
    return {error};
  std::string code;
  std::optional<Target> target;
  std::vector<std::pair<std::string, model::TextRange>> repeated;
  std::map<std::string, model::TextRange> places =
      model::placesOf(text, &repeated);
  for (auto &[pointer, range] : repeated) {
    // What is inside of a field that stands twice is told with it.
    if (!diagnostics.empty() &&
        pointer.starts_with(diagnostics.back().message.substr(
                                0, diagnostics.back().message.find(' ')) +
                            "/"))
      continue;
    model::Diagnostic diagnostic;
    diagnostic.code = "TW0061";
    diagnostic.severity = model::Severity::Warning;
    diagnostic.message = pointer + " is given again below, and that counts";
    diagnostic.hint = "take one of the two away";
    diagnostic.range = range;
    diagnostics.push_back(std::move(diagnostic));
  }
  for (const model::FormProblem &problem : problemsOf(*json, code, target)) {
    model::Diagnostic diagnostic;
    diagnostic.code =
        problem.severity == model::Severity::Error ? code : "TW0061";
    diagnostic.severity = problem.severity;
    diagnostic.message = sentence(problem);
    diagnostic.hint = problem.hint;
    diagnostic.range = model::placeOf(places, problem.pointer);
    diagnostics.push_back(std::move(diagnostic));
  }
  return diagnostics;
}

std::optional<Target> readTarget(std::string_view text,
                                 model::Diagnostic &error) {
  std::optional<nlohmann::json> json = model::parseJson(text, error);
  if (!json)
    return std::nullopt;
  std::string code;
  std::optional<Target> target;
  std::vector<model::FormProblem> problems = problemsOf(*json, code, target);
  if (target)
    return target;
  error = model::Diagnostic();
  error.code = code;
  std::string name =
      json->is_object() && json->contains("name") && (*json)["name"].is_string()
          ? " '" + (*json)["name"].get<std::string>() + "'"
          : "";
  error.message = "target" + name +
                  (code == "TW0061" ? " is no target: " : " is inconsistent: ");
  bool first = true;
  for (const model::FormProblem &problem : problems) {
    if (problem.severity != model::Severity::Error)
      continue;
    error.message += (first ? "" : "; ") + sentence(problem);
    if (!problem.hint.empty())
      error.message += ", " + problem.hint;
    first = false;
  }
  error.hint = "'tilewright target check FILE' shows each place; "
               "resources/schemas/target.schema.json describes the form";
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Look-ups
//===----------------------------------------------------------------------===//

const Level *Target::level(std::string_view name) const {
  for (const Level &level : levels)
    if (level.name == name)
      return &level;
  return nullptr;
}

int64_t Target::usableBytes(std::string_view name) const {
  const Level *found = level(name);
  return found ? static_cast<int64_t>(found->usable.value) : 0;
}

int64_t Target::capacityBytes(std::string_view name) const {
  const Level *found = level(name);
  return found ? static_cast<int64_t>(found->capacity.value) : 0;
}

const CoreKind *Target::core(std::string_view kind) const {
  for (const CoreKind &core : cores)
    if (core.name == kind)
      return &core;
  return nullptr;
}

int64_t Target::coreCount(std::string_view kind) const {
  const CoreKind *found = core(kind);
  return found ? static_cast<int64_t>(found->count.value) : 0;
}

const Move *Target::move(std::string_view from, std::string_view to) const {
  for (const Move &move : moves)
    if (move.from == from && move.to == to)
      return &move;
  return nullptr;
}

const ComputeRate *Target::rate(std::string_view op,
                                std::string_view dtype) const {
  for (std::string_view wantedOp : {op, std::string_view("elementwise")})
    for (std::string_view wantedType : {dtype, std::string_view("*")})
      for (const ComputeRate &rate : rates)
        if (rate.op == wantedOp && rate.dtype == wantedType)
          return &rate;
  return nullptr;
}

const Placement *Target::placement(std::string_view op) const {
  for (std::string_view wanted : {op, std::string_view("*")})
    for (const Placement &placement : placements)
      if (placement.op == wanted)
        return &placement;
  return nullptr;
}

std::vector<Stop> Target::operandPath(std::string_view op, size_t index) const {
  const Placement *found = placement(op);
  if (!found || found->operands.empty())
    return {};
  return found->operands[std::min(index, found->operands.size() - 1)];
}

const TileLevel *Target::tileLevel(std::string_view op,
                                   std::string_view name) const {
  if (const Placement *found = placement(op))
    for (const TileLevel &level : found->tileLevels)
      if (level.name == name)
        return &level;
  return nullptr;
}

std::string Target::pipeOf(std::string_view op, std::string_view dtype) const {
  const ComputeRate *found = rate(op, dtype);
  return found ? found->pipe : std::string();
}

std::string Target::pipeOfMove(std::string_view from,
                               std::string_view to) const {
  const Move *found = move(from, to);
  return found ? found->pipe : std::string();
}

const Level *Target::sharedCache() const {
  for (const Level &level : levels)
    if (level.core.empty() && level.kind == "cache")
      return &level;
  return nullptr;
}

const RegisterBlock &Target::blockFor(std::string_view dtype) const {
  return dtype == "bf16" && bf16Block.rows > 0 ? bf16Block : registerBlock;
}

bool Target::isCache(std::string_view name) const {
  const Level *found = level(name);
  return found && found->kind != "memory";
}

} // namespace tilewright::target
