"""Names of tensors in a table, without the path that most of them have in common."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from litecheck.rendering.escape import NAME, shorten

#: Length from which names are shortened.
LONG = 24


def table_names(names: Sequence[str]) -> list[str]:
    """Return the names of a column, with ``…`` for the longest path that at least half of them begin with.

    Names are shortened only if one has more than 24 characters. Example: ``model/block/query/MatMul``,
    ``model/block/key/MatMul`` and ``image`` give ``…/query/MatMul``, ``…/key/MatMul`` and ``image``. Names of several
    fused operators, as in ``a/b;a/c``, have the path several times.
    """
    path = _common_path(names) if max(map(len, names), default=0) > LONG else ""
    return [shorten(";".join(_without(part, path) for part in name.split(";")), NAME) for name in names]


def _common_path(names: Sequence[str]) -> str:
    """Return the longest path that at least two and at least half of the names begin with, with a slash at its end."""
    least, path = max(2, (len(names) + 1) // 2), ""
    while True:
        longer = Counter(
            f"{path}{name[len(path) :].partition('/')[0]}/"
            for name in names
            if name.startswith(path) and "/" in name[len(path) :]
        ).most_common(1)
        if not longer or longer[0][1] < least:
            return path
        path = longer[0][0]


def _without(part: str, path: str) -> str:
    return f"…/{part[len(path) :]}" if path and part.startswith(path) else part
