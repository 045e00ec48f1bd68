"""Parallel checks of models give the same report as sequential checks."""

from __future__ import annotations

from pathlib import Path

import pytest

from litecheck.cli import validate_models
from litecheck.cli.config import Options
from litecheck.cli.console import OutputOptions
from litecheck.errors import ModelError, Problem, ProfileError
from litecheck.report import Report

FIXTURES = Path(__file__).parents[2] / "fixtures"
MODELS = tuple(
    str(FIXTURES / f"{name}.tflite") for name in ("conv_int8", "broken_bias_int8", "damaged_truncated")
)
MISSING = ModelError("gone.tflite", (Problem("missing", "", 0, "no such file"),))
MANNER = OutputOptions(quiet=True, verbose=False, no_color=True)


def check(jobs: int, *profiles: str) -> Report:
    found = (MODELS[0], MISSING, *MODELS[1:], MODELS[0])
    return validate_models.check_models(found, Options(profile=profiles), MANNER, False, jobs)


@pytest.mark.parametrize("profiles", [(), ("tflm",)])
def test_processes_do_not_change_the_report(profiles: tuple[str, ...]) -> None:
    report = check(1, *profiles)
    assert report == check(3, *profiles)
    assert [model.file for model in report.models] == [MODELS[0], "gone.tflite", *MODELS[1:], MODELS[0]]
    assert [bool(model.problems) for model in report.models] == [False, True, False, True, False]


def test_several_jobs_use_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(validate_models, "_checker", lambda *settings: pytest.fail)
    assert len(check(2).models) == 5


def test_a_wrong_profile_is_an_error_before_a_process_starts() -> None:
    with pytest.raises(ProfileError, match="no-such-profile"):
        check(2, "no-such-profile")
