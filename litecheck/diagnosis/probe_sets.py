"""Probe sets: designed probes and a model's own operators, grouped by active steps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import PurePath

import numpy as np

from litecheck.arrays import Array
from litecheck.cases import model_parts
from litecheck.cases.inputs import draw_inputs
from litecheck.cases.probes.catalogue import probed_operators, probes
from litecheck.cases.probes.probe import Probe
from litecheck.cases.probes.shape_probes import moves, moving, vary_shapes
from litecheck.cases.sweeps import directed_stimuli
from litecheck.diagnosis.hypotheses import Choices, hypotheses, kernel_of, outputs
from litecheck.diagnosis.properties import untried_operators
from litecheck.diagnosis.result import Hypothesis, UntestedProperty
from litecheck.errors import ConfigError
from litecheck.model.types import Model
from litecheck.profile.load import load_profile
from litecheck.quantization import INTEGER_RANGES
from litecheck.reference.registry import Kernel, kernels
from litecheck.reference.runtime_tensors import RunError
from litecheck.spelling import did_you_mean

#: Number of inferences of the repeated probe: 600 detect a fault in 1 of 200 inferences with a probability of 95 %.
REPEATS = 600
#: Number of distinct inputs among them.
_INPUTS = 4
#: Smallest share of elements in which the outputs of two inputs must differ, to be distinguishable.
_APART = 0.25
#: Smallest number of elements of a repeated probe: smaller probes cannot show faults that depend on position.
_LEAST = 16


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Probes of one operator with the same active steps, and all candidates.

    ``kinds`` are the types of all probes of the operator, in this group and in further groups.
    """

    opcode: str
    kernel: Kernel
    hypotheses: tuple[Hypothesis, ...]
    probes: tuple[Probe, ...]
    kinds: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """Type of the first variable input."""
        return kind_of(self.probes[0])


def kind_of(probe: Probe) -> str:
    """Return the type of a probe's first variable input."""
    return probe.subgraph.tensors[probe.subgraph.inputs[0]].dtype


def prepare_probes(
    models: Sequence[Model] = (), opcodes: Sequence[str] = (), seed: int = 0, repeats: int = REPEATS
) -> tuple[Group, ...]:
    """Return the probes for a device: designed probes, and the operators of models, if there are any.

    ``opcodes`` selects among the models' operators, or among all operators with probes or a design of shapes. For each
    operator with probes, the smallest is run ``repeats`` times, every further probe repeats one input, and the shapes
    of its design follow. Raise ConfigError for an operator without probes that no model has, and for models without an
    operator that can be diagnosed.
    """
    own = [probe for model in models for probe in _own_operator_probes(model, seed, len(models) > 1)]
    there = (
        sorted({probe.opcode for probe in own}) if models else [*probed_operators(), *_default_operators()]
    )
    known = there if models else [*probed_operators(), *moving()]
    unknown = [opcode for opcode in opcodes if opcode not in known]
    if unknown:
        where = "the model has no" if models else "there are no probes for"
        listed = f"{did_you_mean(unknown[0].upper(), known) or ';'} available: {', '.join(known) or 'none'}"
        raise ConfigError(f"--select {unknown[0]}: {where} {unknown[0]!r}{listed}")
    if not there:
        raise RunError(f"{', '.join(m.file for m in models)}: no operator in it can be diagnosed")
    found: list[Group] = []
    for opcode in opcodes or there:
        called = [probe for probe in own if probe.opcode == opcode]
        found += (
            _group_probes(_all_probes(opcode, called, seed, repeats))
            if called
            else _designed_groups(opcode, seed, repeats)
        )
    return tuple(found)


@cache
def _default_operators() -> tuple[str, ...]:
    """Return the operators of the specification that move data."""
    return tuple(opcode for opcode in moving() if opcode in load_profile("litert-int8").operators)


@lru_cache(maxsize=64)
def _designed_groups(opcode: str, seed: int, repeats: int) -> tuple[Group, ...]:
    """Return the groups of an operator's designed probes; they are the same for every device."""
    return tuple(_group_probes(_all_probes(opcode, (), seed, repeats)))


def _all_probes(opcode: str, called: Sequence[Probe], seed: int, repeats: int) -> list[Probe]:
    """Return the probes of an operator, those of models, and one probe of each type in further shapes."""
    several = [*probes(opcode, seed), *called]
    bases = {kind_of(probe): probe for probe in reversed([*called, *several[1:2]])}
    shapes = (
        [probe for base in bases.values() for probe in vary_shapes(base, seed)]
        if several
        else moves(opcode, seed)
    )
    return [*_add_repetitions(several, seed, repeats), *filter(_computable, shapes)]


def _add_repetitions(several: Sequence[Probe], seed: int, repeats: int) -> list[Probe]:
    """Return the probes, each with an input repeated, and a probe with many repeated inputs."""
    if not repeats:
        return list(several)
    rng = np.random.default_rng([seed, repeats])
    return [*map(again, several), *repeat_probe(several, repeats, rng)]


