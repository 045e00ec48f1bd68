"""Repeated inputs of a case: the first inputs once more at the end, and outputs that differ between repetitions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from numpy.typing import NDArray

from litecheck.arrays import Arrays, stack_inferences
from litecheck.comparison.whole_outputs import OutputHistory
from litecheck.comparison.wording import left_over_sentence, unrepeated_sentence
from litecheck.model.types import Tensor
from litecheck.suite.case import SuiteCase
from litecheck.suite.manifest import CaseEntry, Suite

#: Largest number of elements of the inputs, and of the outputs, of an inference that a case repeats.
_SMALL = 1 << 12


def with_repetition(case: SuiteCase) -> SuiteCase:
    """Return the case with its first inputs repeated at the end, so that a flaky device gives two outputs for them.

    Invalid models, models without inputs, and cases with large tensors or with state are unchanged.
    """
    main = case.model.subgraphs[0]
    given, made = ([main.tensors[i] for i in ends] for ends in (main.inputs, main.outputs))
    if case.lengths or case.broken or not case.runs or not given:
        return case
    if max(_elements(given), _elements(made)) > _SMALL:
        return case
    return replace(case, runs=_repeat_first(case.runs), expected=_repeat_first(case.expected))


def _elements(tensors: Sequence[Tensor]) -> int:
    return sum(math.prod(tensor.shape) for tensor in tensors)


def _repeat_first(runs: Sequence[Arrays]) -> Sequence[Arrays]:
    return stack_inferences([*runs, runs[0]]) if runs else runs


def history(
    suite: Suite, case: CaseEntry, expected: Sequence[NDArray[Any]], actual: Sequence[NDArray[Any]]
) -> OutputHistory:
    """Return the outputs of a case in the order of its inferences; equal inputs have the same number."""
    first: dict[bytes, int] = {}
    stacks = [suite.stack(entry) for entry in case.inputs]
    keys = (b"".join(stack[run].tobytes() for stack in stacks) for run in range(case.runs))
    order = [first.setdefault(key, run) for run, key in enumerate(keys)]
    expected_runs, actual_runs = (list(zip(*outputs, strict=True)) for outputs in (expected, actual))
    return OutputHistory(order, [""] * case.runs, expected_runs, actual_runs)


def messages(found: OutputHistory) -> tuple[bool, tuple[str, ...]]:
    """Return True if the device is flaky, and sentences on outputs that do not repeat or are left over."""
    unrepeated, stale = found.flaky(), found.find_stale_output()
    said = (
        unrepeated_sentence(unrepeated) if unrepeated else "",
        left_over_sentence(stale) if stale else "",
    )
    return unrepeated is not None, tuple(filter(None, said))
