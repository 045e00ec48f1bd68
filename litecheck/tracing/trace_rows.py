"""Rows of a trace: the measures of each operator, and the operators that a device computes differently."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import log2

from litecheck.model.graph import name_of
from litecheck.model.links import subgraph_calls
from litecheck.tracing.bench import Bench
from litecheck.tracing.culprits import loss_of
from litecheck.tracing.device_trace import DeviceErrors
from litecheck.tracing.isolated_operators import IsolatedOperator
from litecheck.tracing.measures import Errors
from litecheck.tracing.trace_result import LEAST_LOSS, Culprit, TracedOperator

#: Small differences of a device that are listed.
_NOTES = 5


def row_of(
    bench: Bench, fed: IsolatedOperator, bridged: bool, on_device: DeviceErrors | None
) -> TracedOperator:
    """Return the measures of an operator; a bridged operator has the float model's output and no SNR of its own."""
    errors, subgraph = bench.errors[fed.other], bench.part.second
    loss, alone = loss_of(bench, fed), errors.snr("alone")
    return TracedOperator(
        subgraph.index,
        fed.other,
        fed.operator.kind,
        name_of(subgraph, fed.operator),
        fed.one,
        None if bridged else errors.snr("accumulated"),
        alone,
        errors.snr("stored"),
        errors.snr("twin_stored"),
        None if alone is None or any(subgraph_calls(fed.operator)) else min(120.0, alone + loss.decibels),
        loss.decibels if loss.excess else 0.0,
        errors.saturated / errors.elements if errors.elements else None,
        _resolution(errors),
        on_device.snr if on_device else None,
        on_device.differs if on_device else None,
        on_device.largest if on_device else None,
    )


def _resolution(errors: Errors) -> float | None:
    """Return log2 of the number of steps between the smallest and the largest stored value."""
    return log2(max(1.0, errors.high - errors.low + 1)) if errors.elements else None


def with_losses(rows: Sequence[TracedOperator], named: Sequence[Culprit]) -> tuple[TracedOperator, ...]:
    """Return the rows with the losses of culprits at an input or in a shared range, which isolated operators do not show."""
    losses: dict[tuple[int, int], float] = {}
    for one in named:
        if one.cause in ("input_range", "shared_range"):
            place = one.subgraph, one.operator
            losses[place] = max(losses.get(place, 0.0), one.avoidable_db)
    return tuple(
        replace(row, avoidable_db=loss, twin_snr=None)
        if (loss := losses.get((row.subgraph, row.operator), 0.0)) > row.avoidable_db
        else row
        for row in rows
    )


def culprits_on_device(rows: Sequence[TracedOperator]) -> tuple[Culprit, ...]:
    """Return the operators that a device computes with a larger error than the reference kernels, worst first."""
    found = []
    for row in rows:
        if row.device_snr is None or row.alone_snr is None or not row.device_differs:
            continue
        loss = row.alone_snr - row.device_snr
        if loss >= LEAST_LOSS:
            share = f"{100 * row.device_differs:.2g} % of values"
            detail = (
                f"the device differs from the reference kernels in {share}, by at most {_largest_text(row)}"
            )
            found.append(
                Culprit(row.subgraph, row.operator, row.opcode, row.name, "arithmetic", loss, detail)
            )
    return tuple(sorted(found, key=lambda one: -one.avoidable_db))


def _largest_text(row: TracedOperator) -> str:
    """Return the largest difference of a device, in LSB if the output is quantized. Examples: ``3 LSB``, ``5.96e-08``."""
    return f"{row.device_largest:.3g}{'' if row.resolution is None else ' LSB'}"


def small_differences(rows: Sequence[TracedOperator], named: Sequence[Culprit]) -> list[str]:
    """Return texts on operators that a device computes differently from the reference kernels, without a loss of 3 dB."""
    known = {(one.subgraph, one.operator) for one in named}
    return [
        f"the device differs from the reference kernels at {row.opcode} #{row.operator}, in "
        f"{100 * row.device_differs:.2g} % of values by at most {_largest_text(row)}"
        for row in rows
        if row.device_differs and (row.subgraph, row.operator) not in known
    ][:_NOTES]
