#!/usr/bin/env python3
# memory.py - what compiling and running an example takes, beside its tensors.
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs each file once, and all the while adds up the proportional share (PSS) of every process that
# the run started: the engine and the runner, which are copies of one program and share its pages.
# The limit is 1.3 times the tensors (arguments, results and what lies between kernels), plus packed
# weights, plus 200 MB. One JSON line a file.
import argparse
import json
import pathlib
import re
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
BYTES = {"f64": 8, "i64": 8, "f32": 4, "i32": 4, "f16": 2, "bf16": 2, "i16": 2, "i8": 1, "i1": 1}


def children(pid):
    """All processes below `pid`."""
    found = []
    try:
        for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                found += [int(child)] + children(int(child))
    except OSError:
        pass  # ended meanwhile
    return found


def pss(pid):
    try:
        for line in pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


def tensor_bytes(program, path):
    """Bytes of the buffers of the program, from its Block graph."""
    text = subprocess.run([program, "show", path, "--stage", "block", "--target", "cpu"],
                          capture_output=True, text=True, check=True).stdout
    head = re.search(r"block\.program .*?\n", text).group(0)
    body = text[text.index("block.program"):text.index("block.return")]
    buffers = re.findall(r"%[\w.$-]+: memref<([^,>]*)", head)
    buffers += re.findall(r"block\.buffer.*?: memref<([^,>]*)", body)
    total = 0
    for shape in buffers:
        *sizes, element = shape.split("x")
        count = 1
        for size in sizes:
            count *= int(size)
        total += count * BYTES[element]
    return total


def measure(program, path, threads):
    process = subprocess.Popen([program, "run", path, "--threads", str(threads)],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    most = 0

    def watch():
        nonlocal most
        while process.poll() is None:
            most = max(most, sum(pss(pid) for pid in children(process.pid)))
            time.sleep(0.002)
    watcher = threading.Thread(target=watch)
    watcher.start()
    error = process.stderr.read()
    process.wait()
    watcher.join()
    return most, error if process.returncode else ""


def main():
    parser = argparse.ArgumentParser(description="memory of examples beside their tensors")
    parser.add_argument("--bin", default=str(HERE.parents[1] / "build" / "bin"))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("files", nargs="*")
    args = parser.parse_args()
    program = str(pathlib.Path(args.bin) / "tilewright")
    files = args.files or sorted(str(p) for p in
                                 (HERE.parents[1] / "resources" / "examples").glob("*.mlir"))
    failed = False
    for path in files:
        name = pathlib.Path(path).stem
        try:
            tensors = tensor_bytes(program, path)
        except (subprocess.CalledProcessError, ValueError, AttributeError) as error:
            print(json.dumps({"name": name, "skipped": f"no sizes: {error}"}), flush=True)
            continue
        most, error = measure(program, path, args.threads)
        if error:
            print(json.dumps({"name": name, "skipped": error.strip()[:200]}), flush=True)
            continue
        limit = 1.3 * tensors + 200e6
        failed |= most > limit
        print(json.dumps({"name": name, "value": most / 1e6, "unit": "MB",
                          "tensors": tensors / 1e6, "limit": limit / 1e6,
                          "within": most <= limit, "origin": "measured"}), flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
