"""Groups of operators that compilers combine, as converters write them, drawn after an existing tensor."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from litecheck.profile.operator_plan import TensorPlan
from tests.differential.vela_models import Dice, Drawn, numbers, windowed

#: Largest number of elements of a tensor.
_LARGEST = 1 << 16
Pattern = Callable[[Dice, TensorPlan], "tuple[Drawn, ...]"]


def dilated(dice: Dice, x: TensorPlan) -> tuple[Drawn, ...]:
    """Return a dilated convolution as older converters write it: pixels moved to batches, convolution, and back."""
    n, h, w, c = x.shape
    block = dice.number(1, 4), dice.number(1, 4)
    margins = [[dice.pick(0, 0, 1, 2), dice.pick(0, 0, 1, 2)] for _ in block]
    for side, step, margin in zip((h, w), block, margins, strict=True):
        margin[1] += -(side + sum(margin)) % step
    inner = [(side + sum(m)) // step for side, step, m in zip((h, w), block, margins, strict=True)]
    parts = x.but(shape=(n * block[0] * block[1], *inner, c), quantization=_same(dice, x))
    kernel = [dice.number(1, min(3, side)) for side in inner]
    depthwise, padding, stride = dice.chance(0.5), dice.pick("SAME", "VALID"), dice.pick(1, 1, 1, 2)
    times = dice.pick(1, 1, 1, 2, 3) if depthwise else 1
    filters = (1, *kernel, c * times) if depthwise else (dice.number(1, 8), *kernel, c)
    weight = dice.constant(filters, "int8").with_zero_point(0)
    sides = [windowed(side, k, stride, padding) for side, k in zip(inner, kernel, strict=True)]
    y = dice.tensor((parts.shape[0], *sides, c * times if depthwise else filters[0]), x.dtype)
    crops = [
        [0, dice.pick(0, 0, 1) if step * side > 1 else 0] for step, side in zip(block, sides, strict=True)
    ]
    whole = [step * side - sum(crop) for step, side, crop in zip(block, sides, crops, strict=True)]
    z = y.but(shape=(n, *whole, y.shape[3]), quantization=_same(dice, y))
    other = block if dice.chance(0.9) else block[::-1]
    if other != block:
        z = y.but(shape=(n, *(s * b for s, b in zip(sides, other, strict=True)), y.shape[3]))
        crops = [[0, 0], [0, 0]]
    options = {"padding": padding, "stride_w": stride, "stride_h": stride, "depth_multiplier": times}
    options["fused_activation_function"] = "NONE" if dice.chance(0.8) else dice.fused()
    if not depthwise:
        del options["depth_multiplier"]
    kind = "DEPTHWISE_CONV_2D" if depthwise else "CONV_2D"
    return (
        Drawn("SPACE_TO_BATCH_ND", (x, numbers(block), numbers(margins)), (parts,)),
        Drawn(kind, (parts, weight, None), (y,), options, 3),
        Drawn("BATCH_TO_SPACE_ND", (y, numbers(other), numbers(crops)), (z,)),
    )


def dilated_row(dice: Dice, x: TensorPlan) -> tuple[Drawn, ...]:
    """Return the same for a row of pixels, as TensorFlow writes a dilated Conv1D: dimensions of length 1 are inserted
    and removed. The pixels of an image are one row.
    """
    (n, *sides, c), step = x.shape, dice.number(1, 4)
    length, whole = int(np.prod(sides)), x
    x = x.but(shape=(n, length, c)) if len(sides) == 2 else x
    margin = [dice.pick(0, 0, 1, 2), dice.pick(0, 0, 1, 2)]
    margin[1] += -(length + sum(margin)) % step
    inner, axis = (length + sum(margin)) // step, dice.pick(1, 1, 1, 2)
    row = x.but(shape=(n * step, inner, c), quantization=_same(dice, x))
    kernel, stride, padding = dice.number(1, min(3, inner)), dice.pick(1, 1, 2), dice.pick("SAME", "VALID")
    depthwise = dice.chance(0.5)
    filters = (1 if depthwise else dice.number(1, 8), *_beside(axis, kernel), c)
    side = windowed(inner, kernel, stride, padding)
    y = dice.tensor((n * step, *_beside(axis, side), c if depthwise else filters[0]), x.dtype)
    crop = [0, dice.pick(0, 0, 1) if step * side > 1 else 0]
    flat = y.but(shape=(n * step, side, y.shape[3]))
    z = flat.but(shape=(n, step * side - sum(crop), y.shape[3]), quantization=_same(dice, y))
    options = {"padding": padding, "stride_w": stride, "stride_h": stride}
    options["fused_activation_function"] = "NONE" if dice.chance(0.8) else dice.fused()
    if depthwise:
        options["depth_multiplier"] = 1
    kind = "DEPTHWISE_CONV_2D" if depthwise else "CONV_2D"
    image = row.but(shape=(n * step, *_beside(axis, inner), c))
    weight = dice.constant(filters, "int8").with_zero_point(0)
    first = [Drawn("RESHAPE", (whole, numbers(x.shape)), (x,))] if x is not whole else []
    return (
        *first,
        Drawn("SPACE_TO_BATCH_ND", (x, numbers([step]), numbers([margin])), (row,)),
        *_put(dice, row, image, "EXPAND_DIMS", numbers(axis)),
        Drawn(kind, (image, weight, None), (y,), options, 3),
        *_put(dice, y, flat, "SQUEEZE", axis),
        Drawn("BATCH_TO_SPACE_ND", (flat, numbers([step]), numbers([crop])), (z,)),
    )


def _beside(axis: int, side: int) -> tuple[int, int]:
    return (1, side) if axis == 1 else (side, 1)


def _put(dice: Dice, x: TensorPlan, y: TensorPlan, opcode: str, axis: TensorPlan | int) -> tuple[Drawn, ...]:
    """Return operators that insert or remove a dimension of length 1, in 15 % of the draws after a RESHAPE without
    effect.
    """
    step = x.but(name="step") if dice.chance(0.15) else x
    first = [Drawn("RESHAPE", (x, numbers(x.shape)), (step,))] if step != x else []
    if dice.chance(0.5):
        return *first, Drawn("RESHAPE", (step, numbers(y.shape)), (y,))
    if isinstance(axis, int):
        return *first, Drawn(opcode, (step,), (y,), {"squeeze_dims": [axis]})
    return *first, Drawn(opcode, (step, axis), (y,))


def decoded(dice: Dice, x: TensorPlan) -> tuple[Drawn, ...]:
    """Return a resized image that becomes a part of a tensor: a decoder with a skip connection, or a padding around it."""
    n, h, w, c = x.shape
    align, half, factor = dice.chance(0.5), dice.chance(0.3), dice.pick(2, 2, 4, 8)
    sides = [(side - 1) * factor + 1 if align else side * factor for side in (h, w)]
    options = {"align_corners": align, "half_pixel_centers": half}
    y = x.but(shape=(n, *sides, c))
    kind = dice.pick("RESIZE_NEAREST_NEIGHBOR", "RESIZE_BILINEAR")
    return Drawn(kind, (x, numbers(sides)), (y,), options), beside(dice, y)


def beside(dice: Dice, x: TensorPlan) -> Drawn:
    """Return an operator that writes a tensor into a part of its output."""
    axis, rank = dice.number(0, len(x.shape) - 1), len(x.shape)
    if dice.chance(0.4):
        margins = np.zeros((rank, 2), np.int32)
        margins[axis] = dice.number(0, 2), dice.number(0, 2)
        if rank > 2 and dice.chance(0.5):
            margins[rank - 3 : rank - 1] = 1
        shape = tuple(int(d) for d in np.add(x.shape, margins.sum(1)))
        return Drawn("PAD", (x, numbers(margins)), (x.but(shape=shape, quantization=_same(dice, x)),))
    others = [x.but(quantization=_same(dice, x)) for _ in range(dice.number(0, 2))]
    place, whole = dice.number(0, len(others)), list(x.shape)
    whole[axis] *= len(others) + 1
    z = x.but(shape=tuple(whole), quantization=_same(dice, x))
    return Drawn("CONCATENATION", (*others[:place], x, *others[place:]), (z,), {"axis": axis})


def multiplied(dice: Dice, x: TensorPlan) -> tuple[Drawn, ...]:
    """Return several filters for each channel, with an output that becomes a part of a tensor."""
    (n, h, w, c), filters, kernel = x.shape, dice.number(2, 4), dice.pick(1, 3)
    weight = dice.constant((1, kernel, kernel, c * filters), "int8").with_zero_point(0)
    y = x.but(shape=(n, h, w, c * filters), quantization=_same(dice, x))
    options = {"padding": "SAME", "stride_w": 1, "stride_h": 1, "depth_multiplier": filters}
    options["fused_activation_function"] = "NONE" if dice.chance(0.8) else dice.fused()
    product = Drawn("DEPTHWISE_CONV_2D", (x, weight, None), (y,), options, 3)
    if dice.chance(0.3):
        return product, beside(dice, y)
    others = y.but(shape=(n, h, w, dice.number(1, 2 * c * filters)), name="others")
    whole = y.but(shape=(n, h, w, y.shape[3] + others.shape[3]))
    parts = (y, others) if dice.chance(0.5) else (others, y)
    return product, Drawn("CONCATENATION", parts, (whole,), {"axis": 3})


def shared(dice: Dice, x: TensorPlan) -> tuple[Drawn, ...]:
    """Return a part of a tensor, and operators that read the part, each other, and a further tensor."""
    part = x.but(shape=(*x.shape[:-1], max(x.shape[-1] // 2, 1)))
    ops = [Drawn("SLICE", (x, numbers([0] * len(x.shape)), numbers(part.shape)), (part,))]
    tensors = [part, part, part.but(name="other")]
    for n in range(dice.number(2, 5)):
        kind = dice.pick("SQUARED_DIFFERENCE", "SQUARED_DIFFERENCE", "ADD", "TANH", "CEIL")
        operands = tuple(dice.pick(*tensors) for _ in range(1 if kind in ("TANH", "CEIL") else 2))
        tensors.append(part.but(name=f"made {n}"))
        ops.append(Drawn(kind, operands, (tensors[-1],)))
    return tuple(ops)


def padded(dice: Dice, x: TensorPlan) -> tuple[Drawn, ...]:
    """Return a padding before a window."""
    margins = [[0, 0], [dice.number(0, 3), dice.number(0, 3)], [dice.number(0, 3), dice.number(0, 3)], [0, 0]]
    y = x.but(shape=tuple(int(d) for d in np.add(x.shape, np.sum(margins, 1))), quantization=_same(dice, x))
    n, h, w, c = y.shape
    kernel, stride = (dice.number(1, min(4, h)), dice.number(1, min(4, w))), dice.pick(1, 1, 2)
    sides = [windowed(side, k, stride, "VALID") for side, k in zip((h, w), kernel, strict=True)]
    options = {"padding": "VALID", "stride_w": stride, "stride_h": stride}
    pad = Drawn("PAD", (x, numbers(margins)), (y,))
    if dice.chance(0.3):
        options |= {"filter_height": kernel[0], "filter_width": kernel[1]}
        kind = dice.pick("AVERAGE_POOL_2D", "MAX_POOL_2D")
        return pad, Drawn(kind, (y,), (y.but(shape=(n, *sides, c)),), options)
    filters = dice.number(1, 8)
    weight = dice.constant((filters, *kernel, c), "int8").with_zero_point(0)
    return pad, Drawn("CONV_2D", (y, weight, None), (dice.tensor((n, *sides, filters), x.dtype),), options, 3)


def transposed_back(dice: Dice, x: TensorPlan) -> tuple[Drawn, ...]:
    """Return a transposition, an operator, and the inverse transposition."""
    order = [int(n) for n in dice.random.permutation(len(x.shape))]
    y = x.but(shape=tuple(x.shape[n] for n in order))
    z = x.but(shape=y.shape)
    return (
        Drawn("TRANSPOSE", (x, numbers(order)), (y,)),
        Drawn(dice.pick("RELU", "TANH", "ABS", "CEIL"), (y,), (z,)),
        Drawn("TRANSPOSE", (z, numbers(np.argsort(order).astype(np.int32))), (x.but(name="back"),)),
    )


def flattened(dice: Dice, x: TensorPlan) -> tuple[Drawn, ...]:
    """Return a reshape to a shape computed at run time, as converters write it for an open batch."""
    shape, batch, rest = x.shape, TensorPlan("int32", ()), int(np.prod(x.shape[1:]))
    whole = TensorPlan("int32", (len(shape),))
    one = numbers([1])
    masks = {"shrink_axis_mask": 1}
    first = Drawn("STRIDED_SLICE", (whole, numbers([0]), one, one), (batch,), masks)
    sizes = TensorPlan("int32", (2,))
    if dice.chance(0.7):
        join = Drawn("PACK", (batch, numbers(rest)), (sizes,), {"values_count": 2, "axis": 0})
    else:
        batch = batch.but(shape=(1,))
        first = Drawn("STRIDED_SLICE", (whole, numbers([0]), one, one), (batch,))
        join = Drawn("CONCATENATION", (batch, numbers([rest])), (sizes,), {"axis": 0})
    flat = x.but(shape=(shape[0], rest), quantization=_same(dice, x))
    return (
        Drawn("SHAPE", (x,), (whole,), {"out_type": "INT32"}),
        first,
        join,
        Drawn("RESHAPE", (x, sizes), (flat,)),
    )


def streamed(dice: Dice, x: TensorPlan) -> tuple[Drawn, ...]:
    """Return rows kept in a variable between runs, before the rows of the input."""
    n, h, w, c = x.shape
    rows = dice.number(1, 3)
    handle = TensorPlan("resource", dice.pick((), (1,)))
    kept = x.but(shape=(n, rows, w, c), name="kept")
    both = x.but(shape=(n, rows + h, w, c), quantization=_same(dice, x))
    last = both.but(shape=(n, rows, w, c))
    start, size = numbers([0, h, 0, 0]), numbers([n, rows, w, c])
    read = Drawn("READ_VARIABLE", (handle,), (kept,))
    ops = [Drawn("VAR_HANDLE", (), (handle,), {"shared_name": "rows"}), read]
    ops.append(Drawn("CONCATENATION", (kept, x), (both,), {"axis": 1}))
    ops.append(Drawn("SLICE", (both, start, size), (last,)))
    if dice.chance(0.2):
        ops.append(Drawn(dice.pick("CEIL", "SQRT", "ABS"), (last,), (last.but(name="changed"),)))
    ops.append(Drawn("ASSIGN_VARIABLE", (handle, ops[-1].outputs[0]), ()))
    return tuple(ops)


def _same(dice: Dice, x: TensorPlan) -> object:
    """Return the parameters of a tensor in 85 % of the draws, else random parameters."""
    return x.quantization if dice.chance(0.85) else dice.quantization(x.dtype)


#: Patterns after an image, and after a row of pixels.
PATTERNS: tuple[Pattern, ...] = (
    dilated, dilated_row, decoded, decoded, multiplied, shared, padded, transposed_back, flattened, streamed,
)  # fmt: skip
ROWS: tuple[Pattern, ...] = (dilated_row, dilated_row, transposed_back, flattened)


def pattern(dice: Dice, x: TensorPlan) -> tuple[Drawn, ...]:
    """Return a pattern after an image or a row of integers; empty after further tensors."""
    patterns = {3: ROWS, 4: PATTERNS}.get(len(x.shape))
    if patterns is None or x.dtype not in ("int8", "int16") or not min(x.shape) or not x.scale.size:
        return ()
    made = dice.pick(*patterns)(dice, x)
    tensors = [t for op in made for t in (*op.inputs, *op.outputs) if t is not None]
    sizes = [int(np.prod(t.shape)) for t in tensors]
    return made if min(sizes) > 0 and max(sizes) <= _LARGEST else ()
