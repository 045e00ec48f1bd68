"""Judgment of printed text: raw characters and lines that a CI system executes."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

#: Categories of characters that move a cursor, reverse a line, hide text or are no characters.
_RAW = ("Cc", "Cf", "Zl", "Zp", "Cs")
#: Characters that layouts use.
_LAYOUT = "\n\t"
#: Line starts that GitHub Actions and Azure Pipelines execute.
_COMMAND = re.compile(r"^\s*(::|##\[|##vso\[)")
#: An annotation as the format github prints it: a file and a title, with colons and commas escaped.
_ANNOTATION = re.compile(r"^::(error|warning|notice) file=[^:,]*,title=[^:,]*::")
#: Colors that rich prints on request; names of words.py have codes that rich does not print here.
_COLORS = re.compile(r"\x1b\[(?!8m|2J)[\d;]*m")


def raw(content: bytes, *, annotations: bool = False, colors: bool = False) -> Iterator[str]:
    """Yield the faults of printed text: bytes that are not UTF-8, raw characters, lines that are commands.

    ``annotations`` allows those of the format github, ``colors`` allows the codes of rich.
    """
    yield from characters(content, colors=colors)
    for line in content.decode("utf-8", "replace").split("\n"):
        if _COMMAND.match(line) and not (annotations and _ANNOTATION.match(line)):
            yield f"a line that is a command: {line[:200]!r}"
            return


def characters(content: bytes, *, colors: bool = False) -> Iterator[str]:
    """Yield the faults of text that no CI system reads line by line: bytes that are not UTF-8, raw characters."""
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        yield f"not UTF-8 at byte {error.start}"
        text = content.decode("utf-8", "replace")
    text = _COLORS.sub("", text) if colors else text
    for character in dict.fromkeys(text):
        if character not in _LAYOUT and unicodedata.category(character) in _RAW:
            line = next(line for line in text.split("\n") if character in line)
            at = line.index(character)
            yield f"raw U+{ord(character):04X} in {line[max(at - 80, 0) : at + 80]!r}"
