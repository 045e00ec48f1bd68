"""Arithmetics with something changed, a small model, and what a diagnosis finds about them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from litecheck.devices.port import Device
from litecheck.diagnosis.identification import diagnose
from litecheck.diagnosis.probe_sets import Group, prepared
from litecheck.diagnosis.result import Diagnosis
from litecheck.model.build import ModelBuilder, quantized
from litecheck.model.types import Model
from litecheck.reference.engine.arithmetic import Arithmetic, load_arithmetic
from tests.verification.inprocess import InProcess


def changed(opcode: str, base: str = "litert-reference", **stages: str) -> Arithmetic:
    found = load_arithmetic(base)
    return replace(found, stages={**found.stages, opcode: {**found.variants(opcode), **stages}})


def of(device: Device, *opcodes: str, model: Model | None = None, repeats: int = 12) -> Diagnosis:
    return diagnose(
        device, prepared([model], opcodes, repeats=repeats) if model else asked(opcodes, repeats), jobs=1
    )


@cache
def asked(opcodes: tuple[str, ...], repeats: int) -> tuple[Group, ...]:
    """What a device is asked, made once: it is the same for every device."""
    return prepared([], opcodes, repeats=repeats)


@cache
def published(name: str) -> Diagnosis:
    """What is found of a device that is a published arithmetic, asked for everything."""
    return of(InProcess(name))


def two_operators() -> Model:
    """ADD and LEAKY_RELU of 32 elements, and a RESHAPE."""
    builder = ModelBuilder("small")
    graph = builder.subgraph()
    q = quantized(0.07, 3)
    x, y, z, end = (graph.tensor(name, (1, 32), "int8", q) for name in "xyze")
    graph.add("ADD", [x, x], [y], version=2)
    graph.add("LEAKY_RELU", [y], [z], version=2, alpha=0.2)
    graph.add("RESHAPE", [z], [end])
    graph.inputs(x)
    graph.outputs(end)
    return builder.finish()
