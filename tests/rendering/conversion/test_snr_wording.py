"""Words for SNRs and for shares of equal integers."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from litecheck.conversion.agreement import Agreement, TensorAgreement
from litecheck.conversion.distortion import Distortion
from litecheck.rendering.conversion import snr_wording
from litecheck.rendering.conversion.wording import agreement_lines


@pytest.mark.parametrize(
    ("snr", "words"), [(35.24, "35.2 dB"), (-3.0, "-3.0 dB"), (math.inf, "exact"), (-math.inf, "no signal")]
)
def test_decibels(snr: float, words: str) -> None:
    assert snr_wording.decibels(snr) == words


def test_integer_outputs_have_a_share_of_equal_values() -> None:
    index = TensorAgreement(
        (0, 1), (0, 2), "y", "int32", 0.0, Distortion(100, 9, 3, 64, equal=63, mean=1.2), "y"
    )
    real = replace(index, dtype="float32", distortion=Distortion(100, 1, 1, 64, variation=100))
    assert snr_wording.worst_output([index]) == "98.44 % equal"
    assert snr_wording.worst_output([index, real]) == "20.0 dB"
    assert snr_wording.worst_output([]) == ""
    assert snr_wording.snr_without_mean(index) == ""
    (found,) = agreement_lines(Agreement(8, "data", "kernels", (), (index,)))
    assert found == ("y", "98.44 % equal, largest difference 3")
