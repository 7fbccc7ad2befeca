#!/usr/bin/env python3
# choice_rank.py - does the estimate order tile settings as their measured times do?
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# For a product, an FFN, a softmax and an attention, takes settings of the tile space that `whatif`
# maps, evenly over the range of estimated times, and the default; pins each, runs it on this machine and
# compares the order of measured times with that of the estimates (Spearman), and the default with
# the best measured. Settings take turns: each round goes through all of them, and a time is the
# minimum over the rounds' repeats. One JSON line a case. `--store` keeps the times of the rounds
# that were run, so that they can be run in slices of quiet time:
#
#   choice_rank.py BUILD --case matmul --rounds 1 --store times.json    (again and again)
import argparse
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile


def matmul(m, n, k):
    return (f"func.func @matmul(%a: tensor<{m}x{k}xf32>, %b: tensor<{k}x{n}xf32>) -> tensor<{m}x{n}xf32> {{\n"
            f"  %c = tw.matmul %a, %b : (tensor<{m}x{k}xf32>, tensor<{k}x{n}xf32>) -> tensor<{m}x{n}xf32>\n"
            f"  return %c : tensor<{m}x{n}xf32>\n}}\n")


def softmax(batches, rows, columns):
    t = f"tensor<{batches}x{rows}x{columns}xf32>"
    return (f"func.func @softmax(%x: {t}) -> {t} {{\n  %y = tw.softmax %x {{axis = -1}} : ({t}) -> {t}\n"
            f"  return %y : {t}\n}}\n")


def ffn(m, d, h):
    x, w, v, u = f"tensor<{m}x{d}xf32>", f"tensor<{d}x{h}xf32>", f"tensor<{h}x{d}xf32>", f"tensor<{m}x{h}xf32>"
    return (f"func.func @ffn(%x: {x}, %w_gate: {w} {{tw.weight}}, %w_up: {w} {{tw.weight}}, "
            f"%w_down: {v} {{tw.weight}}) -> {x} {{\n"
            f"  %gate = tw.matmul %x, %w_gate : ({x}, {w}) -> {u}\n"
            f"  %up = tw.matmul %x, %w_up : ({x}, {w}) -> {u}\n"
            f"  %act = tw.silu %gate : ({u}) -> {u}\n  %h = tw.mul %act, %up : ({u}, {u}) -> {u}\n"
            f"  %y = tw.matmul %h, %w_down : ({u}, {v}) -> {x}\n  return %y : {x}\n}}\n")


def attention(heads, queries, keys, depth):
    q, k = f"tensor<{heads}x{queries}x{depth}xf32>", f"tensor<{heads}x{keys}x{depth}xf32>"
    s = f"tensor<{heads}x{queries}x{keys}xf32>"
    return (f"func.func @attention(%q: {q}, %k: {k}, %v: {k}) -> {q} {{\n"
            f"  %s = tw.matmul %q, %k {{transpose_rhs}} : ({q}, {k}) -> {s}\n"
            f"  %p = tw.softmax %s {{axis = -1}} : ({s}) -> {s}\n"
            f"  %o = tw.matmul %p, %v : ({s}, {k}) -> {q}\n  return %o : {q}\n}}\n")


CASES = {"matmul": ("matmul/c", matmul(768, 768, 768)), "ffn": ("ffn/gate", ffn(512, 1024, 1408)),
         "softmax": ("softmax/y", softmax(32, 512, 64)), "attention": ("attention/o", attention(4, 512, 512, 64))}


def ranks(values):
    order = sorted(range(len(values)), key=lambda i: values[i])
    result = [0.0] * len(values)
    i = 0
    while i < len(order):
        j = i
        while j + 1 < len(order) and values[order[j + 1]] == values[order[i]]:
            j += 1
        for at in range(i, j + 1):
            result[order[at]] = (i + j) / 2
        i = j + 1
    return result


def spearman(a, b):
    x, y = ranks(a), ranks(b)
    mx, my = sum(x) / len(x), sum(y) / len(y)
    cov = sum((p - mx) * (q - my) for p, q in zip(x, y))
    var = (sum((p - mx) ** 2 for p in x) * sum((q - my) ** 2 for q in y)) ** 0.5
    return cov / var if var else 0.0


