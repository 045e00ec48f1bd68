"""Two models run side by side by LiteRT, in a child process, pairs of their tensors compared after every inference."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from litecheck.convert.calibration.preserving import PreservingInterpreter
from litecheck.convert.calibration.statistics import Place
from litecheck.convert.distortion import PairTally
from litecheck.devices.port import Series
from litecheck.model.types import Model, Tensor
from litecheck.quantization import Quantization

#: (float, converted).
Pair = tuple[Place, Place]


class LitertPairs:
    """Facts: ``files`` of both models, ``kernels``, ``signatures`` (keys and subgraphs of both), ``resources`` (whether
    there are resource variables); ``pairs`` of places, the numbers of those that are ``outputs`` and of those whose errors
    are wanted by channel (``channelled``); of all pairs the converted ``tensors``, and the ``references`` where these
    store integers, too, as :func:`plain_tensor` gives them.

    A run begins with the number of where the models are entered, and has the inputs of the first, then of the second. The
    answer is a tally as plain values, and how many ``samples`` and which ``kernels`` ran.
    """

    def __init__(self, facts: Mapping[str, Any]) -> None:
        self._facts = facts
        self._interpreters: list[PreservingInterpreter] = []

    def answer(self, several: Iterable[Series]) -> dict[str, Any]:
        """The distortions over all runs; variables begin anew with each series."""
        facts = self._facts
        pairs: list[Pair] = [((a, b), (c, d)) for (a, b), (c, d) in facts["pairs"]]
        converted, references = (list(map(_tensor, facts[side])) for side in ("tensors", "references"))
        ends, channelled = (frozenset(facts[kind]) for kind in ("outputs", "channelled"))
        tally, count = PairTally(converted, ends, channelled, references), 0
        for count, one in enumerate(several, 1):
            self._begin(count == 1)
            for entered, *inputs in one.runs:
                half = len(inputs) // 2
                parts = zip(self._interpreters, (inputs[:half], inputs[half:]), strict=True)
                ran = [interpreter.run(int(entered), tuple(arrays)) for interpreter, arrays in parts]
                self._compare(pairs, ran, tally)
        return {"samples": count, "kernels": self._interpreters[0].kernels, **tally.to_plain()}

    def _begin(self, first: bool) -> None:
        """Variables as they are at first; nothing but a new interpreter resets resources."""
        facts = self._facts
        if first or facts["resources"]:
            pairs = zip(facts["files"], facts["signatures"], strict=True)
            self._interpreters = [PreservingInterpreter(path, facts["kernels"], own) for path, own in pairs]
        for interpreter in self._interpreters:
            interpreter.reset()

    def _compare(self, pairs: Sequence[Pair], subgraphs: Sequence[int], tally: PairTally) -> None:
        """One inference; no reference to memory of the interpreters outlives the call."""
        reference, converted = (
            dict(interpreter.tensors([pair[side] for pair in pairs], subgraph))
            for side, (interpreter, subgraph) in enumerate(zip(self._interpreters, subgraphs, strict=True))
        )
        for number, (one, other) in enumerate(pairs):
            if one in reference and other in converted:
                tally.add(number, reference[one], converted[other])


def tensors_of(model: Model, pairs: Iterable[Pair], side: int = 1) -> list[Tensor]:
    """The tensors on one side of pairs: of the converted model, or of the first for 0."""
    places = (pair[side] for pair in pairs)
    return [model.subgraphs[subgraph].tensors[index] for subgraph, index in places]


def plain_tensor(tensor: Tensor) -> list[Any]:
    """How a tensor stores numbers, as plain values."""
    own = tensor.quantization
    return [tensor.dtype, own.scale.tolist(), own.zero_point.tolist(), own.axis]


def _tensor(plain: Sequence[Any]) -> Tensor:
    """A tensor that stores numbers so, and nothing else."""
    dtype, scale, zero_point, axis = plain
    own = Quantization(np.array(scale, np.float32), np.array(zero_point, np.int64), axis)
    return Tensor(0, "", dtype, (), quantization=own)
