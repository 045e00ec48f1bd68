"""Suggestions for misspelled words."""

from __future__ import annotations

from collections.abc import Iterable


def closest(word: str, known: Iterable[str]) -> str:
    """Return the known word that is most similar to a word, or ``""`` if no known word is similar.

    For example, ``SOFTMX`` gives ``SOFTMAX``.
    """
    import difflib

    names = list(known)
    cased = next((name for name in names if name.casefold() == word.casefold()), "")
    return cased or next(iter(difflib.get_close_matches(word, names, 1)), "")


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return ``; did you mean 'x'?`` if a known word is similar, else ``""``."""
    close = closest(word, known)
    return f"; did you mean {close!r}?" if close else ""
