"""LiteRT with each run in a separate process, and the stage at which a model failed.

One child imports LiteRT and forks for each request. No run inherits memory that a previous run has damaged, and a crash
needs no new import.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from tests.differential.oracle import Oracle, Refused

Stage = Literal["crash", "load", "run"]
STAGES: tuple[Stage, ...] = ("crash", "load", "run")

_CHILD = r"""
import os, pickle, resource, signal, struct, sys
out = os.fdopen(os.dup(1), "wb"); os.dup2(2, 1)
import numpy
from ai_edge_litert.interpreter import Interpreter, OpResolverType as R
resolvers = {"reference": R.BUILTIN_REF, "optimized": R.BUILTIN_WITHOUT_DEFAULT_DELEGATES, "xnnpack": R.AUTO}
def answer(model, runs, resolver, keep):
    try:
        i = Interpreter(model_content=model, experimental_op_resolver_type=resolvers[resolver], num_threads=1)
        i.allocate_tensors()
    except (RuntimeError, ValueError) as error:
        return f"load: {error}"
    details, results = i.get_input_details(), []
    try:
        for inputs in runs:
            for d, x in zip(details, inputs):
                i.set_tensor(d["index"], x)
            i.invoke()
            results.append([i.get_tensor(o["index"]) for o in i.get_output_details()])
    except (RuntimeError, ValueError) as error:
        return f"run: {error}"
    del i
    return results
def forked(request):
    receive, send = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with os.fdopen(send, "wb") as pipe:
            pipe.write(pickle.dumps(answer(*request), 5))
        os._exit(0)
    os.close(send)
    with os.fdopen(receive, "rb") as pipe:
        data = pipe.read()
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        return pickle.dumps(f"crash: {signal.Signals(os.WTERMSIG(status)).name}", 5)
    return data if status == 0 else pickle.dumps(f"crash: exit status {os.WEXITSTATUS(status)}", 5)
while True:
    head = sys.stdin.buffer.read(8)
    if len(head) < 8: break
    data = forked(pickle.loads(sys.stdin.buffer.read(struct.unpack("<Q", head)[0])))
    out.write(struct.pack("<Q", len(data)) + data); out.flush()
"""


@dataclass(frozen=True)
class Failure:
    """Stage at which a resolver failed, and its message."""

    stage: Stage
    message: str

    def __str__(self) -> str:
        return f"{self.stage}: {' '.join(self.message.split())[-120:]}"


class ForkingOracle(Oracle):
    """Oracle with the stage at the beginning of each error message."""

    program = _CHILD

    def ask(
        self, model: bytes, inputs: Sequence[np.ndarray], resolver: str, steps: int = 1
    ) -> list[np.ndarray] | Failure:
        """Return the outputs of ``steps`` inferences on the same inputs, or the stage of the failure."""
        got = self.run_many(model, [inputs] * steps, resolver)
        if not isinstance(got, Refused):
            return [array for outputs in got for array in outputs]
        stage, _, message = got.message.partition(": ")
        known = next((s for s in STAGES if s == stage), None)
        return Failure(known, message) if known else Failure("crash", got.message)
