"""Values that are not finite: the first tensor and the first sample with a NaN or an infinity."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from litecheck.conversion.calibration.statistics import (
    CalibrationError,
    CalibrationStatistics,
    NotFinite,
    Place,
)
from litecheck.model.constant_values import constant_values
from litecheck.model.links import subgraph_calls
from litecheck.model.types import Model, Subgraph


def check_finite(
    statistics: CalibrationStatistics, model: Model, described: Callable[[int], str] = "sample {}".format
) -> None:
    """Raise CalibrationError where a tensor was not finite: the first in execution order in the first such sample.

    ``described`` returns the words for the sample of a number, such as its file.
    """
    found = first_not_finite(statistics, model)
    if found is None:
        return
    (subgraph, index), fault = found
    name = model.subgraphs[subgraph].tensors[index].name
    where = f" of subgraph {subgraph} '{model.subgraphs[subgraph].name}'" if subgraph else ""
    what = "a NaN" if fault.value == "nan" else "an infinity"
    infinite_input = _infinite_input(statistics, model, fault.sample)
    if infinite_input and fault.value == "nan":
        raise CalibrationError(
            f"{described(fault.sample)}: input '{infinite_input}' holds an infinity, and tensor {index}{where} a NaN"
        )
    constant = _infinite_constant(model.subgraphs[subgraph], index)
    if constant:
        raise CalibrationError(
            f"{constant}, and in {described(fault.sample)} tensor {index}{where} holds {what}"
        )
    raise CalibrationError(f"{described(fault.sample)} makes tensor {index} '{name}'{where} hold {what}")


def _infinite_input(statistics: CalibrationStatistics, model: Model, sample: int) -> str:
    """Return the name of the first model input that is infinite in a sample, or ""."""
    main = model.subgraphs[0]
    faults = ((index, statistics.tensors.get((0, index))) for index in main.inputs)
    return next(
        (main.tensors[n].name for n, one in faults if one and one.not_finite == NotFinite(sample, "inf")), ""
    )


def _infinite_constant(subgraph: Subgraph, index: int) -> str:
    """Return the words for the first constant with a NaN or infinity up to the writer of a tensor, or "".

    Example: ``constant 'bias' of CONV_2D #5 holds an infinity``.
    """
    for operator in subgraph.operators:
        for tensor in (subgraph.tensors[n] for n in operator.inputs if n >= 0):
            values = constant_values(tensor) if tensor.dtype.startswith("float") else None
            if values is not None and not np.isfinite(values).all():
                held = "a NaN" if np.isnan(values).any() else "an infinity"
                return f"constant '{tensor.name}' of {operator.kind} #{operator.index} holds {held}"
        if index in operator.outputs:
            break
    return ""


def first_not_finite(statistics: CalibrationStatistics, model: Model) -> tuple[Place, NotFinite] | None:
    """Return the first tensor that is not finite: in execution order, in the first sample with such a tensor.

    If there are NaNs, only NaNs count.
    """
    faults = {p: one.not_finite for p, one in statistics.tensors.items() if one.not_finite is not None}
    faults = {p: fault for p, fault in faults.items() if fault.value == "nan"} or faults
    if not faults:
        return None
    sample = min(fault.sample for fault in faults.values())
    order = {place: n for n, place in enumerate(execution_order(model))}
    first = min(
        (p for p, fault in faults.items() if fault.sample == sample), key=lambda p: order.get(p, len(order))
    )
    return first, faults[first]


def execution_order(model: Model) -> list[Place]:
    """Return every tensor of every subgraph in order of execution. Inputs of a subgraph come first."""
    found: dict[Place, None] = {}
    begun: set[int] = set()

    def enter(number: int) -> None:
        if number in begun or not 0 <= number < len(model.subgraphs):
            return
        begun.add(number)
        subgraph = model.subgraphs[number]
        found.update(dict.fromkeys((number, index) for index in subgraph.inputs))
        for operator in subgraph.operators:
            for _, callee in subgraph_calls(operator):
                enter(callee)
            found.update(dict.fromkeys((number, index) for index in operator.outputs if index >= 0))

    for entered in (0, *(s.subgraph for s in model.signatures), *range(len(model.subgraphs))):
        enter(entered)
    return list(found)
