#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Works on several files at once as a clumsy person would, over the real server's standard input.

usage: run.py --server TILEWRIGHT_LSP --engine TILEWRIGHT_ENGINE [--seconds N] [--seed N] [--out DIR]
              [--wild SHARE] FOLDER...

Types, deletes, undoes, pastes garbage, switches files, asks questions and cancels them. Now and then
it lets go of the keys: then what the server says of each text must be what it says of the same text
opened for the first time. An engine may die, if the text that did it is named: it is written to DIR
and counted. What is a fault: an answer that never comes, a server that ends, other diagnostics than of
the text opened anew, memory that goes on growing. Exit code 1 if there was any; the session that led
to it is written to DIR.
"""
import argparse
import json
import os
import pathlib
import queue
import random
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "end_to_end" / "drivers"))
from language_server import LanguageServer  # noqa: E402

GARBAGE = ["{", "}", "(", ")", "[", "]", "<", ">", "\"", "//", "%", "@", "#", "!", "^bb0", "^bb0(%q: f32):\n", ":",
           "->", "=", ",", "\n", "\t", "\0", "é", "日本", "😀", "0x", "1e9999", "-1", "99999999999999999999",
           "dense<", "dense<[1, 2]> : tensor<2xi32>", "tensor<?x", "memref<*xf32>", "affine_map<(d0) -> (d0 + ",
           "func.func @f(", "func.func private @g(f32) -> f32\n", "module {\n", "module @m attributes {a = 1 : i32} {\n",
           "scf.if %c {\n", "scf.for %i = %a to %b step %c {\n", "scf.yield\n", "return\n", "#m = affine_map<(d0) -> (d0)>\n",
           "!t = tensor<4xf32>\n", "{-# dialect_resources: { builtin: { r: \"0x04000000AB\" } } #-}\n",
           "\"a.b\"() : () -> ()\n", "vector.contract {s=[\"\"]} %t,%t,%f : vector<4xf32>,vector<4xf32> into f32\n",
           "  %q = arith.constant 1.0 : f32\n", "  %q:2 = \"a.b\"() : () -> (f32, f32)\n", "loc(\"x\":1:1)", "<" * 40,
           "{" * 40, "(" * 600]
WORDS = ["tensor", "f32", "i64", "index", "arith.addf", "tw.matmul", "tw.softmax", "scf.for", "linalg.fill", "%a", "%0",
         "@f", "axis", "true", "unit", "4x8xf32", "attributes"]


def utf16(text):
    return len(text) + sum(1 for c in text if ord(c) > 0xFFFF)


class File:
    """A text as the editor has it."""

    def __init__(self, uri, text):
        self.uri, self.text, self.version = uri, text, 1
        self.undone = []

    def position(self, at):
        line_begin = max(self.text.rfind("\n", 0, at), self.text.rfind("\r", 0, at)) + 1
        # Within CR LF there is no position.
        line = self.text.count("\n", 0, line_begin) + self.lone_returns(line_begin)
        return {"line": line, "character": utf16(self.text[line_begin:at])}

    def lone_returns(self, end):
        head = self.text[:end]
        return head.count("\r") - head.count("\r\n") - (
            1 if head.endswith("\r") and self.text[end:end + 1] == "\n" else 0)

    def replace(self, begin, end, new):
        """The content change that does it."""
        change = {"range": {"start": self.position(begin), "end": self.position(end)}, "text": new}
        self.undone.append((begin, begin + len(new), self.text[begin:end]))
        del self.undone[:-200]
        self.text = self.text[:begin] + new + self.text[end:]
        return change


class Session:
    def __init__(self, args, seeds):
        self.args, self.seeds = args, seeds
        self.rng = random.Random(args.seed)
        self.log = []  # everything that was sent since the files were last opened
        self.deaths = self.checks = self.edits = self.questions = 0
        self.faults = []
        self.files = []
        self.waiting = []  # ids of questions
        self.memory = []  # after each check: bytes of the server, of its engines
        self.server = self.start()
        self.fresh = self.start()
        self.fresh_count = 0

    def start(self):
        # What compiling finds is asked for, so that it is known when it has been found.
        return LanguageServer(self.args.server, self.args.engine,
                              options={"diagnosticsDelay": 20, "compileDelay": -1, "target": "cpu-generic"})

    # What a person does

    def open_some(self):
        for file in self.files:
            self.server.close(file.uri)
        self.log.clear()
        self.files = []
        for i in range(3):
            file = File(f"file:///soak/{i}.mlir", self.rng.choice(self.seeds))
            self.files.append(file)
            self.server.open(file.uri, file.text)
            self.log.append({"open": file.uri, "text": file.text})

    def change(self, file, begin, end, new):
        self.changes(file, [(begin, end, new)])

    def changes(self, file, edits):
        file.version += 1
        changes = [file.replace(*edit) for edit in edits]
        self.log.append({"edit": file.uri, "changes": changes})
        self.server.notify("textDocument/didChange", {
            "textDocument": {"uri": file.uri, "version": file.version}, "contentChanges": changes})
        self.edits += 1

    def somewhere(self, file):
        """An offset that is not within CR LF."""
        at = self.rng.randrange(len(file.text) + 1)
        return at - 1 if file.text[at - 1:at + 1] == "\r\n" else at

    def line_bounds(self, file, at):
        begin = file.text.rfind("\n", 0, at) + 1
        end = file.text.find("\n", at)
        return begin, len(file.text) if end < 0 else end + 1

    def step(self):
        rng, file = self.rng, self.rng.choice(self.files)
        kind = rng.random()
        if kind < 0.30:  # types a line, key by key
            line = rng.choice(self.line_pool())
            at = self.line_bounds(file, self.somewhere(file))[1]
            for letter in line[:rng.randrange(1, 60)]:
                self.change(file, at, at, letter)
                at += 1
                if rng.random() < 0.02:
                    time.sleep(0.03)
        elif kind < 0.42:  # a word becomes another
            at = self.somewhere(file)
            end = at
            while end < len(file.text) and file.text[end].isalnum():
                end += 1
            self.change(file, at, end, rng.choice(WORDS))
        elif kind < 0.55:  # deletes
            begin = self.somewhere(file)
            end = min(len(file.text), begin + rng.choice([1, 1, 2, 5, 40, 300]))
            if file.text[end - 1:end + 1] == "\r\n":
                end += 1
            self.change(file, begin, end, "")
        elif kind < 0.63:  # a line is moved, or doubled
            begin, end = self.line_bounds(file, self.somewhere(file))
            line, at = file.text[begin:end], self.line_bounds(file, self.somewhere(file))[0]
            if rng.random() < 0.5:
                self.change(file, at, at, line)
            elif at <= begin:
                self.changes(file, [(begin, end, ""), (at, at, line)])
        elif kind < 0.63 + self.args.wild:  # pastes
            at = self.somewhere(file)
            other = rng.choice(self.seeds)
            begin = rng.randrange(len(other) + 1)
            piece = rng.choice(GARBAGE) if rng.random() < 0.7 else other[begin:begin + rng.randrange(2000)]
            if "\r" not in file.text[at - 1:at] and not file.text[at:].startswith("\n") or "\r" not in piece[-1:]:
                self.change(file, at, at, piece)
        elif kind < 0.90:  # undoes
            for _ in range(rng.randrange(1, 30)):
                if not file.undone:
                    break
                begin, end, old = file.undone.pop()
                self.change(file, begin, end, old)
                file.undone.pop()
        elif kind < 0.97:
            self.ask(file)
        elif kind < 0.98:  # the whole text at once
            file.version += 1
            file.text, file.undone = rng.choice(self.seeds), []
            self.log.append({"edit": file.uri, "changes": [{"text": file.text}]})
            self.server.notify("textDocument/didChange", {
                "textDocument": {"uri": file.uri, "version": file.version}, "contentChanges": [{"text": file.text}]})
        else:
            time.sleep(rng.choice([0, 0.01, 0.05]))
        if len(file.text) > 60000:
            self.change(file, 20000, len(file.text), "")

    def line_pool(self):
        return [line for line in self.rng.choice(self.seeds).split("\n") if line] or ["x"]

    def ask(self, file):
        rng = self.rng
        place = {"textDocument": {"uri": file.uri}, "position": file.position(self.somewhere(file))}
        whole = {"textDocument": {"uri": file.uri}}
        method, params = rng.choice([
            ("textDocument/hover", place), ("textDocument/hover", place), ("textDocument/definition", place),
            ("textDocument/completion", place), ("textDocument/documentSymbol", whole),
            ("textDocument/semanticTokens/full", whole), ("textDocument/codeLens", whole),
            ("textDocument/references", {**place, "context": {"includeDeclaration": True}}),
            ("textDocument/inlayHint", {**whole, "range": {"start": {"line": 0, "character": 0},
                                                           "end": {"line": 9999, "character": 0}}}),
            ("tilewright/stages", {"uri": file.uri}), ("tilewright/graph", {"uri": file.uri, "stage": "tile"})])
        self.log.append({"ask": method, "params": params})
        number = self.server.request(method, params)
        self.questions += 1
        if rng.random() < 0.3:
            self.log.append({"cancel": method})
            self.server.notify("$/cancelRequest", {"id": number})
        self.waiting.append((number, method))
        # Not more than an editor has open.
        while len(self.waiting) > 20:
            self.answered(*self.waiting.pop(0))

    # What must hold

    def fault(self, what, text=""):
        name = f"{self.args.seed}-{len(self.faults)}"
        self.faults.append(what)
        folder = pathlib.Path(self.args.out)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.json").write_text(json.dumps({"what": what, "session": self.log}, indent=1))
        if text:
            (folder / f"{name}.mlir").write_bytes(text.encode("utf-8", "surrogatepass"))
        print(f"FAULT {name}: {what[:600]}", flush=True)

    def answered(self, number, method):
        try:
            response = self.server.answer(number, 120)
        except TimeoutError as error:
            self.fault(f"{method}: {error}")
            return
        error = response.get("error", {})
        code = (error.get("data") or {}).get("code", "") if isinstance(error.get("data"), dict) else ""
        if code in ("TW0601", "TW0602"):
            self.death(f"{method}: {error['message']}", None)
        elif code in ("TW0603", "TW0604") or error.get("code") == -32603:
            self.fault(f"{method}: {error}")

    def death(self, what, text):
        """An engine died: that is allowed, but told."""
        self.deaths += 1
        folder = pathlib.Path(self.args.out)
        folder.mkdir(parents=True, exist_ok=True)
        texts = {file.uri: file.text for file in self.files} if text is None else {"text": text}
        (folder / f"death-{self.args.seed}-{self.deaths}.json").write_text(
            json.dumps({"what": what, "texts": texts}, indent=1))
        print(f"engine death: {what[:300]}", flush=True)

    def last_diagnostics(self, server, uri, version, seconds=90):
        """Those of this version. None if they do not come."""
        end, found = time.monotonic() + seconds, None
        while time.monotonic() < end:
            try:
                params = server.published.get(timeout=0.2)
            except queue.Empty:
                if found is not None:
                    return found
                continue
            if params["uri"] == uri and params.get("version") == version:
                found = params["diagnostics"]
        return found

    @staticmethod
    def comparable(diagnostics):
        return sorted((d["range"]["start"]["line"], d["range"]["start"]["character"], d["range"]["end"]["line"],
                       d["range"]["end"]["character"], d.get("code", ""), d["message"]) for d in diagnostics)

    def check(self):
        """Of each text: what is said of it is what is said of it opened anew."""
        self.checks += 1
        while self.waiting:
            self.answered(*self.waiting.pop(0))
        if self.server.process.poll() is not None:
            raise RuntimeError(f"the server ended with {self.server.process.returncode}")
        published = {}
        for file in self.files:
            # One more edit, so that something new must be published.
            self.change(file, len(file.text), len(file.text), "\n")
        for file in self.files:
            published[file.uri] = None
        end = time.monotonic() + 120
        while any(found is None for found in published.values()) and time.monotonic() < end:
            try:
                params = self.server.published.get(timeout=1)
            except queue.Empty:
                continue
            for file in self.files:
                if params["uri"] == file.uri and params.get("version") == file.version:
                    published[file.uri] = params["diagnostics"]
        for file in self.files:
            if published[file.uri] is None:
                self.fault(f"no diagnostics for {file.uri}, version {file.version}", file.text)
                continue
            self.fresh_count += 1
            uri = f"file:///fresh/{self.fresh_count}.mlir"
            self.fresh.open(uri, file.text)
            anew = self.last_diagnostics(self.fresh, uri, 1)
            mine = self.comparable(published[file.uri])
            codes = {each[4] for each in mine}
            if anew is None:
                self.fault("no diagnostics of the text opened anew", file.text)
            elif "TW0601" in codes or "TW0602" in codes:
                self.death(str([each for each in mine if each[4].startswith("TW06")][:1]), file.text)
            elif mine != self.comparable(anew):
                only = [each for each in mine if each not in self.comparable(anew)]
                missing = [each for each in self.comparable(anew) if each not in mine]
                self.fault(f"other diagnostics than of the text opened anew: more {only[:3]}, less {missing[:3]}",
                           file.text)
            self.fresh.close(uri)
        while not self.server.logs.empty():
            what = self.server.logs.get()
            if what.startswith("an engine "):
                print(f"log: {what[:200]}", flush=True)
        self.memory.append(self.resident())

    def resident(self):
        """Bytes of the server and of all that it started."""
        def of(pid):
            try:
                fields = pathlib.Path(f"/proc/{pid}/statm").read_text().split()
                return int(fields[1]) * os.sysconf("SC_PAGE_SIZE")
            except OSError:
                return 0
        pid = self.server.process.pid
        engines = 0
        for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
            try:
                engines += sum(of(int(child)) for child in (task / "children").read_text().split())
            except OSError:
                pass
        return of(pid), engines

    def check_memory(self):
        """The engine recycles what it cannot free after 256 MB; the server has nothing to keep."""
        if len(self.memory) < 8:
            return
        quarter = len(self.memory) // 4
        first, last = self.memory[quarter:2 * quarter], self.memory[-quarter:]
        for index, (who, allowed) in enumerate((("server", 60e6), ("engines", 900e6))):
            before, after = (max(sample[index] for sample in part) for part in (first, last))
            if after > before + allowed:
                self.fault(f"the {who} grew from {before / 1e6:.0f} MB to {after / 1e6:.0f} MB")

    def run(self):
        end = time.monotonic() + self.args.seconds
        next_check = time.monotonic() + self.args.pause
        self.open_some()
        rounds = 0
        try:
            while time.monotonic() < end and len(self.faults) < 20:
                self.step()
                if time.monotonic() >= next_check:
                    self.check()
                    rounds += 1
                    if rounds % 3 == 0:
                        self.open_some()
                    next_check = time.monotonic() + self.args.pause
            self.check()
            self.check_memory()
            if self.server.end() != 0:
                self.fault("the server's exit code is not 0")
        except (RuntimeError, BrokenPipeError, TimeoutError) as error:
            self.fault(f"{type(error).__name__}: {error}; stderr: "
                       f"{self.server.process.stderr.read1(2000) if self.server.process.poll() is not None else b''}")
        finally:
            self.fresh.kill()
            self.server.kill()
        print(json.dumps({"edits": self.edits, "questions": self.questions, "checks": self.checks,
                          "engine_deaths": self.deaths, "faults": len(self.faults),
                          "server_mb": round(max((m[0] for m in self.memory), default=0) / 1e6),
                          "engines_mb": round(max((m[1] for m in self.memory), default=0) / 1e6)}), flush=True)
        return 1 if self.faults or not self.checks else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--server", required=True)
    parser.add_argument("--engine", required=True)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", default="found")
    parser.add_argument("--wild", type=float, default=0.12, help="share of garbage, 0 to 0.25")
    parser.add_argument("--pause", type=float, default=4, help="seconds between two checks")
    parser.add_argument("folders", nargs="+")
    args = parser.parse_args()
    seeds = []
    for folder in args.folders:
        for path in sorted(pathlib.Path(folder).rglob("*.mlir")):
            text = path.read_bytes().decode("utf-8", "replace")
            if len(text) < 30000:
                seeds.append(text)
    return Session(args, seeds).run()


if __name__ == "__main__":
    sys.exit(main())
