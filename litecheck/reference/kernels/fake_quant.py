"""FAKE_QUANT: float32 values rounded to the steps of integers with a given number of bits."""

from __future__ import annotations

import numpy as np

from litecheck.reference.numerics.fixedpoint import round_half_away
from litecheck.reference.registry import kernel
from litecheck.reference.runtime_tensors import Array, Operand, Options, OutputSpec, RunError

_F = np.float32


@kernel("FAKE_QUANT", "float32")
def fake_quant(input: Operand, output: OutputSpec, options: Options) -> Array:
    """output = x clamped to ``min``..``max`` and rounded half away from ``min`` to a step, in float32.

    The range is first moved so that 0 is a step. Any shape. Source: tflite/kernels/internal/reference/fake_quant.h.
    """
    least, most = (_F(options.get(name) or 0) if options is not None else _F(0) for name in ("min", "max"))
    bits = int(options.get("num_bits") or 0) if options is not None else 0
    if not (least <= 0 <= most and least < most and 2 <= bits <= 16):
        raise RunError(
            f"FAKE_QUANT of {bits} bits from {least} to {most}: 0 has to be inside, and 2 to 16 bits"
        )
    if options is not None and options.get("narrow_range"):
        raise RunError("FAKE_QUANT with narrow_range: LiteRT refuses it")
    last = _F((1 << bits) - 1)
    step = (most - least) / last
    zero = np.clip(round_half_away(np.asarray(-least / step)), 0, last).astype(_F)
    bottom, top = -zero * step, (last - zero) * step
    inside = np.clip(input.data, bottom, top)
    steps = round_half_away((inside - bottom) * (_F(1) / step)).astype(_F)
    value: Array = steps * step + bottom
    return value
