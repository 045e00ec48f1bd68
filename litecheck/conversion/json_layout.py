"""Layout of large JSON documents: an entry per line, and lists of numbers written at once."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

_encoded = json.JSONEncoder(allow_nan=False).encode


class Decimals(list[float]):
    """The shortest decimals that give float32 values again, and their JSON.

    For example, 0.1 as float32 gives 0.1 and not 0.10000000149011612.
    """

    __slots__ = ("texts",)

    def __init__(self, values: NDArray[np.float32]) -> None:
        self.texts = list(map(str, values))
        super().__init__(map(float, self.texts))

    def to_json(self, separator: str) -> str:
        """Return the JSON of the decimals. Raises ValueError for values that are not finite."""
        whole = separator.join(self.texts)
        # Exponents of numpy are those of JSON, except for 1e-04 (0.0001) and 1.5e+09 (1500000000.0).
        if any(other in whole for other in ("e-04", "e+", "n")):
            return separator.join(map(_encoded, self))
        return whole


def layout_json(value: Any, line: str) -> str:
    """Return the JSON of ``json.dumps`` with an indent of 1. ``line`` is a line end and the indent of the next line.

    With an indent, ``json.dumps`` writes number by number, and a plan has tens of thousands. Here lists are written at
    once.
    """
    inner = f"{line} "
    if isinstance(value, dict) and value:
        pairs = (f"{_encoded(key)}: {layout_json(one, inner)}" for key, one in value.items())
        return f"{{{inner}{f',{inner}'.join(pairs)}{line}}}"
    if not isinstance(value, list) or not value:
        return _encoded(value)
    if isinstance(value, Decimals):
        return f"[{inner}{value.to_json(f',{inner}')}{line}]"
    if set(map(type, value)) <= {int, float}:
        return f"[{inner}{_encoded(value)[1:-1].replace(', ', f',{inner}')}{line}]"
    return f"[{inner}{f',{inner}'.join(layout_json(one, inner) for one in value)}{line}]"
