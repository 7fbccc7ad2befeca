# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Experiments as a person records, compares and restores them.

usage: test_experiments.py TILEWRIGHT ENGINE
"""
import json
import os
import pathlib
import shutil
import sqlite3
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "drivers"))
from command_line import CommandLine  # noqa: E402

PROGRAM, ENGINE = sys.argv[1], sys.argv[2]
SOURCE = """func.func @small(%x: tensor<64x96xf32>, %w: tensor<96x128xf32>) -> tensor<64x128xf32> {
  %y = tw.matmul %x, %w : (tensor<64x96xf32>, tensor<96x128xf32>) -> tensor<64x128xf32>
  return %y : tensor<64x128xf32>
}
"""
PINS = json.dumps({"schema": "tilewright/pins", "version": 1, "pins": [
    {"key": "small/y", "target": "*", "kind": "tile", "value": {"cache2": {"m": 24, "n": 64, "k": 48}}}]})


class Experiments(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.tilewright = CommandLine(PROGRAM, ENGINE)
        self.source = self.folder / "small.mlir"
        self.source.write_text(SOURCE)
        self.pins = self.folder / "small.mlir.pins.json"

    def ok(self, *words):
        outcome = self.tilewright.run(*map(str, words))
        self.assertEqual(outcome.code, 0, outcome)
        return outcome.out

    def here(self, *words):
        return self.ok("experiments", *words, "--in", self.folder)

    def test_record_compare_and_restore(self):
        self.assertIn("No experiment was recorded", self.here("list"))
        self.assertFalse((self.folder / ".tilewright").exists())
        self.assertIn("recorded as experiment 1\n", self.ok("run", self.source, "--record", "--check"))
        self.pins.write_text(PINS)
        self.assertIn("recorded as experiment 2\n", self.ok("run", self.source, "--note", "smaller tiles"))

        lines = self.here("list").splitlines()
        self.assertEqual(len(lines), 3)
        self.assertRegex(lines[1], r"^1  .*Z  small\.mlir  cpu +run @small  best time .* ms \(measured\)")
        self.assertTrue(lines[2].endswith("smaller tiles"), lines[2])

        compared = json.loads(self.here("compare", 1, 2, "--json"))
        self.assertTrue(compared["sameSource"])
        self.assertFalse(compared["samePins"])
        tile = [each for each in compared["decisions"] if each["kind"] == "tile"]
        self.assertEqual(len(tile), 1, compared["decisions"])
        self.assertEqual(tile[0]["key"], "small/y")
        self.assertEqual((tile[0]["beforeOrigin"], tile[0]["afterOrigin"]), ("default", "pinned"))
        self.assertEqual(tile[0]["after"]["cache2"], {"m": 24, "n": 64, "k": 48})
        times = [each for each in compared["metrics"] if each["name"] == "best time"]
        self.assertEqual(times[0]["beforeOrigin"], "measured")
        self.assertGreater(times[0]["before"], 0)
        self.assertIn("the pins differ", self.here("compare", 1, 2))

        # Restoring keeps what was there as an experiment of its own.
        self.source.write_text(SOURCE.replace("%y", "%z"))
        text = self.here("restore", 1)
        self.assertIn("as of experiment 1; what was there is experiment 3", text)
        self.assertEqual(self.source.read_text(), SOURCE)
        self.assertFalse(self.pins.exists())
        self.assertIn("already", self.here("restore", 1))
        self.here("restore", 3)
        self.assertEqual(self.source.read_text(), SOURCE.replace("%y", "%z"))
        self.assertEqual(self.pins.read_text(), PINS)

    def test_overrides_are_recorded_compared_and_restored(self):
        target = ("--target", "cpu-generic")
        stage = self.folder / "stage.mlir"
        self.ok("compile", self.source, "--record", *target)
        folder = self.folder / ".tilewright/overrides/small.mlir"
        shown = self.ok("show", self.source, "--stage", "tile/form-scopes", *target)
        self.assertIn("    return %y : tensor<64x128xf32>", shown)
        # The last one is that of the scope; the same values, by way of their negatives.
        head, _, tail = shown.rpartition("    return %y : tensor<64x128xf32>")
        stage.write_text(head + """    %a = tw.neg %y : (tensor<64x128xf32>) -> tensor<64x128xf32>
    %b = tw.neg %a : (tensor<64x128xf32>) -> tensor<64x128xf32>
    return %b : tensor<64x128xf32>""" + tail)
        self.ok("override", "edit", self.source, "tile/form-scopes", stage, *target)
        files = {each.name: each.read_text() for each in folder.iterdir()}
        self.assertEqual(len(files), 1)
        self.ok("compile", self.source, "--record", *target)
        compared = json.loads(self.here("compare", 1, 2, "--json"))
        self.assertTrue(compared["samePins"])
        self.assertFalse(compared["sameOverrides"])
        name = next(iter(files))
        self.assertEqual(compared["overrides"], [name.removesuffix(".json")])
        self.assertIn("the overrides differ: " + name.removesuffix(".json"), self.here("compare", 1, 2))

        self.assertIn("what was there is experiment 3", self.here("restore", 1))
        self.assertFalse(folder.exists())
        self.assertIn("and its overrides as of experiment 2", self.here("restore", 2))
        self.assertEqual({each.name: each.read_text() for each in folder.iterdir()}, files)
        self.assertIn("already", self.here("restore", 2))

    def test_a_database_of_an_older_version_is_read_and_goes_on(self):
        self.ok("compile", self.source, "--record")
        database = sqlite3.connect(self.folder / ".tilewright/experiments.db")
        database.execute("ALTER TABLE experiments DROP COLUMN overrides")
        database.execute("PRAGMA user_version = 1")
        database.commit()
        database.close()
        self.assertEqual(len(self.here("list").splitlines()), 2)
        self.assertIn("recorded as experiment 2", self.ok("compile", self.source, "--record"))
        self.assertTrue(json.loads(self.here("compare", 1, 2, "--json"))["sameOverrides"])

    def test_an_estimate_is_recorded_and_compared(self):
        target = ("--target", "cpu-generic")
        self.assertIn("recorded as experiment 1\n", self.ok("estimate", self.source, *target, "--note", "before"))
        self.pins.write_text(PINS)
        self.assertIn("recorded as experiment 2\n", self.ok("estimate", self.source, *target, "--record"))
        self.assertNotIn("recorded", self.ok("estimate", self.source, *target))
        for line in self.here("list").splitlines()[1:]:
            self.assertRegex(line, r"estimate +time [0-9.]+ us \(estimated\)")
        compared = json.loads(self.here("compare", 1, 2, "--json"))
        self.assertEqual(compared["before"]["kind"], "estimate")
        self.assertEqual(compared["before"]["note"], "before")
        times = {each["name"]: each for each in compared["metrics"]}
        kernel = times["time of small/y"]
        self.assertEqual((kernel["beforeOrigin"], kernel["afterOrigin"], kernel["unit"]),
                         ("estimated", "estimated", "us"))
        estimate = json.loads(self.ok("estimate", self.source, *target, "--json"))
        self.assertAlmostEqual(kernel["after"], estimate["kernels"][0]["seconds"] * 1e6)
        self.assertNotEqual(kernel["before"], kernel["after"])
        self.assertAlmostEqual(times["time"]["after"], estimate["seconds"] * 1e6)

    def test_what_does_not_compile_can_be_recorded_and_restored(self):
        self.source.write_text("func.func @broken(")
        outcome = self.tilewright.run("compile", str(self.source), "--record")
        self.assertEqual(outcome.code, 1, outcome)
        self.assertIn("FAILED", self.here("list"))
        self.source.write_text(SOURCE)
        self.here("restore", 1)
        self.assertEqual(self.source.read_text(), "func.func @broken(")

    def test_lists_of_one_source_and_of_the_last(self):
        other = self.folder / "other.mlir"
        other.write_text(SOURCE)
        for source in (self.source, other, self.source):
            self.ok("compile", source, "--record")

        def ids(*words):
            return [each["id"] for each in json.loads(self.here("list", *words, "--json"))["experiments"]]
        self.assertEqual(ids(), [1, 2, 3])
        self.assertEqual(ids("--of", "small.mlir"), [1, 3])
        self.assertEqual(ids("--limit", "2"), [2, 3])
        self.assertEqual(ids("--of", "small.mlir", "--limit", "1"), [3])

    def test_a_source_that_is_gone_comes_back(self):
        self.ok("compile", self.source, "--record")
        self.source.unlink()
        self.assertIn("restored", self.here("restore", 1))
        self.assertEqual(self.source.read_text(), SOURCE)

    def test_errors(self):
        refused = [(["show", "7"], 1, "TW0641"), (["compare", "1"], 2, "TW0700"), (["show"], 2, "TW0700"),
                   (["list", "3"], 2, "TW0700"), (["shwo", "1"], 2, "TW0700"), (["show", "0"], 2, "TW0700"),
                   (["show", "99999999999999999999"], 1, "TW0641")]
        self.ok("compile", self.source, "--record")
        for words, code, name in refused:
            with self.subTest(words):
                outcome = self.tilewright.run("experiments", *words, "--in", str(self.folder))
                self.assertEqual(outcome.code, code, outcome)
                self.assertIn(name, outcome.err)
        outcome = self.tilewright.run("experiments", "list", "--in", str(self.folder / "nowhere"))
        self.assertEqual(outcome.code, 2, outcome)
        outcome = self.tilewright.run("compile", "-", "--record", stdin=SOURCE.encode())
        self.assertIn("TW0642", outcome.err)
        (self.folder / ".tilewright/experiments.db").write_bytes(b"z" * 5000)
        for words in (["experiments", "list", "--in", str(self.folder)], ["compile", str(self.source), "--record"]):
            outcome = self.tilewright.run(*words)
            self.assertEqual(outcome.code, 1, outcome)
            self.assertIn("TW0640", outcome.err)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
