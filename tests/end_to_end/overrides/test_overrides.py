# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""IR of a person's own, and names that change, as a person and an editor use them.

usage: test_overrides.py TILEWRIGHT TILEWRIGHT_LSP TILEWRIGHT_ENGINE [TEST...]
"""
import json
import os
import pathlib
import random
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "drivers"))
from command_line import CommandLine  # noqa: E402
from language_server import LanguageServer  # noqa: E402

PROGRAM, SERVER, ENGINE = sys.argv[1:4]
SOURCE = """func.func @small(%x: tensor<64x96xf32>, %w: tensor<96x128xf32>) -> tensor<64x128xf32> {
  %h = tw.matmul %x, %w : (tensor<64x96xf32>, tensor<96x128xf32>) -> tensor<64x128xf32>
  %y = tw.silu %h : (tensor<64x128xf32>) -> tensor<64x128xf32>
  return %y : tensor<64x128xf32>
}
"""
TARGET = "cpu-generic"


class WithSource(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        os.environ["XDG_CACHE_HOME"] = str(self.folder / "cache")
        self.tilewright = CommandLine(PROGRAM, ENGINE)
        self.source = self.folder / "small.mlir"
        self.source.write_text(SOURCE)
        self.kept = self.folder / ".tilewright/overrides/small.mlir"

    def run_it(self, *words):
        return self.tilewright.run(*map(str, words), "--target", TARGET)

    def ok(self, *words):
        outcome = self.run_it(*words)
        self.assertEqual(outcome.code, 0, outcome)
        return outcome.out

    def shown(self, stage):
        return self.ok("show", self.source, "--stage", stage)

    def edit(self, stage, old, new, *more):
        text = self.shown(stage)
        self.assertIn(old, text)
        edited = self.folder / "edited.mlir"
        edited.write_text(text.replace(old, new))
        return self.run_it("override", "edit", self.source, stage, edited, *more)

    def states(self):
        listed = json.loads(self.ok("override", "list", self.source, "--json"))
        return {each["name"]: each for each in listed["overrides"]}


class Overrides(WithSource):
    # The same function: x + 1 and 1 + x.
    SWAP = ("tw.add %y.exp, %y.one : (tensor<64x32xf32>, tensor<f32>)",
            "tw.add %y.one, %y.exp : (tensor<f32>, tensor<64x32xf32>)")

    def test_edit_use_and_drop(self):
        plain = self.shown("block")
        outcome = self.edit("tile/place-tiles", *self.SWAP, "--note", "the other way round")
        self.assertEqual(outcome.code, 0, outcome)
        name = "tile-place-tiles--small.h--cpu-generic"
        self.assertEqual(outcome.out, f"{name} is in force: @small.h behind tile/place-tiles\n")
        self.assertEqual([path.name for path in self.kept.iterdir()], [name + ".json"])
        self.assertIn("the other way round", self.ok("override", "list", self.source))
        self.assertIn("tile/place-tiles is followed by what a person wrote: " + name, self.ok("stages", self.source))
        # Every command has it.
        self.assertIn(self.SWAP[1], self.shown("tile"))
        self.assertNotEqual(self.shown("block"), plain)
        self.assertIn("passed", self.ok("run", self.source, "--check"))
        self.assertIn("every stage computes what the source says", self.ok("verify", self.source))
        self.assertIn("(overridden)", self.ok("explain", self.source, "small/h"))
        self.assertIn("a person wrote", self.ok("estimate", self.source, "small/h"))
        self.assertIn(self.SWAP[1], self.ok("override", "list", self.source, name))
        self.assertEqual(self.ok("override", "drop", self.source, name), name + " taken away\n")
        self.assertFalse(self.kept.exists())
        self.assertEqual(self.shown("block"), plain)

    def test_verify_finds_one_that_computes_something_else(self):
        for stage, old, new in (("tensor/decompose-composites", "tw.neg %h", "tw.abs %h"),
                                ("tile/place-tiles", "tw.neg %h_1", "tw.abs %h_1"),
                                ("block/outline-kernels", "<neg>", "<abs>")):
            with self.subTest(stage):
                outcome = self.edit(stage, old, new)
                self.assertEqual(outcome.code, 0, outcome)
                name = outcome.out.split()[0]
                outcome = self.run_it("verify", self.source)
                self.assertEqual(outcome.code, 1, outcome)
                self.assertIn("wrong since " + stage, outcome.out)
                self.assertIn(f"a person wrote IR there ({name})", outcome.err)
                self.ok("override", "drop", self.source, name)

    def test_a_conflict_is_told_on_the_source_line_and_put_together(self):
        self.assertEqual(self.edit("tile/place-tiles", *self.SWAP).code, 0)
        name, = self.states()
        before = (self.kept / (name + ".json")).read_text()
        self.source.write_text(SOURCE.replace("silu", "gelu"))
        outcome = self.run_it("run", self.source, "--check")
        self.assertEqual(outcome.code, 0, outcome)
        self.assertRegex(outcome.err, r"small\.mlir:[23]:3: warning: .*\[TW0240\]")
        listed = self.ok("override", "list", self.source)
        self.assertIn("+    %y.divisor = tw.add %y.one, %y.exp", listed)
        self.assertIn("tw.erf", listed)
        outcome = self.run_it("override", "apply", self.source, name)
        self.assertEqual(outcome.code, 1, outcome)
        self.assertIn("[TW0240]", outcome.err)
        self.assertEqual((self.kept / (name + ".json")).read_text(), before)
        # A change of other lines is put together with it.
        self.source.write_text(SOURCE.replace("  return %y", "  %z = tw.neg %y : (tensor<64x128xf32>) -> "
                                              "tensor<64x128xf32>\n  return %z"))
        self.assertEqual(self.states()[name]["state"], "conflicting")
        self.assertIn("is in force", self.ok("override", "apply", self.source, name))
        self.assertIn(self.SWAP[1], self.shown("tile"))
        self.assertIn("every stage computes what the source says", self.ok("verify", self.source))

    def test_what_is_wrong_is_told_and_the_compilation_goes_on(self):
        self.assertEqual(self.edit("tile/place-tiles", *self.SWAP).code, 0)
        name, = self.states()
        path = self.kept / (name + ".json")
        good = path.read_text()
        for bad, state, code in ((b"", "unreadable", "TW0242"), (b"\xff\x00", "unreadable", "TW0242"),
                                 (b"[" * 100000, "unreadable", "TW0242"), (b"{}", "unreadable", "TW0242"),
                                 (b'{"stage": 3}', "unreadable", "TW0242"),
                                 (good.replace("tw.add %y.one", "tw.dda %y.one").encode(), "refused", "TW0243"),
                                 (good.replace('"stage": "tile/', '"stage": "tlie/').encode(), "stale", "TW0241"),
                                 (good.replace('"part": "small.h"', '"part": "none"').encode(), "stale", "TW0241")):
            with self.subTest(bad[:60]):
                path.write_bytes(bad)
                outcome = self.run_it("run", self.source, "--check")
                self.assertEqual(outcome.code, 0, outcome)
                self.assertIn(f"[{code}]", outcome.err)
                self.assertEqual(self.states()[name]["state"], state)
        path.unlink()
        path.mkdir()
        self.assertEqual(self.states()[name]["code"], "TW0242")
        path.rmdir()
        path.write_text(good.replace('"part":', '"mine": [1], "part":'))
        self.assertEqual(self.states()[name]["state"], "in force")

    def test_refusals(self):
        edited = self.folder / "edited.mlir"
        edited.write_text(self.shown("tile").replace("tw.neg %h_1", "tw.nge %h_1"))
        outcome = self.run_it("override", "edit", self.source, "tile", edited)
        self.assertEqual(outcome.code, 1, outcome)
        self.assertRegex(outcome.err, r"edited\.mlir:\d+:\d+: error: unknown operation 'tw\.nge' \[TW0020\]")
        self.assertFalse(self.kept.exists())
        for words, code, says in ((("edit", self.source, "tensor/source", edited), 1, "[TW0246]"),
                                  (("edit", self.source, "tile"), 2, "[TW0700]"),
                                  (("edit", self.source, "tile", self.folder / "none"), 2, "[TW0701]"),
                                  (("drop", self.source, "none"), 1, "[TW0249]"),
                                  (("apply", self.source), 2, "[TW0700]"),
                                  (("list", self.source, "none"), 1, "[TW0249]")):
            with self.subTest(words[:2]):
                outcome = self.run_it("override", *words)
                self.assertEqual(outcome.code, code, outcome)
                self.assertIn(says, outcome.err)

    def test_no_text_ends_the_front(self):
        self.assertEqual(self.edit("tile/place-tiles", *self.SWAP).code, 0)
        name, = self.states()
        path = self.kept / (name + ".json")
        good = json.loads(path.read_text())
        server = LanguageServer(SERVER, ENGINE, options={"target": TARGET, "compileDelay": -1})
        self.addCleanup(server.kill)
        uri = self.source.as_uri()
        server.open(uri, SOURCE)
        generator = random.Random(5)
        signs = '{}()<>[]%@#"=:,-0x \\'
        for _ in range(40):
            bad = dict(good)
            lines = list(good["text"])
            for _ in range(generator.randrange(1, 4)):
                at = generator.randrange(len(lines))
                line = lines[at]
                place = generator.randrange(len(line) + 1)
                lines[at] = line[:place] + generator.choice(signs) * generator.randrange(1, 4) + line[place + 2:]
            bad["text"] = lines
            path.write_text(json.dumps(bad))
            table = server.ask("tilewright/stages", {"uri": uri})
            self.assertTrue(table["complete"], lines)
        path.write_text(json.dumps(good))
        states = server.ask("tilewright/override", {"uri": uri})
        self.assertEqual(states["overrides"][0]["state"], "in force")
        self.assertEqual(server.end(), 0)


def applied(text, edits):
    """`text` of ASCII after LSP edits."""
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)

    def offset(position):
        return starts[position["line"]] + position["character"]
    for edit in sorted(edits, key=lambda each: -offset(each["range"]["start"])):
        text = text[:offset(edit["range"]["start"])] + edit["newText"] + text[offset(edit["range"]["end"]):]
    return text


class Rename(WithSource):
    PINS = """{
  // mine
  "schema": "tilewright/pins", "version": 1,
  "pins": [
    {"key": "small/h", "kind": "tile", "value": {"cache2": {"m": 24, "n": 64, "k": 48}}, "since": 2024},
    {"key": "small/y", "kind": "scope", "value": {"apart": ["small/h"]}},
    {"key": "*/h", "kind": "merge", "value": 2}
  ]
}
"""

    def setUp(self):
        super().setUp()
        self.pins = self.folder / "small.mlir.pins.json"
        self.server = None

    def serve(self, capabilities):
        server = LanguageServer(SERVER, ENGINE, initialize=False)
        self.addCleanup(server.kill)
        about = server.ask("initialize", {"processId": None, "rootUri": None, "capabilities": capabilities,
                                          "initializationOptions": {"tilewright": {"target": TARGET}}})
        self.assertTrue(about["capabilities"]["renameProvider"]["prepareProvider"])
        server.notify("initialized", {})
        server.open(self.source.as_uri(), SOURCE, version=4)
        return server

    def ask(self, server, name, line=1, character=3):
        return server.ask("textDocument/rename", {"textDocument": {"uri": self.source.as_uri()}, "newName": name,
                                                  "position": {"line": line, "character": character}})

    def test_source_pins_and_overrides_in_one_edit(self):
        self.assertEqual(self.edit("tile/place-tiles", *Overrides.SWAP).code, 0)
        name, = self.states()
        self.pins.write_text(self.PINS.replace('{"key": "small/y"', '{"key": "none/y"'))
        kept = self.kept / (name + ".json")
        server = self.serve({"workspace": {"workspaceEdit": {"documentChanges": True}}})
        edit = self.ask(server, "hidden")
        self.assertNotIn("changes", edit)
        texts = {self.source.as_uri(): SOURCE, self.pins.as_uri(): self.pins.read_text(),
                 kept.as_uri(): kept.read_text()}
        versions = {each["textDocument"]["uri"]: each["textDocument"]["version"] for each in edit["documentChanges"]}
        self.assertEqual(versions, {self.source.as_uri(): 4, self.pins.as_uri(): None, kept.as_uri(): None})
        for each in edit["documentChanges"]:
            uri = each["textDocument"]["uri"]
            texts[uri] = applied(texts[uri], each["edits"])
        source = texts[self.source.as_uri()]
        self.assertEqual(source, SOURCE.replace("%h", "%hidden"))
        pins = texts[self.pins.as_uri()]
        self.assertIn("// mine", pins)
        self.assertIn('"key": "small/hidden", "kind": "tile"', pins)
        self.assertIn('"since": 2024', pins)
        self.assertIn('"apart": ["small/hidden"]', pins)
        # The glob matches it no more.
        self.assertIn('"key": "*/h"', pins)
        bare = json.loads("\n".join(line for line in pins.split("\n") if "//" not in line))
        self.assertIn(("small/hidden", "merge", 2), [(each["key"], each["kind"], each["value"])
                                                     for each in bare["pins"]])
        self.source.write_text(source)
        kept.write_text(texts[kept.as_uri()])
        self.assertEqual(self.states()[name]["state"], "in force")
        self.assertEqual(self.states()[name]["part"], "small.hidden")
        self.pins.write_text(pins)
        states = json.loads(self.ok("pins", self.source, "--json"))["pins"]
        self.assertNotIn("orphaned", [each["state"] for each in states if each["pin"]["key"] == "small/hidden"])
        self.assertEqual(server.end(), 0)

    def test_a_function_takes_all_its_pins_along(self):
        self.pins.write_text(self.PINS.replace('"*/h"', '"small/*"'))
        server = self.serve({})
        edit = self.ask(server, "large", line=0, character=12)["changes"]
        self.assertEqual(applied(SOURCE, edit[self.source.as_uri()]), SOURCE.replace("@small", "@large"))
        pins = applied(self.pins.read_text(), edit[self.pins.as_uri()])
        self.assertEqual(pins, self.pins.read_text().replace("small/", "large/"))
        self.assertEqual(server.end(), 0)

    def test_what_cannot_be(self):
        server = self.serve({})
        where = {"textDocument": {"uri": self.source.as_uri()}, "position": {"line": 1, "character": 3}}
        self.assertEqual(server.ask("textDocument/prepareRename", where), {
            "range": {"start": {"line": 1, "character": 2}, "end": {"line": 1, "character": 4}}, "placeholder": "h"})
        for name, code in (("12", "TW0616"), ("a b", "TW0616"), ("x", "TW0617"), ("y", "TW0617"), ("", "TW0606")):
            with self.subTest(name):
                response = server.respond("textDocument/rename", dict(where, newName=name))
                self.assertEqual(response["error"]["data"]["code"], code)
        response = server.respond("textDocument/rename", dict(where, newName="z", position={"line": 1, "character": 9}))
        self.assertEqual(response["error"]["data"]["code"], "TW0615")
        self.assertFalse(self.pins.exists())
        self.assertEqual(server.end(), 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
