"""Float operators bound to the rules of their quantized form: the storage of each role, or the reason for none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from litecheck.conversion.quant_spec import QuantSpec, quant_spec_of
from litecheck.conversion.recipe import OperatorScheme, RecipeRule
from litecheck.conversion.request import REAL
from litecheck.model.links import subgraph_calls
from litecheck.model.types import Model, Operator, Subgraph, Tensor
from litecheck.profile.generate.plan_solver import admits, holds
from litecheck.profile.measurements.measured_operator import Operands
from litecheck.profile.types import Alternative, OperatorRule, Profile, Requirement, Roles

#: Type of weights for a type of activations, if they differ.
_BESIDE = {"int16": "int8"}


@dataclass(frozen=True, slots=True)
class TensorUse:
    """A place of an operator where a tensor is read (``input``) or written (``output``, ``intermediate``).

    ``operator`` -1 is the subgraph itself, which writes its inputs and reads its outputs.
    """

    subgraph: int
    operator: int
    side: str
    place: int


@dataclass(frozen=True, slots=True, eq=False)
class BoundFloatOperator:
    """An operator of a float model with the rule of its quantized form.

    ``ports`` has the places of real values by role. ``float_reason`` is the reason why the operator is not quantized, or
    empty if it is quantized. ``by`` is the requirement that prevents the quantization, if any.
    """

    subgraph: Subgraph
    operator: Operator
    rule: OperatorRule | None
    ports: Mapping[str, tuple[TensorUse, ...]]
    storage: Mapping[str, QuantSpec]
    requirements: tuple[Requirement, ...] = ()
    float_reason: str = ""
    by: Requirement | None = None
    constants: Mapping[TensorUse, QuantSpec] = field(default_factory=dict)
    """The storage of constants that a float operator reads through a DEQUANTIZE."""
    scheme: OperatorScheme | None = None
    rules: tuple[RecipeRule, ...] = ()
    """The rule of a recipe that applies, and the rules with a lower priority, which apply if this rule does not."""
    unused_rules: tuple[str, ...] = ()
    """The rules of a recipe that do not apply, each with the reason."""

    @property
    def has_no_reals(self) -> bool:
        """True if no input or output has real values."""
        return not any(self.ports.values())

    def tensor(self, port: TensorUse) -> Tensor:
        """Return the tensor at a port of the operator."""
        return self.subgraph.tensors[operands_at(self.operator, port.side)[port.place]]

    def ports_on(self, side: str) -> list[TensorUse]:
        """Return the ports on a side."""
        return [port for own in self.ports.values() for port in own if port.side == side]

    def staying(self, why: str, by: Requirement | None = None) -> BoundFloatOperator:
        """Return the operator unquantized, with the reason."""
        return replace(self, storage={}, requirements=(), constants={}, float_reason=why, by=by)

    def groups(self) -> Iterator[tuple[Requirement, tuple[TensorUse, ...]]]:
        """Yield the ports that must share a scale and zero point, with the requirement that states it."""
        for requirement in self.requirements:
            if isinstance(requirement.value, Roles):
                yield requirement, tuple(p for r in requirement.value.roles for p in self.ports.get(r, ()))


def bind(
    model: Model, subgraph: Subgraph, operator: Operator, profile: Profile, activation: str = ""
) -> BoundFloatOperator:
    """Bind an operator to its rule.

    ``activation`` is the wanted type of activations, for a profile that allows several. Without it, and if the profile
    does not allow it, the profile's first type is used.
    """
    rule = profile.operators.get(operator.kind) or profile.operators.get(operator.opcode)
    if rule is None:
        ports = {"operands": tuple(real_ports(subgraph, operator))}
        return BoundFloatOperator(
            subgraph, operator, None, ports, {}, float_reason=f"{profile.name} has no rule for it"
        )
    places = dict(_places(subgraph.index, operator, rule))
    ports = {role: tuple(p for p in own if _is_real(subgraph, operator, p)) for role, own in places.items()}
    plain = BoundFloatOperator(subgraph, operator, rule, ports, {})
    if rule.unsupported:
        why = rule.unsupported.because or f"{profile.name} does not support it"
        return plain.staying(why, rule.unsupported)
    if plain.has_no_reals or tuple(subgraph_calls(operator)):
        return plain
    wanted = activation if activation in profile.activations else profile.activations[0]
    requirements = (*rule.requirements, *_alternative(model, plain, rule, wanted))
    storage: dict[str, QuantSpec] = {}
    for role, own in ports.items():
        if not own:
            continue
        default = wanted if role in (*rule.activations, *rule.intermediates) else ""
        computed = not any(_is_constant(subgraph, operator, use) for use in own)
        preferred = (wanted,) if computed else (_BESIDE.get(wanted, wanted), "per-axis")
        stored = quant_spec_of((r for r in requirements if r.role == role), default, preferred)
        if stored is not None:
            storage[role] = stored
        elif not _may_be_real(requirements, role):
            return plain.staying(rule.because or f"{profile.name} has no integers for its {role}")
    if not storage:
        return plain.staying(f"{profile.name} leaves its operands real")
    return BoundFloatOperator(subgraph, operator, rule, ports, storage, requirements)


def operands_at(operator: Operator, side: str) -> tuple[int, ...]:
    """Return the tensors on a side of an operator."""
    return {"input": operator.inputs, "output": operator.outputs, "intermediate": operator.intermediates}[
        side
    ]


def operands_of(model: Model, subgraph: Subgraph, operator: Operator, rule: OperatorRule) -> Operands:
    """Return an operator with its tensors by role, as measurements expect it."""
    roles = {}
    for role, ports in _places(subgraph.index, operator, rule):
        indexes = [
            operands_at(operator, p.side)[p.place]
            for p in ports
            if p.place < len(operands_at(operator, p.side))
        ]
        roles[role] = tuple(subgraph.tensors[index] for index in indexes)
    return Operands(operator, roles, subgraph, model)


def _may_be_real(requirements: Sequence[Requirement], role: str) -> bool:
    """Return True if a rule allows real values in a role. Example: EMBEDDING_LOOKUP/output in litert-hybrid."""
    own = {r.verb: r for r in requirements if r.role == role}
    return "dtype" in own and REAL in str(own["dtype"].value)


def _alternative(
    model: Model, bound: BoundFloatOperator, rule: OperatorRule, activation: str
) -> tuple[Requirement, ...]:
    """Return the requirements of an alternative that allows the type of activations, with the fewest broken limits.

    Of equal numbers, the alternative with the most limits that hold is chosen.
    The limits depend on the operator's tensors. Scales are chosen later, so limits on scales may not hold yet.
    """
    operands = operands_of(model, bound.subgraph, bound.operator, rule)

    def suitable(alternative: Alternative) -> tuple[bool, int, int]:
        types = [r for r in alternative.requirements if r.verb == "dtype" and r.role in rule.activations]
        limits = [holds(r, operands) for r in alternative.requirements if r.verb == "limits"]
        return all(admits(r.value, activation) for r in types), -limits.count(False), limits.count(True)

    return max(rule.any_of, key=suitable).requirements if rule.any_of else ()


def _places(
    subgraph: int, operator: Operator, rule: OperatorRule
) -> Iterator[tuple[str, tuple[TensorUse, ...]]]:
    """Yield the ports of every role. The last role of a side may repeat."""
    sides = (("input", rule.inputs), ("output", rule.outputs), ("intermediate", rule.intermediates))
    for side, roles in sides:
        indexes = operands_at(operator, side)
        if side == "intermediate" and not indexes:
            yield from (
                (role, (TensorUse(subgraph, operator.index, side, n),)) for n, role in enumerate(roles)
            )
            continue
        for number, role in enumerate(roles):
            rest = (
                range(number, len(indexes))
                if role in rule.repeated
                else range(number, min(number + 1, len(indexes)))
            )
            yield role, tuple(TensorUse(subgraph, operator.index, side, n) for n in rest if indexes[n] >= 0)


def _is_constant(subgraph: Subgraph, operator: Operator, use: TensorUse) -> bool:
    """Return True for a constant operand, and for an absent operand, which may get a constant."""
    if use.side != "input":
        return False
    index = operator.inputs[use.place] if use.place < len(operator.inputs) else -1
    return index < 0 or subgraph.tensors[index].is_constant


def _is_real(subgraph: Subgraph, operator: Operator, port: TensorUse) -> bool:
    indexes = operands_at(operator, port.side)
    return port.place >= len(indexes) or subgraph.tensors[indexes[port.place]].dtype == REAL


def real_ports(subgraph: Subgraph, operator: Operator) -> Iterator[TensorUse]:
    """Yield the ports of an operator that have real values in the float model."""
    for side, indexes in (("input", operator.inputs), ("output", operator.outputs)):
        for place, index in enumerate(indexes):
            if index >= 0 and subgraph.tensors[index].dtype == REAL:
                yield TensorUse(subgraph.index, operator.index, side, place)
