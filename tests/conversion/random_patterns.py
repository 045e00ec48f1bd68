"""Steps of random graphs with operators that compilers fuse: dilations, decoders, paddings before windows."""

from __future__ import annotations

import numpy as np

from tests.conversion.random_graphs import FUSED, Sketch
from tests.conversion.random_steps import STEPS, Step


def dilated(sketch: Sketch) -> None:
    """Add a dilated convolution as SPACE_TO_BATCH_ND, CONV_2D and BATCH_TO_SPACE_ND, as older converters write it."""
    x = sketch.pick(4)
    if x is None or sketch.shapes[x][0] != 1 or min(sketch.shapes[x][1:3]) < 4:
        return
    rng, (_, height, width, channels) = sketch.rng, sketch.shapes[x]
    block = [int(n) for n in rng.choice([1, 2, 2, 3], 2)]
    margins = [[0, -side % step] for side, step in zip((height, width), block, strict=True)]
    sides = [-(-side // step) for side, step in zip((height, width), block, strict=True)]
    batch = block[0] * block[1]
    operands = [x, sketch.steering(block), sketch.steering(margins)]
    parts = sketch.put("SPACE_TO_BATCH_ND", operands, (batch, *sides, channels))
    deep, side = sketch.coin(0.5), 3 if min(sides) >= 3 else 1
    count = channels if deep else int(rng.integers(1, 9))
    shape = (1, side, side, count) if deep else (count, side, side, channels)
    spread = 1 / np.sqrt(side * side * (1 if deep else channels))
    options = {
        "padding": "SAME", "stride_w": 1, "stride_h": 1, "dilation_w_factor": 1, "dilation_h_factor": 1,
        "fused_activation_function": str(rng.choice(FUSED)),
    }  # fmt: skip
    if deep:
        options["depth_multiplier"] = 1
    kernel = [
        sketch.weights("depthwise" if deep else "kernel", shape, spread),
        sketch.weights("bias", (count,), 0.2),
    ]
    made = sketch.put(
        "DEPTHWISE_CONV_2D" if deep else "CONV_2D", [parts, *kernel], (batch, *sides, count), **options
    )
    if sketch.coin(0.15):
        sketch.put("RELU", [made], (batch, *sides, count))
    operands = [made, sketch.steering(block), sketch.steering(margins)]
    sketch.put("BATCH_TO_SPACE_ND", operands, (1, height, width, count))
    # No further operator reads the tensors between the three, because a reader would prevent the fusion.
    for tensor in (parts, made):
        sketch.shapes.pop(tensor)


def dilated_row(sketch: Sketch) -> None:
    """Add a dilated convolution of a row of pixels, as TensorFlow's converter writes a dilated Conv1D."""
    x = sketch.pick(3)
    if x is None or sketch.shapes[x][0] != 1 or sketch.shapes[x][1] < 4:
        return
    rng, (_, length, channels) = sketch.rng, sketch.shapes[x]
    block = [int(rng.choice([1, 2, 2, 3]))]
    margins, side = [[0, -length % block[0]]], -(-length // block[0])
    operands = [x, sketch.steering(block), sketch.steering(margins)]
    parts = sketch.put("SPACE_TO_BATCH_ND", operands, (*block, side, channels))
    if sketch.coin(0.7):
        image = sketch.put("EXPAND_DIMS", [parts, sketch.steering(1)], (*block, 1, side, channels))
    else:
        shape = (*block, 1, side, channels)
        image = sketch.put("RESHAPE", [parts, sketch.steering(shape)], shape)
    count, taps = int(rng.integers(1, 9)), 3 if side >= 3 else 1
    weights = sketch.weights("kernel", (count, 1, taps, channels), 1 / np.sqrt(taps * channels))
    options = {
        "padding": "SAME", "stride_w": 1, "stride_h": 1, "dilation_w_factor": 1, "dilation_h_factor": 1,
        "fused_activation_function": "NONE" if sketch.coin(0.8) else str(rng.choice(FUSED)),
    }  # fmt: skip
    kernel = [weights, sketch.weights("bias", (count,), 0.2)]
    made = sketch.put("CONV_2D", [image, *kernel], (*block, 1, side, count), **options)
    if sketch.coin(0.5):
        row = sketch.put("SQUEEZE", [made], (*block, side, count), squeeze_dims=[1])
    else:
        row = sketch.put("RESHAPE", [made, sketch.steering((*block, side, count))], (*block, side, count))
    operands = [row, sketch.steering(block), sketch.steering(margins)]
    sketch.put("BATCH_TO_SPACE_ND", operands, (1, length, count))
    for tensor in (parts, image, made, row):
        sketch.shapes.pop(tensor)


def decoded(sketch: Sketch) -> None:
    """Add a RESIZE by 2, 4 or 8 with corners or centers as in decoders, and sometimes a CONCATENATION of its output."""
    x = sketch.pick(4)
    if x is None or sketch.shapes[x][0] != 1 or max(sketch.shapes[x][1:3]) > 8:
        return
    rng, (_, height, width, channels) = sketch.rng, sketch.shapes[x]
    factor, aligned = int(rng.choice([2, 2, 4, 8])), sketch.coin(0.5)
    size = [(n - 1) * factor + 1 if aligned else n * factor for n in (height, width)]
    opcode = str(rng.choice(["RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR"]))
    half = not aligned and sketch.coin(0.4)
    shape = (1, *size, channels)
    options = {"align_corners": aligned, "half_pixel_centers": half}
    made = sketch.put(opcode, [x, sketch.steering(size)], shape, **options)
    if sketch.coin(0.3):
        margins = [[0, 0], [1, 1], [1, 1], [0, 0]]
        if sketch.coin(0.7):
            sketch.shapes.pop(made)
        sketch.put("PAD", [made, sketch.steering(margins)], (1, size[0] + 2, size[1] + 2, channels))
    elif sketch.coin(0.6):
        other = sketch.put(opcode, [x, sketch.steering(size)], shape, **options)
        axis = int(rng.choice([0, 1, 2, 3, 3, 3]))
        joined = [n * (2 if at == axis else 1) for at, n in enumerate(shape)]
        # With a further reader, a compiler writes the tensor separately and not in place.
        for tensor in (made, other) if sketch.coin(0.7) else ():
            sketch.shapes.pop(tensor)
        sketch.put("CONCATENATION", [made, other], joined, axis=axis)


#: The usual steps, and these.
PATTERNED: tuple[Step, ...] = (*STEPS, *(dilated, dilated_row, decoded) * 4)
