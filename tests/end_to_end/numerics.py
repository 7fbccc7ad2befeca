#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs operators through `tilewright run` and compares with PyTorch in f64 and ONNX Runtime.

usage: numerics.py --tilewright PROGRAM [--against torch|onnxruntime] [--modules FOLDER]
                   [--only PART_OF_A_NAME] [--target TARGET]

The rules are those of tests/end_to_end/tolerance.py. One line a case; exit code 1 if any differs,
77 if the oracle is not installed.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time

try:
    import numpy as np
    import torch
except ImportError as error:
    print(f"skipped: {error}; apt-get install python3-numpy python3-torch")
    sys.exit(77)

import tolerance

HERE = pathlib.Path(__file__).resolve().parent
TORCH = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}


def tensor_type(shape, dtype):
    return "tensor<" + "".join(f"{size}x" for size in shape) + dtype + ">"


class Case:
    """An operator of one function: its source, inputs by name, and what it should give."""

    def __init__(self, name, dtype, inputs, result, body, reference, onnx=None, k=None):
        self.name = f"{name} {dtype}"
        self.dtype, self.inputs, self.result = dtype, inputs, result
        self.body, self.reference, self.onnx, self.k = body, reference, onnx, k

    def source(self):
        arguments = ", ".join(f"%{name}: {tensor_type(shape, self.dtype)}"
                              for name, shape in self.inputs.items())
        result = tensor_type(self.result, self.dtype)
        return (f"func.func @f({arguments}) -> {result} {{\n{self.body}"
                f"  return %y : {result}\n}}\n")

    def values(self):
        """Inputs as f64 tensors that the element type holds exactly."""
        generator = torch.Generator().manual_seed(7)
        values = {}
        for name, shape in self.inputs.items():
            value = torch.randn(shape, generator=generator, dtype=torch.float64)
            if name == "mask":
                value = window(*shape)
            if name.startswith("w") and len(shape) == 2:
                value /= shape[0]**0.5  # keeps products of the size of their inputs
            values[name] = value.to(TORCH[self.dtype]).to(torch.float64)
        return values


def window(queries, keys):
    """Added to scores: each query sees the 300 keys up to its own; the last query's is the last
    key. So later queries see nothing in the first keys."""
    own = torch.arange(queries)[:, None] + keys - queries
    key = torch.arange(keys)[None, :]
    seen = (key <= own) & (key > own - 300)
    seen[:, 0] |= ~seen.any(-1)  # queries before the first key
    return torch.where(seen, 0.0, -torch.inf).to(torch.float64)


def line(operation, operands, shapes, result, dtype, attributes="", value="y"):
    types = ", ".join(tensor_type(shape, dtype) for shape in shapes)
    return (f"  %{value} = tw.{operation} {', '.join('%' + name for name in operands)}{attributes} "
            f": ({types}) -> {tensor_type(result, dtype)}\n")


def matmul(m, n, k, dtype):
    return Case(f"matmul {m}x{n}x{k}", dtype, {"a": (m, k), "b": (k, n)}, (m, n),
                line("matmul", ["a", "b"], [(m, k), (k, n)], (m, n), dtype),
                lambda v: v["a"] @ v["b"],
                ("matmul", dict(m=m, n=n, k=k), {"c": "y"}), k)


def swiglu(tokens, hidden, intermediate, dtype):
    x, w, d, h = ((tokens, hidden), (hidden, intermediate), (intermediate, hidden),
                  (tokens, intermediate))
    body = (line("matmul", ["x", "w_gate"], [x, w], h, dtype, value="gate") +
            line("matmul", ["x", "w_up"], [x, w], h, dtype, value="up") +
            line("silu", ["gate"], [h], h, dtype, value="act") +
            line("mul", ["act", "up"], [h, h], h, dtype, value="hidden") +
            line("matmul", ["hidden", "w_down"], [h, d], x, dtype))

    def reference(v):
        gate, up = v["x"] @ v["w_gate"], v["x"] @ v["w_up"]
        return (gate * torch.sigmoid(gate) * up) @ v["w_down"]

    return Case(f"swiglu_ffn {tokens}x{hidden}x{intermediate}", dtype,
                {"x": x, "w_gate": w, "w_up": w, "w_down": d}, x, body, reference,
                ("swiglu_ffn", dict(tokens=tokens, hidden=hidden, intermediate=intermediate),
                 {"y": "y"}))


