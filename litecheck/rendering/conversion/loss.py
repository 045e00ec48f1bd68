"""Wording of a large loss: its cause, and the options that were tried."""

from __future__ import annotations

import shlex

from litecheck.conversion.fixes import LARGE_LOSS, loss_warnings
from litecheck.conversion.record import ConversionRecord
from litecheck.summary_text import count_of


def fix_lines(record: ConversionRecord) -> list[tuple[str, str]]:
    """Return the cause of a large loss and the options that were tried, each with its label; none without a fix."""
    fix = record.fix
    if fix is None:
        return []
    gain = (
        f"lowest channel {fix.after:.1f} dB instead of {fix.before:.1f} dB, tried on "
        f"{count_of(fix.samples, 'sample')}, {fix.runtime}"
    )
    if fix.after < LARGE_LOSS:
        gain += f"; still below {LARGE_LOSS:g} dB"
    return [("because", fix.cause), ("fix", f"{shlex.join(fix.options)} ({gain})")]


def fix_title(record: ConversionRecord) -> str:
    """Return ``channel 3 of output 'scores' has an SNR of 0.2 dB, below 20 dB``, or "" without a fix."""
    if record.fix is None:
        return ""
    named = loss_warnings(record.agreement) if record.agreement else ()
    return named[0] if named else f"an output channel has an SNR of {record.fix.before:.1f} dB"
