"""LiteRT's QUANTIZE and DEQUANTIZE kernels by resolver: ``litert:reference``, ``litert:optimized``, ``litert:xnnpack``.

``litert`` alone is the formula, for every type and granularity. These are the kernels, and they reject types and
granularities that the kernels reject. Per axis, and for QUANTIZE to int4, all three compute the formula. In other
cases:

- *reference* (BUILTIN_REF): the formula;
- *optimized* (BUILTIN_WITHOUT_DEFAULT_DELEGATES): QUANTIZE multiplies by the reciprocal of the scale and rounds half to
  even in whole vectors of eight, and divides in float64 and rounds half away in the tail. DEQUANTIZE subtracts two
  products in whole vectors of types up to 8 bits;
- *xnnpack*, the default interpreter: XNNPACK computes int8 and uint8, with the reciprocal and half to even everywhere
  and DEQUANTIZE by the formula. The remaining types are computed as in *optimized*.

Checked against ai-edge-litert in its three resolvers by tests/differential/litert_quantize.py. Values with undefined
behavior in C++ (NaN, quotients from 2**31 on) are treated as in :mod:`litecheck.quantizer.litert`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import numpy as np

from litecheck.arrays import Array
from litecheck.quantization import BITS, INTEGER_RANGES
from litecheck.quantizer import litert, litert_vectors, tiles
from litecheck.quantizer.litert_vectors import LANES, Grid
from litecheck.quantizer.types import Parameters, QuantizerError, stored_type

RESOLVERS = ("reference", "optimized", "xnnpack")

_EIGHT_BITS = ("int8", "uint8")
_FOUR_BITS = ("int2", "int4", "uint4")
#: Operators from real values to stored integers, and back.
INTO_INTEGERS, OUT_OF_INTEGERS = "QUANTIZE", "DEQUANTIZE"
#: Stored types that each kernel supports, per tensor and per axis.
_KERNELS = {
    INTO_INTEGERS: (("int4", *_EIGHT_BITS, "int16"), (*_EIGHT_BITS, "int16")),
    OUT_OF_INTEGERS: ((*_FOUR_BITS, *_EIGHT_BITS, "int16"), (*_FOUR_BITS, *_EIGHT_BITS)),
}


class ResolverSemantics:
    """The QUANTIZE and DEQUANTIZE kernels of a resolver as a Semantics."""

    __slots__ = ("name", "resolver")
    default_dtype = "int8"

    def __init__(self, resolver: str) -> None:
        self.name = f"litert:{resolver}"
        self.resolver = resolver
        if resolver not in RESOLVERS:
            raise QuantizerError(self.name, "resolver", f"is none of {', '.join(RESOLVERS)}")

    def quantize(self, x: Array, parameters: Parameters, dtype: str | None = None) -> Array:
        """Quantize float32 (or float16) values to stored integers of ``dtype``, by default int8. Raise QuantizerError."""
        dtype = dtype or self.default_dtype
        self._check_kernel(INTO_INTEGERS, dtype, parameters)
        if self.resolver == "reference" or parameters.axis is not None or dtype == "int4":
            with self._rename_errors():
                return litert.quantize(x, parameters, dtype)
        with self._rename_errors():
            flat = litert.reals(x).reshape(-1)
        grid, delegated = self._grid(parameters, dtype), self._is_delegated(dtype)
        if not np.isfinite(litert_vectors.reciprocal(grid.scale)):
            raise QuantizerError(
                self.name, "scale", f"is {grid.scale}, whose reciprocal float32 does not hold"
            )
        out: Array = np.empty(flat.shape, litert.STORAGE[dtype])
        end = flat.size if delegated else flat.size // LANES * LANES
        body = partial(litert_vectors.quantize_body, grid=grid, flush=delegated)
        tiles.run(body, [flat[:end]], out[:end])
        tiles.run(partial(litert_vectors.quantize_tail, grid=grid), [flat[end:]], out[end:])
        return out.reshape(x.shape)

    def dequantize(
        self, q: Array, parameters: Parameters, dtype: str | None = None, stored: str | None = None
    ) -> Array:
        """Dequantize stored integers to float32. ``stored`` names their type if it differs from the array's type."""
        kind = stored_type(self.name, q, stored, INTEGER_RANGES)
        self._check_kernel(OUT_OF_INTEGERS, kind, parameters)
        with self._rename_errors():
            made = litert.dequantize(q, parameters, dtype, kind)
        if self.resolver == "reference" or parameters.axis is not None:
            return made
        grid = self._grid(parameters, kind)
        if BITS[kind] <= 8 and not self._is_delegated(kind):
            end = q.size // LANES * LANES
            body = partial(litert_vectors.dequantize_body, grid=grid)
            tiles.run(body, [q.reshape(-1)[:end]], made.reshape(-1)[:end])
        return made

    def _is_delegated(self, dtype: str) -> bool:
        """Return True if XNNPACK runs the operator."""
        return self.resolver == "xnnpack" and dtype in _EIGHT_BITS

    def _check_kernel(self, operator: str, dtype: str, parameters: Parameters) -> None:
        if parameters.block_size:
            raise QuantizerError(
                self.name, "block_size", f"is {parameters.block_size}; {operator} has no blocks"
            )
        types = _KERNELS[operator][parameters.axis is not None]
        if dtype not in types:
            per = "per tensor" if parameters.axis is None else "per axis"
            message = (
                f"is {dtype}; {operator} takes {', '.join(types)} {per}, litert alone has the formula for it"
            )
            raise QuantizerError(self.name, "dtype", message)

    def _grid(self, parameters: Parameters, dtype: str) -> Grid:
        """Return the single scale and zero point, checked."""
        with self._rename_errors():
            scales, zeros = litert.check_parameters(parameters, (), dtype)
        scale = np.float32(scales.item())
        if self._is_delegated(dtype) and scale < np.finfo(np.float32).smallest_normal:
            raise QuantizerError(self.name, "scale", f"is {scale}; XNNPACK takes no subnormal ones")
        return Grid(scale, int(zeros.item()), dtype)

    @contextmanager
    def _rename_errors(self) -> Iterator[None]:
        """Raise the QuantizerError of the formula under the name of this semantics."""
        try:
            yield
        except QuantizerError as error:
            raise QuantizerError(self.name, error.argument, error.message) from error
