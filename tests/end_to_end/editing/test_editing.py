#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What an editor may rely on while one types, over the server's standard input, with the real engine.

usage: test_editing.py TILEWRIGHT_LSP TILEWRIGHT_ENGINE EXAMPLES [TEST...]
"""
import json
import os
import pathlib
import queue
import random
import shutil
import signal
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "drivers"))
from language_server import LanguageServer  # noqa: E402

SERVER, ENGINE, EXAMPLES = sys.argv[1:4]
DIED = {"TW0601", "TW0602", "TW0603", "TW0604"}

FUNCTION = """func.func @%s(%%a: tensor<4x8xf32>, %%b: tensor<8x4xf32>) -> tensor<4x4xf32> {
  %%c = tw.matmul %%a, %%b : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  return %%c : tensor<4x4xf32>
}
"""


def large(functions=100, operations=1000):
    lines = []
    for f in range(functions):
        lines.append(f"func.func @f{f}(%a: i32) -> i32 {{")
        lines += [f"  %v{i} = arith.addi %{'a' if i == 0 else f'v{i - 1}'}, %a : i32" for i in range(operations)]
        lines += [f"  return %v{operations - 1} : i32", "}"]
    return "\n".join(lines) + "\n"


def started_by(pid):
    found = []
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        try:
            found += [int(child) for child in (task / "children").read_text().split()]
        except OSError:
            pass
    return found


def is_alive(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


class Editing(unittest.TestCase):
    def start(self, **options):
        server = LanguageServer(SERVER, ENGINE, options={"diagnosticsDelay": 0, "compileDelay": -1, **options})
        self.addCleanup(server.kill)
        return server

    def edit(self, server, uri, version, line, begin, end, text):
        server.notify("textDocument/didChange", {
            "textDocument": {"uri": uri, "version": version},
            "contentChanges": [{"range": {"start": {"line": line, "character": begin},
                                          "end": {"line": line, "character": end}}, "text": text}]})

    def diagnostics(self, server, uri, version, seconds=60):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                params = server.published.get(timeout=1)
            except queue.Empty:
                continue
            if params["uri"] == uri and params.get("version") == version:
                return params["diagnostics"]
        self.fail(f"no diagnostics for {uri}, version {version}")

    @staticmethod
    def comparable(diagnostics):
        return sorted(json.dumps([d["range"], d.get("code"), d["message"]], sort_keys=True) for d in diagnostics)

    def at(self, uri, line, character):
        return {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}}


class Typing(Editing):
    def test_every_prefix_of_a_file_is_typed(self):
        text = "".join(path.read_text() for path in sorted(pathlib.Path(EXAMPLES).glob("*.mlir")))
        text = "\n".join(text.split("\n")[:200]) + "\n"
        self.assertEqual(text.count("\n"), 200)
        server, fresh = self.start(), self.start()
        uri, version, line, column = "file:///typed.mlir", 1, 0, 0
        server.open(uri, "")
        self.diagnostics(server, uri, 1)
        rng, checked = random.Random(1), 0
        for at, letter in enumerate(text):
            version += 1
            self.edit(server, uri, version, line, column, column, letter)
            column += 1
            if letter == "\n":
                line, column = line + 1, 0
            if letter != "\n" and rng.random() > 0.01:
                continue
            # Whatever was dropped on the way, this is what a fresh reading says.
            found = self.diagnostics(server, uri, version)
            self.assertFalse(DIED & {d.get("code") for d in found}, found)
            checked += 1
            if checked % 3 and at + 1 < len(text):
                continue
            anew = f"file:///anew{at}.mlir"
            fresh.open(anew, text[:at + 1])
            self.assertEqual(self.comparable(found), self.comparable(self.diagnostics(fresh, anew, 1)), text[:at + 1])
            fresh.close(anew)
        self.assertGreater(checked, 200)
        self.assertEqual(server.end(), 0)

    def test_a_burst_of_keys_is_read_at_most_twice(self):
        server = self.start(diagnosticsDelay=200)
        uri = "file:///burst.mlir"
        server.open(uri, FUNCTION % "f" + "// ")
        self.diagnostics(server, uri, 1)
        time.sleep(0.5)
        for key in range(10):
            self.edit(server, uri, 2 + key, 4, 3 + key, 3 + key, "x")
            time.sleep(0.01)
        self.diagnostics(server, uri, 11)
        time.sleep(0.5)
        rest = 0
        while not server.published.empty():
            server.published.get()
            rest += 1
        self.assertEqual(rest, 0)

    def test_a_single_key_waits_for_nothing(self):
        server = self.start(diagnosticsDelay=30000)
        uri = "file:///single.mlir"
        server.open(uri, FUNCTION % "f")
        self.diagnostics(server, uri, 1)
        # Not within a burst: the text was left alone for the time that ends one.
        server = self.start(diagnosticsDelay=20000)
        server.open(uri, FUNCTION % "f")
        self.diagnostics(server, uri, 1)
        begin = time.monotonic()
        self.edit(server, uri, 2, 0, 0, 0, "x")
        self.assertTrue(self.diagnostics(server, uri, 2))
        self.assertLess(time.monotonic() - begin, 18)


class Answers(Editing):
    def test_a_large_file_delays_no_other(self):
        server = self.start()
        small, big = "file:///small.mlir", "file:///big.mlir"
        server.open(small, FUNCTION % "f")
        self.diagnostics(server, small, 1)
        server.open(big, large())
        times, done, opened = [], False, time.monotonic()
        while not done:
            begin = time.monotonic()
            hover = server.ask("textDocument/hover", self.at(small, 1, 8))
            times.append(time.monotonic() - begin)
            self.assertIn("tw.matmul", hover["contents"]["value"])
            while not server.published.empty():
                params = server.published.get()
                done |= params["uri"] == big
        # On a busy machine some are slow; tests/bench has the figures.
        self.assertGreater(len(times), 3)
        self.assertLess(sorted(times)[len(times) // 2], (time.monotonic() - opened) / 4)

    def test_features_answer_from_the_last_good_state(self):
        text = large(1, 60000)
        server = self.start()
        uri = "file:///giant.mlir"
        server.open(uri, text)
        self.diagnostics(server, uri, 1)
        # A line above, and something half typed: everything below is still known.
        self.edit(server, uri, 2, 1, 0, 0, "  %new = arith.\n")
        begin = time.monotonic()
        hover = server.ask("textDocument/hover", self.at(uri, 40000, 4))
        took = time.monotonic() - begin
        self.assertIn("%v39998: i32", hover["contents"]["value"])
        place = server.ask("textDocument/definition", self.at(uri, 40000, 24))
        self.assertEqual(place[0]["range"]["start"]["line"], 39999)
        self.assertTrue(self.diagnostics(server, uri, 2))
        self.assertLess(took, time.monotonic() - begin)  # they did not wait for it
        self.edit(server, uri, 3, 1, 0, 16, "// nothing")
        self.assertEqual(self.diagnostics(server, uri, 3), [])

    def test_ten_edits_a_question_and_a_cancel(self):
        server = self.start(diagnosticsDelay=50)
        uri = "file:///big.mlir"
        opened = time.monotonic()
        server.open(uri, large())
        self.diagnostics(server, uri, 1)
        opened = time.monotonic() - opened
        for i in range(10):
            self.edit(server, uri, 2 + i, 500, 0, 0, " ")
        asked = server.request("textDocument/hover", self.at(uri, 500, 14))
        other = server.request("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
        server.notify("$/cancelRequest", {"id": other})
        begin = time.monotonic()
        self.assertTrue(server.answer(asked)["result"])
        # Far from ten readings of the whole, on however slow a machine.
        self.assertLess(time.monotonic() - begin, 2 + 2 * opened)
        response = server.answer(other)
        if "error" in response:
            self.assertIn(response["error"]["code"], (-32800, -32801))
        self.assertEqual(self.diagnostics(server, uri, 11), [])


class Reports(Editing):
    """What users of other such servers met."""

    def test_columns_are_counted_as_negotiated(self):
        text = ('func.func @f(%arg0: i32) -> i32 {\r\n'
                '  %0 = arith.addi %arg0, %arg0 {s = "日本語😀e\u0301"} : i32 %1 = arith.addi %arg0, %0 : i32\r\n'
                '  return %1 : i32\r\n}\r\n')
        line = text.split("\r\n")[1]
        use = line.rindex("%arg0")
        for offered, encode in [(["utf-8", "utf-16"], lambda s: len(s.encode())),
                                (["utf-16"], lambda s: len(s.encode("utf-16-le")) // 2),
                                (["utf-32"], len), (None, lambda s: len(s.encode("utf-16-le")) // 2)]:
            with self.subTest(offered):
                server = LanguageServer(SERVER, ENGINE, initialize=False)
                self.addCleanup(server.kill)
                general = {"general": {"positionEncodings": offered}} if offered else {}
                server.ask("initialize", {"processId": None, "rootUri": None, "capabilities": general})
                server.notify("initialized", {})
                uri = "file:///columns.mlir"
                server.open(uri, text)
                self.assertEqual(self.diagnostics(server, uri, 1), [])
                column = encode(line[:use])
                hover = server.ask("textDocument/hover", self.at(uri, 1, column + 1))
                self.assertEqual(hover["range"], {"start": {"line": 1, "character": column},
                                                  "end": {"line": 1, "character": column + 5}})
                place = server.ask("textDocument/definition", self.at(uri, 1, column + 1))
                self.assertEqual(place[0]["range"]["start"], {"line": 0, "character": 13})
                renamed = server.ask("textDocument/rename", {**self.at(uri, 1, column + 1), "newName": "x"})
                edits = [e for each in renamed["changes"].values() for e in each]
                self.assertIn(column, [e["range"]["start"]["character"] for e in edits])
                self.assertEqual(len(edits), 4)
                # And an error behind them is where it is.
                self.edit(server, uri, 2, 1, column, column + 5, "%none")
                found = self.diagnostics(server, uri, 2)
                self.assertEqual(found[0]["range"]["start"], {"line": 1, "character": column})

    def test_one_syntax_error_blanks_nothing(self):
        text = "".join(FUNCTION % f"f{i}" for i in range(100))
        server = self.start()
        uri = "file:///many.mlir"
        server.open(uri, text)
        self.assertEqual(self.diagnostics(server, uri, 1), [])
        self.edit(server, uri, 2, 200, 0, 0, "  %x = arith.addi %a\n")
        self.edit(server, uri, 3, 320, 0, 0, "  %x = arith.addi %a\n")
        found = self.diagnostics(server, uri, 3)
        self.assertEqual(len({d["range"]["start"]["line"] // 150 for d in found}), 2, found)
        self.assertIn("tw.matmul", server.ask("textDocument/hover", self.at(uri, 101, 8))["contents"]["value"])
        self.assertIn("tw.matmul", server.ask("textDocument/hover", self.at(uri, 202, 8))["contents"]["value"])
        self.assertTrue(server.ask("textDocument/definition", self.at(uri, 102, 10)))
        symbols = server.ask("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
        self.assertEqual(len([s for s in symbols if s["name"].startswith("f")]), 100)

    def test_huge_literals(self):
        server = self.start()
        numbers = ", ".join(str(i % 10) for i in range(300000))
        texts = {
            "elements": "func.func @f() {\n  %c = arith.constant dense<[" + numbers + "]> : tensor<300000xi32>\n"
                        "  return\n}\n",
            "hex": 'func.func @f() {\n  %c = arith.constant dense<"0x' + "00" * 4000000 +
                   '"> : tensor<1000000xi32>\n  return\n}\n',
            "resource": "func.func @f() {\n  %c = arith.constant dense_resource<r> : tensor<1000000xi32>\n  return\n}\n"
                        '{-# dialect_resources: { builtin: { r: "0x04000000' + "00" * 4000000 + '" } } #-}\n'}
        for name, text in texts.items():
            with self.subTest(name):
                uri = f"file:///{name}.mlir"
                server.open(uri, text)
                self.assertFalse(DIED & {d.get("code") for d in self.diagnostics(server, uri, 1, 120)})
                begin = time.monotonic()
                hover = server.ask("textDocument/hover", self.at(uri, 1, 3))
                self.assertLess(len(json.dumps(hover)), 20000)
                self.assertLess(time.monotonic() - begin, 30)
                server.close(uri)
        self.assertEqual(server.end(), 0)

    def test_replies_are_bounded(self):
        server = self.start()
        many = ('func.func @f() {\n  %r:20000 = "builtin.unrealized_conversion_cast"() : () -> ('
                + ", ".join(["i32"] * 20000) + ")\n  return\n}\n")
        server.open("file:///results.mlir", many)
        self.diagnostics(server, "file:///results.mlir", 1)
        symbols = server.ask("textDocument/documentSymbol", {"textDocument": {"uri": "file:///results.mlir"}})
        self.assertLess(len(json.dumps(symbols)), 20000)
        wrong = "func.func @f() {\n" + "".join(f"  call @none{i}() : () -> ()\n" for i in range(20000)) + "  return\n}\n"
        server.open("file:///wrong.mlir", wrong)
        self.assertLessEqual(len(self.diagnostics(server, "file:///wrong.mlir", 1, 120)), 1000)
        self.assertEqual(server.end(), 0)

    def test_files_that_are_no_mlir(self):
        server = self.start()
        for name, text in [("binary", bytes(range(256)).decode("latin-1") * 2000), ("json", '{"a": [1, 2]}' * 1000),
                           ("python", "import os\nprint(os)\n" * 1000), ("latin", "// gr\u00fc\u00df\n" + FUNCTION % "f")]:
            with self.subTest(name):
                uri = f"file:///{name}.mlir"
                server.open(uri, text)
                found = self.diagnostics(server, uri, 1)
                self.assertFalse(DIED & {d.get("code") for d in found})
                self.assertEqual(bool(found), name != "latin", found[:2])
        self.assertEqual(server.end(), 0)


class Crashers(Editing):
    """Each of these brings upstream's parser, verifier or printer down, or keeps it busy for ever."""

    TEXTS = {
        "a value of a later region, then an error":
            'func.func @f(%c: i1) {\n  scf.if %c { "x.y"(%z) : (i32) -> () }\n'
            "  scf.if %c { %z = arith.constant 1 : i32\n    bogus\n",
        "contract": 'func.func @f(%t: vector<4xf32>, %f: f32) {\n  vector.contract {s=[""]} %t,%t,%f : '
                    "vector<4xf32>,vector<4xf32> into f32\n  return\n}\n",
        "sparse": '"a.b"() {l = sparse<[[18446744073709551616]],1> : tensor<2xi2>} : () -> ()\n',
        "attributions": '"gpu.func"() ({\n^bb0(%a: i32, %b: i32):\n  "gpu.return"() : () -> ()\n}) '
                        "{function_type = () -> (), sym_name = \"k\", workgroup_attributions = -1 : i64} : () -> ()\n",
        "omp.parallel": "omp.parallel {\n  omp.terminator\n}\n",
        "while": "func.func @f(%i: index) {\n  %x = arith.constant 1 : i1\n  %r = scf.while (%q = %y) : (index) -> index {\n"
                 "    scf.condition(%x) %q : index\n  } do {\n  ^bb0(%y: index):\n    scf.yield %y : index\n  }\n  return\n}\n",
        "affine.for": "func.func @f() {\n  %r = affine.for %i = 0 to 4 iter_args(%q = %c0) -> index {\n"
                      "    %c0 = arith.constant 0 : index\n    affine.yield %c0 : index\n  }\n  return\n}\n",
        "a module without a body": '"builtin.module"() ({}, { "a.b"() {x = @t} : () -> () }) : () -> ()\n',
        "array of i1": '"a.b"() {n = array<i1: 1>} : () -> ()\n',
        "vector.insert": "func.func @f(%c: f32, %A: vector<4xf32>) {\n"
                         "  %r = vector.insert %c, %A[9223372036854775808] : f32 into vector<4xf32>\n  return\n}\n",
        "spirv.func": 'spirv.func @a(i32) "None" { spirv.Return }\n',
        "terminators without a function": "affine.yield\nlinalg.yield\npdl.attribute\n",
        "generic regions": '"a.b"() ({' * 3000 + "}) : () -> ()" * 3000,
        "modules": "module {\n" * 6000 + "}\n" * 6000,
        "negations": "#m = affine_map<(d0) -> (" + "-" * 12000 + "d0)>\nfunc.func private @f()\n",
        "arrays": 'func.func @f() attributes {a = ' + "[" * 12000 + "]" * 12000 + "} { return }\n",
        "llvm arrays": "func.func private @f(" + "!llvm.array<2 x " * 12000 + "i32" + ">" * 12000 + ")\n",
        "tuples": "func.func private @f(" + "tuple<" * 60000 + ">" * 60000 + ")\n",
        "locations": "func.func private @f() loc(" + "callsite(" * 60000 + '"a" at "b")' + ' at "c")' * 59999 + ")\n",
        "alias chain": "!a0 = tuple<i1>\n" + "".join(f"!a{i} = tuple<!a{i - 1}>\n" for i in range(1, 20000))
                       + "func.func private @f(!a19999)\n",
        "doubling aliases": "!a0 = tuple<i32, i32>\n"
                            + "".join(f"!a{i} = tuple<!a{i - 1}, !a{i - 1}>\n" for i in range(1, 30))
                            + "func.func @f(%x: !a29) {\n  return\n}\n",
        "long sum": "#m = affine_map<(d0) -> (d0" + " + d0" * 120000 + ")>\nfunc.func private @f()\n",
        "nested dense": "func.func @f() {\n  %c = arith.constant dense<" + "[" * 100000 + "1" + "]" * 100000
                        + "> : tensor<1xi32>\n  return\n}\n",
        "a symbol of 100,000 parts": 'func.func @f() attributes {a = @a' + "::@b" * 100000 + "} { return }\n",
        "100,000 blocks": "func.func @f() {\n  cf.br ^b0\n"
                          + "".join(f"^b{i}:\n  cf.br ^b{i + 1}\n" for i in range(30000)) + "^b30000:\n  return\n}\n",
    }

    def test_none_costs_more_than_itself(self):
        server = self.start()
        good = "file:///good.mlir"
        server.open(good, FUNCTION % "f")
        self.diagnostics(server, good, 1)
        for number, (name, text) in enumerate(self.TEXTS.items()):
            with self.subTest(name):
                uri = f"file:///crasher{number}.mlir"
                server.open(uri, text)
                begin = time.monotonic()
                found = self.diagnostics(server, uri, 1, 120)
                # A death is told in the text that caused it, and names it.
                for each in found:
                    if each.get("code") in DIED:
                        self.assertIn(f"crasher{number}.mlir", each["message"])
                self.assertLess(time.monotonic() - begin, 60)
                for method in ("hover", "definition", "completion"):
                    response = server.respond(f"textDocument/{method}", self.at(uri, 1, 8), 90)
                    code = (response.get("error", {}).get("data") or {}).get("code")
                    if code in DIED:
                        self.assertIn(f"crasher{number}.mlir", response["error"]["message"])
                response = server.respond("tilewright/stages", {"uri": uri}, 120)
                self.assertTrue("error" in response or response["result"]["diagnostics"]
                                or response["result"]["complete"], response)
                server.close(uri)
                hover = server.ask("textDocument/hover", self.at(good, 1, 8))
                self.assertIn("tw.matmul", hover["contents"]["value"])
        self.assertEqual(server.end(), 0)


