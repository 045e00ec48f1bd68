"""Outputs at the limits of their type, and inputs nearer to their zero points."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.cases.model_parts import operators
from litecheck.cases.saturation import attenuate_series, saturates
from litecheck.cases.stimulus import Stimuli, Stimulus
from tests.verification.networks import saturating


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        ([[-128, 127, 127, -128]], True),
        ([[-128, 127, 127, 126]], False),
        ([[-128, 127, 127, 127], [0, 127, 127, 127]], False),
        ([], False),
    ],
)
def test_saturates(runs: list[list[int]], expected: bool) -> None:
    model = saturating(0)
    (case,) = operators(model, model.subgraphs[0])
    assert saturates(case, [(np.array([run], np.int8),) for run in runs]) == expected


def test_inputs_come_nearer_to_their_zero_point() -> None:
    """Zero point 3: 43 is 40 away, and 10, 2, 0 and 0 away after a division by 4, 16, 64 and 256; 99 is 96 away."""
    model = saturating(0)
    (case,) = operators(model, model.subgraphs[0])
    stimulus = Stimulus("random", (np.array([[43, -128, 3, 99]], np.int8),))
    found = [made.arrays[0].tolist()[0] for made in attenuate_series(case, Stimuli.of([stimulus]))]
    assert found == [[13, -29, 3, 27], [5, -5, 3, 9], [3, 1, 3, 4], [3, 3, 3, 3]]
