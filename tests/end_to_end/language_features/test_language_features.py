#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What editors ask of a text, over standard input and output with the real engine: of sources right and broken, and of
stages.

usage: test_language_features.py TILEWRIGHT_LSP TILEWRIGHT_ENGINE SCHEMA_CHECK SCHEMAS [TEST...]
"""
import json
import os
import subprocess
import sys
import time
import unittest
import urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "drivers"))
from language_server import LanguageServer  # noqa: E402

SERVER, ENGINE, CHECK, SCHEMAS = sys.argv[1:5]

URI = "file:///features/one.mlir"
TEXT = """// Two functions,
// and what they share.
#id = affine_map<(d0) -> (d0)>
#other = affine_map<(d0) -> (d0)>
func.func @norm(%x: tensor<4x8xf32>, %s: tensor<8xf32>) -> tensor<4x8xf32> {
  %y = tw.mul %x, %s : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
func.func @main(%x: tensor<4x8xf32>,
                %s: tensor<8xf32>) -> tensor<4x8xf32> {
  %y = func.call @norm(%x, %s) : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %z = func.call @norm(%y, %s) : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %p = tw.softmax %z {axis = -1} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %p : tensor<4x8xf32>
}
"""
# Of one function that is compiled to the end.
STAGED = """func.func @main(%x: tensor<4x8xf32>, %s: tensor<8xf32>) -> tensor<4x8xf32> {
  %p = tw.mul %x, %s : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %q = tw.softmax %p {axis = -1} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %q : tensor<4x8xf32>
}
"""
# What asks with a position, and with what besides.
AT = {"textDocument/hover": {}, "textDocument/definition": {}, "textDocument/declaration": {},
      "textDocument/implementation": {},
      "textDocument/references": {"context": {"includeDeclaration": True}},
      "textDocument/documentHighlight": {}, "textDocument/signatureHelp": {}, "textDocument/completion": {},
      "textDocument/prepareCallHierarchy": {}, "textDocument/prepareRename": {}}
RANGE = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
# What asks about a whole document.
OF = {"textDocument/documentSymbol": {}, "textDocument/foldingRange": {}, "textDocument/semanticTokens/full": {},
      "textDocument/semanticTokens/range": {"range": RANGE},
      "textDocument/formatting": {"options": {"tabSize": 2, "insertSpaces": True}},
      "textDocument/rangeFormatting": {"options": {"tabSize": 2, "insertSpaces": True}, "range": RANGE},
      "textDocument/selectionRange": {"positions": [{"line": 0, "character": 0}]},
      "textDocument/codeLens": {}, "textDocument/inlayHint": {"range": RANGE}}


class Session(unittest.TestCase):
    encoding = "utf-16"
    locale = "en"

    def setUp(self):
        self.server = LanguageServer(SERVER, ENGINE, initialize=False)
        self.addCleanup(self.server.kill)
        self.capabilities = self.server.ask("initialize", {
            "processId": None, "rootUri": None, "locale": self.locale, "capabilities": {
                "general": {"positionEncodings": [self.encoding]},
                "textDocument": {"signatureHelp": {"signatureInformation": {
                    "parameterInformation": {"labelOffsetSupport": True}}}}},
            "initializationOptions": {"tilewright": {"target": "cpu-generic"}}})["capabilities"]
        self.server.notify("initialized", {})

    def open(self, text, uri=URI):
        self.texts = getattr(self, "texts", {})
        self.texts[uri] = text
        self.version = getattr(self, "version", 0) + 1
        self.server.open(uri, text, self.version)

    def place(self, word, n=0, inside=0, uri=URI):
        """The position of the n-th `word` of the text, and so many characters on."""
        text, at = self.texts[uri], -1
        for _ in range(n + 1):
            at = text.index(word, at + 1)
        before = text[:at + inside]
        line = before.count("\n")
        return {"line": line, "character": self.units(before[before.rfind("\n") + 1:])}

    def units(self, text):
        return len(text.encode(self.encoding.replace("-16", "-16-le").replace("-32", "-32-le"))) // \
            {"utf-8": 1, "utf-16": 2, "utf-32": 4}[self.encoding]

    def ask(self, method, position=None, uri=URI, **more):
        params = {"textDocument": {"uri": uri}, **more}
        if position is not None:
            params["position"] = position
        return self.server.ask("textDocument/" + method, params)

    def word(self, where, uri=URI):
        """The text of a range."""
        lines = self.texts[uri].splitlines(keepends=True)
        start, end = where["start"], where["end"]
        coded = [line.encode({"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}[self.encoding])
                 for line in lines] + [b""]
        size = {"utf-8": 1, "utf-16": 2, "utf-32": 4}[self.encoding]
        if start["line"] == end["line"]:
            piece = coded[start["line"]][start["character"] * size:end["character"] * size]
        else:
            piece = coded[start["line"]][start["character"] * size:] + \
                b"".join(coded[start["line"] + 1:end["line"]]) + coded[end["line"]][:end["character"] * size]
        return piece.decode({"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}[self.encoding])

    def apply(self, edits, uri=URI):
        lines = self.texts[uri].split("\n")
        starts = [0]
        for line in lines:
            starts.append(starts[-1] + len(line) + 1)
        text = self.texts[uri]
        for edit in sorted(edits, key=lambda e: (e["range"]["start"]["line"], e["range"]["start"]["character"]),
                           reverse=True):
            begin = starts[edit["range"]["start"]["line"]] + edit["range"]["start"]["character"]
            end = starts[edit["range"]["end"]["line"]] + edit["range"]["end"]["character"]
            text = text[:begin] + edit["newText"] + text[end:]
        return text


class Names(Session):
    def test_uses_of_a_value_stay_in_its_function(self):
        self.open(TEXT)
        found = self.ask("references", self.place("%s"), context={"includeDeclaration": True})
        self.assertEqual([(r["range"]["start"]["line"], self.word(r["range"])) for r in found], [(4, "%s"), (5, "%s")])
        found = self.ask("references", self.place("%s"), context={"includeDeclaration": False})
        self.assertEqual([r["range"]["start"]["line"] for r in found], [5])

    def test_uses_of_a_function_are_everywhere(self):
        self.open(TEXT)
        for n in range(3):
            found = self.ask("references", self.place("@norm", n, 1), context={"includeDeclaration": True})
            self.assertEqual([r["range"]["start"]["line"] for r in found], [4, 10, 11])

    def test_highlights_tell_writing_from_reading(self):
        self.open(TEXT)
        found = self.ask("documentHighlight", self.place("%y", 2, 1))
        self.assertEqual([(h["range"]["start"]["line"], h["kind"]) for h in found], [(10, 3), (11, 2)])
        self.assertEqual(self.ask("documentHighlight", self.place("axis")), [])

    def test_definitions_lead_across_functions(self):
        self.open(TEXT)
        found = self.ask("definition", self.place("@norm", 2, 2))
        self.assertEqual([self.word(p["range"]) for p in found], ["@norm"])
        self.assertEqual(found[0]["range"]["start"]["line"], 4)
        self.assertEqual(found, self.ask("declaration", self.place("@norm", 2, 2)))

    def test_a_shadowed_name_is_renamed_where_it_is_meant(self):
        self.open("func.func @f(%p: i1, %n: index) -> index {\n"
                  "  %k = scf.if %p -> (index) {\n"
                  "    %t = arith.addi %n, %n : index\n"
                  "    scf.yield %t : index\n"
                  "  } else {\n"
                  "    %t = arith.muli %n, %n : index\n"
                  "    scf.yield %t : index\n"
                  "  }\n"
                  "  return %k : index\n}\n")
        for n, lines in ((0, [2, 3]), (1, [2, 3]), (2, [5, 6]), (3, [5, 6])):
            edits = self.ask("rename", self.place("%t", n, 1), newName="sum")["changes"][URI]
            self.assertEqual([e["range"]["start"]["line"] for e in edits], lines)
            self.assertEqual({self.word(e["range"]) for e in edits}, {"%t"})
        response = self.server.respond("textDocument/rename", {
            "textDocument": {"uri": URI}, "position": self.place("%t", 2, 1), "newName": "n"})
        self.assertEqual(response["error"]["data"]["code"], "TW0617")

    def test_a_broken_line_keeps_its_names(self):
        self.open(TEXT.replace("  return %p", "  %q = tw.add %z, %p :\n  return %p"))
        found = self.ask("references", self.place("%z", 2, 1), context={"includeDeclaration": True})
        self.assertEqual([r["range"]["start"]["line"] for r in found], [11, 12, 13])
        self.assertEqual([p["range"]["start"]["line"] for p in self.ask("definition", self.place("%z", 2))], [11])
        self.assertIn("tensor<4x8xf32>", self.ask("hover", self.place("%p", 1, 1))["contents"]["value"])
        # The function with the broken line is still found.
        self.assertEqual(len(self.ask("references", self.place("@norm"), context={"includeDeclaration": True})), 3)

    def test_a_function_left_open_costs_no_other(self):
        self.open(TEXT.replace("  return %y : tensor<4x8xf32>\n}\n", "  return %y : tensor<4x8xf32>\n", 1))
        self.assertEqual([p["range"]["start"]["line"] for p in self.ask("definition", self.place("@norm", 1, 1))], [4])
        found = self.ask("references", self.place("%y", 2), context={"includeDeclaration": True})
        self.assertEqual([r["range"]["start"]["line"] for r in found], [9, 10])


class Utf16(Session):
    def test_columns_behind_other_letters(self):
        text = ("func.func @f(%arg0: i32) -> i32 {\n"
                '  %1 = "t.x"() {s = "日本語😀"} : () -> i32 %2 = arith.addi %1, %arg0 : i32\n'
                "  return %2 : i32\n}\n")
        for ends in ("\n", "\r\n"):
            self.open(text.replace("\n", ends))
            for word, n, line in (("%arg0", 1, 0), ("%1", 1, 1), ("%2", 1, 1)):
                found = self.ask("definition", self.place(word, n, 1))
                self.assertEqual([(p["range"]["start"]["line"], self.word(p["range"])) for p in found], [(line, word)])
            found = self.ask("references", self.place("%arg0"), context={"includeDeclaration": True})
            self.assertEqual([self.word(r["range"]) for r in found], ["%arg0", "%arg0"])
            self.assertEqual(found[1]["range"]["start"], self.place("%arg0", 1))
            chain = self.ask("selectionRange", positions=[self.place("%arg0", 1, 1)])[0]
            self.assertEqual(self.word(chain["range"]), "%arg0")
            # Only what has no errors is renamed.
            self.open(self.texts[URI].replace('"t.x"() {s = "日本語😀"} : () -> i32', 'arith.constant {s = "日本語😀"} 1 : i32'))
            renamed = self.server.ask("textDocument/rename", {
                "textDocument": {"uri": URI}, "position": self.place("%arg0", 1, 1), "newName": "%n"})
            edits = renamed["changes"][URI]
            self.assertEqual([self.word(e["range"]) for e in edits], ["%arg0", "%arg0"])


class Utf8(Utf16):
    encoding = "utf-8"


class Utf32(Utf16):
    encoding = "utf-32"


class Structure(Session):
    def folds(self):
        return [(f["startLine"], f["endLine"], f.get("kind")) for f in self.ask("foldingRange")]

    def test_what_folds(self):
        self.open(TEXT)
        self.assertEqual(self.folds(), [(0, 1, "comment"), (2, 3, "imports"), (4, 6, None), (8, 9, None), (9, 13, None)])

    def test_what_folds_beside_a_bracket_left_open(self):
        self.open(TEXT.replace("{axis", "{{axis"))
        self.assertIn((4, 6, None), self.folds())
        self.open("")
        self.assertEqual(self.folds(), [])

    def test_selection_grows(self):
        self.open(TEXT)
        chain, words = self.ask("selectionRange", positions=[self.place("%s", 3, 1)])[0], []
        while chain:
            words.append(self.word(chain["range"]))
            chain = chain.get("parent")
        lines = TEXT.splitlines()
        self.assertEqual(words[0], "%s")
        self.assertIn("%x, %s", words)
        self.assertIn(lines[10].strip(), words)
        self.assertIn("\n".join(lines[10:14]).strip(), words)
        self.assertEqual(words[-2], "\n".join(lines[8:15]))
        self.assertEqual(words[-1], TEXT)
        sizes = [len(word) for word in words]
        self.assertEqual(sizes, sorted(set(sizes)))
        # In a type, and of several places at once.
        chains = self.ask("selectionRange", positions=[self.place("4x8xf32", 0, 4), self.place("affine_map")])
        self.assertEqual(len(chains), 2)
        words, chain = [], chains[0]
        while chain:
            words.append(self.word(chain["range"]))
            chain = chain.get("parent")
        self.assertIn("tensor<4x8xf32>", words)
        self.assertIn("%x: tensor<4x8xf32>", words)

    def test_calls(self):
        self.open(TEXT)
        item = self.ask("prepareCallHierarchy", self.place("@norm", 1, 1))[0]
        self.assertEqual((item["name"], item["detail"], self.word(item["selectionRange"])),
                         ("norm", "func.func", "@norm"))
        callers = self.server.ask("callHierarchy/incomingCalls", {"item": item})
        self.assertEqual([(c["from"]["name"], [r["start"]["line"] for r in c["fromRanges"]]) for c in callers],
                         [("main", [10, 11])])
        self.assertEqual(self.server.ask("callHierarchy/outgoingCalls", {"item": item}), [])
        main = callers[0]["from"]
        callees = self.server.ask("callHierarchy/outgoingCalls", {"item": main})
        self.assertEqual([(c["to"]["name"], len(c["fromRanges"])) for c in callees], [("norm", 2)])
        self.assertEqual(self.server.ask("callHierarchy/incomingCalls", {"item": main}), [])
        # From inside a function it is that function.
        self.assertEqual(self.ask("prepareCallHierarchy", self.place("axis"))[0]["name"], "main")
        # An item whose place has become something else has no calls.
        item["name"] = "gone"
        self.assertEqual(self.server.ask("callHierarchy/incomingCalls", {"item": item}), [])


class Signatures(Session):
    def help(self, statement):
        """With the cursor at `|`."""
        text = TEXT.replace("  return %p", "  " + statement + "\n  return %p")
        self.open(text.replace("|", "", 1))
        before = text[:text.index("|")]
        found = self.ask("signatureHelp", {"line": before.count("\n"), "character": len(before) - before.rfind("\n") - 1})
        if found is None:
            return None
        signature, active = found["signatures"][0], found["activeParameter"]
        parameters = [signature["label"][slice(*p["label"])] for p in signature["parameters"]]
        return signature, parameters[active] if active < len(parameters) else None

    def test_an_operation_names_its_operands(self):
        signature, active = self.help("%q = tw.matmul %z, |")
        self.assertEqual(signature["label"], "tw.matmul lhs, rhs [acc acc] {attributes} : (types) -> types")
        self.assertEqual(active, "rhs")
        self.assertIn("%z: tensor<4x8xf32>", signature["documentation"]["value"])
        self.assertEqual(self.help("%q = tw.matmul |")[1], "lhs")
        self.assertEqual(self.help("%q = tw.matmul %z, %p acc |")[1], "acc")
        self.assertEqual(self.help("%q = arith.cmpi slt, %z, |")[1], "rhs")
        # Behind the colon come types: of what was written.
        signature, active = self.help("%q = tw.add %z, %p : |")
        self.assertIsNone(active)
        self.assertIn("(tensor<4x8xf32>, tensor<4x8xf32>)", signature["documentation"]["value"])

    def test_a_call_names_arguments(self):
        signature, active = self.help("%q = func.call @norm(%z, |")
        self.assertEqual(signature["label"],
                         "@norm(%x: tensor<4x8xf32>, %s: tensor<8xf32>) -> tensor<4x8xf32>")
        self.assertEqual(active, "%s: tensor<8xf32>")
        self.assertEqual(self.help("%q = func.call @norm(|)")[1], "%x: tensor<4x8xf32>")

    def test_where_nothing_is_begun_there_is_none(self):
        for statement in ("|", "// tw.matmul %z, |", '%q = tw.none "tw.matmul |', "%q = nothing.known %z, |", "%q = |"):
            with self.subTest(statement):
                self.assertIsNone(self.help(statement))


class Completion(Session):
    """`|` is where it is asked for."""

    def labels(self, line):
        text = TEXT.replace("  return %p", line.replace("|", "") + "\n  return %p")
        self.open(text)
        at = {"line": text[:text.index(line.split("|")[0])].count("\n"), "character": line.index("|")}
        found = self.ask("completion", at)
        return [item["label"] for item in (found["items"] if found else [])]

    def test_types_stand_behind_colons(self):
        built_in = self.labels("  %t = arith.addf %p, %p : |")
        for name in ("tensor", "memref", "vector", "f32", "index"):
            self.assertIn(name, built_in)
        self.assertEqual(self.labels('  %t = "a.b"(%p) : (!llvm.p|'), ["!llvm.ptr"])
        # Behind sizes stands an element.
        self.assertIn("bf16", self.labels("  %t = tw.silu %p : (tensor<4x8x|"))
        self.assertNotIn("tensor", self.labels("  %t = tw.silu %p : (tensor<4x8x|"))

    def test_attributes_stand_in_braces_with_their_values(self):
        self.assertEqual(self.labels("  %t = tw.reduce %p {kind = m|"), ["mean", "max", "min"])
        self.assertIn("axes", self.labels("  %t = tw.reduce %p {kind = sum, |"))
        self.assertNotIn("kind", self.labels("  %t = tw.reduce %p {kind = sum, |"))
        self.assertEqual(self.labels("  %t = arith.addf %p, %p fastmath<n|"), ["none", "nnan", "ninf", "nsz"])
        self.assertEqual(self.labels("  %t = tw.softmax %p {note = #tile.|"), ["#tile.layout"])


class Formatting(Session):
    OPTIONS = {"tabSize": 2, "insertSpaces": True}
    WILD = """

   // Before.
func.func   @f(%x : tensor<4x8xf32>,
               %y: tensor<4x8xf32>)->tensor<4x8xf32>{
%a=tw.add %x ,%y:(tensor<4x8xf32>,tensor<4x8xf32>)->tensor<4x8xf32>   // behind


        // Its own.
      %b = tw.softmax %a   {axis=-1}
         : (tensor<4x8xf32>) -> tensor<4x8xf32> %c = tw.neg %b : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %c : tensor<4x8xf32> }
"""
    TAME = """// Before.
func.func @f(%x : tensor<4x8xf32>,
               %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %a = tw.add %x, %y:(tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>   // behind

  // Its own.
  %b = tw.softmax %a {axis = -1}
     : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %c = tw.neg %b : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %c : tensor<4x8xf32>
}
"""

    def formatted(self, text, **options):
        self.open(text)
        return self.apply(self.ask("formatting", options={**self.OPTIONS, **options}))

    def test_a_text_is_laid_out(self):
        self.assertEqual(self.formatted(self.WILD), self.TAME)
        self.assertEqual(self.formatted(self.TAME), self.TAME)
        self.assertEqual(self.ask("formatting", options=self.OPTIONS), [])
        self.assertIn("\n\t%a", self.formatted(self.WILD, tabSize=4, insertSpaces=False))
        self.assertIn("\n    %a", self.formatted(self.WILD, tabSize=4))
        self.assertEqual(self.formatted(self.WILD.replace("\n", "\r\n")), self.TAME.replace("\n", "\r\n"))

    def test_a_range_gets_no_edits_outside(self):
        self.open(self.WILD)
        line = self.place("%a=")["line"]
        edits = self.ask("rangeFormatting", options=self.OPTIONS, range={
            "start": {"line": line, "character": 0}, "end": {"line": line, "character": 5}})
        self.assertTrue(edits)
        for edit in edits:
            self.assertLessEqual(edit["range"]["start"]["line"], line + 1)
            self.assertGreaterEqual(edit["range"]["end"]["line"], line)

    def test_a_broken_function_keeps_its_lines(self):
        text = self.formatted(self.WILD.replace("%a=tw.add", "%a=tw.ad"))
        self.assertIn("\n  %a = tw.ad %x, %y", text)
        self.assertEqual(self.formatted(text), text)

    def test_what_cannot_be_laid_out_stays(self):
        for text in (self.WILD.replace("->tensor<4x8xf32>{", "->tensor<4x8xf32>{ ("), "func.func @f( {\n   \"open\n", "",
                     "\n"):
            with self.subTest(text):
                done = self.formatted(text)
                self.assertEqual(done.split(), text.split())
                self.assertEqual(self.formatted(done), done)


class Stages(Session):
    """A stage is a text like any other, whether the client has opened it or not."""

    def stage(self, name, opened=False):
        self.open(STAGED)
        uri = f"tilewright:/{name}?source={urllib.parse.quote(URI, safe='')}"
        text = self.server.ask("workspace/textDocumentContent", {"uri": uri})["text"]
        self.texts[uri] = text
        if opened:
            self.server.open(uri, text)
        return uri

    def check(self, uri):
        text = self.texts[uri]
        definition = self.ask("definition", self.place("%p", 1, 1, uri), uri)
        self.assertEqual([(p["uri"], p["range"]["start"]) for p in definition], [(uri, self.place("%p", 0, 0, uri))])
        places = self.ask("references", self.place("%p", 0, 1, uri), uri, context={"includeDeclaration": True})
        self.assertGreaterEqual(len(places), 2)
        self.assertEqual({self.word(p["range"], uri) for p in places}, {"%p"})
        kinds = [h["kind"] for h in self.ask("documentHighlight", self.place("%p", 0, 1, uri), uri)]
        self.assertEqual(kinds[0], 3)
        # From what is defined here on to the source.
        for method in ("definition", "declaration"):
            source = self.ask(method, self.place("%p", 0, 1, uri), uri)
            self.assertEqual([p["uri"] for p in source], [URI])
            self.assertIn("tw.mul", self.word(source[0]["range"]))
        hover = self.ask("hover", self.place("%p", 0, 1, uri), uri)["contents"]["value"]
        self.assertIn("tensor<", hover)
        self.assertIn("`main/p`", hover)
        self.assertNotIn("\nkey `", hover)
        symbols = self.ask("documentSymbol", uri=uri)
        self.assertTrue(any(c["name"] == "%p" for s in symbols for c in [s, *s["children"]]), symbols)
        self.assertTrue(self.ask("foldingRange", uri=uri))
        self.assertTrue(self.ask("semanticTokens/full", uri=uri)["data"])
        chain = self.ask("selectionRange", uri=uri, positions=[self.place("%p", 0, 1, uri)])[0]
        self.assertEqual(self.word(chain["range"], uri), "%p")
        for method in ("formatting", "completion"):
            self.assertIsNone(self.ask(method, {"line": 0, "character": 0}, uri, options={"tabSize": 2}))

    def test_a_stage_that_is_not_open(self):
        self.check(self.stage("tensor"))

    def test_a_stage_that_is_open(self):
        self.check(self.stage("tensor", opened=True))

    def test_a_stage_is_asked_about_before_while_and_after_it_is_open(self):
        uri = self.stage("tensor")
        for _ in range(2):
            before = self.ask("hover", self.place("%p", 0, 1, uri), uri)
            self.version += 1
            self.server.open(uri, self.texts[uri], self.version)
            self.assertEqual(self.ask("hover", self.place("%p", 0, 1, uri), uri), before)
            self.server.close(uri)
            self.assertEqual(self.ask("hover", self.place("%p", 0, 1, uri), uri), before)

    def test_every_stage_can_be_read(self):
        for name in ("tensor/infer-shapes", "tile", "tile/form-scopes", "block/bufferize", "block", "execution"):
            with self.subTest(name):
                uri = self.stage(name)
                symbols, folds = self.ask("documentSymbol", uri=uri), self.ask("foldingRange", uri=uri)
                if name != "execution":  # which is a list of tasks
                    self.assertTrue(symbols)
                    self.assertTrue(folds)
                for method, params in {**AT, **OF}.items():
                    response = self.server.respond(method, {"textDocument": {"uri": uri}, **params,
                                                            "position": {"line": 3, "character": 5}})
                    if method != "textDocument/prepareRename":
                        self.assertNotIn("error", response, method)

    def test_a_key_is_found_in_every_stage(self):
        uri = self.stage("tile")
        found = self.ask("implementation", self.place("%q", 0, 1))
        stages = []
        for place in found:
            stage = place["uri"].split("?")[0]
            if stage not in stages:
                stages.append(stage)
            if place["uri"] not in self.texts:
                self.texts[place["uri"]] = self.server.ask("workspace/textDocumentContent", {"uri": place["uri"]})["text"]
            # Back again from there.
            back = self.ask("declaration", place["range"]["start"], place["uri"])
            lines = [line.strip() for line in STAGED.splitlines()]
            # What both are computed in comes from the first of them.
            self.assertIn([self.word(p["range"]) for p in back], [[lines[1]], [lines[2]]], place)
        self.assertEqual(stages, ["tilewright:/tensor", "tilewright:/tile", "tilewright:/block"])
        self.assertTrue(found[0]["uri"].endswith("?source=" + URI))
        # From a stage to the others, and not to itself.
        of_tile = [p for p in found if "/tile?" in p["uri"]][0]
        onward = self.ask("implementation", of_tile["range"]["start"], uri)
        self.assertEqual({p["uri"].split("?")[0] for p in onward}, {"tilewright:/tensor", "tilewright:/block"})
        self.assertEqual(self.ask("implementation", {"line": 99, "character": 0}), [])

    def test_an_edit_of_the_source_is_seen(self):
        uri = self.stage("tensor")
        self.ask("hover", self.place("%p", 0, 1, uri), uri)
        self.server.notify("textDocument/didChange", {
            "textDocument": {"uri": URI, "version": self.version + 1},
            "contentChanges": [{"text": STAGED.replace("%p", "%other")}]})
        self.texts[uri] = self.server.ask("workspace/textDocumentContent", {"uri": uri})["text"]
        places = self.ask("references", self.place("%other", 0, 1, uri), uri, context={"includeDeclaration": True})
        self.assertEqual({self.word(p["range"], uri) for p in places}, {"%other"})


class English(Session):
    words = (">operation<", ">input<", ">data<", "keys: ")

    def test_a_picture_speaks_the_language_of_the_client(self):
        self.open(STAGED)
        svg = self.server.ask("tilewright/graph", {"uri": URI, "stage": "tensor", "picture": {}})["svg"]
        for word in self.words:
            self.assertIn(word, svg)
        for other in {*English.words, *Chinese.words} - {*self.words}:
            self.assertNotIn(other, svg)


class Chinese(English):
    locale = "zh-cn"
    words = (">操作<", ">输入<", ">数据<", "键: ")


class Decisions(Session):
    def hover(self, uri, word):
        return self.ask("hover", self.place(word, 0, 1, uri), uri)["contents"]["value"]

    def hover_until(self, uri, word, words):
        """A compiler that is slow to tell is not waited for: asked until it was quick enough."""
        end = time.monotonic() + 60
        told = self.hover(uri, word)
        while words not in told and time.monotonic() < end:
            told = self.hover(uri, word)
        self.assertIn(words, told)
        self.assertIn("Product", self.hover(URI, "%p"))
        return told

    def test_what_was_compiled_tells_of_decisions(self):
        self.open(STAGED)
        # Not compiled yet, or just so: what the text says is there at once.
        self.assertIn("Product", self.hover(URI, "%p"))
        self.server.ask("tilewright/stages", {"uri": URI})
        self.assertIn("tile", self.hover_until(URI, "%p", "estimated"))
        # In a stage, too.
        uri = "tilewright:/tensor?source=" + urllib.parse.quote(URI, safe="")
        self.texts[uri] = self.server.ask("workspace/textDocumentContent", {"uri": uri})["text"]
        self.hover_until(uri, "%p", "estimated")
        # The kernel is called by a part of the softmax, and stands at the softmax.
        hints = self.ask("inlayHint", range=RANGE)
        self.assertEqual([hint["position"]["line"] for hint in hints], [2])
        self.assertTrue(any(lens["command"]["title"].startswith("Pin tile") and lens["range"]["start"]["line"] == 2
                            for lens in self.ask("codeLens")))
        hints = self.ask("inlayHint", uri=uri, range=RANGE)
        self.assertTrue(hints)
        self.assertIn(" estimated", hints[0]["label"])
        # What a run took.
        self.assertNotIn("measured in the last run", self.hover(URI, "%p"))
        self.server.ask("tilewright/run", {"uri": URI, "target": "cpu"}, timeout=200)
        told = self.hover_until(URI, "%p", "measured in the last run")
        self.assertNotIn("of an older text", told)
        kernels = self.server.ask("tilewright/trace", {"uri": URI, "key": "main/p"})["kernels"]
        self.assertTrue(kernels)
        self.assertTrue(any(key.startswith("main/p") for key in kernels[0]["keys"]), kernels)
        self.assertEqual(self.server.ask("tilewright/trace", {"uri": URI, "key": "main/none"})["kernels"], [])
        # An edit makes decisions untrue until it is compiled.
        self.server.notify("textDocument/didChange", {
            "textDocument": {"uri": URI, "version": self.version + 1},
            "contentChanges": [{"text": STAGED + "func.func @broken("}]})
        told = self.hover(URI, "%p")
        self.assertIn("Product", told)
        self.assertNotIn("estimated", told)


class Wrong(Session):
    def all(self, uri, position):
        for method, more in AT.items():
            yield method, {"textDocument": {"uri": uri}, "position": position, **more}
        for method, more in OF.items():
            yield method, {"textDocument": {"uri": uri}, **more}

    def test_a_document_that_is_not_open(self):
        for uri in ("file:///none.mlir", "tilewright:/tile?source=file%3A%2F%2F%2Fnone.mlir"):
            for method, params in self.all(uri, {"line": 0, "character": 0}):
                with self.subTest(method, uri=uri):
                    response = self.server.respond(method, params)
                    # What is never done for a stage need not look for it.
                    if "error" in response:
                        self.assertEqual(response["error"]["data"]["code"], "TW0605")
                    else:
                        self.assertTrue(uri.startswith("tilewright:"), response)
                        self.assertFalse(response["result"])

    def test_a_stage_there_is_none_of(self):
        self.open(TEXT)
        uri = "tilewright:/nothing?source=" + urllib.parse.quote(URI, safe="")
        response = self.server.respond("textDocument/references", {
            "textDocument": {"uri": uri}, "position": {"line": 0, "character": 0}})
        self.assertIn("nothing", response["error"]["message"])

    def test_no_text_and_no_place_is_too_odd(self):
        # Empty, broken, far too short; each asked within, at the end and far behind it.
        texts = ["", "\n", "func.func @f(", '"open', "}}}}", "%", "@", "#", "func.func @f() {\n  %x = \n", TEXT[:300],
                 "\0\0", "é😀"]
        for text in texts:
            self.open(text)
            for position in ({"line": 0, "character": 0}, {"line": 0, "character": 3},
                             {"line": 10 ** 6, "character": 10 ** 6}):
                for method, params in self.all(URI, position):
                    with self.subTest(method, text=text, position=position):
                        response = self.server.respond(method, params)
                        if method == "textDocument/prepareRename":
                            continue
                        self.assertNotIn("error", response)

    def test_every_prefix_can_be_asked_about_where_it_ends(self):
        self.open("")
        numbers, line, character = [], 0, 0
        for size in range(1, len(TEXT) + 1):
            letter = TEXT[size - 1]
            end = {"line": line, "character": character}
            self.version += 1
            self.server.notify("textDocument/didChange", {
                "textDocument": {"uri": URI, "version": self.version},
                "contentChanges": [{"range": {"start": end, "end": end}, "text": letter}]})
            line, character = (line + 1, 0) if letter == "\n" else (line, character + 1)
            if size % 4:
                continue
            here = {"line": line, "character": character}
            for method, more in (("hover", {}), ("completion", {}), ("signatureHelp", {}), ("definition", {}),
                                 ("documentHighlight", {}), ("selectionRange", {"positions": [here]}),
                                 ("foldingRange", {}), ("formatting", {"options": {"tabSize": 2}})):
                numbers.append((size, method, self.server.request("textDocument/" + method, {
                    "textDocument": {"uri": URI}, "position": here, **more})))
            if size % 32 == 0 or size == len(TEXT):
                for asked, name, number in numbers:
                    response = self.server.answer(number)
                    # Typing went on: -32801 is an answer, too.
                    if "error" in response:
                        self.assertEqual(response["error"]["code"], -32801, (asked, name, response))
                numbers = []
        self.texts[URI] = TEXT
        found = self.ask("references", self.place("@norm"), context={"includeDeclaration": True})
        self.assertEqual(len(found), 3)

    def test_params_that_are_wrong(self):
        self.open(TEXT)
        for method, params in (("textDocument/references", {}),
                               ("textDocument/references", None),
                               ("textDocument/references", {"textDocument": {"uri": URI}}),
                               ("textDocument/selectionRange", {"textDocument": {"uri": URI}}),
                               ("textDocument/selectionRange", {"textDocument": {"uri": URI}, "positions": ["x"]}),
                               ("textDocument/formatting", {"textDocument": {"uri": URI}}),
                               ("textDocument/rangeFormatting", {"textDocument": {"uri": URI}, "options": {}}),
                               ("callHierarchy/incomingCalls", {}),
                               ("callHierarchy/outgoingCalls", {"item": {"uri": URI}})):
            with self.subTest(method, params=params):
                response = self.server.respond(method, params)
                self.assertEqual(response["error"]["code"], -32602)

    def test_requests_are_cancelled(self):
        self.open(TEXT * 200)
        numbers = [self.server.request("textDocument/foldingRange", {"textDocument": {"uri": URI}}) for _ in range(20)]
        for number in numbers:
            self.server.notify("$/cancelRequest", {"id": number})
        for number in numbers:
            response = self.server.answer(number)
            self.assertTrue("result" in response or response["error"]["code"] == -32800, response)


class Inner(unittest.TestCase):
    """Between server and engine: what schemas say of it."""

    def test_answers_follow_their_schemas(self):
        engine = LanguageServer(ENGINE, ENGINE, initialize=False)
        self.addCleanup(engine.kill)
        engine.ask("initialize", {"clientPid": os.getpid()})
        engine.notify("textDocument/didOpen", {"uri": URI, "version": 3, "text": TEXT})
        value, callee = TEXT.index("%s") + 1, TEXT.index("@norm") + 1
        for method, params in (("references", {"offset": value}), ("references", {"offset": 0}), ("folding", {}),
                               ("selection", {"offsets": [0, value, len(TEXT)]}), ("selection", {"offsets": []}),
                               ("signature", {"offset": TEXT.index("{axis")}), ("format", {"indent": 4}),
                               ("format", {"tabs": True, "begin": value, "end": value}), ("calls", {"offset": 0}),
                               ("calls", {"offset": callee, "direction": "in"}),
                               ("calls", {"offset": len(TEXT) - 3, "direction": "out"}),
                               ("completion", {"offset": TEXT.index("%p = ") + 5}), ("symbols", {})):
            with self.subTest(method, params=params):
                result = engine.ask("tilewright/" + method, {"uri": URI, **params})
                self.assertEqual((result["schema"], result["documentVersion"]), ("tilewright/" + method, 3))
                checked = subprocess.run([CHECK, SCHEMAS], input=json.dumps(result), capture_output=True, text=True)
                self.assertEqual(checked.stdout, "")
        self.assertIsNone(engine.ask("tilewright/signature", {"uri": URI, "offset": 0}))
        for method in ("references", "folding", "selection", "signature", "format", "calls"):
            response = engine.respond("tilewright/" + method, {"uri": "file:///none.mlir"})
            self.assertEqual(response["error"]["data"]["code"], "TW0605", method)


class Capabilities(Session):
    def test_what_is_answered_is_announced(self):
        for name in ("hover", "definition", "declaration", "implementation", "references", "documentHighlight", "documentSymbol",
                     "foldingRange", "selectionRange", "documentFormatting", "documentRangeFormatting", "callHierarchy",
                     "inlayHint"):
            self.assertTrue(self.capabilities[name + "Provider"], name)
        self.assertIn("(", self.capabilities["signatureHelpProvider"]["triggerCharacters"])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[5:])
