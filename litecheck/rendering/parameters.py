"""Report of quantize and dequantize: the written file and its parameters, for people and for programs."""

from __future__ import annotations

from math import isfinite
from typing import Any

from numpy.typing import NDArray

from litecheck.quantizer.types import Parameters
from litecheck.rendering.escape import json_document, visible

#: Version of the format; it increases when a key changes its meaning or is removed.
VERSION = 1


def describe_parameters(
    file: str, dtype: str, shape: tuple[int, ...], semantics: str, parameters: Parameters, form: str
) -> str:
    """Return the written file and its parameters: a line of text, or JSON with every scale and zero point."""
    if form == "json":
        return _json(file, dtype, shape, semantics, parameters)
    words = "x".join(map(str, shape)) or "scalar"
    axis = "" if parameters.axis is None else f" along axis {parameters.axis}"
    blocks = f" in blocks of {parameters.block_size}" if parameters.block_size else ""
    zero = "0" if parameters.zero_point is None else _span(parameters.zero_point)
    scales = _span(parameters.scale)
    count = f"{parameters.scale.size:,} scales" if parameters.scale.size > 1 else "scale"
    colon = ":" if axis else ""
    by = f"{count}{axis}{blocks}{colon} {scales}, zero point {zero}"
    return f"{visible(file)}: {dtype} {words} by {semantics}; {by}\n"


def _span(values: NDArray[Any]) -> str:
    """Return the shortest text that restores the value; for several values, the smallest and the largest."""
    if not values.size:
        return "none"
    low, high = values.min(), values.max()
    return _text(low) if low == high or low != low else f"{_text(low)}..{_text(high)}"


def _text(value: Any) -> str:
    plain = value.item()
    return str(plain) if isinstance(plain, int) else str(value)


def _json(file: str, dtype: str, shape: tuple[int, ...], semantics: str, parameters: Parameters) -> str:
    zeros = parameters.zero_point
    document = {
        "litecheck_quantized": VERSION,
        "file": visible(file),
        "dtype": dtype,
        "shape": shape,
        "semantics": semantics,
        "axis": parameters.axis,
        "block_size": parameters.block_size,
        "scale_shape": parameters.scale.shape,
        "scale": [_number(v) for v in parameters.scale.reshape(-1).tolist()],
        "zero_point": [0] * parameters.scale.size if zeros is None else zeros.reshape(-1).tolist(),
    }
    return json_document(document)


def _number(value: Any) -> float | str:
    number = float(value)
    return number if isfinite(number) else str(number)
