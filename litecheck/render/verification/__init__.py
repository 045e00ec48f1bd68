"""Verification -> text, one module per format; renderers lay out, they neither count nor judge."""

from __future__ import annotations

from litecheck.render import module_of
from litecheck.verify.outcome import Verification

#: Every format, with what it is for; the module of the same name has ``render(verification) -> str``.
FORMATS: dict[str, str] = {
    "text": "for people, at a terminal",
    "json": "everything, for programs (schemas/verification.schema.json)",
    "html": "one page for people, which needs no network",
    "sarif": "SARIF 2.1.0, for GitHub code scanning and editors",
    "junit": "JUnit XML, for CI servers",
    "gitlab": "GitLab Code Quality",
    "github": "GitHub workflow annotations",
    "markdown": "a GitHub job summary",
    "model-explorer": "node data for Model Explorer: the outcomes on the picture of the graph",
}


def render(verification: Verification, format: str = "text") -> str:  # noqa: A002 - the command line's word
    """Lay out ``verification`` in one of FORMATS; the text is deterministic and ends with one newline.

    Raises ConfigError for an unknown format.
    """
    text: str = module_of(format, FORMATS, __name__).render(verification)
    return text
