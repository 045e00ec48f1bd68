"""What a target's own compiler makes of a model, beside what was said of it."""

from __future__ import annotations

from dataclasses import replace

from litecheck.devices.port import DeviceError
from litecheck.devices.vela import ACCELERATORS, Compilation, Vela, placed_otherwise, vela_version
from litecheck.devices.vela_child import SYSTEMS
from litecheck.model.types import Model
from litecheck.placement import CompilerReport, TargetReport
from litecheck.report import ModelReport


def compiled(model: Model, report: ModelReport) -> ModelReport:
    """The report of a model with what the compilers of its targets make of it. Raises DeviceError for a target without a
    compiler that can be asked."""
    return replace(report, targets=tuple(_asked(model, target) for target in report.targets))


def _asked(model: Model, target: TargetReport) -> TargetReport:
    if target.target not in ACCELERATORS:
        known = ", ".join(ACCELERATORS)
        raise DeviceError(f"no compiler can be asked of {target.target}; one is known of {known}")
    with Vela(target.target) as compiler:
        return replace(target, compiler=_beside(target, compiler.compile(model)))


def _beside(target: TargetReport, found: Compilation) -> CompilerReport:
    said = [op.place for op in target.operators]
    others = placed_otherwise(said, found)
    otherwise = tuple(replace(op, place=others[n]) for n, op in enumerate(target.operators) if n in others)
    macs, system, memory = SYSTEMS[ACCELERATORS[target.target]]
    program = f"ethos-u-vela {vela_version()} ({macs} MACs, {system}, {memory})"
    return CompilerReport(program, found.ending, otherwise, found.partitions, found.macs, found.memories)
