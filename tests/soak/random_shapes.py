#!/usr/bin/env python3
# random_shapes.py - operators of random sizes, run and checked on every target.
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Each program is a matmul with an epilogue, a softmax, a norm or a chain of elementwise operators,
# with sizes that favour the edges of tiles. `tilewright verify` runs every stage and, on a CPU, the
# compiled code, on one worker and on all in turn.
# What fails is kept as a source file. The same seed makes the same programs.
import argparse
import pathlib
import random
import subprocess
import sys
import time

EDGES = [1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 63, 65, 127, 128, 129, 255, 257, 1000]


def size(rng):
    return rng.choice(EDGES) if rng.random() < 0.7 else rng.randint(1, 400)


def tensor(*sizes, dtype="f32"):
    return "tensor<" + "".join(f"{s}x" for s in sizes) + dtype + ">"


def matmul(rng):
    m, n, k, dtype = size(rng), size(rng), size(rng), rng.choice(["f32", "f32", "bf16", "f16"])
    a, b, c = tensor(m, k, dtype=dtype), tensor(k, n, dtype=dtype), tensor(m, n, dtype=dtype)
    bias = tensor(n, dtype=dtype)
    lines = [f"  %c = tw.matmul %a, %b : ({a}, {b}) -> {c}"]
    last = "c"
    if rng.random() < 0.5:
        lines.append(f"  %d = tw.add %c, %bias : ({c}, {bias}) -> {c}")
        last = "d"
    if rng.random() < 0.5:
        lines.append(f"  %e = tw.{rng.choice(['silu', 'relu', 'tanh', 'neg'])} %{last} : ({c}) -> {c}")
        last = "e"
    return f"%a: {a}, %b: {b}, %bias: {bias}", lines, last, c


def rows(rng):
    m, n = size(rng), size(rng)
    x, w = tensor(m, n), tensor(n)
    op = rng.choice(["softmax", "rms_norm", "layer_norm"])
    if op == "softmax":
        return f"%x: {x}", [f"  %y = tw.softmax %x {{axis = -1}} : ({x}) -> {x}"], "y", x
    if op == "rms_norm":
        return (f"%x: {x}, %w: {w}",
                [f"  %y = tw.rms_norm %x, %w {{epsilon = 1.0e-5}} : ({x}, {w}) -> {x}"], "y", x)
    return (f"%x: {x}, %w: {w}, %b: {w}",
            [f"  %y = tw.layer_norm %x, %w, %b {{epsilon = 1.0e-5}} : ({x}, {w}, {w}) -> {x}"], "y",
            x)


def chain(rng):
    x = tensor(size(rng), size(rng))
    lines, last = [], "x"
    for i in range(rng.randint(1, 6)):
        if rng.random() < 0.5:
            op = rng.choice(["tanh", "sigmoid", "abs", "neg", "relu"])
            lines.append(f"  %v{i} = tw.{op} %{last} : ({x}) -> {x}")
        else:
            op = rng.choice(["add", "sub", "mul", "maximum", "minimum"])
            lines.append(f"  %v{i} = tw.{op} %{last}, %z : ({x}, {x}) -> {x}")
        last = f"v{i}"
    return f"%x: {x}, %z: {x}", lines, last, x


def stretch(rng):
    # What a reduction leaves is stretched to the extent it came from, or to another one.
    m, n = size(rng), size(rng)
    axis, kind = rng.randint(0, 1), rng.choice(["sum", "mean", "max", "min"])
    other = rng.choice([m if axis == 0 else n, size(rng)])
    a = tensor(m, n)
    r = tensor(1, n) if axis == 0 else tensor(m, 1)
    b = tensor(other, n) if axis == 0 else tensor(m, other)
    lines = [f"  %r = tw.reduce %a {{kind = {kind}, axes = [{axis}], keepdims}} : ({a}) -> {r}",
             f"  %y = tw.add %r, %b : ({r}, {b}) -> {b}"]
    if rng.random() < 0.3:
        lines[1:] = [f"  %y = tw.softmax %r {{axis = {1 - axis}}} : ({r}) -> {r}"]
        b = r
    return f"%a: {a}, %b: {b}", lines, "y", b


def program(rng):
    arguments, lines, last, result = rng.choice([matmul, rows, chain, stretch])(rng)
    return "\n".join([f"func.func @f({arguments}) -> {result} {{"] + lines +
                     [f"  return %{last} : {result}", "}", ""])


def main():
    parser = argparse.ArgumentParser(description="verify operators of random sizes")
    parser.add_argument("--tilewright", required=True)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", required=True, help="folder for programs that fail")
    args = parser.parse_args()
    out = pathlib.Path(args.out)
    out.mkdir(parents=True, exist_ok=True)
    rng, end, count, failed = random.Random(args.seed), time.monotonic() + args.seconds, 0, 0
    while time.monotonic() < end:
        text = program(rng)
        path = out / f"program-{args.seed}-{count}.mlir"
        path.write_text(text)
        bad = False
        for target in ("cpu", "cpu-generic", "ascend-a3"):
            done = subprocess.run([args.tilewright, "verify", str(path), "--target", target,
                                   "--seed", str(count),
                                   *(["--threads", "1"] if count % 2 else [])], capture_output=True, text=True,
                                  timeout=300)
            if done.returncode:
                bad = True
                print(f"{path} on {target}: exit {done.returncode}\n{done.stdout}{done.stderr}",
                      flush=True)
        failed += bad
        count += 1
        if not bad:
            path.unlink()
    print(f"{count - failed} passed, {failed} failed (seed {args.seed})")
    return 1 if failed or not count else 0


if __name__ == "__main__":
    sys.exit(main())
