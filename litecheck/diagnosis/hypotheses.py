"""Candidates of an operator: the active steps, their variants, and the outputs of each candidate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from litecheck.arrays import Arrays
from litecheck.cases.merged_inferences import outputs_of, together
from litecheck.cases.probes.probe import Probe
from litecheck.diagnosis.result import Hypothesis
from litecheck.reference.defects.defects import defects_of
from litecheck.reference.engine.arithmetic import Arithmetic, arithmetic_names, load_arithmetic
from litecheck.reference.engine.dispatch import bind, compute_with_slots, find_kernel
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from litecheck.reference.registry import Kernel, Variants, VariantSlot
from litecheck.reference.runtime_tensors import RunError

#: Arithmetics in order of preference if several fit.
USUAL = ("litert-reference", "litert-optimized", "litert-xnnpack", "tflm", "single-rounding")


def kernel_of(probe: Probe) -> Kernel:
    """Return the kernel of the probe's operator. Raise RunError if there is none."""
    return find_kernel(probe.subgraph, probe.subgraph.operators[0])


#: Candidates by kernel, active steps and granularity.
Choices = dict[object, tuple[Hypothesis, ...]]


def hypotheses(probe: Probe, known: Choices | None = None) -> tuple[Hypothesis, ...]:
    """Return every combination of variants of the probe's active steps.

    Two operators have the same candidates if their tensors agree in types, constants, number of scales (one or
    several) and rank, and if the same steps are active under the first and the last variants. ``known`` caches
    candidates across probes.
    """
    kernel = kernel_of(probe)
    known = {} if known is None else known
    try:
        first = _active_steps(probe, {})
        last = _active_steps(probe, {cell.path: cell.variants[-1] for cell in kernel.slots()})
    except RunError:
        return ()
    key = id(kernel), first, last, _granularity(probe)
    if key not in known:
        known[key] = tuple(Hypothesis(tuple(chosen.items())) for chosen in _choices(probe, {}))
    return known[key]


def _granularity(probe: Probe) -> tuple[object, ...]:
    operator = probe.subgraph.operators[0]
    tensors = [probe.subgraph.tensors[i] for i in (*operator.inputs, *operator.outputs) if i >= 0]
    return tuple((t.dtype, t.is_constant, t.quantization.scale.size > 1, len(t.shape)) for t in tensors)


def _choices(probe: Probe, chosen: Mapping[str, str]) -> Iterator[Mapping[str, str]]:
    try:
        asked = _active_steps(probe, chosen)
    except RunError:
        return
    free = next((cell for cell in asked if cell.path not in chosen and len(cell.variants) > 1), None)
    if free is None:
        yield chosen
        return
    for variant in free.variants:
        yield from _choices(probe, {**chosen, free.path: variant})


def _active_steps(probe: Probe, chosen: Mapping[str, str]) -> tuple[VariantSlot, ...]:
    subgraph, operator = probe.subgraph, probe.subgraph.operators[0]
    arithmetic = _arithmetic({probe.opcode: chosen})
    interpreter = ReferenceInterpreter(probe.model, arithmetic)
    bound = bind(subgraph, operator, arithmetic, interpreter)
    tensors = dict(zip(subgraph.inputs, probe.runs[0], strict=True))
    operands = [interpreter.operand(subgraph, i, tensors) if i >= 0 else None for i in operator.inputs]
    return compute_with_slots(bound, operands)[1]


def parametric(possible: Iterable[Hypothesis], kernel: Kernel) -> tuple[Hypothesis, ...]:
    """Return the candidates with each parametric variant of each step, without repetition.

    Example: ``requantize: double`` becomes ``requantize: half-even-16-bits-once`` and 39 more.
    """
    names = {slot.path: slot.parametric for slot in kernel.slots()}
    made = (
        Hypothesis(tuple((path, name if path == step else variant) for path, variant in hypothesis.stages))
        for hypothesis in possible
        for step, _ in hypothesis.stages
        for name in names.get(step, ())
    )
    return tuple(dict.fromkeys(made))


def defective(hypothesis: Hypothesis, opcode: str) -> Iterator[Hypothesis]:
    """Yield the candidate with each defect of the operator."""
    for name in defects_of(opcode):
        yield replace(hypothesis, defect=name, published=())


def outputs(probe: Probe, hypothesis: Hypothesis) -> Iterator[Arrays]:
    """Yield the candidate's outputs of each run. Raise RunError if they cannot be computed."""
    variants = dict(hypothesis.stages) | ({"defect": hypothesis.defect} if hypothesis.defect else {})
    interpreter = ReferenceInterpreter(probe.model, _arithmetic({probe.opcode: variants}))
    if together(probe.model) > 1:
        yield from outputs_of(interpreter, probe.runs)
        return
    for run in probe.runs:
        if not probe.series:
            interpreter.reset()
        tensors = interpreter.run(probe.subgraph, run)
        yield tuple(tensors[index] for index in probe.subgraph.outputs)


def _arithmetic(stages: Mapping[str, Variants]) -> Arithmetic:
    return Arithmetic("candidate", "", "", "", stages, {})


def published_variants(opcode: str, kernel: Kernel) -> dict[str, Mapping[str, str]]:
    """Return each published arithmetic's variant of every step of a kernel, the usual arithmetics first."""
    names = (*USUAL, *(name for name in arithmetic_names() if name not in USUAL))
    chosen = {name: load_arithmetic(name).variants(opcode) for name in names}
    return {
        name: {cell.path: cell.variant(variants) for cell in kernel.slots()}
        for name, variants in chosen.items()
    }


def name_hypothesis(hypothesis: Hypothesis, known: Mapping[str, Mapping[str, Any]]) -> Hypothesis:
    """Return the candidate with the names of the published arithmetics that agree with it."""
    if hypothesis.defect:
        return hypothesis
    having = (
        name
        for name, variants in known.items()
        if all(variants[stage] == v for stage, v in hypothesis.stages)
    )
    return replace(hypothesis, published=tuple(having))
