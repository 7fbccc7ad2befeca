#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What command line and server say of ordinary and of slightly wrong wishes, with the real engine behind them.

usage: test_real_engine.py TILEWRIGHT TILEWRIGHT_LSP TILEWRIGHT_ENGINE SCHEMA_CHECK SCHEMAS [TEST...]
"""
import json
import os
import re
import shlex
import shutil
import stat
import struct
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "drivers"))
from command_line import CommandLine  # noqa: E402
from language_server import LanguageServer  # noqa: E402

PROGRAM, SERVER, ENGINE, CHECK, SCHEMAS = sys.argv[1:6]

FUNCTION = """func.func @%s(%%a: tensor<2x2xf32>, %%b: tensor<2x1xf32>) -> tensor<2x1xf32> {
  %%c = tw.matmul %%a, %%b : (tensor<2x2xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
  %%0 = tw.relu %%c : (tensor<2x1xf32>) -> tensor<2x1xf32>
  %%y = tw.add %%c, %%0 : (tensor<2x1xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
  return %%y : tensor<2x1xf32>
}
"""
ONE = FUNCTION % "one"


def array(shape, values):
    header = repr({"descr": "<f4", "fortran_order": False, "shape": shape}).encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\0" + struct.pack("<H", len(header)) + header + struct.pack(f"<{len(values)}f", *values)


class WithFolder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.tilewright = CommandLine(PROGRAM, ENGINE)
        self.one = self.file("one.mlir", ONE)

    def path(self, name):
        return os.path.join(self.folder, name)

    def file(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data if isinstance(data, bytes) else data.encode())
        return self.path(name)

    def run_it(self, *words):
        return self.tilewright.run(*words, timeout=60)

    def follows(self, document, schema):
        checked = subprocess.run([CHECK, SCHEMAS], input=json.dumps(document), capture_output=True, text=True)
        self.assertEqual(document["schema"], f"tilewright/{schema}")
        self.assertEqual(checked.stdout, "", document)


class Pins(WithFolder):
    ALL = [["compile"], ["stages"], ["show", "--stage", "tile"], ["graph", "--stage", "tile"], ["run"]]

    def every_command(self):
        for command in self.ALL:
            yield command[0], self.run_it(command[0], self.one, *command[1:])
        yield "diff", self.run_it("diff", self.one, "tensor", "tile")

    def test_a_pin_that_is_not_in_force_is_told_by_every_command(self):
        self.file("one.mlir.pins.json", json.dumps({"schema": "tilewright/pins", "version": 1, "pins": [
            {"key": "one/gone", "target": "*", "kind": "tile", "value": "cache1.m=2"}]}))
        for name, outcome in self.every_command():
            with self.subTest(name):
                self.assertEqual(outcome.code, 0, outcome)
                self.assertIn("[TW0206]", outcome.err)

    def test_pins_of_another_file(self):
        other = self.path("other.json")
        every = [["compile", self.one], ["stages", self.one], ["show", self.one, "--stage", "tile"],
                 ["diff", self.one, "tensor", "tile"], ["graph", self.one, "--stage", "tile"],
                 ["memory", self.one], ["run", self.one], ["verify", self.one], ["estimate", self.one],
                 ["explain", self.one], ["whatif", self.one, "one/c"], ["pins", self.one], ["unpin", self.one, "one/c"],
                 ["override", "list", self.one]]
        for words in every:
            with self.subTest(words[0]):
                outcome = self.run_it(*words, "--pins", other)
                self.assertEqual(outcome.code, 2, outcome)  # a pins file that was asked for is there
                self.assertIn("other.json", outcome.err)
        self.run_it("pin", self.one, "one/c", "tile", "cache1.m=1")
        outcome = self.run_it("pin", self.one, "one/gone", "merge", "2", "--pins", other)
        self.assertEqual(outcome.code, 0, outcome)
        with open(other, encoding="utf-8") as file:
            self.assertEqual([pin["key"] for pin in json.load(file)["pins"]], ["one/gone"])
        # What is wrong with those, not with these.
        for words in every:
            if words[0] not in ("pins", "unpin", "override", "whatif"):
                with self.subTest(words[0]):
                    outcome = self.run_it(*words, "--pins", other)
                    self.assertIn("one/gone", outcome.err)
                    self.assertNotIn("one/gone", self.run_it(*words).err)
        self.assertIn("one/gone", self.run_it("pins", self.one, "--pins", other).out)
        self.assertNotIn("one/gone", self.run_it("pins", self.one).out)
        self.run_it("unpin", self.one, "one/gone", "--pins", other)
        self.assertIn("one/c", self.run_it("pins", self.one).out)
        for words in (["target", "list"], ["experiments", "list"]):
            self.assertEqual(self.run_it(*words, "--pins", other).code, 2)

    def test_figures_of_what_does_not_compile_are_no_success(self):
        wrong = self.file("wrong.mlir", "func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
                                        "  %y = tw.relux %x : (tensor<4xf32>) -> tensor<4xf32>\n"
                                        "  return %y : tensor<4xf32>\n}\n")
        for words in (["estimate", wrong], ["explain", wrong], ["estimate", wrong, "--json"]):
            outcome = self.run_it(*words)
            self.assertEqual(outcome.code, 1, outcome)
            self.assertIn("[TW0020]", outcome.err)
        # What cannot be read is not gone: a pin of it is no orphan.
        outcome = self.run_it("pin", wrong, "f/y", "merge", "2")
        self.assertIn("mend them first", outcome.out)
        self.assertNotIn("orphaned", outcome.out)

    def test_a_pins_path_that_is_no_file(self):
        os.mkdir(self.path("one.mlir.pins.json"))
        for name, outcome in self.every_command():
            with self.subTest(name):
                self.assertIn("[TW0219]", outcome.err)
                self.assertIn("it is a folder", outcome.err)


class Runs(WithFolder):
    def test_constants_in_the_bodies_of_linalg(self):
        body = self.file("body.mlir", """#r = affine_map<(d0, d1) -> (d0, d1)>
#p = affine_map<(d0, d1) -> (d1)>
func.func @relu(%x: tensor<17x33xf32>, %b: tensor<33xf32>) -> tensor<17x33xf32> {
  %e = tensor.empty() : tensor<17x33xf32>
  %y = linalg.generic {indexing_maps = [#r, #p, #r], iterator_types = ["parallel", "parallel"]}
      ins(%x, %b : tensor<17x33xf32>, tensor<33xf32>) outs(%e : tensor<17x33xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %zero = arith.constant 0.0 : f32
    %s = arith.addf %i, %j : f32
    %m = arith.maximumf %s, %zero : f32
    linalg.yield %m : f32
  } -> tensor<17x33xf32>
  return %y : tensor<17x33xf32>
}
""")
        for target in ("cpu", "cpu-generic", "ascend-a3"):
            outcome = self.run_it("run", body, "--check", "--target", target)
            self.assertEqual(outcome.code, 0, outcome)
            self.assertIn("passed", outcome.out)

    def test_of_several_functions_the_run_says_which(self):
        two = self.file("two.mlir", FUNCTION % "first" + FUNCTION % "second" + FUNCTION % "third")
        outcome = self.run_it("run", two, "--check")
        self.assertEqual(outcome.code, 0, outcome)
        self.assertIn("only @first was run; there is also @second, @third", outcome.err)
        self.assertIn("--function", outcome.err)
        outcome = self.run_it("run", two, "--check", "--function", "third")
        self.assertTrue(outcome.out.startswith("third on cpu"), outcome)
        self.assertNotIn("TW0558", outcome.err)
        self.assertNotIn("TW0558", self.run_it("run", self.one).err)

    def test_more_threads_than_cores_start_at_once(self):
        self.run_it("run", self.one)  # the machine is measured once
        begin = time.monotonic()
        outcome = self.run_it("run", self.one, "--threads", "256", "--repeat", "2", "--check")
        self.assertEqual(outcome.code, 0, outcome)
        self.assertIn("256 threads", outcome.out)
        self.assertLess(time.monotonic() - begin, 6)

    def code_of(self, *words):
        outcome = self.run_it(*words, "--json")
        result = json.loads(outcome.out)
        if "error" in result:
            return outcome.code, result["error"]["data"]["code"]
        codes = [d["code"] for d in result["diagnostics"]]
        return outcome.code, codes[0] if codes else None

    def test_what_is_wrong_with_a_run_has_its_code(self):
        self.assertEqual(self.code_of("run", self.one, "--function", "none"), (1, "TW0551"))
        more = self.file("more.mlir", ONE.replace("(%a:", "(%unused: tensor<2xcomplex<f32>>, %a:"))
        self.assertEqual(self.code_of("run", more), (1, "TW0552"))
        a = self.file("a.npy", array((2, 2), [1e30, 1e30, 1, 1]))
        b = self.file("b.npy", array((2, 1), [1e30, -1e30]))
        self.assertEqual(self.code_of("run", self.one, "--input", "none=" + a), (1, "TW0553"))
        # In f32 the sum of the products is inf - inf; the interpreter sums in f64.
        self.assertEqual(self.code_of("run", self.one, "--input", "a=" + a, "--input", "b=" + b, "--check"),
                         (1, "TW0554"))
        self.assertEqual(self.code_of("run", self.one, "--threads", "4096"), (2, "TW0700"))


class Outputs(WithFolder):
    """What is no ordinary file stays what it is."""

    def emit(self, path):
        return self.run_it("compile", self.one, "--emit", "asm", "-o", path)

    def test_symbolic_links_stay(self):
        for name in ("there", "new"):
            os.symlink(name + ".s", self.path(name))
        os.symlink(self.path("new"), self.path("again"))
        self.file("there.s", "old")
        for link, target in (("there", "there.s"), ("again", "new.s")):
            outcome = self.emit(self.path(link))
            self.assertEqual(outcome.code, 0, outcome)
            self.assertTrue(os.path.islink(self.path(link)))
            with open(self.path(target), encoding="utf-8") as file:
                self.assertIn(".text", file.read())
        trace = self.path("trace")
        os.symlink("trace.json", trace)
        self.assertEqual(self.run_it("run", self.one, "--trace", trace).code, 0)
        self.assertTrue(os.path.islink(trace))
        with open(trace, encoding="utf-8") as file:
            self.assertIn("traceEvents", json.load(file))

    def test_pipes_and_devices_are_written_in_place(self):
        pipe = self.path("pipe")
        os.mkfifo(pipe)
        for words in (["compile", self.one, "--emit", "asm", "-o", pipe], ["run", self.one, "--trace", pipe],
                      ["graph", self.one, "-o", pipe]):
            reader = subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE)
            outcome = self.run_it(*words)
            self.assertEqual(outcome.code, 0, outcome)
            self.assertGreater(len(reader.communicate(timeout=20)[0]), 50)
            self.assertTrue(stat.S_ISFIFO(os.stat(pipe).st_mode))
        full = self.path("full")
        os.symlink("/dev/full", full)
        for words in (["compile", self.one, "--emit", "object", "-o", full], ["run", self.one, "--trace", full],
                      ["graph", self.one, "-o", full]):
            outcome = self.run_it(*words)
            self.assertEqual(outcome.code, 1, outcome)
            self.assertIn("No space left on device", outcome.err)
            self.assertTrue(stat.S_ISCHR(os.stat(full).st_mode))
        self.assertIn(".text", self.run_it("compile", self.one, "--emit", "asm", "-o", "/dev/stdout").out)

    def test_results_follow_links_too(self):
        os.mkdir(self.path("out"))
        os.symlink(self.path("kept.npy"), self.path("out/result0.npy"))
        self.assertEqual(self.run_it("run", self.one, "-o", self.path("out")).code, 0)
        self.assertTrue(os.path.islink(self.path("out/result0.npy")))
        self.assertGreater(os.path.getsize(self.path("kept.npy")), 64)

    def test_the_source_is_never_overwritten(self):
        os.link(self.one, self.path("link.mlir"))
        for path in (self.one, self.path("link.mlir")):
            for words in (["compile", self.one, "--emit", "llvm", "-o", path], ["run", self.one, "--trace", path],
                          ["graph", self.one, "-o", path]):
                outcome = self.run_it(*words)
                self.assertEqual(outcome.code, 2, outcome)
                self.assertIn("it is the source itself", outcome.err)
        with open(self.one, encoding="utf-8") as file:
            self.assertEqual(file.read(), ONE)


class Stopped(WithFolder):
    """A compilation that an error stops."""

    BAD = """func.func @bad(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %e = tensor.empty() : tensor<8x8xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %i = linalg.index 0 : index
    %k = arith.index_cast %i : index to i32
    %f = arith.sitofp %k : i32 to f32
    %s = arith.addf %in, %f : f32
    linalg.yield %s : f32
  } -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}
"""

    def setUp(self):
        super().setUp()
        self.bad = self.file("bad.mlir", self.BAD)
        outcome = self.run_it("compile", self.bad)
        self.assertEqual(outcome.code, 1, outcome)
        self.error = re.search(r"\[TW\d+\]", outcome.err)[0]

    def test_verify_says_so(self):
        outcome = self.run_it("verify", self.bad, "--json")
        self.assertEqual(outcome.code, 1, outcome)
        result = json.loads(outcome.out)
        self.follows(result, "verify")
        self.assertFalse(result["passed"])
        self.assertRegex(result["stoppedAfter"], r"^\w+/[\w-]+$")
        text = self.run_it("verify", self.bad).out
        self.assertIn("the compilation stopped with an error after " + result["stoppedAfter"], text)
        self.assertNotIn("every stage", text)

    def test_a_snapshot_there_is_not_shows_why(self):
        for words in (["show", self.bad, "--stage", "execution"], ["graph", self.bad, "--stage", "execution"],
                      ["diff", self.bad, "tensor", "execution"]):
            outcome = self.run_it(*words)
            self.assertEqual(outcome.code, 1, outcome)
            self.assertIn("[TW0610]", outcome.err)
            self.assertIn(self.error, outcome.err)
            self.assertRegex(outcome.err, r"bad\.mlir:\d+:\d+: note: ")

    def test_a_function_beside_it_runs(self):
        both = self.file("both.mlir", self.BAD + FUNCTION % "good")
        for words in (["run", both, "--check"], ["verify", both]):
            outcome = self.run_it(*words, "--function", "good")
            self.assertEqual(outcome.code, 0, outcome)
            outcome = self.run_it(*words, "--function", "bad")
            self.assertEqual(outcome.code, 1, outcome)
            self.assertIn(self.error, outcome.err)


class OneFunctionOfSeveral(WithFolder):
    """What is wrong with another function of the file is a warning, and the function asked for runs."""

    HEAD = "#always = 1.0 : f32\n"
    BROKEN = {
        "an unknown operation": ("func.func @broken(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
                                 "  %y = tw.relux %x : (tensor<4xf32>) -> tensor<4xf32>\n"
                                 "  return %y : tensor<4xf32>\n}\n", "TW0020"),
        "a syntax error": ("func.func @broken(%x: tensor<4xf32>) {\n  %y = = \n  return\n}\n", "TW0001"),
        "no closing brace": ("func.func @broken(%x: tensor<4xf32>) {\n  return\n", None),
        "a broken alias": ("#wrong = dense<[1, 2> : tensor<2xi32>\nfunc.func @broken() {\n"
                           "  %c = arith.constant #wrong\n  return\n}\n", None),
        "a missing callee": ("func.func @broken() {\n  func.call @nowhere() : () -> ()\n  return\n}\n", "TW0113"),
        "nested too deep": ("func.func @broken(%c: i1) {\n" + "scf.if %c {\n" * 2000 + "}\n" * 2000 + "return\n}\n", None),
        "no way to compile it": (Stopped.BAD, None),
    }

    def test_the_others_are_warnings(self):
        for what, (broken, code) in self.BROKEN.items():
            for text in (self.HEAD + broken + ONE, self.HEAD + ONE + broken):
                path = self.file("several.mlir", text)
                for words in (["run", path, "--check"], ["verify", path], ["run", path, "--target", "ascend-a3"]):
                    with self.subTest(what, words=words[0], first=text.find("@one") < text.find("@broken")):
                        outcome = self.run_it(*words, "--function", "one", "--json")
                        self.assertEqual(outcome.code, 0, outcome)
                        result = json.loads(outcome.out)
                        self.assertEqual(result["function"], "one")
                        severities = {d["severity"] for d in result["diagnostics"]}
                        self.assertIn("warning", severities)
                        self.assertNotIn("error", severities)
                        if code:
                            self.assertIn(code, [d["code"] for d in result["diagnostics"]])

    def test_its_own_errors_stay_errors(self):
        broken, code = self.BROKEN["an unknown operation"]
        path = self.file("several.mlir", ONE + broken)
        for words in (["run", path, "--function", "broken"], ["verify", path, "--function", "broken"], ["run", path]):
            outcome = self.run_it(*words)
            self.assertEqual(outcome.code, 1, outcome)
            self.assertIn("error: unknown operation", outcome.err)
        # So do those of what it calls.
        calls = ("func.func @calls(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
                 "  %y = func.call @broken(%x) : (tensor<4xf32>) -> tensor<4xf32>\n  return %y : tensor<4xf32>\n}\n")
        outcome = self.run_it("run", self.file("several.mlir", ONE + broken + calls), "--function", "calls")
        self.assertEqual(outcome.code, 1, outcome)
        self.assertIn("error: unknown operation", outcome.err)


def elements(path, kind, size):
    with open(path, "rb") as file:
        return list(struct.unpack(f"<{size}{kind}", file.read()[-size * struct.calcsize(kind):]))


class UnknownSizes(WithFolder):
    SCALED = """func.func @scaled(%x: tensor<?x8xf32>, %row: tensor<8xf32>) -> tensor<?x8xf32> {
  %y = tw.mul %x, %row : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}
"""

    def test_an_input_tells_the_size(self):
        path = self.file("scaled.mlir", self.SCALED)
        outcome = self.run_it("verify", path)
        self.assertEqual(outcome.code, 1, outcome)
        self.assertIn("[TW0552]", outcome.err)
        self.assertIn("--input x=FILE.npy", outcome.err)
        self.file("x.npy", array((5, 8), [float(i) for i in range(40)]))
        outcome = self.run_it("verify", path, "--input", "x=" + self.path("x.npy"), "--json")
        result = json.loads(outcome.out)
        self.follows(result, "verify")
        self.assertEqual(outcome.code, 1)  # no kernels are made
        self.assertIn("TW0404", [d["code"] for d in result["diagnostics"]])
        self.assertRegex(result["stoppedAfter"], "^tile/")
        passed = [p["pass"] for p in result["passes"] if p["result"] == "passed"]
        self.assertIn("tile/expand-tiles", passed)
        self.assertFalse([p for p in result["passes"] if p["result"] in ("failed", "error")])
        self.file("x.npy", array((5, 7), [0.0] * 35))
        outcome = self.run_it("verify", path, "--input", "x=" + self.path("x.npy"))
        self.assertIn("[TW0515]", outcome.err)
        self.assertIn("?x8xf32 is wanted", outcome.err)


class UpstreamOnWholeTensors(WithFolder):
    """What arith and tensor say with one number for all elements."""

    SELECT = """func.func @pick(%x: tensor<3x130xf32>, %y: tensor<3x130xf32>, %s: tensor<2xf32>) -> tensor<3x130xf32> {
  %one = arith.constant 1 : index
  %limit = arith.constant 0.5 : f32
  %v = tensor.extract %s[%one] : tensor<2xf32>
  %c = arith.cmpf ogt, %v, %limit : f32
  %z = arith.select %c, %x, %y : tensor<3x130xf32>
  return %z : tensor<3x130xf32>
}
"""
    PAD = """func.func @frame(%x: tensor<3x130xf32>, %s: tensor<1xf32>) -> (tensor<6x131xf32>, tensor<5x130xf32>) {
  %low = arith.constant -1.5 : f32
  %zero = arith.constant 0 : index
  %v = tensor.extract %s[%zero] : tensor<1xf32>
  %a = tensor.pad %x low[1, 0] high[2, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %low : f32
  } : tensor<3x130xf32> to tensor<6x131xf32>
  %b = tensor.pad %x low[0, 0] high[2, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %v : f32
  } : tensor<3x130xf32> to tensor<5x130xf32>
  return %a, %b : tensor<6x131xf32>, tensor<5x130xf32>
}
"""
    TARGETS = ("cpu", "cpu-generic", "ascend-a3")

    def setUp(self):
        super().setUp()
        self.x = [float(i) for i in range(390)]
        self.file("x.npy", array((3, 130), self.x))
        self.file("y.npy", array((3, 130), [-1 - v for v in self.x]))

    def test_one_condition_chooses_a_whole_tensor(self):
        path = self.file("pick.mlir", self.SELECT)
        for target in self.TARGETS:
            for value, sign in ((0.75, 1), (0.25, -1), (float("nan"), -1)):
                self.file("s.npy", array((2,), [9.0, value]))
                outcome = self.run_it("run", path, "--check", "--target", target, "-o", self.path("out"), *(
                    word for name in "xys" for word in ("-i", f"{name}={self.path(name + '.npy')}")))
                self.assertEqual(outcome.code, 0, outcome)
                self.assertEqual(elements(self.path("out/result0.npy"), "f", 390),
                                 self.x if sign > 0 else [-1 - v for v in self.x])

    def test_one_value_stands_around_a_tensor(self):
        path = self.file("frame.mlir", self.PAD)
        self.file("s.npy", array((1,), [0.25]))
        rows = [self.x[i:i + 130] for i in (0, 130, 260)]
        for target in self.TARGETS:
            outcome = self.run_it("run", path, "--check", "--target", target, "-o", self.path("out"),
                                  "-i", "x=" + self.path("x.npy"), "-i", "s=" + self.path("s.npy"))
            self.assertEqual(outcome.code, 0, outcome)
            self.assertEqual(elements(self.path("out/result0.npy"), "f", 6 * 131),
                             [-1.5] * 131 + sum((row + [-1.5] for row in rows), []) + [-1.5] * 262)
            self.assertEqual(elements(self.path("out/result1.npy"), "f", 5 * 130), self.x + [0.25] * 260)

    def test_a_number_among_the_arguments_is_refused_with_a_way_out(self):
        path = self.file("number.mlir", "func.func @number(%c: i1, %x: tensor<4xf32>, %y: tensor<4xf32>) -> "
                         "tensor<4xf32> {\n  %z = arith.select %c, %x, %y : tensor<4xf32>\n  return %z : "
                         "tensor<4xf32>\n}\n")
        outcome = self.run_it("compile", path)
        self.assertEqual(outcome.code, 1, outcome)
        self.assertIn("number.mlir:1:19: error: is a number of type i1", outcome.err)
        self.assertIn("tensor.extract", outcome.err)
        self.assertIn("[TW0303]", outcome.err)


class Stages(WithFolder):
    def test_decisions_stand_in_front_of_a_stage(self):
        path = self.file("decided.mlir", """func.func @f(%x: tensor<32x64xf16>, %w: tensor<64x48xf16>) -> tensor<32x48xf16> {
  %m = tw.matmul %x, %w : (tensor<32x64xf16>, tensor<64x48xf16>) -> tensor<32x48xf16>
  %y = tw.tanh %m : (tensor<32x48xf16>) -> tensor<32x48xf16>
  return %y : tensor<32x48xf16>
}
""")
        words = ("show", path, "--stage", "tile/form-scopes", "--target", "ascend-a3")
        plain, outcome = self.run_it(*words), self.run_it(*words, "--decisions")
        self.assertEqual(outcome.code, 0, outcome)
        self.assertTrue(outcome.out.endswith(plain.out), outcome)
        head = outcome.out[:-len(plain.out)].splitlines()
        self.assertTrue(all(line.startswith("//") for line in head[:-1]), head)
        self.assertIn('// core of f/m (default): "cube": cube cores have the matrix unit', head)
        self.assertTrue(any(line.startswith('// scope of f/y (default): {"fused":["f/y"]}') for line in head), head)
        self.assertTrue(any(line.startswith("//   not possible: f/y not with f/m: cube and vector cores differ")
                            for line in head), head)

    def test_machine_code_is_shown_where_there_is_some(self):
        self.assertIn("define ", self.run_it("show", self.one, "--stage", "llvm").out)
        self.assertIn(".text", self.run_it("show", self.one, "--stage", "asm").out)
        for stage in ("llvm", "asm"):
            outcome = self.run_it("show", self.one, "--stage", stage, "--target", "ascend-a3")
            self.assertEqual(outcome.code, 1, outcome)
            self.assertIn("there is no code generator for ascend-a3", outcome.err)
            self.assertIn("[TW0633]", outcome.err)

    def test_a_program_of_one_dispatch_has_an_execution_graph_like_others(self):
        path = self.file("exp.mlir", "func.func @f(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {\n"
                         "  %y = tw.exp %x : (tensor<4x8xf32>) -> tensor<4x8xf32>\n  return %y : tensor<4x8xf32>\n}\n")
        for stage in ["execution", "execution/build-tasks"]:
            shown = self.tilewright.run("show", path, "--stage", stage)
            self.assertEqual(shown.code, 0, shown)
            self.assertRegex(shown.out, r"^program @f: 1 dispatches, \d+ tasks\n  dispatch 0 @")
            graph = json.loads(self.tilewright.run("graph", path, "--stage", stage, "--json").out)
            self.assertEqual([node["kind"] for node in graph["nodes"]].count("dispatch"), 1, graph)

    def test_a_diff_lists_nothing_with_equal_texts(self):
        for target in ("cpu", "ascend-a3"):
            passes = [f"{p['stage']}/{p['pass']}" for p in json.loads(
                self.run_it("stages", self.one, "--target", target, "--json").out)["passes"]]
            for before, after in zip(passes, passes[1:]):
                diff = json.loads(self.run_it("diff", self.one, before, after, "--target", target, "--json").out)
                for op in diff["ops"]:
                    if op["change"] == "changed" and len(op["before"]) < 400:
                        self.assertNotEqual(op["before"], op["after"], (before, after, op["key"]))


class GettingStarted(WithFolder):
    """docs/getting-started.md does what it says."""

    def setUp(self):
        super().setUp()
        with open(os.path.join(SCHEMAS, "../../docs/getting-started.md"), encoding="utf-8") as file:
            self.text = file.read()
        self.hello = self.file("hello.mlir", self.block("mlir"))

    def block(self, kind, behind=""):
        return re.search(f"```{kind}\n(.*?)```", self.text[self.text.index(behind):], re.S)[1]

    def test_its_commands(self):
        lines = self.block("sh", "## At the command line").splitlines()
        self.assertGreater(len(lines), 6)
        for line in lines:
            words = shlex.split(line, comments=True)
            self.assertEqual(words.pop(0), "tilewright")
            outcome = self.tilewright.run(*words, cwd=self.folder, timeout=60)
            self.assertEqual(outcome.code, 0, outcome)
        for name in ("tile.svg", "trace.json", "hello.s"):
            self.assertTrue(os.path.getsize(self.path(name)), name)

    def test_its_pin(self):
        shown = re.search(r"`tilewright (show hello.mlir [^`]*)` then shows (\d+) tasks where there were (\d+)", self.text)
        words = shown[1].split()
        for pins, tasks in ((None, shown[3]), (self.block("json", "## Pin a tile"), shown[2])):
            if pins:
                self.file("hello.mlir.pins.json", pins)
            outcome = self.tilewright.run(*words, cwd=self.folder, timeout=60)
            self.assertEqual(outcome.err, "")
            self.assertIn(f" {tasks} tasks\n", outcome.out)

    def test_what_the_hint_of_a_pin_proposes_is_accepted(self):
        told = []
        for target in ("cpu-generic", "ascend-a3"):
            level = {"cpu-generic": "cache2", "ascend-a3": "L0"}[target]
            for value in ({"n": 100}, {"m": 64, "n": 1024}, {"k": 4096, "m": 128, "n": 512}, {"m": 7}, {"n": 100000}):
                def compile_with(sizes):
                    self.file("hello.mlir.pins.json", json.dumps({
                        "schema": "tilewright/pins", "version": 1,
                        "pins": [{"key": "hello/h", "target": "*", "kind": "tile", "value": {level: sizes}}]}))
                    outcome = self.run_it("compile", self.hello, "--target", target)
                    self.assertEqual(outcome.code, 0, outcome)
                    return outcome.err
                hint = re.search(r"hint: (.*) would do", compile_with(value))
                if not hint:
                    continue
                told.append(hint[1])
                for change in hint[1].split(", "):
                    name, size = change.split("=")
                    value[name.removeprefix(level + ".")] = int(size)
                self.assertNotIn("[TW02", compile_with(value), (target, hint[1]))
        self.assertGreater(len(told), 4, told)


class Server(WithFolder):
    def server(self):
        server = LanguageServer(SERVER, ENGINE)
        self.addCleanup(server.kill)
        server.open("file:///one.mlir", ONE)
        return server

    def test_answers_follow_their_schemas(self):
        server = self.server()
        self.assertEqual(server.respond("tilewright/trace", {"uri": "file:///one.mlir"})["error"]["data"]["code"],
                         "TW0631")
        run = server.ask("tilewright/run", {"uri": "file:///one.mlir", "repeat": 3, "trace": self.path("t.json")})
        self.follows(run, "run")
        trace = server.ask("tilewright/trace", {"uri": "file:///one.mlir"})
        self.follows(trace, "lastTrace")
        self.assertEqual(trace["origin"], "measured")
        self.assertEqual(trace["path"], self.path("t.json"))
        with open(trace["path"], encoding="utf-8") as file:
            written = json.load(file)
        self.assertTrue(written["traceEvents"])
        self.assertEqual(written["otherData"]["target"], "cpu")
        self.follows(server.ask("tilewright/setTarget", {"target": "ascend-a3"}), "setTarget")
        self.assertEqual(server.ask("tilewright/stages", {"uri": "file:///one.mlir"})["target"], "ascend-a3")
        # An interpreted run leaves the trace of the last one that was timed.
        self.assertEqual(server.ask("tilewright/run", {"uri": "file:///one.mlir"})["milliseconds"], [])

    def test_symbols_carry_keys_and_unnamed_operations_lead_somewhere(self):
        server = self.server()
        symbols = server.ask("textDocument/documentSymbol", {"textDocument": {"uri": "file:///one.mlir"}})
        keys = {child["name"]: child.get("key") for child in symbols[0]["children"]}
        self.assertEqual(symbols[0]["key"], "one")
        self.assertEqual(keys["%a"], "one/a")
        self.assertEqual(keys["%y"], "one/y")
        self.assertRegex(keys["%0"], r"^one/tw\.relu~")
        graph = server.ask("tilewright/graph", {"uri": "file:///one.mlir", "stage": "tensor"})
        self.assertIn(keys["%0"], [key for node in graph["nodes"] for key in node["keys"]])


WIDE = ONE.replace("2x2xf32", "512x512xf32").replace("2x1xf32", "512x512xf32")

BRANCHES = """func.func @pick(%a: tensor<4x4xf32>, %c: i1) -> tensor<4x4xf32> {
  %r = scf.if %c -> (tensor<4x4xf32>) {
    %x = tw.relu %a : (tensor<4x4xf32>) -> tensor<4x4xf32>
    scf.yield %x : tensor<4x4xf32>
  } else {
    scf.yield %a : tensor<4x4xf32>
  }
  return %r : tensor<4x4xf32>
}
"""


class Published(WithFolder):
    """What only compiling finds out reaches the editor, too, without any request."""

    def server(self, name, text, **options):
        server = LanguageServer(SERVER, ENGINE, options=options)
        self.addCleanup(server.kill)
        self.uri = "file://" + self.file(name, text)
        server.open(self.uri, text)
        return server

    def wait_for(self, server, version, wanted):
        """The first publication about `version` in which `wanted` holds of the list."""
        while True:
            params = server.published.get(timeout=60)
            if params.get("version") == version and wanted(params["diagnostics"]):
                return params["diagnostics"]

    def change(self, server, version, text):
        server.notify("textDocument/didChange", {"textDocument": {"uri": self.uri, "version": version},
                                                 "contentChanges": [{"text": text}]})

    def codes(self, *wanted):
        return lambda found: set(wanted) <= {d["code"] for d in found}

    def test_what_no_pass_can_compile_is_told_on_its_line_and_gone_when_mended(self):
        server = self.server("pick.mlir", BRANCHES)
        found = self.wait_for(server, 1, self.codes("TW0303"))
        told = [d for d in found if d["code"] == "TW0303"]
        self.assertEqual(len(told), 1, found)
        self.assertEqual(told[0]["source"], "tilewright")
        self.assertEqual(told[0]["severity"], 1)
        self.assertEqual(told[0]["range"]["start"]["line"], 1)
        self.change(server, 2, ONE)
        self.assertEqual(server.published.get(timeout=60)["diagnostics"], [])
        # An error of reading is told alone, for the compiler stops there.
        self.change(server, 3, ONE.replace("return %y", "return %gone"))
        self.wait_for(server, 3, lambda found: found and not self.codes("TW0303")(found))
        self.change(server, 4, BRANCHES)
        self.wait_for(server, 4, self.codes("TW0303"))

    def test_columns_are_in_the_encoding_of_the_client(self):
        before = 'func.func @e() attributes {note = "é"} { return } '  # one UTF-16 unit, two bytes
        text = ONE + before + BRANCHES.replace("\n", " ")
        server = self.server("wide.mlir", text)
        found = self.wait_for(server, 1, self.codes("TW0303"))
        line = text.split("\n")[-1]
        start = [d for d in found if d["code"] == "TW0303"][0]["range"]["start"]
        self.assertTrue(line[start["character"]:].startswith(("scf.if", "%r")), (start, line))

    def test_pins_that_cannot_be_obeyed(self):
        self.file("one.mlir.pins.json", json.dumps({"schema": "tilewright/pins", "version": 1, "pins": [
            {"key": "one/c", "target": "*", "kind": "tile", "value": {"cache2": {"n": 100}}},
            {"key": "one/c", "target": "*", "kind": "no-such-kind", "value": 1}]}))
        server = self.server("one.mlir", WIDE)
        found = self.wait_for(server, 1, self.codes("TW0202", "TW0211"))
        illegal = [d for d in found if d["code"] == "TW0202"][0]
        self.assertEqual(illegal["range"]["start"]["line"], 1, illegal)
        # The file is another: what the client asks for finds out, and all are told.
        os.remove(self.path("one.mlir.pins.json"))
        server.ask("tilewright/stages", {"uri": self.uri})
        self.wait_for(server, 1, lambda found: found == [])

    def test_the_editor_tells_that_the_pins_have_changed(self):
        server = self.server("one.mlir", ONE)
        self.assertEqual(server.published.get(timeout=60)["diagnostics"], [])
        path = self.file("one.mlir.pins.json", "no JSON")
        server.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": "file://" + path, "type": 1}]})
        self.wait_for(server, 1, lambda found: found)
        os.remove(path)
        server.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": "file://" + path, "type": 3}]})
        self.wait_for(server, 1, lambda found: found == [])

    def test_another_target_is_compiled_for_again(self):
        self.file("one.mlir.pins.json", json.dumps({"schema": "tilewright/pins", "version": 1, "pins": [
            {"key": "one/c", "target": "ascend-a3", "kind": "tile", "value": {"cache1": {"m": -3}}}]}))
        server = self.server("one.mlir", ONE)
        self.assertEqual(server.published.get(timeout=60)["diagnostics"], [])
        server.ask("tilewright/setTarget", {"target": "ascend-a3"})
        self.wait_for(server, 1, self.codes("TW0203"))
        server.ask("tilewright/setTarget", {"target": "cpu"})
        self.wait_for(server, 1, lambda found: found == [])


if __name__ == "__main__":
    del sys.argv[1:6]
    unittest.main(verbosity=1)
