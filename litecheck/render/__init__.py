"""Report -> text, one module per format; renderers lay out, they neither count nor judge."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping
from types import ModuleType
from typing import TYPE_CHECKING

from litecheck.errors import ConfigError
from litecheck.report import Report

if TYPE_CHECKING:
    from litecheck.verify.outcome import Verification

#: Every format, with what it is for; the module of the same name has ``render(report) -> str``.
FORMATS: dict[str, str] = {
    "text": "for people, at a terminal",
    "json": "everything, for programs (schemas/report.schema.json)",
    "sarif": "SARIF 2.1.0, for GitHub code scanning and editors",
    "junit": "JUnit XML, for CI servers",
    "gitlab": "GitLab Code Quality",
    "github": "GitHub workflow annotations",
    "markdown": "a GitHub job summary",
}


def render(report: Report | Verification, format: str = "text") -> str:  # noqa: A002 - the command line's word
    """Lay out a Report in one of FORMATS, a Verification in one of those of litecheck.render.verification.

    The text is deterministic and ends with one newline. Raises ConfigError for an unknown format.
    """
    if not isinstance(report, Report):
        from litecheck.render import verification

        return verification.render(report, format)
    module = module_of(format, FORMATS, "litecheck.render")
    text: str = module.render(report)
    return text


def module_of(format: str, formats: Mapping[str, str], package: str) -> ModuleType:  # noqa: A002
    """The module of ``package`` that writes a format. Raises ConfigError where it is none of ``formats``."""
    if format not in formats:
        from difflib import get_close_matches

        close = get_close_matches(format, formats, n=1)
        hint = f"did you mean {close[0]}?" if close else f"the formats are {', '.join(formats)}"
        raise ConfigError(f"unknown format {format!r}: {hint}")
    return importlib.import_module(f"{package}.{format.replace('-', '_')}")


class _CallablePackage(ModuleType):
    """Importing this package makes ``litecheck.render`` mean it, not the public function: so it is that, too."""

    def __call__(self, report: Report | Verification, format: str = "text") -> str:  # noqa: A002
        return render(report, format)


sys.modules[__name__].__class__ = _CallablePackage
