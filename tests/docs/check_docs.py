#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds the documentation to the source.

usage: check_docs.py SOURCE_DIR

- Every diagnostic code the sources use has a section in docs/diagnostics.md, and every section
  has a code that is used (Studio's list of titles is no use).
- Every relative link of every Markdown file leads somewhere.
- README.md and README.zh-CN.md are twins: the same headings, code and links.
- Every pass has a section in docs/passes.md.
- Every method the language server offers has a place in docs/protocol.md.

Prints one line a problem; exit code 1 if there is any.
"""
import os
import re
import sys

# Examples in comments and in this folder are no use of a code.
COMMENT = re.compile(r"^\s*(//|#|\*).*$|(?<![:\"'])//.*$", re.M)
CODE = re.compile(r"TW\d{4}")
TITLES = "gui/DiagnosticTitles.cpp"  # names every code and uses none
ROOMS = ("core", "lsp", "viz", "profiler", "gui", "plugins")
SOURCES = (".cpp", ".h", ".td", ".js", ".ts", ".py")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```", re.M | re.S)


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def walk(root, endings):
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders
                            if not name.startswith((".", "build")) and name != "node_modules")
        for name in sorted(files):
            if name.endswith(endings):
                yield os.path.join(folder, name)


def used_codes(root):
    """Code -> a file that uses it."""
    codes = {}
    for room in ROOMS:
        for path in walk(os.path.join(root, room), SOURCES):
            if os.path.relpath(path, root) == TITLES:
                continue
            for code in CODE.findall(COMMENT.sub("", read(path))):
                codes.setdefault(code, os.path.relpath(path, root))
    return codes


def check_codes(root, report):
    path = os.path.join(root, "docs/diagnostics.md")
    text = read(path) if os.path.exists(path) else ""
    sections = re.findall(r"^### (TW\d{4})\b", text, re.M)
    used = used_codes(root)
    for code in sorted(used):
        if code not in sections:
            report(f"docs/diagnostics.md: {code} of {used[code]} has no section")
    for code in sorted(set(sections)):
        if code not in used:
            report(f"docs/diagnostics.md: nothing uses {code}")
        if sections.count(code) > 1:
            report(f"docs/diagnostics.md: {code} has {sections.count(code)} sections")
    for match in re.finditer(r"^### (TW\d{4})(.*)\n\n(.*)", text, re.M):
        if not match.group(2).strip() or len(match.group(3).split()) < 4:
            report(f"docs/diagnostics.md: {match.group(1)} lacks a title or a text")


def check_links(root, report):
    for path in walk(root, (".md",)):
        for link in LINK.findall(FENCE.sub("", read(path))):
            if re.match(r"[a-z]+:|#", link):
                continue
            target = os.path.join(os.path.dirname(path), link.split("#")[0])
            if not os.path.exists(target):
                report(f"{os.path.relpath(path, root)}: there is no {link}")


def skeleton(text):
    """What twins share: heading levels, shell commands, links but the one to each other."""
    headings = re.findall(r"^#+(?= )", FENCE.sub("", text), re.M)
    shell = re.findall(r"^```sh\n.*?^```", text, re.M | re.S)
    links = [link for link in LINK.findall(text) if not link.startswith("README")]
    return headings, shell, sorted(links)


def check_twins(root, report):
    english, chinese = (read(os.path.join(root, name)) for name in ("README.md", "README.zh-CN.md"))
    for what, one, other in zip(("headings", "commands", "links"), skeleton(english),
                                skeleton(chinese)):
        if one != other:
            report(f"README.zh-CN.md: its {what} differ from README.md: {one} and {other}")


def check_methods(root, report):
    server = os.path.join(root, "lsp/server")
    protocol = os.path.join(root, "docs/protocol.md")
    if not os.path.exists(protocol):
        return
    text = read(protocol)
    for path in walk(server, (".cpp",)):
        for method in sorted(set(re.findall(r'"((?:tilewright|textDocument)/\w+)"', read(path)))):
            if method not in text:
                report(f"docs/protocol.md: {method} of {os.path.relpath(path, root)} is not in it")


def check_passes(root, report):
    path = os.path.join(root, "docs/passes.md")
    sections = re.findall(r"^### \w+/([\w-]+)", read(path), re.M) if os.path.exists(path) else []
    for path in walk(os.path.join(root, "core/pass"), (".cpp", ".h")):
        for name in re.findall(r"getArgument\(\)[^}]*?\"([\w-]+)\"", read(path)):
            if name not in sections:
                report(f"docs/passes.md: {name} of {os.path.relpath(path, root)} has no section")


def check(root):
    problems = []
    check_codes(root, problems.append)
    check_links(root, problems.append)
    check_twins(root, problems.append)
    check_methods(root, problems.append)
    check_passes(root, problems.append)
    return problems


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    problems = check(sys.argv[1])
    for problem in problems:
        print(problem)
    print(f"{len(problems)} problems")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
