# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Texts nobody should write, and what must come of them."""
import random

GOOD = """func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>) -> tensor<4x4xf32> {
  %c = tw.matmul %a, %b : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  return %c : tensor<4x4xf32>
}
"""

FINE, ERROR, EITHER = "fine", "error", "either"


def function(body, arguments="%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %i: i1"):
    return f"func.func @f({arguments}) {{\n{body}\n  return\n}}\n"


def random_bytes(size, seed):
    return random.Random(seed).randbytes(size)


def nested_regions(depth):
    return function("scf.if %i {\n" * depth + "}\n" * depth)


def doubling_aliases(count):
    """Each alias twice the size of the one before: printed in full, gigabytes."""
    lines = ["!t0 = tuple<i1, i2>"]
    lines += [f"!t{n} = tuple<!t{n - 1}, !t{n - 1}>" for n in range(1, count)]
    return "\n".join(lines) + "\n" + function('"x.y"() : () -> ()', f"%a: !t{count - 1}")


def chained_aliases(count):
    lines = ["!t0 = tuple<i1>"] + [f"!t{n} = tuple<!t{n - 1}>" for n in range(1, count)]
    return "\n".join(lines) + "\n" + GOOD


def texts():
    """(name, bytes, what must come of it)."""
    result = [
        ("empty", b"", EITHER),
        ("blank", b" \n\t\n", EITHER),
        ("comment only", b"// nothing", EITHER),
        ("byte order mark", b"\xef\xbb\xbf" + GOOD.encode(), FINE),
        ("byte order mark alone", b"\xef\xbb\xbf", EITHER),
        ("CRLF", GOOD.replace("\n", "\r\n").encode(), FINE),
        ("lone CR", GOOD.replace("\n", "\r").encode(), EITHER),
        ("non-ASCII comment", ("// gr\u00fc\u00df \u4f60\u597d \U0001F600\n" + GOOD).encode(), FINE),
        ("non-ASCII name", GOOD.replace("%c", "%\u00e9").encode(), ERROR),
        ("NUL between tokens", GOOD.replace("{\n", "{\0\n").encode(), EITHER),
        ("NUL in a name", GOOD.replace("matmul", "mat\0mul").encode(), ERROR),
        ("NUL in a comment", ("// a\0b\n" + GOOD).encode(), EITHER),
        ("nothing but NUL", b"\0" * 100000, EITHER),
        ("invalid UTF-8 in a comment", b"// \xff\xfe\n" + GOOD.encode(), ERROR),
        ("random bytes", random_bytes(20000, 1), ERROR),
        ("random letters", bytes(32 + b % 95 for b in random_bytes(20000, 2)), ERROR),
        ("unknown operation", function("  %x = tw.nonsense %a : tensor<4x8xf32>").encode(), ERROR),
        ("unknown dialect", function('  foo.bar').encode(), ERROR),
        ("unregistered operation", function('  %x = "foo.bar"(%a) : (tensor<4x8xf32>) -> f32').encode(),
         ERROR),
        ("unknown value", function("  %x = tw.silu %nowhere : (tensor<4xf32>) -> tensor<4xf32>").encode(),
         ERROR),
        ("type mismatch", GOOD.replace("%a, %b : (tensor<4x8xf32>", "%a, %b : (tensor<4x8xbf16>").encode(),
         ERROR),
        ("shape mismatch", GOOD.replace("8x4", "9x4").encode(), ERROR),
        ("result of another shape", GOOD.replace("tensor<4x4xf32>", "tensor<4x5xf32>").encode(), ERROR),
        ("no terminator", b"func.func @f() {", ERROR),
        ("stray brace", (GOOD + "}\n").encode(), ERROR),
        ("two functions of one name", (GOOD + GOOD).encode(), ERROR),
        ("negative size", GOOD.replace("4x8", "-4x8").encode(), ERROR),
        ("size of many digits", GOOD.replace("4x8", "99999999999999999999999x8").encode(), ERROR),
        ("overflowing shape", GOOD.replace("4x8", "4611686018427387904x8").encode(), ERROR),
        ("overflowing product",
         function("  %x = tw.silu %c : (tensor<4294967296x4294967296x4294967296xf32>) -> "
                  "tensor<4294967296x4294967296x4294967296xf32>",
                  "%c: tensor<4294967296x4294967296x4294967296xf32>").encode(), ERROR),
        ("5,000 nested regions", nested_regions(5000).encode(), ERROR),
        ("doubling aliases", doubling_aliases(60).encode(), EITHER),
        ("50,000 chained aliases", chained_aliases(50000).encode(), EITHER),
        ("20 MB line of a comment", b"//" + b"x" * 20000000 + b"\n" + GOOD.encode(), ERROR),
        ("20 MB word", b"a" * 20000000, ERROR),
        ("20 MB of one operation", function('  "x.y"() {a = "' + "y" * 20000000 + '"} : () -> ()').encode(),
         ERROR),
        ("use before a definition in a later region",
         function("  scf.if %i { \"x.y\"(%z) : (i32) -> () }\n"
                  "  scf.if %i { %z = arith.constant 1 : i32\n bogus").encode(), ERROR),
        ("a vector.contract that MLIR cannot parse",
         function('  vector.contract {s=[""]} %a,%a,%a : vector<4xf32>,vector<4xf32> into f32').encode(),
         ERROR),
    ]
    for bracket in "([{<":
        result.append((f"100,000 times {bracket}", (GOOD + bracket * 100000).encode(), ERROR))
    result.append(("100,000 brackets in an attribute",
                   function('  "x.y"() {a = ' + "[" * 100000 + "]" * 100000 + "} : () -> ()").encode(), ERROR))
    return result


def half_typed():
    """The good text cut off at every seventh byte: what an editor sends while one types."""
    return [GOOD[:end] for end in range(1, len(GOOD), 7)]
