"""Common types of all quantization semantics: parameters, interface, errors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from litecheck.errors import LitecheckError
from litecheck.quantization import Quantization


class QuantizerError(LitecheckError):
    """Arguments that a semantics does not define: a combination of types, a missing attribute, a shape that does not fit.

    ``semantics`` is the name of the semantics (``onnx:21``), or of the function if all semantics reject the argument,
    ``argument`` the rejected argument (``block_size``), and
    ``message`` the reason.
    """

    def __init__(self, semantics: str, argument: str, message: str) -> None:
        self.semantics = semantics
        self.argument = argument
        self.message = message
        super().__init__(f"{semantics}: {argument}: {message}")


@dataclass(frozen=True, slots=True, eq=False)
class Parameters:
    """Scales and zero points for one tensor of shape (D0, ..., Dn).

    - per-tensor: ``scale`` has one element, ``axis`` is None;
    - per-axis: ``scale`` has shape (Di,), ``axis`` is i, ``block_size`` 0;
    - blocked: ``scale`` has the tensor's shape, except ceil(Di / block_size) along ``axis``.

    ``zero_point`` has the shape of ``scale``, or is None, which means 0. Types are kept as given, because some
    semantics depend on them (ONNX divides in the scale's type, and the zero point's type is the output's type).
    """

    scale: NDArray[Any]
    zero_point: NDArray[Any] | None = None
    axis: int | None = None
    block_size: int = 0

    @classmethod
    def of(cls, quantization: Quantization) -> Parameters:
        """Return the parameters that a LiteRT tensor states (float32 scales, int64 zero points)."""
        per_axis = quantization.scale.size > 1
        return cls(quantization.scale, quantization.zero_point, quantization.axis if per_axis else None)

    def broadcast_to(self, shape: tuple[int, ...]) -> tuple[NDArray[Any], NDArray[Any] | None]:
        """Return scale and zero point in a shape that broadcasts against a tensor of ``shape``.

        For example, 2 scales on axis 1 of shape (3, 2) get shape (1, 2).
        """
        return self._spread(self.scale, shape), (
            None if self.zero_point is None else self._spread(self.zero_point, shape)
        )

    def _spread(self, values: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
        if self.axis is None:
            return values.reshape(())
        axis = self.axis % len(shape)
        if self.block_size:
            return np.repeat(values, self.block_size, axis)[(slice(None),) * axis + (slice(shape[axis]),)]
        return values.reshape([-1 if i == axis else 1 for i in range(len(shape))])


class Semantics(Protocol):
    """The quantization arithmetic of one document. All functions are pure and define NaN, infinities and saturation.

    ``default_dtype`` is the stored type if none is given.
    """

    name: str
    default_dtype: str

    def quantize(self, x: NDArray[Any], parameters: Parameters, dtype: str | None = None) -> NDArray[Any]:
        """Quantize a real tensor to stored integers (or small floats) of ``dtype``. Raise QuantizerError."""
        ...

    def dequantize(
        self, q: NDArray[Any], parameters: Parameters, dtype: str | None = None, stored: str | None = None
    ) -> NDArray[Any]:
        """Dequantize stored values to a real tensor of ``dtype``, by default the semantics' own. Raise QuantizerError.

        ``stored`` names the stored type if it differs from the array's type: int4 in int8.
        """
        ...


def check_positive(semantics: str, argument: str, scales: NDArray[Any]) -> None:
    """Raise QuantizerError unless all scales are finite and above 0."""
    bad = scales[~(np.isfinite(scales) & (scales > 0))]
    if bad.size:
        raise QuantizerError(semantics, argument, f"got {bad[0]:g}, expected finite numbers above 0")


def unusual_scales(semantics: str, parameters: Parameters) -> str:
    """Return a warning about scales that are 0, negative or not finite, or "" if there are none.

    LiteRT and oneDNN reject such scales. ONNX computes with them, as observed in onnxruntime 1.32.
    """
    scale = np.asarray(parameters.scale, np.float64)
    bad = scale[~(np.isfinite(scale) & (scale > 0))]
    if not bad.size:
        return ""
    return (
        f"{semantics}: scale {bad[0]:g}: {bad.size} of {scale.size} not finite and positive. ONNX and onnxruntime compute"
        " with such a scale, but the integers are of no use"
    )


def stored_type(
    semantics: str, q: NDArray[Any], named: str | None, ranges: Mapping[str, tuple[int, int]]
) -> str:
    """Return the type of stored integers: ``named`` if the array's type includes it and all values are in its range.

    Without ``named``, return the array's own type. ``ranges`` are the smallest and largest values of the named types.
    Raise QuantizerError.
    """
    own = str(q.dtype.name)
    if named is None or named == own:
        return own
    if named not in ranges or own not in ranges:
        raise QuantizerError(semantics, "q", f"is {own}, not {named}")
    low, high = ranges[named]
    if ranges[own][0] > low or ranges[own][1] < high:
        raise QuantizerError(semantics, "q", f"is {own}, which does not hold {named}")
    smallest, largest = (int(q.min()), int(q.max())) if q.size else (low, high)
    if smallest < low or largest > high:
        raise QuantizerError(
            semantics, "q", f"holds {own} from {smallest} to {largest}, which is not {named}"
        )
    return named
