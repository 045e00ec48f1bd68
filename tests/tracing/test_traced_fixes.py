"""Fixes of a trace: they are those of convert, and the printed command, executed, gives the printed gain."""

from __future__ import annotations

import shlex
from pathlib import Path

import numpy as np
import pytest

from litecheck.cli import main
from litecheck.conversion.calibration.dataset import CalibrationData
from litecheck.conversion.calibration.samples import Sample
from litecheck.conversion.convert_float import convert
from litecheck.conversion.pipeline import convert_model
from litecheck.conversion.request import Request
from litecheck.conversion.transferred import TransferredParams
from litecheck.model.build import ModelBuilder
from litecheck.model.load import load_model
from litecheck.model.save import save_model
from litecheck.model.types import Model
from litecheck.tracing.trace_session import trace
from tests.conversion.mobile_nets import images
from tests.conversion.test_fixes import dense_net, outlier, spiked


def saved(model: Model, data: CalibrationData) -> None:
    """A float model and its samples in the current folder."""
    save_model(model, "float.tflite")
    (name,) = next(iter(data))[0].inputs
    np.savez("x.npz", **{name: np.stack([sample.inputs[name] for (sample,) in data])})


@pytest.mark.parametrize(
    ("model", "data", "option"),
    [(dense_net, spiked, "--range"), (outlier, lambda: images(0, 4), "--equalize")],
)
def test_the_fix_helps_when_it_is_executed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model, data, option: str
) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.chdir(tmp_path)
    saved(model(), data())
    convert_model("float.tflite", "int8.tflite", data=("x.npz",), agreement=False, device="litecheck")
    found = trace("float.tflite", "int8.tflite", data=("x.npz",), runtime="litecheck")
    assert found.fix is not None
    assert option in found.fix.command
    words = shlex.split(found.fix.command)[1:]
    monkeypatch.setattr("sys.argv", ["litecheck", *words, "--device", "litecheck"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0
    usual = data()
    others = CalibrationData(lambda: (c for n, c in enumerate(usual) if n != 2), "usual samples", None)
    before, after = (
        trace("float.tflite", load_model(f"{name}.tflite"), data=(others,), runtime="litecheck", fix=False)
        for name in ("int8", "fixed")
    )
    assert after.outputs[0].snr > before.outputs[0].snr + 10


def test_a_gain_of_granularity_is_not_credited_to_int16() -> None:
    """Weights have one scale for rows of 1 to 20: a plain conversion is the fix, and its source is stated."""
    main = (builder := ModelBuilder()).subgraph()
    x, y = (main.tensor(name, (1, 8), "float32") for name in "xy")
    rng = np.random.default_rng(0)
    weight = (rng.normal(0, 1, (8, 8)) / np.geomspace(1, 20, 8)[:, None]).astype(np.float32)
    main.add(
        "FULLY_CONNECTED",
        [x, w := main.constant("w", weight), -1],
        [h := main.tensor("h", (1, 8), "float32")],
    )
    scales = main.constant("s", np.geomspace(1, 20, 8).astype(np.float32))
    main.add("MUL", [h, scales], [y])
    main.inputs(x)
    main.outputs(y)
    real, arrays = builder.finish(), rng.normal(0, 1, (6, 1, 8)).astype(np.float32)
    hidden = arrays @ weight.T
    ends = ((x, arrays), (h, hidden), (y, hidden * np.geomspace(1, 20, 8)))
    ranges = {(0, index): (float(v.min()), float(v.max())) for index, v in ends}
    made = convert(real, Request("int8"), ranges, TransferredParams(per_axis={(0, w): False}))
    data = CalibrationData(lambda: ((Sample({"x": a}),) for a in arrays), "rows", 6)
    found = trace(real, made.model, data=(data,), runtime="litecheck")
    assert found.culprits == ()
    assert found.fix is not None
    assert not {"--int16x8", "--keep-float"} & set(found.fix.command.split())
    assert found.fix.gains[0].source == "per-channel weights"
    assert found.fix.gains[0].gain > 0.8 * found.fix.gain
