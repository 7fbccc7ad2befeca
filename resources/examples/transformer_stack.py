#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes transformer layers one behind the other as one function.

A layer is what decoder models of today are made of: RMSNorm, grouped attention
(several query heads share one key/value head), a residual sum, RMSNorm, SwiGLU
and a residual sum. Every layer has weights of its own, so the layers are equal
in form and different in data: the compiler should do its work once.

  transformer_stack.py > transformer_layer.mlir            one layer
  transformer_stack.py --layers 100 > stack.mlir           about 2,500 operations
"""
import argparse


def tensor(*shape):
    return "tensor<" + "".join(f"{size}x" for size in shape) + "f32>"


def options():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layers", type=int, default=1)
    parser.add_argument("--name", help="of the function")
    parser.add_argument("--tokens", type=int, default=128)
    parser.add_argument("--hidden", type=int, default=1024)
    parser.add_argument("--heads", type=int, default=8, help="query heads")
    parser.add_argument("--kv-heads", type=int, default=2, help="key/value heads")
    parser.add_argument("--head", type=int, default=128, help="size of a head")
    parser.add_argument("--intermediate", type=int, default=2816)
    parsed = parser.parse_args()
    if parsed.layers < 1 or parsed.heads % parsed.kv_heads:
        parser.error("--layers must be 1 or more, --kv-heads must divide --heads")
    return parsed


def main():
    o = options()
    group = o.heads // o.kv_heads
    x = tensor(o.tokens, o.hidden)
    q_flat, kv_flat = tensor(o.tokens, o.heads * o.head), tensor(o.tokens, o.kv_heads * o.head)
    q_split = tensor(o.tokens, o.kv_heads, group, o.head)
    kv_split = tensor(o.tokens, o.kv_heads, 1, o.head)
    q_heads = tensor(o.kv_heads, group, o.tokens, o.head)
    kv_heads = tensor(o.kv_heads, 1, o.tokens, o.head)
    scores = tensor(o.kv_heads, group, o.tokens, o.tokens)
    mask, scalar, norm = tensor(o.tokens, o.tokens), tensor(), tensor(o.hidden)
    wide = tensor(o.tokens, o.intermediate)
    weights = {
        "norm_attention": norm,
        "w_q": tensor(o.hidden, o.heads * o.head),
        "w_k": tensor(o.hidden, o.kv_heads * o.head),
        "w_v": tensor(o.hidden, o.kv_heads * o.head),
        "w_o": tensor(o.heads * o.head, o.hidden),
        "norm_ffn": norm,
        "w_gate": tensor(o.hidden, o.intermediate),
        "w_up": tensor(o.hidden, o.intermediate),
        "w_down": tensor(o.intermediate, o.hidden),
    }
    many = o.layers > 1
    prefix = (lambda layer: f"layer{layer}_") if many else (lambda layer: "")
    arguments = [f"%x: {x}", f"%mask: {mask}"] + [
        f"%{prefix(layer)}{name}: {kind}"
        for layer in range(o.layers) for name, kind in weights.items()]
    name = o.name or ("transformer_stack" if many else "transformer_layer")
    what = f"{o.layers} transformer layers" if many else "One transformer layer"
    print(f"// {what}: {o.tokens} tokens, hidden {o.hidden}, {o.heads} query heads and {o.kv_heads} key/value heads of"
          f" {o.head}, SwiGLU over {o.intermediate}.")
    print(f"// Written by transformer_stack.py. The mask is added to the scores: 0 where a token may look, -inf elsewhere.")
    indent = " " * len(f"func.func @{name}(")
    print(f"func.func @{name}(" + (",\n" + indent).join(arguments) + f") -> {x} {{")
    print(f"  %scale = tw.full {{value = {o.head ** -0.5!r}}} : () -> {scalar}")
    current = "%x"
    for layer in range(o.layers):
        p = "%" + prefix(layer)
        line = lambda result, text: print(f"  {p}{result} = tw.{text}")
        line("normed", f"rms_norm {current}, {p}norm_attention : ({x}, {norm}) -> {x}")
        for part, flat, split, heads in (("q", q_flat, q_split, q_heads), ("k", kv_flat, kv_split, kv_heads),
                                         ("v", kv_flat, kv_split, kv_heads)):
            line(part, f"matmul {p}normed, {p}w_{part} : ({x}, {weights['w_' + part]}) -> {flat}")
            line(f"{part}_split", f"reshape {p}{part} : ({flat}) -> {split}")
            line(f"{part}_heads", f"transpose {p}{part}_split {{permutation = [1, 2, 0, 3]}} : ({split}) -> {heads}")
        line("qk", f"matmul {p}q_heads, {p}k_heads {{transpose_rhs}} : ({q_heads}, {kv_heads}) -> {scores}")
        line("scaled", f"mul {p}qk, %scale : ({scores}, {scalar}) -> {scores}")
        line("masked", f"add {p}scaled, %mask : ({scores}, {mask}) -> {scores}")
        line("p", f"softmax {p}masked {{axis = -1}} : ({scores}) -> {scores}")
        line("pv", f"matmul {p}p, {p}v_heads : ({scores}, {kv_heads}) -> {q_heads}")
        line("pv_tokens", f"transpose {p}pv {{permutation = [2, 0, 1, 3]}} : ({q_heads}) -> {q_split}")
        line("attended", f"reshape {p}pv_tokens : ({q_split}) -> {q_flat}")
        line("projected", f"matmul {p}attended, {p}w_o : ({q_flat}, {weights['w_o']}) -> {x}")
        line("middle", f"add {current}, {p}projected : ({x}, {x}) -> {x}")
        line("normed_ffn", f"rms_norm {p}middle, {p}norm_ffn : ({x}, {norm}) -> {x}")
        line("gate", f"matmul {p}normed_ffn, {p}w_gate : ({x}, {weights['w_gate']}) -> {wide}")
        line("up", f"matmul {p}normed_ffn, {p}w_up : ({x}, {weights['w_up']}) -> {wide}")
        line("act", f"silu {p}gate : ({wide}) -> {wide}")
        line("hidden", f"mul {p}act, {p}up : ({wide}, {wide}) -> {wide}")
        line("down", f"matmul {p}hidden, {p}w_down : ({wide}, {weights['w_down']}) -> {x}")
        line("y", f"add {p}middle, {p}down : ({x}, {x}) -> {x}")
        current = f"{p}y"
    print(f"  return {current} : {x}")
    print("}")


if __name__ == "__main__":
    main()
