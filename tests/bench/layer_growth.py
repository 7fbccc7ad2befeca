#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How compile time grows with the layers of a transformer stack.

  layer_growth.py BUILD_DIR [--target cpu] [--layers 10,20,50,100,200,400]

Writes each stack, compiles it cold and again with its scopes in the cache
(compile_time: the least of seven), prints JSON lines as all benches do and a
table. `growth` is the time against that of the fewest layers, over the growth
of n log n: at or under 1 the time grows no faster than that.
"""
import argparse
import json
import math
import pathlib
import subprocess
import sys
import tempfile

source = pathlib.Path(__file__).resolve().parents[2]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--target", default="cpu")
    parser.add_argument("--layers", default="10,20,50,100,200,400")
    options = parser.parse_args()
    counts = sorted(int(count) for count in options.layers.split(","))
    rows = {}
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for count in counts:
            path = pathlib.Path(folder) / f"layers_{count}.mlir"
            with open(path, "w") as out:
                subprocess.run([sys.executable, source / "resources/examples/transformer_stack.py",
                                "--layers", str(count)], stdout=out, check=True)
            files.append(path)
        lines = subprocess.run([options.build.resolve() / "bin/compile_time", options.target, *files],
                               stdout=subprocess.PIPE, text=True, check=True).stdout
    for line in lines.splitlines():
        record = json.loads(line)
        _, count, what = record["name"].split("_", 2)
        rows.setdefault(int(count), {})[what] = record["value"]
        print(line)
    first = counts[0]
    for count in counts:
        allowed = count * math.log(count) / (first * math.log(first))
        rows[count]["growth"] = rows[count]["cold"] / rows[first]["cold"] / allowed
        print(json.dumps({"name": f"layers_{count}_growth_over_n_log_n", "value": round(rows[count]["growth"], 3),
                          "unit": "ratio", "peer": None, "peer_value": None, "ratio": None, "spread": None,
                          "origin": "measured"}))
    print(f"\n{'layers':>7}{'cold ms':>10}{'scopes cached ms':>18}{'growth / n log n':>18}", file=sys.stderr)
    for count in counts:
        row = rows[count]
        print(f"{count:>7}{row['cold']:>10.1f}{row['scopes_reused']:>18.1f}{row['growth']:>18.2f}", file=sys.stderr)


if __name__ == "__main__":
    main()
