"""Fixes of a traced model: conversions of the float model that are tried, and the gain of the best."""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from litecheck.cases.inputs import requantized
from litecheck.conversion.calibration.statistics import CalibrationStatistics
from litecheck.conversion.channel_sums import ChannelSums, channel_sums
from litecheck.conversion.class_scores import is_probabilities
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
from litecheck.tracing.fix_gains import fix_gains
from litecheck.tracing.measures import Tensors
from litecheck.tracing.storage import meaning
from litecheck.tracing.trace_result import Culprit, TriedFix, decibels
from litecheck.tracing.twin import granularity_of

#: Gain in dB from which a command is printed, unless a plain conversion has the same large loss: then that of convert.
_WORTH = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class Workshop:
    """Everything that trials need, and the words of a command.

    ``samples`` are tensors of the float and of the quantized model for each sample, as :class:`Measured` keeps them. A
    plain conversion is always tried, so that options are not credited with its gain. ``causes`` are those of a large loss of
    the plain conversion, as ``convert`` finds them.
    """

    match: ModelMatch
    trials: FixTrials
    statistics: CalibrationStatistics
    causes: Callable[[Conversion], Iterable[LossCause]]
    samples: Sequence[tuple[Tensors, Tensors]]
    source: str
    asked: str
    arithmetic: str = "litert-reference"

    def best(self, culprit: Culprit | None, partner: int) -> TriedFix | None:
        """Return the tried conversion with the largest gain, or None if none gains 1 dB.

        ``partner`` is the float operator of the culprit or, without one, of the operator with the largest error. The gain
        is that of the lowest channel of an output, as for ``convert``; with a shared range, of the outputs behind it and of
        the worst tensor that shares it. A plain conversion with a large loss has the candidates of ``convert``.
        """
        part = self.match.subgraphs[0]
        joint = part.first.operators[partner] if culprit and culprit.cause == "shared_range" else None
        ends = part.first.outputs if joint is None else _outputs_behind(part.first, joint)
        own = {old: new for new, old in part.tensors.items() if old in ends}
        own |= {old: new for new in part.second.outputs if (old := part.tensors.get(new, -1)) in ends}
        runs = (stored for _, stored in self.samples)
        before = self._snr(self.match.second, own, joint, runs)
        known = {model_hash(self.match.second): before}

        @cache
        def trial(options: FixOptions) -> float | None:
            # Equalization rescales tensors inside the model, so that only outputs can be compared.
            scales = joint is not None and options.equalize
            return None if scales else self.trials.measured(options, snr)

        def snr(tried: Conversion) -> float:
            model = model_hash(tried.model)
            if model not in known:
                made = {old: tried.tensors.get((0, old), (0, old))[1] for old in ends}
                known[model] = self._snr(tried.model, made, joint, self._runs(tried.model))
            return known[model]

        plain = trial(FixOptions())
        large = plain is not None and plain < LARGE_LOSS
        causes = self.causes(self.trials.converted(FixOptions())) if large else _own_cause(culprit, partner)
        every = (
            LossCause((), culprit.detail if culprit else "", plain=True),
            *sample_cause(self.statistics, self.match.first),
            *causes,
        )
        main, count = self.trials.model.subgraphs[0], len(self.samples)
        gain = GAIN if plain is not None and plain < min(LARGE_LOSS, before + _WORTH) else _WORTH
        found = best_fix(main, every, trial, before, count, gain=gain, depth=DEPTH if large else 0)
        if found is None:
            return None
        kind = self.trials.request.to
        options = shlex.join((*(("--to", kind) if kind != "int8" else ()), *found.options))
        words = " ".join(filter(None, (shlex.quote(self.source), "-o fixed.tflite", options, self.asked)))
        gains = fix_gains(found.before, self._granular(snr), trial(FixOptions()), found.after, found.options)
        return TriedFix(f"litecheck convert {words}", found.before, found.after, len(self.samples), gains)

    def _granular(self, snr: Callable[[Conversion], float]) -> float | None:
        """Return the SNR of the plain conversion with the granularity of the quantized model, None if it is impossible."""
        made = self.trials
        try:
            same = granularity_of(self.match)
            return snr(convert(made.model, made.request, made.ranges, same, made.inner, made.changes))
        except LitecheckError:
            return None

    def _runs(self, model: Model) -> Iterator[Tensors]:
        """Yield all tensors of a conversion for each sample."""
        subgraph, inputs = model.subgraphs[0], self.match.subgraphs[0].first.inputs
        interpreter = ReferenceInterpreter(model, self.arithmetic)
        for real, _ in self.samples:
            interpreter.restart()
            fed = (
                requantized(subgraph.tensors[i], real[j])
                for i, j in zip(subgraph.inputs, inputs, strict=True)
            )
            yield interpreter.run(subgraph, tuple(fed), keep_all=True)

    def _snr(
        self, model: Model, ends: Mapping[int, int], joint: Operator | None, runs: Iterable[Tensors]
    ) -> float:
        """Return the lowest SNR of a channel of outputs, of probabilities, or of a part that an operator joins; ``ends`` are
        float -> model."""
        tensors, real = model.subgraphs[0].tensors, self.match.subgraphs[0].first
        outputs, rows = real.outputs, {old for old in real.outputs if is_probabilities(real, old)}
        channels, parts = dict[int, ChannelSums](), dict[tuple[int, int], tuple[float, float]]()
        for (sample, _), made in zip(self.samples, runs, strict=True):
            for old, new in ends.items():
                if old not in sample or new not in made or sample[old].dtype.kind != "f":
                    continue
                if old in outputs and old not in rows:
                    values, stored = map(np.atleast_1d, (sample[old], made[new]))
                    one = channel_sums(values, stored, tensors[new])
                    channels[old] = channels[old].merged(one) if old in channels else one
                split = joint if joint is not None and old in joint.outputs else None
                if split is not None or old in rows:
                    pair = sample[old], meaning(made[new], tensors[new])
                    for n, (want, got) in enumerate(zip(*(self._parts(v, split) for v in pair), strict=True)):
                        signal, noise = parts.get((old, n), (0.0, 0.0))
                        parts[old, n] = signal + power(want), noise + squares(want, got)
        lowest = (low[0] for sums in channels.values() if (low := low_channel(sums)) is not None)
        return min((*lowest, *(decibels(*pair) for pair in parts.values())), default=math.inf)

    def _parts(self, values: Values, joint: Operator | None) -> list[Values]:
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


def _own_cause(culprit: Culprit | None, partner: int) -> Iterator[LossCause]:
    """Yield an operator without a culprit that a conversion fixes."""
    if (culprit is None or culprit.cause == "shared_range") and partner >= 0:
        yield LossCause((partner,), culprit.detail if culprit else "", equalizes=True)


def _outputs_behind(subgraph: Subgraph, operator: Operator) -> tuple[int, ...]:
    """Return the outputs of an operator, and the outputs of the model that depend on them."""
    behind = set(operator.outputs)
    for one in subgraph.operators:
        if behind & {*one.inputs}:
            behind.update(one.outputs)
    return tuple(dict.fromkeys((*operator.outputs, *(i for i in subgraph.outputs if i in behind))))
