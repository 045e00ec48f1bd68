"""From a rule to a model that keeps it: the smallest single-operator model with every operand present.

The tests break such a model in one place and expect one finding. It is solved from the same requirements the
checks judge by, but shares no code with them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from litecheck.flatbuffer.table import Table
from litecheck.model.build import options_table
from litecheck.model.types import Model, Operator, Subgraph, Tensor
from litecheck.profile.types import (
    Constraint,
    Exactly,
    OneOf,
    OperatorRule,
    PowerOf,
    ProductOf,
    Profile,
    Range,
    Requirement,
    Roles,
    SameAs,
)
from litecheck.quantization import Quantization

CHANNELS = 4
SHAPE = (CHANNELS,) * 4


@dataclass
class Plan:
    """One tensor to be: change what you like, then :meth:`Case.model`."""

    dtype: str = "int32"
    shape: tuple[int, ...] = SHAPE
    scale: np.ndarray = field(default_factory=lambda: np.empty(0, np.float32))
    zero_point: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))
    axis: int = 0
    data: np.ndarray | None = None

    def quantize(self, scales: Iterable[float], zero_point: int = 0) -> None:
        self.scale = np.array(list(scales), np.float32)
        self.zero_point = np.full(len(self.scale), zero_point, np.int64)


@dataclass
class Case:
    """A single-operator model in the making, tensors by role (a repeated role has two)."""

    rule: OperatorRule
    plans: dict[str, list[Plan]]
    requirements: tuple[Requirement, ...]
    options: dict[str, int] = field(default_factory=dict)
    table: Table | None = None
    """The operator's own options table, for what looks at which one it is."""
    intermediates: int = 0
    """How many there are beyond those the rule names."""
    surplus: int = 0
    keep_absent: bool = False
    """Whether operands absent at the end are listed as such."""
    fixed: set[str] = field(default_factory=set)
    around: Callable[[Model], Model] = field(default=lambda model: model)
    """Puts the operator among others, for what only shows there."""

    @property
    def wide(self) -> bool:
        """Whether its activations are int16."""
        return any(plan.dtype == "int16" for plan in self.plans.get("input", []))

    def derive(self) -> None:
        """Scales and counts that follow from other operands, except those a test has set."""
        for r in self.requirements:
            if r.role in self.fixed or not self.plans.get(r.role or ""):
                continue
            if r.verb == "granularity" and isinstance(r.value, SameAs):
                self._as_many(self.plans[r.role][0], r.value.role)
            elif r.verb == "scale" and isinstance(r.value, SameAs):
                self.plans[r.role][0].scale = self.plans[r.value.role][0].scale.copy()
        for r in self.requirements:
            if r.verb == "scale" and isinstance(r.value, ProductOf) and r.role not in self.fixed:
                self._product(r)

    def _as_many(self, plan: Plan, role: str) -> None:
        if self.plans.get(role):
            count = len(self.plans[role][0].scale)
            plan.quantize([0.5] * count)
            plan.shape = (CHANNELS,)

    def _product(self, r: Requirement) -> None:
        if not self.plans.get(r.role) or any(
            isinstance(f, str) and not self.plans.get(f) for f in r.value.factors
        ):
            return
        exact = np.ones(1)
        for factor in r.value.factors:
            exact = exact * (
                float(factor)
                if isinstance(factor, Fraction)
                else self.plans[factor][0].scale.astype(np.float64)
            )
        plan = self.plans[r.role][0]
        plan.scale = np.broadcast_to(exact, plan.scale.shape).astype(np.float32)

    def model(self) -> Model:
        tensors: list[Tensor] = []

        def place(roles: tuple[str, ...], keep_absent: bool = False) -> tuple[int, ...]:
            indexes = []
            for role in roles:
                if not self.plans[role] and role not in self.rule.repeated:
                    indexes.append(-1)
                for plan in self.plans[role]:
                    indexes.append(len(tensors))
                    tensors.append(_tensor(len(tensors), role, plan))
            while indexes and indexes[-1] == -1 and not (self.surplus or self.keep_absent or keep_absent):
                indexes.pop()
            return tuple(indexes)

        inputs, outputs = place(self.rule.inputs), place(self.rule.outputs)
        for _ in range(self.surplus):
            side = inputs if not any(r in self.rule.repeated for r in self.rule.inputs) else outputs
            extra = (len(tensors),)
            tensors.append(Tensor(len(tensors), "surplus", "int32", SHAPE))
            inputs, outputs = (inputs + extra, outputs) if side is inputs else (inputs, outputs + extra)
        named = place(self.rule.intermediates, keep_absent=True)
        extra_tensors = range(len(tensors), len(tensors) + self.intermediates)
        tensors += [Tensor(i, f"intermediate {i}", "int8", SHAPE) for i in extra_tensors]
        options = self.table or (Table("Options", self.options) if self.options else None)
        operator = Operator(
            0, self.rule.opcode, inputs, outputs, options=options, intermediates=(*named, *extra_tensors)
        )
        main = Subgraph(0, "main", tuple(tensors), (operator,), inputs, outputs)
        return self.around(Model((main,), file="case.tflite"))


def _tensor(index: int, role: str, plan: Plan) -> Tensor:
    data = None if plan.data is None else plan.data.reshape(-1).view(np.uint8)
    quantization = Quantization(plan.scale, plan.zero_point, plan.axis)
    return Tensor(index, f"{role} {index}", plan.dtype, plan.shape, data=data, quantization=quantization)


