# shrink.py - makes a failing program small while it fails in the same way.
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import copy
import time

from program import FLOATS


def tidy(program):
    """Drops operations and arguments that no result needs."""
    needed = set(program.results)
    kept = []
    for operation in reversed(program.operations):
        if operation.name in needed:
            kept.append(operation)
            needed.update(operation.operands)
    program.operations = kept[::-1]
    program.arguments = {n: t for n, t in program.arguments.items() if n in needed}
    return program


def replaceUses(program, old, new):
    for operation in program.operations:
        operation.operands = [new if o == old else o for o in operation.operands]
    program.results = [new if r == old else r for r in program.results]


def fewerResults(program):
    for result in reversed(program.results):
        if len(program.results) > 1:
            smaller = copy.deepcopy(program)
            smaller.results = [result]
            yield tidy(smaller)
    for i in range(len(program.results)):
        if len(program.results) > 1:
            smaller = copy.deepcopy(program)
            del smaller.results[i]
            yield tidy(smaller)


def earlierResults(program):
    for operation in program.operations:
        if program.results != [operation.name]:
            smaller = copy.deepcopy(program)
            smaller.results = [operation.name]
            smaller = tidy(smaller)
            if len(smaller.operations) < len(program.operations):
                yield smaller


def fewerOperations(program):
    types = program.types()
    for operation in reversed(program.operations):
        if operation.name not in program.results:
            smaller = copy.deepcopy(program)
            fresh = f"in_{operation.name}"
            smaller.arguments[fresh] = operation.type
            replaceUses(smaller, operation.name, fresh)
            yield tidy(smaller)
        for operand in operation.operands:
            smaller = copy.deepcopy(program)
            replaceUses(smaller, operation.name, operand)
            smaller = tidy(smaller)
            # As a result an argument would be no program any more.
            if types[operand].dtype == operation.type.dtype and smaller.operations:
                yield smaller


def resize(program, old, new):
    smaller = copy.deepcopy(program)

    def change(numbers):
        return [new if n == old else n for n in numbers]

    for name, type in smaller.arguments.items():
        smaller.arguments[name] = type._replace(shape=tuple(change(type.shape)))
    for operation in smaller.operations:
        for key in ("shape", "sizes"):
            if key in operation.attributes:
                operation.attributes[key] = tuple(change(operation.attributes[key]))
    return smaller


def smallerSizes(program):
    sizes = sorted({s for t in program.types().values() for s in t.shape if s > 1}, reverse=True)
    for size in sizes:
        for new in sorted({1, 2, size // 4, size // 2, size * 3 // 4, size - 1}):
            if 1 <= new < size:
                yield resize(program, size, new)
    for name, type in program.arguments.items():
        for i, size in enumerate(type.shape):
            if size > 1:
                smaller = copy.deepcopy(program)
                smaller.arguments[name] = type._replace(shape=type.shape[:i] + (1,) + type.shape[i + 1:])
                yield smaller


def simplerAttributes(program):
    for i, operation in enumerate(program.operations):
        for key in ("transpose_lhs", "transpose_rhs"):
            if operation.attributes.get(key):
                smaller = copy.deepcopy(program)
                smaller.operations[i].attributes[key] = False
                yield smaller
        if "strides" in operation.attributes:
            smaller = copy.deepcopy(program)
            del smaller.operations[i].attributes["strides"]
            yield smaller
        if any(operation.attributes.get("offsets", [])):
            smaller = copy.deepcopy(program)
            smaller.operations[i].attributes["offsets"] = [0] * len(operation.attributes["offsets"])
            yield smaller


def onlyF32(program):
    used = {t.dtype for t in program.types().values()}
    for dtype in FLOATS[1:]:
        if dtype in used:
            smaller = copy.deepcopy(program)
            smaller.arguments = {n: t._replace(dtype="f32" if t.dtype == dtype else t.dtype)
                                 for n, t in smaller.arguments.items()}
            for operation in smaller.operations:
                if operation.attributes.get("dtype") == dtype:
                    operation.attributes["dtype"] = "f32"
            yield smaller


def shrink(program, fails, seconds=120):
    """The smallest program found for which `fails(program)` still holds; stops after `seconds`."""
    end = time.monotonic() + seconds
    tried = {program.text()}
    again = True
    while again:
        again = False
        for step in (fewerResults, earlierResults, fewerOperations, onlyF32, smallerSizes, simplerAttributes):
            found = True
            while found:
                found = False
                for candidate in step(program):
                    if time.monotonic() > end:
                        return program
                    if not candidate.retype():
                        continue
                    text = candidate.text()
                    if text in tried:
                        continue
                    tried.add(text)
                    if fails(candidate):
                        program, found, again = candidate, True, True
                        break
    return program
