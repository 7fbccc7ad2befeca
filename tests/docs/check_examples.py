#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every MLIR example of the documentation, and every file of resources/examples, is read and verified.

usage: check_examples.py SOURCE_DIR TILEWRIGHT_OPT

Also: docs/language.md mentions every operation of the tw dialect.
"""
import pathlib
import re
import subprocess
import sys


def verify(opt, text):
    done = subprocess.run([opt, "-o", "/dev/null"], input=text, capture_output=True, text=True,
                          timeout=60)
    return done.stderr if done.returncode else ""


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    root, opt = pathlib.Path(sys.argv[1]), sys.argv[2]
    problems, count = [], 0
    for path in sorted((root / "docs").glob("*.md")):
        for match in re.finditer(r"^```mlir\n(.*?)^```", path.read_text(), re.M | re.S):
            # Parts shown to explain a form are no whole functions.
            if not re.search(r"^func\.func", match.group(1), re.M):
                continue
            count += 1
            if error := verify(opt, match.group(1)):
                line = path.read_text().count("\n", 0, match.start()) + 1
                problems.append(f"{path.relative_to(root)}:{line}: {error}")
    for path in sorted((root / "resources/examples").rglob("*.mlir")):
        count += 1
        if error := verify(opt, path.read_text()):
            problems.append(f"{path.relative_to(root)}: {error}")
    # The check itself must see what is wrong.
    if not verify(opt, "func.func @f() { tw.nothing }"):
        problems.append(f"{opt} accepts what is no operation")
    language = (root / "docs/language.md").read_text()
    ods = (root / "core/dialect/Tensor/TensorOps.td").read_text()
    for name in re.findall(r'^def Tensor_\w+ : Tensor_\w*Op<"(\w+)"', ods, re.M):
        if f"`tw.{name}" not in language:
            problems.append(f"docs/language.md: tw.{name} is not in it")
    for problem in problems:
        print(problem)
    print(f"{count} examples, {len(problems)} problems")
    sys.exit(1 if problems or not count else 0)


if __name__ == "__main__":
    main()
