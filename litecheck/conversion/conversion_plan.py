"""A conversion plan as plain data: the stored form of each tensor per reader, the rules that decide it, and exceptions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from litecheck.conversion.binding import TensorUse
from litecheck.conversion.formulas import Generation
from litecheck.conversion.weight_scales import half_scales
from litecheck.quantization import INTEGER_RANGES, Quantization

#: Decision about an operator without real values.
UNTOUCHED = "as it is"


@dataclass(frozen=True, slots=True, eq=False)
class QuantParams:
    """The stored form of a tensor: type, scales and zero points.

    ``low`` and ``high`` are the real values that the form was made for. ``rules`` are the paths of the deciding
    requirements, each with file and line. ``because`` states other reasons (a raised scale, a clamped constant).
    With ``block``, each ``block`` values of a row of a matrix have a scale, row by row. A ``dequantized`` constant is read
    through a DEQUANTIZE.
    """

    dtype: str
    scale: NDArray[np.float32]
    zero_point: NDArray[np.int64]
    axis: int = 0
    low: float = 0.0
    high: float = 0.0
    rules: tuple[str, ...] = ()
    because: str = ""
    block: int = 0
    dequantized: bool = False

    @property
    def quantization(self) -> Quantization:
        """Form as the quantization of a tensor."""
        return Quantization(self.scale, self.zero_point, self.axis)

    @property
    def reach(self) -> tuple[float, float]:
        """Smallest and largest real value that integers of a per-tensor scale represent."""
        low, high = INTEGER_RANGES[self.dtype]
        scale, zero_point = float(self.scale[0]), int(self.zero_point[0])
        return scale * (low - zero_point), scale * (high - zero_point)

    def same(self, other: QuantParams | None) -> bool:
        """Return True if stored integers have the same meaning in both forms."""
        return (
            other is not None
            and (self.dtype, self.axis if self.scale.size > 1 else 0, self.block, self.dequantized)
            == (other.dtype, other.axis if other.scale.size > 1 else 0, other.block, other.dequantized)
            and self.scale.tobytes() == other.scale.tobytes()
            and self.zero_point.tobytes() == other.zero_point.tobytes()
        )


def error_in(form: QuantParams) -> str:
    """Return the reason why a form from a plan file is invalid, or ""."""
    scale, zero_point = form.scale, form.zero_point
    if scale.size != zero_point.size or not (np.isfinite(scale).all() and (scale > 0).all()):
        return "needs one zero point for each scale, and scales above 0"
    if not scale.size and form.dtype not in ("float16", "float32"):
        return f"needs a scale: {form.dtype} alone stands for no real values"
    if form.block and (form.dtype != "int4" or (scale != half_scales(scale)).any()):
        return "scales of blocks are those of int4 values, and float16 numbers with 8 significant bits"
    largest = float(np.finfo(np.float32).max)
    if not (abs(form.low) <= largest and abs(form.high) <= largest):
        return "range is from one finite number to another"
    least, most = INTEGER_RANGES.get(form.dtype, (0, 0))
    far = (
        1 if form.dtype in ("int32", "int64") else max(-least, most)
    )  # bias accumulators never reach this range
    with np.errstate(over="ignore"):
        reach = scale * np.float32(far)
    if (scale < np.finfo(np.float32).tiny).any() or not np.isfinite(reach).all():
        return "scale, and scale times the largest integer, lie between 1.18e-38 and 3.4e+38, as float32 has them"
    inside = (zero_point >= least) & (zero_point <= most)
    return "" if inside.all() else f"a zero point lies outside {form.dtype}"


@dataclass(frozen=True, slots=True, eq=False)
class TensorQuantParams:
    """A tensor of real values: the form in which it is written (None: unchanged), and the form at each reading port."""

    subgraph: int
    tensor: int
    name: str
    written: QuantParams | None
    read: Mapping[TensorUse, QuantParams | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Decision:
    """The decision about an operator: the type that it computes in, or the reason why it is left unchanged.

    ``added`` are required inputs that it lacks, which become zeros in these forms, by position. ``intermediates`` are
    the forms of tensors that only the quantized operator has.
    """

    subgraph: int
    operator: int
    opcode: str
    name: str
    becomes: str
    because: str = ""
    added: Mapping[int, QuantParams] = field(default_factory=dict)
    intermediates: tuple[QuantParams, ...] = ()
    version: int = 1


@dataclass(frozen=True, slots=True, eq=False)
class ConstantChange:
    """A change of a float constant before it is stored, along an axis.

    Each channel is multiplied by its value (equalization), or the value is added (a corrected bias).
    """

    subgraph: int
    tensor: int
    multiplies: bool
    axis: int
    values: NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class ConversionPlan:
    """All changes of a conversion. ``source`` is the sha256 of the float file. ``changes`` of constants come first."""

    source: str
    profile: str
    target: str
    tensors: tuple[TensorQuantParams, ...]
    operators: tuple[Decision, ...]
    generation: Generation = "new"
    notes: tuple[str, ...] = ()
    changes: tuple[ConstantChange, ...] = ()
