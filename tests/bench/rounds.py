# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Our speed beside a peer's, in one run of interleaved rounds (docs/measuring.md).

In each round a compute and a bandwidth probe, the peer and we take turns; a process that is not
measured is stopped. The figure is the minimum over the rounds that count: a round whose probe is
under 80 % of the best is void, and so is one in which the peer had less than three quarters of the
processors that it was asked to use, or less than 80 % of those of its best round. What a call costs
beside the operator is taken out by the slope over chained operators, T(long chain) - T(one link), over
the links between them; a slope that no machine can have gives way to the whole chain (`method`).

One JSON line a case: name, value, unit, peer, peer_value, ratio, spread, origin. `ratio` is our
speed over the peer's: above 1 we are faster. A last line sums up: geometric mean and worst ratio.
"""
import argparse
import json
import math
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from typing import Callable

HERE = pathlib.Path(__file__).resolve().parent


@dataclass
class Case:
    name: str
    graph: str  # the peer's name of it
    sizes: dict
    source: Callable[[int], str]  # by links in the chain
    flop: float = 0  # of one link; 0: its speed is told by the bytes it cannot but move
    bytes: float = 0
    links: int = 2  # in the longer chain; 1: it does not chain
    group: str = ""  # what it is summed up with; "": nothing


@dataclass
class Summary:
    ratios: dict = field(default_factory=dict)

    def add(self, group, ratio):
        self.ratios.setdefault(group, []).append(ratio)

    def print(self, threads):
        for group, ratios in self.ratios.items():
            mean = math.exp(sum(math.log(r) for r in ratios) / len(ratios))
            print(json.dumps({"name": f"{group}_t{threads}", "cases": len(ratios),
                              "geometric_mean": mean, "worst": min(ratios),
                              "origin": "measured"}), flush=True)


class LineProcess:
    """A process that answers each line of JSON with one."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, bufsize=1)

    def processor_seconds(self):
        """Time that its threads, those that have ended aside, have run so far."""
        total = 0
        for task in pathlib.Path(f"/proc/{self.process.pid}/task").iterdir():
            try:
                total += int((task / "schedstat").read_text().split()[0])
            except OSError:  # it ended meanwhile
                pass
        return total * 1e-9

    def timed(self, request):
        """The answer, and how many processors it had on average for it."""
        begin, before = time.perf_counter(), self.processor_seconds()
        reply = self.ask(request)
        used = self.processor_seconds() - before
        return reply, used / (time.perf_counter() - begin)

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


def had_processors(row, best, threads):
    """Whether the peer had the processors in a round that it was asked to use. One that ran on one though
    two were asked for says nothing of its speed on two."""
    return all(row["processors", chain] >= max(0.8 * most, 0.75 * threads)
               for chain, most in best.items())


def link_seconds(least, links, fastest):
    """Seconds of one link, ours and the peer's, and how they were got, from the least times of both chains.

    A difference of two times of a shared machine may come out shorter than the arithmetic takes at the
    machine's peak (`fastest`), or below zero. That is nobody's speed: then both are told by the longer chain as
    a whole, what a call costs included."""
    if links == 1:
        return least["ours", 1], least["peer", 1], "call"
    slopes = [(least[who, links] - least[who, 1]) / (links - 1) for who in ("ours", "peer")]
    if min(slopes) > max(0.95 * fastest, 0):
        return *slopes, "slope"
    return least["ours", links] / links, least["peer", links] / links, "chain"


def measure(case, threads, args, peer_command, probe, folder):
    """The JSON line of one case."""
    program = os.path.join(args.bin, "tilewright")
    name = f"{case.name}_t{threads}"
    chains = (1,) if case.links == 1 else (1, case.links)
    peers, sources = {}, {}
    # Short operators: more runs a round.
    repeat = 5 if case.flop + case.bytes > 2e8 else 50
    for chain in chains:
        peer = LineProcess(peer_command)
        loaded = peer.ask({"load": case.graph, "sizes": {**case.sizes, "chain": chain},
                           "threads": threads})
        peer.ask({"run": 2})
        peer.pause()
        peers[chain] = peer
        sources[chain] = os.path.join(folder, f"{case.name}_{chain}.mlir")
        pathlib.Path(sources[chain]).write_text(case.source(chain))
    rounds = []
    for _ in range(args.rounds):
        probe.resume()
        row = {"probe": probe.ask({})}
        probe.pause()
        for chain in chains:
            peers[chain].resume()
            reply, row["processors", chain] = peers[chain].timed({"run": repeat})
            row["peer", chain] = min(reply["seconds"])
            peers[chain].pause()
            row["ours", chain] = ours(program, sources[chain], threads, repeat)
        rounds.append(row)
    for peer in peers.values():
        peer.close()
    best = {key: max(r["probe"][key] for r in rounds) for key in rounds[0]["probe"]}
    # The bandwidth of a shared machine swings more than its clock: it voids only what it bounds.
    keys = ["gflops"] if case.flop else list(best)
    processors = {chain: max(r["processors", chain] for r in rounds) for chain in chains}
    valid = [r for r in rounds if all(r["probe"][key] >= 0.8 * best[key] for key in keys)
             and had_processors(r, processors, threads)]
    if not valid:
        return {"name": name, "void": True, "rounds": len(rounds)}

    least = {key: min(r[key] for r in valid) for who in ("ours", "peer") for key in ((who, c) for c in chains)}
    mine, theirs, method = link_seconds(least, case.links, case.flop / best["gflops"] * 1e-9)
    each = [r["ours", chains[-1]] for r in valid]
    work, unit = (case.flop, "GFLOP/s") if case.flop else (case.bytes, "GB/s")
    line = {"name": name, "value": work / mine * 1e-9, "unit": unit,
            "peer": loaded.get("version"), "peer_value": work / theirs * 1e-9,
            "ratio": theirs / mine, "spread": (max(each) - min(each)) / min(each),
            "origin": "measured", "method": method, "milliseconds": mine * 1e3, "rounds": len(valid),
            "void_rounds": len(rounds) - len(valid), "probe_gflops": best["gflops"],
            "peer_processors": round(processors[chains[-1]], 2),
            "probe_copy_gbs": best["copy_gbs"]}
    if case.flop:
        line["share_of_peak"] = work / mine * 1e-9 / best["gflops"]
    if case.bytes:
        line["share_of_copy"] = case.bytes / mine * 1e-9 / best["copy_gbs"]
    return line


def parser_for(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--bin", default=str(HERE.parents[1] / "build" / "bin"))
    parser.add_argument("--threads", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", default="", help="regular expression over case names")
    return parser


def run(cases, args, peer_command):
    with tempfile.TemporaryDirectory() as folder:
        for threads in args.threads:
            probe = LineProcess([os.path.join(args.bin, "machine_probe"), str(threads)])
            probe.pause()
            summary = Summary()
            for case in cases:
                if not re.search(args.only, case.name):
                    continue
                line = measure(case, threads, args, peer_command, probe, folder)
                print(json.dumps(line), flush=True)
                if case.group and "ratio" in line:
                    summary.add(case.group, line["ratio"])
            summary.print(threads)
            probe.close()
