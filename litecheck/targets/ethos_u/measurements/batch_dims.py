"""Measurements of images, the dimensions in front of the last three, and the places that an accelerator's compiler has for
them."""

from __future__ import annotations

from math import prod
from typing import Any

from litecheck.model.types import Tensor
from litecheck.profile.measurements.bound import Measured, Operands, integer
from litecheck.profile.measurements.register import dimensions, measures, option_fields, option_stated
from litecheck.profile.plan import Plan
from litecheck.targets.generators.feature_maps import ends
from litecheck.targets.measurements.feature_maps import ends_of


def _places(tensor: Tensor) -> int:
    """How many dimensions a tensor has in front of its last three, at least one."""
    return max(len(tensor.shape) - 3, 1)


def _inner_images(plan: Plan, value: Any) -> Plan | None:
    """So many images between the first dimension and the last three; windows go two pixels at a time."""
    found = ends(plan)
    if found is None or value < 1:
        return None
    plan = option_stated(plan, 2, "stride_h", "stride_w") or plan
    return plan.edit_all(lambda t: dimensions(t, (1, int(value), 1, 2, 4)), found)


def _pointwise(operands: Operands) -> bool:
    """Whether a convolution multiplies each pixel of as many images as it makes by one matrix."""
    weight, found = operands.one("weight"), ends_of(operands)
    if (
        weight is None
        or found is None
        or weight.shape[1:3] != (1, 1)
        or "depth_multiplier" in option_fields(operands.operator.kind)
    ):
        return False
    strides = {integer(operands, option) for option in ("stride_h", "stride_w")}
    return strides == {1} and len({prod(t.shape[:-3]) for t in found}) == 1


@measures(_inner_images)
def misaligned_batch_dim(operands: Operands) -> Measured:
    """The largest dimension, of the result or an input of four dimensions or more, between the first and the place of the
    result's last three; 1 where there is none, and None where pixels are multiplied by one matrix."""
    found = ends_of(operands)
    if found is None:
        return None
    places = slice(1, _places(found[1]))
    imaged = (t for t in found if t is found[1] or len(t.shape) > 3)
    largest = max((d for t in imaged for d in t.shape[places]), default=1)
    return None if largest > 1 and _pointwise(operands) else largest
