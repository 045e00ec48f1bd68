"""Rejection of requests for repeated conversions that lack data or ranges."""

from __future__ import annotations

from litecheck.conversion.precision_budget import parse_budget
from litecheck.conversion.request import REAL_KINDS
from litecheck.conversion.settings import ConversionSettings
from litecheck.errors import ConfigError


def check_rerun(settings: ConversionSettings, has_data: bool, shifts: bool) -> None:
    """Raise ConfigError for changes of weights or biases, and for rankings, if no ranges are chosen or nothing is run."""
    runs = {
        "--correct-bias": settings.correct_bias,
        "--sensitivity": bool(settings.sensitivity),
        "--budget": bool(settings.budget),
    }
    if settings.budget and (settings.to != "int8" or settings.recipe):
        raise ConfigError("--budget chooses among int8, int16x8 and float32: give neither --to nor --recipe")
    if settings.budget:
        parse_budget(settings.budget)
    for option, wanted in {"--equalize": settings.equalize, **runs}.items():
        if not wanted:
            continue
        if settings.to in REAL_KINDS:
            raise ConfigError(f"{option} is for integer activations, and {settings.to} keeps them float32")
        if settings.plan:
            raise ConfigError(f"--plan and {option}: a plan is carried out as it is")
        if shifts or settings.scales_from:
            raise ConfigError(f"{option} needs scales chosen anew, from the float model")
        if option in runs and not has_data:
            raise ConfigError(f"missing option --data: {option} runs models on samples")
