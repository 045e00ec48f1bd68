"""Measurements that decide which backend runs an operator, by the names under ``limits`` in
rules/arithmetic/dispatch.yaml."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from litecheck.model.graph import Wiring, wiring_of
from litecheck.model.options import options_of
from litecheck.model.stored_values import stored_integers
from litecheck.model.types import Operator, Subgraph, Tensor
from litecheck.profile.unpacked_constants import is_unpacked
from litecheck.quantization import BITS, Blockwise


@dataclass(frozen=True, slots=True, eq=False)
class PlacedOperator:
    """Operator in a subgraph: its tensors by role, the roles that are unpacked when a model is loaded, and its options
    by name."""

    operator: Operator
    tensors: Mapping[str, Tensor]
    unpacked: frozenset[str]
    options: Mapping[str, Any]

    @staticmethod
    def of(
        subgraph: Subgraph,
        operator: Operator,
        inputs: tuple[str, ...],
        outputs: tuple[str, ...],
    ) -> PlacedOperator:
        """Return an operator with its tensors by role. Roles are in the order of its tensors."""
        named = [*zip(inputs, operator.inputs, strict=False), *zip(outputs, operator.outputs, strict=False)]
        tensors = {role: subgraph.tensors[index] for role, index in named if index >= 0}
        unpacked = {role for role, tensor in tensors.items() if is_unpacked(subgraph, tensor)}
        return PlacedOperator(operator, tensors, frozenset(unpacked), options_of(operator))

    def scale(self, role: str) -> np.float32:
        """Return the single scale of a role, or NaN if it has no scale or several."""
        stated: list[float] = self.tensors[role].quantization.scale.tolist() if role in self.tensors else []
        scale: np.float32 = np.float32(stated[0] if len(stated) == 1 else np.nan)
        return scale

    def shape(self, role: str) -> tuple[int, ...]:
        """Return the shape of a role, () if the role is absent."""
        return self.tensors[role].shape if role in self.tensors else ()


def _sum_bits(placed: PlacedOperator) -> float:
    """Return the number of bits of sums of products: 64 for 16-bit inputs without the option int32 bias, else 32."""
    words = any(t.dtype == "int16" for role, t in placed.tensors.items() if role in ("input", "lhs"))
    return 64 if words and placed.options.get("quantized_bias_type") != "INT32" else 32


def _bias_bits(placed: PlacedOperator) -> float:
    """Return the number of bits of a bias of 16-bit inputs, 0 if there is no bias."""
    words = "bias" in placed.tensors and placed.tensors["input"].dtype == "int16"
    return BITS[placed.tensors["bias"].dtype] if words else 0


def _groups(placed: PlacedOperator) -> float:
    """Return the number of groups of a convolution's input channels."""
    image, filters = placed.shape("input"), placed.shape("weight")
    return image[-1] / filters[-1] if image and filters and filters[-1] else 0


def _depth(placed: PlacedOperator) -> float:
    """Return the number of columns of a weight matrix."""
    return (placed.shape("weight")[-1:] or (0,))[0]


def _units_without_scale(placed: PlacedOperator) -> float:
    """Return the number of rows of a weight matrix without a scale of their own. Example: 8 rows with one scale give 7."""
    rows = (placed.shape("weight")[-2:-1] or (0,))[0]
    return rows - placed.tensors["weight"].quantization.scale.size


def _block_remainder(placed: PlacedOperator) -> float:
    """Return the remainder of a block of weights after full vectors of 32."""
    details = placed.tensors["weight"].quantization.details
    return details.block_size % 32 if isinstance(details, Blockwise) else 0


def _stride_beyond_filter(placed: PlacedOperator) -> float:
    """Return the largest number of elements by which the stride of a pooling window exceeds its length."""
    get = placed.options.get
    return max(0, *(int(get(f"stride_{s}", 0)) - int(get(f"filter_{f}", 0)) for s, f in _SIDES))


_SIDES = (("h", "height"), ("w", "width"))


