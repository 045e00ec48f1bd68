"""Limits: inequalities over scales, for which a group's range is widened or an operator stays float."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from litecheck.conversion.binding import BoundFloatOperator, TensorUse
from litecheck.conversion.groups import Partition
from litecheck.model.types import Tensor
from litecheck.profile.generate.plan_solver import holds
from litecheck.profile.measurements.measured_operator import Operands
from litecheck.profile.types import Requirement

#: Maximum number of doublings of a range. A limit that needs more makes the operator stay float.
DOUBLINGS = 24
#: Number of bisections that refine the smallest sufficient factor.
_REFINED = 6


def limit_violations(bound: BoundFloatOperator, operands: Operands) -> Iterator[Requirement]:
    """Yield the limits that an operator in its new form violates, except notes."""
    for requirement in bound.requirements:
        if requirement.verb == "limits" and requirement.level != "note" and not holds(requirement, operands):
            yield requirement


def widening(
    bound: BoundFloatOperator, requirement: Requirement, operands: Operands, partition: Partition
) -> tuple[TensorUse, float] | None:
    """Return the port and smallest factor that widen a group so that a limit holds, or None."""
    best: tuple[TensorUse, float] | None = None
    for group in {
        id(partition[p]): partition[p] for ports in bound.ports.values() for p in ports if p in partition
    }.values():
        if group.storage.scale is not None:
            continue
        ports = [p for ports in bound.ports.values() for p in ports if p in group.ports]
        factor = _smallest(requirement, operands, bound, frozenset(ports))
        if factor and (best is None or factor < best[1]):
            best = ports[0], factor
    return best


def _smallest(
    requirement: Requirement, operands: Operands, bound: BoundFloatOperator, ports: frozenset[TensorUse]
) -> float:
    """Return the smallest factor for the scales at some ports with which a limit holds, or 0."""

    def is_enough(factor: float) -> bool:
        return holds(requirement, _scale_operands(operands, bound, ports, factor))

    high = next((2.0**k for k in range(1, DOUBLINGS) if is_enough(2.0**k)), 0.0)
    low = high / 2
    for _ in range(_REFINED if high else 0):
        middle = (low + high) / 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high


def _scale_operands(
    operands: Operands, bound: BoundFloatOperator, ports: frozenset[TensorUse], factor: float
) -> Operands:
    roles = {
        role: tuple(
            _scale_tensor(t, factor) if role in bound.ports and _port_at(bound, role, n) in ports else t
            for n, t in enumerate(tensors)
        )
        for role, tensors in operands.roles.items()
    }
    return Operands(operands.operator, roles, operands.subgraph, operands.model)


def _port_at(bound: BoundFloatOperator, role: str, number: int) -> TensorUse | None:
    ports = bound.ports[role]
    return ports[number] if number < len(ports) else None


def _scale_tensor(tensor: Tensor, factor: float) -> Tensor:
    scale = (tensor.quantization.scale * np.float32(factor)).astype(np.float32)
    return replace(tensor, quantization=replace(tensor.quantization, scale=scale))
