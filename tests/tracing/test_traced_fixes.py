"""Fixes of a trace: they are those of convert, and the printed command, executed, gives the printed gain."""

from __future__ import annotations

import json
import shlex
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from litecheck.cli import main
from litecheck.conversion.agreement import agreement
from litecheck.conversion.calibration.dataset import CalibrationData
from litecheck.conversion.calibration.samples import Sample
from litecheck.conversion.convert_float import convert
from litecheck.conversion.fixes import FixOptions, lowest_snr
from litecheck.conversion.model_calibration import open_samples
from litecheck.conversion.parameter_transfer import TransferredParams
from litecheck.conversion.pipeline import convert_model
from litecheck.conversion.request import Request
from litecheck.conversion.settings import ConversionSettings
from litecheck.model.build import ModelBuilder
from litecheck.model.edit import SubgraphEditor, with_subgraphs
from litecheck.model.load import load_model
from litecheck.model.save import save_model
from litecheck.model.types import Model
from litecheck.tracing.confirmed_fixes import WholeSnr
from litecheck.tracing.trace_session import trace
from litecheck.tracing.traced_fixes import Workshop
from tests.conversion.mobile_nets import images, mobile_net
from tests.conversion.test_fixes import dense_net, joined, outlier, rows, spiked
from tests.conversion.test_outlier_channels import DATA, layers
from tests.conversion.test_rerun import with_outlier_channel
from tests.differential.faults import by_tensorflow, drawn
from tests.differential.planted_faults import FAULTS, plant

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"


def save_float(model: Model, data: CalibrationData) -> None:
    """Write a float model and its samples to the current folder."""
    save_model(model, "float.tflite")
    (name,) = next(iter(data))[0].inputs
    np.savez("x.npz", **{name: np.stack([sample.inputs[name] for (sample,) in data])})


def convert_plainly(to: str = "int8", **more: object) -> None:
    """Write the plain conversion of the float model to the current folder."""
    wanted = {"to": to, "agreement": False, "device": "litecheck", "equalize": False, **more}
    convert_model("float.tflite", "int8.tflite", data=("x.npz",), **wanted)


def save_pair(model: Model, data: CalibrationData, to: str = "int8") -> None:
    """Write a float model, its samples and its plain conversion."""
    save_float(model, data)
    convert_plainly(to)


def save_planted(to: str = "") -> None:
    """Write a pair with wrong weights in the form of TensorFlow or, with a type, of litecheck."""
    pair = by_tensorflow("residual")
    save_float(pair.real, pair.data)
    if to:
        convert_plainly(to)
    planted = plant("weights", load_model("int8.tflite") if to else pair.quantized, np.random.default_rng(0))
    assert planted is not None
    save_model(planted.model, "int8.tflite")


def save_equalized(seed: int) -> None:
    """Write a net with an outlier channel, and its conversion with equalized channels."""
    save_float(with_outlier_channel(mobile_net(seed, blocks=2, spread=0), 5), images(5, 4))
    convert_plainly(equalize=True)


def save_detector() -> None:
    """Write the detector with its boxes and scores of a common range, and four samples."""
    for end in ("tflite", "npz"):
        shutil.copy(FIXTURES / f"float_detector.{end}", {"tflite": "float.tflite", "npz": "x.npz"}[end])
    few = {name: values[:4] for name, values in np.load("x.npz").items()}
    np.savez("x.npz", **few)
    convert_plainly()


def save_trained() -> None:
    """Write a model that simulates quantization, and its integer form with wrong weight scales."""
    real, quantized = (load_model(FIXTURES / "convert" / f"trained{end}.tflite") for end in ("", "_int8"))
    save_float(real, drawn(real, 3))
    operator = quantized.subgraphs[0].operators[5]
    planted = FAULTS["weight_scales"](quantized, operator, np.random.default_rng(0))
    assert planted is not None
    save_model(planted.model, "int8.tflite")


