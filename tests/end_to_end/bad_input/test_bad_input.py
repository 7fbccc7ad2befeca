#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What must not crash, hang or lose anything: every bad input through command line and server.

usage: test_bad_input.py TILEWRIGHT TILEWRIGHT_LSP TILEWRIGHT_ENGINE [TEST...]
"""
import os
import queue
import re
import resource
import shutil
import signal
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "drivers"))
import bad_arrays  # noqa: E402
import bad_texts  # noqa: E402
from bad_texts import ERROR, FINE, GOOD  # noqa: E402
from command_line import CommandLine, alive, descendants, interrupt, wait_until  # noqa: E402
from language_server import LanguageServer  # noqa: E402

PROGRAM, SERVER, ENGINE = sys.argv[1:4]
# Codes that say a process of ours did not hold; never right for a text.
PROCESS_TROUBLE = {"TW0601", "TW0602", "TW0603", "TW0604", "TW0609", "TW0611"}
# Sanitizers make it slower.
SECONDS = 30 * float(os.environ.get("TILEWRIGHT_TEST_SLOWDOWN", "1"))


class WithFolder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.tilewright = CommandLine(PROGRAM, ENGINE)

    def path(self, name):
        return os.path.join(self.folder, name)

    def file(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data if isinstance(data, bytes) else data.encode())
        return self.path(name)

    def judge(self, outcome, expected):
        """The command ended as it should and told why."""
        codes = set(re.findall(r"\[(TW\d{4})\]", outcome.err))
        self.assertFalse(codes & PROCESS_TROUBLE, outcome)
        self.assertIn(outcome.code, {FINE: (0,), ERROR: (1,)}.get(expected, (0, 1)), outcome)
        if outcome.code == 1:
            self.assertRegex(outcome.err, r"error: .*\[TW\d{4}\]", str(outcome))
        # A terminal must stay usable.
        self.assertLess(len(outcome.err), 60000)
        self.assertFalse(re.search(r"[\x00-\x08\x0b-\x1f]", outcome.err), outcome)


class Texts(WithFolder):
    def test_through_the_command_line(self):
        for name, text, expected in bad_texts.texts():
            for command in (["compile"], ["show", "--stage", "tensor"], ["run"], ["graph", "--stage", "block"]):
                with self.subTest(f"{name}, {command[0]}"):
                    path = self.file("bad.mlir", text)
                    outcome = self.tilewright.run(command[0], path, *command[1:], timeout=SECONDS)
                    self.judge(outcome, expected if command[0] == "compile" else None)

    def test_through_standard_input(self):
        outcome = self.tilewright.run("compile", "-", stdin=b"\xff\x00", timeout=SECONDS)
        self.judge(outcome, ERROR)
        self.assertIn("<stdin>:1:1", outcome.err)

    def test_through_the_server(self):
        server = LanguageServer(SERVER, ENGINE)
        self.addCleanup(server.kill)
        number = 0
        for name, text, expected in bad_texts.texts():
            number += 1
            uri = f"file:///bad{number}.mlir"
            with self.subTest(name):
                try:
                    decoded = text.decode("utf-8")
                except UnicodeDecodeError:
                    decoded = text.decode("latin-1")
                    expected = None
                server.open(uri, decoded)
                diagnostics = server.diagnostics(uri, timeout=SECONDS)
                codes = {d.get("code") for d in diagnostics}
                self.assertFalse(codes & PROCESS_TROUBLE, diagnostics[:3])
                errors = [d for d in diagnostics if d["severity"] == 1]
                if expected == FINE:
                    self.assertEqual(errors, [])
                if expected == ERROR:
                    self.assertTrue(errors)
                for method, more in [("textDocument/hover", {"position": {"line": 1, "character": 8}}),
                                     ("textDocument/documentSymbol", {}),
                                     ("textDocument/definition", {"position": {"line": 1, "character": 8}}),
                                     ("tilewright/stages", {}),
                                     ("tilewright/ir", {"stage": "tensor"}),
                                     ("tilewright/graph", {"stage": "block"}),
                                     ("tilewright/diff", {"from": "tensor", "to": "tile"}),
                                     ("tilewright/run", {}), ("tilewright/verify", {}),
                                     ("tilewright/compile", {"emit": "asm"})]:
                    response = server.respond(method, {"textDocument": {"uri": uri}, **more}, SECONDS)
                    code = response.get("error", {}).get("data", {}).get("code")
                    self.assertNotIn(code, PROCESS_TROUBLE, response)
                server.close(uri)
                server.diagnostics(uri)
        self.still_works(server)

    def test_half_typed_text(self):
        server = LanguageServer(SERVER, ENGINE, options={"diagnosticsDelay": 0})
        self.addCleanup(server.kill)
        uri = "file:///typing.mlir"
        server.open(uri, "")
        version = 1
        for text in bad_texts.half_typed():
            version += 1
            server.notify("textDocument/didChange", {
                "textDocument": {"uri": uri, "version": version}, "contentChanges": [{"text": text}]})
            response = server.respond("textDocument/hover", {
                "textDocument": {"uri": uri}, "position": {"line": 1, "character": 8}}, SECONDS)
            code = response.get("error", {}).get("data", {}).get("code")
            self.assertNotIn(code, PROCESS_TROUBLE, f"{text!r}: {response}")
        version += 1
        server.notify("textDocument/didChange", {
            "textDocument": {"uri": uri, "version": version}, "contentChanges": [{"text": GOOD}]})
        last = None
        try:
            while True:
                params = server.published.get(timeout=SECONDS)
                for diagnostic in params["diagnostics"]:
                    self.assertNotIn(diagnostic.get("code"), PROCESS_TROUBLE)
                if params["version"] == version:
                    last = params
                    break
        except queue.Empty:
            pass
        self.assertIsNotNone(last, "the last text was never checked")
        self.assertEqual(last["diagnostics"], [])

    def still_works(self, server):
        server.open("file:///good.mlir", GOOD)
        self.assertEqual(server.diagnostics("file:///good.mlir"), [])
        hover = server.ask("textDocument/hover", {"textDocument": {"uri": "file:///good.mlir"},
                                                  "position": {"line": 1, "character": 8}})
        self.assertIn("tensor<4x4xf32>", hover["contents"]["value"])
        self.assertTrue(server.ask("tilewright/stages", {"uri": "file:///good.mlir"})["complete"])
        self.assertEqual(server.end(), 0)


class Messages(unittest.TestCase):
    """Bytes on the server's standard input that no client should send."""

    def test_each_is_answered_and_the_session_goes_on(self):
        server = LanguageServer(SERVER, ENGINE)
        self.addCleanup(server.kill)
        for body, code in [(b"{\"jsonrpc\": \"2.0\", ", -32700), (b"\"\xff\"", -32700), (b"[" * 100000, -32700),
                           (b"\0\0\0", -32700), (b"", -32700), (b"null", -32600), (b"[]", -32600)]:
            server.send_body(body)
            self.assertEqual(server.orphans.get(timeout=SECONDS)["error"]["code"], code, body[:20])
        server.send_bytes(b"Content-Length: twelve\r\n\r\n")
        self.assertEqual(server.orphans.get(timeout=SECONDS)["error"]["code"], -32600)
        for params in [None, 3, [], {}, {"textDocument": 3}, {"textDocument": {"uri": 5}},
                       {"textDocument": {"uri": "file:///none"}, "position": {"line": "x"}},
                       {"textDocument": {"uri": "file:///none"}, "position": {"line": -1, "character": 1e30}}]:
            for method in ("textDocument/hover", "tilewright/ir", "tilewright/keyAt", "tilewright/run"):
                self.assertIn("error", server.respond(method, params), (method, params))
            for method in ("textDocument/didOpen", "textDocument/didChange", "textDocument/didClose",
                           "$/cancelRequest"):
                server.notify(method, params)
        while not server.orphans.empty():
            server.orphans.get()
        server.open("file:///good.mlir", GOOD)
        self.assertEqual(server.diagnostics("file:///good.mlir"), [])
        # Positions far outside are moved in.
        for position in [{"line": 10**9, "character": 0}, {"line": 1, "character": 10**12},
                         {"line": -5, "character": -5}]:
            self.assertIn("result", server.respond("textDocument/hover", {
                "textDocument": {"uri": "file:///good.mlir"}, "position": position}))
        self.assertEqual(server.end(), 0)

    def test_half_a_surrogate_pair_loses_no_edit(self):
        server = LanguageServer(SERVER, ENGINE)
        self.addCleanup(server.kill)
        uri = "file:///emoji.mlir"
        server.open(uri, "// a b\n" + GOOD)
        self.assertEqual(server.diagnostics(uri), [])

        def edit(version, character, length, escaped):
            server.send_body(b'{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {"textDocument": '
                             b'{"uri": "%s", "version": %d}, "contentChanges": [{"range": {"start": {"line": 0, '
                             b'"character": %d}, "end": {"line": 0, "character": %d}}, "text": "%s"}]}}'
                             % (uri.encode(), version, character, character + length, escaped))

        edit(2, 4, 0, b"\\ud83d")
        edit(3, 5, 1, b"!")  # what stands after it, counted in UTF-16
        result = server.ask("tilewright/ir", {"uri": uri, "stage": "tensor"})
        self.assertEqual(result["documentVersion"], 3)
        self.assertEqual(server.diagnostics(uri), [])
        edit(4, 3, 0, b"\\n")  # now "a\ufffd! b" is code, and an error in its place
        while not (errors := server.diagnostics(uri)):
            pass
        self.assertEqual(errors[0]["range"]["start"]["line"], 1)
        self.assertEqual(server.end(), 0)

    def test_an_edit_that_is_no_json_is_told_where_it_was(self):
        server = LanguageServer(SERVER, ENGINE)
        self.addCleanup(server.kill)
        for uri in ("file:///a.mlir", "file:///ab.mlir"):
            server.open(uri, GOOD)
            self.assertEqual(server.diagnostics(uri), [])
        server.send_body(b'{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {"textDocument": '
                         b'{"uri": "file:///a.mlir", "version": 2}, "contentChanges": [{"text": "\xff"}]}}')
        self.assertEqual(server.diagnostics("file:///a.mlir")[0]["code"], "TW0612")
        self.assertEqual(server.respond("tilewright/stages", {"uri": "file:///a.mlir"})["error"]["data"]["code"],
                         "TW0612")
        self.assertTrue(server.ask("tilewright/stages", {"uri": "file:///ab.mlir"})["complete"])
        server.open("file:///a.mlir", GOOD, version=3)
        self.assertEqual(server.diagnostics("file:///a.mlir"), [])
        self.assertTrue(server.ask("tilewright/stages", {"uri": "file:///a.mlir"})["complete"])

    def test_an_absurd_length_is_answered_and_swallows_nothing(self):
        server = LanguageServer(SERVER, ENGINE)
        self.addCleanup(server.kill)
        # The last one is within the limit: that it lies shows when the next message comes.
        for length in (b"99999999999", b"9223372036854775807", b"9" * 40, b"200000000"):
            server.send_bytes(b"Content-Length: %s\r\n\r\n{}" % length)
            if length != b"200000000":
                self.assertEqual(server.orphans.get(timeout=5)["error"]["code"], -32600)
            self.assertIn("targets", server.ask("tilewright/targets", {}, timeout=10))
        self.assertEqual(server.orphans.get(timeout=5)["error"]["code"], -32600)
        self.assertEqual(server.end(), 0)

    def test_errors_are_in_our_own_words(self):
        server = LanguageServer(SERVER, ENGINE)
        self.addCleanup(server.kill)
        server.open("file:///f.mlir", GOOD)
        wrong = [None, 7, -1, 1.5, 1e300, 2**63, "x", [], [3], {}, {"name": 3}, True]
        fields = ["target", "stage", "from", "to", "offset", "position", "function", "inputs", "seed", "threads",
                  "repeat", "check", "trace", "outputs", "emit", "output", "name", "uri", "textDocument"]
        for method in ("stages", "ir", "graph", "diff", "memoryMap", "keyAt", "compile", "targets", "setTarget", "trace"):
            for field in fields:
                for value in wrong:
                    params = {"uri": "file:///f.mlir", "stage": "tensor", "from": "tensor", "to": "tile", field: value}
                    if method == "compile" and field == "output":
                        continue  # a path is a path
                    response = server.respond("tilewright/" + method, params)
                    text = str(response.get("error", ""))
                    self.assertNotIn("exception", text, params)
                    self.assertNotIn("json.", text, params)

    def test_a_broken_stream_ends_the_server(self):
        server = LanguageServer(SERVER, ENGINE)
        self.addCleanup(server.kill)
        try:
            server.send_bytes(b"x" * 100000)
        except BrokenPipeError:
            pass  # it had seen enough before all was written
        self.assertEqual(server.process.wait(timeout=SECONDS), 1)


