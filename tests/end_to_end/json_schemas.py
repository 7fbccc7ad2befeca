#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What every command prints with --json follows its schema, strictly: no field is undescribed.

usage: json_schemas.py SOURCE_DIR BIN_DIR
"""
import json
import pathlib
import subprocess
import sys
import tempfile

SOURCE = """func.func @small(%x: tensor<24x40xf32>, %w: tensor<40x56xf32>) -> tensor<24x56xf32> {
  %h = tw.matmul %x, %w : (tensor<24x40xf32>, tensor<40x56xf32>) -> tensor<24x56xf32>
  %y = tw.silu %h : (tensor<24x56xf32>) -> tensor<24x56xf32>
  return %y : tensor<24x56xf32>
}
"""


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    root, bin_dir = map(pathlib.Path, sys.argv[1:])
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        good, bad = folder / "small.mlir", folder / "bad.mlir"
        good.write_text(SOURCE)
        bad.write_text(SOURCE.replace("40x56xf32>)", "41x56xf32>)"))
        edited = folder / "edited.mlir"
        shown = subprocess.run([bin_dir / "tilewright", "show", good, "--stage", "tensor"], capture_output=True,
                               text=True, timeout=120).stdout
        edited.write_text(shown.replace("tw.neg", "tw.abs"))
        # Arguments, expected schema, expected exit code.
        commands = [
            (["stages", good], "stages", 0),
            (["stages", good, "--target", "ascend-a3"], "stages", 0),
            (["stages", bad], "stages", 1),
            (["show", good, "--stage", "tile"], "ir", 0),
            (["diff", good, "tensor", "tile"], "diff", 0),
            (["graph", good, "--stage", "tensor"], "graph", 0),
            (["graph", good, "--stage", "tile"], "graph", 0),
            (["graph", good, "--stage", "block"], "graph", 0),
            (["graph", good, "--stage", "execution"], "graph", 0),
            (["graph", good, "--stage", "tile", "--nodes", "1"], "graph", 0),
            (["graph", good, "--stage", "tile", "--find", "silu"], "graph", 0),
            (["graph", good, "--stage", "tile", "--root", "nowhere"], "error", 1),
            (["memory", good], "memoryMap", 0),
            (["memory", good, "--target", "ascend-a3"], "memoryMap", 0),
            (["memory", good, "--stage", "block/bufferize"], "error", 1),
            (["memory", good, "--kernel", "smal.y.kernel"], "error", 1),
            (["run", good, "--check"], "run", 0),
            (["verify", good], "verify", 0),
            (["verify", good, "--target", "ascend-a3"], "verify", 0),
            (["verify", bad], "error", 1),
            (["compile", good], "compile", 0),
            (["compile", good, "--record"], "compile", 0),
            (["run", good, "--note", "second"], "run", 0),
            (["experiments", "list", "--in", folder], "experiments", 0),
            (["experiments", "show", 1, "--in", folder], "experiments", 0),
            (["experiments", "compare", 1, 2, "--in", folder], "compare", 0),
            (["experiments", "restore", 1, "--in", folder], "experiments", 0),
            (["experiments", "show", 9, "--in", folder], "error", 1),
            (["compile", good, "--emit", "llvm"], "compile", 0),
            (["target"], "targets", 0),
            (["target", "list"], "targets", 0),
            (["target", "ascend-a3"], "target", 0),
            (["target", "show", "ascend-a5"], "target", 0),
            (["target", "show", "cpu"], "target", 0),
            (["target", "check", root / "resources/targets/ascend-a5.json"], "checkTarget", 0),
            (["target", "check", good], "checkTarget", 1),
            (["stages", good, "--target", "ascend-a5"], "stages", 0),
            (["target", "no-such-machine"], "error", None),
            (["explain", good], "decisions", 0),
            (["explain", good, "small/y"], "decisions", 0),
            (["explain", good, "small/h", "--target", "ascend-a3"], "decisions", 0),
            (["explain", good, "small/z"], "error", 1),
            (["estimate", good], "estimate", 0),
            (["estimate", good, "small/h", "--target", "ascend-a5"], "estimate", 0),
            (["estimate", good, "--record"], "estimate", 0),
            (["experiments", "show", 3, "--in", folder], "experiments", 0),
            (["whatif", good, "small/h"], "whatIf", 0),
            (["whatif", good, "small/y", "--target", "ascend-a3"], "whatIf", 0),
            (["pins", good], "pinStates", 0),
            (["pin", good, "small/*", "tile", "cache2.m=12", "--note", "a try"], "pinStates", 0),
            (["pin", good, "gone", "merge", "2"], "pinStates", 0),
            (["pin", good, "small/h", "tile", "m=12"], "error", 1),
            (["pins", good], "pinStates", 0),
            (["unpin", good, "gone"], "pinStates", 0),
            (["unpin", good, "gone"], "error", 1),
            (["override", "list", good], "overrideStates", 0),
            (["override", "edit", good, "tensor", edited], "overrideStates", 0),
            (["override", "list", good, "tensor-decompose-composites--small"], "overrideStates", 0),
            (["stages", good], "stages", 0),
            (["explain", good], "decisions", 0),
            (["override", "edit", good, "tensor", edited], "error", 1),
            (["override", "drop", good, "none"], "error", 1),
            (["override", "drop", good, "tensor-decompose-composites--small"], "overrideStates", 0),
            (["stages", folder / "missing.mlir"], "error", None),
            (["stages"], "error", 2),
            (["stagse", good], "error", 2),
            (["run", good, "--seed=-1"], "error", 2),
        ]
        for arguments, schema, code in commands:
            command = [str(bin_dir / "tilewright"), *map(str, arguments), "--json"]
            shown = " ".join(command[1:]).replace(str(folder) + "/", "")
            done = subprocess.run(command, capture_output=True, text=True, timeout=120)
            checked = subprocess.run([str(bin_dir / "schema_check"), str(root / "resources/schemas")],
                                     input=done.stdout, capture_output=True, text=True)
            problems = checked.stdout
            try:
                named = json.loads(done.stdout).get("schema")
            except ValueError:
                named = None
            if named != f"tilewright/{schema}":
                problems += f"it is {named}, not tilewright/{schema}\n{done.stderr[-500:]}"
            if done.returncode != code if code is not None else done.returncode == 0:
                problems += f"exit code {done.returncode}\n{done.stderr[-500:]}"
            print(f"{'FAILED' if problems else 'ok    '} tilewright {shown}\n{problems}", end="")
            failed += bool(problems)
    print(f"{len(commands)} commands, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
