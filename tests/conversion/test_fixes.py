"""Fixes of a large loss: each planted problem is named, and the printed options, executed, give the printed SNR."""

from __future__ import annotations

import math
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from fixtures.detector import float_detector
from litecheck import convert_model, render
from litecheck.conversion.agreement import Agreement
from litecheck.conversion.calibration.dataset import CalibrationData
from litecheck.conversion.calibration.samples import Sample
from litecheck.conversion.channel_sums import ChannelSums, channel_sums
from litecheck.conversion.fixes import (
    GAIN,
    LARGE_LOSS,
    FixOptions,
    LossCause,
    best_fix,
    evaluation_warnings,
    loss_warnings,
    lowest_snr,
)
from litecheck.conversion.record import ConversionRecord
from litecheck.conversion.rerun import Rerun
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.types import Model, Tensor
from tests.conversion.mobile_nets import images, mobile_net
from tests.conversion.test_rerun import with_outlier_channel

DETECTOR = Path(__file__).parents[2] / "fixtures" / "float_detector.npz"


def joined() -> Model:
    """Return a CONCATENATION of branches, one 600 times as wide as the next; a layer reads both with equal weights."""
    rng = np.random.default_rng(3)
    main = (builder := ModelBuilder()).subgraph()
    x = main.tensor("x", (1, 8), "float32")
    wide, narrow, tanh = (main.tensor(n, (1, 8), "float32") for n in ("wide", "narrow", "tanh"))
    main.add(
        "FULLY_CONNECTED", [x, main.constant("w", rng.normal(0, 200, (8, 8)).astype(np.float32)), -1], [wide]
    )
    main.add(
        "FULLY_CONNECTED",
        [x, main.constant("n", rng.normal(0, 0.2, (8, 8)).astype(np.float32)), -1],
        [narrow],
    )
    main.add("TANH", [narrow], [tanh])
    both = main.tensor("both", (1, 16), "float32")
    main.add("CONCATENATION", [wide, tanh], [both], axis=1)
    weights = rng.normal(0, 1, (4, 16)).astype(np.float32)
    weights[:, :8] /= 3000
    y = main.tensor("y", (1, 4), "float32")
    main.add("FULLY_CONNECTED", [both, main.constant("v", weights), -1], [y])
    main.inputs(x)
    main.outputs(y)
    return builder.finish()


def rows(count: int = 12) -> CalibrationData:
    arrays = np.random.default_rng(0).normal(0, 1, (count, 1, 8)).astype(np.float32)
    return CalibrationData(lambda: ((Sample({"x": a}),) for a in arrays), "rows", count)


def outlier() -> Model:
    return with_outlier_channel(mobile_net(0, blocks=2, spread=0), 5)


def made(model: Model, data: CalibrationData, **more: object) -> ConversionRecord:
    return convert_model(model, data=(data,), device="litecheck", **more)


SETTINGS = {"--keep-float": "keep", "--int16x8": "int16x8", "--range": "ranges"}


def executed(record: ConversionRecord, model: Model, data: CalibrationData) -> ConversionRecord:
    """Convert with the options that the report prints."""
    assert record.fix is not None
    words = list(record.fix.options)
    settings: dict[str, object] = {"equalize": True} if "--equalize" in words else {}
    pairs = [word for word in words if word != "--equalize"]
    for option, value in zip(pairs[::2], pairs[1::2], strict=True):
        settings[SETTINGS[option]] = (*settings.get(SETTINGS[option], ()), value)  # type: ignore[misc]
    return made(model, data, **settings)


@pytest.mark.parametrize(
    ("model", "data", "cause"),
    [
        (joined(), rows(8), "'tanh' has an effective resolution of 0.0 of 8 bits under the scale of CONC"),
        (outlier(), images(0, 4), "channel 5 of 32 of CONV_2D #5"),
    ],
    ids=["shared scale", "outlier channel"],
)
def test_the_printed_fix_helps_when_it_is_executed(model: Model, data: CalibrationData, cause: str) -> None:
    record = made(model, data)
    fix = record.fix
    assert fix is not None
    assert fix.cause.startswith(cause)
    assert fix.before < LARGE_LOSS
    assert fix.after >= fix.before + GAIN
    again = executed(record, model, data)
    assert again.agreement is not None
    assert again.fix is None or again.fix.before == pytest.approx(fix.after, abs=0.1)
    assert min(one.snr for one in again.agreement.outputs) > fix.after - 1
    shown = " ".join(render(record).split())
    assert f"has an SNR of {fix.before:.1f} dB, below 20 dB" in shown
    still = "; still below 20 dB" if fix.after < LARGE_LOSS else ""
    assert (
        f"(lowest channel {fix.after:.1f} dB instead of {fix.before:.1f} dB, tried on {fix.samples} samples, "
        f"litecheck's kernels{still})" in shown
    )
    assert loss_warnings(again.agreement) == again.warnings
    assert bool(again.warnings) == (lowest_snr(again.agreement) < LARGE_LOSS)


