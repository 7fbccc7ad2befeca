#!/usr/bin/env python3
# test_planted.py - that random programs find what is wrong, make it small, and keep it.
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# A wrapper around tilewright plants a fault: it fails, crashes, hangs or writes other bits in each run,
# where the program has an operation. The program that is kept must have that operation alone.
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from generate import generate  # noqa: E402
from program import FLOATS, infer  # noqa: E402

WRAPPER = """#!{python}
import os, pathlib, signal, subprocess, sys, time
arguments = sys.argv[1:]
planted = "tw.{op} " in pathlib.Path(arguments[1]).read_text()
if planted and "{fault}" == "fails":
    sys.exit(1)
if planted and "{fault}" == "crashes":
    os.kill(os.getpid(), signal.SIGSEGV)
if planted and "{fault}" == "hangs":
    time.sleep(60)
if "{fault}" != "other bits" or arguments[0] != "run":
    sys.exit(0)
folder = pathlib.Path(arguments[arguments.index("--output") + 1])
(folder / "result0.npy").write_bytes(b"same" if not planted else os.urandom(8))
"""


class Planted(unittest.TestCase):
    def found(self, op, fault, kind):
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary)
            wrapper = folder / "tilewright"
            wrapper.write_text(WRAPPER.format(python=sys.executable, op=op, fault=fault))
            wrapper.chmod(0o755)
            number = next(i for i in range(1, 1000)
                          if i % 3 and f"tw.{op} " in generate(f"5/{i}").text()
                          and len(generate(f"5/{i}").operations) > 5)
            done = subprocess.run(
                [sys.executable, pathlib.Path(__file__).parent / "run.py", "--tilewright", wrapper, "--out",
                 folder / "found", "--only", f"5/{number}", "--timeout", "1"], capture_output=True, text=True)
            self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
            kept = folder / "found" / f"5-{number}"
            self.assertIn(kind, (kept / "failure.txt").read_text())
            self.assertIn(f"tw.{op} ", (kept / "program.mlir").read_text())
            lines = [line for line in (kept / "shrunk.mlir").read_text().splitlines() if " = " in line]
            self.assertEqual(len(lines), 1, "\n".join(lines))
            self.assertIn(f"tw.{op} ", lines[0])

    def testFailure(self):
        self.found("sub", "fails", "verify cpu exit 1")

    def testCrash(self):
        self.found("matmul", "crashes", "verify cpu -11")

    def testHang(self):
        self.found("reduce", "hangs", "verify cpu hang")

    def testOtherBits(self):
        self.found("concat", "other bits", "run other bits")


class Generated(unittest.TestCase):
    def testCoverage(self):
        programs = [generate(f"1/{i}") for i in range(400)]
        operations = {o.op for p in programs for o in p.operations}
        self.assertEqual(len(operations), 35, sorted(operations))
        types = [t for p in programs for t in p.types().values()]
        self.assertLessEqual({*FLOATS, "i1", "i8", "i32", "i64"}, {t.dtype for t in types})
        self.assertLessEqual({0, 1, 2, 3, 4}, {t.rank for t in types})
        self.assertLessEqual({0, 1, 13, 64, 127, 129}, {s for t in types for s in t.shape})

    def testSameSeedSameProgram(self):
        self.assertEqual(generate("3/4").text(), generate("3/4").text())
        self.assertNotEqual(generate("3/4").text(), generate("3/5").text())

    def testWellTyped(self):
        for i in range(200):
            program = generate(f"2/{i}")
            types = program.types()
            for operation in program.operations:
                self.assertEqual(infer(operation, [types[o] for o in operation.operands]), operation.type)


if __name__ == "__main__":
    unittest.main()
