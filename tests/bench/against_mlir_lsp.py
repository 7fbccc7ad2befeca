#!/usr/bin/env python3
# against_mlir_lsp.py - our language server beside mlir-lsp-server, on files in upstream dialects.
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Both servers live in one run and take turns; the one that is not measured is stopped. Files of
# 1,000, 10,000 and 100,000 operations in functions of equal size, and of 100,000 in one, are opened and
# edited by one character; a small file is asked about while a large one is read; ten keystrokes are
# typed quickly. Times are those that an editor sees, from the first byte sent to the first
# diagnostics of that version. One JSON line a figure; `limit` is what it must not exceed, where one
# is set. `ratio` is the peer's time over ours: above 1 we are faster.
import argparse
import json
import math
import os
import pathlib
import queue
import random
import re
import signal
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "end_to_end" / "drivers"))
from language_server import read_message  # noqa: E402


# ---------------------------------------------------------------------------------------------------
# Texts
# ---------------------------------------------------------------------------------------------------

def function(name, operations, callee, rng):
    """A function of `operations` operations; every line that ends in `// n` holds a digit to edit."""
    lines = [f"func.func @{name}(%a: i32, %b: i32, %m: memref<64xi32>) -> i32 {{",
             "  %c0 = arith.constant 0 : index", "  %c8 = arith.constant 8 : index",
             "  %c1 = arith.constant 1 : index", "  %v0 = arith.addi %a, %b : i32"]
    last, count = 0, 5
    while count < operations - 1:
        kind = rng.randrange(20)
        value = last + 1
        older = rng.randrange(max(0, last - 40), last + 1)
        if kind == 0 and count + 8 < operations:
            lines += [f"  %v{value} = scf.for %i = %c0 to %c8 step %c1 iter_args(%s = %v{last}) -> (i32) {{",
                      "    %l = memref.load %m[%i] : memref<64xi32>",
                      "    %t = arith.addi %s, %l : i32",
                      "    scf.yield %t : i32", "  }"]
            count += 4
        elif kind == 1:
            lines.append(f"  %v{value} = arith.constant {rng.randrange(1000, 9999)} : i32")
            count += 1
        elif kind == 2:
            lines += [f"  %p{value} = arith.cmpi slt, %v{last}, %v{older} : i32",
                      f"  %v{value} = arith.select %p{value}, %v{last}, %v{older} : i32"]
            count += 2
        elif kind == 3 and callee:
            lines.append(f"  %v{value} = func.call @{callee}(%v{last}, %v{older}, %m) "
                         ": (i32, i32, memref<64xi32>) -> i32")
            count += 1
        else:
            op = rng.choice(["addi", "subi", "muli", "xori", "andi", "maxsi"])
            lines.append(f"  %v{value} = arith.{op} %v{last}, %v{older} : i32")
            count += 1
        last = value
    lines += [f"  return %v{last} : i32", "}", ""]
    return "\n".join(lines)


