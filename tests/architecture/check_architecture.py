#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds the dependency rules of docs/architecture.md.

usage: check_architecture.py SOURCE_DIR [BUILD_DIR]

Checks the includes of every source file, calls of what has a substitute here,
the libraries every CMake target names (and those behind them), the shared
libraries the built programs load, and the licence line of every file. Prints one line a violation; exit code 1 if
there is any.
"""
import os
import re
import subprocess
import sys

# What a room may include and link, beside itself. A room is the longest prefix
# of a path that is listed here. "core/*" stands for every room of the core.
ROOMS = {
    "core/model": [],
    "core/target": ["core/model"],
    "core": ["core/*"],
    "core/advise": ["core/*", "profiler"],
    # The command line is a front: it speaks to the engine and knows no MLIR.
    "core/tools/tilewright": ["core/model", "viz", "profiler", "lsp/protocol", "lsp/client"],
    "core/tools/tilewright-opt": ["core/*"],
    "viz": ["core/model"],
    "profiler": ["core/model"],
    "lsp/protocol": ["core/model"],
    "lsp/client": ["core/model", "lsp/protocol"],
    "lsp/server": ["core/model", "lsp/protocol", "lsp/client", "viz", "profiler"],
    # lsp/client: the engine starts its runner as a front starts an engine.
    "lsp/engine": ["core/*", "lsp/protocol", "lsp/client", "viz", "profiler"],
    # lsp/client starts and restarts the language server; it knows no LLVM either.
    "gui": ["core/model", "lsp/protocol", "lsp/client", "viz", "profiler"],
    "plugins": ["core/*", "lsp/protocol", "viz", "profiler"],
}

# Rooms that may know LLVM and MLIR.
LLVM_ROOMS = {
    "core", "core/advise", "core/tools/tilewright-opt", "lsp/engine", "plugins",
}
QT_ROOMS = {"gui"}

# What is called instead of what; the header says why.
SUBSTITUTES = {
    re.compile(r"\b(?:std|std::ranges|llvm)::stable_sort\b"): "core/model/StableSort.h",
}

# Programs that must not load LLVM, Qt or either.
PROGRAMS = {
    "tilewright": ["libMLIR", "libLLVM", "libQt6", "libqscintilla"],
    "tilewright-lsp": ["libMLIR", "libLLVM", "libQt6", "libqscintilla"],
    "tilewright-engine": ["libQt6", "libqscintilla"],
    "tilewright-opt": ["libQt6", "libqscintilla"],
    "tilewright-studio": ["libMLIR", "libLLVM"],
}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)
TD_INCLUDE = re.compile(r'^\s*include\s+(")([^"]+)"', re.M)
LLVM = re.compile(r"^(mlir|mlir-c|llvm|llvm-c)/")
QT = re.compile(r"^(Q[A-Z]\w*|Qt\w+/.*)$")
QSCINTILLA = re.compile(r"^Qsci/")
# Run as a program, never linked.
GRAPHVIZ = re.compile(r"^(graphviz/|gvc\.h|cgraph\.h)")

APACHE = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
GPL = "SPDX-License-Identifier: GPL-3.0-or-later"
LICENSED = (".h", ".cpp", ".td", ".py", ".sh", ".js", ".mjs", ".ts", ".in")


def sources(root):
    """Paths below root, without build trees and hidden folders."""
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(
            name for name in folders
            if not name.startswith((".", "build")) and name not in ("node_modules", "__pycache__", "dist"))
        for name in sorted(files):
            yield os.path.relpath(os.path.join(folder, name), root)


def room_of(path):
    """The room a path lies in; None for tests, scripts and the like."""
    parts = path.split("/")
    for length in range(len(parts), 0, -1):
        prefix = "/".join(parts[:length])
        if prefix in ROOMS:
            return prefix
    return None


def place_of(path):
    """The folder that counts as one's own: `core/pass`, `viz`, `lsp/engine`."""
    room = room_of(path)
    if room == "core":
        return "/".join(path.split("/")[:2])
    return room


def may_use(room, path):
    """May `room` include or link what lies at `path`?"""
    other = room_of(path)
    if other is None or other == room:
        return True
    for allowed in ROOMS[room]:
        if allowed == other or (allowed == "core/*" and other.startswith("core") and
                                not other.startswith("core/tools")):
            return True
    return False


def check_includes(root, report):
    for path in sources(root):
        room = room_of(path)
        if room is None or not path.endswith((".h", ".cpp", ".td", ".inc")):
            continue
        with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
            text = file.read()
        for match in (TD_INCLUDE if path.endswith(".td") else INCLUDE).finditer(text):
            name = match.group(2)
            line = text.count("\n", 0, match.start(2)) + 1
            where = f"{path}:{line}"
            if LLVM.match(name):
                if room not in LLVM_ROOMS:
                    report(f"{where}: {room} must not know LLVM, but includes {name}")
            elif QSCINTILLA.match(name) or (match.group(1) == "<" and QT.match(name)):
                if room not in QT_ROOMS:
                    report(f"{where}: {room} must not know Qt, but includes {name}")
            elif GRAPHVIZ.match(name):
                report(f"{where}: Graphviz is run as a program, never linked: {name}")
            elif "/" in name and not may_use(room, name):
                report(f"{where}: {room} must not depend on {place_of(name)}, but includes {name}")


