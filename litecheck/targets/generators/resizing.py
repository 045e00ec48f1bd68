"""Generators for measurements of RESIZE."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from litecheck.profile.measurements.register import dimensions, with_constant
from litecheck.profile.operator_plan import CHANNELS, Plan


def _resize(plan: Plan, height: Fraction, width: Fraction, batch: int = 1, **options: bool) -> Plan | None:
    """Resize by these factors, from the smallest sides (4 or more) that give whole output sides."""
    if plan.one("size") is None:
        return None
    corners = 1 if options.get("align_corners") else 0
    sides = [(max(f.denominator, 4) // f.denominator * f.denominator, f) for f in (height, width)]
    small = [side + corners for side, _ in sides]
    large = [int(side * f) + corners for side, f in sides]
    if min(large) < 1:
        return None
    plan = plan.option(**{"align_corners": False, "half_pixel_centers": False, **options})
    plan = with_constant(plan, "size", large).edit(
        "input", lambda t: dimensions(t, (batch, *small, CHANNELS))
    )
    return plan.edit_all(lambda t: dimensions(t, (batch, *large, CHANNELS)), plan.outputs)


def resize_by(plan: Plan, factor: int, **options: bool) -> Plan | None:
    """Resize height and width by a whole number."""
    return _resize(plan, Fraction(factor), Fraction(factor), **options)


def set_resize_factor(plan: Plan, value: Any) -> Plan | None:
    """Resize height and width by this factor."""
    return _resize(plan, Fraction(value), Fraction(value)) if value > 0 else None


def set_half_pixel_factor(plan: Plan, value: Any) -> Plan | None:
    """Resize height and width by this factor with half_pixel_centers."""
    return _resize(plan, Fraction(value), Fraction(value), half_pixel_centers=True) if value > 0 else None


def set_unequal_factors(plan: Plan, value: Any) -> Plan | None:
    """Resize height by 2 and width by 4 (1), or both by 2 (0)."""
    return _resize(plan, Fraction(2), Fraction(4 if value else 2)) if value in (0, 1) else None


def set_unequal_half_pixel_factors(plan: Plan, value: Any) -> Plan | None:
    """Resize height by 2 and width by 1 (1), or both by 2 (0), with half_pixel_centers."""
    if value not in (0, 1):
        return None
    return _resize(plan, Fraction(2), Fraction(1 if value else 2), half_pixel_centers=True)


def set_resized_batch(plan: Plan, value: Any) -> Plan | None:
    """Resize a tensor of this batch size."""
    return _resize(plan, Fraction(2), Fraction(2), int(value)) if value >= 0 else None


def set_align_corners_and_half_pixel(plan: Plan, value: Any) -> Plan | None:
    """Set align_corners and half_pixel_centers to true (1) or false (0)."""
    both = {"align_corners": bool(value), "half_pixel_centers": bool(value)}
    return resize_by(plan, 2, **both)


def set_non_power_of_two_factors(plan: Plan, value: Any) -> Plan | None:
    """Resize this number of sides by 3, and the remaining sides by 2."""
    if value not in (0, 1, 2):
        return None
    return _resize(plan, Fraction(3 if value else 2), Fraction(3 if value > 1 else 2))


def set_not_2x_sides(plan: Plan, value: Any) -> Plan | None:
    """Resize this number of sides by 4, and the remaining sides by 2."""
    if value not in (0, 1, 2):
        return None
    return _resize(plan, Fraction(4 if value else 2), Fraction(4 if value > 1 else 2))


def set_resized_channels(plan: Plan, value: Any) -> Plan | None:
    """Resize a tensor of this number of channels by 2."""
    if "size" not in plan.inputs or value < 1:
        return None
    plan = plan.edit("input", lambda t: dimensions(t, (1, 2, 2, int(value))))
    plan = plan.edit_all(lambda t: dimensions(t, (1, 4, 4, int(value))), plan.outputs)
    return with_constant(plan, "size", [4, 4])


def set_resize_to_1_sides(plan: Plan, value: Any) -> Plan | None:
    """Reduce this number of sides from 2 to 1 with align_corners."""
    if not 0 <= value <= 2:
        return None
    resized = resize_by(plan, 2, align_corners=True)
    sides = [2 if value < 2 else 1, 1 if value else 2]
    resized = resized and resized.edit("input", lambda t: dimensions(t, (1, 2, 2, CHANNELS)))
    resized = resized and with_constant(resized, "size", sides)
    return resized and resized.edit_all(lambda t: dimensions(t, (1, *sides, CHANNELS)), resized.outputs)
