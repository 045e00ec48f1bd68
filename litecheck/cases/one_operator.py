"""Builder of one-operator models: tensors by position, to a plan, to a model.

A new kind of case only needs new data: shapes, scales, values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from litecheck.arrays import Array
from litecheck.model.build import Option
from litecheck.model.types import Model
from litecheck.profile.assemble import assemble
from litecheck.profile.operator_plan import Plan, TensorPlan
from litecheck.quantization import Quantization


def one_operator(
    opcode: str,
    operands: Sequence[TensorPlan | None],
    outputs: Sequence[TensorPlan],
    options: Mapping[str, Option] | None = None,
    *,
    version: int = 1,
    intermediates: Sequence[TensorPlan] = (),
    description: str = "",
) -> Model:
    """Return a one-operator model with these inputs in file order, None for an absent input.

    Constants have values and variables are marked as such; the remaining tensors are inputs, in their order.
    """
    roles: dict[str, tuple[TensorPlan, ...]] = {}
    ends = []
    for end, tensors in (("input", operands), ("output", outputs), ("intermediate", intermediates)):
        names = tuple(f"{end} {n}" for n in range(len(tensors)))
        roles |= {name: () if t is None else (t,) for name, t in zip(names, tensors, strict=True)}
        ends.append(names)
    plan = Plan(
        opcode, ends[0], ends[1], roles, ends[2], options=options or {}, version=version, explicit_absent=True
    )
    return assemble(plan, description)


def run_time(
    name: str,
    shape: Sequence[int],
    dtype: str,
    quantization: Quantization | None = None,
    variable: bool = False,
) -> TensorPlan:
    """Return the plan of an input at run time, a variable, or an output."""
    return TensorPlan(dtype, tuple(shape), quantization or Quantization(), variable=variable, name=name)


def constant(
    name: str, values: Array, quantization: Quantization | None = None, dtype: str = ""
) -> TensorPlan:
    """Return the plan of a constant input."""
    q = quantization or Quantization()
    return TensorPlan(dtype or values.dtype.name, values.shape, q, values, name=name)