def module(functions, operations, seed=1):
    rng = random.Random(seed)
    return "".join(function(f"f{i}", operations // functions, f"f{i - 1}" if i else "", rng)
                   for i in range(functions))


class Text:
    """A text with the places where a digit may be edited."""

    def __init__(self, text):
        self.lines = text.split("\n")
        self.text = text
        self.constants = [i for i, line in enumerate(self.lines)
                          if re.search(r"arith\.constant \d{4} : i32", line)]
        self.sums = [i for i, line in enumerate(self.lines) if re.match(r"  %v\d+ = arith\.addi %v", line)]

    def joined(self):
        return "\n".join(self.lines)

    def replace(self, line, at, new):
        """One character; the change that an editor sends."""
        old = self.lines[line]
        self.lines[line] = old[:at] + new + old[at + 1:]
        return line, at, at + 1, new

    def digit(self, rng, line=None):
        line = rng.choice(self.constants) if line is None else line
        return self.replace(line, self.lines[line].index("constant ") + 10, str(rng.randrange(10)))

    def break_type(self, rng):
        """Makes a type wrong; mend_type() mends it."""
        self.wrong = rng.choice(self.sums)
        return self.replace(self.wrong, len(self.lines[self.wrong]) - 1, "7")

    def mend_type(self):
        return self.replace(self.wrong, len(self.lines[self.wrong]) - 1, "2")

    def value_place(self, rng):
        line = rng.choice(self.sums)
        return {"line": line, "character": self.lines[line].index("addi %v") + 6}


# ---------------------------------------------------------------------------------------------------
# Servers
# ---------------------------------------------------------------------------------------------------

def group_processes(leader):
    found, open_list = [], [leader]
    while open_list:
        pid = open_list.pop()
        found.append(pid)
        try:
            for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
                open_list += [int(child) for child in (task / "children").read_text().split()]
        except OSError:
            pass  # ended meanwhile
    return found


class Server:
    def __init__(self, name, command, environment=None):
        self.name = name
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, start_new_session=True,
                                        env=dict(os.environ, **(environment or {})))
        self.next_id = 1
        self.answers = {}
        self.published = queue.Queue()  # (time, uri, version, number of diagnostics)
        self.changed = threading.Condition()
        threading.Thread(target=self._read, daemon=True).start()
        _, message = self.ask("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
        sync = message["result"]["capabilities"]["textDocumentSync"]
        self.incremental = (sync["change"] if isinstance(sync, dict) else sync) == 2
        self.notify("initialized", {})

    def _read(self):
        while (body := read_message(self.process.stdout)) is not None:
            now = time.perf_counter()
            message = json.loads(body)
            if message.get("method") == "textDocument/publishDiagnostics":
                params = message["params"]
                self.published.put((now, params["uri"], params.get("version"), params["diagnostics"]))
            elif "method" in message and "id" in message:
                self.send(self.frame({"jsonrpc": "2.0", "id": message["id"], "result": None}))
            elif "id" in message:
                with self.changed:
                    self.answers[message["id"]] = (now, message)
                    self.changed.notify_all()

    @staticmethod
    def frame(message):
        body = json.dumps(message).encode()
        return b"Content-Length: %d\r\n\r\n" % len(body) + body

    def send(self, frame):
        """When the first byte was handed over: a server may be done before the last call returns."""
        begin = time.perf_counter()
        self.process.stdin.write(frame)
        self.process.stdin.flush()
        return begin

    def notify(self, method, params):
        return self.send(self.frame({"jsonrpc": "2.0", "method": method, "params": params}))

    def request(self, method, params):
        number = self.next_id
        self.next_id += 1
        return number, self.send(self.frame({"jsonrpc": "2.0", "id": number, "method": method, "params": params}))

    def answer(self, number, timeout=120):
        with self.changed:
            if not self.changed.wait_for(lambda: number in self.answers, timeout):
                raise TimeoutError(f"{self.name} did not answer")
            return self.answers.pop(number)

    def ask(self, method, params):
        number, begin = self.request(method, params)
        end, message = self.answer(number)
        return end - begin, message

    @staticmethod
    def opening(uri, text):
        return Server.frame({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {
            "textDocument": {"uri": uri, "languageId": "mlir", "version": 1, "text": text}}})

    def close(self, uri):
        self.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    def edit(self, uri, version, change, whole):
        """`whole` is the text afterwards, for a server that must be sent all of it."""
        line, begin, end, text = change
        content = ({"range": {"start": {"line": line, "character": begin},
                              "end": {"line": line, "character": end}}, "text": text}
                   if self.incremental else {"text": whole.joined()})
        return self.send(self.frame({"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {
            "textDocument": {"uri": uri, "version": version}, "contentChanges": [content]}}))

    def diagnostics(self, uri, version, timeout=120):
        """Time and list of the first ones of this version."""
        while True:
            now, of, at, found = self.published.get(timeout=timeout)
            if of == uri and (at is None or at == version):
                return now, found

    def processor_seconds(self):
        total = 0
        for pid in group_processes(self.process.pid):
            try:
                fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
                total += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
            except OSError:
                pass
        return total

    def settle(self, quiet=0.3):
        """Waits until nothing is at work any more; drops what was published meanwhile."""
        before, since = self.processor_seconds(), time.perf_counter()
        while time.perf_counter() - since < quiet:
            time.sleep(0.05)
            now = self.processor_seconds()
            if now > before + 0.011:
                before, since = now, time.perf_counter()
        while not self.published.empty():
            self.published.get()

    def memory(self):
        """Proportional share of all its processes, bytes."""
        total = 0
        for pid in group_processes(self.process.pid):
            try:
                for line in pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
                    if line.startswith("Pss:"):
                        total += int(line.split()[1]) * 1024
            except OSError:
                pass
        return total

    def pause(self):
        for pid in group_processes(self.process.pid):
            os.kill(pid, signal.SIGSTOP)

    def resume(self):
        for pid in group_processes(self.process.pid):
            os.kill(pid, signal.SIGCONT)

    def end(self):
        self.process.kill()
        self.process.wait()