class Bench:
    def __init__(self, build, target, threads, repeats):
        self.tool = str(pathlib.Path(build) / "bin" / "tilewright")
        self.target, self.threads, self.repeats = target, threads, repeats

    def ask(self, *arguments):
        ran = subprocess.run([self.tool, *map(str, arguments), "-t", self.target, "--json"],
                             capture_output=True, text=True)
        if ran.returncode:
            sys.exit(f"{arguments}: {ran.stderr}{ran.stdout[:400]}")
        return json.loads(ran.stdout)

    def settings(self, file, key, count):
        """The default and `count` others, from the best to ten times the best by estimated time, at
        equal ratios of it."""
        points = [p for p in self.ask("whatif", file, key)["points"] if p["legal"]]
        points.sort(key=lambda p: (p["seconds"], json.dumps(p["sizes"])))
        # Beyond ten times the best nobody asks.
        points = [p for p in points if p["seconds"] < 10 * points[0]["seconds"]]
        chosen = []
        low, high = (math.log(points[i]["seconds"]) for i in (0, -1))
        for i in range(min(count, len(points))):
            wanted = low + (high - low) * i / (count - 1)
            nearest = min(points, key=lambda p: abs(math.log(p["seconds"]) - wanted))
            points.remove(nearest)
            chosen.append(nearest["sizes"])
        return [None] + chosen

    def pins(self, file, key, sizes):
        path = pathlib.Path(str(file) + ".pins.json")
        if sizes is None:
            path.unlink(missing_ok=True)
            return
        path.write_text(json.dumps({"schema": "tilewright/pins", "version": 1, "pins": [
            {"key": key, "target": "*", "kind": "tile", "value": sizes, "note": ""}]}))

    def estimated(self, file):
        return self.ask("estimate", file)["seconds"]

    def measured(self, file):
        ran = self.ask("run", file, "--repeat", self.repeats, "--threads", self.threads)
        # The first one also packs weights and touches memory for the first time.
        return min(ran["milliseconds"][1:]) / 1000


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--case", choices=CASES, action="append")
    parser.add_argument("--settings", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--repeats", type=int, default=6)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--target", default="cpu")
    parser.add_argument("--store", type=pathlib.Path)
    parser.add_argument("--table", action="store_true", help="print every setting")
    options = parser.parse_args()
    bench = Bench(options.build, options.target, options.threads, options.repeats)
    kept = json.loads(options.store.read_text()) if options.store and options.store.exists() else {}
    for case in options.case or CASES:
        key, text = CASES[case]
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / f"{case}.mlir"
            file.write_text(text)
            times = kept.setdefault(case, {})
            settings = ([json.loads(s) for s in times] if times else
                        bench.settings(file, key, options.settings))
            for round_ in range(options.rounds):
                order = list(settings)
                random.Random(round_ + sum(map(len, times.values()))).shuffle(order)
                for sizes in order:
                    bench.pins(file, key, sizes)
                    times.setdefault(json.dumps(sizes, sort_keys=True), []).append(bench.measured(file))
                if options.store:
                    options.store.write_text(json.dumps(kept))
            estimates = {}
            for text in times:
                bench.pins(file, key, json.loads(text))
                estimates[text] = bench.estimated(file)
            names = [t for t in times if t != "null"]
            best = {t: min(times[t]) for t in times}
            if options.table:
                for t in sorted(times, key=best.get):
                    print(f"{best[t] * 1e3:9.3f} ms {estimates[t] * 1e3:9.3f} ms  {t}", file=sys.stderr)
            fastest = min(best.values())
            print(json.dumps({
                "name": f"choice_rank_{case}", "value": spearman([estimates[t] for t in names], [best[t] for t in names]),
                "unit": "Spearman", "settings": len(names), "rounds": min(map(len, times.values())),
                "default_over_best": best["null"] / fastest, "best_ms": fastest * 1e3, "default_ms": best["null"] * 1e3,
                "slowest_ms": max(best.values()) * 1e3, "threads": options.threads, "target": options.target,
                "spread": max((max(v) - min(v)) / min(v) for v in times.values()), "origin": "measured"}), flush=True)


if __name__ == "__main__":
    main()
