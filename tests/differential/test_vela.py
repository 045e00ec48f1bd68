"""The profiles of Ethos-U beside Vela: random operators, and every model there is, operator by operator."""

from __future__ import annotations

import pytest

from litecheck.checks.placement import placement
from litecheck.devices.vela import Vela
from litecheck.model.load import load_models
from litecheck.model.types import Model
from litecheck.profile.load import load_profile
from tests.conftest import MODELS
from tests.differential.vela import PLACES, blind, compared

pytest.importorskip("ethosu.regor", reason="ethos-u-vela is not installed")

TARGETS = ("ethos-u55",)


@pytest.mark.parametrize("target", TARGETS)
def test_random_operators_run_where_the_profile_says(target: str) -> None:
    score = compared(blind(20, 300), target)
    assert score.trials > 250
    assert score.agreed / score.trials >= 0.97, score.apart
    assert score.list_agreed < score.agreed
