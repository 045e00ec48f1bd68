"""Shares of the outputs' error: the float model runs with the error of a single operator or tensor."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from litecheck.conversion.channel_sums import ChannelSums, channel_sums
from litecheck.conversion.powers import Values, power, squares
from litecheck.conversion.shared_scales import LOW_RESOLUTION
from litecheck.model.matching import ModelMatch, SubgraphMatch
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from litecheck.reference.runtime_tensors import RunError
from litecheck.tracing.bench import Bench
from litecheck.tracing.isolated_operators import IsolatedOperator
from litecheck.tracing.measures import Tensors
from litecheck.tracing.storage import dequantize_values, store_in_tensor
from litecheck.tracing.trace_result import Culprit

#: Number of channels from which a tenth of them must have a share, not a single channel.
_MANY = 10


class ErrorShares:
    """Errors of an entry point's outputs on some samples that come from a single operator or tensor.

    ``samples`` are all tensors of the float model, and the outputs of the quantized model.
    """

    def __init__(self, match: ModelMatch, bench: Bench, samples: Sequence[tuple[Tensors, Tensors]]) -> None:
        self._bench, self._samples = bench, [real for real, _ in samples]
        self._stored = [stored for _, stored in samples]
        self._interpreter = ReferenceInterpreter(match.first)
        self._whole = output_error(bench.part, samples)
        self._ends = [bench.part.tensors[index] for index in bench.ends]
        self._channel_shares: dict[Culprit, float | None] = {}

    def operator_share(self, number: int) -> float | None:
        """Return the share that comes from an operator, 0 to 1, or None if it is not known.

        The storage of its inputs belongs to their producers. Example: 0.9 if the outputs have 90 % of their squared error
        when only this operator has its error.
        """
        return self._share([self._operator_errors(number, real) for real in self._samples])

    def joint_share(self, culprits: Sequence[Culprit]) -> float | None:
        """Return the share that comes from several culprits at once, 0 to 1, or None if it is not known.

        Errors amplify or cancel each other, so that this is not the sum of their shares.
        """
        return self._share([self._culprit_errors(culprits, real) for real in self._samples])

    def channel_share(self, culprit: Culprit) -> float | None:
        """Return the largest share of a channel's error that comes from a culprit, 0 to 1, or None if it is not known.

        Of ten and more channels of an output a tenth has at least this share. Example: boxes and scores in one output,
        where only the scores have the culprit's error: 1, although most of the output's error is that of the boxes.
        """
        if culprit not in self._channel_shares:
            self._channel_shares[culprit] = self._find_channel_share(culprit)
        return self._channel_shares[culprit]

    def _find_channel_share(self, culprit: Culprit) -> float | None:
        found = self._channel_noise(culprit)
        if found is None:
            return None
        alone, whole = found
        largest = 0.0
        for end, noise in alone.items():
            counted = whole[end] > 0
            ratios = np.minimum(1.0, noise[counted] / whole[end][counted])
            if ratios.size:
                share = np.quantile(ratios, 0.9) if ratios.size >= _MANY else ratios.max()
                largest = max(largest, float(share))
        return largest

    def _channel_noise(
        self, culprit: Culprit
    ) -> tuple[Mapping[int, NDArray[np.float64]], Mapping[int, NDArray[np.float64]]] | None:
        """Return the squared errors of each channel of the outputs: with a culprit's error alone, and all."""
        part = self._bench.part
        alone, whole = dict[int, ChannelSums](), dict[int, ChannelSums]()
        partners = {part.tensors.get(new, -1): new for new in part.second.outputs}
        for real, stored in zip(self._samples, self._stored, strict=True):
            try:
                tensors = self._recompute(real, self._culprit_errors((culprit,), real))
            except RunError:
                return None
            for end in self._ends:
                new = partners.get(end, -1)
                if new not in stored or not _is_float(real, end) or not real[end].size:
                    continue
                values, float_tensor = np.atleast_1d(real[end]), part.first.tensors[end]
                pairs = (tensors[end], float_tensor), (stored[new], part.second.tensors[new])
                for sums, (compared, tensor) in zip((alone, whole), pairs, strict=True):
                    one = channel_sums(values, compared, tensor)
                    sums[end] = sums[end].merge(one) if end in sums else one
        return {end: one.noise for end, one in alone.items()}, {end: one.noise for end, one in whole.items()}

    def _culprit_errors(self, culprits: Sequence[Culprit], real: Tensors) -> dict[int, Values]:
        """Return the errors of float tensors that come from culprits: an input has the error of its storage."""
        errors: dict[int, Values] = {}
        for one in culprits:
            if one.tensor < 0:
                if one.cause == "shared_range":
                    errors.update(self._shared_range_errors(one.operator, real))
                    continue
                for number in (one.operator, *one.others):
                    errors.update(self._operator_errors(number, real))
                continue
            old, tensor = self._bench.part.tensors[one.tensor], self._bench.part.second.tensors[one.tensor]
            if old in real:
                copied = (
                    self._bench.copy_values(one.tensor, real[old]) if one.cause != "input_range" else None
                )
                errors[old] = (store_in_tensor(real[old], tensor) if copied is None else copied) - real[old]
        return errors

    def _operator_errors(self, number: int, real: Tensors) -> dict[int, Values]:
        fed = next(one for one in self._bench.operators if one.other == number)
        tensors, alone = self._bench.part.second.tensors, self._bench.run_alone(fed, real)
        targets = {old: self._bench.simulated.get(old, old) for old, _ in fed.outputs}
        outputs = {
            targets[old]: dequantize_values(alone[new], tensors[new])
            for old, new in fed.outputs
            if new in alone
        }
        simulated = any(old != new for old, new in targets.items())
        before = real if simulated else self._compute_from_stored(fed, real)
        known = {
            old for old, values in outputs.items() if old in before and before[old].shape == values.shape
        }
        return {old: outputs[old] - before[old] for old in known}

    def _shared_range_errors(self, number: int, real: Tensors) -> dict[int, Values]:
        """Return the errors of an operator that joins tensors which come from the inputs of low resolution in its range."""
        fed = next(one for one in self._bench.operators if one.other == number)
        joined = self._bench.part.second.tensors[fed.outputs[0][1]]
        step, errors = float(joined.quantization.scale.max()), dict[int, Values]()
        for _, old in fed.feeds:
            low, high = self._extent(old)
            if 0 < high - low < step * 2**LOW_RESOLUTION and _is_float(real, old):
                errors[fed.reads.get(old, old)] = store_in_tensor(real[old], joined) - real[old]
        try:
            after = self._recompute(real, errors, {fed.one})
        except RunError:
            return {}
        return {old: after[old] - real[old] for old, _ in fed.outputs if _is_float(real, old)}

    def _extent(self, tensor: int) -> tuple[float, float]:
        """Return the smallest and largest value of a float tensor on the samples; 0 and 0 if it has none."""
        known = [real[tensor] for real in self._samples if _is_float(real, tensor) and real[tensor].size]
        return (
            (min(float(v.min()) for v in known), max(float(v.max()) for v in known)) if known else (0.0, 0.0)
        )

    def _compute_from_stored(self, fed: IsolatedOperator, real: Tensors) -> Tensors:
        """Return the outputs of the float operator from the real values of the stored inputs."""
        tensors = self._bench.part.second.tensors
        stored = {
            fed.reads.get(old, old): store_in_tensor(real[old], tensors[new])
            for new, old in fed.feeds
            if _is_float(real, old)
        }
        errors = {old: values - real[old] for old, values in stored.items()}
        try:
            return self._recompute(real, errors, {fed.one, *self._bench.part.absorbed.get(fed.one, ())})
        except RunError:
            return {}

    def _share(self, errors: Sequence[Mapping[int, Values]]) -> float | None:
        if not self._whole or not any(errors):
            return None
        signal, noise = dict.fromkeys(self._ends, 0.0), dict.fromkeys(self._ends, 0.0)
        for real, one in zip(self._samples, errors, strict=True):
            try:
                tensors = self._recompute(real, one)
            except RunError:
                return None
            for end in self._ends:
                if _is_float(real, end):
                    signal[end] += power(real[end])
                    noise[end] += squares(real[end], tensors[end])
        ratios = (noise[end] / signal[end] for end in self._ends if signal[end])
        return min(1.0, sum(ratios) / self._whole)

    def _recompute(
        self, real: Tensors, errors: Mapping[int, Values], only: Collection[int] | None = None
    ) -> Tensors:
        """Return the float model's tensors after errors are added and all dependent operators, or those in ``only``, run
        again."""
        subgraph, tensors = self._bench.part.first, {**real, **{i: real[i] + e for i, e in errors.items()}}
        changed = set(errors)
        self._interpreter.restart()
        for operator in subgraph.operators:
            if changed.isdisjoint(operator.inputs) or (only is not None and operator.index not in only):
                continue
            outputs = self._interpreter.step(subgraph, operator, tensors).outputs
            for index, values in zip(operator.outputs, outputs, strict=True):
                tensors[index] = values + errors[index] if index in errors else values
            changed.update(operator.outputs)
        return tensors


def output_error(part: SubgraphMatch, samples: Iterable[tuple[Tensors, Tensors]]) -> float:
    """Return the squared error of the outputs relative to their squares, added up over outputs.

    Example: an output (3, 4) that is stored as (3, 4.5) has 0.25 / 25 = 0.01.
    """
    signal, noise = dict[int, float](), dict[int, float]()
    for real, stored in samples:
        for new in part.second.outputs:
            old = part.tensors.get(new, -1)
            if new in stored and _is_float(real, old):
                signal[new] = signal.get(new, 0.0) + power(real[old])
                values = dequantize_values(stored[new], part.second.tensors[new])
                noise[new] = noise.get(new, 0.0) + squares(real[old], values)
    return sum(noise[new] / signal[new] for new in noise if signal[new])


def _is_float(real: Tensors, index: int) -> bool:
    return index in real and real[index].dtype.kind == "f"
