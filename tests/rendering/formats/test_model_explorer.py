"""Node data for Model Explorer."""

from __future__ import annotations

import pytest

from litecheck.errors import ConfigError
from litecheck.rendering.formats import render
from litecheck.verification.several_models import Verifications
from tests.rendering.formats.conftest import Compare


def test_whole_reports(same_as_golden: Compare) -> None:
    same_as_golden("model-explorer", "model-explorer.json")


def test_several_models_are_rejected() -> None:
    with pytest.raises(ConfigError, match="model-explorer is about one model"):
        render(Verifications((), (), "", ""), "model-explorer")
