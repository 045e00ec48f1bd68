"""StableHLO's elementwise operators and PAD: stored integers that wrap; scales are ignored."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from litecheck.reference.compute_limits import reserve
from litecheck.reference.registry import KernelFunction, kernel
from litecheck.reference.runtime_tensors import NUMPY_TYPES, Array, Operand, Options, OutputSpec, RunError

#: Types of LiteRT's elementwise kernels.
_NUMBERS = tuple(name for name in NUMPY_TYPES if not name.endswith(("int2", "int4")))
_SHIFTED = ("int8", "int16", "int32")


def _check_equal_shapes(lhs: Operand, rhs: Operand) -> None:
    if lhs.shape != rhs.shape or lhs.dtype != rhs.dtype:
        raise RunError(f"{lhs.dtype}{list(lhs.shape)} and {rhs.dtype}{list(rhs.shape)}; nothing is broadcast")


def _elementwise(function: Callable[[Array, Array], Array]) -> KernelFunction:
    def elementwise(lhs: Operand, rhs: Operand, output: OutputSpec) -> Array:
        """output = a function of two stored values, modulo 2^bits. Source: tflite/kernels/stablehlo_elementwise.h."""
        _check_equal_shapes(lhs, rhs)
        with np.errstate(over="ignore"):
            return function(lhs.data, rhs.data)

    return elementwise


#: The maximum and minimum of values that do not compare (NaN) is lhs. AND is bitwise (stablehlo_and.cc).
_FUNCTIONS: dict[str, Callable[[Array, Array], Array]] = {
    "STABLEHLO_ADD": np.add,
    "STABLEHLO_MULTIPLY": np.multiply,
    "STABLEHLO_MAXIMUM": lambda x, y: np.where(x < y, y, x),
    "STABLEHLO_MINIMUM": lambda x, y: np.where(y < x, y, x),
}
for _opcode, _function in _FUNCTIONS.items():
    kernel(_opcode, *_NUMBERS)(_elementwise(_function))
kernel("STABLEHLO_AND", *(name for name in _NUMBERS if "float" not in name))(_elementwise(np.bitwise_and))


@kernel("STABLEHLO_SHIFT_LEFT", *_SHIFTED)
def stablehlo_shift_left(lhs: Operand, rhs: Operand, output: OutputSpec) -> Array:
    """output = the lowest bits of lhs * 2^rhs of stored values, for shifts of 0 to 31 bits. Other shifts are undefined.

    8-bit and 16-bit values are shifted as 32 bits. Source: tflite/kernels/stablehlo_shift_left.cc.
    """
    _check_equal_shapes(lhs, rhs)
    if ((rhs.data < 0) | (rhs.data > 31)).any():
        raise RunError("a shift by fewer than 0 or more than 31 bits is undefined")
    return (lhs.data.astype(np.int64) << rhs.data.astype(np.int64)).astype(NUMPY_TYPES[output.dtype])


def dimensions(options: Options, name: str) -> list[int]:
    """Return an option that lists dimensions, or a size for each dimension."""
    return [int(n) for n in options.get(name, ())] if options is not None else []


def pad_array(x: Array, value: Array, low: list[int], high: list[int], interior: list[int]) -> Array:
    """Return x with ``interior`` copies of ``value`` between neighbors, and ``low`` and ``high`` copies at the ends.

    Negative ends crop. An output without elements has size 0 along all dimensions. For example, size 3 with interior 2
    and ends of 1 and 0 gives 8, and size 0 gives 1.
    """
    ends = zip(x.shape, low, high, interior, strict=True)
    sizes = [n + max(0, n - 1) * i + a + b for n, a, b, i in ends]
    if min(sizes, default=0) <= 0:
        return np.empty([0] * x.ndim, x.dtype)
    reserve(sizes, value.itemsize)
    made = np.full(sizes, value.reshape(-1)[0])
    places = [np.arange(n) * (i + 1) + a for n, a, i in zip(x.shape, low, interior, strict=True)]
    inside = [(p >= 0) & (p < size) for p, size in zip(places, sizes, strict=True)]
    kept = [np.flatnonzero(mask) for mask in inside]
    made[np.ix_(*(p[k] for p, k in zip(places, kept, strict=True)))] = x[np.ix_(*kept)]
    return made


@kernel("STABLEHLO_PAD", *NUMPY_TYPES)
def stablehlo_pad(input: Operand, padding_value: Operand, output: OutputSpec, options: Options) -> Array:
    """output = stored values with a stored value around and between them. Source: tflite/kernels/stablehlo_pad.cc."""
    low, high, interior = (
        dimensions(options, name) for name in ("edge_padding_low", "edge_padding_high", "interior_padding")
    )
    return pad_array(input.data, padding_value.data, low, high, interior)
