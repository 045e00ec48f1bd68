"""Trials of fixes have the checks of the command: a rejected option, or an option without effect, is no fix."""

from __future__ import annotations

import pytest

from litecheck.conversion.fix_trials import FixTrials
from litecheck.conversion.fixes import FixOptions
from litecheck.conversion.model_calibration import calibrate_model
from litecheck.conversion.settings import ConversionSettings
from litecheck.model.types import Model
from tests.conversion.mobile_nets import images
from tests.conversion.test_fixes import dense_net, joined, outlier, rows, spiked

PLAIN, EQUALIZED, WIDE = FixOptions(), FixOptions(equalize=True), FixOptions(int16x8=("#0",))


@pytest.mark.parametrize(
    ("model", "to", "options", "runs"),
    [
        (dense_net(), "int8", PLAIN, True),
        (dense_net(), "dynamic", PLAIN, False),  # weights too small to quantize
        (outlier(), "int8", EQUALIZED, True),
        (outlier(), "dynamic", EQUALIZED, False),  # the command rejects it for float activations
        (joined(), "int8", EQUALIZED, False),  # no pair of layers
        (dense_net(), "int8", WIDE, True),
        (dense_net(), "uint8", WIDE, False),
    ],
)
def test_trials(model: Model, to: str, options: FixOptions, runs: bool) -> None:
    data = {8: spiked(), 16: rows(4)}.get(model.subgraphs[0].tensors[0].size, images(0, 2))
    settings = ConversionSettings(to=to, device="litecheck")
    found = calibrate_model(model, data, settings, lambda done, what: None)
    trials = FixTrials(
        model,
        settings.request,
        found.ranges,
        found.inner,
        lambda other: calibrate_model(other, data, settings, lambda done, what: None),
    )
    assert (trials.measure(options, lambda made: 1.0) is not None) is runs
