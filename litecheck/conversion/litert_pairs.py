"""Runs of two models side by side in LiteRT, in a child process, which compares pairs of tensors after every inference."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from litecheck.conversion.calibration.all_tensors_interpreter import AllTensorsInterpreter
from litecheck.conversion.calibration.statistics import Place
from litecheck.conversion.distortion import PairTally
from litecheck.devices.port import Series
from litecheck.model.types import Model, Tensor
from litecheck.quantization import Quantization

#: (float tensor, converted tensor).
Pair = tuple[Place, Place]


class LitertPairs:
    """The question of a child process about pairs of tensors.

    Facts: ``files`` of both models, ``kernels``, ``signatures`` (keys and subgraphs of both), ``unpacks`` (for both, True if
    operators unpack constants), ``resources`` (True if there are resource variables), ``pairs`` of tensors, the numbers of
    the pairs that are class ``scores``, and of the pairs with errors per channel (``channelled``). ``tensors`` are the
    converted tensors of all pairs, ``references`` the reference tensors if they store integers, in the format of
    :func:`plain_tensor`.

    A run starts with the number of the entry point, followed by the inputs of the first and the second model. The
    answer is a tally as plain values, with the number of ``samples`` and the ``kernels`` that ran.
    """

    def __init__(self, facts: Mapping[str, Any]) -> None:
        self._facts = facts
        self._interpreters: list[AllTensorsInterpreter] = []

    def answer(self, several: Iterable[Series]) -> dict[str, Any]:
        """Return the distortions over all runs. Variables are reset for each series."""
        facts = self._facts
        pairs: list[Pair] = [((a, b), (c, d)) for (a, b), (c, d) in facts["pairs"]]
        converted, references = (list(map(_tensor, facts[side])) for side in ("tensors", "references"))
        scores, channelled = (frozenset(facts[kind]) for kind in ("scores", "channelled"))
        tally, count = PairTally(converted, scores, channelled, references), 0
        for count, one in enumerate(several, 1):
            self._begin(count == 1)
            for entered, *inputs in one.runs:
                half = len(inputs) // 2
                parts = zip(self._interpreters, (inputs[:half], inputs[half:]), strict=True)
                ran = [interpreter.run(int(entered), tuple(arrays)) for interpreter, arrays in parts]
                self._compare(pairs, ran, tally)
        return {"samples": count, "kernels": self._interpreters[0].kernels, **tally.to_plain()}

    def _begin(self, first: bool) -> None:
        """Reset all variables. Resource variables are only reset by a new interpreter."""
        facts = self._facts
        if first or facts["resources"]:
            each = zip(facts["files"], facts["signatures"], facts["unpacks"], strict=True)
            self._interpreters = [AllTensorsInterpreter(path, facts["kernels"], *own) for path, *own in each]
        for interpreter in self._interpreters:
            interpreter.reset()

    def _compare(self, pairs: Sequence[Pair], subgraphs: Sequence[int], tally: PairTally) -> None:
        """Compare the tensors of an inference. References to the interpreters' memory do not outlive the call."""
        reference, converted = (
            dict(interpreter.tensors([pair[side] for pair in pairs], subgraph))
            for side, (interpreter, subgraph) in enumerate(zip(self._interpreters, subgraphs, strict=True))
        )
        for number, (one, other) in enumerate(pairs):
            if one in reference and other in converted:
                tally.add(number, reference[one], converted[other])


def tensors_of(model: Model, pairs: Iterable[Pair], side: int = 1) -> list[Tensor]:
    """Return the tensors on a side of pairs: 1 is the converted model, 0 the first model."""
    places = (pair[side] for pair in pairs)
    return [model.subgraphs[subgraph].tensors[index] for subgraph, index in places]


def plain_tensor(tensor: Tensor) -> list[Any]:
    """Return the storage of a tensor as plain values."""
    own = tensor.quantization
    return [tensor.dtype, own.scale.tolist(), own.zero_point.tolist(), own.axis]


def _tensor(plain: Sequence[Any]) -> Tensor:
    """Return a tensor with only the storage in ``plain``."""
    dtype, scale, zero_point, axis = plain
    own = Quantization(np.array(scale, np.float32), np.array(zero_point, np.int64), axis)
    return Tensor(0, "", dtype, (), quantization=own)