class News(Editing):
    """A client that asks for it is told when there is something new to show."""

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.uri = "file://" + os.path.join(self.folder, "n.mlir")

    def next(self, server, seconds=60):
        news = server.news.get(timeout=seconds)
        self.assertEqual((news["schema"], news["version"], news["uri"]), ("tilewright/changed", 1, self.uri))
        return news

    def test_each_kind(self):
        server = self.start(changes=True, compileDelay=0, target="cpu-generic")
        server.open(self.uri, FUNCTION % "f")
        news = self.next(server)  # nobody asked for it: the text was compiled by itself
        self.assertEqual((news["changed"], news["documentVersion"]), (["stages", "estimate"], 1))
        # What is no news is not told.
        server.ask("tilewright/stages", {"uri": self.uri})
        server.ask("tilewright/decisions", {"uri": self.uri})
        server.ask("tilewright/run", {"uri": self.uri, "record": True, "target": "cpu"})
        self.assertEqual(self.next(server)["changed"], ["run", "experiment"])
        server.ask("tilewright/pin", {"uri": self.uri, "key": "f/c", "kind": "buffers", "value": 1})
        told = [self.next(server)["changed"], self.next(server)]
        self.assertEqual(told[0], ["pins"])
        self.assertEqual(told[1]["changed"], ["stages", "estimate"])
        self.assertGreater(told[1]["generation"], news["generation"])
        self.edit(server, self.uri, 2, 0, 0, 0, "\n")
        self.assertEqual(self.next(server)["documentVersion"], 2)
        # A text with an error has no new stages.
        self.edit(server, self.uri, 3, 0, 0, 0, "x")
        self.diagnostics(server, self.uri, 3)
        time.sleep(1)
        self.assertTrue(server.news.empty())
        self.assertEqual(server.end(), 0)

    def test_a_client_that_did_not_ask_is_not_told(self):
        server = self.start(compileDelay=0, target="cpu-generic")
        server.open(self.uri, FUNCTION % "f")
        server.ask("tilewright/run", {"uri": self.uri})
        self.assertTrue(server.news.empty())