def test_equalization_is_the_fix_of_two_outliers_in_uint8() -> None:
    model = with_outlier_channel(outlier(), 1)
    record, equalized = (made(model, images(0, 4), to="uint8", **more) for more in ({}, {"equalize": True}))
    assert record.fix is not None
    assert record.fix.options == ("--equalize",)
    assert equalized.agreement is not None
    assert lowest_snr(equalized.agreement) == pytest.approx(record.fix.after, abs=0.1)
    assert record.fix.after > record.fix.before + 20


def test_a_fix_repeats_the_options_of_the_command() -> None:
    record = convert_model(outlier(), data=(images(0, 4),), device="litecheck", keep=("#0",))
    assert record.fix is not None
    assert record.fix.options[:2] == ("--keep-float", "#0")
    assert len(record.fix.options) > 2


def test_float_outputs_are_a_part_of_the_fix_if_channels_of_an_integer_output_need_them() -> None:
    """Boxes and scores in one int8 output have one scale, also with float32 operators before them."""
    model, settings = float_detector(), {"data": (str(DETECTOR),), "device": "litecheck"}
    record = convert_model(model, outputs="int8", **settings)
    assert record.fix is not None
    assert record.fix.options[:3] == ("--output-dtype", "float32", "--keep-float")
    assert record.fix.after > record.fix.before + 20
    again = convert_model(model, keep=tuple(record.fix.options[3::2]), **settings)
    assert again.agreement is not None
    assert lowest_snr(again.agreement) == pytest.approx(record.fix.after, abs=3)


@pytest.mark.parametrize(
    ("snr", "channels", "words"),
    [
        (25.0, (), ()),
        (15.0, (), ("output 'y' has an SNR of 15.0 dB, below 20 dB",)),
        (25.0, (30.0, 10.0), ("channel 1 of output 'y' has an SNR of 10.0 dB, below 20 dB",)),
        (25.0, (8.0,), ("channel 0 of output 'y' has an SNR of 8.0 dB without its mean, below 10 dB",)),
    ],
)
def test_a_large_loss_is_a_warning(snr: float, channels: tuple[float, ...], words: tuple[str, ...]) -> None:
    output = SimpleNamespace(snr=snr, output="y", reference=(0, 1), is_integer=False, logits=None)
    dc = np.full(len(channels), len(channels) == 1)
    sums = SimpleNamespace(snr=np.array(channels), signal=np.ones(len(channels)), hides_loss=dc)
    agreement = SimpleNamespace(outputs=(output,), channels={(0, 1): sums} if channels else {})
    assert loss_warnings(cast(Agreement, agreement)) == words


@pytest.mark.parametrize(
    ("logits", "words"),
    [(25.0, ()), (14.0, ("logits of output 'y' have an SNR of 14.0 dB, below 20 dB",))],
)
def test_a_large_loss_of_logits_is_a_warning(logits: float, words: tuple[str, ...]) -> None:
    hidden = SimpleNamespace(snr=logits)
    output = SimpleNamespace(snr=44.5, output="y", reference=(0, 1), is_integer=False, logits=hidden)
    agreement = SimpleNamespace(outputs=(output,), channels={}, quantized=False)
    assert loss_warnings(cast(Agreement, agreement)) == words
    assert lowest_snr(cast(Agreement, agreement)) == logits


def compared(snr: float) -> Agreement:
    output = SimpleNamespace(snr=snr, output="y", reference=(0, 1), is_integer=False, logits=None)
    return cast(Agreement, SimpleNamespace(outputs=(output,), channels={}, quantized=False))


