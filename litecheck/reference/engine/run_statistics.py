"""Statistics of a run: range and saturation of each tensor, and kept arrays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.model.graph import name_of
from litecheck.model.types import Operator, Subgraph, Tensor
from litecheck.quantization import BITS, INTEGER_RANGES
from litecheck.reference.engine.entry_point import EntryPoint, unique_names
from litecheck.reference.engine.interpreter import Run

#: Maximum number of bits of types whose values are counted.
_COUNTED_BITS = 16


@dataclass(frozen=True, slots=True)
class Statistics:
    """Statistics of a computed tensor. ``low`` and ``high`` are stored values, ``real_low`` and ``real_high`` real values.

    ``at_low`` and ``at_high`` count the elements at the type's smallest and largest value, ``used`` the distinct values
    of the ``codes`` that the type has. They are None for types that are not quantized or have too many values. All are
    None for a tensor without finite values.
    """

    index: int
    name: str
    dtype: str
    shape: tuple[int, ...]
    operator: str
    size: int
    low: int | float | None = None
    high: int | float | None = None
    real_low: float | None = None
    real_high: float | None = None
    at_low: int | None = None
    at_high: int | None = None
    used: int | None = None
    codes: int | None = None
    not_finite: int = 0

    @property
    def saturation(self) -> tuple[float, float] | None:
        """Shares of elements at the type's smallest and largest value, 0 to 1."""
        if self.at_low is None or self.at_high is None or not self.size:
            return None
        return self.at_low / self.size, self.at_high / self.size

    @property
    def unused(self) -> int | None:
        """Number of values of the type that do not occur in the tensor."""
        return None if self.used is None or self.codes is None else self.codes - self.used


def statistics(
    subgraph: Subgraph, operator: Operator, outputs: tuple[NDArray[Any], ...]
) -> tuple[Statistics, ...]:
    """Return the statistics of each output of an operator."""
    label = f"{operator.opcode} #{operator.index}"
    pairs = zip(operator.outputs, outputs, strict=True)
    return tuple(
        _describe(subgraph, subgraph.tensors[i], label, values, operator) for i, values in pairs if i >= 0
    )


def _describe(
    subgraph: Subgraph, tensor: Tensor, label: str, values: NDArray[Any], operator: Operator
) -> Statistics:
    finite = values[np.isfinite(values)] if values.dtype.kind == "f" else values
    known: dict[str, Any] = {
        "index": tensor.index,
        "name": tensor.name or name_of(subgraph, operator),
        "dtype": tensor.dtype,
        "shape": values.shape,
        "operator": label,
        "size": values.size,
        "not_finite": values.size - finite.size,
    }
    if not finite.size or finite.dtype.kind not in "iuf":
        return Statistics(**known)
    low, high = finite.min().item(), finite.max().item()
    known |= {"low": low, "high": high}
    real = _real(tensor, low), _real(tensor, high)
    known |= {"real_low": real[0], "real_high": real[1]}
    if tensor.dtype in INTEGER_RANGES and BITS[tensor.dtype] <= _COUNTED_BITS:
        least, most = INTEGER_RANGES[tensor.dtype]
        counts = np.bincount((finite.reshape(-1).astype(np.int32) - least), minlength=most - least + 1)
        known |= {"at_low": int(counts[0]), "at_high": int(counts[-1])}
        known |= {"used": int(np.count_nonzero(counts)), "codes": most - least + 1}
    return Statistics(**known)


def _real(tensor: Tensor, stored: float) -> float | None:
    """Return the real value of a stored value; float types unchanged, None without a single scale for the whole tensor."""
    if tensor.dtype.startswith("float"):
        return float(stored)
    q = tensor.quantization
    if q.scale.size != 1 or q.details is not None:
        return None
    zero = int(q.zero_point[0]) if q.zero_point.size else 0
    return float(q.scale[0]) * (stored - zero)


class Recorder:
    """Progress callback of :meth:`ReferenceInterpreter.invoke`. ``advance`` is called with the name of each operator."""

    def __init__(
        self, entry: EntryPoint, stats: bool = False, advance: Callable[[str], None] | None = None
    ) -> None:
        self.entry = entry
        self.stats = stats
        self.advance = advance
        self.operators = 0
        self.statistics: list[Statistics] = []

    def __call__(self, operator: Operator, outputs: tuple[NDArray[Any], ...]) -> None:
        """Record the outputs of an operator."""
        self.operators += 1
        if self.stats:
            self.statistics += statistics(self.entry.subgraph, operator, outputs)
        if self.advance:
            self.advance(f"{operator.opcode} #{operator.index}")

    def named_arrays(self, run: Run) -> dict[str, NDArray[Any]]:
        """Return the kept arrays under unique names: output names for outputs, tensor names for other tensors."""
        outputs = dict(self.entry.outputs)
        rest = [i for i in sorted(run.tensors) if i not in set(outputs.values())]
        arrays = dict(run.outputs)
        for name, index in unique_names(self.entry.subgraph, rest):
            arrays[f"{name} (tensor {index})" if name in outputs else name] = run.tensors[index]
        return arrays
