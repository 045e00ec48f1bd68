"""Conversion of a float model: calibrated, planned, edited, and checked before it is returned."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from litecheck.checks.validate import validate
from litecheck.conversion.apply import AppliedPlan, Origins, apply
from litecheck.conversion.conversion_plan import ConstantChange, ConversionPlan
from litecheck.conversion.float16_constants import HALF
from litecheck.conversion.groups import Interval, Key
from litecheck.conversion.parameter_transfer import TransferredParams, transfer
from litecheck.conversion.plan_biases import with_following_biases
from litecheck.conversion.plan_file import plan_json
from litecheck.conversion.plan_places import check_plan
from litecheck.conversion.plan_profiles import profiles_of, rules_for
from litecheck.conversion.planning import make_plan
from litecheck.conversion.recipe import RecipeRule, rules_by_operator
from litecheck.conversion.recurrent_intermediates import Inside
from litecheck.conversion.rejected_operators import find_rejected_operators
from litecheck.conversion.request import KINDS, REAL, Request, check_kind
from litecheck.conversion.rule_choice import Targets
from litecheck.conversion.runtime_faults import faulty_operators
from litecheck.conversion.weight_edits import with_edited_weights
from litecheck.errors import ConfigError, InputError
from litecheck.model.edit import with_metadata
from litecheck.model.save import model_hash
from litecheck.model.types import Model, Operator, Subgraph
from litecheck.profile.types import Profile
from litecheck.quantization import INTEGER_RANGES
from litecheck.report import ModelReport
from litecheck.version import __version__

#: Name of the metadata with the origin of a converted model.
PROVENANCE = "litecheck_conversion"
#: Kinds of conversion that keep the 8-bit parameters of quantization-aware training.
_TRAINED = ("int8", "uint8")


@dataclass(frozen=True, eq=False)
class Conversion:
    """A converted model and its origin.

    ``tensors`` maps (subgraph, tensor) of the source to the tensor in the new model. ``judges`` are the profiles that
    the model must conform to (None: every applicable profile). ``origins`` has the origin of its operators. If
    constants were multiplied, ``source`` has the multiplied constants and the same outputs.
    """

    source: Model
    model: Model
    plan: ConversionPlan
    tensors: Mapping[Key, Key]
    judges: tuple[Profile, ...] | None
    profile: str
    request: Request = field(default_factory=Request)
    origins: Origins = field(default_factory=dict)

    @cached_property
    def report(self) -> ModelReport:
        """Report of litecheck's validation of the new model."""
        return validate(self.model, self.judges)

    def operands(self) -> Iterator[tuple[int, int, int]]:
        """Yield subgraph, tensor, and the tensor of the new model that the same operator reads at the same position."""
        for subgraph in self.model.subgraphs:
            operators = self.source.subgraphs[subgraph.index].operators
            for operator, origin in zip(subgraph.operators, self.origins[subgraph.index], strict=True):
                if origin >= 0:
                    for pair in zip(operators[origin].inputs, operator.inputs, strict=False):
                        if min(pair) >= 0:
                            yield (subgraph.index, *pair)

    @property
    def conforms(self) -> bool:
        """True if the new model has no violation that is not waived."""
        return not any(f.level == "violation" and f.waiver is None for f in self.report.findings)


def convert(
    model: Model,
    request: Request,
    ranges: Mapping[Key, Interval] | None = None,
    like: Model | TransferredParams | None = None,
    inner: Mapping[Inside, Interval] | None = None,
    changes: Sequence[ConstantChange] = (),
    trained: TransferredParams | None = None,
) -> Conversion:
    """Convert a model.

    ``ranges`` has the smallest and largest value of every tensor by (subgraph, tensor), ``inner`` of values inside
    recurrent operators by (subgraph, operator, name). ``dynamic`` and ``float16`` need none. ``like`` is a quantized
    form of the model, from which scales and zero points of activations are copied, or such parameters. ``changes`` are
    first applied to the float constants, and ``ranges`` belong to the changed model. ``trained`` are the 8-bit parameters
    of quantization-aware training. Raises ConfigError for impossible requests.
    """
    activation, profile = kind_of(request)
    origin, base = model_hash(model), equal(model, changes)
    model = with_edited_weights(model, changes)
    if activation != REAL and ranges is None and like is None:
        raise ConfigError(f"{request.to} needs calibration data, to know the range of every tensor")
    if trained is not None and request.to in _TRAINED:
        like = trained
    known = like if isinstance(like, TransferredParams) else None
    borrowed = known or (transfer(model, like, profile) if isinstance(like, Model) else TransferredParams())
    rules = rules_of(model, request)
    targets = Targets(
        activation,
        request.inputs,
        request.outputs,
        request.generation,
        keeps_of(request),
        borrowed,
        rules,
        request.ties,
        request.runtimes,
    )
    plan, converted = make_plan(model, profile, ranges or {}, targets, origin, inner)
    _, accelerator = rules_for(request.to, request.profile)
    while (accelerator or request.runtimes) and (
        lost := _rejected_conversions(finish_model(model, plan, converted, profile, request))
    ):
        targets = replace(targets, keeps=_exclude_rejected(targets.keeps, lost))
        plan, converted = make_plan(model, profile, ranges or {}, targets, origin, inner)
    if borrowed.note:
        plan = replace(plan, notes=(*plan.notes, borrowed.note))
    if request.to == HALF:
        plan = replace(plan, target=HALF, profile="")
    return finish_model(base, replace(plan, changes=tuple(changes)), converted, profile, request)


