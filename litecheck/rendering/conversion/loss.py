"""Wording of a large loss: its cause, and the options that were tried."""

from __future__ import annotations

import shlex

from litecheck.conversion.record import ConversionRecord
from litecheck.summary_text import counted


def fix_lines(record: ConversionRecord) -> list[tuple[str, str]]:
    """Return the cause of a large loss and the options that were tried, each with its label; none without a fix."""
    fix = record.fix
    if fix is None:
        return []
    gain = f"{fix.after:.1f} dB instead of {fix.before:.1f} dB, tried on {counted(fix.samples, 'sample')}"
    return [("because", fix.cause), ("fix", f"{shlex.join(fix.options)} ({gain})")]


def fix_title(record: ConversionRecord) -> str:
    """Return ``an output channel has an SNR of 0.2 dB``, or "" without a fix."""
    return f"an output channel has an SNR of {record.fix.before:.1f} dB" if record.fix else ""
