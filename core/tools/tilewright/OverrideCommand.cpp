//===- OverrideCommand.cpp - tilewright override --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/model/Override.h"
#include "core/tools/tilewright/CommandLine.h"
#include "core/tools/tilewright/EngineSession.h"
#include "core/tools/tilewright/Failure.h"
#include "core/tools/tilewright/OutputFile.h"
#include "core/tools/tilewright/Table.h"
#include "lsp/protocol/Methods.h"

namespace tilewright::tool {

namespace {

struct OverrideOptions {
  std::string action, file, subject, text, note;
  bool asIs = false;
};

/// Lines of a text from outside, one by one as a terminal may show them.
std::string shown(const std::string &text) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find('\n', at), text.size());
    result += printable(text.substr(at, end - at)) + "\n";
    at = end + 1;
  }
  return result;
}

std::string headed(const std::string &head, const std::string &text) {
  return text.empty() ? "" : "\n" + head + ":\n" + shown(text);
}

std::string listed(const model::OverrideStates &states,
                   const std::string &whole) {
  if (states.overrides.empty())
    return "no overrides: there is nothing in " + printable(states.path) + "\n";
  Table table(
      {{"override"}, {"stage"}, {"part"}, {"target"}, {"state"}, {"note"}});
  std::string more;
  for (const model::OverrideState &state : states.overrides) {
    table.add({printable(state.name), printable(state.stage),
               printable(state.part), printable(state.target), state.state,
               printable(state.note)});
    if (!state.reason.empty() && state.state != "elsewhere")
      more += "\n" + printable(state.reason) +
              (state.code.empty() ? "" : " [" + state.code + "]") + "\n";
    if (!state.likelyPart.empty())
      more += "its part is probably called @" + printable(state.likelyPart) +
              " now: tilewright override apply FILE " + printable(state.name) +
              "\n";
    if (state.state == "conflicting" || state.name == whole)
      more += headed(state.name + " changes", state.edit) +
              headed("what changed under it", state.drift);
    if (state.name == whole)
      more += headed("its text", state.text);
  }
  return table.str() + more + "\n" + grouped(int64_t(states.overrides.size())) +
         " in " + printable(states.path) + ", compiled for " + states.target +
         "\n";
}

std::string outcome(const model::OverrideStates &states) {
  std::string text;
  for (const std::string &name : states.written)
    for (const model::OverrideState &state : states.overrides)
      if (state.name == name)
        text += printable(name) + " is " + state.state + ": @" +
                printable(state.part) + " behind " + printable(state.stage) +
                "\n";
  for (const std::string &name : states.removed)
    text += printable(name) + " taken away\n";
  return text;
}

int override(Context &context, const OverrideOptions &options) {
  auto usage = [&](const char *what) {
    throw Failure("TW0700", "override " + options.action + " takes " + what,
                  "tilewright override --help shows how it is used.",
                  exitUsage);
  };
  bool edits = options.action == "edit";
  bool lists = options.action == "list";
  if (edits && (options.subject.empty() || options.text.empty()))
    usage("a STAGE and the TEXT it becomes");
  if (!edits && !lists && options.subject.empty())
    usage("the name of an override");
  if (!edits && !options.text.empty())
    usage(lists ? "at most the name of an override" : "one override");
  lsp::Json params = {{"action", options.action},
                      {edits ? "stage" : "name", options.subject}};
  if (!options.note.empty())
    params["note"] = options.note;
  if (options.asIs)
    params["asIs"] = true;
  SourceFile text;
  if (edits) {
    // A failure in the text shows its lines.
    context.source.emplace();
    readSource(options.text, *context.source);
    text = *context.source;
    params["text"] = text.text;
    params["textUri"] = text.uri;
  }
  context.read(options.file);
  lsp::Json result;
  EngineSession engine;
  engine.open(*context.source);
  try {
    result = engine.ask(lsp::method::override, context.params(params));
  } catch (Failure &failure) {
    if (edits && failure.error.diagnostic().uri == text.uri)
      context.source = text;
    throw;
  }
  if (context.json) {
    printJson(result);
    return exitOk;
  }
  auto states = result.get<model::OverrideStates>();
  writeStandardOutput(lists ? listed(states, options.subject)
                            : outcome(states));
  reportRemarks(engine, context);
  return exitOk;
}

} // namespace

void addOverride(CommandSet &set) {
  auto options = std::make_shared<OverrideOptions>();
  CLI::App *command = set.add(
      "override", "Put IR of your own in place of what a pass leaves",
      "  tilewright show ffn.mlir --stage tile/expand-tiles > tiles.mlir\n"
      "  (edit tiles.mlir)\n"
      "  tilewright override edit ffn.mlir tile/expand-tiles tiles.mlir\n"
      "  tilewright override list ffn.mlir\n"
      "  tilewright override apply ffn.mlir tile-expand-tiles--ffn.y--cpu\n"
      "  tilewright override drop ffn.mlir tile-expand-tiles--ffn.y--cpu\n\n"
      "Overrides are kept in .tilewright/overrides beside the source, and "
      "every command compiles\nwith them.\n");
  command
      ->add_option("ACTION", options->action,
                   "list, edit, apply (onto what changed under it) or drop")
      ->required()
      ->check(CLI::IsMember({"list", "edit", "apply", "drop"}));
  command->add_option("FILE", options->file, "Source")->required();
  command->add_option("STAGE|NAME", options->subject,
                      "To edit: the stage; else the name of an override");
  command->add_option("TEXT", options->text,
                      "To edit: file with the edited text of the stage, or "
                      "of some functions or kernels of it");
  command->add_option("--note", options->note, "Why, for a person");
  command->add_flag("--as-is", options->asIs,
                    "Apply the text as it stands, whatever changed under it");
  command->callback([&set, options] {
    set.chosen = [options](Context &c) { return override(c, *options); };
  });
}

} // namespace tilewright::tool