def _count_stamp_gaps(placed: PlacedOperator) -> float:
    """Return the number of sides along which the filters of a transposed convolution leave gaps or do not fit.

    With SAME, the stride exceeds the filter, or the input does not match the output. With VALID, the filter exceeds the
    output.
    """
    wanted = stored_integers(placed.tensors["output_shape"]) if "output_shape" in placed.tensors else None
    if wanted is None or wanted.size != 4:
        return 0
    outs = [int(n) for n in wanted.reshape(-1)[1:3]]
    sides = zip(placed.shape("input")[1:3], placed.shape("weight")[1:3], outs, strict=False)
    if placed.options.get("padding") != "SAME":
        return sum(taps > out for _, taps, out in sides)
    strides = (max(1, int(placed.options.get(f"stride_{side}", 1))) for side in "hw")
    return sum(
        taps < stride or -(-out // stride) != size
        for (size, taps, out), stride in zip(sides, strides, strict=False)
    )


def _negative_slope(placed: PlacedOperator) -> float:
    """Return alpha * input scale / output scale, the factor of negative values, in float32."""
    with np.errstate(all="ignore"):
        positive = placed.scale("input") / placed.scale("output")
        return float(np.float32(positive * np.float32(placed.options.get("alpha", 0.0))))


#: Measurements by their name in conditions.
MEASUREMENTS: dict[str, Callable[[PlacedOperator], float]] = {
    "sum_bits": _sum_bits,
    "bias_bits": _bias_bits,
    "groups": _groups,
    # Rows of a weight matrix.
    "units": lambda placed: (placed.shape("weight")[-2:-1] or (0,))[0],
    "depth": _depth,
    # 1 if a row of 4-bit weights ends within a byte.
    "odd_depth_of_int4": lambda placed: _depth(placed) % 2 if placed.tensors["weight"].dtype == "int4" else 0,
    "depth_beyond_fours": lambda placed: _depth(placed) % 4,
    "units_without_scale": _units_without_scale,
    # 1 if weights have a scale for each block of a row.
    "blockwise": lambda placed: isinstance(placed.tensors["weight"].quantization.details, Blockwise),
    "block_remainder": _block_remainder,
    "stride_beyond_filter": _stride_beyond_filter,
    "stamp_gaps": _count_stamp_gaps,
    "slope": _negative_slope,
    "slope_magnitude": lambda placed: abs(_negative_slope(placed)),
}


#: Predicate: the operator is a function of one value, because its other operands are single constants.
IsFunction = Callable[[Operator], bool]
#: Maximum number of steps of a table. The next step begins a new table.
LONGEST = 10


def in_table(subgraph: Subgraph, operator: Operator, is_function: IsFunction, clamps: IsFunction) -> bool:
    """Return True if an operator that reads one tensor twice is in a table, after other operators.

    XNNPACK computes consecutive functions of one value as a table of 256 entries, if only the next function reads each
    value. It fills the table by running the functions on all bytes before it rewrites them. In this run, a tensor times
    the same tensor is still a product. Source: xnnpack/src/subgraph.c.

    ``clamps`` returns True for an operator whose fused activation is a separate step.
    """
    row = list(_steps_before(subgraph, operator, is_function, clamps))
    begins = max((at for at, can_begin in enumerate(row) if can_begin), default=None)
    return begins is not None and (begins + 1) % LONGEST > 0


def _steps_before(
    subgraph: Subgraph, operator: Operator, is_function: IsFunction, clamps: IsFunction
) -> Iterator[bool]:
    """Yield for each step before an operator, the nearest first, True if a table can begin with the step."""
    wiring = wiring_of(subgraph)
    index = _value_input(subgraph, operator)
    while index is not None and index in wiring.last_writer and _has_one_reader(wiring, index):
        one = subgraph.operators[wiring.last_writer[index]]
        if clamps(one) and options_of(one).get("fused_activation_function", "NONE") != "NONE":
            yield _is_8bit(subgraph, index)
        index = _value_input(subgraph, one)
        if index is None or not is_function(one):
            return
        doubled = len(one.inputs) > len(set(one.inputs))
        yield not doubled and _is_8bit(subgraph, index)


def _value_input(subgraph: Subgraph, operator: Operator) -> int | None:
    """Return the only tensor that is not a single constant; None if there are several."""
    read = set(operator.inputs) - {-1}
    constants = {i for i in read if subgraph.tensors[i].is_constant and subgraph.tensors[i].size == 1}
    (*values,) = read - constants
    return values[0] if len(values) == 1 else None


def _has_one_reader(wiring: Wiring, index: int) -> bool:
    return len(wiring.readers.get(index, ())) == 1 and index not in wiring.outputs


def _is_8bit(subgraph: Subgraph, index: int) -> bool:
    return subgraph.tensors[index].dtype in ("int8", "uint8")
