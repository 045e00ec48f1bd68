"""Measurements of axes that an accelerator's compiler reduces along, and of those that it reads wrongly."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from litecheck.model.shapes.call import constant_numbers
from litecheck.profile.measurements.bound import LONG, Measured, Operands, short_constant
from litecheck.profile.measurements.feature_maps import ends_of
from litecheck.profile.measurements.register import Setter, dimensions, held, measures
from litecheck.profile.measurements.set_axes import outer, reduced_to
from litecheck.profile.plan import Plan

#: How many dimensions a shape has room for.
_PLACES = 8
#: Types of axes that are read as wider ones.
_NARROW = ("int8", "int16")
#: How far an axis is from all dimensions that is looked up where no memory is.
_DISTANT = 1 << 22


def _summed(plan: Plan, value: Any) -> Plan | None:
    return reduced_to(plan, (1, 1, int(value), 2), [2]) if value >= 1 else None


@measures(outer)
def looked_at_extent(operands: Operands) -> Measured:
    """The dimension of the input in front of the last three, 1 where there is none."""
    source = operands.one("input")
    return None if source is None else 1 if len(source.shape) < 4 else source.shape[-4]


def _unseen(shape: Sequence[int]) -> int:
    return prod(shape[max(1, len(shape) - _PLACES) : max(1, len(shape) - 4)])


def _hidden(plan: Plan, value: Any) -> Plan | None:
    return reduced_to(plan, (1, int(value), 1, 2, 3, 4), [3]) if value >= 1 else None


@measures(_hidden)
def overlooked_extent(operands: Operands) -> Measured:
    """The product of the input's dimensions in front of the last four, but for the first and those before the last eight."""
    source = operands.one("input")
    return None if source is None else _unseen(source.shape)


def _one_image(plan: Plan, value: Any) -> Plan | None:
    return (
        reduced_to(plan, (1,) * (int(value) - 3) + (2, 3, 4), [int(value) - 1]) if 3 <= value <= 16 else None
    )


@measures(_one_image)
def one_image_rank(operands: Operands) -> Measured:
    """How many dimensions the result has, and there are constant axes that it does not keep, of an input whose
    ``overlooked_extent`` is 1."""
    found = ends_of(operands)
    if found is None or _unseen(found[0].shape) != 1:
        return None
    lost = [] if operands.option("keep_dims") else short_constant(operands, "axis") or []
    return len(found[1].shape) + len(lost)


@measures(_summed)
def moved_extent(operands: Operands) -> Measured:
    """What the axis that is summed first makes a permutation count up to that moves it to the end: its length, the product
    of the dimensions in front of it, or of those behind; None where it is the last."""
    source, axes = operands.one("input"), short_constant(operands, "axis")
    if source is None or axes is None or not source.shape:
        return None
    shape, rank = source.shape, len(source.shape)
    first = next((a % rank for a in axes if -rank <= a < rank), rank - 1)
    if first == rank - 1:
        return None
    return max(prod(shape[:first]), shape[first], prod(shape[first + 1 :]))


def _keeping(plan: Plan, value: Any) -> Plan | None:
    if plan.one("axis") is None or not 0 <= value <= 3:
        return None
    plan = reduced_to(plan.option(keep_dims=True), (1, 3, 4, 5), [1, 3, 2][: int(value)])
    return plan.edit_all(lambda t: dimensions(t, t.shape[1:]), plan.outputs) if value > 1 else plan


@measures(_keeping)
def lost_axes(operands: Operands) -> Measured:
    """How many constant axes, other than height and width alone, are reduced to keep all dimensions, of which there are four
    or more and fewer in the result; else 0."""
    found, axes = ends_of(operands), short_constant(operands, "axis")
    if found is None or axes is None or not operands.option("keep_dims"):
        return 0
    source, result = (len(t.shape) for t in found)
    plane = sorted(a % source for a in axes) == [source - 3, source - 2] if source else False
    return len(axes) if 4 <= source > result and not plane else 0


def _far_axes(plan: Plan, value: Any) -> Plan | None:
    """So many axes, far beyond all dimensions."""
    if plan.one("axis") is None or value in (1,) or value < 0:
        return None
    plan = reduced_to(plan, (1, 3, 4, 5), [2])
    return held(plan, "axis", [_DISTANT + n for n in range(int(value))]) if value else plan


@measures(_far_axes)
def far_axes(operands: Operands) -> Measured:
    """How many constant axes there are where they are several, all beyond the dimensions; else 0."""
    source, axes = operands.one("input"), short_constant(operands, "axis")
    if source is None or axes is None or len(axes) < 2:
        return 0
    rank = len(source.shape)
    return 0 if any(-rank <= a < rank for a in axes) else len(axes)


def _narrow_axes(plan: Plan, value: Any) -> Plan | None:
    """So many int16 axes."""
    if plan.one("axis") is None or not 0 <= value <= 3 or value == 1:
        return None
    plan = reduced_to(plan, (1, 3, 4, 5), [1, 2, 3][: int(value) or 1])
    return held(plan, "axis", [1, 2, 3][: int(value)], "int16") if value else plan


@measures(_narrow_axes)
def narrow_axes(operands: Operands) -> Measured:
    """How many constant axes there are where they are several, int8 or int16; else 0."""
    axis, axes = operands.one("axis"), short_constant(operands, "axis")
    return 0 if axis is None or not axes or len(axes) < 2 or axis.dtype not in _NARROW else len(axes)


def _axes_read(operands: Operands) -> list[int] | None:
    """The constant axes as a compiler reads them that takes their bits for integers."""
    axis = operands.one("axis")
    if axis is None or axis.dtype != "float32":
        return short_constant(operands, "axis")
    bits = None if axis.data is None or len(axis.data) > 8 * LONG else constant_numbers(axis)
    return None if bits is None else bits.astype("<f4").view("<i4").tolist()


def _distant(*signs: int) -> Setter:
    """So many axes, beyond any shape on these sides in turn."""

    def sets(plan: Plan, value: Any) -> Plan | None:
        if plan.one("axis") is None or not 0 <= value <= len(signs):
            return None
        plan = reduced_to(plan, (1, 3, 4, 5), [2])
        axes = [sign * (_DISTANT + n) for n, sign in enumerate(signs[: int(value)])]
        return held(plan, "axis", axes, "int32") if axes else plan

    return sets


@measures(_distant(1, -1))
def distant_axes(operands: Operands) -> Measured:
    """How many constant axes are so far from all dimensions that no memory is there; fractions count by their bits."""
    return sum(abs(axis) >= _DISTANT for axis in _axes_read(operands) or ())


@measures(_distant(-1))
def distant_first_axis(operands: Operands) -> Measured:
    """1 where the first constant axis is so far in front of all dimensions that no memory is there, else 0."""
    axes = _axes_read(operands) or (0,)
    return int(axes[0] <= -_DISTANT)
