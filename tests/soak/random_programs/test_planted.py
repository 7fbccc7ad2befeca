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
import time
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
if "{fault}" not in ("other bits", "none") or arguments[0] != "run":
    sys.exit(0)
folder = pathlib.Path(arguments[arguments.index("--output") + 1])
(folder / "result0.npy").write_bytes(b"same" if not planted or "{fault}" == "none" else os.urandom(8))
"""

SERVER = """#!{python}
import json, os, pathlib, sys, urllib.parse
sys.path.insert(0, {drivers!r})
from language_server import read_message
planted = False
while (body := read_message(sys.stdin.buffer)) is not None:
    message = json.loads(body)
    params = message.get("params") or dict()
    if message["method"] == "textDocument/didOpen":
        planted = "tw.{op} " in params["textDocument"]["text"]
    if "id" not in message:
        continue
    result = dict(capabilities=dict())
    if message["method"] == "tilewright/verify":
        if planted and "{fault}" == "dies":
            sys.exit(1)
        result = dict(passed=not (planted and "{fault}" == "fails"))
    if message["method"] == "tilewright/run":
        other = planted and "{fault}" == "other bits"
        (pathlib.Path(params["outputs"]) / "result0.npy").write_bytes(os.urandom(8) if other else b"same")
        result = dict(checks=[dict(passed=True)])
    body = json.dumps(dict(jsonrpc="2.0", id=message["id"], result=result)).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\\r\\n\\r\\n" % len(body) + body)
    sys.stdout.buffer.flush()
"""


class Planted(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # A second, or longer where starting a program takes long: a busy machine is no hang.
        begun = time.monotonic()
        for _ in range(3):
            subprocess.run([sys.executable, "-c", "import subprocess"], check=True)
        cls.timeout = max(1.0, 10 * (time.monotonic() - begun))

    def found(self, op, fault, kind, of_server=None):
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary)
            wrapper = folder / "tilewright"
            wrapper.write_text(WRAPPER.format(python=sys.executable, op=op, fault=fault))
            wrapper.chmod(0o755)
            server = folder / "server"
            server.write_text(SERVER.format(python=sys.executable, op=op, fault=of_server, drivers=str(
                pathlib.Path(__file__).resolve().parents[2] / "end_to_end" / "drivers")))
            server.chmod(0o755)
            one = ["--server", server, "--engine", server] if of_server else []
            number = next(i for i in range(1, 1000)
                          if i % 3 and f"tw.{op} " in generate(f"5/{i}").text()
                          and len(generate(f"5/{i}").operations) > 5)
            done = subprocess.run(
                [sys.executable, pathlib.Path(__file__).parent / "run.py", "--tilewright", wrapper, *one, "--out",
                 folder / "found", "--only", f"5/{number}", "--timeout", str(self.timeout),
                 "--shrink-seconds", str(60 * self.timeout)], capture_output=True, text=True)
            self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
            kept = folder / "found" / f"5-{number}"
            self.assertIn(kind, (kept / "failure.txt").read_text())
            self.assertIn(f"tw.{op} ", (kept / "program.mlir").read_text())
            if kind == "session":
                return
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

    def testFailureOfServerAndCommands(self):
        self.found("sub", "fails", "verify cpu exit 1", "fails")

    def testFailureOfServerAlone(self):
        self.found("sub", "none", "session", "fails")
        self.found("concat", "none", "session", "other bits")
        self.found("exp", "none", "session", "dies")


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