@pytest.mark.parametrize(
    ("own", "other", "words"),
    [
        (38.2, 15.1, "--evaluate: output 'y' has an SNR of 15.1 dB, below 20 dB, and 38.2 dB on the samples of the "
                     "calibration. Calibrate with more samples"),
        (38.2, 30.0, ""),
        (15.1, 10.0, ""),  # the warning about the data of the calibration is enough
        (None, 15.1, "--evaluate: output 'y' has an SNR of 15.1 dB, below 20 dB"),
    ],
)  # fmt: skip
def test_a_large_loss_on_other_data_alone_is_a_lack_of_samples(
    own: float | None, other: float, words: str
) -> None:
    found = evaluation_warnings(compared(other), None if own is None else compared(own))
    assert found == ((words,) if words else ())


def test_more_samples_remove_the_loss_on_other_data() -> None:
    """The signs of the first samples alternate, so their sums are small, and sums of random signs saturate."""
    builder = ModelBuilder("sum")
    main = builder.subgraph()
    x, y = main.tensor("x", (1, 8), "float32"), main.tensor("y", (1, 1), "float32")
    main.add("FULLY_CONNECTED", [x, main.constant("w", np.ones((1, 8), np.float32)), -1], [y])
    main.inputs(x)
    main.outputs(y)
    model = builder.finish()
    values = np.random.default_rng(3).uniform(0.5, 1, (16, 1, 8)).astype(np.float32)
    few = values * np.where(np.arange(8) % 2, -1, 1).astype(np.float32)
    other = values * np.random.default_rng(4).choice(np.float32([-1, 1]), values.shape)
    advice = "Calibrate with more samples"
    record = convert_model(model, data=few, evaluate=other, device="litecheck")
    assert [advice in text for text in record.warnings if text.startswith("--evaluate")] == [True]
    more = convert_model(model, data=np.concatenate((few, other)), evaluate=other, device="litecheck")
    assert [text for text in more.warnings if text.startswith("--evaluate")] == []


def spiked() -> CalibrationData:
    """Return rows; the third has a value 300 times as large as the rest."""
    arrays = np.random.default_rng(0).normal(0, 1, (12, 1, 8)).astype(np.float32)
    arrays[2, 0, 3] = 300
    return CalibrationData(lambda: ((Sample({"x": a}),) for a in arrays), "rows", 12)


def dense_net() -> Model:
    """Return two layers."""
    main = (builder := ModelBuilder()).subgraph()
    x, h, y = (main.tensor(name, (1, 8), "float32") for name in ("x", "h", "y"))
    for n, (read, made_) in enumerate(((x, h), (h, y))):
        values = np.random.default_rng(n).normal(0, 1, (8, 8)).astype(np.float32)
        main.add("FULLY_CONNECTED", [read, main.constant(f"w{n}", values), -1], [made_])
    main.inputs(x)
    main.outputs(y)
    return builder.finish()


def test_a_sample_that_sets_ranges_is_the_cause_and_the_ranges_without_it_are_the_fix() -> None:
    record = made(dense_net(), spiked())
    fix = record.fix
    assert fix is not None
    assert fix.cause.startswith("sample 2 alone sets 3 ranges: ")
    assert fix.options[::2] == ("--range",) * 3
    assert fix.after >= fix.before + 20, "300 / 3 is 40 dB"
    again = executed(record, dense_net(), spiked())
    usual = made(dense_net(), rows(12))
    forms, usual_forms = (
        {t.name: float(t.form.scale[0]) for t in r.tensors if not t.constant} for r in (again, usual)
    )
    assert forms == pytest.approx(usual_forms, rel=0.2)
    text = render(record)
    assert f"--range {fix.options[1]} " in " ".join(text.split()), "options are never shortened"


