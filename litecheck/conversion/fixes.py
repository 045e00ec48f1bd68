"""Fixes of a conversion with a large loss: options that are tried on the samples, with the SNR before and after.

A fix is returned only if it was tried and helped. A conversion has a large loss if a channel of an output has an SNR below
:data:`LARGE_LOSS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from litecheck.conversion.agreement import Agreement
from litecheck.conversion.channel_sums import EXACT, ChannelSums
from litecheck.conversion.convert_float import Conversion
from litecheck.conversion.groups import Key
from litecheck.conversion.shared_scales import SharedQuantization
from litecheck.model.graph import graph_of, name_of
from litecheck.model.types import Subgraph

#: Lowest SNR in dB of an output's channel without a search for fixes.
LARGE_LOSS = 20.0
#: Smallest gain in dB of a fix.
GAIN = 3.0
#: Gain in dB up to which a fix of fewer operators is better than the best fix.
_NEAR = 3.0
#: Number of samples on which fixes are tried.
SAMPLES = 8
#: Ratio of the largest channel to the median channel from which a channel is an outlier.
_OUTLIER = 16.0
#: Number of operators with a large fall of the SNR whose fixes are tried.
_FALLS = 2
#: Levels of readers that a fix includes.
_DEPTH = 2


@dataclass(frozen=True, slots=True)
class LossCause:
    """A cause of a loss: operators to change, and a sentence with the numbers."""

    operators: tuple[int, ...]
    text: str
    equalizes: bool = False


@dataclass(frozen=True, slots=True)
class LossFix:
    """Options of ``convert`` that were tried: the lowest SNR in dB of an output's channel before and after."""

    options: tuple[str, ...]
    cause: str
    before: float
    after: float
    samples: int


#: A trial: the operators that stay float32, those with int16 activations, and True to equalize. None if impossible.
Trial = Callable[[Sequence[str], Sequence[str], bool], Agreement | None]


def lowest_snr(agreement: Agreement) -> float:
    """Return the lowest SNR in dB over the channels of all outputs that have a signal; of the tenth percentile from ten
    channels on."""
    found = [
        _low(agreement.channels[one.reference])
        for one in agreement.outputs
        if one.reference in agreement.channels
    ]
    return min(found, default=EXACT)


def _low(sums: ChannelSums) -> float:
    snr = np.sort(sums.snr[sums.signal > 0])
    return float(snr[len(snr) // 10]) if snr.size else EXACT


def find_fix(
    conversion: Conversion, agreement: Agreement, groups: Sequence[SharedQuantization], trial: Trial
) -> LossFix | None:
    """Return the best of the tried fixes, or None if the loss is small or nothing helped.

    Of fixes with nearly the same gain, the fix with fewer options is the best. ``agreement`` has sums by channel of all
    tensors.
    """
    before = lowest_snr(agreement)
    if before >= LARGE_LOSS:
        return None
    fixes: list[LossFix] = []
    for cause in find_causes(conversion, agreement, groups):
        for keep, wide, equalize in _candidates(conversion.source.subgraphs[0], cause):
            found = trial(keep, wide, equalize)
            if found is None:
                continue
            chosen = [("--keep-float", one) for one in keep] + [("--int16x8", one) for one in wide]
            options = (*(("--equalize",) if equalize else ()), *(word for pair in chosen for word in pair))
            fixes.append(LossFix(options, cause.text, before, lowest_snr(found), found.samples))
    best = max((fix.after for fix in fixes), default=before)
    if best - before < GAIN:
        return None
    near = (fix for fix in fixes if fix.after >= best - _NEAR)
    return min(near, key=lambda fix: (len(fix.options), -fix.after))


def find_causes(
    conversion: Conversion, agreement: Agreement, groups: Sequence[SharedQuantization]
) -> Iterator[LossCause]:
    """Yield causes of the loss in the first subgraph: shared scales, an outlier channel, or else large falls of the SNR."""
    subgraph = conversion.source.subgraphs[0]
    low_resolution = [m for group in groups for m in group.members if m.low_resolution and m.subgraph == 0]
    if low_resolution:
        joints = dict.fromkeys(member.joints[-1].operator for member in low_resolution)
        first = min(low_resolution, key=lambda member: member.bits or 0.0)
        joint = first.joints[-1]
        yield LossCause(
            tuple(joints),
            f"'{first.name}' has {first.bits or 0:.1f} bits of the scale that {joint.opcode} #{joint.operator} shares",
        )
    snr = {one.reference: one.snr for one in agreement.tensors}
    outlier = max(_outliers(subgraph, agreement.channels), default=None)
    if outlier is not None:
        ratio, writer, channel, count = outlier
        operator = subgraph.operators[writer]
        yield LossCause(
            (writer,),
            f"channel {channel} of {count} of {operator.opcode} #{writer} '{name_of(subgraph, operator)}' reaches "
            f"{ratio:.3g} times as far as the median channel",
            True,
        )
    if low_resolution or outlier:
        return
    falls = sorted(_falls(subgraph, snr), key=lambda pair: -pair[0])[:_FALLS]
    for fall, operator_index in falls:
        operator = subgraph.operators[operator_index]
        text = f"{operator.opcode} #{operator_index} '{name_of(subgraph, operator)}' loses {fall:.1f} dB"
        yield LossCause((operator_index,), text)


def _outliers(
    subgraph: Subgraph, channels: Mapping[Key, ChannelSums]
) -> Iterator[tuple[float, int, int, int]]:
    """Yield the ratio of outlier channels, with their operator, channel and number of channels."""
    graph = graph_of(subgraph)
    for (number, tensor), sums in channels.items():
        channel, ratio = sums.outlier
        writer = graph.producer[tensor] if number == 0 else -1
        if ratio >= _OUTLIER and sums.peak.size > 2 and writer >= 0 and graph.consumers[tensor]:
            yield ratio, writer, channel, sums.peak.size


def _falls(subgraph: Subgraph, snr: Mapping[Key, float]) -> Iterator[tuple[float, int]]:
    """Yield the fall of the SNR from the inputs of each operator to its output."""
    for operator in subgraph.operators:
        read = [snr[0, i] for i in operator.inputs if (0, i) in snr]
        made = [snr[0, i] for i in operator.outputs if (0, i) in snr]
        if read and made:
            fall = min(min(read), EXACT) - max(min(made), -EXACT)
            if fall >= GAIN:
                yield fall, operator.index


def _candidates(
    subgraph: Subgraph, cause: LossCause
) -> Iterator[tuple[tuple[str, ...], tuple[str, ...], bool]]:
    """Yield trials of a cause: equalization, then float32 and int16 for its operators and more and more of their readers."""
    if cause.equalizes:
        yield (), (), True
    chosen = list(cause.operators)
    for _ in range(_DEPTH + 1):
        names = tuple(f"#{n}" for n in sorted(chosen))
        yield (), names, False
        yield names, (), False
        made = {t for n in chosen for t in subgraph.operators[n].outputs}
        readers = [op.index for op in subgraph.operators if made & {*op.inputs} and op.index not in chosen]
        if not readers:
            return
        chosen += readers
