"""Plan of a one-operator model: tensors by role, options and neighbors as plain data, before there is a file.

A plan is immutable: every method returns a new plan. The same tensor object in two roles is a single tensor.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from litecheck.model.build import Option, qparams
from litecheck.quantization import Quantization

#: Default length of every dimension, so that per-axis scales fit along any of them.
CHANNELS = 4
SHAPE = (CHANNELS,) * 4


@dataclass(frozen=True, slots=True, eq=False)
class Blocks:
    """Scales of blocks along the rows of a constant, in a separate tensor."""

    size: int
    scales: NDArray[Any]
    zero_points: NDArray[Any] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class TensorPlan:
    """Plan of a tensor. ``values`` are the stored values of a constant, in its shape; ``name`` is its role.

    ``signature`` has -1 for dimensions that are unknown until the model runs; ``shapeless`` is True if the file has no
    list of dimensions at all.
    """

    dtype: str = "int32"
    shape: tuple[int, ...] = SHAPE
    quantization: Quantization = field(default_factory=Quantization)
    values: NDArray[Any] | None = None
    variable: bool = False
    blocks: Blocks | None = None
    name: str = ""
    signature: tuple[int, ...] | None = None
    shapeless: bool = False

    @property
    def scale(self) -> NDArray[np.float32]:
        """Scales in float32; empty without quantization."""
        return self.quantization.scale

    @property
    def zero_point(self) -> NDArray[np.int64]:
        """The zero points."""
        return self.quantization.zero_point

    def but(self, **fields: Any) -> TensorPlan:
        """Return the tensor with these fields replaced."""
        return replace(self, **fields)

    def with_scale(self, scale: ArrayLike, zero_point: ArrayLike | None = None) -> TensorPlan:
        """Return the tensor with these scales, its axis and, unless given, its first zero point.

        For example, scales (0.5, 0.25) and zero point 3 give the zero points (3, 3).
        """
        zero = zero_point if zero_point is not None else self.zero_point[0] if self.zero_point.size else 0
        return replace(self, quantization=qparams(scale, zero, self.quantization.axis))

    def with_zero_point(self, zero_point: int) -> TensorPlan:
        """Return the tensor with this zero point for every scale."""
        return self.with_scale(self.scale, zero_point)

    def with_axis(self, axis: int) -> TensorPlan:
        """Return the tensor with its scales along another dimension."""
        return replace(self, quantization=replace(self.quantization, axis=axis))

    def holding(self, values: ArrayLike, dtype: str = "") -> TensorPlan:
        """Return the tensor as a constant with these values."""
        dtype = dtype or self.dtype
        array = np.asarray(values, {"int4": "int8", "int2": "int8", "uint4": "uint8"}.get(dtype, dtype))
        return replace(self, values=array, shape=array.shape, dtype=dtype)


@dataclass(frozen=True, slots=True, eq=False)
class Callee:
    """Subgraph that the operator calls: its option, its inputs and outputs, and a flag for a call back to the caller."""

    option: str
    inputs: tuple[TensorPlan, ...]
    outputs: tuple[TensorPlan, ...]
    recursive: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class NeighborTensor:
    """A tensor of the subgraph that the operator does not touch.

    ``place`` is ``input`` or ``output`` of the subgraph, or ``idle``; ``writers`` other operators write the tensor.
    """

    tensor: TensorPlan
    place: str = "idle"
    writers: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Assignment:
    """Assignment to the variable that the operator reads, before or after it reads."""

    values: tuple[TensorPlan, ...]
    before: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """Plan of an operator: roles in file order, the tensors of each (none if absent), and the stated options.

    ``optional`` inputs may be absent. ``options`` of None is an operator without an options table. ``explicit_absent`` is
    True if absent inputs at the end are listed as such. ``independent_roles`` are the roles whose scales no longer
    follow from other tensors. ``cut_roles`` are the tensors that an operator cuts out of larger tensors, and that are
    also outputs of the subgraph. ``concatenation_axis`` is the axis along which the first output becomes the front of a
    larger tensor. ``lists_buffers`` is True if the file has any buffers.
    """

    opcode: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    operands: Mapping[str, tuple[TensorPlan, ...]]
    intermediates: tuple[str, ...] = ()
    optional: frozenset[str] = frozenset()
    options: Mapping[str, Option] | None = field(default_factory=dict)
    version: int = 1
    explicit_absent: bool = False
    calls: tuple[Callee, ...] = ()
    assignment: Assignment | None = None
    bystanders: tuple[NeighborTensor, ...] = ()
    independent_roles: frozenset[str] = frozenset()
    cut_roles: tuple[str, ...] = ()
    concatenation_axis: int | None = None
    lists_buffers: bool = True

    def one(self, role: str) -> TensorPlan | None:
        """Return the first tensor of a role, or None."""
        tensors = self.operands.get(role, ())
        return tensors[0] if tensors else None

    def but(self, **fields: Any) -> Plan:
        """Return the plan with these fields replaced."""
        return replace(self, **fields)

    def with_role(self, role: str, tensors: Sequence[TensorPlan]) -> Plan:
        """Return the plan with these tensors in a role."""
        return replace(self, operands={**self.operands, role: tuple(tensors)})

    def without_inputs(self, *roles: str) -> Plan:
        """Return the plan without these inputs."""
        return replace(self, operands={**self.operands, **dict.fromkeys(roles, ())})

    def edit(self, role: str, change: Callable[[TensorPlan], TensorPlan], at: int = 0) -> Plan:
        """Return the plan with a tensor of a role changed; unchanged if the role has no tensor."""
        tensors = list(self.operands.get(role, ()))
        if not tensors:
            return self
        tensors[at] = change(tensors[at])
        return self.with_role(role, tensors)

    def edit_all(
        self, change: Callable[[TensorPlan], TensorPlan], roles: Collection[str] | None = None
    ) -> Plan:
        """Return the plan with all tensors of these roles (default: of all roles) changed."""
        return replace(
            self,
            operands={
                role: tuple(map(change, tensors)) if roles is None or role in roles else tensors
                for role, tensors in self.operands.items()
            },
        )

    def with_scale(self, role: str, scale: ArrayLike, zero_point: ArrayLike | None = None) -> Plan:
        """Return the plan with new scales for the first tensor of a role."""
        return self.edit(role, lambda tensor: tensor.with_scale(scale, zero_point))

    def option(self, **options: Option) -> Plan:
        """Return the plan with these options added."""
        return replace(self, options={**(self.options or {}), **options})