def softmax(rows, columns, dtype):
    shape = (rows, columns)
    return Case(f"softmax {rows}x{columns}", dtype, {"x": shape}, shape,
                line("softmax", ["x"], [shape], shape, dtype),
                lambda v: torch.softmax(v["x"], -1),
                ("softmax", dict(rows=rows, columns=columns), {"y": "y"}))


def rms_norm(rows, columns, dtype):
    shape, row = (rows, columns), (columns,)
    return Case(f"rms_norm {rows}x{columns}", dtype, {"x": shape, "weight": row}, shape,
                line("rms_norm", ["x", "weight"], [shape, row], shape, dtype,
                     " {epsilon = 1.0e-05}"),
                lambda v: v["x"] / torch.sqrt((v["x"]**2).mean(-1, keepdim=True) + 1e-5) *
                v["weight"])


def layer_norm(rows, columns, dtype):
    shape, row = (rows, columns), (columns,)
    return Case(f"layer_norm {rows}x{columns}", dtype,
                {"x": shape, "weight": row, "bias": row}, shape,
                line("layer_norm", ["x", "weight", "bias"], [shape, row, row], shape, dtype,
                     " {epsilon = 1.0e-05}"),
                lambda v: torch.nn.functional.layer_norm(v["x"], row, v["weight"], v["bias"], 1e-5),
                ("layer_norm", dict(rows=rows, columns=columns, epsilon=1e-5), {"y": "y"}))


def attention(heads, kv_heads, queries, keys, depth, dtype, masked=True):
    q, k, v = (heads, queries, depth), (kv_heads, keys, depth), (kv_heads, keys, depth)
    scores, mask = (heads, queries, keys), (queries, keys)
    scale, wide = depth**-0.5, tensor_type(scores, "f32")
    body = (f"  %scale = tw.full {{value = {scale!r}}} : () -> tensor<f32>\n"
            f"  %qk = tw.matmul %q, %k {{transpose_rhs}} : ({tensor_type(q, dtype)}, "
            f"{tensor_type(k, dtype)}) -> {wide}\n"
            f"  %scaled = tw.mul %qk, %scale : ({wide}, tensor<f32>) -> {wide}\n")
    last = "scaled"
    if masked:
        body += (f"  %low = tw.cast %mask : ({tensor_type(mask, dtype)}) -> "
                 f"{tensor_type(mask, 'f32')}\n"
                 f"  %masked = tw.add %scaled, %low : ({wide}, {tensor_type(mask, 'f32')}) -> "
                 f"{wide}\n")
        last = "masked"
    body += (f"  %wide = tw.softmax %{last} {{axis = -1}} : ({wide}) -> {wide}\n"
             f"  %p = tw.cast %wide : ({wide}) -> {tensor_type(scores, dtype)}\n" +
             line("matmul", ["p", "v"], [scores, v], q, dtype))

    def reference(values):
        s = values["q"] @ values["k"].transpose(-1, -2) * scale
        if masked:
            s = s + values["mask"]
        return torch.softmax(s, -1) @ values["v"]

    inputs = {"q": q, "k": k, "v": v, **({"mask": mask} if masked else {})}
    return Case(f"attention {heads}/{kv_heads}x{queries}x{keys}x{depth}"
                f"{' masked' if masked else ''}", dtype, inputs, q, body, reference,
                ("attention", dict(heads=heads, kv_heads=kv_heads, queries=queries, keys=keys,
                                   depth=depth, mask=masked), {"y": "y"}))


