#!/usr/bin/env python3
# against_torch.py - our bf16 products beside PyTorch's (oneDNN), in one run.
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Method: rounds.py. All operands are inputs on both sides. Debian's python3-torch.
import sys

from rounds import Case, HERE, parser_for, run


def matmul_source(m, n, k, chain):
    a, b, c = f"tensor<{m}x{k}xbf16>", f"tensor<{k}x{n}xbf16>", f"tensor<{m}x{n}xbf16>"
    lines = [f"func.func @matmul(%a: {a}, %b: {b}) -> {c} {{"]
    last, kind = "a", a
    for i in range(chain):
        lines.append(f"  %c{i} = tw.matmul %{last}, %b : ({kind}, {b}) -> {c}")
        last, kind = f"c{i}", c
    return "\n".join(lines + [f"  return %{last} : {c}", "}", ""])


def cases():
    for n in (512, 1024, 2048):
        yield Case(f"matmul_bf16_{n}", "matmul_bf16", dict(m=n, n=n, k=n),
                   lambda chain, n=n: matmul_source(n, n, n, chain), flop=2.0 * n**3,
                   group="matmul_bf16")


def main():
    parser = parser_for(__doc__)
    parser.add_argument("--python", default="/usr/bin/python3", help="one that has torch")
    args = parser.parse_args()
    run(list(cases()), args, [args.python, str(HERE.parent / "oracle" / "torch_peer.py")])


if __name__ == "__main__":
    sys.exit(main())
