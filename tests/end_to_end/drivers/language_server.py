# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Speaks to `tilewright-lsp` on its standard input and output, byte by byte."""
import json
import os
import queue
import subprocess
import threading


def read_message(stream):
    """The bytes of the next message; None at the end."""
    length = None
    while True:
        line = stream.readline()
        if not line:
            return None
        if line == b"\r\n":
            return stream.read(length)
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)


class LanguageServer:
    def __init__(self, program, engine, initialize=True, options=None, before=None):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, preexec_fn=before,
                                        env=dict(os.environ, TILEWRIGHT_ENGINE=engine))
        self.answers = {}
        self.orphans = queue.Queue()  # answers with id null
        self.published = queue.Queue()
        self.logs = queue.Queue()  # of window/logMessage
        self.news = queue.Queue()  # params of tilewright/changed
        self.changed = threading.Condition()
        self.next_id = 1
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        if initialize:
            self.ask("initialize", {"processId": None, "rootUri": None, "capabilities": {},
                                    "initializationOptions": {"tilewright": options or {}}})
            self.notify("initialized", {})

    def _read(self):
        while (body := read_message(self.process.stdout)) is not None:
            message = json.loads(body)
            if isinstance(message, dict) and "method" in message:
                if message["method"] == "textDocument/publishDiagnostics":
                    self.published.put(message["params"])
                elif message["method"] == "tilewright/changed":
                    self.news.put(message["params"])
                elif message["method"] == "window/logMessage":
                    self.logs.put(message["params"]["message"])
            elif isinstance(message, dict) and message.get("id") is not None:
                with self.changed:
                    self.answers[message["id"]] = message
                    self.changed.notify_all()
            else:
                self.orphans.put(message)

    def send_bytes(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send_body(self, body):
        self.send_bytes(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def send(self, message):
        self.send_body(json.dumps(message).encode())

    def notify(self, method, params):
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def request(self, method, params):
        """Sends a request and returns its id."""
        number = self.next_id
        self.next_id += 1
        self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        return number

    def answer(self, number, timeout=60):
        """The whole response message."""
        with self.changed:
            if not self.changed.wait_for(lambda: number in self.answers, timeout):
                raise TimeoutError(f"no answer to request {number} within {timeout} s")
            return self.answers.pop(number)

    def respond(self, method, params, timeout=60):
        return self.answer(self.request(method, params), timeout)

    def ask(self, method, params, timeout=60):
        """The result; an error is an exception."""
        response = self.respond(method, params, timeout)
        if "error" in response:
            raise RuntimeError(f"{method}: {response['error']}")
        return response["result"]

    def open(self, uri, text, version=1):
        self.notify("textDocument/didOpen", {"textDocument": {
            "uri": uri, "languageId": "mlir", "version": version, "text": text}})

    def close(self, uri):
        self.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    def diagnostics(self, uri, timeout=60):
        """The next diagnostics published for `uri`."""
        while True:
            params = self.published.get(timeout=timeout)
            if params["uri"] == uri:
                return params["diagnostics"]

    def end(self):
        """Ends the session as LSP wants; returns the exit code."""
        self.ask("shutdown", None)
        self.notify("exit", None)
        self.process.stdin.close()
        return self.process.wait(timeout=20)

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.reader.join()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            try:
                stream.close()
            except BrokenPipeError:
                pass
