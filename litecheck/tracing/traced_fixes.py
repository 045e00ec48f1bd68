"""Fixes of a traced model: conversions of the float model that are tried, and the gain of the best."""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from litecheck.cases.inputs import quantize_input
from litecheck.conversion.calibration.statistics import CalibrationStatistics
from litecheck.conversion.channel_sums import ChannelSums, channel_sums
from litecheck.conversion.class_scores import is_probabilities, output_logits
from litecheck.conversion.convert_float import Conversion, convert
from litecheck.conversion.fix_trials import FixTrials
from litecheck.conversion.fixes import (
    DEPTH,
    GAIN,
    LARGE_LOSS,
    FixOptions,
    LossCause,
    best_fix,
    low_channel,
    sample_cause,
)
from litecheck.conversion.powers import Values, power, squares
from litecheck.errors import LitecheckError
from litecheck.model.matching import ModelMatch
from litecheck.model.save import model_hash
from litecheck.model.types import Model, Operator, Subgraph
from litecheck.profile.operators import traits_of
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from litecheck.tracing.confirmed_fixes import FixCommand, WholeSnr
from litecheck.tracing.fix_gains import fix_gains
from litecheck.tracing.measures import Tensors
from litecheck.tracing.storage import dequantize_values
from litecheck.tracing.trace_result import Culprit, TriedFix, decibels
from litecheck.tracing.twin import granularity_of

#: Gain in dB from which a command is printed for a culprit. Without a culprit, or if a plain conversion has the same large
#: loss, that of ``convert``: SNRs of two sound conversions differ by less.
_WORTH = 1.0
#: Largest number of fixes that are carried out on all samples.
_CONFIRMED = 3