class Pins(WithFolder):
    """Pins that cannot act are told where they stand; the others act and the file stays as it is."""

    def compile_with(self, pins):
        path = self.file("pinned.mlir", GOOD)
        self.file("pinned.mlir.pins.json", pins)
        outcome = self.tilewright.run("compile", path, timeout=SECONDS)
        with open(path + ".pins.json", encoding="utf-8") as file:
            self.assertEqual(file.read(), pins)
        return outcome

    def test_an_unknown_kind(self):
        outcome = self.compile_with('{"schema": "tilewright/pins", "version": 1, "pins": [\n'
                                    '  {"key": "f/y", "kind": "bufers", "value": 2}]}\n')
        self.judge(outcome, ERROR)
        self.assertRegex(outcome.err, r'pins\.json: error: pin of f/y in line 2 is of kind "bufers".*\[TW0211\]')
        self.assertIn("the kinds are buffers, core,", outcome.err)

    def test_one_bad_pin_hinders_no_other(self):
        for bad in ('"key": "", "kind": "tile"', '"key": "f/y", "kind": "tile", "target": 5',
                    '"key": "f/y", "kind": "tile", "note": 5'):
            with self.subTest(bad):
                outcome = self.compile_with('{"schema": "tilewright/pins", "version": 1, "pins": [\n'
                                            '  {' + bad + '},\n'
                                            '  {"key": "f/gone", "kind": "tile", "value": {"l1": {"m": 2}}}]}\n')
                self.judge(outcome, ERROR)
                self.assertRegex(outcome.err, r"pins\.json: error: pin 1 in line 2 says .*\[TW0210\]")
                self.assertIn("[TW0206]", outcome.err)

    def test_pins_that_do_not_act_as_meant_are_warned_of(self):
        outcome = self.compile_with('{"schema": "tilewright/pins", "version": 99, "pins": [\n'
                                    '  {"key": "f/c", "kind": "tile", "value": {}},\n'
                                    '  {"key": "f/c", "kind": "tile", "value": {}},\n'
                                    '  {"key": "f/c", "kind": "merge", "target": "cpuu", "value": 2},\n'
                                    '  {"key": "f/c", "kind": "scope", "value": {"fuse": ["f/gone"]}}]}\n')
        self.assertEqual(outcome.code, 0, outcome)
        for text in ('"version": 99 in line 1', "[TW0216]", "in line 2 does not act: the one in line 3", "[TW0208]",
                     '"cpuu", which does not exist', "did you mean cpu?", "[TW0209]", "names f/gone", "[TW0206]",
                     "names no size", "[TW0203]"):
            self.assertIn(text, outcome.err)

    def test_files_that_are_none(self):
        for pins in ("", "{", "[]", "\0", '{"schema": "tilewright/pins", "pins": [{}]}'):
            with self.subTest(pins):
                outcome = self.compile_with(pins)
                self.judge(outcome, ERROR)
                self.assertIn("[TW0210]", outcome.err)


