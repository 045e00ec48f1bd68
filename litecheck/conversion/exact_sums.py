"""Scales for which a sum with a constant is exact: input and output share a scale that divides the constant.

softplus is log(1 + exp(x)), and the logarithm amplifies the rounding of a small sum. With scale 1/7 for exp(x) and for
the sum, the kernel adds the integer 7 and rounds nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import floor

from litecheck.conversion.binding import BoundFloatOperator, TensorUse
from litecheck.conversion.groups import Partition, ScaleGroup, extent_of
from litecheck.profile.operators import traits_of

#: The ports of a group: its key.
Ports = frozenset[TensorUse]
#: Element functions of the operators that add.
_SUMS = ("add", "sub")
#: Largest rise of a scale: other operators may read the tensors as well.
_RISE = 1.5
#: Relative error of a scale that is still a divisor of a constant: a few float32 ULP.
_EQUAL = 1e-6


@dataclass(frozen=True, slots=True)
class _ConstantSum:
    """A sum of a computed input and a constant: both ports, and the constant's magnitude."""

    input: TensorUse
    output: TensorUse
    constant: float


def exact_scales(
    operators: Sequence[BoundFloatOperator], partition: Partition, scales: Mapping[Ports, float]
) -> Mapping[Ports, float]:
    """Return the larger scales of groups with which 8-bit sums with a constant are exact.

    ``scales`` has the scale of every group. A larger scale must add less noise than the rounding of the sum. Example:
    scales of 0.129 and 0.133 around a sum with 1 become 1/7, because 0.143**2 < 0.129**2 + 0.133**2.
    """
    found: dict[Ports, float] = {}
    for bound in operators:
        one = _constant_sum(bound)
        if one is None or one.input not in partition or one.output not in partition:
            continue
        groups = partition[one.input], partition[one.output]
        if all(group.storage.dtype in ("int8", "uint8") and group.bound for group in groups):
            scale = _shared_scale(groups, one.constant, scales, found)
            if scale is not None:
                found.update({group.ports: scale for group in groups if group.storage.scale is None})
    return found


def _constant_sum(bound: BoundFloatOperator) -> _ConstantSum | None:
    """Return a quantized sum with a uniform constant, or None for other operators."""
    inputs, outputs = bound.ports_on("input"), bound.ports_on("output")
    if not bound.storage or traits_of(bound.operator.kind).element not in _SUMS or len(inputs) != 2:
        return None
    computed = [port for port in inputs if not bound.tensor(port).is_constant]
    if len(computed) != 1:
        return None
    low, high = next(extent_of(bound.tensor(port)) for port in inputs if port not in computed)
    return _ConstantSum(computed[0], outputs[0], abs(low)) if low == high != 0 else None


def _shared_scale(
    groups: tuple[ScaleGroup, ScaleGroup],
    constant: float,
    scales: Mapping[Ports, float],
    decided: Mapping[Ports, float],
) -> float | None:
    """Return the smallest scale for both groups that divides the constant, or None if it costs more than the rounding."""
    own = [decided.get(group.ports, scales[group.ports]) for group in groups]
    fixed = {scale for group, scale in zip(groups, own, strict=True) if _is_fixed(group, decided)}
    largest = max(own)
    if len(fixed) > 1 or (fixed and max(fixed) < largest) or constant < largest:
        return None
    divided = constant / floor(constant / largest * (1 + _EQUAL))
    if fixed and abs(divided / largest - 1) > _EQUAL:
        return None
    pays = divided**2 < own[0] ** 2 + own[1] ** 2 and divided <= _RISE * min(own)
    return divided if pays else None


def _is_fixed(group: ScaleGroup, decided: Mapping[Ports, float]) -> bool:
    return group.ports in decided or group.storage.scale is not None
