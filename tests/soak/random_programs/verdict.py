# verdict.py - runs one program in every way that must agree and says what is wrong, if anything.
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import dataclasses
import json
import re
import subprocess

# Errors by which a well-typed program is refused because a form is not supported, as
# docs/diagnostics.md has them. All other errors of a well-typed program are faults.
UNSUPPORTED = {"TW0303", "TW0305", "TW0306", "TW0308", "TW0404", "TW0405", "TW0406", "TW0407", "TW0409",
               "TW0420", "TW0440", "TW0510", "TW0514"}
THREADS = (1, 2, 8)


@dataclasses.dataclass
class Verdict:
    kind: tuple = ()  # what failed and how; empty: all agree. Shrinking keeps it.
    command: str = ""
    output: str = ""
    unsupported: tuple = ()  # (target, code) pairs by which a part of the program was refused


def call(command, timeout):
    """Exit code ("hang" beyond `timeout` seconds), output and error output."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout)
        code, output, errors = done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired as expired:
        code, output, errors = "hang", expired.stdout or b"", expired.stderr or b""
    return code, output.decode(errors="replace"), errors.decode(errors="replace")


def how(code, output, errors):
    """In what way a command failed, without what changes from program to program."""
    if code == "hang" or code < 0:
        return (str(code),)
    try:
        first = json.loads(output).get("firstPass")
    except (ValueError, AttributeError):
        first = None
    # TW0554 and TW0560 say only that something is wrong.
    codes = set(re.findall(r"error: .*\[(TW\d{4})\]", errors)) - {"TW0554", "TW0560"}
    return (f"wrong after {first}" if first else f"exit {code}", *sorted(codes))


def refused(ways):
    return ways[0] == "exit 1" and len(ways) > 1 and all(w in UNSUPPORTED for w in ways[1:])


def judge(tilewright, text, seed, folder, targets, run=True, timeout=60):
    """Verifies for `targets`, then, if `run`, runs on each number of threads, until something is wrong."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "program.mlir"
    path.write_text(text)
    unsupported = []
    for target in targets:
        command = [tilewright, "verify", str(path), "--json", "--target", target, "--seed", str(seed)]
        code, output, errors = call(command, timeout)
        if code:
            ways = how(code, output, errors)
            if not refused(ways):
                return Verdict(("verify", target, *ways), " ".join(command), output + errors)
            unsupported += [(target, way) for way in ways[1:]]
    if not run or any(target == "cpu" for target, _ in unsupported):
        return Verdict(unsupported=tuple(unsupported))
    for threads in THREADS:
        before = None
        for turn in range(2):
            results = folder / f"results-{threads}-{turn}"
            results.mkdir(exist_ok=True)
            for old in results.glob("*.npy"):
                old.unlink()
            command = [tilewright, "run", str(path), "--threads", str(threads), "--seed", str(seed),
                       "--output", str(results), *([] if turn else ["--check"])]
            code, output, errors = call(command, timeout)
            if code:
                return Verdict(("run", *how(code, output, errors)), " ".join(command), output + errors)
            bits = {p.name: p.read_bytes() for p in sorted(results.glob("*.npy"))}
            if not bits:
                return Verdict(("run", "no results"), " ".join(command), output + errors)
            if turn and bits != before:
                names = [n for n in bits if bits[n] != before.get(n)]
                return Verdict(("run", "other bits"), " ".join(command),
                               f"{', '.join(names)}: other bits than in the run before\n{output}{errors}")
            before = bits
    return Verdict(unsupported=tuple(unsupported))
