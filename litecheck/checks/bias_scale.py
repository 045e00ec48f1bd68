"""Scales that must be the product of others: a bias counts in steps of input scale times weight scale."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from litecheck.checks.bound_operator import NONE, BoundOperand, BoundOperator, Fault, at, channel
from litecheck.checks.wording import scale_text
from litecheck.model.values import stored_integers
from litecheck.profile.types import ProductOf


def product(bound: BoundOperator, operand: BoundOperand, value: ProductOf) -> Sequence[Fault]:
    """Scales further from the product than allowed, with the worst and what it does to the output."""
    exact = _factors(bound, value)
    scale = operand.tensor.quantization.scale
    if exact is None or scale.size not in (1, exact.size) or (scale.size == 1 and exact.size > 1):
        return NONE
    exact = np.broadcast_to(exact, scale.shape)
    with np.errstate(over="ignore", under="ignore"):
        ulps = np.abs(scale.view(np.int32).astype(np.int64) - exact.astype(np.float32).view(np.int32))
    bad = ulps > value.ulps
    if not bad.any():
        return NONE
    with np.errstate(over="ignore", divide="ignore"):
        relative = np.where(bad, np.abs(scale.astype(np.float64) - exact) / exact, -1.0)
    worst = int(np.argmax(relative))
    effect, silent = _effect(bound, operand, exact)
    found = (
        f"scale is {scale_text(scale[worst])} where {value} is {scale_text(np.float32(exact[worst]))}"
        f"{channel(worst, bad)}, {_distance(float(relative[worst]), int(ulps[worst]))}{effect}"
    )
    mild = float(relative[worst]) <= float(value.tolerated) or silent
    return (at(operand, found, channels=int(bad.sum()), level="warning" if mild else None),)


def follows(bound: BoundOperator, operand: BoundOperand, value: ProductOf) -> bool:
    """Whether scales that are none are the product all the same, of factors that are none: what is wrong is theirs."""
    exact: NDArray[np.float64] = np.ones(1)
    for factor in value.factors:
        if isinstance(factor, Fraction):
            exact = exact * float(factor)
            continue
        tensor = bound.one(factor)
        if tensor is None:
            return False
        scale = tensor.quantization.scale
        if not scale.size or 1 not in (scale.size, exact.size):
            return False
        with np.errstate(invalid="ignore"):
            exact = exact * scale.astype(np.float64)
    own = operand.tensor.quantization.scale
    if own.size != exact.size:
        return False
    with np.errstate(over="ignore", under="ignore"):
        near = exact.astype(np.float32)
    apart = np.abs(own.view(np.int32).astype(np.int64) - near.view(np.int32))
    return bool(((apart <= value.ulps) | (np.isnan(own) & np.isnan(near))).all())


def _factors(bound: BoundOperator, value: ProductOf) -> NDArray[np.float64] | None:
    """The product in float64, which holds the product of two float32 exactly; None where a factor is no scale."""
    exact = np.ones(1)
    for factor in value.factors:
        if isinstance(factor, Fraction):
            exact = exact * float(factor)
            continue
        tensor = bound.one(factor)
        if tensor is None or not bound.sound(tensor, "dtype", "granularity", "scale"):
            return None
        scale = tensor.quantization.scale
        if not scale.size or not (scale > 0).all() or not np.isfinite(scale).all():
            return None
        if 1 not in (scale.size, exact.size):
            return None
        exact = exact * scale.astype(np.float64)
    return exact


def _effect(bound: BoundOperator, operand: BoundOperand, exact: NDArray[np.float64]) -> tuple[str, bool]:
    """What a wrong bias scale does to the output, in output steps; and whether it does nothing at all."""
    values, output = stored_integers(operand.tensor), bound.one("output")
    if values is None or not values.size or output is None or output.quantization.scale.size != 1:
        return "", False
    most = np.abs(values.reshape(-1).astype(np.float64))
    if not most.any():
        return "; every value is 0, so nothing comes of it", True
    off = np.abs(operand.tensor.quantization.scale.astype(np.float64) - exact)
    if off.size not in (1, most.size):
        return "", False
    step = float(output.quantization.scale[0])
    lsb = float((most * off).max() / step) if step > 0 else 0.0
    return f"; it moves the output by up to {lsb:.3g} LSB", False


def _distance(relative: float, ulps: int) -> str:
    return f"{ulps} ulps off" if relative < 1e-5 else f"off by {relative:.2g} of it"
