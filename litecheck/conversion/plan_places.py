"""Checks that a conversion plan fits a model: the operators, tensors and ports that it names, and their types."""

from __future__ import annotations

from collections.abc import Sequence

from litecheck.conversion.binding import BoundFloatOperator, TensorUse, bind, real_ports
from litecheck.conversion.conversion_plan import (
    UNTOUCHED,
    ConversionPlan,
    Decision,
    QuantParams,
    TensorQuantParams,
)
from litecheck.conversion.edges import call_edges, edges, entry_edges, variables
from litecheck.conversion.groups import Key
from litecheck.conversion.parameter_solver import tensor_at
from litecheck.conversion.plan_profiles import activation_of, profile_of
from litecheck.conversion.quant_spec import is_allowed
from litecheck.conversion.recurrent_intermediates import to_be_made
from litecheck.conversion.request import REAL
from litecheck.errors import ConfigError
from litecheck.model.links import subgraph_calls
from litecheck.model.types import Model, Operator
from litecheck.profile.operators import traits_of
from litecheck.profile.types import Profile

#: Types of the model's inputs and outputs, besides real values.
_ENDS = ("int8", "uint8", "int16")
#: Decisions for an operator that computes in real values only.
_LEFT = (REAL, UNTOUCHED, "weight-only", "float16")
_HALF = "float16"
#: Kernels compute the steps of a value in int32 before they clamp it.
_STEPS = 2.0**31


def check_plan(model: Model, plan: ConversionPlan, profile: Profile) -> None:
    """Raise ConfigError, with the location, for a plan that does not fit a model.

    A plan must name existing operators, tensors and ports. The types of its operators must fit a rule of ``profile``,
    or of the profile of the operator's type.
    """
    check_places(model, plan)
    if plan.target == _HALF:
        _check_halves(model, plan)
        return
    fitting = _Fitting(model, plan, profile)
    fitting.check_reach()
    fitting.check_operators()
    fitting.check_ends()
    fitting.check_links()


def check_places(model: Model, plan: ConversionPlan) -> None:
    """Raise ConfigError for operators, tensors and ports that a plan names and the model does not have."""
    wired = {(wire.subgraph, wire.tensor): wire for s in model.subgraphs for wire in edges(s)}
    seen: set[Key] = set()
    for number, one in enumerate(plan.tensors):
        where = f"the plan's tensors[{number}] names tensor {one.tensor} of subgraph {one.subgraph}"
        wire = wired.get((one.subgraph, one.tensor))
        if wire is None:
            raise ConfigError(f"{where}, which is not a float32 tensor of the model")
        if (one.subgraph, one.tensor) in seen:
            raise ConfigError(f"{where}, which stands there twice")
        seen.add((one.subgraph, one.tensor))
        odd = next((port for port in one.read if port not in wire.readers), None)
        if odd is not None:
            raise ConfigError(f"{where}, which operator {odd.operator} does not read at place {odd.place}")
        lacking = next((port for port in wire.readers if port not in one.read), None)
        if lacking is not None:
            raise ConfigError(
                f"{where}, without the tensor that operator {lacking.operator} reads at place {lacking.place}"
            )
        shape = model.subgraphs[one.subgraph].tensors[one.tensor].shape
        if any(form is not None and not _fits(form, shape) for form in (one.written, *one.read.values())):
            raise ConfigError(f"{where}, which has not as many channels as scales along that axis")
    _check_operators(model, plan)


def _check_operators(model: Model, plan: ConversionPlan) -> None:
    decided: set[Key] = set()
    for decision in plan.operators:
        known = [len(s.operators) for s in model.subgraphs if s.index == decision.subgraph]
        where = f"operator #{decision.operator} of subgraph {decision.subgraph}"
        if not known or not 0 <= decision.operator < known[0]:
            raise ConfigError(f"the plan names {where}, which there is not")
        if (decision.subgraph, decision.operator) in decided:
            raise ConfigError(f"the plan names {where} twice")
        decided.add((decision.subgraph, decision.operator))
        operator = model.subgraphs[decision.subgraph].operators[decision.operator]
        if decision.opcode and decision.opcode != operator.opcode:
            raise ConfigError(f"by the plan {where} is {decision.opcode}, and in the model {operator.opcode}")
        odd_place = next((place for place in decision.added if not _is_free(operator, place)), None)
        if odd_place is not None:
            raise ConfigError(
                f"the plan adds to {where} an operand at place {odd_place}, where none is missing"
            )


