"""Shapes of convolutions (also grouped, depthwise and transposed), pooling and matrix products."""

from __future__ import annotations

from collections.abc import Sequence

from litecheck.model.shapes.call import Call, Shape, ShapeError, Shapes
from litecheck.model.shapes.dimensions import check_rank, count, differ, elements, row, shape_text
from litecheck.model.shapes.elementwise import broadcast_shapes

SAME, VALID = 0, 1


def conv_2d(call: Call) -> Shapes:
    """Return [n, h', w', o] for input [n, h, w, c] and weight [o, kh, kw, i].

    i divides c into groups, and the number of groups divides o. The bias has o values.
    """
    _check_pointwise(call)
    source, weight = (check_rank(call, role, 4) or (None,) * 4 for role in ("input", "weight"))
    strides = positive(call, ("stride_h", "stride_w"), 0)
    dilations = positive(call, ("dilation_h_factor", "dilation_w_factor"), 1)
    _check_window(source, weight)
    _check_groups(source[3], weight[3], weight[0])
    _check_bias(call, weight[0])
    return ((source[0], *conv_output_size(call, source[1:3], weight[1:3], strides, dilations), weight[0]),)


def depthwise_conv_2d(call: Call) -> Shapes:
    """Return [n, h', w', c * m] for input [n, h, w, c] and weight [1, kh, kw, c * m]. The shapes determine the
    multiplier m."""
    source, weight = (check_rank(call, role, 4) or (None,) * 4 for role in ("input", "weight"))
    strides = positive(call, ("stride_h", "stride_w"), 0)
    dilations = positive(call, ("dilation_h_factor", "dilation_w_factor"), 1)
    _check_window(source, weight)
    if call.has("bias"):
        check_rank(call, "bias", 1)
    if differ(weight[0], 1):
        found = f"the first dimension of the weight is {weight[0]}, 1 wanted"
        raise ShapeError("weight", found, "filters" if call.constant("weight") else "")
    channels, outputs = source[3], weight[3]
    if channels == 0 or (channels and outputs is not None and outputs % channels):
        raise ShapeError(
            "weight", f"the weight has {outputs} channels, no multiple of the input's {channels}"
        )
    _check_bias(call, outputs)
    return ((source[0], *conv_output_size(call, source[1:3], weight[1:3], strides, dilations), outputs),)


def _check_pointwise(call: Call) -> None:
    """Check the rank under a 1x1 filter, which XNNPACK computes as a matrix product over the last dimension."""
    source, weight = call.shape("input"), call.shape("weight")
    if source is None or weight is None or len(source) == 4 or len(weight) != 4:
        return
    steps = {int(call.option(name, 0)) for name in ("stride_h", "stride_w")}
    if steps == {1} and weight[1:] == (1, 1, *source[-1:]):
        raise ShapeError("input", f"the input has {len(source)} dimensions, 4 wanted", "pointwise")


def _check_window(source: Shape, weight: Shape) -> None:
    """Raise ShapeError for an image or a window without height or width."""
    if 0 in source[1:3]:
        raise ShapeError("input", f"the input is {shape_text(source)}, with nothing to slide over")
    if 0 in weight[1:3]:
        raise ShapeError("weight", f"the weight is {shape_text(weight)}, a window of nothing")


def conv_3d(call: Call) -> Shapes:
    """Return [n, d', h', w', o] for input [n, d, h, w, i] and weight [kd, kh, kw, i, o]."""
    source, weight = (check_rank(call, role, 5) or (None,) * 5 for role in ("input", "weight"))
    strides = positive(call, ("stride_d", "stride_h", "stride_w"), 0)
    dilations = positive(call, ("dilation_d_factor", "dilation_h_factor", "dilation_w_factor"), 1)
    if 0 in weight[:3] or 0 in source[1:4]:
        raise ShapeError(
            "weight",
            f"the weight is {shape_text(weight)}, the input {shape_text(source)}, with nothing to slide over",
        )
    _check_channels(source[4], weight[3])
    _check_bias(call, weight[4])
    return ((source[0], *conv_output_size(call, source[1:4], weight[:3], strides, dilations), weight[4]),)


