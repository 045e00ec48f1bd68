"""Arithmetics with planted changes, a small model, and the diagnosis of such devices."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from litecheck.devices.port import Device
from litecheck.diagnosis.identification import diagnose
from litecheck.diagnosis.probe_sets import Group, prepare_probes
from litecheck.diagnosis.result import Diagnosis
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.types import Model
from litecheck.reference.engine.arithmetic import Arithmetic, load_arithmetic
from tests.verification.inprocess import InProcess


def changed(opcode: str, base: str = "litert-reference", **stages: str) -> Arithmetic:
    found = load_arithmetic(base)
    return replace(found, stages={**found.stages, opcode: {**found.variants(opcode), **stages}})


def of(device: Device, *opcodes: str, model: Model | None = None, repeats: int = 12) -> Diagnosis:
    return diagnose(
        device,
        prepare_probes([model], opcodes, repeats=repeats) if model else probe_groups(opcodes, repeats),
        jobs=1,
    )


@cache
def probe_groups(opcodes: tuple[str, ...], repeats: int) -> tuple[Group, ...]:
    """Return the probes of a diagnosis, made once because they are equal for all devices."""
    return prepare_probes([], opcodes, repeats=repeats)


@cache
def published(name: str) -> Diagnosis:
    """Return the complete diagnosis of a device with a published arithmetic."""
    return of(InProcess(name))


def two_operators() -> Model:
    """Return an ADD and a LEAKY_RELU of 32 elements, and a RESHAPE."""
    builder = ModelBuilder("small")
    graph = builder.subgraph()
    q = qparams(0.07, 3)
    x, y, z, end = (graph.tensor(name, (1, 32), "int8", q) for name in "xyze")
    graph.add("ADD", [x, x], [y], version=2)
    graph.add("LEAKY_RELU", [y], [z], version=2, alpha=0.2)
    graph.add("RESHAPE", [z], [end])
    graph.inputs(x)
    graph.outputs(end)
    return builder.finish()
