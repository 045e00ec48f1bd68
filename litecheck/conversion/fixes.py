"""Fixes of a conversion with a large loss: options that are tried on the samples, with the SNR before and after.

A fix is returned only if it was tried and helped. A conversion has a large loss if a channel of an output has an SNR below
:data:`LARGE_LOSS`. ``convert`` and ``trace`` search with the same candidates, and measure each trial in their own way.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from litecheck.conversion.agreement import Agreement
from litecheck.conversion.calibration.statistics import CalibrationStatistics
from litecheck.conversion.channel_sums import EXACT, LOST, ChannelSums
from litecheck.conversion.convert_float import Conversion
from litecheck.conversion.data_warnings import decisive_text, named_samples, ranges_without
from litecheck.conversion.groups import Key
from litecheck.conversion.shared_scales import SharedQuantization
from litecheck.model.graph import graph_of, name_of
from litecheck.model.types import Model, Subgraph
from litecheck.quantization import BITS

#: Lowest SNR in dB of an output's channel without a search for fixes.
LARGE_LOSS = 20.0
#: Smallest gain in dB of a fix.
GAIN = 3.0
#: Gain in dB up to which a fix of fewer operators is better than the best fix, and SNR in dB from which every fix is good.
_NEAR, _GOOD = 3.0, 30.0
#: Number of samples on which fixes are tried.
SAMPLES = 8
#: Ratio of the largest channel to the median channel from which a channel is an outlier.
_OUTLIER = 16.0
#: Number of operators with a large fall of the SNR whose fixes are tried.
_FALLS = 2
#: Levels of readers that a fix includes.
DEPTH = 2
#: Largest number of ranges that a fix states.
_RANGES = 12


@dataclass(frozen=True, slots=True)
class FixOptions:
    """Options of ``convert`` that are tried together: operators in float32 and int16, stated ranges, equalization."""

    keep: tuple[str, ...] = ()
    int16x8: tuple[str, ...] = ()
    ranges: tuple[str, ...] = ()
    equalize: bool = False

    @property
    def words(self) -> tuple[str, ...]:
        """Words of the command line. Example: ``--keep-float``, ``#7``."""
        named = {"--keep-float": self.keep, "--int16x8": self.int16x8, "--range": self.ranges}
        words = (word for option, values in named.items() for value in values for word in (option, value))
        return (*(("--equalize",) if self.equalize else ()), *words)


@dataclass(frozen=True, slots=True)
class LossCause:
    """A cause of a loss: operators to change, ranges to state, and a sentence with the numbers."""

    operators: tuple[int, ...]
    text: str
    equalizes: bool = False
    ranges: tuple[str, ...] = ()
    plain: bool = False
    """True if a conversion without more options is a fix, as for a model of another converter."""


@dataclass(frozen=True, slots=True)
class LossFix:
    """Options of ``convert`` that were tried: the lowest SNR in dB of an output's channel before and after."""

    options: tuple[str, ...]
    cause: str
    before: float
    after: float
    samples: int
    runtime: str = ""


#: A trial of options: the lowest SNR in dB with them. None if they are impossible.
Trial = Callable[[FixOptions], float | None]


def lowest_snr(agreement: Agreement) -> float:
    """Return the lowest SNR in dB over the channels of all outputs that have a signal; of the tenth percentile from ten
    channels on. An output without sums by channel counts as a whole, unless a quantized model is compared, and logits
    do as well."""
    reals = [one for one in agreement.outputs if not one.is_integer]
    whole = (one.snr for one in reals if one.reference not in agreement.channels)
    logits = (one.logits.snr for one in reals if one.logits is not None)
    parts = (snr for _, _, snr, _ in _low_channels(agreement))
    return min((*(() if agreement.quantized else whole), *logits, *parts), default=EXACT)


def snr_or_exact(agreement: Agreement) -> float:
    """Return :func:`lowest_snr`, or infinity if all outputs are equal."""
    snr = lowest_snr(agreement)
    return snr if snr < EXACT else math.inf


