"""The report of Vela on a model, compared with the predicted placement."""

from __future__ import annotations

from dataclasses import replace

from litecheck.devices.port import DeviceError
from litecheck.model.types import Model
from litecheck.placement import CompilerReport, TargetReport
from litecheck.targets.ethos_u.compiler.vela import (
    ACCELERATORS,
    Compilation,
    Vela,
    placement_differences,
    vela_version,
)
from litecheck.targets.ethos_u.compiler.vela_child import SYSTEMS


def compile_for_target(model: Model, target: TargetReport) -> CompilerReport:
    """Compile a model for a target. Raises DeviceError for an accelerator that Vela does not have."""
    if target.target not in ACCELERATORS:
        known = ", ".join(ACCELERATORS)
        raise DeviceError(f"Vela does not compile for {target.target}; available: {known}")
    with Vela(target.target) as compiler:
        return _compare(target, compiler.compile(model))


def _compare(target: TargetReport, found: Compilation) -> CompilerReport:
    others = placement_differences([op.place for op in target.operators], found)
    differing = tuple(replace(op, place=others[n]) for n, op in enumerate(target.operators) if n in others)
    macs, system, memory = SYSTEMS[ACCELERATORS[target.target]]
    program = f"ethos-u-vela {vela_version()} ({macs} MACs, {system}, {memory})"
    return CompilerReport(program, found.ending, differing, found.partitions, found.macs, found.memories)
