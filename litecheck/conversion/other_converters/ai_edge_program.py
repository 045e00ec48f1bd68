"""ai-edge-quantizer on a float .tflite. This module only runs in a child process."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ai_edge_quantizer import quantizer, recipe

from litecheck.conversion.other_converters.converter_program import samples_of


def to_integers(request: Mapping[str, Any], samples: Path) -> bytes:
    """Return the int8 or int16x8 .tflite by ai-edge-quantizer's calibration and its static recipes."""
    plain = recipe.static_wi8_ai16() if request["to"] == "int16x8" else recipe.static_wi8_ai8()
    engine = quantizer.Quantizer(request["source"], plain)
    calibrated = engine.calibrate({request["signature"]: list(samples_of(samples))}, num_threads=1)
    quantized = engine.quantize(calibrated, enable_progress_report=False).quantized_model
    if quantized is None:
        raise RuntimeError("no model came out")
    return bytes(quantized)
