"""What holds across operators: what all that fail have and none that passes has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb

from litecheck.devices.outcome import Outcome
from litecheck.model.types import Model, Operator, Subgraph
from litecheck.profile.measurements.bound import Measured, Operands, one_scale, one_zero_point
from litecheck.profile.measurements.registry import measurement
from litecheck.reference.engine.dispatch import find_kernel, signature
from litecheck.reference.operands import RunError
from litecheck.verify.outcome import Separation, Verdict

#: A property is told where as many operators could have been the failing ones in so many ways. Below the second number
#: of ways it may be chance: so many properties are looked at that one of them may well fit.
_WAYS, _SURE = 20, 1000
#: At most so many properties are told.
_MOST = 6
#: Lengths that vectors of machines have.
_VECTORS = (32, 16, 8, 4, 2)
#: Measurements of a whole operator, and of one operand, by what separations call them.
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
#: An option of convolutions that has no measurement of its own.
_DILATIONS = {"dilation_h_factor": "vertical dilation", "dilation_w_factor": "horizontal dilation"}

Properties = Mapping[str, Measured]


@dataclass(frozen=True, slots=True)
class _Known:
    """One operator that was judged: whether it failed, and its properties."""

    opcode: str
    failed: bool
    properties: Properties


def across(model: Model, verdicts: Sequence[Verdict]) -> tuple[Separation, ...]:
    """What tells the operators that give wrong values from those that give right ones.

    Nothing where too few of either were judged: then nearly every property would tell them apart.
    """
    known = [one for verdict in verdicts for one in _judged(model, verdict)]
    failing = [one for one in known if one.failed]
    passing = [one for one in known if not one.failed]
    if not failing or comb(len(known), len(failing)) < _WAYS:
        return ()
    found, kinds = list[Separation](), {one.opcode for one in failing}
    alike = [one for one in passing if one.opcode in kinds]
    if len(kinds) == 1 and passing and not alike:
        others = tuple(sorted({one.opcode for one in passing}))
        found = [Separation("operator", "is", 0.0, tuple(kinds), others, len(failing), len(passing))]
    names = dict.fromkeys(name for one in failing for name in one.properties)
    for name in names:
        found += _separating(name, failing, alike or passing)
    return tuple(found[:_MOST])


def _judged(model: Model, verdict: Verdict) -> Iterator[_Known]:
    failed = verdict.outcome in (Outcome.MISMATCH, Outcome.FLAKY)
    if len(verdict.operators) == 1 and (failed or verdict.outcome.good):
        subgraph = model.subgraphs[verdict.subgraph]
        operator = subgraph.operators[verdict.operators[0]]
        yield _Known(verdict.opcode, failed, properties(model, subgraph, operator))


def properties(model: Model, subgraph: Subgraph, operator: Operator) -> Properties:
    """What is known of one operator from the file, by the name separations use."""
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
    """An operator with its tensors by their roles in its kernel. Raises RunError where it has none."""
    known = signature(find_kernel(subgraph, operator).function)
    sides = ((known.inputs, operator.inputs), (known.outputs, operator.outputs))
    named = ((role, index) for side in sides for role, index in zip(*side, strict=False))
    roles = {role: (subgraph.tensors[index],) for role, index in named if index >= 0}
    return Operands(operator, roles, subgraph, model)


def _separating(name: str, failing: Sequence[_Known], passing: Sequence[_Known]) -> Iterator[Separation]:
    """A property that all that fail have, where what passes has another value of it."""
    bad = [one.properties[name] for one in failing if name in one.properties]
    good = [one.properties[name] for one in passing if name in one.properties]
    combinations = comb(len(bad) + len(good), len(bad))
    if len(bad) < len(failing) or not good or combinations < _WAYS:
        return
    relation, bound = _relation(bad, good)
    if relation:
        values = _distinct(bad), _distinct(good)
        yield Separation(name, relation, bound, *values, len(bad), len(good), combinations < _SURE)


def _relation(bad: Sequence[Measured], good: Sequence[Measured]) -> tuple[str, float]:
    """How the values of what fails lie to the others, and the number that divides them; no words where they do not."""
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
    """A vector's length that divides none of the first and all of the others; 0 where there is none."""
    for vector in _VECTORS:
        if all(isinstance(value, int) for value in (*bad, *good)):
            left = [isinstance(value, int) and value % vector != 0 for value in (*bad, *good)]
            if all(left[: len(bad)]) and not any(left[len(bad) :]):
                return vector
    return 0


def _border(below: Fraction | int, above: Fraction | int) -> Fraction | int:
    """The power of two between both, if there is just one: it is where registers and blocks end."""
    power = 1
    while power < below:
        power *= 2
    return power if power < above <= 2 * power and below > 0 else below