# ---------------------------------------------------------------------------------------------------
# Figures
# ---------------------------------------------------------------------------------------------------

def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, math.ceil(share * len(ordered)) - 1)]


def tell(name, value, unit, peer_value=None, limit=None, **more):
    line = {"name": name, "value": round(value, 3), "unit": unit, "peer": "mlir-lsp-server"}
    if peer_value is not None:
        line["peer_value"] = round(peer_value, 3)
        line["ratio"] = round(peer_value / value, 3) if value else None
    if limit is not None:
        line["limit"] = round(limit, 3)
        line["within"] = value <= limit
    line.update(more)
    line["origin"] = "measured"
    print(json.dumps(line), flush=True)
    return line.get("within", True)


#: Seconds without a request after which memory is looked at; what is kept for the next request only
#: is given back by then.
REST = 12


class Bench:
    def __init__(self, args):
        self.args = args
        self.rng = random.Random(3)
        self.right = True

    def start(self, who):
        if who == "ours":
            folder = pathlib.Path(self.args.bin)
            return Server("tilewright-lsp", [str(folder / "tilewright-lsp")],
                          {"TILEWRIGHT_ENGINE": str(folder / "tilewright-engine")})
        return Server("mlir-lsp-server", [self.args.peer])

    def both(self):
        servers = {who: self.start(who) for who in ("ours", "peer")}
        for server in servers.values():
            server.pause()
        return servers

    def tell(self, *args, **more):
        self.right &= tell(*args, **more)

    def opens(self, name, text):
        """From the text to its diagnostics, in servers that run already."""
        servers = self.both()
        times = {who: [] for who in servers}
        for turn in range(self.args.rounds + 1):
            for who, server in servers.items():
                server.resume()
                uri = f"file:///tmp/open_{turn}.mlir"
                begin = server.send(Server.opening(uri, text))
                end, found = server.diagnostics(uri, 1)
                assert not found, found
                if turn:  # the first one starts the engine
                    times[who].append((end - begin) * 1e3)
                server.settle()
                server.close(uri)
                server.settle()
                server.pause()
        ours, peer = times["ours"], times["peer"]
        self.tell(f"open_{name}", min(ours), "ms", min(peer), limit=min(peer), median=percentile(ours, .5),
                  peer_median=percentile(peer, .5), spread=(max(ours) - min(ours)) / min(ours))
        for server in servers.values():
            server.resume()
            server.end()

    def edits(self, name, text, limit):
        """From one character to the diagnostics; and what is kept in memory meanwhile."""
        servers = self.both()
        times = {who: [] for who in servers}
        meanwhile, memory, at_work, burst = [], {}, {}, {}
        uri = "file:///tmp/edited.mlir"
        texts, versions = {}, {}
        for who, server in servers.items():
            server.resume()
            server.send(Server.opening(uri, text))
            server.diagnostics(uri, 1)
            server.settle()
            texts[who], versions[who] = Text(text), 1
            server.pause()

        def one(who, change, measured=True):
            server = servers[who]
            versions[who] += 1
            begin = server.edit(uri, versions[who], change, texts[who])
            # As an editor does at once: what is under the mouse?
            asked = None
            if who == "ours" and measured:
                asked, sent = server.request("textDocument/hover", {
                    "textDocument": {"uri": uri}, "position": texts[who].value_place(self.rng)})
            end, found = server.diagnostics(uri, versions[who])
            if asked is not None:
                answered, message = server.answer(asked)
                assert message.get("result"), message
                meanwhile.append((answered - sent) * 1e3)
            if measured:
                times[who].append((end - begin) * 1e3)
            return found
        turns = max(1, self.args.edits // 20)
        for turn in range(turns):
            for who, server in servers.items():
                server.resume()
                server.settle(0.1)
                count = 20 if who == "ours" else 6
                for i in range(count):
                    if i % 5 == 4:
                        assert one(who, texts[who].break_type(self.rng)), "an error must be found"
                        time.sleep(0.25)
                        found = one(who, texts[who].mend_type())
                    else:
                        found = one(who, texts[who].digit(self.rng))
                    assert not found, found
                    time.sleep(0.25)
                server.settle()
                server.pause()
        for who, server in servers.items():
            server.resume()
            server.settle(0.1)
            # Ten keystrokes in one place, 30 ms apart; rebuilds by the processor time of one.
            place = self.rng.choice(texts[who].constants)
            begin = server.processor_seconds()
            for _ in range(5):
                one(who, texts[who].digit(self.rng), False)
                server.settle()
            single = (server.processor_seconds() - begin) / 5
            begin = server.processor_seconds()
            for _ in range(10):
                versions[who] += 1
                sent = server.edit(uri, versions[who], texts[who].digit(self.rng, place), texts[who])
                time.sleep(0.03)
            end, _ = server.diagnostics(uri, versions[who])
            asked, message = server.ask("textDocument/hover", {
                "textDocument": {"uri": uri}, "position": texts[who].value_place(self.rng)})
            server.settle()
            burst[who] = {"processor": (server.processor_seconds() - begin) / max(single, 1e-3),
                          "hover": asked * 1e3, "last": (end - sent) * 1e3}
            at_work[who] = server.memory()
            time.sleep(REST)
            memory[who] = server.memory()
            server.end()
        ours, peer = times["ours"], times["peer"]
        self.tell(f"edit_{name}_p95", percentile(ours, .95), "ms", percentile(peer, .95), limit=limit,
                  median=percentile(ours, .5), peer_median=percentile(peer, .5), fastest=min(ours),
                  edits=len(ours), peer_edits=len(peer))
        self.tell(f"hover_behind_edit_{name}_p99", percentile(meanwhile, .99), "ms",
                  median=percentile(meanwhile, .5))
        # Its processes are told time in hundredths of a second, too coarse for what a small edit costs.
        self.tell(f"ten_keystrokes_{name}", burst["ours"]["processor"], "edits' processor time",
                  burst["peer"]["processor"], last_to_diagnostics_ms=burst["ours"]["last"],
                  peer_last_to_diagnostics_ms=burst["peer"]["last"], hover_behind_ms=burst["ours"]["hover"],
                  peer_hover_behind_ms=burst["peer"]["hover"])
        self.tell(f"memory_{name}", memory["ours"] / 1e6, "MB", memory["peer"] / 1e6,
                  limit=1.2 * memory["peer"] / 1e6, at_work=at_work["ours"] / 1e6,
                  peer_at_work=at_work["peer"] / 1e6)

    def answers_while_loading(self, large):
        small = Text(module(1, 1000, 7))
        asked = "file:///tmp/small.mlir"
        all_times = {}
        for who in ("ours", "peer"):
            server = self.start(who)
            server.send(Server.opening(asked, small.text))
            server.diagnostics(asked, 1)
            server.settle()
            times = {name: [] for name in ("hover", "definition", "completion")}
            for turn in range(self.args.rounds + 1):
                uri = f"file:///tmp/large_{turn}.mlir"
                frame = Server.opening(uri, large)
                done = threading.Event()

                def wait():
                    server.diagnostics(uri, 1)
                    done.set()
                watcher = threading.Thread(target=wait)
                server.send(frame)
                watcher.start()
                while not done.is_set():
                    for name in times:
                        seconds, message = server.ask(f"textDocument/{name}", {
                            "textDocument": {"uri": asked}, "position": small.value_place(self.rng)})
                        assert message.get("result"), message
                        if turn:
                            times[name].append(seconds * 1e3)
                        time.sleep(0.002)
                watcher.join()
                server.settle()
                server.close(uri)
                server.settle()
            all_times[who] = times
            server.end()
        for name, ours in all_times["ours"].items():
            peer = all_times["peer"][name]
            self.tell(f"{name}_while_another_loads_p99", percentile(ours, .99), "ms", percentile(peer, .99),
                      limit=20, median=percentile(ours, .5), worst=max(ours), asked=len(ours),
                      peer_asked=len(peer))


def main():
    parser = argparse.ArgumentParser(description="our language server beside mlir-lsp-server")
    parser.add_argument("--bin", default=str(HERE.parents[1] / "build" / "bin"))
    parser.add_argument("--peer", default="mlir-lsp-server-19")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--edits", type=int, default=200)
    parser.add_argument("--only", default="", help="regular expression over open_1k, edit_100k, while_loading …")
    args = parser.parse_args()
    bench = Bench(args)
    texts = {"1k": (1, 1000), "10k": (10, 10000), "100k": (100, 100000), "giant": (1, 100000)}
    for name, (functions, operations) in texts.items():
        text = module(functions, operations)
        if re.search(args.only, f"open_{name}"):
            bench.opens(name, text)
        if re.search(args.only, f"edit_{name}"):
            bench.edits(name, text, 300 if name == "giant" else 40)
    if re.search(args.only, "while_loading"):
        bench.answers_while_loading(module(100, 100000))
    return 0 if bench.right else 1


if __name__ == "__main__":
    sys.exit(main())