def _fits(form: QuantParams, shape: Sequence[int]) -> bool:
    """Return True if a tensor has a channel or a block for each scale of a form."""
    if form.block:
        blocked = form.block > 0 and len(shape) == 2 and shape[1] % form.block == 0
        return blocked and form.scale.size == shape[0] * (shape[1] // form.block)
    return form.scale.size <= 1 or (0 <= form.axis < len(shape) and shape[form.axis] == form.scale.size)


def _is_free(operator: Operator, place: int) -> bool:
    """Return True if an input of an operator is absent, or would be the next input after absent inputs."""
    roles = len(traits_of(operator.kind).inputs)
    return 0 <= place < max(roles, len(operator.inputs)) and (
        place >= len(operator.inputs) or operator.inputs[place] < 0
    )


def _check_halves(model: Model, plan: ConversionPlan) -> None:
    """Raise ConfigError if a plan for float16 stores other tensors than constants, or reads other values than real ones."""
    for number, one in enumerate(plan.tensors):
        tensor = model.subgraphs[one.subgraph].tensors[one.tensor]
        constant = tensor.is_constant and not tensor.is_variable
        halved = one.written is not None and one.written.dtype == _HALF
        if not (constant and halved) or any(form is not None for form in one.read.values()):
            raise ConfigError(
                f"the plan's tensors[{number}], '{tensor.name}': to float16 constants are written as float16 and read as"
                " real values (null), all else stays as it is"
            )


class _Fitting:
    """The forms of a plan at the ports of a model, compared with the rules of its operators."""

    def __init__(self, model: Model, plan: ConversionPlan, profile: Profile) -> None:
        self.model, self.plan = model, plan
        self._profile = profile_of(plan, profile)
        self._written = {(one.subgraph, one.tensor): one.written for one in plan.tensors}
        self._read = {port: form for one in plan.tensors for port, form in one.read.items()}
        self._decisions = {(one.subgraph, one.operator): one for one in plan.operators}
        activation = activation_of(plan)
        self._bound = [
            bind(model, s, op, self._profile(key), activation(key))
            for s in model.subgraphs
            for op in s.operators
            for key in [(s.index, op.index)]
        ]

    def _form(self, port: TensorUse) -> QuantParams | None:
        """Return the form at a port, or None for real values."""
        return (
            self._read.get(port) if port.side == "input" else self._written.get(tensor_at(self.model, port))
        )

    def _tensor(self, port: TensorUse) -> str:
        subgraph, index = tensor_at(self.model, port)
        return f"tensor {index} '{self.model.subgraphs[subgraph].tensors[index].name}'"

    def _label(self, one: TensorQuantParams) -> str:
        return f"tensor {one.tensor} '{one.name}' of subgraph {one.subgraph}"

    def check_operators(self) -> None:
        """Check that operators that store integers have a rule, and tensors of the types that the rule allows."""
        for bound in self._bound:
            key = bound.subgraph.index, bound.operator.index
            where = f"operator #{key[1]} of subgraph {key[0]}"
            decision = self._decisions.get(key)
            stores = any(
                not _is_read_real(self._form(port)) for port in real_ports(bound.subgraph, bound.operator)
            )
            if decision is None and stores:
                raise ConfigError(
                    f"the plan's operators do not name {where}, which reads or writes stored integers"
                )
            if decision is None or tuple(subgraph_calls(bound.operator)):
                continue
            if decision.becomes not in _LEFT:
                self._check_rule(bound, decision, f"by the plan {where} becomes {decision.becomes}")
            elif stores:
                raise ConfigError(
                    f"by the plan {where} becomes {decision.becomes}, but it reads or writes stored integers: its"
                    " tensors' forms decide, change these (null is float32)"
                )

    def _check_rule(self, bound: BoundFloatOperator, decision: Decision, where: str) -> None:
        if bound.float_reason:
            raise ConfigError(f"{where}, but {bound.float_reason}")
        for role, ports in bound.ports.items():
            for port in ports:
                if not to_be_made(bound, port):
                    self._check_type(
                        bound, role, self._form(port), f"{where}, but its {role}, {self._tensor(port)},"
                    )
        for place, form in decision.added.items():
            role = bound.rule.inputs[place] if bound.rule and place < len(bound.rule.inputs) else "operand"
            self._check_type(bound, role, form, f"{where}, but its added {role}")

    def _check_type(self, bound: BoundFloatOperator, role: str, form: QuantParams | None, where: str) -> None:
        """Raise ConfigError if the tensor of a role is not stored in a type that its rule allows."""
        stored = form.dtype if form is not None and not form.dequantized else REAL
        storage = bound.storage.get(role)
        if stored == (storage.dtype if storage else REAL):
            return
        demand = next((r for r in bound.requirements if r.role == role and r.verb == "dtype"), None)
        if demand is not None and is_allowed(demand, stored):
            return
        wanted = storage.dtype if storage else REAL
        by = f" ({demand.path}, {demand.demand})" if demand else ""
        raise ConfigError(f"{where} is {stored}, not {wanted}{by}")

    def check_reach(self) -> None:
        """Check that computed values can be counted in steps of their scale."""
        for one in self.plan.tensors:
            tensor = self.model.subgraphs[one.subgraph].tensors[one.tensor]
            if one.written is not None and tensor.is_constant and not tensor.is_variable:
                raise ConfigError(
                    f"by the plan {self._label(one)}, a constant, is written as {one.written.dtype}: nobody writes it, the"
                    " forms in which it is read decide (written is null)"
                )
            forms = (one.written, *one.read.values())
            for form in forms if not tensor.is_constant else ():
                if form is None or form.scale.size != 1:
                    continue
                steps = max(-form.low, form.high) / float(form.scale[0])
                if steps >= _STEPS:
                    raise ConfigError(
                        f"by the plan {self._label(one)} is stored in steps of {form.scale[0]:g}, of which its range,"
                        f" {form.low:g}..{form.high:g}, has {steps:.3g}: more than kernels can count"
                    )

    def check_ends(self) -> None:
        """Check the types of the model's inputs and outputs."""
        for number in entry_edges(self.model):
            subgraph = self.model.subgraphs[number]
            for side, indexes in (("output", subgraph.inputs), ("input", subgraph.outputs)):
                for place in range(len(indexes)):
                    port = TensorUse(number, -1, side, place)
                    form = self._form(port)
                    if form is not None and form.dtype not in _ENDS:
                        way = "in" if side == "output" else "out"
                        raise ConfigError(
                            f"by the plan {self._tensor(port)} of subgraph {number} goes {way} as {form.dtype}, "
                            f"not as {REAL} or {', '.join(_ENDS)}"
                        )

    def check_links(self) -> None:
        """Check that stored values that are passed on unchanged have the same meaning on both sides."""
        for bound in self._bound:
            for mine, theirs in call_edges(self.model, bound):
                self._check_alike((mine, theirs), f"{bound.operator.opcode} #{bound.operator.index} hands on")
        for name, ports in variables(self.model).items():
            self._check_alike(ports, f"variable '{'/'.join(filter(None, name))}' holds")
        for one in self.plan.tensors:
            tensor = self.model.subgraphs[one.subgraph].tensors[one.tensor]
            if tensor.is_variable and any(not _are_alike(one.written, form) for form in one.read.values()):
                raise ConfigError(
                    f"by the plan {self._label(one)}, a variable, is written in one form and read in another"
                )

    def _check_alike(self, ports: Sequence[TensorUse], what: str) -> None:
        other = next((p for p in ports if not _are_alike(self._form(ports[0]), self._form(p))), None)
        if other is not None:
            one = ports[0]
            raise ConfigError(
                f"by the plan {what} {self._tensor(one)} of subgraph {one.subgraph} and {self._tensor(other)} of subgraph"
                f" {other.subgraph} in different forms"
            )


def _is_read_real(form: QuantParams | None) -> bool:
    """Return True if an operator reads real values, which a DEQUANTIZE may compute."""
    return form is None or form.dequantized


def _are_alike(one: QuantParams | None, other: QuantParams | None) -> bool:
    return one is other or (one is not None and one.same(other))
