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
from litecheck.report import counted
from litecheck.verify.outcome import Verdict

#: A property is told where as many operators could have been the failing ones in so many ways. Below the second number
#: of ways it is said that it may be chance: so many properties are looked at that one of them may well fit.
_WAYS, _SURE = 20, 1000
#: At most so many properties are told.
_TOLD = 6
#: Lengths that vectors of machines have.
_VECTORS = (32, 16, 8, 4, 2)
#: Measurements of a whole operator, and of one operand, by what sentences call them.
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


def across(model: Model, verdicts: Sequence[Verdict]) -> tuple[str, ...]:
    """Sentences on what tells the operators that give wrong values from those that give right ones.

    Nothing where too few of either were judged: then nearly every property would tell them apart.
    """
    known = [one for verdict in verdicts for one in _judged(model, verdict)]
    failing = [one for one in known if one.failed]
    passing = [one for one in known if not one.failed]
    if not failing or comb(len(known), len(failing)) < _WAYS:
        return ()
    told, kinds = list[str](), {one.opcode for one in failing}
    alike = [one for one in passing if one.opcode in kinds]
    if len(kinds) == 1 and passing and not alike:
        told = [
            f"all {len(failing):,} that fail are {kinds.pop()}, none of the {len(passing):,} that pass is"
        ]
    names = dict.fromkeys(name for one in failing for name in one.properties)
    for name in names:
        told += _separating(name, failing, alike or passing)
    return tuple(told[:_TOLD])


def _judged(model: Model, verdict: Verdict) -> Iterator[_Known]:
    failed = verdict.outcome in (Outcome.MISMATCH, Outcome.FLAKY)
    if len(verdict.operators) == 1 and (failed or verdict.outcome.good):
        subgraph = model.subgraphs[verdict.subgraph]
        operator = subgraph.operators[verdict.operators[0]]
        yield _Known(verdict.opcode, failed, properties(model, subgraph, operator))


def properties(model: Model, subgraph: Subgraph, operator: Operator) -> Properties:
    """What is known of one operator from the file, by the name sentences use."""
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


def _separating(name: str, failing: Sequence[_Known], passing: Sequence[_Known]) -> Iterator[str]:
    """What a property says, if all that fail have it and what passes has another value of it."""
    bad = [one.properties[name] for one in failing if name in one.properties]
    good = [one.properties[name] for one in passing if name in one.properties]
    if len(bad) < len(failing) or not good or comb(len(bad) + len(good), len(bad)) < _WAYS:
        return
    words = _words(bad, good)
    if words:
        count = counted(len(good), "operator")
        told = f"all {len(bad):,} that fail have {name} {words[0]}, none of the {count} that pass has: {words[1]}"
        sure = comb(len(bad) + len(good), len(bad)) >= _SURE
        yield told if sure else f"{told} (of so few operators this may be chance)"


def _words(bad: Sequence[Measured], good: Sequence[Measured]) -> tuple[str, str] | None:
    """(what all that fail have, what the others have)."""
    if any(isinstance(v, str) for v in (*bad, *good)):
        return _same(bad, good)
    high, low = [v for v in bad if not isinstance(v, str)], [v for v in good if not isinstance(v, str)]
    bad_ends = min(v for v in high if v is not None), max(v for v in high if v is not None)
    good_ends = min(v for v in low if v is not None), max(v for v in low if v is not None)
    if bad_ends[0] > good_ends[1]:
        border = _border(good_ends[1], bad_ends[0])
        return f"above {border} ({_span(*bad_ends)})", f"at most {_shown(good_ends[1])}"
    if bad_ends[1] < good_ends[0]:
        return f"below {_shown(good_ends[0])} ({_span(*bad_ends)})", f"at least {_shown(good_ends[0])}"
    return _same(bad, good) or _divided(bad, good)


def _same(bad: Sequence[Measured], good: Sequence[Measured]) -> tuple[str, str] | None:
    if len(set(bad)) > 1 or bad[0] in good:
        return None
    others = sorted({_shown(v) for v in good})
    listed = ", ".join(others[:4]) + (f" and {len(others) - 4} others" if len(others) > 4 else "")
    return _shown(bad[0]), listed


def _divided(bad: Sequence[Measured], good: Sequence[Measured]) -> tuple[str, str] | None:
    """Lengths that a vector's does not divide, where it divides the others."""
    if not all(isinstance(v, int) for v in (*bad, *good)):
        return None
    for vector in _VECTORS:
        left = [isinstance(v, int) and v % vector != 0 for v in bad]
        if all(left) and all(isinstance(v, int) and v % vector == 0 for v in good):
            return f"that {vector} does not divide", f"all multiples of {vector}"
    return None


def _border(below: Fraction | int, above: Fraction | int) -> str:
    """The power of two between both, if there is just one: it is where registers and blocks end."""
    power = 1
    while power < below:
        power *= 2
    return _shown(power if power < above <= 2 * power and below > 0 else below)


def _span(low: Measured, high: Measured) -> str:
    return _shown(low) if low == high else f"{_shown(low)} to {_shown(high)}"


def _shown(value: Measured) -> str:
    if isinstance(value, Fraction) and value.denominator != 1:
        return f"{float(value):.6g}"
    return str(value) if isinstance(value, str) else f"{int(value or 0):,}"
