#!/usr/bin/env python3
# against_ort.py - our speed beside ONNX Runtime's, in one run.
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Method: rounds.py. All operands are inputs on both sides, so neither packs weights beforehand.
# Attention is compared both with the written-out operators and with ONNX Runtime's own fused one
# (com.microsoft.MultiHeadAttention), with and without a mask; the better of the two is the peer.
import sys

from rounds import Case, HERE, parser_for, run

SWIGLU = dict(tokens=128, hidden=4096, intermediate=1408)


def matmul_source(m, n, k, chain):
    a, b, c = f"tensor<{m}x{k}xf32>", f"tensor<{k}x{n}xf32>", f"tensor<{m}x{n}xf32>"
    lines = [f"func.func @matmul(%a: {a}, %b: {b}) -> {c} {{"]
    last, kind = "a", a
    for i in range(chain):
        lines.append(f"  %c{i} = tw.matmul %{last}, %b : ({kind}, {b}) -> {c}")
        last, kind = f"c{i}", c
    return "\n".join(lines + [f"  return %{last} : {c}", "}", ""])


def ffn_source(tokens, hidden, intermediate, chain):
    x, w, d, h = (f"tensor<{tokens}x{hidden}xf32>", f"tensor<{hidden}x{intermediate}xf32>",
                  f"tensor<{intermediate}x{hidden}xf32>", f"tensor<{tokens}x{intermediate}xf32>")
    lines = [f"func.func @ffn(%x: {x}, %w_gate: {w}, %w_up: {w}, %w_down: {d}) -> {x} {{"]
    last = "x"
    for i in range(chain):
        lines += [f"  %g{i} = tw.matmul %{last}, %w_gate : ({x}, {w}) -> {h}",
                  f"  %u{i} = tw.matmul %{last}, %w_up : ({x}, {w}) -> {h}",
                  f"  %s{i} = tw.silu %g{i} : ({h}) -> {h}",
                  f"  %h{i} = tw.mul %s{i}, %u{i} : ({h}, {h}) -> {h}",
                  f"  %y{i} = tw.matmul %h{i}, %w_down : ({h}, {d}) -> {x}"]
        last = f"y{i}"
    return "\n".join(lines + [f"  return %{last} : {x}", "}", ""])


def row_source(operator, parameters, attributes, rows, columns, chain):
    """`operator` over the rows of a matrix, again and again."""
    x, v = f"tensor<{rows}x{columns}xf32>", f"tensor<{columns}xf32>"
    names = "".join(f", %{p}: {v}" for p in parameters)
    lines = [f"func.func @rows(%x: {x}{names}) -> {x} {{"]
    last = "x"
    for i in range(chain):
        operands = ", ".join(f"%{o}" for o in [last, *parameters])
        types = ", ".join([x] + [v] * len(parameters))
        lines.append(f"  %y{i} = tw.{operator} {operands} {{{attributes}}} : ({types}) -> {x}")
        last = f"y{i}"
    return "\n".join(lines + [f"  return %{last} : {x}", "}", ""])


def matmul_case(name, m, n, k, links=2):
    return Case(name, "matmul", dict(m=m, n=n, k=k),
                lambda chain: matmul_source(m, n, k, chain), flop=2.0 * m * n * k,
                bytes=4.0 * k * n if m == 1 else 4.0 * m * k if n == 1 else 0,
                links=links if n == k else 1, group="matmul")


def row_case(operator, parameters, attributes, rows=4096, columns=4096, **extra):
    return Case(f"{operator}_{rows}x{columns}", operator,
                dict(rows=rows, columns=columns, **extra),
                lambda chain: row_source(operator, parameters, attributes, rows, columns, chain),
                bytes=4.0 * rows * columns, links=3, group="rows")


ATTENTION = dict(heads=8, queries=1024, keys=1024, depth=64)


def attention_source(heads, queries, keys, depth, mask, chain):
    q, k = f"tensor<{heads}x{queries}x{depth}xf32>", f"tensor<{heads}x{keys}x{depth}xf32>"
    s, m = f"tensor<{heads}x{queries}x{keys}xf32>", f"tensor<{queries}x{keys}xf32>"
    lines = [f"func.func @attention(%q: {q}, %k: {k}, %v: {k}{f', %mask: {m}' if mask else ''})"
             f" -> {q} {{",
             f"  %scale = tw.full {{value = {depth**-0.5!r}}} : () -> tensor<f32>"]
    last = "q"
    for i in range(chain):
        lines += [f"  %qk{i} = tw.matmul %{last}, %k {{transpose_rhs}} : ({q}, {k}) -> {s}",
                  f"  %s{i} = tw.mul %qk{i}, %scale : ({s}, tensor<f32>) -> {s}"]
        x = f"s{i}"
        if mask:
            lines.append(f"  %m{i} = tw.add %s{i}, %mask : ({s}, {m}) -> {s}")
            x = f"m{i}"
        lines += [f"  %p{i} = tw.softmax %{x} {{axis = -1}} : ({s}) -> {s}",
                  f"  %o{i} = tw.matmul %p{i}, %v : ({s}, {k}) -> {q}"]
        last = f"o{i}"
    return "\n".join(lines + [f"  return %{last} : {q}", "}", ""])


def attention_case(name, graph, mask):
    return Case(name, graph, dict(**ATTENTION, mask=mask),
                lambda chain: attention_source(**ATTENTION, mask=mask, chain=chain),
                flop=2 * 2.0 * 8 * 1024 * 1024 * 64, links=2, group="attention")


def cases():
    for n in (512, 1024, 2048):
        yield matmul_case(f"matmul_{n}", n, n, n, 5 if n < 1024 else 2)
    yield matmul_case("matmul_96x1536x3072", 96, 3072, 1536)
    for n, links in ((127, 33), (129, 33), (1000, 3)):
        yield matmul_case(f"matmul_{n}", n, n, n, links)
    yield matmul_case("matmul_1x4096x4096", 1, 4096, 4096, 5)
    yield matmul_case("matmul_4x4096x4096", 4, 4096, 4096, 5)
    yield matmul_case("matmul_4096x4096x1", 4096, 1, 4096)
    yield matmul_case("matmul_512x64x4096", 512, 4096, 64)
    yield Case("swiglu_ffn", "swiglu_ffn", SWIGLU, lambda chain: ffn_source(**SWIGLU, chain=chain),
               flop=3 * 2.0 * 128 * 4096 * 1408, group="ffn")
    for graph in ("attention", "fused_attention"):
        yield attention_case(f"{graph}_masked", graph, True)
        yield attention_case(graph, graph, False)
    yield row_case("softmax", [], "axis = -1")
    yield row_case("layer_norm", ["weight", "bias"], "epsilon = 1.0e-05", epsilon=1e-5)
    yield row_case("rms_norm", ["weight"], "epsilon = 1.0e-05", epsilon=1e-5)


def main():
    parser = parser_for(__doc__)
    parser.add_argument("--modules", required=True,
                        help="folder with node_modules/onnxruntime-node")
    args = parser.parse_args()
    run(list(cases()), args, ["node", str(HERE.parent / "oracle" / "ort.js"), args.modules])


if __name__ == "__main__":
    sys.exit(main())
