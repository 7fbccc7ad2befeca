# program.py - a program of tw operations as data: what it is made of, its types, its text.
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import dataclasses
import math
import typing


class Type(typing.NamedTuple):
    shape: tuple
    dtype: str

    def __str__(self):
        return "tensor<" + "".join(f"{s}x" for s in self.shape) + self.dtype + ">"

    @property
    def elements(self):
        return math.prod(self.shape)

    @property
    def rank(self):
        return len(self.shape)


UNARY = ["neg", "abs", "exp", "log", "sqrt", "rsqrt", "reciprocal", "tanh", "erf", "sigmoid",
         "relu", "silu", "gelu"]
BINARY = ["add", "sub", "mul", "div", "pow", "maximum", "minimum"]
FLOATS = ["f32", "f16", "bf16"]


@dataclasses.dataclass
class Operation:
    name: str
    op: str
    operands: list
    attributes: dict
    type: Type = None


def broadcast(*shapes):
    """The common shape, None where there is none."""
    rank = max(map(len, shapes))
    result = []
    for i in range(rank):
        size = 1
        for shape in shapes:
            at = i - rank + len(shape)
            if at < 0 or shape[at] == 1:
                continue
            if size not in (1, shape[at]):
                return None
            size = shape[at]
        result.append(size)
    return tuple(result)


def infer(operation, types):
    """The result type that follows from the operands', None where the operation is not well-typed."""
    op, a = operation.op, operation.attributes
    if op == "full":
        return Type(tuple(a["shape"]), a["dtype"])
    if op == "constant":
        return Type(tuple(a["shape"]), a["dtype"])
    x = types[0]
    if op in UNARY:
        return x if x.dtype in FLOATS else None
    if op in BINARY or op == "compare":
        shape = broadcast(x.shape, types[1].shape)
        if shape is None or x.dtype != types[1].dtype:
            return None
        if op == "compare":
            return Type(shape, "i1")
        return Type(shape, x.dtype) if x.dtype in FLOATS else None
    if op == "select":
        shape = broadcast(*(t.shape for t in types))
        if shape is None or x.dtype != "i1" or types[1].dtype != types[2].dtype:
            return None
        return Type(shape, types[1].dtype)
    if op == "cast":
        return Type(x.shape, a["dtype"])
    if op == "matmul":
        y = types[1]
        if min(x.rank, y.rank) < 2 or x.dtype != y.dtype or x.dtype not in FLOATS:
            return None
        m, k = x.shape[-2:][::-1] if a.get("transpose_lhs") else x.shape[-2:]
        l, n = y.shape[-2:][::-1] if a.get("transpose_rhs") else y.shape[-2:]
        batch = broadcast(x.shape[:-2], y.shape[:-2])
        if k != l or batch is None:
            return None
        result = Type(batch + (m, n), a["dtype"])
        return result if len(types) == 2 or types[2] == result else None
    if op == "reduce":
        axes = a["axes"]
        if x.dtype not in FLOATS or any(not -x.rank <= axis < x.rank for axis in axes):
            return None
        axes = {axis % x.rank for axis in axes} if axes else set()
        if len(axes) != len(a["axes"]):
            return None
        if a.get("keepdims"):
            return Type(tuple(1 if i in axes else s for i, s in enumerate(x.shape)), x.dtype)
        return Type(tuple(s for i, s in enumerate(x.shape) if i not in axes), x.dtype)
    if op == "softmax":
        return x if x.dtype in FLOATS and -x.rank <= a["axis"] < x.rank else None
    if op in ("rms_norm", "layer_norm"):
        row = Type(x.shape[-1:], x.dtype)
        return x if x.rank and x.dtype in FLOATS and all(t == row for t in types[1:]) else None
    if op == "transpose":
        if sorted(a["permutation"]) != list(range(x.rank)):
            return None
        return Type(tuple(x.shape[p] for p in a["permutation"]), x.dtype)
    if op == "reshape":
        result = Type(tuple(a["shape"]), x.dtype)
        return result if result.elements == x.elements else None
    if op == "slice":
        if not x.rank == len(a["offsets"]) == len(a["sizes"]):
            return None
        for s, o, n, t in zip(x.shape, a["offsets"], a["sizes"], a.get("strides", [1] * x.rank)):
            if o + (n - 1) * t >= s if n else o > s:
                return None
        return Type(tuple(a["sizes"]), x.dtype)
    if op == "insert":
        y = types[1]
        if x.rank != y.rank or x.rank != len(a["offsets"]) or x.dtype != y.dtype:
            return None
        for s, o, n, t in zip(y.shape, a["offsets"], x.shape, a.get("strides", [1] * x.rank)):
            if o + (n - 1) * t >= s if n else o > s:
                return None
        return y
    if op == "concat":
        axis = a["axis"]
        if not -x.rank <= axis < x.rank:
            return None
        axis %= x.rank
        for t in types:
            if t.rank != x.rank or t.dtype != x.dtype or any(
                    p != q for i, (p, q) in enumerate(zip(t.shape, x.shape)) if i != axis):
                return None
        total = sum(t.shape[axis] for t in types)
        return Type(x.shape[:axis] + (total,) + x.shape[axis + 1:], x.dtype)
    raise ValueError(op)


def attributeText(operation):
    hidden = {"full": ("shape", "dtype"), "cast": ("dtype",), "matmul": ("dtype",),
              "reshape": ("shape",)}.get(operation.op, ())
    parts = []
    for key, value in operation.attributes.items():
        if key in hidden or value is False:
            continue
        if value is True:
            parts.append(key)
        elif isinstance(value, (list, tuple)):
            parts.append(f"{key} = [{', '.join(map(str, value))}]")
        else:
            parts.append(f"{key} = {value}")
    return " {" + ", ".join(parts) + "}" if parts else ""


@dataclasses.dataclass
class Program:
    arguments: dict  # name: Type
    operations: list
    results: list  # names

    def retype(self):
        """Infers all types anew; False where the program is not well-typed."""
        types = dict(self.arguments)
        for operation in self.operations:
            if any(o not in types for o in operation.operands):
                return False
            operation.type = infer(operation, [types[o] for o in operation.operands])
            if operation.type is None:
                return False
            types[operation.name] = operation.type
        return bool(self.results) and all(r in types for r in self.results)

    def types(self):
        return {**self.arguments, **{o.name: o.type for o in self.operations}}

    def text(self):
        types = self.types()
        arguments = ", ".join(f"%{n}: {t}" for n, t in self.arguments.items())
        results = ", ".join(str(types[r]) for r in self.results)
        lines = [f"func.func @f({arguments}) -> ({results}) {{"]
        for o in self.operations:
            if o.op == "constant":
                lines.append(f"  %{o.name} = arith.constant dense<{o.attributes['value']}> : {o.type}")
                continue
            operands = " " + ", ".join(f"%{n}" for n in o.operands) if o.operands else ""
            if o.op == "matmul" and len(o.operands) == 3:
                operands = " %{}, %{} acc %{}".format(*o.operands)
            given = ", ".join(str(types[n]) for n in o.operands)
            lines.append(f"  %{o.name} = tw.{o.op}{operands}{attributeText(o)} : ({given}) -> {o.type}")
        lines.append(f"  return {', '.join('%' + r for r in self.results)} : {results}")
        return "\n".join(lines + ["}", ""])
