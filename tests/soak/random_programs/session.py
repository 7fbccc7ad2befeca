# session.py - many programs through one language server each target: no process is started for a program.
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import pathlib
import queue
import sys

from verdict import THREADS

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "end_to_end" / "drivers"))
from language_server import LanguageServer  # noqa: E402


class Session:
    """Answers as long as all agree; what is wrong is for verdict.judge to find again and name."""

    def __init__(self, server, engine, timeout):
        self.server, self.engine, self.timeout = server, engine, timeout
        self.servers = {}

    def agree(self, text, seed, folder, targets, run):
        """Whether every stage on every target and every run agree. None: all do; else what was seen."""
        for target in targets:
            try:
                seen = self._on(target, text, seed, folder, run and target == "cpu")
            except (OSError, TimeoutError) as error:
                seen = f"{target}: {error}"
                self._drop(target)
            if seen:
                return seen
        return None

    def end(self):
        for target in list(self.servers):
            self._drop(target)

    def _drop(self, target):
        server = self.servers.pop(target)
        server.process.kill()
        server.process.wait()

    def _on(self, target, text, seed, folder, run):
        if target not in self.servers:
            self.servers[target] = LanguageServer(self.server, self.engine,
                                                  options={"target": target, "compileDelay": -1, "codeLens": False})
        server = self.servers[target]
        folder.mkdir(parents=True, exist_ok=True)
        uri = (folder / "program.mlir").as_uri()
        server.open(uri, text)
        try:
            return self._verified(server, target, uri, seed) or (self._same(server, uri, seed, folder) if run else None)
        finally:
            server.close(uri)
            for left in (server.published, server.logs, server.news, server.orphans):
                while True:
                    try:
                        left.get_nowait()
                    except queue.Empty:
                        break

    def _verified(self, server, target, uri, seed):
        answer = server.respond("tilewright/verify", {"uri": uri, "seed": seed}, self.timeout)
        if answer.get("result", {}).get("passed") is not True:
            return f"verify on {target}: {str(answer)[:2000]}"
        return None

    def _same(self, server, uri, seed, folder):
        for threads in THREADS:
            before = None
            for turn in range(2):
                results = folder / f"session-{threads}-{turn}"
                results.mkdir(exist_ok=True)
                answer = server.respond("tilewright/run", {"uri": uri, "seed": seed, "threads": threads, "repeat": 1,
                                                           "check": turn == 0, "outputs": str(results)}, self.timeout)
                result = answer.get("result", {})
                checks = result.get("checks", [])
                if "error" in answer or (turn == 0 and not (checks and all(check["passed"] for check in checks))):
                    return f"run on {threads} threads: {str(answer)[:2000]}"
                bits = {p.name: p.read_bytes() for p in sorted(results.glob("*.npy"))}
                if not bits or (turn and bits != before):
                    return f"run on {threads} threads: {'other bits than in the run before' if bits else 'no results'}"
                before = bits
        return None
