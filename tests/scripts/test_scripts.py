#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""scripts/ on machines that lack things: packages, the network, room, rights. Nothing is installed:
apt-get, npm and their like are replaced by programs that note how they were called."""
import os
import pathlib
import shutil
import stat
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Scripts(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.bin = self.folder / "bin"
        self.bin.mkdir()
        self.calls = self.folder / "calls"
        self.calls.write_text("")
        self.stub("dpkg-query", 'for p in "$@"; do case $p in here*) echo "$p install ok installed";; '
                  'removed*) echo "$p deinstall ok config-files";; esac; done')
        self.stub("apt-get", "exit 0")
        self.stub("df", 'echo head; echo "disk 90000 1 80000 2% /"')
        self.stub("id", "echo 0")

    def stub(self, name, body):
        path = self.bin / name
        path.write_text(f'#!/bin/bash\necho "{name} $*" >> {self.calls}\n{body}\n')
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def run_bash(self, text, path="/usr/bin:/bin"):
        return subprocess.run(
            ["bash", "-uc", f". {ROOT}/scripts/lib/install.sh; . {ROOT}/scripts/lib/onnxruntime.sh; "
             f". {ROOT}/scripts/lib/vscode.sh; {text}"],
            capture_output=True, text=True, timeout=60,
            env={"PATH": f"{self.bin}:{path}", "HOME": str(self.folder),
                 "TMPDIR": str(self.folder)})

    def called(self, name):
        return [line for line in self.calls.read_text().splitlines() if line.startswith(name)]

    def fails(self, text, *words):
        done = self.run_bash(text)
        self.assertEqual(done.returncode, 1, done)
        for word in words:
            self.assertIn(word, done.stderr)
        return done

    def test_syntax(self):
        for path in [*(ROOT / "scripts").rglob("*.sh"), ROOT / ".ci/run"]:
            subprocess.run(["bash", "-n", str(path)], check=True)
            if path.parent.name != "lib":
                self.assertTrue(os.access(path, os.X_OK), path)

    def test_nothing_to_do_is_quiet(self):
        done = self.run_bash("install_packages here1 here2")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertEqual(self.called("apt-get"), [])

    def test_only_what_is_missing(self):
        done = self.run_bash("install_packages here1 gone1 removed1 gone2")
        self.assertEqual(done.returncode, 0, done)
        self.assertIn("3 packages: gone1 gone2 removed1", done.stdout)
        install = self.called("apt-get")[-1]
        self.assertTrue(install.endswith("gone1 gone2 removed1"), install)
        self.assertIn("--no-install-recommends", install)

    def test_offline(self):
        self.stub("apt-get", "echo 'Temporary failure resolving'; exit 100")
        self.fails("install_packages gone1", "package servers cannot be reached", "gone1")
        # apt-get update succeeds when all it could not do is fetch.
        self.stub("apt-get", "echo 'W: Failed to fetch http://x'; exit 0")
        self.fails("install_packages gone1", "package servers cannot be reached")

    def test_disk_short(self):
        self.stub("df", 'echo head; echo "disk 90000 1 12 2% /"')
        self.fails("install_packages gone1", "disk", "12 MiB are free")
        self.assertEqual(self.called("apt-get"), [])
        self.fails("require_space / 13", "12 MiB are free, 13 MiB are needed")
        self.assertEqual(self.run_bash("require_space / 12").returncode, 0)

    def test_disk_full_while_installing(self):
        self.stub("apt-get", 'case $* in *install*) echo "No space left on device"; exit 100;; esac')
        self.fails("install_packages gone1", "the disk is full", "No space left")

    def test_package_unknown(self):
        self.stub("apt-get", 'case $* in *install*) echo "E: Unable to locate package"; exit 100;; esac')
        self.fails("install_packages gone1", "apt-get could not install: gone1", "Unable to locate")

    def test_not_root(self):
        self.stub("id", "echo 1000")
        for name in ("bash", "sed", "comm", "sort", "printf", "dirname", "mktemp"):
            if not (self.bin / name).exists():
                (self.bin / name).symlink_to(shutil.which(name))
        done = self.run_bash("PATH=" + str(self.bin) + "; install_packages gone1")
        self.assertEqual(done.returncode, 1)
        self.assertIn("only root can install", done.stderr)
        self.stub("sudo", '"$@"')
        self.assertEqual(self.run_bash("install_packages gone1").returncode, 0)
        self.assertIn("sudo apt-get update", self.calls.read_text())

    def test_npm_offline_is_no_failure(self):
        self.stub("node", "exit 0")
        self.stub("npm", "echo 'network down'; exit 1")
        done = self.run_bash("install_onnxruntime; echo on")
        self.assertEqual(done.returncode, 0, done)
        self.assertIn("npm could not install onnxruntime-node", done.stdout)
        self.assertTrue(done.stdout.endswith("on\n"))

    def test_npm_only_once(self):
        self.stub("node", "exit 0")
        self.stub("npm", "exit 0")
        self.assertEqual(self.run_bash("install_onnxruntime").returncode, 0)
        done = self.run_bash("install_onnxruntime")
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertEqual(len(self.called("npm")), 1)
        self.assertIn("--ignore-scripts", self.called("npm")[0])

    def test_vscode_offline_is_no_failure(self):
        self.stub("node", "echo v20.1.0")
        self.stub("npm", "echo 'network down'; exit 1")
        done = self.run_bash("install_vscode; echo on")
        self.assertEqual(done.returncode, 0, done)
        self.assertIn("tests of the VS Code extension are skipped", done.stdout)
        self.assertIn("tests in a real VS Code are skipped", done.stdout)
        self.assertTrue(done.stdout.endswith("on\n"))

    def test_vscode_needs_node_20(self):
        self.stub("node", "echo v18.20.4")
        self.stub("npm", "exit 0")
        done = self.run_bash("install_vscode; echo on")
        self.assertEqual(done.returncode, 0, done)
        self.assertIn("there is Node 18", done.stdout)
        # A newer one is asked for, and nothing is built with the old one.
        self.assertEqual(len(self.called("npm")), 1)
        self.assertRegex(self.called("npm")[0], r"--ignore-scripts .* node-linux-\w+@20$")

    def test_vscode_only_once(self):
        self.stub("node", "echo v22.0.0")
        self.stub("npx", "exit 0")
        self.stub("rg", "exit 0")
        # What npm would have made.
        self.stub("npm", "mkdir -p node_modules/code-server/lib/vscode/extensions node_modules/argon2")
        done = self.run_bash("install_vscode")
        self.assertEqual(done.returncode, 0, done)
        self.assertNotIn("warning", done.stdout)
        calls = len(self.called("npm"))
        done = self.run_bash("install_vscode")
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertEqual(len(self.called("npm")), calls)
        self.assertTrue(all("--ignore-scripts" in call or "rebuild" in call for call in self.called("npm")))

    def test_presets(self):
        self.assertEqual(self.run_bash("use_preset asan; echo $preset $build").stdout,
                         f"asan {ROOT}/build-asan\n")
        self.fails("use_preset fast", "no preset 'fast'")

    def test_jobs(self):
        done = self.run_bash("build_jobs")
        self.assertGreaterEqual(int(done.stdout), 1)

    def test_run_names_what_it_cannot_read(self):
        done = subprocess.run([str(ROOT / "scripts/run.sh"), "/no/such.mlir"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot read '/no/such.mlir'", done.stderr)


if __name__ == "__main__":
    unittest.main()
