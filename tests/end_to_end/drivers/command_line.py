# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs `tilewright` as a person does."""
import os
import signal
import subprocess
import time


class Outcome:
    """What one command printed, how it ended and how long it took."""

    def __init__(self, code, out, err, seconds):
        self.code = code
        self.out = out
        self.err = err
        self.seconds = seconds

    def __repr__(self):
        return (f"exit code {self.code} after {self.seconds:.1f} s\n"
                f"stdout: {self.out[:2000]!r}\nstderr: {self.err[:2000]!r}")


class CommandLine:
    def __init__(self, program, engine):
        self.program = program
        self.environment = dict(os.environ, TILEWRIGHT_ENGINE=engine)
        self.environment.pop("NO_COLOR", None)

    def run(self, *words, stdin=b"", timeout=60, before=None, stdout=subprocess.PIPE, cwd=None):
        """Runs to the end; a command that takes longer than `timeout` is an error."""
        begin = time.monotonic()
        done = subprocess.run([self.program, *map(os.fsencode, words)], input=stdin, stdout=stdout,
                              stderr=subprocess.PIPE, env=self.environment, timeout=timeout,
                              preexec_fn=before, cwd=cwd)
        return Outcome(done.returncode, (done.stdout or b"").decode("utf-8", "surrogateescape"),
                       done.stderr.decode("utf-8", "surrogateescape"), time.monotonic() - begin)

    def start(self, *words):
        return subprocess.Popen([self.program, *words], stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                env=self.environment)


def descendants(pid):
    """Process ids of everything `pid` has started and that still lives."""
    children = {}
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                fields = file.read().rpartition(b")")[2].split()
        except OSError:
            continue
        if fields[0] != b"Z":
            children.setdefault(int(fields[1]), []).append(int(name))
    found, todo = [], [pid]
    while todo:
        for child in children.get(todo.pop(), []):
            found.append(child)
            todo.append(child)
    return found


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0] != b"Z"
    except OSError:
        return False


def wait_until(condition, seconds=10.0):
    """Polls; True as soon as `condition()` holds."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.01)
    return condition()


def interrupt(process):
    process.send_signal(signal.SIGINT)
