"""GitHub workflow annotations, each for rows of a kind: GitHub shows ten of each level."""

from __future__ import annotations

from typing import TYPE_CHECKING

from litecheck.finding import Level
from litecheck.rendering.escape import use_forward_slashes, visible
from litecheck.rendering.report_view import JUDGEMENTS, Format, ReportView

if TYPE_CHECKING:
    from litecheck.rendering.rows import Annotation

_COMMANDS: dict[Level, str] = {"violation": "error", "warning": "warning", "note": "notice"}


def render(sheet: ReportView) -> str:
    """Return annotations, the most severe first, then the summary as a plain line."""
    results = sheet.results()
    return "\n".join([*map(_command, results.annotations), f"litecheck: {visible(results.summary)}"]) + "\n"


def _command(note: Annotation) -> str:
    """Return an annotation with escaped lines."""
    properties = (
        f"file={_property(visible(use_forward_slashes(note.file)))},title={_property(visible(note.title))}"
    )
    return f"::{_COMMANDS[note.level]} {properties}::{_data(chr(10).join(map(visible, note.lines)))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


FORMAT = Format("github", "GitHub workflow annotations", JUDGEMENTS, render)
