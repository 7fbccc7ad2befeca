# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch as a peer, asked line by line as ort.js is.

  {"load": "matmul_bf16", "sizes": {"m", "n", "k", "chain"}, "threads": 1} -> {"ok", "version"}
  {"run": 5} -> {"seconds": [..]} of each run
Results go to memory that is there already.
"""
import json
import sys
import time

import torch


class Matmul:
    """a b, `chain` times: each result is the left operand of the next."""

    def __init__(self, m, n, k, chain, dtype):
        if chain > 1 and n != k:
            raise ValueError("a chain needs n == k")
        generator = torch.Generator().manual_seed(1)
        self.a = torch.rand((m, k), generator=generator).sub_(0.5).to(dtype)
        self.b = torch.rand((k, n), generator=generator).sub_(0.5).to(dtype)
        self.results = [torch.empty((m, n), dtype=dtype) for _ in range(chain)]

    def run(self):
        last = self.a
        for result in self.results:
            torch.mm(last, self.b, out=result)
            last = result


def main():
    graph = None
    for line in sys.stdin:
        try:
            request = json.loads(line)
            if "load" in request:
                torch.set_num_threads(request["threads"])
                dtype = {"matmul_bf16": torch.bfloat16, "matmul_f32": torch.float32}
                graph = Matmul(dtype=dtype[request["load"]], **request["sizes"])
                reply = {"ok": True, "version": f"pytorch {torch.__version__}"}
            else:
                seconds = []
                with torch.no_grad():
                    for _ in range(request["run"]):
                        begin = time.perf_counter()
                        graph.run()
                        seconds.append(time.perf_counter() - begin)
                reply = {"seconds": seconds}
        except Exception as error:  # the asker decides
            reply = {"error": str(error)}
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
