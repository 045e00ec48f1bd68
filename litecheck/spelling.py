"""What a misspelt word may have meant."""

from __future__ import annotations

from collections.abc import Iterable


def closest(word: str, known: Iterable[str]) -> str:
    """The known word that is most like this one, or ``""`` where none is close."""
    import difflib

    names = list(known)
    cased = next((name for name in names if name.casefold() == word.casefold()), "")
    return cased or next(iter(difflib.get_close_matches(word, names, 1)), "")


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """``; did you mean 'x'?`` where something close is known, else ``""``."""
    close = closest(word, known)
    return f"; did you mean {close!r}?" if close else ""
