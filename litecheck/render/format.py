"""Any report -> text in any format that makes sense for it; :func:`render` is the library's public function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

from litecheck.errors import ConfigError

if TYPE_CHECKING:
    from litecheck.diagnose.result import Diagnosis
    from litecheck.render.sheet import ComparedTensors, RunRecord, Sheet
    from litecheck.report import Report
    from litecheck.verify.outcome import Verification

    Reported = Report | Verification | Diagnosis | ComparedTensors | RunRecord

#: The commands whose reports judge something, so that there are results to list.
JUDGING = ("validate", "verify", "diagnose", "compare")
EVERY = (*JUDGING, "run")


@dataclass(frozen=True, slots=True)
class Format:
    """A way to write a report: the name people ask for it by, what it is for, and whose reports it can write."""

    name: str
    purpose: str
    commands: tuple[str, ...]
    render: Callable[[Sheet], str]


@cache
def formats(command: str) -> dict[str, Format]:
    """The formats of a command's report by name: text, the default, and then by the alphabet."""
    from litecheck.render import formats as package

    modules = (import_module(f"{package.__name__}.{info.name}") for info in iter_modules(package.__path__))
    found = [module.FORMAT for module in modules if command in module.FORMAT.commands]
    return {one.name: one for one in sorted(found, key=lambda one: (one.name != "text", one.name))}


def render(report: Reported, format: str = "text") -> str:  # noqa: A002 - the command line's word
    """Lay out a report in one of the formats there are for it; the text is deterministic and ends with one newline.

    Raises ConfigError for an unknown format.
    """
    from litecheck.render.sheet import sheet_of

    sheet = sheet_of(report)
    return chosen(format, sheet.command).render(sheet)


def chosen(name: str, command: str) -> Format:
    """The format of this name. Raises ConfigError where a command's report has none."""
    known = formats(command)
    if name not in known:
        from difflib import get_close_matches

        close = get_close_matches(name, known, n=1)
        hint = f"did you mean {close[0]}?" if close else f"the formats are {', '.join(known)}"
        raise ConfigError(f"unknown format {name!r}: {hint}")
    return known[name]
