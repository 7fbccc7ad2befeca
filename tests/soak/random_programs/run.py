#!/usr/bin/env python3
# run.py - random programs: interpreters, every stage and the compiled code must agree.
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Each program is verified (`tilewright verify`; every third also for ascend-a3) and run on 1, 2 and 8
# threads, twice each: checked, and the same bits both times. What fails is made small and kept in a
# folder of its own below --out: program.mlir, shrunk.mlir and failure.txt with the command.
# With --server and --engine one server answers for many programs, which takes a small part of the time;
# what it finds wrong, and every 25th program all the same, goes through the commands.
# Refusals of forms that are not supported are counted apart. Same seed, same programs.
import argparse
import collections
import concurrent.futures
import pathlib
import shutil
import sys
import tempfile
import threading
import time

from generate import generate
from session import Session
from shrink import shrink
from verdict import Verdict, judge


class Soak:
    def __init__(self, args):
        self.args, self.out = args, pathlib.Path(args.out)
        self.out.mkdir(parents=True, exist_ok=True)
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="random-programs-"))
        self.lock = threading.Lock()
        self.passed, self.refused, self.failures = 0, 0, []
        self.unsupported, self.operations = collections.Counter(), collections.Counter()
        self.sessions = threading.local()
        self.begun = []

    def one(self, key):
        args = self.args
        index = int(key.split("/")[1])
        program, folder = generate(key), self.work / key.replace("/", "-")
        targets = ["cpu"] + (["ascend-a3"] if index % 3 == 0 else [])

        def verdict(candidate, targets, run):
            return judge(args.tilewright, candidate.text(), index, folder, targets, run, args.timeout)

        run = index % args.run_every == 0
        seen = self.session().agree(program.text(), index, folder, targets, run) if args.server else None
        if args.server and not seen and index % 25:
            first = Verdict()
        else:
            first = verdict(program, targets, run)
        if seen and not first.kind and not first.unsupported:
            first = Verdict(("session",), "", seen)
        if first.kind == ("session",):
            self.keep(key, program, program, first, first)
        elif first.kind:
            self.fail(key, program, first, verdict)
        shutil.rmtree(folder, ignore_errors=True)
        with self.lock:
            self.operations.update(o.op for o in program.operations)
            self.refused += bool(first.unsupported) and not first.kind
            self.passed += not first.unsupported and not first.kind
            done = self.passed + self.refused + len(self.failures)
            if done % 100 == 0:
                print(f"{done} programs, {len(self.failures)} failed", flush=True)
            for target, code in set(first.unsupported):
                self.unsupported[target, code] += 1
                if self.unsupported[target, code] <= 3:
                    (self.out / f"refused-{target}-{code}-{key.replace('/', '-')}.mlir").write_text(program.text())

    def fail(self, key, program, first, verdict):
        # What was right before need not be tried again.
        only = ([first.kind[1]], False) if first.kind[0] == "verify" else ([], True)
        small = shrink(program, lambda p: verdict(p, *only).kind == first.kind, self.args.shrink_seconds)
        self.keep(key, program, small, first, verdict(small, *only))

    def session(self):
        """This worker's."""
        if not hasattr(self.sessions, "session"):
            self.sessions.session = Session(self.args.server, self.args.engine, self.args.timeout)
            self.begun.append(self.sessions.session)
        return self.sessions.session

    def keep(self, key, program, small, first, last):
        folder = self.out / key.replace("/", "-")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "program.mlir").write_text(program.text())
        (folder / "shrunk.mlir").write_text(small.text())
        (folder / "failure.txt").write_text(
            f"program {key}: {' '.join(first.kind)}\n{first.command}\n{first.output}\n"
            f"shrunk:\n{last.command}\n{last.output}\n")
        with self.lock:
            self.failures.append((key, first.kind))
            print(f"{folder}: {' '.join(first.kind)}\n{small.text()}", flush=True)

    def run(self):
        args, end = self.args, time.monotonic() + self.args.seconds
        if args.only:
            self.one(args.only)
            return
        numbers = iter(range(args.first, args.first + args.count if args.count else sys.maxsize))

        def worker():
            while time.monotonic() < end:
                with self.lock:
                    number = next(numbers, None)
                if number is None:
                    return
                self.one(f"{args.seed}/{number}")

        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            for done in [pool.submit(worker) for _ in range(args.jobs)]:
                done.result()

    def report(self):
        print(f"{self.passed} passed, {self.refused} refused, {len(self.failures)} failed (seed {self.args.seed}); "
              + ", ".join(f"{op} {n}" for op, n in self.operations.most_common()))
        for (target, code), n in sorted(self.unsupported.items()):
            print(f"not supported on {target}: {code} in {n} programs")
        kinds = collections.Counter(kind for _, kind in self.failures)
        for kind, n in kinds.most_common():
            print(f"failed: {' '.join(kind)} in {n} programs")


def main():
    parser = argparse.ArgumentParser(description="random programs: every stage and the compiled code agree")
    parser.add_argument("--tilewright", required=True)
    parser.add_argument("--server", help="tilewright-lsp")
    parser.add_argument("--engine", help="tilewright-engine, with --server")
    parser.add_argument("--out", required=True, help="folder for programs that fail")
    parser.add_argument("--seconds", type=float, default=60, help="begin no program after that; default 60")
    parser.add_argument("--count", type=int, default=0, help="at most so many programs; default: no limit")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first program of the seed")
    parser.add_argument("--only", help="one program again, named SEED/NUMBER")
    parser.add_argument("--jobs", type=int, default=1, help="programs at the same time")
    parser.add_argument("--run-every", type=int, default=1,
                        help="run every such program on 1, 2 and 8 threads; the others are verified alone")
    parser.add_argument("--timeout", type=float, default=60, help="seconds after which a command hangs")
    parser.add_argument("--shrink-seconds", type=float, default=60)
    args = parser.parse_args()
    if bool(args.server) != bool(args.engine):
        parser.error("--server and --engine belong together")
    soak = Soak(args)
    try:
        soak.run()
    finally:
        for session in soak.begun:
            session.end()
        shutil.rmtree(soak.work, ignore_errors=True)
        soak.report()
    return 1 if soak.failures or not soak.passed + soak.refused else 0


if __name__ == "__main__":
    sys.exit(main())
