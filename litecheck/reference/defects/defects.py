"""Ways to compute wrongly that devices are found to have: whatever an operator's own variants cannot say.

An arithmetic names one, or two, under ``departure``, beside the operator's stages::

    CONV_2D: {requantize: single, departure: no-activation}
    ADD: {departure: no-activation+wraps}

A departure is a function around a kernel: it is given the kernel and its arguments by name, and changes operands,
results or options before the kernel computes, or what the kernel made.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.flatbuffer.table import Table
from litecheck.reference.defects import channel_defects, output_defects
from litecheck.reference.defects.narrow_accumulators import (
    Arguments,
    accumulated,
    deep,
    halved,
    paired,
    wrapping,
)
from litecheck.reference.defects.output_defects import BYTES, symmetric, with_options
from litecheck.reference.engine.registry import Kernel
from litecheck.reference.engine.values import Value
from litecheck.reference.numerics.axes import reduced_axes
from litecheck.reference.numerics.fixedpoint import round_half_away, saturate
from litecheck.reference.numerics.windows import SAME, VALID, Axis, axes, padded

Change = Callable[[Kernel, Arguments], Any]

#: The stage's value for none.
NONE = "none"
_STORED = (*BYTES, "int16")
_PRODUCTS = ("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED")
_WINDOWS = ("CONV_2D", "DEPTHWISE_CONV_2D")
_POOLS = ("AVERAGE_POOL_2D", "MAX_POOL_2D")


@dataclass(frozen=True, slots=True)
class Departure:
    """``does`` says in words what goes wrong; ``concerns`` whether an operator can have it.

    ``windowed``: it looks at what one output element is made of, not at where that stands; these are slow.
    """

    does: str
    concerns: Callable[[str], bool]
    change: Change
    windowed: bool = False


def departures(opcode: str) -> tuple[str, ...]:
    """The departures an operator can have."""
    return tuple(name for name, departure in DEPARTURES.items() if departure.concerns(opcode))


def departing(kernel: Kernel, name: str) -> Kernel:
    """The kernel with a departure, by name; of ``one+other`` the first is around the second."""
    if name == NONE:
        return kernel
    name, _, inner = name.partition("+")
    kernel = departing(kernel, inner or NONE)
    change = partial(DEPARTURES[name].change, kernel)
    return replace(kernel, function=lambda **given: change(given))


# --- Operands -----------------------------------------------------------------------------------------------------


def _without_zero_points(given: Arguments, *names: str) -> Arguments:
    found = {
        name: replace(value, quantization=symmetric(value.quantization), prepared={})
        for name, value in given.items()
        if name in names and value.dtype in _STORED
    }
    return {**given, **found}


def _no_input_zero_point(kernel: Kernel, given: Arguments) -> Any:
    if kernel.opcode in _WINDOWS:
        given = _padded(given, given["input"].zero_point)
    return kernel.function(**_without_zero_points(given, "input", "lhs", "rhs"))


def _no_input_zero_point_bare(kernel: Kernel, given: Arguments) -> Any:
    return kernel.function(**_without_zero_points(given, "input"))


def _int8_input_zero_point(kernel: Kernel, given: Arguments) -> Any:
    if kernel.opcode in _WINDOWS:
        given = _padded(given, given["input"].zero_point)
    return channel_defects.int8_zero_point(kernel, given)


def _zero_padding(kernel: Kernel, given: Arguments) -> Any:
    return kernel.function(**_padded(given, 0))


def _no_bias(kernel: Kernel, given: Arguments) -> Any:
    return kernel.function(**{**given, "bias": None})


def _short_bias(kernel: Kernel, given: Arguments) -> Any:
    bias: Value | None = given["bias"]
    if bias is None:
        return kernel.function(**given)
    short = replace(bias, data=saturate(bias.data, -(2**15), 2**15 - 1), prepared={})
    return kernel.function(**{**given, "bias": short})


def _symmetric_weights(kernel: Kernel, given: Arguments) -> Any:
    weight: Value = given["weight"]
    if weight.dtype != "int8":
        return kernel.function(**given)
    raised = replace(weight, data=np.maximum(weight.data, np.int8(-127)), prepared={})
    return kernel.function(**{**given, "weight": raised})


def _mean_rounded(kernel: Kernel, given: Arguments) -> Any:
    """The mean of stored values is what a mean along axes of one element is made of."""
    input: Value = given["input"]
    along = reduced_axes(given["axis"], input.data.ndim)
    if input.dtype not in BYTES or not input.data.size:
        return kernel.function(**given)
    means = round_half_away(input.data.mean(axis=along, keepdims=True, dtype=np.float64))
    pooled = replace(input, data=means.astype(input.data.dtype), prepared={})
    return kernel.function(**{**given, "input": pooled})


def _one_scale(choose: Callable[[NDArray[Any]], Any], kernel: Kernel, given: Arguments) -> Any:
    weight: Value = given["weight"]
    scale = weight.quantization.scale
    if not scale.size:
        return kernel.function(**given)
    one = replace(weight.quantization, scale=np.full_like(scale, choose(scale)))
    return kernel.function(**{**given, "weight": replace(weight, quantization=one, prepared={})})


# --- Windows ------------------------------------------------------------------------------------------------------


def _axes(given: Arguments) -> tuple[Axis, Axis]:
    options: Table = given["options"]
    if "weight" in given:
        return axes(given["input"].shape, given["weight"].shape[1:3], options)
    taps = int(options.get("filter_height", 0)), int(options.get("filter_width", 0))
    return axes(given["input"].shape, taps, options)


def _padded(given: Arguments, fill: int) -> Arguments:
    """SAME padding made part of the image, filled with a stored value; other arguments as they are."""
    input: Value = given["input"]
    if given["options"] is None or given["options"].get("padding", SAME) != SAME:
        return given
    rows, columns = _axes(given)
    image = padded(input.data, rows, columns, fill, input.data.dtype)[:, : _reach(rows), : _reach(columns)]
    valid = with_options(given["options"], padding=VALID)
    return {**given, "input": replace(input, data=image, prepared={}), "options": valid}


def _reach(axis: Axis) -> int:
    return (axis.out - 1) * axis.stride + (axis.kernel - 1) * axis.dilation + 1


def _padding_ahead(kernel: Kernel, given: Arguments) -> Any:
    """The odd element of SAME padding in front: what is seen when image and filters are looked at in a mirror."""
    if given["options"] is None or given["options"].get("padding", SAME) != SAME:
        return kernel.function(**given)
    odd = tuple(at for at, axis in enumerate(_axes(given), 1) if axis.after > axis.before)

    def mirrored(value: Value) -> Value:
        return replace(value, data=np.ascontiguousarray(np.flip(value.data, odd)), prepared={})

    turned = {name: mirrored(given[name]) for name in ("input", "weight") if name in given}
    return np.flip(kernel.function(**{**given, **turned}), odd)


def _counts_padding(kernel: Kernel, given: Arguments) -> Any:
    return kernel.function(**_padded(given, given["input"].zero_point))


def _counts_padding_bare(kernel: Kernel, given: Arguments) -> Any:
    return kernel.function(**_padded(given, 0))


def _no_dilation(kernel: Kernel, given: Arguments) -> Any:
    if given["options"] is None:
        return kernel.function(**given)
    near = with_options(given["options"], dilation_w_factor=1, dilation_h_factor=1)
    rows, columns = _axes(given)
    return kernel.function(**{**given, "options": near})[:, : rows.out, : columns.out]


# --- Which operators ----------------------------------------------------------------------------------------------


def _among(*opcodes: str) -> Callable[[str], bool]:
    return lambda opcode: opcode in opcodes


#: Operators that add a zero point to what they have rescaled.
_RESCALED = (
    "ADD SUB MUL SQUARED_DIFFERENCE MEAN SUM QUANTIZE LEAKY_RELU RELU RELU6 RELU_N1_TO_1 RELU_0_TO_1 PRELU LOGISTIC"
    " TANH HARD_SWISH EXP ELU GELU TRANSPOSE_CONV"
).split()
#: Operators that clamp to a fused activation.
_ACTIVATED = (*_PRODUCTS, *_POOLS, *"ADD SUB MUL DIV TRANSPOSE_CONV L2_POOL_2D".split())


#: By the name an arithmetic file uses.
DEPARTURES: dict[str, Departure] = {
    "no-activation": Departure(
        "the fused activation is ignored; the result still saturates",
        _among(*_ACTIVATED),
        output_defects.no_activation,
    ),
    "wraps": Departure(
        "the lowest bits of the result are kept where it should saturate, then the fused activation applies",
        _among(*_PRODUCTS, *_RESCALED),
        output_defects.wraps,
    ),
    "no-input-zero-point": Departure(
        "stored inputs are used as they are; padding still is the zero point",
        _among(*_PRODUCTS, *_RESCALED, "BATCH_MATMUL"),
        _no_input_zero_point,
    ),
    "no-input-zero-point-bare": Departure(
        "stored inputs are used as they are; padding adds nothing",
        _among(*_WINDOWS),
        _no_input_zero_point_bare,
    ),
    "no-output-zero-point": Departure(
        "the output's zero point is not added",
        _among(*_PRODUCTS, *_RESCALED),
        output_defects.no_output_zero_point,
    ),
    "saturates-first": Departure(
        "the result saturates before the output's zero point is added, and again after it",
        _among(*_PRODUCTS, *_RESCALED),
        output_defects.saturates_first,
    ),
    "symmetric-output": Departure(
        "-128 becomes -127 in the output",
        _among(*_PRODUCTS, *_RESCALED, *"AVERAGE_POOL_2D RESIZE_BILINEAR SOFTMAX".split()),
        output_defects.symmetric_output,
    ),
    "symmetric-weights": Departure(
        "weights of -128 are used as -127", _among(*_PRODUCTS, "TRANSPOSE_CONV"), _symmetric_weights
    ),
    "no-bias": Departure("the bias is left out", _among(*_PRODUCTS, "TRANSPOSE_CONV"), _no_bias),
    "bias-16": Departure("the bias saturates to 16 bits", _among(*_PRODUCTS, "TRANSPOSE_CONV"), _short_bias),
    "bias-16-wraps": Departure(
        "of the bias the lowest 16 bits are kept, the highest of them a sign",
        _among(*_PRODUCTS, "TRANSPOSE_CONV"),
        channel_defects.wrapped_bias,
    ),
    "neighbour-bias": Departure(
        "the last block of four channels has the bias of the channel before",
        _among(*_PRODUCTS, "TRANSPOSE_CONV"),
        channel_defects.neighbour_bias,
    ),
    "swapped-weight-scales": Departure(
        "the weight scales of channels 2n and 2n + 1 are swapped",
        _among(*_PRODUCTS, "TRANSPOSE_CONV"),
        channel_defects.swapped_scales,
    ),
    "int8-input-zero-point": Departure(
        "an input's negated zero point is kept in int8, where that of -128 is -128 again",
        _among(*_PRODUCTS, *_RESCALED, "BATCH_MATMUL"),
        _int8_input_zero_point,
    ),
    "bias-apart": Departure(
        "the bias is rescaled by itself and added to the rescaled sum of products",
        _among(*_PRODUCTS),
        output_defects.bias_apart,
    ),
    "first-weight-scale": Departure(
        "the first channel's weight scale serves all channels",
        _among(*_PRODUCTS, "TRANSPOSE_CONV"),
        partial(_one_scale, lambda scale: scale[0]),
    ),
    "largest-weight-scale": Departure(
        "the largest weight scale serves all channels",
        _among(*_PRODUCTS, "TRANSPOSE_CONV"),
        partial(_one_scale, np.max),
    ),
    "zero-padding": Departure(
        "SAME padding is a stored 0, not the zero point", _among(*_WINDOWS), _zero_padding
    ),
    "padding-ahead": Departure(
        "the odd element of SAME padding stands in front of the image",
        _among(*_WINDOWS, *_POOLS),
        _padding_ahead,
    ),
    "no-dilation": Departure("dilation is ignored", _among(*_WINDOWS), _no_dilation),
    "counts-padding": Departure(
        "padding counts as elements that are the zero point", _among("AVERAGE_POOL_2D"), _counts_padding
    ),
    "counts-padding-bare": Departure(
        "padding counts as elements that are a stored 0", _among("AVERAGE_POOL_2D"), _counts_padding_bare
    ),
    "mean-first": Departure(
        "the mean is rounded to a stored value, half away from zero, before it is rescaled",
        _among("MEAN"),
        _mean_rounded,
    ),
    "u8s8": Departure(
        "inputs become uint8, and every two products saturate to 16 bits together",
        _among(*_PRODUCTS),
        paired,
        windowed=True,
    ),
    **{
        f"accumulator-{bits}{suffix}": Departure(
            f"sums of products saturate to {bits} bits after every addition, {when}",
            _among(*_PRODUCTS),
            partial(accumulated, bits, first),
            windowed=True,
        )
        for bits in (16, 20, 24, 32)
        for suffix, first, when in (
            ("", False, "the bias comes last"),
            ("-bias-first", True, "the bias comes first"),
        )
    },
    "accumulator-16-deep": Departure(
        "where more than 256 products are added up, sums saturate to 16 bits after every addition, the bias comes last",
        _among(*_PRODUCTS),
        partial(deep, 16, 256),
        windowed=True,
    ),
    "accumulator-float16": Departure(
        "sums of products are rounded to float16 after every addition, the bias comes last",
        _among(*_PRODUCTS),
        halved,
        windowed=True,
    ),
    **{
        f"accumulator-{bits}-wraps": Departure(
            f"of the sum of products and bias the lowest {bits} bits are kept, the highest of them a sign",
            _among(*_PRODUCTS),
            partial(wrapping, bits),
            windowed=True,
        )
        for bits in (16, 20, 24)
    },
}
