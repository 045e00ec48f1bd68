"""The table of measurements, from their docstrings."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from litecheck.rendering.measurements import measurements


def measurements_table(chosen: Collection[str] | None = None) -> Iterator[str]:
    """Yield the measurements, or some of them, in Markdown; ``role.NAME`` is a measurement of a single tensor."""
    yield "| measurement | meaning |\n| --- | --- |\n"
    for one in measurements():
        if chosen is None or one.name in chosen:
            meaning = one.meaning.replace("``", "`")
            yield f"| `{one.name}` | {meaning} |\n"