class Killed(Editing):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.path = os.path.join(self.folder, "k.mlir")
        text = "".join(FUNCTION % f"f{i}" for i in range(60))
        pathlib.Path(self.path).write_text(text)
        self.uri, self.text = "file://" + self.path, text

    def test_the_engine_while_it_compiles(self):
        server = self.start()
        server.open(self.uri, self.text)
        self.diagnostics(server, self.uri, 1)
        rng, failed, turn = random.Random(2), 0, 0
        begin = time.monotonic()
        server.ask("tilewright/stages", {"uri": self.uri})
        whole = time.monotonic() - begin
        # An engine that had not read the request, or had answered it, costs nothing: until two did.
        while turn < 6 or (failed < 2 and turn < 60):
            asked = server.request("tilewright/stages", {"uri": self.uri})
            time.sleep(rng.random() ** 3 * whole)  # warm compilations are much shorter
            for engine in started_by(server.process.pid):
                os.kill(engine, signal.SIGKILL)
            response = server.answer(asked)
            if "error" in response:
                failed += 1
                self.assertEqual(response["error"]["data"]["code"], "TW0601")
                self.assertIn("k.mlir", response["error"]["message"])
            # The next answer is there, of the text as it is now.
            self.edit(server, self.uri, 2 + turn, 0, 0, 0, "\n")
            self.assertIn("tw.matmul", server.ask("textDocument/hover", self.at(self.uri, 2 + turn, 8))["contents"]["value"])
            self.assertTrue(server.ask("tilewright/stages", {"uri": self.uri, "target": "cpu-generic"})["complete"])
            turn += 1
        self.assertGreater(failed, 1)
        self.assertEqual(server.end(), 0)

    def test_the_server_while_it_compiles(self):
        pins = pathlib.Path(self.path + ".pins.json")
        rng, engines = random.Random(3), []
        for turn in range(4):
            server = self.start()
            server.open(self.uri, self.text)
            self.diagnostics(server, self.uri, 1)
            server.request("tilewright/stages", {"uri": self.uri})
            # Pins are being written while it dies.
            for i in range(20):
                server.request("tilewright/pin", {"uri": self.uri, "key": f"f{i}/c", "kind": "buffers",
                                                  "value": 1 + turn % 2})
            time.sleep(0.05 + rng.random() * 0.6)
            engines += started_by(server.process.pid)
            server.process.send_signal(signal.SIGKILL)
            server.process.wait()
            if pins.exists():
                written = json.loads(pins.read_text())  # whole, whatever it holds
                self.assertEqual(written["schema"], "tilewright/pins")
            self.assertEqual(pathlib.Path(self.path).read_text(), self.text)
        # A new one has everything; nothing of the old ones is left running.
        server = self.start()
        server.open(self.uri, self.text)
        self.assertEqual(self.diagnostics(server, self.uri, 1), [])
        result = server.ask("tilewright/pins", {"uri": self.uri})
        if pins.exists():
            self.assertEqual(len(result["pins"]), len(json.loads(pins.read_text())["pins"]))
        end = time.monotonic() + 20
        while any(is_alive(pid) for pid in engines) and time.monotonic() < end:
            time.sleep(0.1)
        self.assertFalse([pid for pid in engines if is_alive(pid)])
        leftovers = [name for name in os.listdir(self.folder) if name not in ("k.mlir", "k.mlir.pins.json", ".tilewright")]
        self.assertLessEqual(len(leftovers), 4, leftovers)  # at most one unfinished file a death


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
