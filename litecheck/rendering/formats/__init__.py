"""The formats, each in a module that registers itself as ``FORMAT``; :func:`render` writes any report in any of them."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

from litecheck.errors import ConfigError
from litecheck.rendering.sheet import Format, Sheet
from litecheck.spelling import closest

if TYPE_CHECKING:
    from litecheck.convert.converters import ConverterComparison
    from litecheck.convert.record import ConversionRecord
    from litecheck.diagnose.result import Diagnosis
    from litecheck.rendering.comparison import ComparedTensors
    from litecheck.rendering.run import RunRecord
    from litecheck.report import Report
    from litecheck.suite.prove import KillTable
    from litecheck.suite.run_comparison import RunComparison
    from litecheck.suite.verdict import SuiteReport
    from litecheck.verify.outcome import Verification

    Reported = (
        Report
        | Verification
        | Diagnosis
        | ComparedTensors
        | RunRecord
        | ConversionRecord
        | ConverterComparison
        | KillTable
        | RunComparison
        | SuiteReport
    )


@cache
def formats(command: str) -> dict[str, Format]:
    """The formats of a command's report by name: text, the default, and then by the alphabet."""
    modules = (import_module(f"{__name__}.{info.name}") for info in iter_modules(__path__))
    found = [module.FORMAT for module in modules if command in module.FORMAT.commands]
    return {one.name: one for one in sorted(found, key=lambda one: (one.name != "text", one.name))}


def render(report: Reported, format: str = "text") -> str:  # noqa: A002 - the command line's word
    """Lay out a report in one of the formats there are for it; the text is deterministic and ends with one newline.

    Raises ConfigError for an unknown format.
    """
    sheet = Sheet(report)
    return chosen(format, sheet.command).render(sheet)


def chosen(name: str, command: str) -> Format:
    """The format of this name. Raises ConfigError where a command's report has none."""
    known = formats(command)
    if name not in known:
        close = closest(name, known)
        hint = f"did you mean {close}?" if close else f"the formats are {', '.join(known)}"
        raise ConfigError(f"unknown format {name!r}: {hint}")
    return known[name]
