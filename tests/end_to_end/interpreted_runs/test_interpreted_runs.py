#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tilewright run` for machines that are not here: their Block graph is executed by the interpreter.

usage: test_interpreted_runs.py TILEWRIGHT TILEWRIGHT_ENGINE [TEST...]
"""
import json
import os
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "drivers"))
from command_line import CommandLine  # noqa: E402

PROGRAM, ENGINE = sys.argv[1:3]
SOURCE = """func.func @f(%a: tensor<40x40xf16>, %b: tensor<40x40xf16>) -> tensor<40x40xf16> {
  %c = tw.matmul %a, %b : (tensor<40x40xf16>, tensor<40x40xf16>) -> tensor<40x40xf16>
  %y = tw.exp %c : (tensor<40x40xf16>) -> tensor<40x40xf16>
  return %y : tensor<40x40xf16>
}
"""
# Reductions, slices and reshapes to and from no dimensions.
ONE_ELEMENT = """func.func @f(%x: tensor<1xf32>, %s: tensor<f32>, %z: tensor<4x8xf32>) -> (tensor<f32>, tensor<1x1xf32>, tensor<f32>, tensor<1xf32>) {
  %a = tw.reduce %x {kind = sum, axes = [0]} : (tensor<1xf32>) -> tensor<f32>
  %b = tw.reshape %s : (tensor<f32>) -> tensor<1x1xf32>
  %c = tw.slice %z {offsets = [1, 3], sizes = [1, 1]} : (tensor<4x8xf32>) -> tensor<1x1xf32>
  %d = tw.reshape %c : (tensor<1x1xf32>) -> tensor<f32>
  %e = tw.exp %s : (tensor<f32>) -> tensor<f32>
  %g = tw.reshape %e : (tensor<f32>) -> tensor<1xf32>
  return %a, %b, %d, %g : tensor<f32>, tensor<1x1xf32>, tensor<f32>, tensor<1xf32>
}
"""


class InterpretedRuns(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.tilewright = CommandLine(PROGRAM, ENGINE)
        self.path = os.path.join(self.folder, "f.mlir")
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(SOURCE)

    def run_for_a3(self, *words):
        return self.tilewright.run("run", self.path, "--target", "ascend-a3", *words, timeout=60)

    def test_repeats_are_run(self):
        outcome = self.run_for_a3("--repeat", "3", "--check", "--json")
        self.assertEqual(outcome.code, 0, outcome)
        result = json.loads(outcome.out)
        self.assertEqual(result["repeats"], 3)
        self.assertEqual(result["milliseconds"], [])
        self.assertTrue(result["checks"] and all(check["passed"] for check in result["checks"]))
        self.assertIn("block interpreter, pipes interleaved",
                      [check["reference"] for check in result["checks"]])
        self.assertIn("TW0550", [each["code"] for each in result["diagnostics"]])

    def test_tensors_of_no_dimensions_have_one_element(self):
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(ONE_ELEMENT)
        for target in ["cpu", "ascend-a3"]:
            outcome = self.tilewright.run("run", self.path, "--target", target, "--check", "--json", timeout=60)
            self.assertEqual(outcome.code, 0, outcome)
            checks = json.loads(outcome.out)["checks"]
            self.assertTrue(checks and all(check["passed"] for check in checks), outcome)

    def test_a_trace_is_refused(self):
        trace = os.path.join(self.folder, "trace.json")
        outcome = self.run_for_a3("--trace", trace)
        self.assertEqual(outcome.code, 1, outcome)
        self.assertRegex(outcome.err, r"error: there is no trace of a run for ascend-a3.*\[TW0556\]")
        self.assertFalse(os.path.exists(trace))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
