"""A float model converted: calibrated, planned, edited, and judged before anybody gets it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase

from litecheck.checks.validate import validate
from litecheck.convert.apply import AppliedPlan, Origins, apply
from litecheck.convert.binding import REAL
from litecheck.convert.borrowed import Borrowed, borrow
from litecheck.convert.formulas import Generation
from litecheck.convert.groups import Interval, Key
from litecheck.convert.halves import halved
from litecheck.convert.links import wires
from litecheck.convert.plan import ConversionPlan
from litecheck.convert.plan_file import plan_json
from litecheck.convert.planning import Targets, make_plan
from litecheck.convert.recurrent import Inside
from litecheck.convert.released import release
from litecheck.errors import ConfigError
from litecheck.model.edit import with_metadata
from litecheck.model.graph import name_of
from litecheck.model.save import model_bytes
from litecheck.model.types import Model, Operator, Subgraph
from litecheck.profile.load import load_profile
from litecheck.profile.types import Profile
from litecheck.report import ModelReport
from litecheck.spelling import did_you_mean
from litecheck.version import __version__

#: What can be made: the type of activations, and the profile that it keeps.
KINDS: Mapping[str, tuple[str, str]] = {
    "int8": ("int8", "litert-runtime"),
    "int16x8": ("int16", "litert-int16x8"),
    "dynamic": (REAL, "litert-hybrid"),
    "float16": (REAL, ""),
}
#: The name of the metadata that says where a converted model comes from.
PROVENANCE = "litecheck_conversion"
#: Weights of fewer elements stay as they are where only weights are quantized: the kernels gain nothing.
SMALL = 1024


@dataclass(frozen=True, slots=True)
class Request:
    """What a conversion shall make: ``to`` one of :data:`KINDS`; ``profile`` a rule file in place of the customary one;
    ``keep`` what stays float32: operators by number (``#12``), opcode, or the name of a result, with wildcards;
    ``inputs`` and ``outputs`` the types of what goes in and out, where these are float32 in the source."""

    to: str = "int8"
    profile: str = ""
    keep: tuple[str, ...] = ()
    inputs: str = REAL
    outputs: str = REAL
    generation: Generation = "new"


@dataclass(frozen=True, slots=True, eq=False)
class Conversion:
    """What came of it. ``tensors`` maps (subgraph, tensor) of the source to the tensor that holds it now; ``report`` is
    what litecheck finds in the new model, ``origins`` says where its operators come from."""

    source: Model
    model: Model
    plan: ConversionPlan
    tensors: Mapping[Key, Key]
    report: ModelReport
    profile: str
    request: Request = field(default_factory=Request)
    origins: Origins = field(default_factory=dict)

    @property
    def conforms(self) -> bool:
        """Whether the new model has no violation."""
        return not any(f.level == "violation" and f.waiver is None for f in self.report.findings)


def convert(
    model: Model,
    request: Request,
    ranges: Mapping[Key, Interval] | None = None,
    like: Model | None = None,
    inner: Mapping[Inside, Interval] | None = None,
) -> Conversion:
    """A model converted. ``ranges`` has the smallest and largest value of every tensor by (subgraph, tensor), ``inner``
    of values inside recurrent operators by (subgraph, operator, name); ``dynamic`` and ``float16`` need none. ``like`` is
    a quantized form of the model, whose activations' scales and zero points are taken over. Raises ConfigError for what
    cannot be made."""
    activation, profile = _kind(request)
    if request.to == "float16":
        plan, converted = halved(model, source_hash(model))
    else:
        if activation != REAL and ranges is None and like is None:
            raise ConfigError(f"{request.to} needs calibration data, to know the range of every tensor")
        keeps, borrowed = _keeps(model, request), borrow(model, like) if like else Borrowed()
        targets = Targets(activation, request.inputs, request.outputs, request.generation, keeps, borrowed)
        plan, converted = make_plan(model, profile, ranges or {}, targets, source_hash(model), inner)
    return _finished(model, plan, converted, profile, request)


def shift(model: Model, request: Request) -> Conversion:
    """A model of uint8 or int8 activations in int8 and by the rules of a profile: activations keep their scales, stored 128
    lower where they were uint8; weights are rounded anew where they had a zero point or other scales than the profile
    wants, and biases follow. Raises ConfigError for what cannot be made."""
    known = release(model)
    _, profile = _kind(request)
    borders = {REAL: REAL, "uint8": "int8", "int8": "int8"}
    main = model.subgraphs[0]
    inputs, outputs = (
        next((borders[t.dtype] for t in map(main.tensors.__getitem__, ends) if t.dtype in borders), REAL)
        for ends in (main.inputs, main.outputs)
    )
    targets = Targets("int8", inputs, outputs, request.generation, _keeps(model, request), known.borrowed)
    plan, converted = make_plan(known.model, profile, known.ranges, targets, source_hash(known.model))
    return _finished(known.model, plan, converted, profile, request)


def replay(model: Model, plan: ConversionPlan, request: Request) -> Conversion:
    """A plan carried out on the model it was made for. Raises ConfigError for another model."""
    if plan.source and plan.source != source_hash(model):
        raise ConfigError("the plan was made for another model: the sha256 of its source is not this file's")
    _check_places(model, plan)
    _, profile = _kind(request)
    return _finished(model, plan, apply(model, plan), profile, request)


def _check_places(model: Model, plan: ConversionPlan) -> None:
    """Raise ConfigError for operators, tensors and places that a plan names and the model does not have."""
    readers = {(wire.subgraph, wire.tensor): wire.readers for s in model.subgraphs for wire in wires(s)}
    for number, one in enumerate(plan.tensors):
        where = f"the plan's tensors[{number}] names tensor {one.tensor} of subgraph {one.subgraph}"
        if (one.subgraph, one.tensor) not in readers:
            raise ConfigError(f"{where}, which is no float32 tensor of the model")
        odd = next((port for port in one.read if port not in readers[one.subgraph, one.tensor]), None)
        if odd is not None:
            raise ConfigError(f"{where}, which operator {odd.operator} does not read at place {odd.place}")
    for decision in plan.operators:
        known = [len(s.operators) for s in model.subgraphs if s.index == decision.subgraph]
        if not known or not 0 <= decision.operator < known[0]:
            raise ConfigError(
                f"the plan names operator #{decision.operator} of subgraph {decision.subgraph}, which there is not"
            )


def _kind(request: Request) -> tuple[str, Profile]:
    if request.to not in KINDS:
        hint = did_you_mean(request.to, KINDS) or f"; there are {', '.join(KINDS)}"
        raise ConfigError(f"there is no conversion to {request.to!r}{hint}")
    activation, name = KINDS[request.to]
    allowed = (REAL, activation, "uint8") if activation == "int8" else (REAL, activation)
    for end, dtype in (("inputs", request.inputs), ("outputs", request.outputs)):
        if dtype not in allowed:
            raise ConfigError(
                f"{end} of {request.to} may be {' or '.join(dict.fromkeys(allowed))}, not {dtype!r}"
            )
    profile = load_profile(request.profile or name or "litert-runtime")
    if request.to not in ("dynamic", "float16") and activation not in profile.activations:
        raise ConfigError(
            f"profile {profile.name} is about {', '.join(profile.activations)}, not {activation}"
        )
    return activation, profile


def _keeps(model: Model, request: Request) -> Callable[[Subgraph, Operator], str]:
    """Why an operator stays float32 by the user's wish. Raises ConfigError for a wish that meets no operator."""
    for pattern in request.keep:
        if not any(_meets(pattern, s, op) for s in model.subgraphs for op in s.operators):
            raise ConfigError(f"--keep {pattern}: no operator has this number, opcode or name")

    def keeps(subgraph: Subgraph, operator: Operator) -> str:
        wished = next((p for p in request.keep if _meets(p, subgraph, operator)), "")
        if wished:
            return f"kept by --keep {wished}"
        if request.to == "dynamic" and not _large(subgraph, operator):
            return f"its weights have fewer than {SMALL:,} elements"
        return ""

    return keeps


def _meets(pattern: str, subgraph: Subgraph, operator: Operator) -> bool:
    names = (operator.kind, operator.opcode, name_of(subgraph, operator), f"#{operator.index}")
    return any(fnmatchcase(name, pattern) for name in names)


def _large(subgraph: Subgraph, operator: Operator) -> bool:
    tensors = (subgraph.tensors[i] for i in operator.inputs if i >= 0)
    return any(t.is_constant and t.dtype == REAL and t.size >= SMALL for t in tensors)


def _finished(
    source: Model, plan: ConversionPlan, converted: AppliedPlan, profile: Profile, request: Request
) -> Conversion:
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
    profiles: Sequence[Profile] | None = None if request.to == "float16" else [profile]
    report = validate(model, profiles)
    return Conversion(
        source, model, plan, converted.tensors, report, profile.name, request, converted.origins
    )


def source_hash(model: Model) -> str:
    """The sha256 of a model as litecheck would write it: the same for a file and for a model built in memory."""
    return hashlib.sha256(model_bytes(replace(model, newer=()))).hexdigest()
