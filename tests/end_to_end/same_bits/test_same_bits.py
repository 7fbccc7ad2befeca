#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums cut into parts (`split_k`) have the same bits in every run, whichever thread ends first.

The order of additions is fixed by the parts: partial sums lie side by side and one task adds them up
in their order. Parts that were added as they come in would differ now and then; the values are such
that another order gives other bits, which the test makes sure of.

usage: test_same_bits.py TILEWRIGHT [TEST...]
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv[1]

MATMUL = """func.func @f(%a: tensor<24x16384xf32>, %b: tensor<16384x40xf32>) -> tensor<24x40xf32> {
  %y = tw.matmul %a, %b : (tensor<24x16384xf32>, tensor<16384x40xf32>) -> tensor<24x40xf32>
  return %y : tensor<24x40xf32>
}
"""
ROWS = """func.func @f(%x: tensor<3x400000xf32>) -> tensor<3xf32> {
  %y = tw.reduce %x {kind = sum, axes = [1]} : (tensor<3x400000xf32>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}
"""


class SameBits(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def tilewright(self, *arguments):
        done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout[-2000:] + done.stderr[-2000:])
        return done.stdout

    def source(self, text, parts):
        """A file with `text`, its sums cut into `parts`, which the compiler must say are in force."""
        file = self.folder / f"{parts}" / "f.mlir"
        file.parent.mkdir()
        file.write_text(text)
        self.tilewright("pin", file, "f/y", "split_k", parts)
        decisions = json.loads(self.tilewright("explain", file, "--json"))["decisions"]
        split = [d for d in decisions if d["kind"] == "split_k"]
        self.assertEqual([(d["value"], d["origin"]) for d in split], [(parts, "pinned")])
        return file

    def bits(self, file, threads, turn):
        out = file.parent / f"{threads}-{turn}"
        # The last of many runs, each with its own luck.
        self.tilewright("run", file, "--threads", threads, "--repeat", 20, "-o", out)
        results = {p.name: p.read_bytes() for p in out.glob("*.npy")}
        self.assertEqual(len(results), 1)
        return results

    def check(self, text):
        by_parts = {}
        for parts in (4, 16):
            file = self.source(text, parts)
            seen = [self.bits(file, threads, turn) for threads in (1, 2, 8) for turn in range(3)]
            # Not only from run to run: the parts do not depend on the threads either.
            for other in seen[1:]:
                self.assertEqual(other, seen[0])
            by_parts[parts] = seen[0]
        # Another order of additions is visible, else this test could not fail.
        self.assertNotEqual(by_parts[4], by_parts[16])

    def test_matmul(self):
        self.check(MATMUL)

    def test_rows(self):
        self.check(ROWS)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
