"""Separations: properties that all failing operators of a model have and no passing operator has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb

from litecheck.devices.outcome import Outcome
from litecheck.model.types import Model, Operator, Subgraph
from litecheck.profile.measurements.measured_operator import Measured, Operands, one_scale, one_zero_point
from litecheck.profile.measurements.registry import measurement
from litecheck.reference.engine.dispatch import find_kernel, signature
from litecheck.reference.runtime_tensors import RunError
from litecheck.verification.result import FailureCorrelation, Verdict

#: A property is reported if comb(operators, failing operators) is at least 20. Below 1000 the report says that chance is
#: possible: many properties are compared, so a match of a few operators is not conclusive.
_WAYS, _SURE = 20, 1000
#: Largest number of reported properties.
_MOST = 6
#: Common lengths of SIMD vectors.
_VECTORS = (32, 16, 8, 4, 2)
#: Measurements of an operator and of a tensor, with their names in separations.
_OPERATOR = {
    "accumulation_depth": "accumulation depth",
    "kernel_h": "window height",
    "kernel_w": "window width",
    "stride_h": "vertical stride",
    "stride_w": "horizontal stride",
    "padding": "padding",
    "fused_activation": "fused activation",
}
_OPERAND = ("batch", "height", "width", "channels", "elements", "largest")
_CALLED = {"largest": "largest magnitude"}
#: Options of convolutions without a measurement.
_DILATIONS = {"dilation_h_factor": "vertical dilation", "dilation_w_factor": "horizontal dilation"}

Properties = Mapping[str, Measured]


@dataclass(frozen=True, slots=True)
class _CheckedOperator:
    """An operator with a verdict: its opcode, ``failed`` and its properties."""

    opcode: str
    failed: bool
    properties: Properties


def correlate_failures(model: Model, verdicts: Sequence[Verdict]) -> tuple[FailureCorrelation, ...]:
    """Return the properties that separate operators with wrong values from operators with correct values.

    Return nothing if there are fewer than 20 ways to choose the failing operators among the compared operators, because
    nearly every property then separates. For example, 1 failing of 10 gives 10 ways, 2 of 10 give 45.
    """
    known = [one for verdict in verdicts for one in _known_operator(model, verdict)]
    failing = [one for one in known if one.failed]
    passing = [one for one in known if not one.failed]
    if not failing or comb(len(known), len(failing)) < _WAYS:
        return ()
    found, kinds = list[FailureCorrelation](), {one.opcode for one in failing}
    alike = [one for one in passing if one.opcode in kinds]
    if len(kinds) == 1 and passing and not alike:
        others = tuple(sorted({one.opcode for one in passing}))
        found = [FailureCorrelation("operator", "is", 0.0, tuple(kinds), others, len(failing), len(passing))]
    names = dict.fromkeys(name for one in failing for name in one.properties)
    for name in names:
        found += _separations(name, failing, alike or passing)
    return tuple(found[:_MOST])


def _known_operator(model: Model, verdict: Verdict) -> Iterator[_CheckedOperator]:
    failed = verdict.outcome in (Outcome.MISMATCH, Outcome.FLAKY)
    if len(verdict.operators) == 1 and (failed or verdict.outcome.good):
        subgraph = model.subgraphs[verdict.subgraph]
        operator = subgraph.operators[verdict.operators[0]]
        yield _CheckedOperator(verdict.opcode, failed, properties(model, subgraph, operator))


def properties(model: Model, subgraph: Subgraph, operator: Operator) -> Properties:
    """Return the properties of an operator that the file states, by their names in separations."""
    try:
        operands = operands_of(model, subgraph, operator)
    except RunError:
        return {}
    found: dict[str, Measured] = {}
    for name, called in _OPERATOR.items():
        found[called] = measurement(name)(operands)
    for name, called in _DILATIONS.items():
        found[called] = operands.option(name, 0) or None
    for role, (tensor,) in operands.roles.items():
        for name in _OPERAND:
            found[f"{role} {_CALLED.get(name, name)}"] = measurement(f"{role}.{name}")(operands)
        found[f"{role} zero point"] = one_zero_point(tensor)
        found[f"{role} scale"] = one_scale(tensor)
        found[f"{role} type"] = tensor.dtype
    found["bias"] = "present" if "bias" in operands.roles else "absent"
    return {name: value for name, value in found.items() if value is not None}


def operands_of(model: Model, subgraph: Subgraph, operator: Operator) -> Operands:
    """Return an operator with its tensors by role in its kernel. Raise RunError if the operator has no kernel."""
    known = signature(find_kernel(subgraph, operator).function)
    sides = ((known.inputs, operator.inputs), (known.outputs, operator.outputs))
    named = ((role, index) for side in sides for role, index in zip(*side, strict=False))
    roles = {role: (subgraph.tensors[index],) for role, index in named if index >= 0}
    return Operands(operator, roles, subgraph, model)


def _separations(
    name: str, failing: Sequence[_CheckedOperator], passing: Sequence[_CheckedOperator]
) -> Iterator[FailureCorrelation]:
    """Yield a separation if all failing operators share a property that no passing operator has."""
    bad = [one.properties[name] for one in failing if name in one.properties]
    good = [one.properties[name] for one in passing if name in one.properties]
    combinations = comb(len(bad) + len(good), len(bad))
    if len(bad) < len(failing) or not good or combinations < _WAYS:
        return
    relation, bound = _relation(bad, good)
    if relation:
        values = _distinct(bad), _distinct(good)
        yield FailureCorrelation(name, relation, bound, *values, len(bad), len(good), combinations < _SURE)


def _relation(bad: Sequence[Measured], good: Sequence[Measured]) -> tuple[str, float]:
    """Return (relation, bound) of the failing values to the passing values; ("", 0.0) if no relation holds.

    For example, failing 300 and 400, passing 100 and 200 give ("above", 256).
    """
    high, low = _numbers(bad), _numbers(good)
    numeric = len(high) == len(bad) and len(low) == len(good)
    if numeric and min(high) > max(low):
        return "above", float(_border(max(low), min(high)))
    if numeric and max(high) < min(low):
        return "below", float(min(low))
    if len(set(bad)) == 1 and bad[0] not in good:
        return "is", 0.0
    vector = _divisor(bad, good)
    return ("not a multiple of", float(vector)) if vector else ("", 0.0)


def _numbers(values: Sequence[Measured]) -> list[Fraction | int]:
    return [value for value in values if isinstance(value, (int, Fraction))]


def _distinct(values: Sequence[Measured]) -> tuple[float | str, ...]:
    numbers = sorted(set(map(float, _numbers(values))))
    return (*numbers, *sorted({value for value in values if isinstance(value, str)}))


def _divisor(bad: Sequence[Measured], good: Sequence[Measured]) -> int:
    """Return the largest vector length that divides all passing values and no failing value; 0 if there is none."""
    for vector in _VECTORS:
        if all(isinstance(value, int) for value in (*bad, *good)):
            left = [isinstance(value, int) and value % vector != 0 for value in (*bad, *good)]
            if all(left[: len(bad)]) and not any(left[len(bad) :]):
                return vector
    return 0


def _border(below: Fraction | int, above: Fraction | int) -> Fraction | int:
    """Return the only power of two between both values (registers and blocks end there), else ``below``.

    For example, 200 and 300 give 256.
    """
    power = 1
    while power < below:
        power *= 2
    return power if power < above <= 2 * power and below > 0 else below