def check_substitutes(root, report):
    for path in sources(root):
        if room_of(path) is None or not path.endswith((".h", ".cpp")):
            continue
        with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
            for number, line in enumerate(file, 1):
                for banned, header in SUBSTITUTES.items():
                    if match := banned.search(line.split("//")[0]):
                        report(f"{path}:{number}: {match.group()}: use {header}")


def parse_targets(root):
    """Name -> (folder, libraries it names, uses MLIR)."""
    targets = {}
    call = re.compile(r"\b(?:tilewright_library|tilewright_executable|add_library|add_executable)"
                      r"\s*\(([^)]*)\)", re.S)
    link = re.compile(r"\btarget_link_libraries\s*\(([^)]*)\)", re.S)
    use = re.compile(r"\btilewright_use_mlir\s*\(\s*(\S+?)\s*\)")
    for path in sources(root):
        if os.path.basename(path) != "CMakeLists.txt":
            continue
        folder = os.path.dirname(path)
        with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
            text = re.sub(r"#.*", "", file.read())
        for match in call.finditer(text):
            words = match.group(1).split()
            libraries = words[words.index("DEPS") + 1:] if "DEPS" in words else []
            libraries = [word for word in libraries if word not in ("MLIR", "SOURCES")]
            if "ALIAS" in words:
                continue
            targets[words[0]] = [folder, set(libraries), "MLIR" in words]
        for match in link.finditer(text):
            words = match.group(1).split()
            if words[0] in targets:
                targets[words[0]][1].update(
                    word for word in words[1:] if word not in ("PUBLIC", "PRIVATE", "INTERFACE"))
        for match in use.finditer(text):
            if match.group(1) in targets:
                targets[match.group(1)][2] = True
    return targets


def check_targets(root, report):
    targets = parse_targets(root)

    def closure(name, seen):
        for library in targets[name][1]:
            library = library.split("::")[-1]
            if library in targets and library not in seen:
                seen.add(library)
                closure(library, seen)
        return seen

    for name, (folder, libraries, mlir) in sorted(targets.items()):
        room = room_of(folder + "/CMakeLists.txt")
        if room is None:
            continue
        if mlir and room not in LLVM_ROOMS:
            report(f"{folder}/CMakeLists.txt: {name} must not use MLIR")
        for library in sorted(libraries):
            if re.match(r"(Qt\d?::|.*qscintilla)", library, re.I) and room not in QT_ROOMS:
                report(f"{folder}/CMakeLists.txt: {name} must not link {library}")
            if re.match(r"(MLIR|LLVM)", library) and room not in LLVM_ROOMS:
                report(f"{folder}/CMakeLists.txt: {name} must not link {library}")
            if re.match(r"(gvc|cgraph)$", library):
                report(f"{folder}/CMakeLists.txt: {name} must not link {library}")
        for library in sorted(closure(name, set())):
            other = targets[library][0]
            if library.split("::")[-1] in {item.split("::")[-1] for item in libraries} and \
                    not may_use(room, other + "/CMakeLists.txt"):
                report(f"{folder}/CMakeLists.txt: {name} must not link {library} ({other})")
            elif targets[library][2] and room not in LLVM_ROOMS:
                report(f"{folder}/CMakeLists.txt: {name} gets MLIR through {library}")


def check_licences(root, report):
    for path in sources(root):
        # Qt's translations are XML that its tools rewrite.
        if not path.endswith(LICENSED) or path.startswith("gui/i18n/"):
            continue
        with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
            head = "".join(file.readline() for _ in range(12))
        if path.startswith("gui/"):
            allowed = [GPL]
        elif path.startswith("tests/gui/"):
            allowed = [GPL, APACHE]
        else:
            allowed = [APACHE]
        if not any(line in head for line in allowed):
            report(f"{path}: its first lines lack '{allowed[0]}'")


def check_programs(build, report):
    for program, forbidden in PROGRAMS.items():
        path = os.path.join(build, "bin", program)
        if not os.path.exists(path):
            continue
        listing = subprocess.run(["readelf", "-d", path], capture_output=True, text=True)
        for match in re.finditer(r"\(NEEDED\).*\[(.*)\]", listing.stdout):
            for library in forbidden:
                if match.group(1).startswith(library):
                    report(f"bin/{program}: loads {match.group(1)}")


def check(root, build=None):
    violations = []
    check_includes(root, violations.append)
    check_substitutes(root, violations.append)
    check_targets(root, violations.append)
    check_licences(root, violations.append)
    if build:
        check_programs(build, violations.append)
    return violations


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    violations = check(*sys.argv[1:])
    for violation in violations:
        print(violation)
    print(f"{len(violations)} violations")
    sys.exit(1 if violations else 0)


if __name__ == "__main__":
    main()
