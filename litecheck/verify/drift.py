"""How errors grow: the device fed with its own outputs, operator after operator, beside the reference end to end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.cases import parts
from litecheck.cases.inputs import requantized
from litecheck.devices.jobs import job_of
from litecheck.devices.outcome import Outcome
from litecheck.devices.port import Answer, Device
from litecheck.model.types import Model, Operator, Subgraph, Tensor
from litecheck.reference.engine.arithmetic import Arithmetic
from litecheck.reference.engine.interpreter import Machine
from litecheck.reference.operands import RunError
from litecheck.verify.outcome import Step, Verdict

Progress = Callable[[str], None]


def drift(
    model: Model,
    subgraph: Subgraph,
    inputs: Mapping[int, NDArray[Any]],
    device: Device,
    arithmetic: Arithmetic,
    verdicts: tuple[Verdict, ...] = (),
    progress: Progress | None = None,
) -> tuple[Step, ...]:
    """A step for each tensor that operators make, in order. Where the device gives nothing the reference steps in.

    ``verdicts`` of the operators by themselves tell where error enters. Raises RunError where the reference cannot
    run the subgraph.
    """
    missing = [subgraph.tensors[i] for i in subgraph.inputs if i not in inputs]
    if missing:
        raise RunError(f"input '{missing[0].name}' of type {missing[0].dtype} has no values")
    given = tuple(inputs[i] for i in subgraph.inputs)
    expected = Machine(model, arithmetic).run(subgraph, given, keep_all=True)
    own = dict(inputs)
    entered = {n for v in verdicts if v.outcome is Outcome.MISMATCH for n in v.operators}
    steps: list[Step] = []
    for case in parts.operators(model, subgraph):
        operator = case.operators[0]
        made = _answered(case, device, own) or {i: expected[i] for i in case.cut.outputs if i in expected}
        own.update(made)
        steps += _steps(subgraph, operator, expected, made, operator.index in entered)
        if progress:
            progress(case.name)
    return tuple(steps)


def _answered(
    case: parts.Case, device: Device, own: Mapping[int, NDArray[Any]]
) -> dict[int, NDArray[Any]] | None:
    """What the device makes of its own tensors, None where it makes nothing of the right shape and type."""
    if parts.alone(case) or any(i not in own for i in case.cut.inputs):
        return None
    answer = device.run(job_of(case, (tuple(own[i] for i in case.cut.inputs),)))
    if not isinstance(answer, Answer) or len(answer.runs) != 1:
        return None
    arrays = answer.runs[0]
    if len(arrays) != len(case.cut.outputs):
        return None
    pairs = zip(case.cut.outputs, arrays, strict=True)
    return {i: requantized(case.subgraph.tensors[i], array) for i, array in pairs}


def _steps(
    subgraph: Subgraph,
    operator: Operator,
    expected: Mapping[int, NDArray[Any]],
    made: Mapping[int, NDArray[Any]],
    entered: bool,
) -> Iterator[Step]:
    for index in operator.outputs:
        if index in made and index in expected and made[index].shape == expected[index].shape:
            yield _step(operator, subgraph.tensors[index], expected[index], made[index], entered)


def _step(
    operator: Operator, tensor: Tensor, expected: NDArray[Any], actual: NDArray[Any], entered: bool
) -> Step:
    reals = expected.dtype.kind == "f"
    off = np.nan_to_num(actual.astype(np.float64) - expected.astype(np.float64))
    if reals:
        off /= np.abs(expected[np.isfinite(expected)], dtype=np.float64).max(initial=1e-30)
    worst = float(off.flat[np.abs(off).argmax()]) if off.size else 0.0
    return Step(
        operator=operator.index,
        opcode=operator.custom_code or operator.opcode,
        tensor=tensor.index,
        name=tensor.name,
        unit="relative" if reals else "LSB",
        size=expected.size,
        largest=worst,
        share=float(np.count_nonzero(off) / off.size) if off.size else 0.0,
        rms=float(np.sqrt(np.mean(off * off))) if off.size else 0.0,
        entered=entered,
    )
