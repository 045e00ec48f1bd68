"""LiteRT in a child process that also returns the stage of a failure."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tests.differential.oracle import SERVE, Oracle, Refused

_CHILD = r"""
import os, pickle, struct, sys
from ai_edge_litert.interpreter import Interpreter, OpResolverType as R
resolvers = {"reference": R.BUILTIN_REF, "optimized": R.BUILTIN_WITHOUT_DEFAULT_DELEGATES, "xnnpack": R.AUTO}
def answer(model, runs, resolver, keep):
    where = {"model_path": model.decode()} if model[:1] == b"/" else {"model_content": model}
    stage = "load"
    try:
        i = Interpreter(**where, experimental_op_resolver_type=resolvers[resolver], num_threads=1)
        i.allocate_tensors()
        stage, results = "run", []
        for inputs in runs:
            for d, x in zip(i.get_input_details(), inputs):
                i.set_tensor(d["index"], x)
            i.invoke()
            results.append([i.get_tensor(o["index"]) for o in i.get_output_details()])
        return results
    except (RuntimeError, ValueError) as error:
        return f"{stage}: {error}"
def reply(request):
    return answer(*request)
"""


@dataclass(frozen=True)
class Fate:
    """Impact of a model: ``runs`` with its outputs, ``refused``, ``fails`` at run time, or ``crashes``."""

    word: str
    outputs: tuple[np.ndarray, ...] = ()
    message: str = ""


class StructureOracle(Oracle):
    """Oracle that also accepts the path of a model, with refusals that distinguish load and run."""

    program = _CHILD + SERVE

    def fate(self, model: bytes, inputs: tuple[np.ndarray, ...], resolver: str) -> Fate:
        """Return the impact on a single resolver."""
        got = self.run(model, inputs, resolver)
        if not isinstance(got, Refused):
            return Fate("runs", tuple(got))
        stage, _, message = got.message.partition(": ")
        word = {"load": "refused", "run": "fails"}.get(stage, "crashes")
        return Fate(word, message=message or got.message)


__all__ = ["Fate", "StructureOracle"]
