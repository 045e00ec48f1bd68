"""Agreement of a converted model with the float model on given inputs: per tensor, and per output of the models."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from litecheck.arrays import Arrays
from litecheck.conversion.calibration.dataset import CalibrationData
from litecheck.conversion.calibration.litert_child import (
    KERNELS,
    OWN,
    LitertChild,
    SampleQuestion,
    SamplesDone,
    child_for,
    runtime_name,
    runtime_of,
)
from litecheck.conversion.calibration.observe import calls_others, observer_inputs
from litecheck.conversion.calibration.statistics import Place
from litecheck.conversion.channel_sums import ChannelSums
from litecheck.conversion.class_scores import is_class_scores, is_hidden, is_probabilities
from litecheck.conversion.compared_outputs import compare_outputs
from litecheck.conversion.distortion import Distortion, PairTally, TopAgreement
from litecheck.conversion.litert_pairs import Pair, plain_tensor, tensors_of
from litecheck.conversion.translated_samples import translate_sample
from litecheck.devices.port import Limits
from litecheck.errors import ConfigError
from litecheck.model.types import Model

_PAIRS = "litecheck.conversion.litert_pairs:LitertPairs"


@dataclass(frozen=True, slots=True)
class TensorAgreement:
    """A tensor of the converted model compared with its tensor of the float model, over all samples.

    ``name`` and ``dtype`` belong to the converted tensor. ``step`` is its scale (0 if it has no scale or several).
    ``output`` is the name of the tensor as an output of the model. ``top`` compares the largest value of each row of class
    scores. ``logits`` are the logits of an output that is a probability.
    """

    reference: Place
    converted: Place
    name: str
    dtype: str
    step: float
    distortion: Distortion
    output: str = ""
    signature: str | None = None
    top: TopAgreement | None = None
    logits: TensorAgreement | None = None

    @property
    def is_integer(self) -> bool:
        """True if the tensor stores integers or bools without a scale, such as indices, which have no SNR."""
        return not self.step and self.dtype.startswith(("int", "uint", "bool"))

    @property
    def snr(self) -> float:
        """Signal over noise in dB, infinite if both tensors are equal."""
        return self.distortion.snr

    @property
    def snr_without_dc(self) -> float:
        """Signal without its mean over noise in dB."""
        return self.distortion.snr_without_dc

    @property
    def worse_logits(self) -> TensorAgreement | None:
        """Logits whose loss the output hides; else None."""
        return self.logits if self.logits is not None and is_hidden(self.logits.snr, self.snr) else None

    @property
    def lowest_snr(self) -> float:
        """SNR in dB of the output or of its logits, the lower."""
        return self.snr if self.logits is None else min(self.snr, self.logits.snr)

    @property
    def saturated_share(self) -> float:
        """Share of stored values at the type's limits, 0 to 1."""
        return self.distortion.on_rail / max(1, self.distortion.elements)

    @property
    def clipped_share(self) -> float:
        """Share of real values beyond the range of the stored type, 0 to 1."""
        return self.distortion.clipped / max(1, self.distortion.elements)

    @property
    def equal(self) -> float:
        """Share of stored integers that are equal in both models, 0 to 1, if both models store integers."""
        return self.distortion.equal / max(1, self.distortion.elements)

    @property
    def largest_steps(self) -> float:
        """Largest error in steps of the converted tensor, or 0 if it has no step."""
        return self.distortion.largest / self.step if self.step else 0.0


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement with the float model, or with the ``quantized`` source model, on ``samples`` inputs.

    ``source`` describes the inputs, and ``runtime`` is the runtime. ``tensors`` are in the order of the requested
    pairs. ``outputs`` are the outputs of every entry point that a sample used.
    """

    samples: int
    source: str
    runtime: str
    tensors: tuple[TensorAgreement, ...]
    outputs: tuple[TensorAgreement, ...]
    quantized: bool = False
    channels: Mapping[Place, ChannelSums] = field(default_factory=dict)
    """Sums by channel of float outputs and of the requested tensors, by place in the float model."""

    def to_plain(self) -> dict[str, Any]:
        """Return plain values for JSON. An infinite SNR becomes null."""
        rows = {name: [_plain_row(one) for one in getattr(self, name)] for name in ("tensors", "outputs")}
        facts = {name: getattr(self, name) for name in ("samples", "source", "runtime", "quantized")}
        return {**facts, **rows}


def _plain_row(one: TensorAgreement) -> dict[str, Any]:
    ratios = {"snr": one.snr, "snr_without_dc": one.snr_without_dc}
    finite = {name: ratio if math.isfinite(ratio) else None for name, ratio in ratios.items()}
    shares = {
        "saturated": one.saturated_share,
        "clipped": one.clipped_share,
        "largest_steps": one.largest_steps,
    }
    logits = None if one.logits is None else _plain_row(one.logits)
    return {**asdict(one), **finite, **shares, "logits": logits}


def agreement(
    reference: Model,
    converted: Model,
    pairs: Mapping[Place, Place],
    data: CalibrationData,
    *,
    channelled: Collection[Place] = (),
    device: str = "auto",
    progress: SamplesDone | None = None,
    limits: Limits | None = None,
    quantized: bool = False,
    child: LitertChild | None = None,
) -> Agreement:
    """Run both models on the data. Compare the tensors of ``pairs`` (float -> converted), and the outputs.

    Both models must have the same entry points. Inputs that are quantized in the converted model get quantized samples.
    Float outputs get sums per channel, and so do tensors in ``channelled`` that are among the pairs, but not probabilities.
    With ``quantized``, the reference stores 8-bit integers, and the samples are such integers. ``device``, ``limits`` and
    ``child`` are those of :func:`litecheck.conversion.calibration.observe.observe`. Raises CalibrationError, ConfigError
    and DeviceError as ``observe`` does.
    """
    tell = progress or (lambda _: None)
    ends = compare_outputs(reference, converted)
    outputs_range = range(len(pairs), len(pairs) + len(ends))
    logits = (
        {} if quantized else {n: one.logits for n, one in zip(outputs_range, ends, strict=True) if one.logits}
    )
    compared_pairs: list[Pair] = [*pairs.items(), *(one.pair for one in ends), *logits.values()]
    summed = {
        one.pair[0] for one in ends if is_probabilities(reference.subgraphs[one.pair[0][0]], one.pair[0][1])
    }
    wanted = frozenset(
        n
        for n, (place, _) in enumerate(compared_pairs[: outputs_range.stop])
        if place not in summed and (place in channelled or (n in outputs_range and not quantized))
    )
    references = tensors_of(reference, compared_pairs, 0) if quantized else ()
    scores = frozenset(
        n
        for n, ((subgraph, tensor), _) in enumerate(compared_pairs)
        if n in outputs_range and is_class_scores(reference.subgraphs[subgraph], tensor)
    )
    tally = PairTally(tensors_of(converted, compared_pairs), scores, wanted, references)
    models = reference, converted
    # LiteRT has the tensors of called subgraphs after their last call only.
    shown = {one.pair[0][0] for one in ends}
    unseen = any(place[0] not in shown for place in pairs) and any(map(calls_others, models))
    chosen = runtime_of(device, unseen)
    if chosen == OWN:
        count = _run_interpreters(models, compared_pairs, tally, data, tell, limits or Limits())
        runtime = "litecheck's kernels"
    else:
        with child_for(child, KERNELS[chosen], limits or Limits()) as litert:
            count, used = _run_litert(models, compared_pairs, tally, data, litert, tell)
        runtime = runtime_name(used)
    if not count:
        raise ConfigError(f"{data.description}: there is no sample")
    rows = [
        _make_row(n, pair, tally) for n, pair in enumerate(compared_pairs[: len(pairs)]) if n in tally.found
    ]
    rows_of_logits = {
        n: _make_row(at, pair, tally)
        for at, (n, pair) in enumerate(logits.items(), outputs_range.stop)
        if at in tally.found
    }
    outputs = [
        replace(_make_row(n, one.pair, tally, one.name, one.signature), logits=rows_of_logits.get(n))
        for n, one in zip(outputs_range, ends, strict=True)
        if n in tally.found
    ]
    sums = {compared_pairs[n][0]: one for n, one in tally.channels.items()}
    return Agreement(count, data.description, runtime, tuple(rows), tuple(outputs), quantized, sums)


def _make_row(
    number: int, pair: Pair, tally: PairTally, output: str = "", signature: str | None = None
) -> TensorAgreement:
    tensor = tally.tensors[number]
    scale = tensor.quantization.scale
    step = float(scale[0]) if scale.size == 1 else 0.0
    found, top = tally.found[number], tally.top.get(number)
    return TensorAgreement(*pair, tensor.name, tensor.dtype, step, found, output, signature, top)


def _run_interpreters(
    models: tuple[Model, Model],
    pairs: Sequence[Pair],
    tally: PairTally,
    data: CalibrationData,
    tell: SamplesDone,
    limits: Limits,
) -> int:
    # Imported here: the modules import all kernels, which a run in LiteRT does not need.
    from litecheck.conversion.calibration.litert_fallback import FallbackInterpreter
    from litecheck.conversion.paired_runs import ReferencePairs

    with (
        FallbackInterpreter(models[0], limits) as reference,
        FallbackInterpreter(models[1], limits) as converted,
    ):
        interpreters, count = ReferencePairs((reference, converted), pairs, tally), 0
        for count, chain in enumerate(data, 1):
            samples = [(sample, translate_sample(models, sample)) for sample in chain]
            runs = [(one.arrange(models[0]), other.arrange(models[1])) for one, other in samples]
            interpreters.run(count - 1, runs)
            tell(count)
    return count


def _run_litert(
    models: tuple[Model, Model],
    pairs: Sequence[Pair],
    tally: PairTally,
    data: CalibrationData,
    child: LitertChild,
    tell: SamplesDone,
) -> tuple[int, str]:
    """Run the pairs in LiteRT and return the number of samples and the kernels that ran."""
    count, used = 0, child.kernels
    question = SampleQuestion(_PAIRS, _facts(models, pairs, tally, child))
    for answer in child.ask(question, models[0], _chains(models, data), tell):
        tally.take(answer)
        count, used = count + answer["samples"], answer["kernels"]
    return count, used


def _facts(
    models: tuple[Model, Model], pairs: Sequence[Pair], tally: PairTally, child: LitertChild
) -> dict[str, Any]:
    each = [child.facts_of(model) for model in models]
    return {
        "files": [one["file"] for one in each],
        "kernels": child.kernels,
        "signatures": [one["signatures"] for one in each],
        "unpacks": [one["unpacks"] for one in each],
        "resources": each[0]["resources"],
        "pairs": pairs,
        "scores": sorted(tally.scores),
        "channelled": sorted(tally.per_channel),
        "tensors": list(map(plain_tensor, tally.tensors)),
        "references": list(map(plain_tensor, tally.references)),
    }


def _chains(models: tuple[Model, Model], data: CalibrationData) -> Iterator[tuple[Arrays, ...]]:
    """Yield the runs of both models for each chain of samples, as :class:`LitertPairs` expects them."""
    for chain in data:
        runs = []
        for sample in chain:
            other = translate_sample(models, sample)
            runs.append((*observer_inputs(models[0], sample), *observer_inputs(models[1], other)[1:]))
        yield tuple(runs)