def run_command(monkeypatch: pytest.MonkeyPatch, command: str) -> int:
    """Run a command line of the program in this process, and return its exit code."""
    program, *words = shlex.split(command)
    assert program == "litecheck"
    monkeypatch.setattr("sys.argv", [program, *words])
    with pytest.raises(SystemExit) as ended:
        main()
    return int(ended.value.code or 0)


def lowest_channel(file: str, samples: list[int]) -> float:
    """Return the lowest SNR in dB of a channel of the outputs on some samples, as ``convert`` measures it."""
    np.savez("few.npz", **{name: values[samples] for name, values in np.load("x.npz").items()})
    real, made = load_model("float.tflite"), load_model(file)
    data = open_samples(real, ConversionSettings(data=("few.npz",)))
    assert data is not None
    return lowest_snr(agreement(real, made, {}, data))


#: Samples for measurements of fixes: all except the sample with a spike.
FOUR, SIX, EIGHT = ([*range(count)] for count in (4, 6, 8))
WITHOUT_SPIKE = [n for n in range(12) if n != 2]


@pytest.mark.parametrize(
    ("save", "options", "samples", "gain"),
    [
        (save_planted, "", SIX, 30.7),
        (lambda: save_planted("int16x8"), "--to int16x8", SIX, 35.8),
        (lambda: save_pair(dense_net(), spiked()), "--range x=", WITHOUT_SPIKE, 32.0),
        (lambda: save_pair(outlier(), images(0, 4)), "--equalize", FOUR, 27.0),
        (
            lambda: save_pair(with_outlier_channel(outlier(), 1), images(0, 4), "uint8"),
            "--to uint8 --equalize",
            FOUR,
            36.0,
        ),
        (lambda: save_pair(layers(400, 4000), DATA), "", EIGHT, 31.6),
        (lambda: save_equalized(14), "--keep-float '#7' --equalize", FOUR, 6.7),
        (save_trained, "", SIX, 38.1),
        (save_detector, "--int16x8 '#6'", FOUR, 39.6),
        (lambda: save_pair(joined(), rows(8)), "--keep-float '#3' --keep-float '#4'", EIGHT, 31.7),
        (
            lambda: save_pair(joined(), rows(8), "uint8"),
            "--to uint8 --keep-float '#0' --keep-float '#3' --keep-float '#4'",
            EIGHT,
            35.1,
        ),
    ],
    ids=[
        "plain",
        "plain int16x8",
        "range",
        "equalize",
        "equalize uint8",
        "rescaled outlier",
        "keep-float equalized",
        "trained",
        "int16x8",
        "keep-float",
        "keep-float uint8",
    ],
)
def test_the_printed_command_gives_the_printed_snr(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    save: Callable[[], None],
    options: str,
    samples: list[int],
    gain: float,
) -> None:
    monkeypatch.chdir(tmp_path)
    save()
    run_command(monkeypatch, "litecheck trace float.tflite int8.tflite --data x.npz -f json:trace.json")
    fix = json.loads(Path("trace.json").read_text())["fix"]
    start, end = "litecheck convert float.tflite -o fixed.tflite ", " --data x.npz"
    assert fix["command"].startswith(start + options)
    assert fix["command"].endswith(end)
    assert bool(options) is (fix["command"] != start[:-1] + end)
    assert run_command(monkeypatch, fix["command"]) == 0
    assert fix["samples"] == len(samples)
    assert lowest_channel("int8.tflite", samples) == pytest.approx(fix["before"], abs=0.1)
    assert lowest_channel("fixed.tflite", samples) == pytest.approx(fix["after"], abs=0.1)
    assert fix["after"] - fix["before"] == pytest.approx(gain, abs=0.5)


