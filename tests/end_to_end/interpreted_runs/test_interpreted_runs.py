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
# A batch of one: its stride leads nowhere, so that writing over an operand stays that.
ONE_BATCH = """func.func @f(%a: tensor<1x1x1xf32>, %s: tensor<f32>, %x: tensor<1x1x13xf32>) -> tensor<1x13x13xf32> {
  %c = tw.matmul %x, %x {transpose_lhs} : (tensor<1x1x13xf32>, tensor<1x1x13xf32>) -> tensor<1x13x13xf32>
  %m = tw.mul %a, %c : (tensor<1x1x1xf32>, tensor<1x13x13xf32>) -> tensor<1x13x13xf32>
  %d = tw.div %m, %s : (tensor<1x13x13xf32>, tensor<f32>) -> tensor<1x13x13xf32>
  return %d : tensor<1x13x13xf32>
}
"""
# What MLIR's own dialects say on whole tensors.
UPSTREAM = """func.func @f(%x: tensor<6x8xf32>, %y: tensor<6x8xf32>, %h: tensor<6x8xf16>, %i: tensor<6x8xi32>) -> (tensor<6x8xf32>, tensor<3x4xf32>, tensor<48xf32>, tensor<2x3x8xf32>, tensor<12x8xf32>, tensor<6x8xf32>, tensor<8xf32>, tensor<6x8xi32>, tensor<6x8xf32>, tensor<6x8xf32>) {
  %a = arith.addf %x, %y : tensor<6x8xf32>
  %b = math.exp %a : tensor<6x8xf32>
  %c = tensor.extract_slice %b[0, 1] [3, 4] [2, 1] : tensor<6x8xf32> to tensor<3x4xf32>
  %d = tensor.collapse_shape %b [[0, 1]] : tensor<6x8xf32> into tensor<48xf32>
  %e = tensor.expand_shape %a [[0, 1], [2]] output_shape [2, 3, 8] : tensor<6x8xf32> into tensor<2x3x8xf32>
  %g = tensor.concat dim(0) %a, %b : (tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<12x8xf32>
  %s = tensor.insert_slice %c into %a[1, 2] [3, 4] [1, 1] : tensor<3x4xf32> into tensor<6x8xf32>
  %r = tensor.extract_slice %x[2, 0] [1, 8] [1, 1] : tensor<6x8xf32> to tensor<8xf32>
  %j = arith.muli %i, %i : tensor<6x8xi32>
  %w = arith.extf %h : tensor<6x8xf16> to tensor<6x8xf32>
  %m = arith.cmpf olt, %w, %x : tensor<6x8xf32>
  %n = arith.select %m, %w, %x : tensor<6x8xi1>, tensor<6x8xf32>
  %o = math.sin %n : tensor<6x8xf32>
  %k = tensor.insert_slice %r into %n[1, 0] [1, 8] [1, 1] : tensor<8xf32> into tensor<6x8xf32>
  return %b, %c, %d, %e, %g, %s, %r, %j, %o, %k : tensor<6x8xf32>, tensor<3x4xf32>, tensor<48xf32>, tensor<2x3x8xf32>, tensor<12x8xf32>, tensor<6x8xf32>, tensor<8xf32>, tensor<6x8xi32>, tensor<6x8xf32>, tensor<6x8xf32>
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
        self.check_everywhere(ONE_ELEMENT)

    def test_a_batch_of_one_is_written_over_in_place(self):
        self.check_everywhere(ONE_BATCH)

    def check_everywhere(self, source):
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(source)
        for target in ["cpu", "ascend-a3"]:
            outcome = self.tilewright.run("run", self.path, "--target", target, "--check", "--json", timeout=60)
            self.assertEqual(outcome.code, 0, outcome)
            checks = json.loads(outcome.out)["checks"]
            self.assertTrue(checks and all(check["passed"] for check in checks), outcome)

    def test_arith_math_and_tensor_on_whole_tensors(self):
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(UPSTREAM)
        for target in ["cpu", "ascend-a3"]:
            outcome = self.tilewright.run("run", self.path, "--target", target, "--check", "--json", timeout=60)
            self.assertEqual(outcome.code, 0, outcome)
            checks = json.loads(outcome.out)["checks"]
            self.assertTrue(checks and all(check["passed"] for check in checks), outcome)
            outcome = self.tilewright.run("verify", self.path, "--target", target, timeout=60)
            self.assertEqual(outcome.code, 0, outcome)

    def test_a_slice_beyond_its_tensor_is_told_with_figures(self):
        with open(self.path, "w", encoding="utf-8") as file:
            file.write("func.func @f(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {\n"
                       "  %p = tensor.extract_slice %x[3, 0] [6, 8] [1, 1] : tensor<6x8xf32> to tensor<6x8xf32>\n"
                       "  return %p : tensor<6x8xf32>\n}\n")
        outcome = self.run_for_a3()
        self.assertEqual(outcome.code, 1, outcome)
        self.assertRegex(outcome.err, r":2:3: error: .*the slice ends at element 8, but the dimension has 6.*\[TW0109\]")

    def test_a_trace_is_refused(self):
        trace = os.path.join(self.folder, "trace.json")
        outcome = self.run_for_a3("--trace", trace)
        self.assertEqual(outcome.code, 1, outcome)
        self.assertRegex(outcome.err, r"error: there is no trace of a run for ascend-a3.*\[TW0556\]")
        self.assertFalse(os.path.exists(trace))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