def _group_probes(several: Sequence[Probe]) -> Iterator[Group]:
    """Yield groups of one operator's probes by active steps; probes with fewer active steps join a larger group if
    possible."""
    found: dict[tuple[int, tuple[Hypothesis, ...]], list[Probe]] = {}
    known: Choices = {}
    for probe in several:
        found.setdefault((id(kernel_of(probe)), hypotheses(probe, known)), []).append(probe)
    widest = sorted(found, key=lambda key: -len(stages(key[1])))
    groups: dict[tuple[int, tuple[Hypothesis, ...]], list[Probe]] = {}
    for kernel, possible in widest:
        wider = (key for key in groups if key[0] == kernel and set(stages(possible)) <= set(stages(key[1])))
        groups.setdefault(next(wider, (kernel, possible)), []).extend(found[kernel, possible])
    kinds = tuple(dict.fromkeys(map(kind_of, several)))
    for (_, possible), members in groups.items():
        yield Group(members[0].opcode, kernel_of(members[0]), possible, tuple(members), kinds)


def stages(possible: Iterable[Hypothesis]) -> tuple[str, ...]:
    """Return every step for which a candidate chooses a variant."""
    return tuple(dict.fromkeys(stage for hypothesis in possible for stage, _ in hypothesis.stages))


def untested_operators(models: Sequence[Model], groups: Sequence[Group]) -> tuple[UntestedProperty, ...]:
    """Return the models' operators that are not among the probes, by kind."""
    asked = {
        (probe.source, probe.operator_name)
        for group in groups
        for probe in group.probes
        if probe.operator_name
    }
    missing: list[UntestedProperty] = []
    for model in models:
        cases = (case for entry in model_parts.entries(model) for case in model_parts.operators(model, entry))
        missed = (c for c in cases if (model.file, _probe_prefix(model, c, len(models) > 1)) not in asked)
        missing += untried_operators(PurePath(model.file).name, (case.operators[0].opcode for case in missed))
    return tuple(missing)


def _probe_prefix(model: Model, case: model_parts.Case, several: bool) -> str:
    """Return ``#12``, or ``net.tflite #12`` if there are several models."""
    number = f"#{case.operators[0].index}" + (
        f" of subgraph {case.subgraph.index}" if case.subgraph.index else ""
    )
    return f"{PurePath(model.file).name} {number}" if several else number


def _own_operator_probes(model: Model, seed: int, several: bool) -> Iterator[Probe]:
    """Yield the isolated operators of a model that can be computed in several ways, with random values and edge
    values.

    Operators with float outputs are excluded: float32 sums depend on their order. Operators are named by number, with
    the file's name if there are ``several`` models, because names in models can be long.
    """
    for subgraph in model_parts.entries(model):
        for case in model_parts.operators(model, subgraph):
            opcode = case.operators[0].opcode
            if opcode not in (*probed_operators(), *moving()) and not any(
                k.steps for k in kernels().get(opcode, ())
            ):
                continue
            random = draw_inputs(case, {}, seed)
            real = any(subgraph.tensors[i].dtype not in INTEGER_RANGES for i in case.submodel.outputs)
            if model_parts.single_operator(case) or random is None or real:
                continue
            called = _probe_prefix(model, case, several)
            # Edge values are a separate probe, because they can crash a runtime.
            for what, stimuli in (("random values", (random,)), ("edges", tuple(directed_stimuli(case, {})))):
                fed = tuple(stimulus.arrays for stimulus in stimuli)
                probe = Probe(f"{called}, {what}", opcode, case.submodel.model, fed)
                if fed and _computable(probe):
                    yield replace(probe, source=model.file, operator_name=called, title=case.display_name)


def _computable(probe: Probe) -> bool:
    try:
        return bool(tuple(outputs(probe, Hypothesis(()))))
    except RunError:
        return False


def again(probe: Probe) -> Probe:
    """Return the probe with its first input repeated at the end; a series stays unchanged, because its state matters."""
    return probe if probe.series else replace(probe, order=(*range(len(probe.runs)), 0))


def repeat_probe(probes: Sequence[Probe], count: int, rng: np.random.Generator) -> Iterator[Probe]:
    """Yield the smallest probe with outputs that depend on random inputs, run ``count`` times in irregular order.

    Designed probes come first. A regular order would hide a device that always gives the answer to the previous input.
    """
    for probe in sorted(probes, key=lambda probe: (bool(probe.operator_name), _size(probe))):
        if _size(probe) < _LEAST or probe.series:
            continue
        runs = tuple(tuple(_draw_values(values, rng) for values in probe.runs[0]) for _ in range(_INPUTS))
        turned = replace(probe, runs=runs, accumulators=None)
        if _are_distinguishable(turned):
            order = tuple(map(int, rng.integers(0, _INPUTS, max(count, 2 * _INPUTS))))
            name = f"{probe.name}, {_INPUTS} inputs {len(order)} times in irregular order"
            yield replace(turned, name=name, order=(*range(_INPUTS), *order[_INPUTS:]))
            return


def _size(probe: Probe) -> int:
    graph = probe.subgraph
    return sum(graph.tensors[i].size for i in (*graph.inputs, *graph.outputs))


def _draw_values(values: Array, rng: np.random.Generator) -> Array:
    """Draw any values of small integer types; permute the given values of other types, whose valid values are unknown."""
    if values.dtype.kind in "iu" and values.dtype.itemsize <= 2:
        limits = np.iinfo(values.dtype)
        return rng.integers(limits.min, limits.max, values.shape, values.dtype, endpoint=True)
    return rng.permutation(values.reshape(-1)).reshape(values.shape)


def _are_distinguishable(probe: Probe) -> bool:
    try:
        made = list(outputs(probe, Hypothesis(())))
    except RunError:
        return False
    return all(
        np.mean(one != other) > _APART
        for at, first in enumerate(made)
        for second in made[:at]
        for one, other in zip(first, second, strict=True)
    )