def conforming(profile: Profile, rule: OperatorRule, alternative: int = 0) -> Case:
    """A model of one operator that keeps its rule, by the given alternative of ``any_of``."""
    requirements = rule.requirements + (rule.any_of[alternative].requirements if rule.any_of else ())
    case = Case(rule, {}, requirements)
    for number, role in enumerate(rule.roles):
        own = {r.verb: r.value for r in requirements if r.role == role}
        activation = role in rule.activations
        count = 2 if role in rule.repeated else 1
        case.plans[role] = [_plan(own, profile, activation, number) for _ in range(count)]
    if rule.any_of:
        _choose(case, rule.any_of[alternative].name)
    _share(case)
    case.derive()
    return case


def _plan(own: dict[str, Constraint], profile: Profile, activation: bool, number: int) -> Plan:
    plan = Plan()
    if not own.keys() - {"operands"} and not activation:
        return plan
    plan.dtype = _first(own["dtype"]) if "dtype" in own else profile.activations[0]
    kind = "none"
    if "granularity" in own:
        kind = "any" if isinstance(own["granularity"], SameAs) else _first(own["granularity"])
    if kind != "none":
        scale = _scale(own.get("scale"), number)
        plan.axis = int(own["axis"].value) if "axis" in own else 0
        plan.quantize([scale] * (CHANNELS if kind == "per-axis" else 1), _zero_point(own.get("zero_point")))
    if "range" in own and plan.dtype == "int8":
        plan.data = np.zeros(SHAPE, np.int8)
    return plan


def _first(value: Constraint) -> str:
    return str(value.values[0].value) if isinstance(value, OneOf) else str(value.value)


def _scale(value: Constraint | None, number: int) -> float:
    if isinstance(value, Exactly) and isinstance(value.value, Fraction):
        return float(value.value)
    if isinstance(value, OneOf):
        return float(value.values[0].value)
    if isinstance(value, PowerOf):
        return 2.0**-12
    return 0.25 + number / 64


def _zero_point(value: Constraint | None) -> int:
    if isinstance(value, OneOf):
        value = value.values[0]
    if isinstance(value, Range):
        return min(max(3, int(value.low)), int(value.high))
    return int(value.value) if isinstance(value, Exactly) else 0


def _choose(case: Case, name: str) -> None:
    """What tells the alternatives apart."""
    layer_norm = [role for role in case.plans if role.endswith("layer_norm_coefficients")]
    if name != "layer_norm":
        for role in layer_norm:
            case.plans[role] = []
    if name == "eight_bit_gates":
        case.intermediates = 7
    if name == "layer_norm":
        for role in case.rule.intermediates[:4]:
            case.plans[role][0].quantize([2.0**-12])


def _share(case: Case) -> None:
    """Same quantization for the roles that must share it; a role with demands of its own sets the example."""
    for r in case.requirements:
        if not isinstance(r.value, Roles):
            continue
        plans = [plan for role in r.value.roles for plan in case.plans[role]]
        if not any(plan.scale.size for plan in plans):  # without quantization it would only be data
            plans[0].quantize([0.25])
        own = {q.role for q in case.requirements if q.verb == "zero_point" and isinstance(q.value, Exactly)}
        leader = next((case.plans[role][0] for role in r.value.roles if role in own), plans[0])
        for plan in plans:
            plan.scale, plan.zero_point = leader.scale.copy(), leader.zero_point.copy()
    if any(r.path.endswith("/limits/input.lowest") for r in case.requirements):
        case.plans["input"][0].zero_point[:] = -128
    if any(r.path.endswith("/limits/int16_zero_point") for r in case.requirements):
        for role in ("input", "output"):
            case.plans[role][0].zero_point[:] = 0
    for r in case.requirements:
        if r.path.endswith(".elements"):
            case.plans[r.path.split("/")[-1].split(".")[0]][0].shape = (1,)
        if r.path.endswith("/limits/input.scale"):
            case.plans["input"][0].scale[:] = float(r.value.high) / 2
        if r.path.endswith("/limits/listed_inputs") and r.value == Exactly(Fraction(len(case.rule.inputs))):
            case.keep_absent = True
        if r.path.endswith("/limits/options_table"):
            activated = any(q.path.endswith("/limits/fused_activation") for q in case.requirements)
            given = {"fused_activation_function": "TANH"} if activated else {}
            case.table = options_table(case.rule.opcode, **given) or Table(_first(r.value))
        if r.path.endswith("/limits/squared_scale_ratio"):
            case.plans["output"][0].scale[:] = 2.0
        if r.path.endswith("/limits/different_scales"):
            for plan in case.plans["values"]:
                plan.scale[:] = 0.25
        if r.path.endswith("/limits/rhs.constant"):
            case.plans["rhs"][0].data = np.zeros(SHAPE, np.int8)
        if r.path.endswith("/limits/column_axis_gap"):
            case.plans["rhs"][0].axis = len(SHAPE) - 1
        if r.path.endswith("/limits/quotient_step"):
            case.plans["output"][0].scale[:] = float(r.value.high) / 4
    zero_sum = [r for r in case.requirements if r.path.endswith("/limits/zero_point_sum")]
    if zero_sum:
        case.plans["output"][0].zero_point = -case.plans["input"][0].zero_point