def lowest_channel(agreement: Agreement) -> tuple[float, int]:
    """Return the SNR in dB and the number of the lowest channel of the outputs; 200 and 0 without sums by channel."""
    return min(((snr, n) for _, _, snr, n in _low_channels(agreement)), default=(EXACT, 0))


def evaluation_warnings(evaluation: Agreement, agreement: Agreement | None) -> tuple[str, ...]:
    """Return a warning about a large loss on the data of ``--evaluate`` that those of the calibration do not have.

    ``agreement`` is that on the data of the calibration.
    """
    if agreement is None:
        return tuple(f"--evaluate: {text}" for text in loss_warnings(evaluation))
    if loss_warnings(agreement):
        return ()
    own = f"{lowest_snr(agreement):.1f} dB on the samples of the calibration"
    return tuple(
        f"--evaluate: {text}, and {own}. Calibrate with more samples" for text in loss_warnings(evaluation)
    )


def loss_warnings(agreement: Agreement) -> tuple[str, ...]:
    """Return a warning that names the output and channel of the lowest SNR, if that is a large loss.

    Without sums by channel, as for probabilities or relative to a quantized model, the SNR of the output counts.

    Example: ``channel 3 of output 'scores' has an SNR of 7.4 dB, below 20 dB``.
    """
    whole = (
        (one.snr, f"output '{one.output}' has", False) for one in agreement.outputs if not one.is_integer
    )
    logits = (
        (one.logits.snr, f"logits of output '{one.output}' have", False)
        for one in agreement.outputs
        if one.logits is not None
    )
    parts = (
        (snr, f"channel {n} of output '{output}' has", bool(sums.hides_loss[n]))
        for output, sums, snr, n in _low_channels(agreement)
    )
    snr, place, hidden = min((*whole, *logits, *parts), default=(EXACT, "", False))
    if snr >= LARGE_LOSS:
        return ()
    limit = f" without its mean, below {LOST:g} dB" if hidden else f", below {LARGE_LOSS:g} dB"
    return (f"{place} an SNR of {snr:.1f} dB{limit}",)


def _low_channels(agreement: Agreement) -> Iterator[tuple[str, ChannelSums, float, int]]:
    """Yield each output with its sums, and the SNR and number of the channel that represents it."""
    for one in agreement.outputs:
        sums = agreement.channels.get(one.reference)
        if sums is not None and not one.is_integer and (low := low_channel(sums)) is not None:
            yield one.output, sums, *low