def attention_written_out():
    """Divided after the second matmul, by a reciprocal, with a factor inside the exponential."""
    body = """\
  %c = tw.full {value = 0.125} : () -> tensor<f32>
  %s = tw.matmul %q, %k {transpose_rhs} : (tensor<70x64xf32>, tensor<90x64xf32>) -> tensor<70x90xf32>
  %t = tw.add %s, %b : (tensor<70x90xf32>, tensor<90xf32>) -> tensor<70x90xf32>
  %m = tw.reduce %t {kind = max, axes = [-1], keepdims} : (tensor<70x90xf32>) -> tensor<70x1xf32>
  %d = tw.sub %t, %m : (tensor<70x90xf32>, tensor<70x1xf32>) -> tensor<70x90xf32>
  %d2 = tw.mul %d, %c : (tensor<70x90xf32>, tensor<f32>) -> tensor<70x90xf32>
  %e = tw.exp %d2 : (tensor<70x90xf32>) -> tensor<70x90xf32>
  %l = tw.reduce %e {kind = sum, axes = [-1], keepdims} : (tensor<70x90xf32>) -> tensor<70x1xf32>
  %o = tw.matmul %e, %v : (tensor<70x90xf32>, tensor<90x40xf32>) -> tensor<70x40xf32>
  %r = tw.reciprocal %l : (tensor<70x1xf32>) -> tensor<70x1xf32>
  %y = tw.mul %o, %r : (tensor<70x40xf32>, tensor<70x1xf32>) -> tensor<70x40xf32>
"""

    def reference(v):
        s = (v["q"] @ v["k"].T + v["b"]) * 0.125
        return torch.softmax(s, -1) @ v["v"]

    return Case("attention written out 70x90x64", "f32",
                {"q": (70, 64), "k": (90, 64), "v": (90, 40), "b": (90,)}, (70, 40), body, reference)


def attention_capped():
    """Heads between tokens and depth, as projections leave them; scores capped by tanh, a bias."""
    body = """\
  %cap = tw.full {value = 20.0} : () -> tensor<f32>
  %qt = tw.transpose %q {permutation = [1, 0, 2]} : (tensor<100x4x32xf32>) -> tensor<4x100x32xf32>
  %kt = tw.transpose %k {permutation = [1, 2, 0]} : (tensor<130x4x32xf32>) -> tensor<4x32x130xf32>
  %vt = tw.transpose %v {permutation = [1, 0, 2]} : (tensor<130x4x32xf32>) -> tensor<4x130x32xf32>
  %s = tw.matmul %qt, %kt : (tensor<4x100x32xf32>, tensor<4x32x130xf32>) -> tensor<4x100x130xf32>
  %a = tw.div %s, %cap : (tensor<4x100x130xf32>, tensor<f32>) -> tensor<4x100x130xf32>
  %t = tw.tanh %a : (tensor<4x100x130xf32>) -> tensor<4x100x130xf32>
  %u = tw.mul %t, %cap : (tensor<4x100x130xf32>, tensor<f32>) -> tensor<4x100x130xf32>
  %w = tw.add %u, %bias : (tensor<4x100x130xf32>, tensor<4x100x130xf32>) -> tensor<4x100x130xf32>
  %p = tw.softmax %w : (tensor<4x100x130xf32>) -> tensor<4x100x130xf32>
  %o = tw.matmul %p, %vt : (tensor<4x100x130xf32>, tensor<4x130x32xf32>) -> tensor<4x100x32xf32>
  %y = tw.transpose %o {permutation = [1, 0, 2]} : (tensor<4x100x32xf32>) -> tensor<100x4x32xf32>
"""

    def reference(v):
        q, k, values = (v[name].transpose(0, 1) for name in ("q", "k", "v"))
        s = torch.tanh(q @ k.transpose(-1, -2) / 20) * 20 + v["bias"]
        return (torch.softmax(s, -1) @ values).transpose(0, 1)

    return Case("attention capped 4x100x130x32", "f32",
                {"q": (100, 4, 32), "k": (130, 4, 32), "v": (130, 4, 32), "bias": (4, 100, 130)},
                (100, 4, 32), body, reference)


def cases():
    for dtype in ("f32", "bf16"):
        yield swiglu(128, 4096, 1408, dtype)
        for size in (512, 1024, 2048):
            yield matmul(size, size, size, dtype)
        yield matmul(96, 3072, 1536, dtype)
        for operator in (softmax, rms_norm, layer_norm):
            yield operator(4096, 4096, dtype)
        yield attention(8, 8, 1024, 1024, 64, dtype)
        # Few queries over a long cache, one head of keys for all.
        yield attention(12, 1, 1, 8192, 128, dtype, masked=False)
        yield attention(12, 1, 16, 8192, 128, dtype)
    yield attention_written_out()
    yield attention_capped()
    for dtype in ("f32", "f16", "bf16"):
        for queries in (1, 7, 127, 129):
            yield attention(2, 2, queries, 1000, 64, dtype)
        yield attention(3, 1, 129, 127, 33, dtype, masked=False)
        # Every size meets every place: rows, columns, depth.
        ragged = (1, 7, 127, 129, 1000)
        for i, m in enumerate(ragged):
            yield matmul(m, ragged[(i + 1) % 5], ragged[(i + 3) % 5], dtype)
            yield matmul(m, ragged[(i + 2) % 5], ragged[i], dtype)
            for operator in (softmax, rms_norm, layer_norm):
                yield operator(m, ragged[(i + 2) % 5], dtype)
        yield swiglu(7, 129, 127, dtype)
        yield swiglu(1, 1000, 7, dtype)