def _rejected_conversions(conversion: Conversion) -> dict[int, str]:
    """Return the converted operators of the first subgraph for which the target would reject the model, or a requested
    runtime has a known fault, with reasons."""
    origins = conversion.origins[0]
    found = faulty_operators(conversion.model, origins, conversion.request.runtimes)
    if rules_for(conversion.request.to, conversion.request.profile)[1]:
        found |= find_rejected_operators(conversion.report, origins)
    decisions = conversion.plan.operators
    quantized = {
        d.operator for d in decisions if d.subgraph == 0 and d.becomes in INTEGER_RANGES and not d.because
    }
    return {number: why for number, why in found.items() if number in quantized}


def _exclude_rejected(
    keeps: Callable[[Subgraph, Operator], str], lost: Mapping[int, str]
) -> Callable[[Subgraph, Operator], str]:
    """Extend ``keeps`` by the operators for which the target would reject the model."""

    def keeps_or_rejected(subgraph: Subgraph, operator: Operator) -> str:
        own = lost.get(operator.index, "") if subgraph.index == 0 else ""
        return keeps(subgraph, operator) or own

    return keeps_or_rejected


def check_changed(conversion: Conversion) -> None:
    """Raise InputError if no operator or tensor is converted."""
    if any(form is not None for one in conversion.plan.tensors for form in (one.written, *one.read.values())):
        return
    reasons = dict.fromkeys(f"{d.opcode}: {d.because}" for d in conversion.plan.operators if d.because)
    why = f", {next(iter(reasons))}" if reasons else ""
    raise InputError(f"nothing to quantize: every operator stays as it is{why}")


def equal(model: Model, changes: Sequence[ConstantChange]) -> Model:
    """Apply the changes that leave the outputs equal: channels multiplied, and divided in the next layer."""
    return with_edited_weights(model, [change for change in changes if change.multiplies])


def replay(model: Model, plan: ConversionPlan, request: Request) -> Conversion:
    """Apply a plan to the model that it was made for. Raises ConfigError for another model."""
    if plan.source and plan.source != model_hash(model):
        raise ConfigError("the plan was made for another model: the sha256 of its source is not this file's")
    _, profile = kind_of(request)
    check_plan(model, plan, profile)
    plan = with_following_biases(model, plan, profile)
    base = equal(model, plan.changes)
    return finish_model(base, plan, apply(with_edited_weights(model, plan.changes), plan), profile, request)


def kind_of(request: Request) -> tuple[str, Profile]:
    """Return the type of activations and the profile. Raises ConfigError for unknown or contradicting values."""
    check_kind(request.to)
    activation, _ = KINDS[request.to]
    allowed = (REAL, activation, "uint8") if activation == "int8" else (REAL, activation)
    for end, dtype in (("input", request.inputs), ("output", request.outputs)):
        if dtype not in allowed:
            expected = " or ".join(dict.fromkeys(allowed))
            raise ConfigError(f"--{end}-dtype {dtype}: expected {expected} for {request.to}")
    profile, _ = rules_for(request.to, request.profile)
    if activation != REAL and activation not in profile.activations:
        raise ConfigError(
            f"profile {profile.name} is about {', '.join(profile.activations)}, not {activation}"
        )
    return activation, profile


def check_request(model: Model, request: Request) -> None:
    """Raise ConfigError for an unknown or contradicting value, and for a pattern that selects no operator."""
    kind_of(request)
    rules_of(model, request)


def rules_of(model: Model, request: Request) -> Mapping[Key, tuple[RecipeRule, ...]]:
    """Return the rules that select each operator, the rule with the highest priority first. Raises ConfigError."""
    if request.int16x8 and request.to != "int8":
        raise ConfigError(f"--int16x8 chooses operators of an int8 model, not of {request.to}")
    return rules_by_operator(model, request.rules)


def keeps_of(request: Request) -> Callable[[Subgraph, Operator], str]:
    """Return a function of the reason why an operator stays float32 if only chosen operators are quantized."""

    def keeps(subgraph: Subgraph, operator: Operator) -> str:
        chosen = not request.only or (subgraph.index, operator.index) in request.only
        return "" if chosen else "another operator is quantized alone"

    return keeps


def finish_model(
    source: Model, plan: ConversionPlan, converted: AppliedPlan, profile: Profile, request: Request
) -> Conversion:
    """Return a plan's model with the record of its origin."""
    _, accelerator = rules_for(request.to, request.profile)
    if accelerator is not None:
        plan = replace(plan, profile=accelerator.name)
    record = {
        "tool": "litecheck",
        "version": __version__,
        "to": request.to,
        "profile": plan.profile,
        "source_sha256": plan.source,
        "plan_sha256": hashlib.sha256(plan_json(plan).encode()).hexdigest(),
    }
    content = json.dumps(record, sort_keys=True).encode()
    model = replace(with_metadata(converted.model, PROVENANCE, content), file="", size=0)
    profiles = None if request.to == "float16" else profiles_of(plan, profile, accelerator)
    return Conversion(
        source, model, plan, converted.tensors, profiles, profile.name, request, converted.origins
    )
