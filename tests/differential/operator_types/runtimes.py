"""LiteRT's resolvers and TFLM, each model loaded and invoked in a forked process: runs, fails, is rejected or crashes.

A server imports both runtimes once and forks for every batch of models. After a crash, the crashed model is tried again
alone, because an earlier model of the batch may have damaged the memory.
"""

from __future__ import annotations

import io
import os
import pickle
import struct
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import TracebackType

import numpy as np

LITERT = ("reference", "optimized", "xnnpack")
RUNTIMES = (*LITERT, "tflm")
#: Complement of the byte that fills new memory: unwritten values are neither 0 nor values of an earlier model.
_UNWRITTEN = "90"
#: Models of one forked process.
_BATCH = 40

_SERVER = r"""
import os, pickle, resource, select, signal, struct, sys, tempfile, time
out = os.fdopen(os.dup(1), "wb"); os.dup2(2, 1)
import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType as R
try:
    from tflite_micro.python.tflite_micro import runtime
    from tflite_micro.tensorflow.lite.micro.python.schema_py_generated import Model
except ImportError:
    runtime = None
resolvers = {"reference": R.BUILTIN_REF, "optimized": R.BUILTIN_WITHOUT_DEFAULT_DELEGATES, "xnnpack": R.AUTO}
errors = (RuntimeError, ValueError, TypeError, MemoryError, OverflowError)
log = tempfile.TemporaryFile()
def fed(steps, inputs):
    for step, x in zip(steps, inputs):
        try: step(x)
        except errors: pass    # a type that Python arrays do not have: the tensor stays as it is
def litert(model, inputs, name):
    try:
        i = Interpreter(model_content=model, experimental_op_resolver_type=resolvers[name], num_threads=1)
        i.allocate_tensors()
    except errors as error: return "rejected", str(error)
    try:
        fed([lambda x, d=d: i.set_tensor(d["index"], x) for d in i.get_input_details()], inputs)
        i.invoke()
    except errors as error: return "fails", str(error)
    return "runs", outputs([lambda o=o: i.get_tensor(o["index"]) for o in i.get_output_details()])
def tflm(model, inputs, name):
    os.dup2(log.fileno(), 2); log.seek(0); log.truncate()
    stage = "rejected"
    try:
        i = runtime.Interpreter.from_bytes(model, arena_size=1 << 21)
        stage = "fails"
        fed([lambda x, n=n: i.set_input(x, n) for n in range(len(inputs))], inputs)
        i.invoke()
    except errors as error:
        log.seek(0)
        return stage, log.read().decode(errors="replace").split("\n")[0] or str(error)
    count = Model.GetRootAs(model).Subgraphs(0).OutputsLength()
    return "runs", outputs([lambda n=n: i.get_output(n) for n in range(count)])
def outputs(reads):
    found = []
    for read in reads:
        try: found.append(read().copy())
        except errors: found.append(None)
    return found
def child(pipe, requests, seconds):
    def say(*what): pipe.write(pickle.dumps(what, 5)); pipe.flush()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
    for n, (model, inputs, names) in enumerate(requests):
        for name in names:
            signal.setitimer(signal.ITIMER_PROF, seconds)
            say("begin", n, name)
            say("end", n, name, *(tflm if name == "tflm" else litert)(model, inputs, name))
def forked(requests, seconds):
    mine, theirs = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.close(mine)
            child(os.fdopen(theirs, "wb"), requests, seconds)
        finally: os._exit(0)
    os.close(theirs)
    with os.fdopen(mine, "rb") as said: text = said.read()
    status = os.waitpid(pid, 0)[1]
    return os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0, text
while True:
    head = sys.stdin.buffer.read(8)
    if len(head) < 8: break
    data = pickle.dumps(forked(*pickle.loads(sys.stdin.buffer.read(struct.unpack("<Q", head)[0]))), 5)
    out.write(struct.pack("<Q", len(data)) + data); out.flush()
"""


@dataclass(frozen=True)
class Ran:
    """Stage that a runtime reached with a model: ``runs``, ``fails`` at run time, ``rejected`` at load, ``crashes``."""

    stage: str
    message: str = ""
    outputs: tuple[np.ndarray | None, ...] = ()


@dataclass(frozen=True)
class Request:
    """Model's bytes, its inputs, and the runtimes to run it."""

    model: bytes
    inputs: tuple[np.ndarray, ...]
    runtimes: tuple[str, ...] = RUNTIMES


class Runtimes:
    """Server; ``seconds`` of processor time are the limit of each model."""

    def __init__(self, seconds: float = 2) -> None:
        self.seconds = seconds
        self.server: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Runtimes:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, e: BaseException | None, t: TracebackType | None
    ) -> None:
        if self.server:
            self.server.kill()
            self.server.wait()
            self.server = None

    def run(self, requests: Sequence[Request]) -> list[dict[str, Ran]]:
        """Return the answers of every request by runtime."""
        found: list[dict[str, Ran]] = [{} for _ in requests]
        left = [(n, r) for n, request in enumerate(requests) for r in request.runtimes]
        while left:
            batch, left = left[:_BATCH], left[_BATCH:]
            answers, crashed = self._forked([_only(requests[n], r) for n, r in batch])
            for (n, r), ran in zip(batch, answers, strict=False):
                found[n][r] = ran
            if crashed is not None:
                n, r = batch[len(answers)]
                alone, again = self._forked([_only(requests[n], r)])
                found[n][r] = alone[0] if again is None else Ran("crashes", again)
                left = batch[len(answers) + 1 :] + left
        return found

    def _forked(self, requests: Sequence[Request]) -> tuple[list[Ran], str | None]:
        """Return the answers before a crash, and the end of the process if it crashed."""
        data = pickle.dumps(([(r.model, list(r.inputs), r.runtimes) for r in requests], self.seconds), 5)
        if self.server is None:
            quiet = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MALLOC_PERTURB_": _UNWRITTEN}
            self.server = subprocess.Popen(
                [sys.executable, "-c", _SERVER],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={**os.environ, **quiet},
            )
        assert self.server.stdin
        assert self.server.stdout
        self.server.stdin.write(struct.pack("<Q", len(data)) + data)
        self.server.stdin.flush()
        signal, said = pickle.loads(
            self.server.stdout.read(struct.unpack("<Q", self.server.stdout.read(8))[0])
        )
        words = list(_words(said))
        answers = [_ran(w[3], w[4]) for w in words if w[0] == "end"]
        return answers, f"signal {signal}" if len(answers) < len(requests) else None


def _only(request: Request, runtime: str) -> Request:
    return Request(request.model, request.inputs, (runtime,))


def _words(said: bytes) -> Iterator[tuple]:
    stream = io.BytesIO(said)
    while stream.tell() < len(said):
        try:
            yield pickle.load(stream)
        except (EOFError, pickle.UnpicklingError):
            return


def _ran(stage: str, rest: object) -> Ran:
    if stage == "runs":
        return Ran(stage, "", tuple(rest))  # type: ignore[arg-type]
    return Ran(stage, " ".join(str(rest).split()))
