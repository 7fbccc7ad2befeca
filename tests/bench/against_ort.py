#!/usr/bin/env python3
# against_ort.py - our speed beside ONNX Runtime's, in one run.
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Method (docs/measuring.md): rounds in which the peer, then we, run the same operator on the same
# machine; a compute and a bandwidth probe in each; the peer's process is stopped while we run. The
# figure is the minimum over the rounds that count. A round whose probe is under 80 % of the best is
# void. The peer's call overhead is taken out by the slope over chained operations: T(2 links) -
# T(1 link). All operands are inputs on both sides, so neither packs weights beforehand.
# Prints one JSON line a case: name, value, unit, peer, peer_value, ratio, spread, origin.
# `ratio` is our speed over the peer's: above 1 we are faster.
import argparse
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent

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


def cases():
    for n in (512, 1024, 2048):
        yield (f"matmul_{n}", 2.0 * n**3, "matmul", dict(m=n, n=n, k=n),
               lambda chain, n=n: matmul_source(n, n, n, chain), True)
    yield ("matmul_96x1536x3072", 2.0 * 96 * 1536 * 3072, "matmul", dict(m=96, n=3072, k=1536),
           lambda chain: matmul_source(96, 3072, 1536, chain), False)
    yield ("swiglu_ffn", 3 * 2.0 * 128 * 4096 * 1408, "swiglu_ffn", SWIGLU,
           lambda chain: ffn_source(**SWIGLU, chain=chain), True)


class LineProcess:
    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, bufsize=1)

    def ask(self, request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self.process.args[0]} ended while answering {request}")
        reply = json.loads(line)
        if "error" in reply:
            raise RuntimeError(reply["error"])
        return reply

    def pause(self):
        self.process.send_signal(signal.SIGSTOP)

    def resume(self):
        self.process.send_signal(signal.SIGCONT)

    def close(self):
        self.resume()
        self.process.stdin.close()
        self.process.wait(timeout=30)


def ours(program, source, threads, repeat):
    done = subprocess.run([program, "run", source, "--json", "--threads", str(threads),
                           "--repeat", str(repeat)], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:] or done.stdout[-2000:])
    return min(json.loads(done.stdout)["milliseconds"]) / 1e3


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", default=str(HERE.parents[1] / "build" / "bin"))
    parser.add_argument("--modules", required=True,
                        help="folder with node_modules/onnxruntime-node")
    parser.add_argument("--threads", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", default="", help="regular expression over case names")
    args = parser.parse_args()
    program = os.path.join(args.bin, "tilewright")
    with tempfile.TemporaryDirectory() as folder:
        for threads in args.threads:
            probe = LineProcess([os.path.join(args.bin, "machine_probe"), str(threads)])
            probe.pause()
            for name, flop, graph, sizes, source_of, chainable in cases():
                if not re.search(args.only, name):
                    continue
                links = (1, 2) if chainable else (1,)
                peers, sources = {}, {}
                for chain in links:
                    peer = LineProcess(["node", str(HERE.parent / "oracle" / "ort.js"),
                                        args.modules])
                    loaded = peer.ask({"load": graph, "sizes": {**sizes, "chain": chain},
                                       "threads": threads})
                    peer.ask({"run": 2})
                    peer.pause()
                    peers[chain] = peer
                    sources[chain] = os.path.join(folder, f"{name}_{chain}.mlir")
                    pathlib.Path(sources[chain]).write_text(source_of(chain))
                rounds = []
                for _ in range(args.rounds):
                    probe.resume()
                    measured = probe.ask({})
                    probe.pause()
                    row = {"probe": measured}
                    for chain in links:
                        peers[chain].resume()
                        row["peer", chain] = min(peers[chain].ask({"run": 5})["seconds"])
                        peers[chain].pause()
                        row["ours", chain] = ours(program, sources[chain], threads, 5)
                    rounds.append(row)
                for peer in peers.values():
                    peer.close()
                best = {key: max(r["probe"][key] for r in rounds) for key in rounds[0]["probe"]}
                valid = [r for r in rounds
                         if all(r["probe"][key] >= 0.8 * best[key] for key in best)]
                if not valid:
                    print(json.dumps({"name": f"{name}_t{threads}", "void": True,
                                      "rounds": len(rounds)}), flush=True)
                    continue

                def seconds(who, rows):
                    first = min(r[who, 1] for r in rows)
                    if len(links) == 1:
                        return first
                    slope = min(r[who, 2] for r in rows) - first
                    return slope if slope > 0 else first
                mine, theirs = seconds("ours", valid), seconds("peer", valid)
                each = [r["ours", 1] for r in valid]
                print(json.dumps({
                    "name": f"{name}_t{threads}", "value": flop / mine * 1e-9, "unit": "GFLOP/s",
                    "peer": "onnxruntime " + str(loaded.get("version")),
                    "peer_value": flop / theirs * 1e-9, "ratio": theirs / mine,
                    "spread": (max(each) - min(each)) / min(each), "origin": "measured",
                    "rounds": len(valid), "void_rounds": len(rounds) - len(valid),
                    "probe_gflops": best["gflops"], "probe_copy_gbs": best["copy_gbs"],
                    "share_of_peak": flop / mine * 1e-9 / best["gflops"]}), flush=True)
            probe.close()


if __name__ == "__main__":
    sys.exit(main())
