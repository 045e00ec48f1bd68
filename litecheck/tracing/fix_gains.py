"""Sources of a fix's gain: a conversion with the granularity of the model, a plain conversion, and further options."""

from __future__ import annotations

from collections.abc import Sequence

from litecheck.tracing.trace_result import FixGain

#: Smallest part of a gain in dB that is stated: smaller parts are 0.0 in the report, so that the parts add up.
_STATED = 0.05
#: Sources of the gain of options.
_OPTIONS = {
    "--int16x8": "int16 activations",
    "--keep-float": "float32 operators",
    "--equalize": "equalized channels",
    "--range": "ranges without an unusual sample",
}


def fix_gains(
    before: float,
    same: float | None,
    plain: float | None,
    after: float,
    options: Sequence[str],
    narrow: bool = False,
) -> tuple[FixGain, ...]:
    """Return the parts of a gain in dB, the largest first.

    ``same`` is the SNR of a conversion with the model's granularity of weights, ``plain`` that of a conversion without
    options; None if it is not known. ``narrow`` weights have 4 bits in the model, and 8 in all conversions. Example: 25, 27,
    38 and 39 give 11 dB from per-channel weights, 2 dB from new ranges and constants, and 1 dB from the options.
    """
    steps: list[tuple[str, float | None]] = [
        ("8-bit weights and new ranges" if narrow else "new ranges and constants", same),
        ("per-channel weights", plain),
    ]
    if same is None:
        steps = [("new ranges, constants and granularity", plain)]
    if options:
        steps.append((_OPTIONS[options[0]], after))
    found, last = [], before
    for source, snr in steps:
        if snr is not None:
            found.append(FixGain(source, snr - last))
            last = snr
    return tuple(sorted((one for one in found if abs(one.gain) >= _STATED), key=lambda one: -one.gain))
