"""Layout of large JSON documents: an entry per line, and lists of numbers written at once."""

from __future__ import annotations

import json
from typing import Any

_encoded = json.JSONEncoder(allow_nan=False).encode


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
    if set(map(type, value)) <= {int, float}:
        return f"[{inner}{_encoded(value)[1:-1].replace(', ', f',{inner}')}{line}]"
    return f"[{inner}{f',{inner}'.join(layout_json(one, inner) for one in value)}{line}]"