def conv_3d_transpose(call: Call) -> Shapes:
    """Return the constant output shape, or [n, ?, ?, ?, o] for input [n, d, h, w, i] and weight [kd, kh, kw, o, i]."""
    source, weight = (check_rank(call, role, 5) or (None,) * 5 for role in ("input", "weight"))
    _check_channels(source[4], weight[4])
    _check_bias(call, weight[3])
    strides = positive(call, ("stride_d", "stride_h", "stride_w"), 0)
    dilations = positive(call, ("dilation_d_factor", "dilation_h_factor", "dilation_w_factor"), 1)
    window = zip(weight[:3], dilations, strict=True)
    reach = tuple(None if n is None else (n - 1) * d + 1 for n, d in window)
    return (_transposed_output_shape(call, source, reach, weight[3], strides),)


def transpose_conv(call: Call) -> Shapes:
    """Return the constant output shape, or [n, ?, ?, o] for input [n, h, w, i] and weight [o, kh, kw, i]."""
    source, weight = (check_rank(call, role, 4) or (None,) * 4 for role in ("input", "weight"))
    for role, shape, over in (("weight", weight, weight), ("input", source, source[1:])):
        if 0 in over:
            raise ShapeError(role, f"the {role} is {shape_text(shape)}, a window of nothing")
    _check_channels(source[3], weight[3])
    _check_bias(call, weight[0])
    strides = positive(call, ("stride_h", "stride_w"), 0)
    return (_transposed_output_shape(call, source, weight[1:3], weight[0], strides),)


