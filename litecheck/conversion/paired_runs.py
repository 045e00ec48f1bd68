"""Runs of two models side by side in litecheck's own kernels, with pairs of tensors compared after every inference."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from numpy.typing import NDArray

from litecheck.arrays import Arrays
from litecheck.conversion.calibration.statistics import CalibrationError, Place
from litecheck.conversion.distortion import PairTally
from litecheck.conversion.litert_pairs import Pair
from litecheck.model.types import Subgraph
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from litecheck.reference.runtime_tensors import RunError


class ReferencePairs:
    """Two interpreters side by side. Tensors in a loop's body are compared turn by turn, up to the shorter loop."""

    def __init__(
        self,
        interpreters: tuple[ReferenceInterpreter, ReferenceInterpreter],
        pairs: Sequence[Pair],
        tally: PairTally,
    ) -> None:
        self._interpreters = interpreters
        self._tally = tally
        self._pairs: dict[Place, list[tuple[int, Place]]] = {}
        for number, (one, other) in enumerate(pairs):
            self._pairs.setdefault(one, []).append((number, other))
        self._held: list[dict[Place, list[NDArray[Any]]]] = [{}, {}]
        for side, interpreter in enumerate(self._interpreters):
            interpreter.watch = partial(self._hold, side, frozenset(pair[side] for pair in pairs))

    def run(self, number: int, runs: Sequence[tuple[tuple[int, Arrays], tuple[int, Arrays]]]) -> None:
        """Run a chain of samples from a fresh state, each a subgraph and its inputs, for both. Raises CalibrationError."""
        for interpreter in self._interpreters:
            interpreter.restart()
        for run in runs:
            for interpreter, (subgraph, arrays) in zip(self._interpreters, run, strict=True):
                try:
                    interpreter.run(interpreter.model.subgraphs[subgraph], arrays)
                except RunError as error:
                    raise CalibrationError(f"sample {number}: {error}") from error
            self._compare()

    def _hold(
        self,
        side: int,
        places: frozenset[Place],
        subgraph: Subgraph,
        indexes: Sequence[int],
        arrays: Sequence[NDArray[Any]],
    ) -> None:
        for index, values in zip(indexes, arrays, strict=True):
            if (subgraph.index, index) in places:
                self._held[side].setdefault((subgraph.index, index), []).append(values)

    def _compare(self) -> None:
        reference, converted = self._held
        held_pairs = ((number, one, other) for one in reference for number, other in self._pairs[one])
        for number, one, other in sorted(held_pairs):
            # zip stops at the shorter list: a loop may take fewer turns in either model.
            for x, stored in zip(reference[one], converted.get(other, ()), strict=False):
                if x.shape == stored.shape:
                    self._tally.add(number, x, stored)
        for held in self._held:
            held.clear()
