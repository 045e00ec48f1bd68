"""Conversion of a quantized model to a second 8-bit type, or to different rules: scales stay, integers move by 128."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from litecheck.conversion.binding import bind
from litecheck.conversion.conversion_plan import ConversionPlan, Decision
from litecheck.conversion.convert_float import Conversion, finish_model, kind_of, replay, rules_of
from litecheck.conversion.dequantized_model import DequantizedModel, dequantize_model, with_own_integers
from litecheck.conversion.groups import Key
from litecheck.conversion.planning import make_plan
from litecheck.conversion.recipe import OperatorScheme, RecipeRule
from litecheck.conversion.request import KINDS, REAL, Request
from litecheck.conversion.rule_choice import Targets
from litecheck.model.save import model_hash
from litecheck.model.types import Model
from litecheck.profile.load import load_profile
from litecheck.profile.types import Profile

#: End of the requirement's path that a shift can violate.
_SHIFTED = "/zero_point"


def retype(model: Model, request: Request) -> Conversion:
    """Convert a model of uint8 or int8 activations to uint8 or int8, by the rules of a profile.

    Activations keep their scales, stored 128 lower or higher. Constants do so as far as rules allow it; the remaining
    constants are rounded again, and biases are derived. Operators without a uint8 kernel, or without parameters that meet
    the uint8 rules, stay int8. Raises ConfigError for impossible requests.
    """
    activation, profile = kind_of(request)
    known = dequantize_model(model, activation)
    beside = dict(_operators_without_rule(known.model, profile)) if activation == "uint8" else {}
    while True:
        conversion = _shift_model(model, known, request, profile, beside)
        more = dict(_violating_operators(conversion, profile)) if activation == "uint8" else {}
        if not more.keys() - beside.keys():
            return conversion
        beside = {**more, **beside}


def _shift_model(
    model: Model, known: DequantizedModel, request: Request, profile: Profile, beside: Mapping[Key, str]
) -> Conversion:
    """Return the shifted model. The operators in ``beside`` stay int8, with their reasons."""
    activation, _ = kind_of(request)
    rules = rules_of(known.model, request)
    rules = {**rules, **dict.fromkeys(beside, (RecipeRule(OperatorScheme("int8")),))}
    inputs, outputs = (_end(model, end, request, activation) for end in ("inputs", "outputs"))
    targets = Targets(activation, inputs, outputs, request.generation, transferred=known.params, rules=rules)
    plan, converted = make_plan(known.model, profile, known.ranges, targets, model_hash(known.model))
    plan = replace(plan, operators=tuple(_add_reason(decision, beside) for decision in plan.operators))
    return _restore_integers(model, finish_model(known.model, plan, converted, profile, request))


def replay_retype(model: Model, plan: ConversionPlan, request: Request) -> Conversion:
    """Apply a plan of :func:`retype` again. Raises ConfigError for another model."""
    activation, _ = kind_of(request)
    return _restore_integers(model, replay(dequantize_model(model, activation).model, plan, request))


def _end(model: Model, end: str, request: Request, activation: str) -> str:
    """Return the type of inputs or outputs: the requested type, else float32 if they were, else the activations' type."""
    requested: str = getattr(request, end)
    if requested != REAL:
        return requested
    main = model.subgraphs[0]
    indexes = main.inputs if end == "inputs" else main.outputs
    types = (main.tensors[index].dtype for index in indexes)
    first = next((dtype for dtype in types if dtype in (REAL, "uint8", "int8")), REAL)
    return REAL if first == REAL else activation


def _operators_without_rule(model: Model, profile: Profile) -> Iterator[tuple[Key, str]]:
    """Yield the operators that a uint8 profile does not support and LiteRT's int8 profile does, with the reason."""
    other = load_profile(KINDS["int8"][1])
    for subgraph in model.subgraphs:
        for operator in subgraph.operators:
            bound = bind(model, subgraph, operator, profile)
            if bound.float_reason and not bind(model, subgraph, operator, other).float_reason:
                yield (subgraph.index, operator.index), bound.float_reason


def _violating_operators(conversion: Conversion, profile: Profile) -> Iterator[tuple[Key, str]]:
    """Yield the operators that violate a uint8 profile after the shift, with the first violated rule.

    A warning about a zero point counts as well: the kernel accepts any zero point but computes with 0.
    """
    for finding in reversed(conversion.report.findings):
        origins = conversion.origins.get(finding.where.subgraph, ())
        at = finding.where.operator
        origin = origins[at] if at is not None and 0 <= at < len(origins) else -1
        counts = finding.level == "violation" or (
            finding.level == "warning" and finding.path.endswith(_SHIFTED)
        )
        if counts and finding.waiver is None and origin >= 0 and finding.demanded_by.profile == profile.name:
            yield (finding.where.subgraph, origin), f"{finding.path}: {finding.found}"


def _add_reason(decision: Decision, beside: Mapping[Key, str]) -> Decision:
    why = beside.get((decision.subgraph, decision.operator), "")
    return replace(decision, because=why) if why and decision.becomes == "int8" else decision


def _restore_integers(model: Model, conversion: Conversion) -> Conversion:
    restored = with_own_integers(model, conversion.model, dict.fromkeys(conversion.operands()))
    return replace(conversion, model=restored)
