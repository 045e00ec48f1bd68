"""Assembly of a plan: its model with tensors, operator and neighbors, and the operator as measurements see it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from litecheck.model.build import ModelBuilder, Option, SubgraphBuilder
from litecheck.model.links import ASSIGN, HANDLE
from litecheck.model.types import Model, Operator
from litecheck.profile.measurements.measured_operator import Operands
from litecheck.profile.operator_plan import Assignment, Callee, Plan, TensorPlan
from litecheck.quantization import Blockwise, Quantization


def assemble(plan: Plan, description: str = "") -> Model:
    """Return the model of a plan: tensors that are neither constants nor variables are inputs, all outputs are outputs."""
    return _assemble(plan, description).model


def measurable(plan: Plan) -> Operands:
    """Return the operator of a plan as measurements see it."""
    made = _assemble(plan, "")
    tensors = made.model.subgraphs[0].tensors
    roles = {role: tuple(tensors[i] for i in indexes) for role, indexes in made.roles.items()}
    return Operands(made.operator, roles, made.model.subgraphs[0], made.model)


@dataclass(frozen=True, slots=True)
class _ModelParts:
    model: Model
    operator: Operator
    roles: dict[str, tuple[int, ...]]


def _assemble(plan: Plan, description: str) -> _ModelParts:
    builder = ModelBuilder(description)
    graph = _Graph(builder.subgraph())
    inputs = graph.place(plan, plan.inputs, plan.explicit_absent)
    outputs = graph.place(plan, plan.outputs, False)
    intermediates = graph.place(plan, plan.intermediates, True)
    options = _add_callees(builder, plan.calls) | dict(plan.options or {})
    assigned = plan.assignment
    if assigned and assigned.before:
        graph.assign(inputs[0], assigned)
    whole = {
        graph.roles[role][0]: graph.add_slice(plan.operands[role][0], graph.roles[role][0])
        for role in plan.cut_roles
    }
    at = graph.operators
    if plan.opcode != "SUBGRAPH":
        graph.add(plan.opcode, inputs, outputs, intermediates, plan.version, options)
    for source, result in zip(inputs, outputs, strict=False) if plan.opcode == "SUBGRAPH" else ():
        graph.graph.add("CUSTOM", (source,), (result,), custom_code="writer")
    if assigned and not assigned.before:
        graph.assign(inputs[0], assigned)
    ends_in = [whole.get(i, i) for i in dict.fromkeys(inputs) if i >= 0 and i not in graph.kept]
    ends_out = [*(i for i in dict.fromkeys(outputs) if i >= 0), *whole]
    if plan.concatenation_axis is not None:
        beside, ends_out[0] = graph.join(
            plan.operands[plan.outputs[0]][0], ends_out[0], plan.concatenation_axis
        )
        ends_in.append(beside)
    for bystander in plan.bystanders:
        graph.stand_by(bystander.tensor, bystander.place, bystander.writers, ends_in, ends_out)
    graph.graph.inputs(*(i for i in ends_in if i not in graph.handles))
    graph.graph.outputs(*ends_out)
    model = builder.finish()
    if not plan.lists_buffers:
        model = replace(model, buffers=())
    if plan.opcode == "SUBGRAPH":
        main = model.subgraphs[0]
        return _ModelParts(model, Operator(-1, "SUBGRAPH", main.inputs, main.outputs), graph.roles)
    if plan.options is None:
        model = _without_options(model, at)
    return _ModelParts(model, model.subgraphs[0].operators[at], graph.roles)


def _without_options(model: Model, at: int) -> Model:
    main = model.subgraphs[0]
    operators = tuple(replace(op, options=None) if op.index == at else op for op in main.operators)
    return replace(model, subgraphs=(replace(main, operators=operators), *model.subgraphs[1:]))


@dataclass(slots=True)
class _Graph:
    """Subgraph under construction: the index of each planned tensor, and the tensors of each role."""

    graph: SubgraphBuilder
    indexes: dict[TensorPlan, int] = field(default_factory=dict)
    roles: dict[str, tuple[int, ...]] = field(default_factory=dict)
    handles: set[int] = field(default_factory=set)
    kept: set[int] = field(default_factory=set)
    """Constants and variables, which nobody gives."""
    operators: int = 0

    def place(self, plan: Plan, roles: Sequence[str], lists_absent: bool) -> list[int]:
        indexes: list[int] = []
        for role in roles:
            own = tuple(self.tensor(tensor, role) for tensor in plan.operands.get(role, ()))
            self.roles[role] = own
            indexes += own or (-1,)
        while indexes and indexes[-1] == -1 and not lists_absent:
            indexes.pop()
        return indexes

    def tensor(self, plan: TensorPlan, role: str) -> int:
        if plan not in self.indexes:
            index = self._tensor(plan, plan.name or f"{role} {len(self.indexes)}")
            self.indexes[plan] = index
            if plan.values is not None or plan.variable:
                self.kept.add(index)
        return self.indexes[plan]

    def _tensor(self, plan: TensorPlan, name: str) -> int:
        quantization = plan.quantization
        if plan.blocks is not None:
            blocks, zero = plan.blocks, -1
            scales = self.graph.constant(f"{name} scales", blocks.scales)
            if blocks.zero_points is not None:
                zero = self.graph.constant(f"{name} zero points", blocks.zero_points)
            quantization = Quantization(details=Blockwise(scales, zero, blocks.size))
        fields = {"is_variable": plan.variable, "shapeless": plan.shapeless}
        if plan.values is not None:
            return self.graph.constant(name, plan.values, quantization, plan.dtype, **fields)
        return self.graph.tensor(
            name, plan.shape, plan.dtype, quantization, shape_signature=plan.signature, **fields
        )

    def add(
        self, opcode: str, inputs: Sequence[int], outputs: Sequence[int], intermediates: Sequence[int] = (),
        version: int = 1, options: Mapping[str, Any] | None = None,
    ) -> None:  # fmt: skip
        self.graph.add(
            opcode, inputs, outputs, intermediates=intermediates, version=version, **(options or {})
        )
        self.operators += 1

    def add_slice(self, plan: TensorPlan, part: int) -> int:
        """Add a tensor twice as long in its last dimension, and a SLICE of its front half into tensor ``part``; return
        it."""
        *outer, last = plan.shape
        whole = self.graph.tensor("whole", (*outer, 2 * last), plan.dtype, plan.quantization)
        begin, size = (np.array(v, np.int32) for v in ([0] * len(plan.shape), plan.shape))
        self.add(
            "SLICE", (whole, self.graph.constant("begin", begin), self.graph.constant("size", size)), (part,)
        )
        return whole

    def join(self, plan: TensorPlan, part: int, axis: int) -> tuple[int, int]:
        """Concatenate tensor ``part`` with a new tensor half as long along the axis; return the new tensor and the
        output."""
        lengths = [max(length // 2, 1) if at == axis else length for at, length in enumerate(plan.shape)]
        whole = [length + plan.shape[at] * (at == axis) for at, length in enumerate(lengths)]
        beside = self.graph.tensor("beside", tuple(lengths), plan.dtype, plan.quantization)
        joined = self.graph.tensor("joined", tuple(whole), plan.dtype, plan.quantization)
        self.add("CONCATENATION", (part, beside), (joined,), options={"axis": axis})
        return beside, joined

    def assign(self, handle: int, assigned: Assignment) -> None:
        """Add assignments to a handle; create the handle first if it does not exist."""
        if handle not in self.handles:
            self.handles.add(handle)
            self.add(HANDLE, (), (handle,), options={"shared_name": "state"})
        for value in assigned.values:
            self.add(ASSIGN, (handle, self.tensor(value, "assigned")), ())

    def stand_by(
        self, plan: TensorPlan, place: str, writers: int, ends_in: list[int], ends_out: list[int]
    ) -> None:
        index = self.tensor(plan, "bystander")
        if place != "idle":
            (ends_in if place == "input" else ends_out).append(index)
        for _ in range(writers):
            source = self.graph.tensor("source", plan.shape, plan.dtype)
            ends_in.append(source)
            self.graph.add("CUSTOM", (source,), (index,), custom_code="writer")


def _add_callees(builder: ModelBuilder, calls: Sequence[Callee]) -> dict[str, Option]:
    """Add the called subgraphs, and return the options with their indices."""
    options: dict[str, Any] = {}
    for callee in calls:
        graph = _Graph(builder.subgraph("called"))
        inputs = [graph.tensor(tensor, "in") for tensor in callee.inputs]
        graph.graph.inputs(*inputs)
        graph.graph.outputs(*(graph.tensor(tensor, "out") for tensor in callee.outputs))
        if callee.recursive:
            graph.add("CALL_ONCE", (), (), options={"init_subgraph_index": 0})
        at = graph.graph.index
        if callee.option.endswith("indices"):
            options[callee.option] = np.append(options.get(callee.option, ()), at).astype(np.int32)
        else:
            options[callee.option] = at
    return options
