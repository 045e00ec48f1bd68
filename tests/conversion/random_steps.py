"""Steps of random graphs: each adds one to three operators if existing shapes allow it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tests.conversion.random_graphs import FUSED, Sketch

Step = Callable[[Sketch], None]


def convolution(sketch: Sketch) -> None:
    """Add a CONV_2D or DEPTHWISE_CONV_2D with a bias, which may be all zeros."""
    x = sketch.pick(4)
    if x is None:
        return
    rng, (_, height, width, channels) = sketch.rng, sketch.shapes[x]
    deep, stride = sketch.coin(0.4), int(rng.choice([1, 1, 2]))
    side = int(rng.choice([1, 3])) if min(height, width) >= 3 else 1
    count = channels * (2 if sketch.coin(0.2) else 1) if deep else int(rng.integers(1, 9))
    shape = (1, side, side, count) if deep else (count, side, side, channels)
    spread = 1 / np.sqrt(side * side * (1 if deep else channels))
    # LiteRT's float kernels need a bias: without a bias, CONV_2D is rejected, and DEPTHWISE_CONV_2D may crash.
    bias = sketch.weights("bias" if sketch.coin(0.7) else "zeros", (count,), 0.2)
    operands = [x, sketch.weights("depthwise" if deep else "kernel", shape, spread), bias]
    same = sketch.coin(0.6)
    reach = 0 if same else side - 1
    sides = [-(-(n - reach) // stride) for n in (height, width)]
    options = {
        "padding": "SAME" if same else "VALID", "stride_w": stride, "stride_h": stride, "dilation_w_factor": 1,
        "dilation_h_factor": 1, "fused_activation_function": str(rng.choice(FUSED)),
    }  # fmt: skip
    if deep:
        options["depth_multiplier"] = count // channels
    sketch.put("DEPTHWISE_CONV_2D" if deep else "CONV_2D", operands, (1, *sides, count), **options)


def transposed(sketch: Sketch) -> None:
    """Add a TRANSPOSE_CONV that doubles height and width."""
    x = sketch.pick(4)
    if x is None or sketch.shapes[x][1] > 8:
        return
    _, height, width, channels = sketch.shapes[x]
    count = int(sketch.rng.integers(1, 6))
    shape = (1, 2 * height, 2 * width, count)
    operands = [sketch.steering(shape), sketch.weights("up", (count, 2, 2, channels), 0.4), x]
    version = 1
    if sketch.coin(0.5):
        operands.append(sketch.weights("bias", (count,), 0.2))
        version = 3
    sketch.put("TRANSPOSE_CONV", operands, shape, padding="SAME", stride_w=2, stride_h=2, version=version)


def dense(sketch: Sketch) -> None:
    """Add a FULLY_CONNECTED, after a RESHAPE if the operand is an image."""
    x = sketch.pick()
    if x is None:
        return
    count = int(np.prod(sketch.shapes[x]))
    if count > 1024:
        return
    if sketch.shapes[x] != (1, count):
        x = sketch.put("RESHAPE", [x, sketch.steering([1, count])], (1, count), new_shape=[1, count])
    units = int(sketch.rng.integers(2, 13))
    operands = [x, sketch.weights("dense", (units, count), 1 / np.sqrt(count))]
    if sketch.coin(0.7):
        operands.append(sketch.weights("bias", (units,), 0.2))
    sketch.put(
        "FULLY_CONNECTED", operands, (1, units), fused_activation_function=str(sketch.rng.choice(FUSED))
    )


def pool(sketch: Sketch) -> None:
    """Add an AVERAGE_POOL_2D or MAX_POOL_2D."""
    x = sketch.pick(4)
    if x is None or min(sketch.shapes[x][1:3]) < 2:
        return
    _, height, width, channels = sketch.shapes[x]
    sketch.put(
        str(sketch.rng.choice(["AVERAGE_POOL_2D", "MAX_POOL_2D"])), [x], (1, height // 2, width // 2, channels),
        padding="VALID", stride_w=2, stride_h=2, filter_width=2, filter_height=2,
        fused_activation_function=str(sketch.rng.choice(FUSED)),
    )  # fmt: skip


def arithmetic(sketch: Sketch) -> None:
    """Add an operator of two operands of equal shape, or of an operand and a broadcast constant."""
    x = sketch.pick()
    if x is None:
        return
    shape, rng = sketch.shapes[x], sketch.rng
    other = sketch.like(shape) if sketch.coin(0.6) else sketch.weights("term", shape[-1:], 0.5)
    assert other is not None
    opcode = str(rng.choice("ADD ADD SUB MUL MAXIMUM MINIMUM SQUARED_DIFFERENCE".split()))
    options = {"fused_activation_function": str(rng.choice(FUSED))} if opcode in ("ADD", "SUB", "MUL") else {}
    operands = [x, other] if sketch.coin(0.7) else [other, x]
    sketch.put(opcode, operands, shape, **options)


def quotient(sketch: Sketch) -> None:
    """Add a DIV by a sigmoid plus 0.5."""
    x = sketch.pick()
    other = None if x is None else sketch.like(sketch.shapes[x])
    if x is None or other is None:
        return
    shape = sketch.shapes[x]
    below = sketch.put("LOGISTIC", [other], shape)
    below = sketch.put("ADD", [below, sketch.graph.constant("half", np.float32([0.5]))], shape)
    sketch.put("DIV", [x, below], shape)


def unary(sketch: Sketch) -> None:
    """Add an operator with a single operand of any sign."""
    x = sketch.pick()
    if x is None:
        return
    opcode = str(
        sketch.rng.choice(
            "RELU RELU6 LOGISTIC TANH ABS NEG LEAKY_RELU HARD_SWISH GELU ELU SOFTMAX LOG_SOFTMAX L2_NORMALIZATION".split()
        )
    )
    options = {"LEAKY_RELU": {"alpha": 0.1}, "SOFTMAX": {"beta": 1.0}}.get(opcode, {})
    sketch.put(opcode, [x], sketch.shapes[x], **options)


def positive(sketch: Sketch) -> None:
    """Add a LOG, SQRT or RSQRT of a positive sum, or an EXP of a bounded value."""
    x = sketch.pick()
    if x is None:
        return
    shape = sketch.shapes[x]
    if sketch.coin(0.3):
        sketch.put("EXP", [sketch.put("TANH", [x], shape)], shape)
        return
    x = sketch.put("ABS", [x], shape)
    x = sketch.put("ADD", [x, sketch.graph.constant("one", np.float32([1.0]))], shape)
    sketch.put(str(sketch.rng.choice(["LOG", "SQRT", "RSQRT"])), [x], shape)


def slope(sketch: Sketch) -> None:
    """Add a PRELU with a slope for each channel."""
    x = sketch.pick(4)
    if x is not None:
        shape = sketch.shapes[x]
        sketch.put("PRELU", [x, sketch.weights("slope", (1, 1, shape[-1]), 0.1, 0.2)], shape)


def joined(sketch: Sketch) -> None:
    """Add a CONCATENATION of up to three tensors that differ in their last dimension, or a PACK of equal shapes."""
    x = sketch.pick()
    if x is None:
        return
    shape = sketch.shapes[x]
    rest = [t for t, s in sketch.shapes.items() if s[:-1] == shape[:-1]]
    parts = [x, *(rest[int(i)] for i in sketch.rng.integers(0, len(rest), int(sketch.rng.integers(1, 3))))]
    if sketch.coin(0.2) and len(shape) == 2:
        parts = [t for t in parts if sketch.shapes[t] == shape]
        sketch.put("PACK", parts, (len(parts), *shape), values_count=len(parts), axis=0)
        return
    depth = sum(sketch.shapes[t][-1] for t in parts)
    if depth <= 32:
        sketch.put("CONCATENATION", parts, (*shape[:-1], depth), axis=len(shape) - 1)


def parted(sketch: Sketch) -> None:
    """Add a SPLIT into two, or an UNPACK along the second dimension."""
    x = sketch.pick()
    if x is None:
        return
    shape = sketch.shapes[x]
    if shape[-1] % 2 == 0 and sketch.coin(0.7):
        half = (*shape[:-1], shape[-1] // 2)
        sketch.put_all("SPLIT", [sketch.steering(len(shape) - 1), x], [half, half], num_splits=2)
    elif len(shape) == 4 and shape[1] <= 4:
        sketch.put_all("UNPACK", [x], [(shape[0], *shape[2:])] * shape[1], num=shape[1], axis=1)


def moved(sketch: Sketch) -> None:
    """Add a TRANSPOSE, REVERSE_V2, GATHER, SLICE or TILE."""
    x = sketch.pick(4)
    if x is None:
        return
    rng, shape = sketch.rng, sketch.shapes[x]
    kind = int(rng.integers(5))
    if kind == 0:
        order = (0, 2, 1, 3) if sketch.coin(0.5) else (0, 3, 1, 2)
        sketch.put("TRANSPOSE", [x, sketch.steering(order)], [shape[i] for i in order])
    elif kind == 1:
        sketch.put("REVERSE_V2", [x, sketch.steering([int(rng.integers(1, 4))])], shape)
    elif kind == 2:
        rows = rng.integers(0, shape[1], int(rng.integers(1, 5)))
        sketch.put("GATHER", [x, sketch.steering(rows)], (1, len(rows), *shape[2:]), axis=1)
    elif kind == 3 and shape[1] > 1:
        size = (1, shape[1] - 1, *shape[2:])
        sketch.put("SLICE", [x, sketch.steering([0, 1, 0, 0]), sketch.steering(size)], size)
    elif kind == 4 and shape[3] <= 8:
        sketch.put("TILE", [x, sketch.steering([1, 1, 1, 2])], (*shape[:3], 2 * shape[3]))


def reshaped(sketch: Sketch) -> None:
    """Add a RESHAPE to rows, a STRIDED_SLICE, a SPACE_TO_DEPTH or a RESIZE."""
    x = sketch.pick(4)
    if x is None:
        return
    rng, (_, height, width, channels) = sketch.rng, sketch.shapes[x]
    kind = int(rng.integers(4))
    if kind == 0:
        shape = (1, height * width, channels)
        sketch.put("RESHAPE", [x, sketch.steering(shape)], shape, new_shape=shape)
    elif kind == 1:
        numbers = ([0, 0, 0, 0], [1, height, width, channels], [1, 2, 2, 1])
        shape = (1, -(-height // 2), -(-width // 2), channels)
        sketch.put("STRIDED_SLICE", [x, *map(sketch.steering, numbers)], shape)
    elif kind == 2 and height % 2 == width % 2 == 0 and channels <= 8:
        sketch.put("SPACE_TO_DEPTH", [x], (1, height // 2, width // 2, 4 * channels), block_size=2)
    elif kind == 3 and height <= 8:
        opcode = str(rng.choice(["RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR"]))
        size = (2 * height, 2 * width)
        sketch.put(opcode, [x, sketch.steering(size)], (1, *size, channels), half_pixel_centers=True)


def padded(sketch: Sketch) -> None:
    """Add a PAD, PADV2 or MIRROR_PAD of height and width."""
    x = sketch.pick(4)
    if x is None or not 2 <= sketch.shapes[x][1] <= 12 or sketch.shapes[x][2] < 2:
        return
    _, height, width, channels = sketch.shapes[x]
    pads, shape = sketch.steering([[0, 0], [1, 0], [1, 1], [0, 0]]), (1, height + 1, width + 2, channels)
    opcode = str(sketch.rng.choice(["PAD", "PADV2", "MIRROR_PAD"]))
    value = [sketch.graph.constant("padding", np.float32([-0.5]))] if opcode == "PADV2" else []
    options = {"mode": "REFLECT"} if opcode == "MIRROR_PAD" else {}
    sketch.put(opcode, [x, pads, *value], shape, **options)


def reduced(sketch: Sketch) -> None:
    """Add a MEAN, SUM, REDUCE_MAX or REDUCE_MIN over height and width."""
    x = sketch.pick(4)
    if x is None:
        return
    opcode = str(sketch.rng.choice("MEAN MEAN SUM REDUCE_MAX REDUCE_MIN".split()))
    keep, channels = sketch.coin(0.5), sketch.shapes[x][3]
    sketch.put(
        opcode, [x, sketch.steering([1, 2])], (1, 1, 1, channels) if keep else (1, channels), keep_dims=keep
    )


def chosen(sketch: Sketch) -> None:
    """Add a comparison of two tensors, and a SELECT_V2 by it."""
    x = sketch.pick()
    if x is None:
        return
    shape = sketch.shapes[x]
    y, z = sketch.like(shape), sketch.like(shape)
    assert y is not None
    assert z is not None
    against = y if y != x else sketch.weights("threshold", (1,), 0.1)
    opcode = str(sketch.rng.choice("LESS LESS_EQUAL GREATER GREATER_EQUAL EQUAL NOT_EQUAL".split()))
    condition = sketch.put(opcode, [x, against], shape, "bool")
    sketch.put("SELECT_V2", [condition, x, z], shape)


def product(sketch: Sketch) -> None:
    """Add a BATCH_MATMUL of rows with themselves, as in attention, or with a constant."""
    x = sketch.pick(3)
    if x is None:
        return
    batch, rows, columns = sketch.shapes[x]
    if sketch.coin(0.5) and rows <= 64:
        sketch.put("BATCH_MATMUL", [x, x], (batch, rows, rows), adj_y=True)
    else:
        matrix = sketch.weights("matrix", (1, columns, 4), 1 / np.sqrt(columns))
        sketch.put("BATCH_MATMUL", [x, matrix], (batch, rows, 4))


def indexed(sketch: Sketch) -> None:
    """Add an ARG_MAX of rows, an integer output."""
    x = sketch.pick(2)
    if x is not None and sketch.coin(0.3):
        shape = sketch.shapes[x][:1]
        sketch.put("ARG_MAX", [x, sketch.steering(1)], shape, "int32", output_type="int32")


STEPS: tuple[Step, ...] = (
    convolution, convolution, convolution, transposed, dense, pool, arithmetic, arithmetic, quotient, unary, unary,
    positive, slope, joined, joined, parted, moved, reshaped, padded, reduced, chosen, product, indexed,
)  # fmt: skip
