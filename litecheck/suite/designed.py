"""Designed probes as cases: models and inputs made by hand for what tells ways of computing apart."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from litecheck.cases.kind import weight_granularity
from litecheck.cases.probes.catalogue import probes
from litecheck.cases.probes.probe import Probe
from litecheck.checks.validate import validate
from litecheck.model.types import Model
from litecheck.profile.types import Profile
from litecheck.suite.case import SuiteCase


def designed(profile: Profile, opcode: str, seed: int) -> Iterator[SuiteCase]:
    """The designed probes of an operator that a profile finds nothing against."""
    for probe in probes(opcode, seed):
        allowed = replace(probe, model=symmetric(probe.model))
        if conforms(allowed.model, profile):
            yield _case(allowed)


def symmetric(model: Model) -> Model:
    """The model with -127 for every constant -128 of symmetric int8, which a specification may forbid."""
    main = model.subgraphs[0]
    buffers = list(model.buffers)
    for tensor in main.tensors:
        data = buffers[tensor.buffer].data if tensor.is_constant and tensor.dtype == "int8" else None
        if (
            data is not None
            and tensor.quantization.zero_point.size
            and not tensor.quantization.zero_point.any()
        ):
            kept = np.maximum(data.view(np.int8), np.int8(-127)).view(np.uint8)
            buffers[tensor.buffer] = replace(buffers[tensor.buffer], data=kept)
    tensors = tuple(
        replace(tensor, data=buffers[tensor.buffer].data) if tensor.is_constant else tensor
        for tensor in main.tensors
    )
    return replace(
        model, buffers=tuple(buffers), subgraphs=(replace(main, tensors=tensors), *model.subgraphs[1:])
    )


def conforms(model: Model, profile: Profile) -> bool:
    """Whether a model of one operator keeps a profile's rules, and one of them speaks of it."""
    report = validate(model, [profile])
    return not report.problems and all(op.status == "conforms" for op in report.operators)


def _case(probe: Probe) -> SuiteCase:
    main = probe.subgraph
    kind = main.tensors[main.inputs[0]].dtype
    runs = tuple(probe.runs[n] for n in probe.asked)
    return SuiteCase(
        name=f"{probe.opcode}/{kind}/{slug(probe.name)}",
        opcode=probe.opcode,
        kind=kind,
        granularity=granularity(probe.model),
        title=probe.name,
        level="standard",
        model=probe.model,
        runs=runs,
        lengths=(len(runs),) if probe.series else (),
    )


def granularity(model: Model) -> str:
    """``per-axis`` or ``per-tensor`` by the scales of the operator's constants; nothing where none has any."""
    main = model.subgraphs[0]
    return weight_granularity(main, main.operators[0])


def slug(title: str) -> str:
    """A title as a part of a path: ``ties-multipliers-powers-of-two``; long ones are cut."""
    return re.sub(r"[^A-Za-z0-9]+", "-", title).strip("-")[:60].strip("-").lower()