def test_a_gain_of_granularity_is_not_credited_to_int16() -> None:
    """A weight of 20 in a single row shares its scale with all rows. The fix is a plain conversion, reported as the
    gain's source."""
    main = (builder := ModelBuilder()).subgraph()
    x, y = (main.tensor(name, (1, size), "float32") for name, size in (("x", 8), ("y", 16)))
    rng = np.random.default_rng(1)
    weight = rng.normal(0, 1, (16, 8)).astype(np.float32)
    weight[0, 0] = 20
    main.add("FULLY_CONNECTED", [x, w := main.constant("w", weight), -1], [y])
    main.inputs(x)
    main.outputs(y)
    real, arrays = builder.finish(), rng.normal(0, 1, (6, 1, 8)).astype(np.float32)
    arrays[..., 0] *= 0.05
    ranges = {(0, i): (float(v.min()), float(v.max())) for i, v in ((x, arrays), (y, arrays @ weight.T))}
    made = convert(real, Request("int8"), ranges, TransferredParams(per_axis={(0, w): False}))
    data = rows_of(arrays)
    found = trace(real, made.model, data=(data,), runtime="litecheck")
    assert found.culprits == ()
    assert found.fix is not None
    assert not {"--int16x8", "--keep-float"} & set(found.fix.command.split())
    assert found.fix.gains[0].source == "per-channel weights"
    assert found.fix.gains[0].gain > 0.8 * found.fix.gain


@pytest.mark.parametrize(("option", "chosen"), [(35.0, ""), (39.5, "--keep-float"), (50.0, "--keep-float")])
def test_an_option_that_loses_against_a_plain_conversion_is_no_fix(option: float, chosen: str) -> None:
    """The model has 25 dB, a plain conversion 40 dB."""
    known = {"quantized": 25.0, "": 40.0, "--keep-float": option}

    def conversion(options: FixOptions) -> SimpleNamespace:
        return SimpleNamespace(model=options.words[0] if options.words else "")

    shop: Any = SimpleNamespace(
        command=SimpleNamespace(
            conversion=conversion, measure_snr=lambda model: WholeSnr(known[model], 4, "")
        ),
        match=SimpleNamespace(second="quantized"),
        trials=SimpleNamespace(convert_with=conversion),
        _fix=lambda options, before, after, snr: (conversion(options).model, after.snr),
    )
    shop._confirm = partial(Workshop._confirm, shop)
    assert shop._confirm(FixOptions(keep=("#1",)), 3.0, None, 25.0, None) == (chosen, known[chosen])


def test_weights_of_4_bits_are_compared_with_weights_of_4_bits(tmp_path: Path) -> None:
    """int4 weights have the unavoidable loss of 4 bits, and a conversion to int8 removes it. Damaged int4 weights are
    a culprit."""
    rng = np.random.default_rng(3)
    main = (builder := ModelBuilder()).subgraph()
    x, y = (main.tensor(name, (1, size), "float32") for name, size in (("x", 64), ("y", 16)))
    main.add("FULLY_CONNECTED", [x, main.constant("w", rng.normal(0, 1, (16, 64)).astype("f4")), -1], [y])
    main.inputs(x)
    main.outputs(y)
    real, data = builder.finish(), rows_of(rng.normal(0, 1, (6, 1, 64)).astype("f4"))
    recipe = tmp_path / "int4.yaml"
    recipe.write_text("rules:\n  - {to: int8, opcode: FULLY_CONNECTED, weights: int4}\n")
    made = convert_model(real, recipe=str(recipe), data=(data,), device="litecheck").conversion.model
    found = trace(real, made, data=(data,), runtime="litecheck")
    assert found.culprits == ()
    assert found.fix is not None
    assert found.fix.gains[0].source == "8-bit weights and new ranges"
    (weight,) = (t for t in made.subgraphs[0].tensors if t.dtype == "int4")
    assert weight.data is not None
    editor = SubgraphEditor(made.subgraphs[0])
    editor.set_tensor(weight.index, data=np.roll(weight.data, 5))
    damaged = trace(
        real, with_subgraphs(made, [editor.finish()[0]]), data=(data,), fix=False, runtime="litecheck"
    )
    assert [one.cause for one in damaged.culprits] == ["weights"]
    assert "levels" not in damaged.culprits[0].detail


def rows_of(arrays: np.ndarray) -> CalibrationData:
    return CalibrationData(lambda: ((Sample({"x": a}),) for a in arrays), "rows", len(arrays))
