"""LiteRT's answer to a single model in a separate process: refused, fails, crashes, hangs or runs.

A server imports LiteRT once and forks for every model, so that a model never affects the memory of the next. The
resolvers run in sequence in a single process; after a crash the remaining resolvers get a new process. MALLOC_PERTURB_
fills freed and new memory, so that values read from unwritten memory are wrong.
"""

from __future__ import annotations

import io
import os
import pickle
import struct
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Literal

import numpy as np

RESOLVERS = ("reference", "optimized", "xnnpack")
Stage = Literal["refused", "fails", "crashes", "runs"]

#: Server: it reads pickled requests, forks, and returns the child's answers and its end.
_SERVER = r"""
import os, pickle, resource, select, signal, struct, sys, time
out = os.fdopen(os.dup(1), "wb"); os.dup2(2, 1)
import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType as R
resolvers = {"reference": R.BUILTIN_REF, "optimized": R.BUILTIN_WITHOUT_DEFAULT_DELEGATES, "xnnpack": R.AUTO}
def child(pipe, model, steps, names, room, seconds):
    def say(*what): pipe.write(pickle.dumps(what, 5)); pipe.flush()
    pages = int(open("/proc/self/statm").read().split()[0])
    limit = pages * resource.getpagesize() + room
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for name in names:
        say("begin", name)
        say("end", name, *answer(say, model, steps, name))
def answer(say, model, steps, name):
    errors = (RuntimeError, ValueError, TypeError, MemoryError, OverflowError)
    try:
        i = Interpreter(model_content=model, experimental_op_resolver_type=resolvers[name], num_threads=1)
        i.allocate_tensors()
    except errors as error:
        return "refused", str(error)
    say("loaded", name)
    try:
        results = []
        for inputs in steps:
            for detail, x in zip(i.get_input_details(), inputs):
                i.set_tensor(detail["index"], x)
            i.invoke()
            results.append([i.get_tensor(o["index"]).copy() for o in i.get_output_details()])
    except errors as error:
        return "fails", str(error)
    del i
    return "runs", results
def forked(request):
    mine, theirs = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.close(mine)
            child(os.fdopen(theirs, "wb"), *request)
        finally:
            os._exit(0)
    os.close(theirs)
    end, parts, late = time.monotonic() + request[-1], [], False
    while True:
        ready = select.select([mine], [], [], max(0.0, end - time.monotonic()))[0]
        part = os.read(mine, 1 << 20) if ready else b""
        late = not ready
        if not part: break
        parts.append(part)
    if late: os.kill(pid, signal.SIGKILL)
    os.close(mine)
    status = os.waitpid(pid, 0)[1]
    return late, os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0, b"".join(parts)
while True:
    head = sys.stdin.buffer.read(8)
    if len(head) < 8: break
    data = pickle.dumps(forked(pickle.loads(sys.stdin.buffer.read(struct.unpack("<Q", head)[0]))), 5)
    out.write(struct.pack("<Q", len(data)) + data); out.flush()
"""


@dataclass(frozen=True)
class Answer:
    """Stage that LiteRT reached with a model, and its message; ``outputs`` of every step if it ran."""

    stage: Stage
    message: str = ""
    outputs: tuple[tuple[np.ndarray, ...], ...] = ()


class LiteRT:
    """Server and its requests; ``seconds`` and ``room`` (bytes of address space) limit each answer."""

    def __init__(self, seconds: float = 10.0, room: int = 2 << 30) -> None:
        self.seconds, self.room = seconds, room
        self.server: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> LiteRT:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, e: BaseException | None, t: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        if self.server:
            self.server.kill()
            self.server.wait()
            self.server = None

    def ask(self, model: bytes, steps: Sequence[Sequence[np.ndarray]], resolver: str) -> Answer:
        """Return the answer of a single resolver: load the model, then run the steps in sequence, with their states."""
        return self.ask_all(model, steps, (resolver,))[resolver]

    def ask_all(
        self, model: bytes, steps: Sequence[Sequence[np.ndarray]], resolvers: Sequence[str]
    ) -> dict[str, Answer]:
        """Return the answers of several resolvers, in a single process until it crashes."""
        answers: dict[str, Answer] = {}
        while left := [r for r in resolvers if r not in answers]:
            late, signal, words = self._forked(
                (bytes(model), [list(s) for s in steps], left, self.room, self.seconds)
            )
            answers.update({w[1]: _answer(*w[2:]) for w in words if w[0] == "end"})
            ended = next((r for r in left if r not in answers), None)
            if ended is not None:
                during = "run" if words and words[-1][0] == "loaded" else "load"
                answers[ended] = _dead(late, signal, during)
        return answers

    def _forked(self, request: tuple[object, ...]) -> tuple[bool, int, list[tuple]]:
        """Return True for a timeout, the signal that ended the child, and its answers until then."""
        data = pickle.dumps(request, 5)
        if self.server is None:
            self.server = _started()
        assert self.server.stdin
        assert self.server.stdout
        self.server.stdin.write(struct.pack("<Q", len(data)) + data)
        self.server.stdin.flush()
        size = struct.unpack("<Q", self.server.stdout.read(8))[0]
        late, signal, said = pickle.loads(self.server.stdout.read(size))
        words, stream = [], io.BytesIO(said)
        while stream.tell() < len(said):
            try:
                words.append(pickle.load(stream))
            except (EOFError, pickle.UnpicklingError):
                break
        return late, signal, words


def _started() -> subprocess.Popen[bytes]:
    quiet = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MALLOC_PERTURB_": "165"}
    return subprocess.Popen(
        [sys.executable, "-c", _SERVER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **quiet},
    )


def _answer(stage: Stage, rest: object) -> Answer:
    if stage == "runs":
        return Answer("runs", "", tuple(tuple(step) for step in rest))  # type: ignore[attr-defined]
    return Answer(stage, " ".join(str(rest).split()))


def _dead(late: bool, signal: int, during: str) -> Answer:
    ended = "hangs" if late else f"signal {signal}" if signal else "ends its process"
    return Answer("crashes", f"{ended} in {during}")
