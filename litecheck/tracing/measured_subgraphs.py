"""Measures of every subgraph that runs on the samples: entry points, and the subgraphs that they call."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field

from litecheck.arrays import Arrays
from litecheck.conversion.calibration.calibration_data import spread_samples
from litecheck.conversion.class_scores import output_logits
from litecheck.conversion.fixes import SAMPLES
from litecheck.model.links import subgraph_calls
from litecheck.model.matching import ModelMatch, SubgraphMatch
from litecheck.profile.operators import traits_of
from litecheck.tracing.bench import Bench
from litecheck.tracing.error_shares import output_error
from litecheck.tracing.measures import Tensors
from litecheck.tracing.recorded_runs import RecordedRuns
from litecheck.tracing.twin import Twin

#: Number of calls of a subgraph whose tensors are kept for repeated runs of operators: causes, the device.
_FEW = 4
#: Number of samples with the largest errors, on which shares of the outputs' error are measured.
_WORST = 4


@dataclass(slots=True)
class SubgraphMeasures:
    """The benches by subgraph, the float tensors of some calls of each, and the entry points that the samples name."""

    benches: dict[int, Bench] = field(default_factory=dict)
    few: dict[int, list[Tensors]] = field(default_factory=dict)
    entries: list[int] = field(default_factory=list)
    samples: list[tuple[Tensors, Tensors]] = field(default_factory=list)
    """Inputs, outputs and joined tensors of the float and of the quantized model's first subgraph, for the samples on which
    fixes are tried."""
    worst: dict[int, list[tuple[Tensors, Tensors]]] = field(default_factory=dict)
    """Tensors of the float model and outputs of the quantized model by entry point, for the samples with the largest errors
    of the outputs. Errors of probabilities, for example, occur in few samples."""


def measure_subgraphs(
    match: ModelMatch,
    twin: Twin | None,
    runs: RecordedRuns,
    samples: Iterable[tuple[int, Arrays]],
    unusual: Collection[int],
    total: int | None,
    tell: Callable[[int], None],
) -> SubgraphMeasures:
    """Run both models on the samples and measure each subgraph that runs. No tensors of unusual samples are kept.

    ``total`` is the number of samples, None if it is not known: then the first samples are kept, otherwise evenly spread
    samples.
    """
    result, parts = SubgraphMeasures(), {part.first.index: part for part in match.subgraphs}
    few, tried = (spread_samples(total, unusual, most) for most in (_FEW, SAMPLES))
    needed = _compared_tensors(match.subgraphs[0])
    for count, (entry, arrays) in enumerate(samples, 1):
        if entry not in result.entries:
            result.entries.append(entry)
        for number, real, stored in runs.run(entry, arrays):
            if number not in result.benches:
                result.benches[number] = Bench(match, parts[number], twin, runs.arithmetic, number == entry)
                result.few[number] = []
            result.benches[number].measure(real, stored)
            if len(result.few[number]) < _FEW and count - 1 in few:
                result.few[number].append(real)
            if number == entry and count - 1 not in unusual:
                own = parts[number]
                worst = [*result.worst.get(number, []), (real, _select_tensors(stored, own.second.outputs))]
                result.worst[number] = sorted(worst, key=lambda pair: -output_error(own, [pair]))[:_WORST]
            if number == entry == 0 and count - 1 in tried:
                result.samples.append((_select_tensors(real, needed[0]), _select_tensors(stored, needed[1])))
        tell(count)
    return result


def _compared_tensors(part: SubgraphMatch) -> tuple[frozenset[int], frozenset[int]]:
    """Return inputs, outputs and logits of the first subgraph and outputs of operators that join tensors, and their
    partners."""
    first, second = part.first, part.second
    joined = (i for op in first.operators if traits_of(op.kind).concatenates for i in op.outputs)
    real = frozenset((*first.inputs, *first.outputs, *output_logits(first), *joined))
    return real, frozenset((*second.outputs, *(new for new, old in part.tensors.items() if old in real)))


def _select_tensors(tensors: Tensors, chosen: Collection[int]) -> Tensors:
    return {index: tensors[index] for index in chosen if index in tensors}


def unmeasured_reasons(match: ModelMatch, result: SubgraphMeasures) -> Iterator[str]:
    """Yield a sentence with the reason for each subgraph of the quantized model that is not measured."""
    parts = {part.first.index for part in match.subgraphs}
    named = {signature.subgraph: signature.key for signature in match.second.signatures}
    for subgraph in match.second.subgraphs:
        number = subgraph.index
        if number in result.benches or not subgraph.operators:
            continue
        reason = "none of the samples runs it"
        if number not in parts:
            reason = "the float model has no such subgraph"
        elif number in named and not _is_called(match, number):
            key = named[number]
            reason = f"no samples of signature '{key}': name the arrays {key}/INPUT"
        yield f"subgraph {number} is not measured: {reason}"


def _is_called(match: ModelMatch, number: int) -> bool:
    return any(
        number == index
        for s in match.second.subgraphs
        for op in s.operators
        for _, index in subgraph_calls(op)
    )
