#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command line before an engine that does as its text says (tests/lsp/fake_engine).

usage: test_command_line.py TILEWRIGHT FAKE_ENGINE
"""
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "drivers"))
from command_line import CommandLine, alive, descendants, interrupt, wait_until  # noqa: E402

PROGRAM, ENGINE = sys.argv[1], sys.argv[2]
COMMANDS = ["compile", "stages", "show", "diff", "graph", "memory", "run", "verify", "target"]


class CommandLineTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.tilewright = CommandLine(PROGRAM, ENGINE)
        self.good = self.file("good.mlir", "line one\nline two\n")

    def file(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        return path

    def path(self, name):
        return os.path.join(self.folder, name)

    def run_ok(self, *words, **more):
        outcome = self.tilewright.run(*words, **more)
        self.assertEqual(outcome.code, 0, outcome)
        return outcome

    def words_of(self, command):
        """A right command line of each command."""
        return {"diff": ["diff", self.good, "tensor", "tile"],
                "target": ["target"]}.get(command, [command, self.good])

    # What is printed -------------------------------------------------------

    def test_stage_table_is_aligned(self):
        lines = self.run_ok("stages", self.good).out.splitlines()
        self.assertEqual(lines[0], "stage   pass          changed       ops     ms")
        self.assertEqual(lines[2], "tile    form-scopes   yes             5   1.50")
        self.assertEqual(lines[-1], "3 passes for cpu, 2 changed something, 1.88 ms (measured)")

    def test_json_is_the_result_of_the_method(self):
        schemas = {"compile": "tilewright/compile", "stages": "tilewright/stages",
                   "show": "tilewright/ir", "diff": "tilewright/diff",
                   "graph": "tilewright/graph", "memory": "tilewright/memoryMap",
                   "run": "tilewright/run",
                   "verify": "tilewright/verify",
                   "target": "tilewright/targets"}
        for command in COMMANDS:
            with self.subTest(command):
                result = json.loads(self.run_ok(*self.words_of(command), "--json").out)
                self.assertEqual(result["schema"], schemas[command])
                self.assertEqual(result["version"], 1)

    def test_target_on_every_command(self):
        for command in COMMANDS:
            with self.subTest(command):
                outcome = self.run_ok(*self.words_of(command), "--target", "ascend-a3", "--json")
                if command in ("stages", "run", "verify"):
                    self.assertEqual(json.loads(outcome.out)["target"], "ascend-a3")

    def test_show_prints_the_text(self):
        self.assertEqual(self.run_ok("show", self.good, "--stage", "tile/expand-tiles").out,
                         "// tile/expand-tiles\nline one\nline two\n")

    def test_diff(self):
        self.assertIn("f/y: changed\n  - %y = a\n  + %y = b\n",
                      self.run_ok("diff", self.good, "tensor", "tile").out)
        self.assertTrue(self.run_ok("diff", self.good, "tensor", "tile", "--text").out
                        .startswith("--- a\n+++ b\n"))

    def test_graph(self):
        self.assertIn("2 nodes, 1 edges", self.run_ok("graph", self.good).out)
        asked = json.loads(self.run_ok("graph", self.good, "--nodes", "7", "--open", "a", "--root", "r", "--find", "q", "--json").out)["echo"]
        self.assertEqual([asked[name] for name in ("atMost", "open", "root", "find")], [7, ["a"], "r", "q"])
        self.assertNotIn("atMost", json.loads(self.run_ok("graph", self.good, "--json").out)["echo"])
        self.assertIn("digraph", self.run_ok("graph", self.good, "--dot").out)
        out = self.path("g.svg")
        self.assertEqual(self.run_ok("graph", self.good, "--svg", "-o", out).out, "")
        with open(out, encoding="utf-8") as file:
            self.assertTrue(file.read().startswith("<svg"))
        self.assertEqual(self.tilewright.run("graph", self.good, "--svg", "--dot").code, 2)

    def test_dark_pictures(self):
        for command in ("graph", "memory"):
            light = self.run_ok(command, self.good, "--svg").out
            dark = self.run_ok(command, self.good, "--svg", "--dark").out
            self.assertTrue(dark.startswith("<svg"))
            self.assertIn("#171b21", dark)
            self.assertNotIn("#171b21", light)

    def test_memory(self):
        out = self.run_ok("memory", self.good).out
        self.assertIn("8 KiB  184 KiB       8 KiB   1\n", out)
        out = self.run_ok("memory", self.good, "--kernel", "k").out
        self.assertIn("UB: reaches 8 KiB of 184 KiB usable; most alive at once 8 KiB from instruction 1: x_UB\n", out)
        out = self.path("m.svg")
        self.assertEqual(self.run_ok("memory", self.good, "--svg", "-o", out).out, "")
        with open(out, encoding="utf-8") as file:
            self.assertTrue(file.read().startswith("<svg"))
        self.assertEqual(self.tilewright.run("memory", self.good, "--svg", "--json").code, 2)

    def test_run_tells_times_speed_and_checks(self):
        out = self.run_ok("run", self.good, "--repeat", "3", "--check", "--threads", "1").out
        self.assertIn("best time", out)
        self.assertIn("measured", out)
        self.assertRegex(out, r"2\.00\s+GFLOP/s .*, 2\.00 % of 100 GFLOP/s peak")
        self.assertIn("check result0 against tensor interpreter: passed", out)
        bad = self.tilewright.run("run", self.file("d.mlir", "@differs"), "--check")
        self.assertEqual(bad.code, 1)
        self.assertIn("FAILED", bad.out)

    def test_verify_names_the_first_wrong_pass(self):
        out = self.run_ok("verify", self.good).out
        self.assertRegex(out, r"tile/expand-tiles +passed +1e-07 of 1e-05 +f/y")
        self.assertIn("every stage computes what the source says", out)
        bad = self.tilewright.run("verify", self.file("d.mlir", "@differs"))
        self.assertEqual(bad.code, 1)
        self.assertRegex(bad.out, r"tile/expand-tiles +FAILED +0\.5 of 1e-05 +f/y")
        self.assertIn("wrong since tile/expand-tiles, scope @f.y, f/y", bad.out)
        self.assertIn("worst at [0, 3]: 1.5, the source says 1; error 0.5 of 1e-05 allowed", bad.out)
        self.assertRegex(bad.out, r"1e-1 to 1e0 +2\n")

    def test_run_writes_the_trace_in_its_place(self):
        trace = self.path("t.json")
        result = json.loads(self.run_ok("run", self.good, "--trace", trace, "--json").out)
        self.assertEqual(result["tracePath"], trace)
        self.assertEqual(sorted(os.listdir(self.folder)), ["good.mlir", "t.json"])

    def test_compile_emits(self):
        self.assertEqual(self.run_ok("compile", self.good, "--emit", "llvm").out, "; llvm\n")
        self.run_ok("compile", self.good, "--emit", "object", "-o", self.path("x.o"))
        self.assertTrue(os.path.exists(self.path("x.o")))
        self.assertEqual(self.tilewright.run("compile", self.good, "--emit", "object").code, 2)

    def test_target(self):
        out = self.run_ok("target").out
        self.assertIn("cpu *", out)
        self.assertEqual(self.run_ok("target", "--names").out, "cpu\nascend-a3\n")
        self.assertEqual(self.run_ok("target", "list").out, out)
        for words in (["target", "ascend-a3"], ["target", "show", "a3"],
                      ["target", "--target", "a3"]):
            out = self.run_ok(*words).out
            self.assertIn("clock 1.85 GHz (platform)", out)
            self.assertRegex(out, r"cube\s+24\s+24  MTE2 CUBE  platform")
            self.assertRegex(out, r"UB\s+vector\s+192 KiB\s+184 KiB\s.*unified buffer  pto-isa")
        self.assertEqual(json.loads(self.run_ok("target", "a3", "--json").out)["name"], "a3")
        unknown = self.tilewright.run("target", "nowhere")
        self.assertEqual(unknown.code, 2)
        self.assertIn("there is no target 'nowhere'", unknown.err)
        self.assertEqual(self.tilewright.run("target", "show").code, 2)
        self.assertEqual(self.tilewright.run("target", "check").code, 2)

    def test_standard_input(self):
        self.assertEqual(self.run_ok("show", "-", stdin=b"from a pipe\n").out,
                         "// tensor\nfrom a pipe\n")

    # Help and usage ----------------------------------------------------------

    def test_help_everywhere_with_examples(self):
        for words in [[]] + [[command] for command in COMMANDS + ["completion"]]:
            with self.subTest(words):
                out = self.run_ok(*words, "--help").out
                self.assertIn("Examples:\n  ", out)
                self.assertIn("tilewright " + " ".join(words), out)
        self.assertRegex(self.run_ok("--version").out, r"^tilewright \d+\.\d+\.\d+\n$")

    def test_wrong_usage_is_2_and_says_where_help_is(self):
        for words in [["nonsense"], ["stages"], ["stages", self.good, "--nonsense"],
                      ["run", self.good, "--threads", "0"], ["run", self.good, "--repeat", "x"],
                      ["run", self.good, "--input", "x"], ["diff", self.good, "tensor"],
                      ["compile", self.good, "--emit", "wasm"], ["completion", "tcsh"],
                      ["run", self.good, "--input", "x=/nowhere.npy"],
                      ["run", self.good, "--input", "x=" + self.good, "--input", "x=" + self.good]]:
            with self.subTest(words):
                outcome = self.tilewright.run(*words)
                self.assertEqual(outcome.code, 2, outcome)
                self.assertEqual(outcome.out, "")
                self.assertRegex(outcome.err, r"error: .*\[TW07\d\d\]")
                told = json.loads(self.tilewright.run(*words, "--json").out)
                self.assertEqual(told["schema"], "tilewright/error")
                self.assertRegex(told["error"]["data"]["code"], r"^TW07\d\d$")
                self.assertIn(told["error"]["message"], outcome.err)
        none = self.tilewright.run()
        self.assertEqual(none.code, 2)
        self.assertIn("Usage: tilewright", none.err)

    def test_typing_errors_are_met_with_what_was_meant(self):
        for words, meant in [(["stagse", self.good], "'stages'"), (["rn"], "'run'"), (["comple", "x"], "'compile'"),
                             (["run", self.good, "--chek"], "--check"),
                             (["run", self.good, "--thread=2"], "--threads"),
                             (["graph", self.good, "--stgae", "tile"], "--stage")]:
            with self.subTest(words):
                outcome = self.tilewright.run(*words)
                self.assertEqual(outcome.code, 2, outcome)
                self.assertIn("Did you mean " + meant, outcome.err)
        for words in (["frobnicate"], ["run", self.good, "--frobnicate"]):
            self.assertNotIn("Did you mean", self.tilewright.run(*words).err)

    def test_seeds_are_natural_numbers(self):
        for seed in ("0", "18446744073709551615"):
            self.run_ok("run", self.good, "--seed", seed)
        for seed in ("-1", "18446744073709551616", "1.5", "x"):
            for command in ("run", "verify"):
                outcome = self.tilewright.run(command, self.good, "--seed=" + seed)
                self.assertEqual(outcome.code, 2, outcome)
                self.assertIn("from 0 to", outcome.err)

    def test_completion_scripts_are_sound(self):
        for shell, check in [("bash", ["bash", "-n"]), ("zsh", ["zsh", "-n"]),
                             ("fish", ["fish", "--no-execute"])]:
            script = self.run_ok("completion", shell).out
            for command in COMMANDS:
                self.assertIn(command, script)
            if shutil.which(check[0]):
                subprocess.run([*check, self.file("script", script)], check=True)

    def test_bash_completes(self):
        script = self.file("script", self.run_ok("completion", "bash").out)
        environment = dict(self.tilewright.environment,
                           PATH=os.path.dirname(PROGRAM) + ":" + os.environ["PATH"])

        def complete(*words):
            program = (f"source {script}; COMP_WORDS=(tilewright {' '.join(words)}); "
                       f"COMP_CWORD={len(words)}; _tilewright; echo ${{COMPREPLY[@]}}")
            return subprocess.run(["bash", "-c", program], env=environment, check=True,
                                  capture_output=True, text=True).stdout.split()

        self.assertEqual(complete("st"), ["stages"])
        self.assertEqual(complete("show", "x", "--st"), ["--stage"])
        self.assertEqual(complete("show", "x", "--stage", "ti"), ["tile"])
        self.assertEqual(complete("run", "x", "--target", "asc"), ["ascend-a3"])

    # Diagnostics ---------------------------------------------------------------

    def test_diagnostics_show_place_line_caret_code_and_hint(self):
        path = self.file("w.mlir", "one\n\tgr\u00fc\u00df @wrong 2\n")
        outcome = self.tilewright.run("compile", path)
        self.assertEqual(outcome.code, 1)
        self.assertEqual(outcome.err,
                         f"{path}:2:1: error: this line is wrong: 3 is not 4 [TW0198]\n"
                         "   gr\u00fc\u00df @wrong 2\n"
                         "  ^\n"
                         "  hint: make it 4\n")

    def test_an_error_of_the_engine(self):
        outcome = self.tilewright.run("run", self.file("e.mlir", "@error three is not four"))
        self.assertEqual(outcome.code, 1)
        self.assertIn("e.mlir:1:1: error: three is not four [TW0199]", outcome.err)
        outcome = self.tilewright.run("run", self.path("e.mlir"), "--json")
        self.assertEqual(json.loads(outcome.out)["error"]["data"]["code"], "TW0199")

    def test_no_color_and_no_progress_off_a_terminal(self):
        outcome = self.tilewright.run("run", self.file("p.mlir", "@progress\n@wrong 1"))
        self.assertNotIn("\033", outcome.err)
        self.assertNotIn("halfway", outcome.err)

    # Files -----------------------------------------------------------------------

    def test_unreadable_sources(self):
        huge = self.path("huge.mlir")
        with open(huge, "wb") as file:
            file.truncate(200 << 20)
        for path, code in [(self.path("none.mlir"), "TW0701"), (self.folder, "TW0702"),
                           ("/proc/self/mem", "TW0701"), (huge, "TW0703"),
                           ("/dev/zero", "TW0703"), (self.good + "/x", "TW0701"),
                           ("x" * 5000, "TW0701"), (b"\xff\xfe.mlir", "TW0701")]:
            with self.subTest(path[:60]):
                outcome = self.tilewright.run("stages", path)
                self.assertEqual(outcome.code, 2, outcome)
                self.assertIn(code, outcome.err)

    def test_text_that_is_not_utf8(self):
        outcome = self.tilewright.run("stages", self.file("b.mlir", b"ok\nb\xffd"))
        self.assertEqual(outcome.code, 1)
        self.assertIn("b.mlir:2:2: error: the file is not UTF-8: byte 0xFF", outcome.err)

    def test_full_disk(self):
        with open("/dev/full", "wb") as full:
            outcome = self.tilewright.run("stages", self.good, stdout=full)
        self.assertEqual(outcome.code, 1)
        self.assertIn("No space left on device", outcome.err)
        self.assertEqual(self.tilewright.run("graph", self.good, "--svg", "-o", "/dev/full").code, 1)

        # A limit on file sizes stands for a small disk: the old file stays whole.
        out = self.file("old.svg", "precious")

        def small():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

        outcome = self.tilewright.run("graph", self.good, "--svg", "-o", out, before=small)
        self.assertEqual(outcome.code, 1)
        self.assertIn("cannot write", outcome.err)
        with open(out, encoding="utf-8") as file:
            self.assertEqual(file.read(), "precious")
        self.assertEqual(sorted(os.listdir(self.folder)), ["good.mlir", "old.svg"])

    def test_unwritable_outputs(self):
        for words in [["graph", self.good, "-o", "/nowhere/x.svg"],
                      ["graph", self.good, "-o", self.folder],
                      ["run", self.good, "--trace", "/proc/x.json"],
                      ["run", self.good, "--output", self.good],
                      ["compile", self.good, "--emit", "asm", "-o", "/nowhere/x.s"]]:
            with self.subTest(words):
                outcome = self.tilewright.run(*words)
                self.assertEqual(outcome.code, 1, outcome)
                self.assertIn("TW0705", outcome.err)

    def test_a_reader_that_goes_away_is_no_error(self):
        outcome = subprocess.run(["bash", "-c", f"set -o pipefail; {PROGRAM} show - | head -1"],
                                 input=b"x\n" * 500000, capture_output=True,
                                 env=self.tilewright.environment)
        self.assertEqual(outcome.returncode, 0, outcome.stderr)

    # Processes ---------------------------------------------------------------------

    def test_death_of_the_engine_names_the_input(self):
        for text, code in [("@crash", "TW0601"), ("@crash-open", "TW0601"), ("@exit 3", "TW0601"),
                           ("@garbage", "TW0604"), ("@badjson\n@hang", "TW0604")]:
            with self.subTest(text):
                path = self.file("d.mlir", text)
                outcome = self.tilewright.run("run", path)
                self.assertEqual(outcome.code, 1)
                self.assertIn(code, outcome.err)
                self.assertIn(path, outcome.err)

    def test_no_engine(self):
        outcome = CommandLine(PROGRAM, "/nowhere/engine").run("stages", self.good)
        self.assertEqual(outcome.code, 1)
        self.assertIn("TW0603", outcome.err)
        self.assertIn("/nowhere/engine", outcome.err)

    def test_kill_9_of_the_engine(self):
        process = self.tilewright.start("run", self.file("s.mlir", "@slow 60000"))
        self.assertTrue(wait_until(lambda: descendants(process.pid)))
        for pid in descendants(process.pid):
            os.kill(pid, signal.SIGKILL)
        _, err = process.communicate(timeout=20)
        self.assertEqual(process.returncode, 1)
        self.assertIn(b"signal 9", err)
        self.assertIn(b"s.mlir", err)

    def test_ctrl_c(self):
        for text in ["@slow 60000", "@hang"]:
            with self.subTest(text):
                process = self.tilewright.start("run", self.file("s.mlir", text), "--trace",
                                                self.path("t.json"))
                self.assertTrue(wait_until(lambda: descendants(process.pid)))
                started = descendants(process.pid)
                interrupt(process)
                _, err = process.communicate(timeout=3)
                self.assertEqual(process.returncode, 130)
                self.assertIn(b"interrupted", err)
                self.assertTrue(wait_until(lambda: not any(map(alive, started))))
                self.assertNotIn("t.json", " ".join(os.listdir(self.folder)))

    def test_no_engine_outlives_a_killed_command(self):
        process = self.tilewright.start("run", self.file("s.mlir", "@slow 60000"))
        self.assertTrue(wait_until(lambda: descendants(process.pid)))
        started = descendants(process.pid)
        process.kill()
        process.communicate()
        self.assertTrue(wait_until(lambda: not any(map(alive, started))))


if __name__ == "__main__":
    del sys.argv[1:]
    unittest.main(verbosity=1)
