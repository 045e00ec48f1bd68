"""Wording of choices of a conversion: types within a budget, and rounding."""

from __future__ import annotations

from collections.abc import Iterator

from litecheck.conversion.precision_budget import TriedAssignment
from litecheck.conversion.record import ConversionRecord
from litecheck.files import bytes_text

#: TensorFlow's quantizers as a report calls them.
_QUANTIZERS = {"old": "old quantizer", "new": "new quantizer", "verbatim": "new quantizer, its slip included"}


def choice_facts(record: ConversionRecord) -> Iterator[tuple[str, str]]:
    """Yield the choice within a budget with the uniform choices beside it, and the rounding, each with its label.

    Example: ``snr=30: 3 operators int16x8, 54.3 kB, 31.2 dB``.
    """
    if record.budget is not None:
        narrow, wide = record.budget.uniform
        yield "budget", f"{record.budget.budget}: {_tried(record.budget.chosen)}"
        yield "uniform", f"{_tried(narrow)}; {_tried(wide)}"
    if record.conversion.request.generation != "new":
        yield "like", f"TensorFlow's {_QUANTIZERS[record.conversion.request.generation]}"


def _tried(one: TriedAssignment) -> str:
    return f"{one.assignment}, {bytes_text(one.size)}, {one.snr:.1f} dB"
