"""What a device is asked: designed probes and a model's own operators, by what decides how they are computed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from litecheck.model.types import Model
from litecheck.profile.strict import did_you_mean
from litecheck.quantization import INTEGER_RANGES
from litecheck.reference.registry import Kernel, kernels
from litecheck.reference.values import RunError
from litecheck.verify import plan
from litecheck.verify.diagnosis.probes.catalogue import FAMILIES, probes
from litecheck.verify.diagnosis.probes.probe import Probe
from litecheck.verify.diagnosis.result import Way
from litecheck.verify.diagnosis.ways import kernel_of, outputs, ways
from litecheck.verify.feeds import directed, drawn


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Probes of one operator that the same stages decide, and every way they could be computed."""

    opcode: str
    kernel: Kernel
    ways: tuple[Way, ...]
    probes: tuple[Probe, ...]


def prepared(model: Model | None, opcodes: Sequence[str] = (), seed: int = 0) -> tuple[Group, ...]:
    """What a device will be asked: designed probes, and the operators of a model where one is given.

    ``opcodes`` selects among the model's operators, or among all there are probes for. Raises RunError for one that
    has neither, and for a model without an operator that can be tried.
    """
    own = list(_own(model, seed)) if model is not None else []
    there = list(FAMILIES) if model is None else sorted({probe.opcode for probe in own})
    unknown = [opcode for opcode in opcodes if opcode not in there]
    if unknown:
        where = "there are no probes for" if model is None else "the model has no"
        known = f"there are {', '.join(there) or 'none'}{did_you_mean(unknown[0].upper(), there)}"
        raise RunError(f"{where} {unknown[0]!r}; {known}")
    if not there:
        raise RunError(f"{model.file if model else 'the model'}: no operator in it can be diagnosed")
    found = [
        group
        for opcode in opcodes or there
        for group in _grouped([*probes(opcode, seed), *(p for p in own if p.opcode == opcode)])
    ]
    return tuple(found)


def _grouped(several: Sequence[Probe]) -> Iterator[Group]:
    """Probes of one operator by what decides them; those that fewer stages decide go with others, if they can."""
    found: dict[tuple[int, tuple[Way, ...]], list[Probe]] = {}
    for probe in several:
        found.setdefault((id(kernel_of(probe)), ways(probe)), []).append(probe)
    widest = sorted(found, key=lambda key: -len(stages(key[1])))
    groups: dict[tuple[int, tuple[Way, ...]], list[Probe]] = {}
    for kernel, possible in widest:
        wider = (key for key in groups if key[0] == kernel and set(stages(possible)) <= set(stages(key[1])))
        groups.setdefault(next(wider, (kernel, possible)), []).extend(found[kernel, possible])
    for (_, possible), members in groups.items():
        yield Group(members[0].opcode, kernel_of(members[0]), possible, tuple(members))


def stages(possible: Iterable[Way]) -> tuple[str, ...]:
    """Every stage that some of these ways choose a variant for."""
    return tuple(dict.fromkeys(stage for way in possible for stage, _ in way.stages))


def _own(model: Model, seed: int) -> Iterator[Probe]:
    """The operators of a model whose way to be computed can differ, each by itself and fed as its operands allow.

    Not those with real outputs: sums in float32 differ with their order.
    """
    for subgraph in plan.entries(model):
        for case in plan.operators(model, subgraph):
            opcode = case.operators[0].opcode
            if opcode not in FAMILIES and not any(k.stages for k in kernels().get(opcode, ())):
                continue
            random = drawn(case, {}, seed)
            real = any(subgraph.tensors[i].dtype not in INTEGER_RANGES for i in case.cut.outputs)
            if plan.alone(case) or random is None or real:
                continue
            name = f"{case.name} '{case.called}'"
            # Apart, because edges are what a runtime dies of.
            for what, feeds in (("random values", (random,)), ("edges", tuple(directed(case, {})))):
                fed = tuple(feed.arrays for feed in feeds)
                probe = Probe(f"{name}, {what}", opcode, case.cut.model, fed)
                if fed and _computable(probe):
                    yield probe


def _computable(probe: Probe) -> bool:
    try:
        return bool(tuple(outputs(probe, Way(()))))
    except RunError:
        return False
