"""Diagnosis -> text, one module per format; renderers lay out, they neither count nor judge."""

from __future__ import annotations

from litecheck.diagnose.result import Diagnosis
from litecheck.render import module_of

#: Every format, with what it is for; the module of the same name has ``render(diagnosis) -> str``.
FORMATS: dict[str, str] = {
    "text": "for people, at a terminal",
    "json": "everything, for programs",
    "html": "the conformance page of the device, which needs no network",
}


def render(diagnosis: Diagnosis, format: str = "text") -> str:  # noqa: A002 - the command line's word
    """Lay out ``diagnosis`` in one of FORMATS; the text is deterministic and ends with one newline.

    Raises ConfigError for an unknown format.
    """
    text: str = module_of(format, FORMATS, __name__).render(diagnosis)
    return text