class Arrays(WithFolder):
    def setUp(self):
        super().setUp()
        self.source = self.file("f.mlir", GOOD)

    def run_with(self, data, *more):
        path = self.file("a.npy", data)
        return self.tilewright.run("run", self.source, "--input", "a=" + path, *more, timeout=SECONDS)

    def test_good_ones(self):
        for name, data in bad_arrays.good():
            with self.subTest(name):
                self.judge(self.run_with(data, "--check"), FINE)

    def test_bad_ones(self):
        for name, data in bad_arrays.bad():
            with self.subTest(name):
                outcome = self.run_with(data)
                self.judge(outcome, ERROR)
                self.assertIn("a.npy", outcome.err)

    def test_an_argument_that_is_none(self):
        path = self.file("a.npy", bad_arrays.good()[0][1])
        outcome = self.tilewright.run("run", self.source, "--input", "nothing=" + path, timeout=SECONDS)
        self.judge(outcome, ERROR)
        self.assertIn("nothing", outcome.err)

    def test_through_the_server(self):
        server = LanguageServer(SERVER, ENGINE)
        self.addCleanup(server.kill)
        server.open("file:///f.mlir", GOOD)
        for name, data in bad_arrays.bad() + [("missing", None), ("folder", None)]:
            with self.subTest(name):
                path = self.folder if name == "folder" else self.path("missing.npy")
                if data is not None:
                    path = self.file("a.npy", data)
                response = server.respond("tilewright/run", {
                    "uri": "file:///f.mlir", "inputs": [{"name": "a", "path": path}]}, SECONDS)
                result = response.get("result", {})
                codes = {d["code"] for d in result.get("diagnostics", [])}
                codes.add(response.get("error", {}).get("data", {}).get("code"))
                codes.discard(None)
                self.assertTrue(codes, response)
                self.assertFalse(codes & PROCESS_TROUBLE, response)
        self.assertTrue(server.ask("tilewright/run", {"uri": "file:///f.mlir"})["milliseconds"])


