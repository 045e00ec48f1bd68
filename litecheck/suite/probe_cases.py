"""Test cases from designed probes: models and inputs that distinguish variants, in int8 and uint8."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from litecheck.cases.operator_keys import weight_granularity
from litecheck.cases.probes.catalogue import probes
from litecheck.cases.probes.probe import Probe
from litecheck.checks.validate import validate
from litecheck.model.types import Model, Tensor
from litecheck.profile.types import Profile
from litecheck.suite.case import SuiteCase

#: Difference between a stored uint8 and the int8 of the same real value.
_APART = 128


def designed_cases(profile: Profile, opcode: str, kind: str, seed: int) -> Iterator[SuiteCase]:
    """Yield the designed probes of an operator, with activations of a type, that conform to a profile."""
    if kind not in ("int8", "uint8"):
        return
    for probe in probes(opcode, seed):
        allowed = replace(probe, model=symmetric(probe.model))
        allowed = convert_to_uint8(allowed) if kind == "uint8" else allowed
        if conforms(allowed.model, profile):
            yield _case(allowed)


def symmetric(model: Model) -> Model:
    """Return the model with -127 for every constant -128 of symmetric int8, which a profile can forbid."""

    def kept(tensor: Tensor) -> Tensor:
        zero = tensor.quantization.zero_point
        if tensor.dtype != "int8" or tensor.data is None or not zero.size or zero.any():
            return tensor
        return replace(tensor, data=np.maximum(tensor.data.view(np.int8), np.int8(-127)).view(np.uint8))

    return _change_tensors(model, kept)


def convert_to_uint8(probe: Probe) -> Probe:
    """Return the probe in uint8: quantized int8 values and zero points increase by 128, real values stay the same."""
    main = probe.subgraph

    def moved(tensor: Tensor) -> Tensor:
        found = tensor.quantization
        if tensor.dtype != "int8" or not found.zero_point.size:
            return tensor
        data = None if tensor.data is None else tensor.data ^ np.uint8(_APART)
        raised = replace(found, zero_point=found.zero_point + _APART)
        return replace(tensor, dtype="uint8", data=data, quantization=raised)

    model = _change_tensors(probe.model, moved)
    turned = [model.subgraphs[0].tensors[i].dtype != main.tensors[i].dtype for i in main.inputs]
    runs = tuple(
        tuple(a.view(np.uint8) ^ np.uint8(_APART) if t else a for a, t in zip(run, turned, strict=True))
        for run in probe.runs
    )
    name = probe.name if any(turned) else f"{probe.name}, to uint8"
    return replace(probe, name=name, model=model, runs=runs)


def _change_tensors(model: Model, change: Callable[[Tensor], Tensor]) -> Model:
    """Return the model with changed tensors in its first subgraph, and their values in the buffers."""
    main, buffers = model.subgraphs[0], list(model.buffers)
    tensors = tuple(map(change, main.tensors))
    for tensor in tensors:
        if tensor.data is not None:
            buffers[tensor.buffer] = replace(buffers[tensor.buffer], data=tensor.data)
    graphs = (replace(main, tensors=tensors), *model.subgraphs[1:])
    return replace(model, buffers=tuple(buffers), subgraphs=graphs)


def conforms(model: Model, profile: Profile) -> bool:
    """Return True if a one-operator model conforms to a profile that covers it."""
    report = validate(model, [profile])
    return not report.problems and all(op.status == "conforms" for op in report.operators)


def _case(probe: Probe) -> SuiteCase:
    main = probe.subgraph
    kind = main.tensors[main.inputs[0]].dtype
    runs = tuple(probe.runs[n] for n in probe.run_order)
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
    """Return ``per-axis`` or ``per-tensor`` by the scales of the operator's constants; "" without scales."""
    main = model.subgraphs[0]
    return weight_granularity(main, main.operators[0])


def slug(title: str) -> str:
    """Return a title as part of a path, at most 60 characters: ``ties-multipliers-powers-of-two``."""
    return re.sub(r"[^A-Za-z0-9]+", "-", title).strip("-")[:60].strip("-").lower()
