"""Witnesses of measurements of a RESIZE in a plan."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from litecheck.profile.measurements.register import dimensions, held
from litecheck.profile.plan import CHANNELS, Plan


def _resized(plan: Plan, height: Fraction, width: Fraction, batch: int = 1, **options: bool) -> Plan | None:
    """An image resized by these factors; its sides are the smallest that come out whole."""
    if plan.one("size") is None:
        return None
    corners = 1 if options.get("align_corners") else 0
    sides = [(max(f.denominator, 4) // f.denominator * f.denominator, f) for f in (height, width)]
    small = [side + corners for side, _ in sides]
    large = [int(side * f) + corners for side, f in sides]
    if min(large) < 1:
        return None
    plan = plan.option(**{"align_corners": False, "half_pixel_centers": False, **options})
    plan = held(plan, "size", large).edit("input", lambda t: dimensions(t, (batch, *small, CHANNELS)))
    return plan.edit_all(lambda t: dimensions(t, (batch, *large, CHANNELS)), plan.outputs)


def stretched(plan: Plan, factor: int, **options: bool) -> Plan | None:
    """Both sides stretched by a whole number."""
    return _resized(plan, Fraction(factor), Fraction(factor), **options)


def resized(plan: Plan, value: Any) -> Plan | None:
    """Both sides stretched alike."""
    return _resized(plan, Fraction(value), Fraction(value)) if value > 0 else None


def resized_half(plan: Plan, value: Any) -> Plan | None:
    """The same, pixels having their centers at a half."""
    return _resized(plan, Fraction(value), Fraction(value), half_pixel_centers=True) if value > 0 else None


def unevenly(plan: Plan, value: Any) -> Plan | None:
    """The sides stretched alike, or by different factors."""
    return _resized(plan, Fraction(2), Fraction(4 if value else 2)) if value in (0, 1) else None


def unevenly_half(plan: Plan, value: Any) -> Plan | None:
    """The same, pixels having their centers at a half."""
    if value not in (0, 1):
        return None
    return _resized(plan, Fraction(2), Fraction(1 if value else 2), half_pixel_centers=True)


def resized_images(plan: Plan, value: Any) -> Plan | None:
    """So many images stretched."""
    return _resized(plan, Fraction(2), Fraction(2), int(value)) if value >= 0 else None


def centers(plan: Plan, value: Any) -> Plan | None:
    """Corners aligned and centers at a half at once."""
    both = {"align_corners": bool(value), "half_pixel_centers": bool(value)}
    return stretched(plan, 2, **both)


def odd_height_width(plan: Plan, value: Any) -> Plan | None:
    """So many sides stretched by 3, the others by 2."""
    if value not in (0, 1, 2):
        return None
    return _resized(plan, Fraction(3 if value else 2), Fraction(3 if value > 1 else 2))


def doubled(plan: Plan, value: Any) -> Plan | None:
    """An image of which so many sides are not doubled."""
    if value not in (0, 1, 2):
        return None
    return _resized(plan, Fraction(4 if value else 2), Fraction(4 if value > 1 else 2))


def deep_plane(plan: Plan, value: Any) -> Plan | None:
    """A plane of so many channels, twice as high and wide in the result."""
    if "size" not in plan.inputs or value < 1:
        return None
    plan = plan.edit("input", lambda t: dimensions(t, (1, 2, 2, int(value))))
    plan = plan.edit_all(lambda t: dimensions(t, (1, 4, 4, int(value))), plan.outputs)
    return held(plan, "size", [4, 4])


def deeper(plan: Plan, value: Any) -> Plan | None:
    """An image stretched with its corners aligned, and so many channels more in the result."""
    made = stretched(plan, 2, align_corners=True)
    return made and made.edit_all(
        lambda t: dimensions(t, (*t.shape[:-1], t.shape[-1] + int(value))), made.outputs
    )


def lost(plan: Plan, value: Any) -> Plan | None:
    """So many sides of 2 that become 1, corners being aligned."""
    if not 0 <= value <= 2:
        return None
    made = stretched(plan, 2, align_corners=True)
    sides = [2 if value < 2 else 1, 1 if value else 2]
    made = made and made.edit("input", lambda t: dimensions(t, (1, 2, 2, CHANNELS)))
    made = made and held(made, "size", sides)
    return made and made.edit_all(lambda t: dimensions(t, (1, *sides, CHANNELS)), made.outputs)