def _transposed_output_shape(
    call: Call, source: Shape, window: Shape, outputs: int | None, strides: Sequence[int]
) -> Shape:
    """Return the shape in ``output_shape``. A window over this shape must give the lengths of the input. Raises
    ShapeError."""
    check_rank(call, "output_shape", 1)
    values = row(call, "output_shape", len(source))
    if padding_option(call) is None:
        raise ShapeError(None, f"padding is {call.option('padding')}, neither SAME (0) nor VALID (1)")
    if values is None:
        return (source[0], *(None,) * (len(source) - 2), outputs)
    filled = f"the output shape is {values}, with {source[0]} batches and {outputs} channels to fill it"
    others = differ(values[-1], outputs)
    if min(values) < 1 or (others and differ(values[0], source[0])):
        raise ShapeError("output_shape", filled)
    valid = padding_option(call) == VALID
    for size, length, stride, reach in zip(values[1:-1], source[1:-1], strides, window, strict=True):
        over = reach if valid else 1
        if over is not None and differ((size + stride - over) // stride, length):
            raise ShapeError(
                "output_shape",
                f"a window over an output of {size} gives no length of {length}, as the input has",
                "valid_padding" if valid and not others else "",
            )
    if others:
        raise ShapeError("output_shape", filled, "output_channels")
    if differ(values[0], source[0]):
        raise ShapeError("output_shape", filled, "batch")
    return tuple(values)


def _check_groups(channels: int | None, taken: int | None, outputs: int | None) -> None:
    if taken == 0:
        raise ShapeError("weight", "the weight takes no channels")
    if channels is None or taken is None:
        return
    groups, rest = divmod(channels, taken)
    if rest or groups == 0 or (outputs is not None and outputs % groups):
        raise ShapeError(
            "weight", f"the input has {channels} channels, the weight takes {taken} and gives {outputs}"
        )


def _check_channels(channels: int | None, taken: int | None) -> None:
    if differ(channels, taken):
        raise ShapeError("weight", f"the input has {channels} channels, the weight takes {taken}")


def _check_bias(call: Call, outputs: int | None) -> None:
    values = elements(call, "bias") if call.has("bias") else None
    if differ(values, outputs):
        kind = "bias_length" if values and outputs else ""
        raise ShapeError("bias", f"the bias has {values} values for {outputs} output channels", kind)


def pool_2d(call: Call) -> Shapes:
    """Return [n, h', w', c] for input [n, h, w, c], by window, stride and padding of the options.

    LiteRT accepts a window that has no elements or does not fit, and computes nothing.
    """
    source = check_rank(call, "input", 4) or (None,) * 4
    strides = positive(call, ("stride_h", "stride_w"), 0)
    height, width = (_pooled_length(call, source[1:3], strides, at) for at in (0, 1))
    if width == -1:  # LiteRT computes the width first and stops if it does not fit
        height, width = 0, 0
    elif width is None and padding_option(call) == VALID:
        height = None
    return ((source[0], 0 if height == -1 else height, width, source[3]),)


def _pooled_length(call: Call, sizes: Shape, strides: list[int], at: int) -> int | None:
    window = int(call.option(("filter_height", "filter_width")[at]))
    if padding_option(call) is None or window < 1:
        return -1
    return window_output_size(call, sizes[at : at + 1], (window,), strides[at : at + 1], (1,))[0]


def fully_connected(call: Call) -> Shapes:
    """Return [rows, o] for weight [o, i]: all elements of the input as rows of i.

    With ``keep_num_dims``, the input ends in i and the output has its shape with o at the end.
    """
    source, weight = call.shape("input"), check_rank(call, "weight", 2) or (None, None)
    units, length = weight
    if length == 0:
        raise ShapeError("weight", "the weight has rows of length 0")
    values = elements(call, "bias") if call.has("bias") else None
    if differ(values, units):
        raise ShapeError("bias", f"the bias has {values} values for {units} units")
    if source is None:
        return (None if call.option("keep_num_dims", False) else (None, units),)
    if call.option("keep_num_dims", False):
        if not source or differ(source[-1], length):
            raise ShapeError(
                "weight", f"the input is {shape_text(source)}, the weight takes rows of {length}"
            )
        return ((*source[:-1], units),)
    number = count(source)
    if number is None or length is None:
        return ((None, units),)
    if number % length:
        found = f"the input has {number} values, no multiple of the weight's {length}"
        raise ShapeError("weight", found, "rows" if call.constant("weight") else "computed_rows")
    return ((number // length, units),)


def batch_matmul(call: Call) -> Shapes:
    """Return [..., m, n] for [..., m, k] and [..., k, n]. Batch dimensions broadcast; ``adj_x`` and ``adj_y`` transpose."""
    left, right = check_rank(call, "lhs", 2, 5), check_rank(call, "rhs", 2, 5)
    if left is None or right is None:
        return (None,)
    (rows, inner), (other, columns) = left[-2:], right[-2:]
    if call.option("adj_x", False):
        rows, inner = inner, rows
    if call.option("adj_y", False):
        other, columns = columns, other
    if differ(inner, other):
        raise ShapeError("rhs", f"the rows of lhs have {inner} values, the columns of rhs {other}")
    outer: Shape | None = broadcast_shapes((left[:-2], right[:-2]), "rhs")
    return (None if outer is None else (*outer, rows, columns),)


def positive(call: Call, names: Sequence[str], default: int) -> list[int]:
    """Return options that are strides, dilations or window lengths, each at least 1. Raises ShapeError."""
    found = [int(call.option(name, default)) for name in names]
    for name, value in zip(names, found, strict=True):
        if value < 1:
            raise ShapeError(None, f"{name} is {value}, at least 1 wanted")
    return found


def padding_option(call: Call) -> int | None:
    """Return the option ``padding``: SAME or VALID, None for any other value."""
    padding = int(call.option("padding", SAME))
    return padding if padding in (SAME, VALID) else None


def window_output_size(
    call: Call, sizes: Shape, window: Shape, strides: Sequence[int], dilations: Sequence[int]
) -> tuple[int | None, ...]:
    """Return the number of window positions along each dimension, by the option ``padding``; -1 if the window does not
    fit.

    SAME: length / stride, rounded up. VALID: (length - dilated window + stride) / stride, rounded toward zero. For
    example, length 7, window 3, stride 2 give 4 for SAME and 3 for VALID.
    """
    found: list[int | None] = []
    for size, length, stride, dilation in zip(sizes, window, strides, dilations, strict=True):
        if size is None or (padding_option(call) == VALID and length is None):
            found.append(None)
        elif padding_option(call) == SAME:
            found.append((size + stride - 1) // stride)
        else:
            assert length is not None
            left = size + stride - ((length - 1) * dilation + 1)
            found.append(-1 if left <= -stride else max(0, left // stride))
    return tuple(found)


def conv_output_size(
    call: Call, sizes: Shape, window: Shape, strides: Sequence[int], dilations: Sequence[int]
) -> Shape:
    """Return the output lengths of a convolution, by :func:`window_output_size`. Raises ShapeError if the window does
    not fit."""
    if padding_option(call) is None:
        raise ShapeError(None, f"padding is {call.option('padding')}, neither SAME (0) nor VALID (1)")
    found = window_output_size(call, sizes, window, strides, dilations)
    if -1 in found:
        raise ShapeError("weight", f"a window of {shape_text(window)} does not fit into {shape_text(sizes)}")
    return found


__all__ = [
    "batch_matmul", "conv_2d", "conv_3d", "conv_3d_transpose", "depthwise_conv_2d", "fully_connected", "pool_2d",
    "transpose_conv",
]  # fmt: skip
