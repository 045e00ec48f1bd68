"""The search of a trace for a fix has the candidates, samples and measure of ``convert``."""

from __future__ import annotations

import shlex

import pytest

from litecheck.conversion.calibration.calibration_data import limit_samples
from litecheck.conversion.calibration.dataset import CalibrationData
from litecheck.conversion.pipeline import convert_model
from litecheck.model.types import Model
from litecheck.tracing.trace_session import trace
from tests.conversion.mobile_nets import images
from tests.conversion.test_fixes import dense_net, joined, outlier, rows, spiked


@pytest.mark.parametrize("to", ["int8", "uint8"])
@pytest.mark.parametrize(
    ("model", "data"),
    [(joined(), rows(8)), (outlier(), images(0, 8)), (dense_net(), limit_samples(spiked(), 8))],
    ids=["shared scale", "outlier channel", "unusual sample"],
)
def test_convert_and_trace_advise_the_same(model: Model, data: CalibrationData, to: str) -> None:
    made = convert_model(model, data=(data,), to=to, device="litecheck")
    found = trace(model, made.conversion.model, data=(data,), runtime="litecheck")
    assert (made.fix is None) is (found.fix is None)
    if made.fix is not None and found.fix is not None:
        assert f" {shlex.join(made.fix.options)} " in found.fix.command
        assert (found.fix.before, found.fix.after) == pytest.approx(
            (made.fix.before, made.fix.after), abs=0.01
        )
