"""worker.py: a peer's side of peers.py: python3 worker.py PEER THREADS. Its lines are those of worker.lua."""

import importlib
import os
import sys
import time

# As in timing.lua.
clock = time.process_time if os.environ.get("CLOCK") == "cpu" else time.perf_counter


class Worker:
    def __init__(self, peer, operands_of):
        self.peer = peer
        self.operands_of = operands_of

    def once(self):
        """The time of one call in ms; a new result is given back within."""
        start = clock()
        result = self.call(*self.operands)
        if self.replaces:
            self.operands[0] = result
        del result
        return (clock() - start) * 1e3 / self.batch

    def prepare(self, key, batch):
        if key not in self.peer.CALLS:
            return "absent"
        self.batch = int(batch)
        self.call = self.peer.CALLS[key]
        self.replaces = key in getattr(self.peer, "IN_PLACE", ())
        self.operands = [self.peer.operand(array) for array in self.operands_of[key]()]
        self.once()  # JAX compiles here
        return f"ready 0 {self.once():.6f}"

    def time(self, seconds):
        stop, times = clock() + float(seconds), []
        while not times or clock() < stop:
            times.append(self.once())
        return " ".join(f"{ms:.6f}" for ms in times)

    def drop(self):
        self.operands = None
        return "dropped"


def main():
    peer, threads = sys.argv[1], int(sys.argv[2])
    try:
        operands = importlib.import_module("operands")
        operands.OPERANDS.update(importlib.import_module("texts").OPERANDS)
        module = importlib.import_module("peer_" + peer)
        module.use_threads(threads)
    except ImportError as error:
        print("absent", error, flush=True)
        return
    print(module.VERSION, flush=True)
    worker = Worker(module, operands.OPERANDS)
    for line in sys.stdin:
        name, *rest = line.split()
        try:
            answer = getattr(worker, name)(*rest)
        except Exception as error:  # a case that a peer cannot run does not end the worker
            answer = "absent " + str(error).replace("\n", " ")
        print(answer, flush=True)


main()