@dataclass(frozen=True, slots=True, eq=False)
class Workshop:
    """Models, samples and settings of the trials of a fix, and the options of its command.

    ``samples`` are tensors of the float and of the quantized model for each sample, as :class:`SubgraphMeasures` keeps
    them. A plain conversion is always tried, so that options are not credited with its gain. ``causes`` are those of a
    large loss of the plain conversion, as ``convert`` finds them. ``command`` carries the best fix out on all samples.
    """

    match: ModelMatch
    trials: FixTrials
    statistics: CalibrationStatistics
    causes: Callable[[Conversion], Iterable[LossCause]]
    samples: Sequence[tuple[Tensors, Tensors]]
    source: str
    option_words: str
    command: FixCommand
    arithmetic: str = "litert-reference"

    def best(self, culprit: Culprit | None, partner: int) -> TriedFix | None:
        """Return the tried conversion with the largest gain that holds on all samples, or None if none does.

        ``partner`` is the float operator of the culprit or, without one, of the operator with the largest error. The gain
        is that of the lowest channel of an output, as for ``convert``; with a shared range, of the outputs behind it and of
        the worst tensor that shares it. A plain conversion with a large loss has the candidates of ``convert``.
        """
        part = self.match.subgraphs[0]
        joint = part.first.operators[partner] if culprit and culprit.cause == "shared_range" else None
        ends = part.first.outputs if joint is None else _dependent_outputs(part.first, joint)
        ends = (*ends, *(i for i in output_logits(part.first) if i not in ends))
        own = {old: new for new, old in part.tensors.items() if old in ends}
        own |= {old: new for new in part.second.outputs if (old := part.tensors.get(new, -1)) in ends}
        runs = (stored for _, stored in self.samples)
        before = self._snr(self.match.second, own, joint, runs)
        known = {model_hash(self.match.second): before}

        @cache
        def trial(options: FixOptions) -> float | None:
            # Equalization rescales tensors inside the model, so that only outputs can be compared.
            scales = joint is not None and options.equalize
            return None if scales else self.trials.measure(options, snr)

        def snr(tried: Conversion) -> float:
            model = model_hash(tried.model)
            if model not in known:
                new_ends = {old: tried.tensors.get((0, old), (0, old))[1] for old in ends}
                known[model] = self._snr(tried.model, new_ends, joint, self._runs(tried.model))
            return known[model]

        plain = trial(FixOptions())
        large = plain is not None and plain < LARGE_LOSS
        causes = (
            self.causes(self.trials.convert_with(FixOptions())) if large else _own_cause(culprit, partner)
        )
        every = [
            LossCause((), culprit.detail if culprit else "", plain=True),
            *sample_cause(self.statistics, self.match.first),
            *causes,
        ]
        main, count = self.trials.model.subgraphs[0], len(self.samples)
        same_loss = plain is not None and plain < min(LARGE_LOSS, before + _WORTH)
        gain = GAIN if same_loss or culprit is None else _WORTH
        tried = dict[tuple[str, ...], FixOptions | None]()

        def remaining(options: FixOptions) -> float | None:
            return trial(options) if tried.setdefault(options.words, options) else None

        for _ in range(_CONFIRMED):
            found = best_fix(main, every, remaining, before, count, gain=gain, depth=DEPTH if large else 0)
            options = tried[found.options] if found else None
            if found is None or options is None:
                return None
            if fix := self._confirm(options, gain, joint, before, snr):
                return fix
            tried[found.options] = None
        return None

    def _confirm(
        self, options: FixOptions, gain: float, joint: Operator | None, before: float,
        snr: Callable[[Conversion], float],
    ) -> TriedFix | None:  # fmt: skip
        """Return the fix with the gain of its command on all samples, or None if the command gains less.

        Options with a lower SNR than a plain conversion are omitted.
        The tensors that an operator joins may gain where the outputs do not lose: then with the gain on the trials' samples.
        """
        command = self.command
        try:
            conversion = command.conversion(options)
            first, last = command.measure_snr(self.match.second), command.measure_snr(conversion.model)
            if options.words:
                plain = command.measure_snr(self.trials.convert_with(FixOptions()).model)
                if last.snr < plain.snr - _WORTH:
                    return self._confirm(FixOptions(), gain, None, before, snr)
            if last.snr - first.snr >= gain:
                return self._fix(options, first.snr, last, lambda one: command.measure_snr(one.model).snr)
            if joint is not None and last.snr > first.snr - _WORTH and snr(conversion) - before >= gain:
                return self._fix(options, before, WholeSnr(snr(conversion), len(self.samples), ""), snr)
        except LitecheckError:  # the command or its model fails
            pass
        return None

    def _fix(
        self, options: FixOptions, before: float, after: WholeSnr, snr: Callable[[Conversion], float]
    ) -> TriedFix:
        kind = self.trials.request.to
        options_text = shlex.join((*(("--to", kind) if kind != "int8" else ()), *options.words))
        words = " ".join(
            filter(None, (shlex.quote(self.source), "-o fixed.tflite", options_text, self.option_words))
        )
        trials, same = self.trials, granularity_of(self.match)
        granular = _try_measure(
            snr,
            lambda: convert(trials.model, trials.request, trials.ranges, same, trials.inner, trials.changes),
        )
        plain = _try_measure(snr, lambda: trials.convert_with(FixOptions()))
        narrow = any(t.dtype == "int4" for s in self.match.second.subgraphs for t in s.tensors)
        gains = fix_gains(before, granular, plain, after.snr, options.words, narrow)
        return TriedFix(
            f"litecheck convert {words}", before, after.snr, after.samples, gains, runtime=after.runtime
        )

    def _runs(self, model: Model) -> Iterator[Tensors]:
        """Yield all tensors of a conversion for each sample."""
        subgraph, inputs = model.subgraphs[0], self.match.subgraphs[0].first.inputs
        interpreter = ReferenceInterpreter(model, self.arithmetic)
        for real, _ in self.samples:
            interpreter.restart()
            fed = (
                quantize_input(subgraph.tensors[i], real[j])
                for i, j in zip(subgraph.inputs, inputs, strict=True)
            )
            yield interpreter.run(subgraph, tuple(fed), keep_all=True)

    def _snr(
        self, model: Model, ends: Mapping[int, int], joint: Operator | None, runs: Iterable[Tensors]
    ) -> float:
        """Return the lowest SNR of a channel of outputs, of probabilities and logits, or of a part that an operator joins;
        ``ends`` are float -> model."""
        tensors, real = model.subgraphs[0].tensors, self.match.subgraphs[0].first
        outputs, rows = real.outputs, {old for old in real.outputs if is_probabilities(real, old)}
        rows |= {*output_logits(real)} - {*outputs}
        channels, parts = dict[int, ChannelSums](), dict[tuple[int, int], tuple[float, float]]()
        for (sample, _), tensors_of_run in zip(self.samples, runs, strict=True):
            for old, new in ends.items():
                if old not in sample or new not in tensors_of_run or sample[old].dtype.kind != "f":
                    continue
                if old in outputs and old not in rows:
                    values, stored = map(np.atleast_1d, (sample[old], tensors_of_run[new]))
                    one = channel_sums(values, stored, tensors[new])
                    channels[old] = channels[old].merge(one) if old in channels else one
                split = joint if joint is not None and old in joint.outputs else None
                if split is not None or old in rows:
                    pair = sample[old], dequantize_values(tensors_of_run[new], tensors[new])
                    for n, (want, got) in enumerate(
                        zip(*(self._split_parts(v, split) for v in pair), strict=True)
                    ):
                        signal, noise = parts.get((old, n), (0.0, 0.0))
                        parts[old, n] = signal + power(want), noise + squares(want, got)
        lowest = (low[0] for sums in channels.values() if (low := low_channel(sums)) is not None)
        return min((*lowest, *(decibels(*pair) for pair in parts.values())), default=math.inf)

    def _split_parts(self, values: Values, joint: Operator | None) -> list[Values]:
        """Return the values of each tensor that an operator joins, or all values."""
        tensors = self.match.subgraphs[0].first.tensors
        if joint is None or traits_of(joint.kind).concatenates != "axis" or joint.options is None:
            return [values]
        axis = int(joint.options.get("axis", 0)) % max(values.ndim, 1)
        sizes = [tensors[i].shape[axis] for i in joint.inputs]
        return (
            np.split(values, np.cumsum(sizes)[:-1], axis=axis)
            if sum(sizes) == values.shape[axis]
            else [values]
        )


def _try_measure(snr: Callable[[Conversion], float], make: Callable[[], Conversion]) -> float | None:
    """Return the SNR of a conversion, or None if it is impossible."""
    try:
        return snr(make())
    except LitecheckError:
        return None


def _own_cause(culprit: Culprit | None, partner: int) -> Iterator[LossCause]:
    """Yield an operator without a culprit that a conversion fixes."""
    if (culprit is None or culprit.cause == "shared_range") and partner >= 0:
        yield LossCause((partner,), culprit.detail if culprit else "", equalizes=True)


def _dependent_outputs(subgraph: Subgraph, operator: Operator) -> tuple[int, ...]:
    """Return the outputs of an operator, and the outputs of the model that depend on them."""
    changed = set(operator.outputs)
    for one in subgraph.operators:
        if changed & {*one.inputs}:
            changed.update(one.outputs)
    return tuple(dict.fromkeys((*operator.outputs, *(i for i in subgraph.outputs if i in changed))))
