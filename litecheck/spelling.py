"""Suggestions for misspelled words and names of files."""

from __future__ import annotations

import os
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

#: Smallest length of a word for suggestions by prefix, and largest number of suggestions.
_PREFIX, _CHOICES = 3, 5
#: Maximum number of files that are compared with the name of a missing file.
_LISTED = 1000


def closest(word: str, known: Iterable[str]) -> str:
    """Return the known word that is most similar to a word, or ``""`` if no known word is similar.

    For example, ``SOFTMX`` gives ``SOFTMAX``, and ``Conv2D`` gives ``CONV_2D``.
    """
    import difflib

    names = list(known)
    alike = next((name for name in names if _letters(name) == _letters(word)), "")
    return alike or next(iter(difflib.get_close_matches(word, names, 1)), "")


def equally_close(word: str, known: Iterable[str]) -> list[str]:
    """Return the known words with the same similarity as the most similar one, at most 5 of them."""
    import difflib

    names = list(known)
    first = closest(word, names)
    if not first or _letters(first) == _letters(word):
        return [first] if first else []

    def similarity(name: str) -> float:
        return difflib.SequenceMatcher(None, name, word).ratio()

    equal = [name for name in names if similarity(name) == similarity(first)]
    return equal if len(equal) <= _CHOICES else [first]


def _letters(word: str) -> str:
    return word.casefold().replace("_", "").replace("-", "")


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return ``; did you mean 'x'?`` if a known word is similar, all words that begin with the word, else ``""``.

    Words of equal similarity are all named. For example, ``ethos-u`` and ``ethos-u56`` give ``; did you mean
    'ethos-u55', 'ethos-u65' or 'ethos-u85'?``.
    """
    names = list(dict.fromkeys(known))
    begun = [name for name in names if len(word) >= _PREFIX and name.startswith(word)]
    *others, last = map(repr, begun if 1 < len(begun) <= _CHOICES else equally_close(word, names) or [""])
    if last == repr(""):
        return ""
    return f"; did you mean {', '.join(others)} or {last}?" if others else f"; did you mean {last}?"


def suggestion(word: str, known: Iterable[str], lead: str = "available:") -> str:
    """Return the suggestion of :func:`did_you_mean`, or else all known words after ``lead``.

    For example, ``xyz`` among ``int8`` and ``int16`` gives ``; available: int8, int16``.
    """
    names = list(known)
    return did_you_mean(word, names) or f"; {lead} {', '.join(names) or 'none'}"


def unknown_format(name: str, known: Iterable[str]) -> str:
    """Return the error for a format that a command does not have. Example: ``unknown format 'htm': did you mean html?``."""
    names = list(known)
    close = closest(name, names)
    hint = f"did you mean {close}?" if close else f"the formats are {', '.join(names)}"
    return f"unknown format {name!r}: {hint}"


def unknown_tensor(name: str, known: Iterable[str], file: str = "") -> str:
    """Return the error for a tensor that a model does not have, with a similar name or the command that lists all.

    Example: ``there is no tensor 'imag'; did you mean 'image'?``.
    """
    listing = f"; 'litecheck inspect {file or 'MODEL'} --tensors' lists all"
    return f"there is no tensor {name!r}{did_you_mean(name, known) or listing}"


def similar_file(path: str | Path) -> str:
    """Return ``; did you mean 'x'?`` with the most similar name in the folder of a missing file, else ``""``."""
    folder, name = os.path.split(path)
    try:
        with os.scandir(folder or os.curdir) as entries:
            names = {Path(entry.name).stem: entry.name for entry in islice(entries, _LISTED)}
    except (OSError, ValueError):
        return ""
    close = closest(Path(name).stem, names)
    return f"; did you mean {os.path.join(folder, names[close])!r}?" if close else ""