def test_a_small_loss_has_no_fix(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison of both models shows a small loss, so that no further run is needed."""
    monkeypatch.setattr(Rerun, "compare", lambda *_: pytest.fail("a run more"))
    assert made(mobile_net(0, blocks=1, spread=0), images(0, 2)).fix is None


def test_sums_by_channel() -> None:
    tensor = Tensor(0, "x", "int8", (2, 2), quantization=qparams(0.5, 0))
    x = np.array([[1.0, -3.0], [2.0, np.inf]], np.float32)
    sums = channel_sums(x, np.array([[2, -5], [3, 9]], np.int8), tensor)
    assert (sums.rows, sums.error.tolist(), sums.signal.tolist(), sums.noise.tolist(), sums.peak.tolist()) == (
        2, [-0.5, 0.5], [5.0, 9.0], [0.25, 0.25], [2.0, 3.0],
    )  # fmt: skip
    assert sums.snr.tolist() == pytest.approx([10 * np.log10(20), 10 * np.log10(36)])
    twice = sums.merge(ChannelSums.from_plain(sums.to_plain()))
    assert (twice.rows, twice.signal.tolist(), twice.peak.tolist()) == (4, [10.0, 18.0], [2.0, 3.0])
    assert twice.mean_error.tolist() == [-0.25, 0.25]


@pytest.mark.parametrize(
    ("signal", "noise", "snr"),
    [(1.0, 0.0, 200.0), (0.0, 0.0, 200.0), (0.0, 1.0, -200.0), (1.0, 100.0, -20.0)],
)
def test_snr_of_a_channel(signal: float, noise: float, snr: float) -> None:
    arrays = (np.array([value]) for value in (0.0, 0.0, signal, noise, 1.0))
    assert ChannelSums(1, *arrays).snr.tolist() == pytest.approx([snr])


def test_the_outlier_is_the_channel_with_the_largest_ratio_to_the_median() -> None:
    zeros = np.zeros(3)
    for peaks, outlier in (([1.0, 400.0, 1.0], (1, 400.0)), ([0.0, 5.0, 0.0], (1, 0.0))):
        assert ChannelSums(1, zeros, zeros, zeros, zeros, np.array(peaks)).outlier == outlier


@pytest.mark.parametrize(
    ("values", "snr", "judged"),
    [
        ([0.4, 0.6] * 4, 0.0, True),  # stored as 0.5: the variation is lost
        ([0.4, 0.6] * 3, 10 * np.log10(26), False),  # too few values
        ([0.4, -0.6] * 4, 10 * np.log10(0.52 / 1.22), False),  # no mean that hides the loss
        ([0.6, 0.6] * 4, 10 * np.log10(36), False),  # constant
    ],
)
def test_the_mean_of_a_nearly_constant_channel_does_not_hide_its_loss(
    values: list[float], snr: float, judged: bool
) -> None:
    x = np.array(values, np.float32).reshape(-1, 1)
    sums = channel_sums(x, np.full(x.shape, 0.5, np.float32), Tensor(0, "x", "float32", x.shape))
    assert sums.snr.tolist() == pytest.approx([snr], abs=1e-3)
    assert sums.hides_loss.tolist() == [judged]


def test_rescaled_channels_are_calibrated_on_a_sample_that_sets_ranges() -> None:
    """The trial has the ranges of the printed command, so that the next report starts at the fix's result."""
    chains = [
        (Sample({name: array * (30 if n == 9 else 1) for name, array in sample.inputs.items()}),)
        for n, (sample,) in enumerate(images(0, 12))
    ]
    data = CalibrationData(lambda: iter(chains), "images", 12)
    record = made(outlier(), data)
    assert record.fix is not None
    assert record.fix.options == ("--equalize",)
    again = executed(record, outlier(), data)
    assert again.fix is not None
    assert again.fix.before == pytest.approx(record.fix.after, abs=0.1)


@pytest.mark.parametrize(
    ("after", "found"), [(10.0, False), (10.0 + GAIN - 0.125, False), (10.0 + GAIN, True)]
)
def test_a_fix_gains_at_least_the_required_snr(after: float, found: bool) -> None:
    causes = [LossCause((0,), "a cause")]
    fix = best_fix(joined().subgraphs[0], causes, lambda options: after, 10.0, 4)
    assert (fix is not None) is found


@pytest.mark.parametrize(
    ("real", "wide", "chosen"),
    [(39.0, 34.0, "--int16x8"), (39.0, 29.0, "--keep-float"), (29.0, 27.0, "--int16x8")],
)
def test_the_sufficient_fix_with_fewest_options_is_chosen(real: float, wide: float, chosen: str) -> None:
    """float32 for two operators has a higher SNR than int16 for a single operator."""

    def trial(options: FixOptions) -> float | None:
        if len(options.keep) == 2:
            return real
        return wide if len(options.int16x8) == 1 else None

    fix = best_fix(joined().subgraphs[0], [LossCause((3,), "a cause")], trial, 0.0, 4)
    assert fix is not None
    assert fix.options[0] == chosen


@pytest.mark.parametrize("before", [10.0, math.inf], ids=["known", "no output to compare"])
def test_without_a_possible_option_no_fix_exists(before: float) -> None:
    subgraph = joined().subgraphs[0]
    assert best_fix(subgraph, [LossCause((), "", plain=True)], lambda options: None, before, 4) is None
