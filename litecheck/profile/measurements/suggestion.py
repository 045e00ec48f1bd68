"""Suggestions for an unknown measurement; words of data sheets and of LiteRT's options are translated."""

from __future__ import annotations

from collections.abc import Collection

from litecheck.spelling import did_you_mean

#: Words for which measurements have another word.
_WORDS = {
    "filter": "kernel", "window": "kernel", "pool": "kernel", "height": "h", "y": "h", "width": "w", "x": "w", "factor": "",
}  # fmt: skip


def suggestion_text(path: str, known: Collection[str]) -> str:
    """Return ``; did you mean 'x'?`` for the last part of a path, "" if no known path is similar.

    For example, ``filter_h`` gives ``; did you mean 'kernel_h'?`` and ``CONV_2D/limits/filter_height`` gives
    ``; did you mean 'CONV_2D/limits/kernel_h'?``.
    """
    owner, slash, name = path.rpartition("/")
    words = (_WORDS.get(word, word) for word in name.split("_"))
    translated = owner + slash + "_".join(filter(None, words))
    return f"; did you mean {translated!r}?" if translated in known else did_you_mean(path, known)
