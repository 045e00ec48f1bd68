"""Placement of a model on a target, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from litecheck.files import bytes_text
from litecheck.placement import CompilerReport, Place, Placement, TargetReport
from litecheck.rendering.escape import visible
from litecheck.rendering.operator_names import operator_number
from litecheck.report import ModelReport
from litecheck.summary_text import count_of

_TEXTS: Mapping[Place, tuple[str, str]] = {
    "npu": ("on the NPU", "on the NPU"), "cpu": ("on the CPU", "on the CPU"),
    "refused": ("rejected by the compiler", "rejected by the compiler"),
    "crashes": ("crashes the compiler", "crash the compiler"),
}  # fmt: skip
_HANDFUL = 5


def target_facts(model: ModelReport) -> Iterator[tuple[str, str]]:
    """Yield the placement on each target, and the outcome of its compiler if it ran, each after its name."""
    for target in model.targets:
        yield target.target, target_text(target)
        if target.compiler:
            yield target.compiler.program, compiler_text(target.compiler)


def target_lines(model: ModelReport) -> Iterator[str]:
    """Yield the target facts as lines."""
    return (f"{name}: {told}" for name, told in target_facts(model))


def target_text(target: TargetReport) -> str:
    """Describe the placement of operators, NPU partitions, share of multiply-accumulates, and peak activation memory."""
    counts = [(n - (target.optimized_out if p == "npu" else 0), _TEXTS[p]) for p, n in target.places.items()]
    counts.insert(1, (target.optimized_out, ("optimized out", "optimized out")))
    told = ", ".join(f"{n:,} {texts[n != 1]}" for n, texts in counts if n) or "no operators"
    if target.unverified:
        told += f"; {len(target.unverified):,} of them unverified: {_unverified_text(target)}"
    if not target.compiles:
        return f"{told}; nothing is compiled; peak activation memory {bytes_text(target.live)}"
    share = "" if target.share is None else f"; {100 * target.share:.1f} % of MACs on the NPU"
    partitions = count_of(target.partitions, "NPU partition")
    return f"{told}; {partitions}{share}; peak activation memory {bytes_text(target.live)}"


def _unverified_text(target: TargetReport) -> str:
    """Return the first unverified operators with the reasons. Example: ``ADD #3 (rank 7)``."""
    named = [
        f"{op.opcode} {operator_number(op.subgraph, op.index)} ({visible(op.unverified)})"
        for op in target.unverified[:_HANDFUL]
    ]
    return ", ".join((*named, *(("...",) if len(target.unverified) > _HANDFUL else ())))


def compiler_text(compiler: CompilerReport) -> str:
    """Describe the compiler's placement: as predicted, or the operators that differ; then its own figures."""
    others = compiler.otherwise
    if others:
        named = ", ".join(map(_placement_name, others[:_HANDFUL])) + (
            ", ..." if len(others) > _HANDFUL else ""
        )
        told = f"{count_of(len(others), 'operator')} placed differently: {named}"
    else:
        told = "placement as predicted"
    if compiler.ending:
        why = visible(" ".join(compiler.ending.split()))
        return f"{told}; no compiled model: {why}" if others else f"no compiled model, as predicted: {why}"
    used = ", ".join(f"{bytes_text(n)} of {name}" for name, n in compiler.memories.items() if n)
    partitions = count_of(compiler.partitions, "NPU partition")
    return f"{told}; {partitions}; {compiler.macs:,} MACs; peak use {used or 'no memory'}"


def place_text(op: Placement) -> str:
    """Return the placement of an operator in a few words; an NPU operator in no partition is optimized out."""
    if op.place == "npu":
        unverified = f", unverified ({op.unverified})" if op.unverified else ""
        return "optimized out" if op.partition is None else f"NPU, partition {op.partition}{unverified}"
    return {"cpu": "CPU", "refused": "rejected", "crashes": "crash"}[op.place]


def places_of(model: ModelReport) -> dict[tuple[int, int], str]:
    """Return the placement of each operator by (subgraph, index); several targets are named."""
    alone, told = len(model.targets) == 1, dict[tuple[int, int], list[str]]()
    for target in model.targets:
        for op in target.operators:
            text = place_text(op)
            told.setdefault((op.subgraph, op.index), []).append(text if alone else f"{target.target}: {text}")
    return {key: "; ".join(texts) for key, texts in told.items()}


def _placement_name(op: Placement) -> str:
    return f"{op.opcode} {operator_number(op.subgraph, op.index)} {_TEXTS[op.place][0]}"
