"""LiteRT as an oracle in a child process, because some models end the process.

with Oracle() as litert:
    outputs = litert.run(model_bytes(model), [x], "reference")    # list of arrays, or Refused
"""

from __future__ import annotations

import contextlib
import pickle
import select
import struct
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType

import numpy as np

from litecheck.processes.child import kill_tree

RESOLVERS = ("reference", "optimized", "xnnpack")
#: Server code after the child's imports and its ``reply(request)``: a process forked from the child answers requests
#: until a model ends it. The next process needs only a fork.
SERVE = r"""
import signal
replies = os.fdopen(os.dup(1), "wb"); os.dup2(2, 1)
def framed(stream):
    head = stream.read(8)
    body = stream.read(struct.unpack("<Q", head)[0]) if len(head) == 8 else b""
    return head + body if len(head) == 8 and len(body) == struct.unpack("<Q", head)[0] else b""
def frame(answer):
    data = pickle.dumps(answer, 5)
    return struct.pack("<Q", len(data)) + data
def server():
    (there, ask), (hear, here) = os.pipe(), os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(ask); os.close(hear)
        with os.fdopen(there, "rb") as asked, os.fdopen(here, "wb") as told:
            while request := framed(asked):
                signal.alarm(600)  # in case that nobody waits any longer
                told.write(frame(reply(pickle.loads(request[8:])))); told.flush()
                signal.alarm(0)
        os._exit(0)
    os.close(there); os.close(here)
    return pid, os.fdopen(ask, "wb", 0), os.fdopen(hear, "rb")
pid = 0
while request := framed(sys.stdin.buffer):
    if pid and os.waitpid(pid, os.WNOHANG)[0]:
        pid = 0
    if not pid:
        pid, ask, hear = server()
    try:
        ask.write(request)
    except BrokenPipeError:
        pass
    answered = framed(hear)
    if not answered:
        answered = frame(("ended", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])))
        pid = 0
    replies.write(answered); replies.flush()
"""
_CHILD = r"""
import os, pickle, struct, sys
from ai_edge_litert.interpreter import Interpreter, OpResolverType as R
resolvers = {"reference": R.BUILTIN_REF, "optimized": R.BUILTIN_WITHOUT_DEFAULT_DELEGATES, "xnnpack": R.AUTO}
def answer(model, runs, resolver, keep):
    i = Interpreter(model_content=model, experimental_op_resolver_type=resolvers[resolver], num_threads=1,
                    experimental_preserve_all_tensors=keep)
    i.allocate_tensors()
    details, results = i.get_input_details(), []
    for inputs in runs:
        i.reset_all_variables()
        for d, x in zip(details, inputs):
            if tuple(d["shape"]) != x.shape:
                i.resize_tensor_input(d["index"], x.shape); i.allocate_tensors()
            i.set_tensor(d["index"], x)
        i.invoke()
        if keep:
            got = {}
            for t in i.get_tensor_details():
                try: got[t["index"]] = i.get_tensor(t["index"])
                except ValueError: pass
            results.append(got)
        else:
            results.append([i.get_tensor(o["index"]) for o in i.get_output_details()])
    return results
def reply(request):
    try: return answer(*request)
    except (RuntimeError, ValueError) as error: return str(error)
"""


@dataclass(frozen=True)
class Refused:
    """Message of LiteRT, or the end of its process."""

    message: str


class Oracle:
    """Child process with a limit of ``timeout`` seconds for each request, restarted after a timeout. It runs ``program``."""

    program = _CHILD + SERVE
    #: True if the oracle can return all tensors.
    shows_variables = True

    def __init__(self, timeout: float = 120.0) -> None:
        self.timeout = timeout
        self.child: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Oracle:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, e: BaseException | None, t: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        if self.child:
            kill_tree(self.child)  # with the process that answers
            self.child.wait()
            self.child = None

    def run(
        self, model: bytes, inputs: Sequence[np.ndarray], resolver: str = "reference"
    ) -> list[np.ndarray] | Refused:
        """Return the outputs for one set of inputs, in the model's order."""
        got = self.run_many(model, [inputs], resolver)
        return got if isinstance(got, Refused) else got[0]

    def run_many(
        self,
        model: bytes,
        runs: Sequence[Sequence[np.ndarray]],
        resolver: str = "reference",
        keep_all: bool = False,
    ) -> list | Refused:
        """Return the outputs of several inferences of one interpreter; ``keep_all`` returns {tensor index: array}
        instead.
        """
        data = pickle.dumps((bytes(model), [list(r) for r in runs], resolver, keep_all), 5)
        if self.child is None or self.child.poll() is not None:
            self.child = subprocess.Popen(
                [sys.executable, "-c", self.program],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        assert self.child.stdin
        assert self.child.stdout
        try:
            self.child.stdin.write(struct.pack("<Q", len(data)) + data)
            self.child.stdin.flush()
            reply = self._read(struct.unpack("<Q", self._read(8))[0])
        except (BrokenPipeError, EOFError, TimeoutError) as error:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.child.wait(1)
            ended = self.child.poll()
            self.close()
            return Refused(f"process ended with {ended}" if ended is not None else f"{type(error).__name__}")
        answer = pickle.loads(reply)
        if isinstance(answer, tuple):
            return Refused(f"process ended with {answer[1]}")
        return Refused(answer) if isinstance(answer, str) else answer

    def _read(self, count: int) -> bytes:
        assert self.child
        assert self.child.stdout
        end, parts = time.monotonic() + self.timeout, bytearray()
        while len(parts) < count:
            ready, _, _ = select.select([self.child.stdout], [], [], max(0.0, end - time.monotonic()))
            if not ready:
                raise TimeoutError
            part = self.child.stdout.raw.read(count - len(parts))  # type: ignore[attr-defined]
            if not part:
                raise EOFError
            parts += part
        return bytes(parts)