def low_channel(sums: ChannelSums) -> tuple[float, int] | None:
    """Return the SNR in dB and the number of the channel that represents an output.

    It is the lowest with a signal or, from ten channels on, the tenth percentile. Return None if no channel has a
    signal.
    """
    ordered = sorted((snr, n) for n, snr in enumerate(sums.snr.tolist()) if sums.signal[n] > 0)
    return ordered[len(ordered) // 10] if ordered else None


def best_fix(
    subgraph: Subgraph,
    causes: Iterable[LossCause],
    trial: Trial,
    before: float,
    samples: int,
    *,
    gain: float = GAIN,
    depth: int = DEPTH,
) -> LossFix | None:
    """Return the best of the tried fixes, or None if none gains ``gain`` dB.

    Of fixes with nearly the same gain, and of fixes with at least 30 dB, the fix with fewer options is the best.
    ``depth`` is the number of levels of readers that a fix may include.
    """
    fixes = [
        LossFix(options.words, cause.text, before, after, samples)
        for cause in causes
        for options in _candidates(subgraph, cause, depth)
        if (after := trial(options)) is not None
    ]
    best = max((fix.after for fix in fixes), default=before)
    if not fixes or best - before < gain:
        return None
    near = (fix for fix in fixes if fix.after >= max(min(best - _NEAR, _GOOD), before + gain))
    return min(near, key=lambda fix: (len(fix.options), -fix.after))


def find_causes(
    conversion: Conversion, agreement: Agreement, groups: Sequence[SharedQuantization]
) -> Iterator[LossCause]:
    """Yield causes of the loss in the first subgraph: shared scales, an outlier channel, or else large falls of the SNR.

    ``agreement`` has sums by channel of all tensors.
    """
    subgraph = conversion.source.subgraphs[0]
    low_resolution = [(m, g) for g in groups for m in g.members if m.low_resolution and m.subgraph == 0]
    if low_resolution:
        joints = dict.fromkeys(member.joints[-1].operator for member, _ in low_resolution)
        first, group = min(low_resolution, key=lambda pair: pair[0].bits or 0.0)
        joint = first.joints[-1]
        text = (
            f"'{first.name}' has an effective resolution of {first.bits or 0:.1f} of {BITS[group.dtype]} bits under the "
            f"scale of {joint.opcode} #{joint.operator}"
        )
        for operators in dict.fromkeys(((joint.operator,), tuple(joints))):
            yield LossCause(operators, text)
    snr = {one.reference: one.snr for one in agreement.tensors}
    outlier = max(_outlier_ratios(subgraph, agreement.channels), default=None)
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
    falls = sorted(_snr_falls(subgraph, snr), key=lambda pair: -pair[0])[:_FALLS]
    for fall, operator_index in falls:
        operator = subgraph.operators[operator_index]
        text = f"{operator.opcode} #{operator_index} '{name_of(subgraph, operator)}' loses {fall:.1f} dB"
        yield LossCause((operator_index,), text)


def sample_cause(statistics: CalibrationStatistics, model: Model) -> Iterator[LossCause]:
    """Yield the cause of a sample that alone sets ranges, with the ranges of all other samples."""
    for one in named_samples(statistics)[:1]:
        stated = ranges_without(statistics, one.sample)
        if len(stated) <= _RANGES:
            texts = tuple(
                f"{model.subgraphs[s].tensors[t].name}={min(low, 0.0):.6g}:{max(high, 0.0):.6g}"
                for (s, t), (low, high) in stated.items()
                if max(high, 0.0) > min(low, 0.0)
            )
            yield LossCause((), decisive_text(one, f"sample {one.sample}", model), ranges=texts)


def _outlier_ratios(
    subgraph: Subgraph, channels: Mapping[Key, ChannelSums]
) -> Iterator[tuple[float, int, int, int]]:
    """Yield the ratio of outlier channels, with their operator, channel and number of channels."""
    graph = graph_of(subgraph)
    for (number, tensor), sums in channels.items():
        channel, ratio = sums.outlier
        writer = graph.producer[tensor] if number == 0 else -1
        if ratio >= _OUTLIER and sums.peak.size > 2 and writer >= 0 and graph.consumers[tensor]:
            yield ratio, writer, channel, sums.peak.size


def _snr_falls(subgraph: Subgraph, snr: Mapping[Key, float]) -> Iterator[tuple[float, int]]:
    """Yield the fall of the SNR from the inputs of each operator to its output."""
    for operator in subgraph.operators:
        input_snrs = [snr[0, i] for i in operator.inputs if (0, i) in snr]
        output_snrs = [snr[0, i] for i in operator.outputs if (0, i) in snr]
        if input_snrs and output_snrs:
            fall = min(min(input_snrs), EXACT) - max(min(output_snrs), -EXACT)
            if fall >= GAIN:
                yield fall, operator.index


def _candidates(subgraph: Subgraph, cause: LossCause, depth: int) -> Iterator[FixOptions]:
    """Yield trials of a cause: no more options, stated ranges, equalization, then int16 and float32 for its operators and
    more and more of their readers."""
    if cause.plain:
        yield FixOptions()
    if cause.ranges:
        yield FixOptions(ranges=cause.ranges)
    if cause.equalizes:
        yield FixOptions(equalize=True)
    chosen = list(cause.operators)
    for _ in range(depth + 1 if chosen else 0):
        names = tuple(f"#{n}" for n in sorted(chosen))
        yield FixOptions(int16x8=names)
        yield FixOptions(keep=names)
        outputs = {t for n in chosen for t in subgraph.operators[n].outputs}
        readers = [op.index for op in subgraph.operators if outputs & {*op.inputs} and op.index not in chosen]
        if not readers:
            return
        chosen += readers
