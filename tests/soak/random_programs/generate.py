# generate.py - makes well-typed programs of all operations, shapes and types; same seed, same program.
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Two things are kept of each value, so that what differs is a fault and not the program's nature:
# `bound`, how large its elements get (no overflow, no e^x of large x), and `exact`, whether every
# stage has the same bits (comparisons and casts to integers, which jump, take only such values).
import dataclasses
import math
import random

from program import BINARY, FLOATS, Operation, Program, Type, broadcast, infer

SIZES = [1, 2, 3, 4, 5, 7, 8, 11, 13, 15, 16, 17, 31, 32, 33, 61, 63, 64, 65, 97, 127, 128, 129, 255, 257]
ELEMENTS = 1 << 13  # of one tensor: each of 20 stages interprets it
WORK = 1 << 20  # multiplications of one product
LIMIT = {"f32": 1e4, "bf16": 1e4, "f16": 500.0}
INPUT = 5.0  # how large an input's elements are taken to be


@dataclasses.dataclass
class Value:
    name: str
    type: Type
    bound: float
    exact: bool
    special: bool = False  # infinite or NaN: only returned
    uses: int = 0


class Impossible(Exception):
    """This operation cannot be made here; another one is tried."""


class Generator:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.values, self.arguments, self.operations = [], {}, []
        self.dtype = self.rng.choice(["f32", "f32", "f32", "bf16", "f16"])
        pool = self.rng.choice([SIZES, SIZES, SIZES[:12], SIZES[12:], [1, 2, 4, 8, 16, 32, 64, 128]])
        self.sizes = [self.rng.choice(pool) for _ in range(self.rng.randint(1, 4))]
        if self.rng.random() < 0.04:
            self.sizes.append(0)

    # Values.

    def shape(self, low=0, high=4, elements=ELEMENTS):
        rank = self.rng.choice([r for r in (0, 1, 2, 2, 2, 2, 3, 3, 4) if low <= r <= high])
        shape = []
        for _ in range(rank):
            left = elements // max(1, math.prod(shape))
            fit = [s for s in self.sizes if s <= left] or [1]
            shape.append(self.rng.choice(fit) if self.rng.random() < 0.9 else
                         self.rng.choice([s for s in SIZES if s <= left]))
        self.rng.shuffle(shape)
        return tuple(shape)

    def argument(self, shape, dtype=None):
        if math.prod(shape) > ELEMENTS or len(self.arguments) >= 12:
            raise Impossible
        name = f"a{len(self.arguments)}"
        dtype = dtype or self.dtype
        self.arguments[name] = Type(tuple(shape), dtype)
        value = Value(name, self.arguments[name], INPUT if dtype in FLOATS else 128, True)
        self.values.append(value)
        return value

    def emit(self, op, operands, bound, exact=False, special=False, **attributes):
        operation = Operation(f"v{len(self.operations)}", op, [o.name for o in operands], attributes)
        operation.type = infer(operation, [o.type for o in operands])
        if operation.type is None or operation.type.elements > ELEMENTS or operation.type.rank > 5:
            raise Impossible
        if operation.type.dtype in LIMIT and bound > LIMIT[operation.type.dtype]:
            raise Impossible
        for operand in operands:
            if operand.special:
                raise Impossible
            operand.uses += 1
        self.operations.append(operation)
        value = Value(operation.name, operation.type, bound, exact, special)
        self.values.append(value)
        return value

    def pick(self, test=lambda v: True, dtypes=FLOATS):
        fit = [v for v in self.values if not v.special and v.type.dtype in dtypes and test(v)]
        if not fit or self.rng.random() < 0.08:
            dtype = self.dtype if self.dtype in dtypes else self.rng.choice(list(dtypes))
            value = self.argument(self.shape(), dtype)
            if not test(value):
                raise Impossible
            return value
        # What is not used yet is wanted more, and so is what came last: deep graphs, some fan-out.
        weights = [(3 if v.uses == 0 else 1) * (1 + i / len(fit)) for i, v in enumerate(fit)]
        return self.rng.choices(fit, weights)[0]

    def beside(self, x, test=lambda v: True, dtype=None):
        """A value that broadcasts with x: there already, or a new argument."""
        dtype = dtype or x.type.dtype
        if self.rng.random() < 0.6:
            fit = [v for v in self.values if not v.special and v.type.dtype == dtype and test(v) and
                   broadcast(v.type.shape, x.type.shape) is not None]
            if fit:
                return self.rng.choice(fit)
        shape = list(x.type.shape)
        if self.rng.random() < 0.5:
            shape = shape[self.rng.randint(0, len(shape)):]
        for i, s in enumerate(shape):
            if self.rng.random() < 0.2:
                shape[i] = 1
            elif s == 1 and self.rng.random() < 0.3:
                shape[i] = self.rng.choice(self.sizes)
        value = self.argument(shape, dtype)
        if not test(value):
            raise Impossible
        return value

    def scalar(self, number, like):
        shape = self.rng.choice([(), (1,), (1,) * like.type.rank, like.type.shape])
        return self.emit("full", [], abs(number), True, value=float(number), shape=shape,
                         dtype=like.type.dtype)

    def positive(self, x, least=0.5):
        x = self.emit("abs", [x], x.bound, x.exact)
        return self.emit("add", [x, self.scalar(least, x)], x.bound + least)

    # Operations, by kind.

    def unary(self):
        op, x = self.rng.choice(["neg", "abs", "exp", "log", "sqrt", "rsqrt", "reciprocal", "tanh", "erf",
                                 "sigmoid", "relu", "silu", "gelu"]), self.pick()
        if op in ("log", "sqrt", "rsqrt", "reciprocal"):
            x = self.positive(x)
            return self.emit(op, [x], {"log": 10, "sqrt": math.sqrt(x.bound)}.get(op, 2))
        if op == "exp":
            if x.bound > 6:
                x = self.emit("tanh", [x], 1)
            return self.emit(op, [x], math.exp(x.bound))
        bound = {"tanh": 1, "erf": 1, "sigmoid": 1}.get(op, x.bound)
        return self.emit(op, [x], bound, x.exact and op in ("neg", "abs", "relu"))

    def binary(self):
        op, x = self.rng.choice(BINARY + ["add", "mul", "sub"]), self.pick()
        y = self.beside(x)
        if op in ("div", "pow"):
            y = self.positive(y) if op == "div" else y
            if op == "div":
                return self.emit(op, [x, y], 2 * x.bound)
            x = self.positive(x)
            if self.rng.random() < 0.5:
                exponent = self.rng.choice([2.0, 0.5, -1.0, 3.0])
                y = self.scalar(exponent, x)
                bound = max(x.bound, 2) ** abs(exponent)
            else:
                y = self.emit("tanh", [y], 1)
                bound = max(x.bound, 2)
            return self.emit(op, [x, y], bound)
        bound = {"add": x.bound + y.bound, "sub": x.bound + y.bound, "mul": x.bound * y.bound}.get(
            op, max(x.bound, y.bound))
        operands = [x, y] if self.rng.random() < 0.5 else [y, x]
        return self.emit(op, operands, bound, op in ("maximum", "minimum") and x.exact and y.exact)

    def compare(self):
        everything = FLOATS + ["i1", "i8", "i32", "i64"]
        x = self.pick(lambda v: v.exact, everything)
        y = self.beside(x, lambda v: v.exact)
        mask = self.emit("compare", [x, y], 1, True,
                         predicate=self.rng.choice(["eq", "ne", "lt", "le", "gt", "ge"]))
        if self.rng.random() < 0.8:
            return self.choose(mask)
        return mask

    def choose(self, mask=None):
        mask = mask or self.pick(dtypes=["i1"])
        dtype = self.rng.choice([self.dtype] * 5 + ["i32", "i8", "f32"])
        x = self.beside(mask, dtype=dtype)
        y = self.scalar(self.rng.choice([0, 1, -2]), x) if self.rng.random() < 0.3 else self.beside(x)
        return self.emit("select", [mask, x, y], max(x.bound, y.bound), x.exact and y.exact)

    def clip(self):
        # Where x is next to the limit both sides are the limit: x need not be exact.
        x = self.pick()
        limit = self.scalar(self.rng.choice([0.0, 0.5, -1.0]), x)
        above = self.rng.random() < 0.5
        mask = self.emit("compare", [x, limit], 1, False, predicate="gt" if above else "le")
        return self.emit("select", [mask, *([limit, x] if above else [x, limit])], max(x.bound, 1), x.exact)

    def cast(self):
        everything = FLOATS + ["i1", "i8", "i32", "i64"]
        to = self.rng.choice(FLOATS * 4 + ["i1", "i8", "i32", "i64"])
        x = self.pick((lambda v: True) if to in FLOATS else (lambda v: v.exact), everything)
        if x.type.dtype == to:
            raise Impossible
        return self.emit("cast", [x], x.bound, x.exact, dtype=to)

    def reduce(self):
        kind, x = self.rng.choice(["sum", "mean", "max", "min", "sum", "mean", "max", "min", "prod"]), self.pick()
        axes = [i for i in range(x.type.rank) if self.rng.random() < 0.5]
        if x.type.rank and not axes:
            axes = [self.rng.randrange(x.type.rank)]
        if not axes:
            raise Impossible
        n = math.prod(x.type.shape[i] for i in axes)
        if kind == "prod":
            if n > 16:
                raise Impossible
            if x.bound > 1:
                x = self.emit("tanh", [x], 1)
        special = n == 0 and kind in ("mean", "max", "min")
        bound = {"sum": max(1, n) ** 0.7 * x.bound, "prod": 1}.get(kind, x.bound)
        exact = x.exact and kind in ("max", "min") and not special
        axes = [i - x.type.rank if self.rng.random() < 0.3 else i for i in axes]
        return self.emit("reduce", [x], bound, exact, special, kind=kind, axes=axes,
                         keepdims=self.rng.random() < 0.6)

    def matmul(self):
        x = self.pick(lambda v: v.type.rank >= 2 or self.rng.random() < 0.02)
        if x.type.rank < 2:
            x = self.argument(self.shape(2, 3))
        left, right = self.rng.random() < 0.25, self.rng.random() < 0.35
        m, k = x.type.shape[-2:][::-1] if left else x.type.shape[-2:]
        fit = [v for v in self.values if v.type.dtype == x.type.dtype and not v.special and v.type.rank >= 2
               and v.type.shape[-1 if right else -2] == k]
        if fit and self.rng.random() < 0.5:
            y = self.rng.choice(fit)
        else:
            batch = x.type.shape[:-2]
            batch = tuple(1 if self.rng.random() < 0.2 else s for s in batch[self.rng.randint(0, len(batch)):])
            n = self.rng.choice(self.sizes)
            y = self.argument(batch + ((n, k) if right else (k, n)), x.type.dtype)
        n = y.type.shape[-2 if right else -1]
        batch = broadcast(x.type.shape[:-2], y.type.shape[:-2])
        if batch is None or math.prod(batch) * m * n * k > WORK:
            raise Impossible
        dtype = self.rng.choice([x.type.dtype, x.type.dtype, x.type.dtype, "f32"])
        bound = x.bound * y.bound * max(1, k) ** 0.6
        operands = [x, y]
        if self.rng.random() < 0.2:
            want = Type(batch + (m, n), dtype)
            there = [v for v in self.values if v.type == want and not v.special]
            acc = self.rng.choice(there) if there else self.argument(want.shape, dtype)
            operands.append(acc)
            bound += acc.bound
        product = self.emit("matmul", operands, bound, dtype=dtype, transpose_lhs=left, transpose_rhs=right)
        if self.rng.random() < 0.4:  # keeps what follows in range, as scores are scaled
            product = self.emit("mul", [product, self.scalar(1 / math.sqrt(max(1, k)), product)],
                                product.bound / math.sqrt(max(1, k)))
        return product

    def composite(self):
        op = self.rng.choice(["softmax", "rms_norm", "layer_norm"])
        x = self.pick(lambda v: v.type.rank > 0 and v.bound <= 200 and 0 not in v.type.shape)
        if op == "softmax":
            axis = -1 if self.rng.random() < 0.6 else self.rng.randrange(-x.type.rank, x.type.rank)
            return self.emit(op, [x], 1, axis=axis)
        row = x.type.shape[-1:]
        if x.type.shape[-1] < 2 or x.type.dtype != "f32" and x.bound > 100:
            raise Impossible
        weights = [self.argument(row, x.type.dtype) for _ in range(1 if op == "rms_norm" else 2)]
        return self.emit(op, [x, *weights], 20, epsilon="1.0e-2" if op == "layer_norm" else "1.0e-5")

    def move(self):
        everything = FLOATS * 3 + ["i1", "i8", "i32", "i64"]
        op = self.rng.choice(["transpose", "reshape", "slice", "insert", "concat"])
        x = self.pick(lambda v: v.type.rank > 0 or op == "reshape", [self.rng.choice(everything)] + FLOATS)
        shape, rank = x.type.shape, x.type.rank
        if op == "transpose":
            permutation = list(range(rank))
            self.rng.shuffle(permutation)
            return self.emit(op, [x], x.bound, x.exact, permutation=permutation)
        if op == "reshape":
            return self.emit(op, [x], x.bound, x.exact, shape=self.otherShape(shape))
        strided = self.rng.random() < 0.4
        if op == "slice":
            offsets, sizes, strides = [], [], []
            for s in shape:
                offset = self.rng.randint(0, max(0, s - 1)) if self.rng.random() < 0.5 else 0
                stride = self.rng.choice([1, 1, 2, 3]) if strided else 1
                most = max(0, (s - offset + stride - 1) // stride)
                offsets.append(offset)
                strides.append(stride)
                sizes.append(most if self.rng.random() < 0.5 or not most else self.rng.randint(1, most))
            attributes = {"strides": strides} if strided else {}
            return self.emit(op, [x], x.bound, x.exact, offsets=offsets, sizes=sizes, **attributes)
        if op == "insert":
            into, offsets, strides = [], [], []
            for s in shape:
                stride = self.rng.choice([1, 1, 2]) if strided else 1
                offset = self.rng.choice([0, 0, 1, 3])
                strides.append(stride)
                offsets.append(offset)
                into.append(offset + max(0, s - 1) * stride + 1 + self.rng.choice([0, 0, 1, 5]) - (s == 0))
            fill = self.argument(into, x.type.dtype) if self.rng.random() < 0.6 or \
                x.type.dtype not in FLOATS else self.emit(
                    "full", [], 1, True, value=0.0, shape=tuple(into), dtype=x.type.dtype)
            attributes = {"strides": strides} if strided else {}
            return self.emit(op, [x, fill], max(x.bound, fill.bound), x.exact and fill.exact, offsets=offsets,
                             **attributes)
        axis = self.rng.randrange(rank)
        parts = [x]
        for _ in range(self.rng.randint(1, 2)):
            fit = [v for v in self.values if v.type.rank == rank and v.type.dtype == x.type.dtype and
                   not v.special and v.type.shape[:axis] + v.type.shape[axis + 1:] == shape[:axis] + shape[axis + 1:]]
            parts.append(self.rng.choice(fit) if fit and self.rng.random() < 0.7 else
                         self.argument(shape[:axis] + (self.rng.choice(self.sizes),) + shape[axis + 1:], x.type.dtype))
        self.rng.shuffle(parts)
        return self.emit(op, parts, max(p.bound for p in parts), all(p.exact for p in parts), axis=axis)

    def otherShape(self, shape):
        total = math.prod(shape)
        if total == 0:
            return self.rng.choice([shape + (1,), (0,), (1,) + shape])
        kind = self.rng.random()
        if kind < 0.25:
            return (total,)
        if kind < 0.5 and len(shape) > 1:
            at = self.rng.randrange(len(shape) - 1)
            return shape[:at] + (shape[at] * shape[at + 1],) + shape[at + 2:]
        if kind < 0.6:
            at = self.rng.randint(0, len(shape))
            return shape[:at] + (1,) + shape[at:]
        if kind < 0.7 and 1 in shape:
            at = shape.index(1)
            return shape[:at] + shape[at + 1:]
        factors = [d for d in range(1, min(total, 300) + 1) if total % d == 0]
        first = self.rng.choice(factors)
        return (first, total // first) if self.rng.random() < 0.7 else (total // first, 1, first)

    def constant(self):
        if self.rng.random() < 0.5:
            shape, numbers = self.shape(), round(self.rng.uniform(-3, 3), 3)
            text = str(numbers)
        else:
            shape = (self.rng.choice([s for s in self.sizes + [3] if 0 < s <= 17] or [2]),)
            text = str([round(self.rng.uniform(-3, 3), 3) for _ in range(shape[0])])
        if 0 in shape:
            raise Impossible
        return self.emit("constant", [], 3, True, value=text, shape=shape, dtype=self.dtype)

    def attention(self):
        batch = self.rng.choice([(), (2,), (3,), (2, 2)])
        queries, keys, depth = (self.rng.choice([s for s in SIZES if 2 <= s <= 65]) for _ in range(3))
        depth = min(depth, 33)
        q = self.argument(batch + (queries, depth))
        k, v = self.argument(batch + (keys, depth)), self.argument(batch + (keys, depth))
        wide = self.rng.choice([self.dtype, "f32"])
        s = self.emit("matmul", [q, k], 25 * depth ** 0.6, dtype=wide, transpose_lhs=False, transpose_rhs=True)
        s = self.emit("mul", [s, self.scalar(1 / math.sqrt(depth), s)], 40)
        if self.rng.random() < 0.5:
            s = self.emit("add", [s, self.argument((queries, keys), wide)], 45)
        if self.rng.random() < 0.6:
            p = self.emit("softmax", [s], 1, axis=-1)
        else:
            last = [-1]
            m = self.emit("reduce", [s], 45, kind="max", axes=last, keepdims=True)
            e = self.emit("exp", [self.emit("sub", [s, m], 90)], 1)
            z = self.emit("reduce", [e], 100, kind="sum", axes=last, keepdims=True)
            p = self.emit("div", [e, z], 1)
        if p.type.dtype != self.dtype:
            p = self.emit("cast", [p], 1, dtype=self.dtype)
        return self.emit("matmul", [p, v], INPUT, dtype=self.dtype)

    def program(self):
        kinds = [(self.unary, 20), (self.binary, 26), (self.compare, 6), (self.choose, 4), (self.clip, 3),
                 (self.cast, 7), (self.reduce, 12), (self.matmul, 14), (self.composite, 8), (self.move, 16),
                 (self.constant, 3), (self.attention, 2)]
        want = self.rng.randint(2, 20)
        self.argument(self.shape())
        for _ in range(400):
            if len(self.operations) >= want:
                break
            kind = self.rng.choices([k for k, _ in kinds], [w for _, w in kinds])[0]
            before = (len(self.values), dict(self.arguments), len(self.operations), [v.uses for v in self.values])
            try:
                kind()
            except Impossible:
                values, self.arguments, operations, uses = before
                del self.values[values:]
                del self.operations[operations:]
                for value, count in zip(self.values, uses):
                    value.uses = count
        if self.rng.random() < 0.15 and len(self.arguments) < 12:
            self.argument(self.shape())  # that nothing uses
        made = [v for v in self.values if v.name not in self.arguments]
        ends = [v.name for v in made if v.uses == 0 and self.rng.random() < 0.9]
        ends += [v.name for v in made if v.uses and self.rng.random() < 0.06]
        if self.rng.random() < 0.02:
            ends.append(next(iter(self.arguments)))
        if self.rng.random() < 0.02 and ends:
            ends.append(ends[0])
        if not ends:
            ends = [made[-1].name]
        self.rng.shuffle(ends)
        program = Program(self.arguments, self.operations, ends[:5])
        assert program.retype()
        return program


def generate(seed):
    for attempt in range(100):
        generator = Generator(f"{seed}/{attempt}")
        try:
            return generator.program()
        except (Impossible, IndexError):
            continue
    raise RuntimeError(f"no program from seed {seed}")