def small_files():
    """A limit on the size of files stands for a full disk."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))


class Disk(WithFolder):
    def test_full(self):
        source = self.file("f.mlir", GOOD)
        for words in [["run", source, "--trace", self.path("t.json")],
                      ["run", source, "--output", self.path("results")],
                      ["compile", source, "--emit", "object", "-o", self.path("f.o")],
                      ["compile", source, "--emit", "llvm", "-o", self.path("f.ll")],
                      ["graph", source, "--svg", "-o", self.path("g.svg")]]:
            with self.subTest(words[2:]):
                outcome = self.tilewright.run(*words, before=small_files, timeout=SECONDS)
                self.judge(outcome, ERROR)
                # It speaks of the place that was named, not of a file beside it; a run first has
                # no room for its program.
                if words[0] != "run":
                    self.assertIn(words[-1], outcome.err)
                self.assertNotIn(".part", outcome.err)
                # Nothing half-written stays.
                left = [name for _, _, names in os.walk(self.folder) for name in names]
                self.assertEqual(left, ["f.mlir"])

    def test_full_under_the_server(self):
        server = LanguageServer(SERVER, ENGINE, before=small_files)
        self.addCleanup(server.kill)
        server.open("file:///f.mlir", GOOD)
        self.assertEqual(server.diagnostics("file:///f.mlir"), [])
        for method, more in (("tilewright/run", {"trace": self.path("t.json")}),
                             ("tilewright/run", {"outputs": self.path("results")}),
                             ("tilewright/verify", {}),
                             ("tilewright/compile", {"emit": "object", "output": self.path("f.o")})):
            with self.subTest(method, more=more):
                error = server.respond(method, {"uri": "file:///f.mlir", **more}, SECONDS)["error"]
                self.assertRegex(error["data"]["code"], r"^TW\d{4}$", error)
                self.assertNotIn(error["data"]["code"], PROCESS_TROUBLE, error)
                left = [name for _, _, names in os.walk(self.folder) for name in names]
                self.assertEqual(left, [])
        self.assertTrue(server.ask("tilewright/stages", {"uri": "file:///f.mlir"})["complete"])
        self.assertEqual(server.end(), 0)

    def test_unwritable_results(self):
        source = self.file("f.mlir", GOOD)
        outcome = self.tilewright.run("run", source, "--output", "/proc/nowhere")
        self.judge(outcome, ERROR)


LONG = """func.func @long(%a: tensor<2048x2048xf32>, %b: tensor<2048x2048xf32>) -> tensor<2048x2048xf32> {
  %c = tw.matmul %a, %b : (tensor<2048x2048xf32>, tensor<2048x2048xf32>) -> tensor<2048x2048xf32>
  return %c : tensor<2048x2048xf32>
}
"""


def many_functions(count):
    """No two alike, so that each is compiled for itself."""
    return "".join(
        f"func.func @f{n}(%a: tensor<{64 + n}x96xf32>, %b: tensor<96x{512 + n}xf32>) -> tensor<{64 + n}x{512 + n}xf32> {{\n"
        f"  %c = tw.matmul %a, %b : (tensor<{64 + n}x96xf32>, tensor<96x{512 + n}xf32>) -> tensor<{64 + n}x{512 + n}xf32>\n"
        f"  return %c : tensor<{64 + n}x{512 + n}xf32>\n}}\n" for n in range(count))


class Processes(WithFolder):
    def test_kill_9_of_the_engine_during_every_command(self):
        source = self.file("many.mlir", many_functions(1500))
        for words in (["compile", source], ["compile", source, "--emit", "object", "-o", self.path("many.o")],
                      ["stages", source], ["show", source, "--stage", "tile"], ["diff", source, "tensor", "tile"],
                      ["graph", source, "--stage", "block", "--svg", "-o", self.path("many.svg")], ["run", source],
                      ["verify", source]):
            with self.subTest(words[0]):
                process = self.tilewright.start(*words)
                self.addCleanup(process.kill)
                self.assertTrue(wait_until(lambda: descendants(process.pid)))
                time.sleep(0.3)
                os.kill(descendants(process.pid)[0], signal.SIGKILL)
                out, err = process.communicate(timeout=SECONDS)
                self.assertEqual(process.returncode, 1, (out, err))
                self.assertIn(b"many.mlir", err)
                self.assertIn(b"[TW0601]", err)
                self.assertEqual(os.listdir(self.folder), ["many.mlir"])

    def test_kill_9_of_each_child_of_verify(self):
        source = self.file("long.mlir", LONG)
        for which in (0, -1):
            process = self.tilewright.start("verify", source)
            self.addCleanup(process.kill)
            # The runner works for seconds: it multiplies in double.
            self.assertTrue(wait_until(lambda: len(descendants(process.pid)) > 1))
            started = descendants(process.pid)
            os.kill(started[which], signal.SIGKILL)
            _, err = process.communicate(timeout=SECONDS)
            self.assertEqual(process.returncode, 1, err)
            self.assertIn(b"long.mlir", err)
            self.assertRegex(err, rb"\[TW06[02][01]\]")
            self.assertTrue(wait_until(lambda: not any(map(alive, started))))

    def long_run(self):
        source = self.file("long.mlir", LONG)
        process = self.tilewright.start("run", source, "--repeat", "100000")
        self.addCleanup(process.kill)
        # Engine and, where it has one of its own, the runner.
        self.assertTrue(wait_until(lambda: descendants(process.pid)))
        wait_until(lambda: len(descendants(process.pid)) > 1, 5)
        return process

    def test_ctrl_c(self):
        process = self.long_run()
        started = descendants(process.pid)
        interrupt(process)
        _, err = process.communicate(timeout=5)
        self.assertEqual(process.returncode, 130, err)
        self.assertTrue(wait_until(lambda: not any(map(alive, started))))

    def test_kill_9_of_each_child(self):
        for which in (0, -1):
            process = self.long_run()
            started = descendants(process.pid)
            os.kill(started[which], signal.SIGKILL)
            _, err = process.communicate(timeout=SECONDS)
            self.assertEqual(process.returncode, 1, err)
            self.assertIn(b"long.mlir", err)
            self.assertTrue(wait_until(lambda: not any(map(alive, started))))
        self.judge(self.tilewright.run("run", self.file("f.mlir", GOOD)), FINE)

    def test_a_killed_front_leaves_nothing(self):
        process = self.long_run()
        started = descendants(process.pid)
        process.kill()
        process.communicate()
        self.assertTrue(wait_until(lambda: not any(map(alive, started))))

    def test_kill_9_under_the_server(self):
        server = LanguageServer(SERVER, ENGINE)
        self.addCleanup(server.kill)
        server.open("file:///long.mlir", LONG)
        server.open("file:///good.mlir", GOOD)
        self.assertEqual(server.diagnostics("file:///good.mlir"), [])
        before = set(descendants(server.process.pid))
        number = server.request("tilewright/run", {"uri": "file:///long.mlir", "repeat": 100000})
        self.assertTrue(wait_until(lambda: set(descendants(server.process.pid)) - before))
        wait_until(lambda: len(set(descendants(server.process.pid)) - before) > 1, 5)
        for pid in set(descendants(server.process.pid)) - before:
            os.kill(pid, signal.SIGKILL)
        error = server.answer(number)["error"]
        self.assertIn("long.mlir", str(error))
        self.assertTrue(server.ask("tilewright/stages", {"uri": "file:///good.mlir"})["complete"])
        for wait in (0, 3):  # on its way, and while the code runs
            number = server.request("tilewright/run", {"uri": "file:///long.mlir", "repeat": 100000})
            time.sleep(wait)
            server.notify("$/cancelRequest", {"id": number})
            self.assertEqual(server.answer(number, 5)["error"]["code"], -32800)
        self.assertEqual(server.end(), 0)

    def test_an_edit_overtakes_a_run(self):
        server = LanguageServer(SERVER, ENGINE)
        self.addCleanup(server.kill)
        server.open("file:///long.mlir", LONG)
        number = server.request("tilewright/run", {"uri": "file:///long.mlir", "repeat": 100000})
        time.sleep(2)
        server.notify("textDocument/didChange", {"textDocument": {"uri": "file:///long.mlir", "version": 2},
                                                 "contentChanges": [{"text": GOOD}]})
        self.assertEqual(server.answer(number, 5)["error"]["code"], -32801)
        self.assertEqual(server.ask("tilewright/run", {"uri": "file:///long.mlir"})["documentVersion"], 2)

    def test_the_death_of_idle_children_costs_nothing(self):
        server = LanguageServer(SERVER, ENGINE)
        self.addCleanup(server.kill)
        server.open("file:///good.mlir", GOOD)
        for _ in range(5):
            self.assertTrue(server.ask("tilewright/run", {"uri": "file:///good.mlir"})["milliseconds"])
            children = descendants(server.process.pid)
            self.assertGreater(len(children), 1)
            # The runner alone, then all.
            os.kill(children[-1], signal.SIGKILL)
            self.assertTrue(server.ask("tilewright/run", {"uri": "file:///good.mlir"})["milliseconds"])
            for pid in descendants(server.process.pid):
                os.kill(pid, signal.SIGKILL)
            self.assertTrue(server.ask("tilewright/stages", {"uri": "file:///good.mlir"})["complete"])
        self.assertEqual(server.end(), 0)


if __name__ == "__main__":
    del sys.argv[1:4]
    unittest.main(verbosity=1)
