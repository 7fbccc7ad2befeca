#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tilewright/verify` through the server, the engine and the runner: its answer, cancelling it, and the runner's death.

usage: test_verify.py TILEWRIGHT_LSP TILEWRIGHT_ENGINE SCHEMA_CHECK SCHEMAS [TEST...]
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "drivers"))
from language_server import LanguageServer  # noqa: E402

SERVER, ENGINE, CHECK, SCHEMAS = sys.argv[1:5]
REQUEST_CANCELLED = -32800

SMALL = """func.func @small(%x: tensor<20x30xf32>) -> tensor<20x30xf32> {
  %p = tw.softmax %x {axis = -1} : (tensor<20x30xf32>) -> tensor<20x30xf32>
  return %p : tensor<20x30xf32>
}
func.func @other(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = tw.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
"""
# Many passes run a product of 34 GFLOP in double: nobody waits for that.
LARGE = """func.func @large(%a: tensor<2560x2560xf32>, %b: tensor<2560x2560xf32>) -> tensor<2560x2560xf32> {
  %c = tw.matmul %a, %b : (tensor<2560x2560xf32>, tensor<2560x2560xf32>) -> tensor<2560x2560xf32>
  %y = tw.softmax %c {axis = -1} : (tensor<2560x2560xf32>) -> tensor<2560x2560xf32>
  return %y : tensor<2560x2560xf32>
}
"""


def children(process):
    """Ids of all processes below `process`, with their arguments."""
    parents, found = {}, {}
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            found[int(entry.name)] = (entry / "cmdline").read_bytes().decode(errors="replace").split("\0")
        except (OSError, ValueError):
            continue

    def below(pid):
        while pid in parents:
            pid = parents[pid]
            if pid == process:
                return True
        return False

    return {pid: words for pid, words in found.items() if below(pid)}


class Verify(unittest.TestCase):
    def setUp(self):
        self.server = LanguageServer(SERVER, ENGINE)
        self.addCleanup(self.server.kill)
        self.server.open("file:///small.mlir", SMALL)
        self.server.open("file:///large.mlir", LARGE)

    def runners(self):
        return {pid for pid, words in children(self.server.process.pid).items() if "--runner" in words}

    def runner_at_work(self, seconds=60):
        """A runner that has computed for a while."""
        end = time.monotonic() + seconds
        ticks = os.sysconf("SC_CLK_TCK")
        while time.monotonic() < end:
            for pid in self.runners():
                try:
                    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
                except OSError:
                    continue
                if (int(fields[11]) + int(fields[12])) / ticks > 0.5:
                    return pid
            time.sleep(0.05)
        self.fail("no runner began to verify")

    def small_agrees(self):
        result = self.server.ask("tilewright/verify", {"uri": "file:///small.mlir"})
        self.assertTrue(result["passed"])
        return result

    def test_the_answer_follows_its_schema(self):
        result = self.small_agrees()
        checked = subprocess.run([CHECK, SCHEMAS], input=json.dumps(result), capture_output=True, text=True)
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)
        self.assertEqual(result["function"], "small")
        rows = {row["pass"]: row for row in result["passes"]}
        self.assertEqual(rows["tensor/source"]["result"], "reference")
        # Compiled code has no names on the way; a pass has.
        self.assertTrue(rows["cpu/code"]["resultsOnly"])
        self.assertNotIn("resultsOnly", rows["tensor/decompose-composites"])

    def test_it_says_that_there_is_another_function(self):
        notes = [d["message"] for d in self.small_agrees()["diagnostics"] if d["code"] == "TW0558"]
        self.assertEqual(notes, ["only @small was verified; there is also @other"])
        other = self.server.ask("tilewright/verify", {"uri": "file:///small.mlir", "function": "other"})
        self.assertEqual(other["function"], "other")
        self.assertNotIn("TW0558", [d["code"] for d in other["diagnostics"]])

    def test_a_cancelled_one_ends_at_once_and_leaves_nothing(self):
        number = self.server.request("tilewright/verify", {"uri": "file:///large.mlir"})
        self.runner_at_work()
        begin = time.monotonic()
        self.server.notify("$/cancelRequest", {"id": number})
        self.assertEqual(self.server.answer(number)["error"]["code"], REQUEST_CANCELLED)
        self.assertLess(time.monotonic() - begin, 10)
        self.small_agrees()

    def test_the_death_of_the_runner_costs_that_request_alone(self):
        number = self.server.request("tilewright/verify", {"uri": "file:///large.mlir"})
        os.kill(self.runner_at_work(), signal.SIGKILL)
        error = self.server.answer(number)["error"]
        self.assertEqual(error["data"]["code"], "TW0620")
        self.assertIn("verifying large of file:///large.mlir", error["message"] + error["data"]["message"])
        self.small_agrees()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[5:])
