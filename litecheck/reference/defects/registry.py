"""Registry of defects, and changes of a kernel's arguments before it runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from litecheck.flatbuffer.table import Table
from litecheck.profile.operators import OperatorTraits
from litecheck.quantization import Quantization
from litecheck.reference.numerics.windows import SAME, VALID, Axis, axes, pad_image
from litecheck.reference.registry import Kernel
from litecheck.reference.runtime_tensors import Array, Operand

Arguments = Mapping[str, Any]
Change = Callable[[Kernel, Arguments], Any]
Concerns = Callable[[OperatorTraits], bool]


@dataclass(frozen=True, slots=True)
class Defect:
    """Defect. ``description`` is the wrong computation as display text; ``concerns`` returns True if an operator can
    have it.

    ``change`` gets a kernel and its arguments by name. A ``windowed`` defect depends on the inputs of a single output
    element, not on the position of the element; these defects are slow.
    """

    description: str
    concerns: Concerns
    change: Change
    windowed: bool = False


#: Defects by their name in arithmetic files, in the order in which they are tried.
DEFECTS: dict[str, Defect] = {}


def defect(
    name: str, description: str, concerns: Concerns, windowed: bool = False
) -> Callable[[Change], Change]:
    """Register a function around a kernel as a defect."""

    def register(change: Change) -> Change:
        DEFECTS[name] = Defect(description, concerns, change, windowed)
        return change

    return register


def has_weights(facts: OperatorTraits) -> bool:
    """Return True if products of an input and weights are summed."""
    return facts.products == ("input", "weight")


def sums_products(facts: OperatorTraits) -> bool:
    """Return True if products of an input and weights are summed for each output element (not in TRANSPOSE_CONV)."""
    return has_weights(facts) and facts.over != "stamps"


def convolves(facts: OperatorTraits) -> bool:
    """Return True if products of an input and weights are summed in windows with padding."""
    return has_weights(facts) and facts.windows


def rescales(facts: OperatorTraits) -> bool:
    """Return True if a zero point is added after rescaling."""
    return facts.result == "rescaled"


#: 8-bit types.
BYTES = ("int8", "uint8")


@lru_cache(maxsize=256)
def symmetric(quantization: Quantization) -> Quantization:
    """Return the same scales with zero points 0."""
    return replace(quantization, zero_point=np.zeros_like(quantization.zero_point))


def with_options(options: Table, **fields: Any) -> Table:
    """Return the options with some values replaced."""
    return replace(options, fields={**options.fields, **fields})


def with_bias(given: Arguments, change: Callable[[Array], Array]) -> Arguments:
    """Return the arguments with a changed bias, if there is a bias."""
    bias: Operand | None = given["bias"]
    if bias is None:
        return given
    data = change(bias.data.reshape(-1)).reshape(bias.data.shape)
    return {**given, "bias": replace(bias, data=data, prepared={})}


def window_axes(given: Arguments) -> tuple[Axis, Axis]:
    """Return the windows along the height and the width of an image."""
    options: Table = given["options"]
    if "weight" in given:
        return axes(given["input"].shape, given["weight"].shape[1:3], options)
    taps = int(options.get("filter_height", 0)), int(options.get("filter_width", 0))
    return axes(given["input"].shape, taps, options)


def with_padding(given: Arguments, fill: int) -> Arguments:
    """Return the arguments with SAME padding as part of the image, filled with a stored value."""
    input: Operand = given["input"]
    if given["options"] is None or given["options"].get("padding", SAME) != SAME:
        return given
    rows, columns = window_axes(given)
    image = pad_image(input.data, rows, columns, fill, input.data.dtype)[:, : _reach(rows), : _reach(columns)]
    valid = with_options(given["options"], padding=VALID)
    return {**given, "input": replace(input, data=image, prepared={}), "options": valid}


def _reach(axis: Axis) -> int:
    return (axis.out - 1) * axis.stride + (axis.kernel - 1) * axis.dilation + 1
