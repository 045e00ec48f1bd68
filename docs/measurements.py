"""What measurements are, from their own docstrings."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Iterator

from litecheck.profile.measurements.registry import MEASUREMENTS, OPERAND_MEASUREMENTS


def measurements_table(chosen: Collection[str] | None = None) -> Iterator[str]:
    """The measurements, or some of them, in Markdown; ``role.NAME`` is one of an operand."""
    every = {**MEASUREMENTS, **{f"role.{name}": function for name, function in OPERAND_MEASUREMENTS.items()}}
    yield "| measurement | what it is |\n| --- | --- |\n"
    for name, function in every.items():
        if chosen is None or name in chosen:
            meaning = (inspect.getdoc(function) or "").split("\n\n")[0].replace("\n", " ").replace("``", "`")
            yield f"| `{name}` | {meaning} |\n"
