"""Location of the rules and schemas: beside the package in a wheel, one folder up in a source tree."""

from __future__ import annotations

from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


@cache
def _folder(name: str) -> Path:
    installed = _PACKAGE / name
    return installed if installed.is_dir() else _PACKAGE.parent / name


def rules_dir() -> Path:
    """Return the folder of litecheck's rule files."""
    return _folder("rules")


def schemas_dir() -> Path:
    """Return the folder of litecheck's wire formats and JSON Schemas."""
    return _folder("schemas")