def write_input(path, value, dtype):
    if dtype == "bf16":  # numpy has none: its two bytes, raw
        bits = value.to(torch.bfloat16).view(torch.int16).numpy()
        np.save(path, bits.view("V2"))
    else:
        np.save(path, value.to(TORCH[dtype]).numpy())


def read_output(path):
    array = np.load(path)
    if array.dtype.kind == "V":
        bits = torch.from_numpy(array.view(np.int16).copy())
        return bits.view(torch.bfloat16).to(torch.float64).numpy()
    return array.astype(np.float64)


def run_ours(program, case, values, folder, target):
    source = folder / "case.mlir"
    source.write_text(case.source())
    command = [program, "run", str(source), "--json", "-o", str(folder / "out")]
    if target:
        command += ["--target", target]
    for name, value in values.items():
        path = folder / f"{name}.npy"
        write_input(path, value, case.dtype)
        command += ["--input", f"{name}={path}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    if done.returncode:
        raise RuntimeError((done.stderr or done.stdout)[-1500:])
    outputs = json.loads(done.stdout)["outputs"]
    if len(outputs) != 1:
        raise RuntimeError(f"one result is expected, written are {outputs}")
    return read_output(outputs[0])


class OnnxRuntime:
    def __init__(self, modules):
        self.process = subprocess.Popen(
            ["node", str(HERE.parent / "oracle" / "ort.js"), modules],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline() or '{"error": "node ended"}')
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer

    def result(self, case, values, folder):
        graph, sizes, outputs = case.onnx
        self.ask({"load": graph, "sizes": sizes, "threads": 2})
        files = {}
        for name, value in values.items():
            files[name] = str(folder / f"{name}.f32")
            value.to(torch.float32).numpy().tofile(files[name])
        self.ask({"inputs": files})
        (output, _), = outputs.items()
        path = folder / "ort.f32"
        self.ask({"outputs": {output: str(path)}})
        return np.fromfile(path, np.float32).astype(np.float64).reshape(case.result)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tilewright", required=True)
    parser.add_argument("--against", choices=("torch", "onnxruntime"), default="torch")
    parser.add_argument("--modules", help="folder with node_modules/onnxruntime-node")
    parser.add_argument("--only", default="")
    parser.add_argument("--target", default="")
    options = parser.parse_args()

    onnx = None
    if options.against == "onnxruntime":
        if not options.modules or not pathlib.Path(options.modules, "node_modules",
                                                   "onnxruntime-node").exists():
            print(f"skipped: no onnxruntime-node in {options.modules}; scripts/test.sh installs it")
            sys.exit(77)
        onnx = OnnxRuntime(options.modules)

    failed = compared = 0
    for case in cases():
        if options.only not in case.name or (onnx and (not case.onnx or case.dtype != "f32")):
            continue
        begin = time.monotonic()
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            values = case.values()
            try:
                got = run_ours(options.tilewright, case, values, folder, options.target)
                if onnx:
                    want = onnx.result(case, values, folder)
                else:
                    want = case.reference(values).numpy()
            except (RuntimeError, subprocess.TimeoutExpired, OSError) as error:
                failed += 1
                print(f"FAILED {case.name}: {error}")
                continue
            magnitudes = None
            if case.k:
                magnitudes = (values["a"].abs() @ values["b"].abs()).numpy()
            problem, figure = tolerance.compare(got, want, case.dtype, magnitudes, case.k,
                                                both_round=onnx is not None)
        compared += 1
        if problem:
            failed += 1
        print(f"{'FAILED' if problem else 'ok    '} {case.name}: {problem or figure} "
              f"({time.monotonic() - begin:.1f} s)", flush=True)
    print(f"{compared} compared with {options.against}, {failed} failed")
    sys.exit(1 if failed or not compared else 0)


if __name__ == "__main__":
    main()
