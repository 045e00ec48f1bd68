"""Traces written by hand, for the tests of their reports."""

from __future__ import annotations

from litecheck.tracing.trace_result import Culprit, FixGain, Trace, TracedOperator, TracedOutput, TriedFix

FIX = TriedFix(
    "litecheck convert float.tflite -o fixed.tflite --data x.npz",
    8.0,
    21.5,
    4,
    (FixGain("per-channel weights", 14.5), FixGain("new ranges", -1.0)),
)
ROWS = (
    TracedOperator(0, 0, "CONV_2D", "stem", 0, 31.5, 31.5, 34.0, 34.0, 31.5, 0.0, 0.125, 7.5),
    TracedOperator(
        0, 1, "CONV_2D", "deep <b>\x1b[31m", 1, 9.0, 10.0, 36.0, 36.0, 24.0, 14.0, 0.0, 8.0, 9.5, 0.25, 3.0
    ),
    TracedOperator(0, 2, "RESHAPE", "flat", 2, 8.5, 120.0, 120.0, 120.0, 120.0, 0.0, None, None),
)
CULPRIT = Culprit(
    0,
    1,
    "CONV_2D",
    "deep <b>\x1b[31m",
    "weight_scale",
    14.0,
    "3 of 64 weight scales are 2 times too large",
    0.96,
    FIX,
)
BAD = Trace(
    "1.0", "float.tflite", "int8.tflite", "4 samples of x.npz", 4, ROWS, (CULPRIT,), (TracedOutput("y", 8.0),),
    ((0, 3, "QUANTIZE", "converts between types"),), "faulty", FIX, notes=("a note",),
)  # fmt: skip
GOOD = Trace(
    "1.0",
    "float.tflite",
    "int8.tflite",
    "4 samples of x.npz",
    4,
    ROWS[:1],
    (),
    (TracedOutput("y", 30.0),),
    leading=(0, 0.75),
)
