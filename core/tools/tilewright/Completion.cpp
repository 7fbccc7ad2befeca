//===- Completion.cpp - tilewright completion -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scripts are made from the commands themselves, so that they never lag.
//
//===----------------------------------------------------------------------===//
#include "core/tools/tilewright/CommandLine.h"
#include "core/tools/tilewright/Failure.h"
#include "core/tools/tilewright/OutputFile.h"

namespace tilewright::tool {

namespace {

struct OptionWords {
  std::vector<std::string> names; ///< "--stage", "-s"
  std::string description;
  bool takesValue = false;
};

struct CommandWords {
  std::string name;
  std::string description;
  std::vector<OptionWords> options;
};

std::string firstSentence(const std::string &text) {
  size_t end = text.find_first_of(".;\n");
  return text.substr(0, end);
}

std::vector<CommandWords> collect(const CLI::App &app) {
  std::vector<CommandWords> commands;
  for (const CLI::App *command : app.get_subcommands({})) {
    CommandWords words{command->get_name(), command->get_description(), {}};
    for (const CLI::Option *option : command->get_options()) {
      OptionWords one;
      for (const std::string &name : option->get_lnames())
        one.names.push_back("--" + name);
      for (const std::string &name : option->get_snames())
        one.names.push_back("-" + name);
      if (one.names.empty())
        continue; // positional
      one.description = option->get_description();
      one.takesValue = option->get_items_expected_max() > 0;
      words.options.push_back(std::move(one));
    }
    commands.push_back(std::move(words));
  }
  return commands;
}

/// The words for the value of an option; empty: file names.
std::string valuesOf(const std::string &option) {
  if (option == "--stage")
    return "tensor tile block execution llvm asm";
  if (option == "--emit")
    return "none llvm asm object";
  if (option == "--target")
    return "$(tilewright target --names 2>/dev/null)";
  return "";
}

std::string bash(const std::vector<CommandWords> &commands) {
  std::string names, cases, values;
  for (const CommandWords &command : commands) {
    names += (names.empty() ? "" : " ") + command.name;
    std::string options;
    for (const OptionWords &option : command.options)
      for (const std::string &name : option.names)
        options += (options.empty() ? "" : " ") + name;
    cases += "    " + command.name + ") options=\"" + options + "\" ;;\n";
  }
  for (std::string option : {"--stage", "--emit", "--target"})
    values += "    " + option +
              (option == "--stage"  ? "|-s"
               : option == "--emit" ? "|-e"
                                    : "|-t") +
              ") COMPREPLY=($(compgen -W \"" + valuesOf(option) +
              "\" -- \"$current\")); return ;;\n";
  return "# bash completion of tilewright; source this file\n"
         "_tilewright() {\n"
         "  local current=${COMP_WORDS[COMP_CWORD]} "
         "previous=${COMP_WORDS[COMP_CWORD-1]}\n"
         "  local options=\n"
         "  COMPREPLY=()\n"
         "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
         "    COMPREPLY=($(compgen -W \"" +
         names +
         " --help --version\" -- \"$current\"))\n"
         "    return\n"
         "  fi\n"
         "  case $previous in\n" +
         values +
         "  esac\n"
         "  case ${COMP_WORDS[1]} in\n" +
         cases +
         "  esac\n"
         "  case $current in\n"
         "    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$current\")) ;;\n"
         "    *) case ${COMP_WORDS[1]} in\n"
         "         target) COMPREPLY=($(compgen -W \"list show check " +
         valuesOf("--target") +
         "\" -- \"$current\")) ;;\n"
         "         completion) COMPREPLY=($(compgen -W \"bash zsh fish\" -- "
         "\"$current\")) ;;\n"
         "         *) COMPREPLY=($(compgen -f -- \"$current\")) ;;\n"
         "       esac ;;\n"
         "  esac\n"
         "}\n"
         "complete -o filenames -o bashdefault -F _tilewright tilewright\n";
}

/// Quotes for single quotes, and what _arguments takes as its own signs.
std::string zshText(const std::string &text) {
  std::string result;
  for (char c : firstSentence(text)) {
    if (c == '\'')
      result += "'\\''";
    else if (c == '[' || c == ']' || c == ':')
      result += std::string("\\") + c;
    else
      result += c;
  }
  return result;
}

std::string zsh(const std::vector<CommandWords> &commands) {
  std::string list, cases;
  for (const CommandWords &command : commands) {
    list += "    '" + command.name + ":" + zshText(command.description) + "'\n";
    std::string arguments;
    for (const OptionWords &option : command.options)
      for (const std::string &name : option.names) {
        arguments +=
            " \\\n        '" + name + "[" + zshText(option.description) + "]";
        if (option.takesValue) {
          std::string values = valuesOf(option.names[0]);
          arguments +=
              ":value:" + (values.empty() ? "_files" : "(" + values + ")");
        }
        arguments += "'";
      }
    std::string rest =
        command.name == "completion" ? "'*:shell:(bash zsh fish)'"
        : command.name == "target"
            ? "\"*:target:(list show check " + valuesOf("--target") + ")\""
            : "'*:file:_files'";
    cases += "    " + command.name + ")\n      _arguments " + rest + arguments +
             "\n      ;;\n";
  }
  // Names of targets are asked for when needed: double quotes.
  size_t at = 0;
  std::string asked = ":value:(" + valuesOf("--target") + ")'";
  while ((at = cases.find(asked, at)) != std::string::npos) {
    std::string replacement = ":value:('\"" + valuesOf("--target") + "\"')'";
    cases.replace(at, asked.size(), replacement);
    at += replacement.size();
  }
  return "#compdef tilewright\n"
         "_tilewright() {\n"
         "  local -a commands\n"
         "  commands=(\n" +
         list +
         "  )\n"
         "  if (( CURRENT == 2 )); then\n"
         "    _describe command commands\n"
         "    return\n"
         "  fi\n"
         "  shift words\n"
         "  (( CURRENT-- ))\n"
         "  case $words[1] in\n" +
         cases +
         "  esac\n"
         "}\n"
         "compdef _tilewright tilewright\n";
}

std::string fishText(const std::string &text) {
  std::string result;
  for (char c : firstSentence(text)) {
    if (c == '\'' || c == '\\')
      result += '\\';
    result += c;
  }
  return result;
}

std::string fish(const std::vector<CommandWords> &commands) {
  std::string text = "# fish completion of tilewright\n";
  for (const CommandWords &command : commands) {
    text += "complete -c tilewright -n __fish_use_subcommand -f -a " +
            command.name + " -d '" + fishText(command.description) + "'\n";
    std::string seen =
        "complete -c tilewright -n '__fish_seen_subcommand_from " +
        command.name + "'";
    for (const OptionWords &option : command.options) {
      text += seen;
      for (const std::string &name : option.names)
        text += name.starts_with("--") ? " -l " + name.substr(2)
                                       : " -s " + name.substr(1);
      std::string values = valuesOf(option.names[0]);
      if (values.starts_with("$"))
        values = values.substr(1);
      if (!values.empty())
        text += " -x -a '" + values + "'";
      else if (option.takesValue)
        text += " -r";
      text += " -d '" + fishText(option.description) + "'\n";
    }
  }
  text +=
      "complete -c tilewright -n '__fish_seen_subcommand_from completion' "
      "-f -a 'bash zsh fish'\n"
      "complete -c tilewright -n '__fish_seen_subcommand_from target' -f -a "
      "'list show check (tilewright target --names 2>/dev/null)'\n";
  return text;
}

} // namespace

void addCompletion(CommandSet &set) {
  auto shell = std::make_shared<std::string>();
  CLI::App *command = set.app.add_subcommand(
      "completion", "Print a completion script for a shell");
  command->footer("Examples:\n"
                  "  source <(tilewright completion bash)\n"
                  "  tilewright completion zsh > ~/.zfunc/_tilewright\n"
                  "  tilewright completion fish > "
                  "~/.config/fish/completions/tilewright.fish\n");
  command->add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->callback([&set, shell] {
    set.chosen = [shell, &app = set.app](Context &) {
      std::vector<CommandWords> commands = collect(app);
      writeStandardOutput(*shell == "bash"  ? bash(commands)
                          : *shell == "zsh" ? zsh(commands)
                                            : fish(commands));
      return exitOk;
    };
  });
}

} // namespace tilewright::tool
