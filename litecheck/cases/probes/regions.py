"""Probes of operators on regions of an image: pooling, means, resizing."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from litecheck.arrays import Array
from litecheck.cases.probes.probe import Probe, ProbeExtras, ProbeOperand, ProbeOutput, draw_int8, probe
from litecheck.model.build import Option, qparams

#: Sides of images with sums of more than 16 and more than 20 bits.
LARGE = (17, 65)


def of_pool(rng: np.random.Generator, opcode: str) -> Iterator[Probe]:
    """Yield probes of AVERAGE_POOL_2D and MAX_POOL_2D: windows of even and odd size, a quarter of the means at ties,
    margins."""
    fine, coarse = qparams(0.1, -7), qparams(12.0, -8)  # 6 is half a step of 12.0, at -7.5
    for shape, (height, width), (down, across), padding, activation, same in (
        ((2, 8, 10, 35), (2, 2), (2, 2), "VALID", "NONE", fine),
        ((2, 8, 10, 35), (3, 3), (2, 2), "SAME", "NONE", fine),
        ((2, 9, 11, 35), (2, 4), (1, 1), "SAME", "RELU6", fine),
        ((2, 7, 7, 35), (7, 7), (1, 1), "VALID", "NONE", fine),
        ((2, 9, 9, 35), (3, 2), (3, 3), "SAME", "RELU", fine),
        ((2, 7, 9, 35), (2, 2), (2, 2), "SAME", "NONE", fine),
        ((1, 11, 12, 35), (3, 3), (1, 2), "SAME", "NONE", fine),
        ((1, 11, 12, 35), (2, 5), (3, 1), "VALID", "NONE", fine),
        ((3, 5, 6, 83), (4, 1), (1, 1), "SAME", "NONE", fine),
        ((1, 64, 64, 16), (2, 2), (1, 1), "SAME", "NONE", fine),
        ((1, 65, 64, 16), (2, 2), (1, 1), "SAME", "NONE", fine),
        ((1, 5, 6, 35), (2, 2), (1, 1), "SAME", "RELU6", coarse),
    ):
        options: dict[str, Option] = {
            "filter_height": height, "filter_width": width, "stride_h": down, "stride_w": across, "padding": padding,
            "fused_activation_function": activation,
        }  # fmt: skip
        strides = f"stride {down}" if down == across else f"strides {down} and {across}"
        bound = ", whose bound is a tie" if same is coarse else ""
        name = f"windows of {height} x {width} over {shape}, {strides}, {padding}, activation {activation}{bound}"
        operands = [ProbeOperand(draw_int8(rng, *shape), same)]
        yield probe(name, opcode, operands, ProbeOutput(same), ProbeExtras(options=options))
    for side in LARGE:
        options = {
            "filter_height": side,
            "filter_width": side,
            "stride_h": 1,
            "stride_w": 1,
            "padding": "VALID",
        }
        first, *others = _limit_images(rng, side)
        operands = [ProbeOperand(first, fine)]
        yield probe(
            f"windows of {side} x {side}",
            opcode,
            operands,
            ProbeOutput(fine),
            ProbeExtras(others, options=options),
        )


def _limit_images(rng: np.random.Generator, size: int) -> Iterator[Array]:
    """Yield images of the smallest value, of the largest value, and of random values from 90 to 127."""
    for low, high in ((-128, -128), (127, 127), (90, 127)):
        yield rng.integers(low, high + 1, (1, size, size, 5), np.int8)


def of_mean(rng: np.random.Generator, opcode: str) -> Iterator[Probe]:
    """Yield probes of MEAN over height and width and over other axes, with ties and with channels beyond full vectors."""
    scales = (
        ((0.5, 3), (0.5, -7)),
        ((0.1, -128), (0.2, 5)),
        ((0.0371, 4), (0.0315, -11)),
        ((0.125, 0), (0.5, 0)),
    )
    for axes, keep in (((1, 2), True), ((1, 2), False), ((3,), True), ((1,), False), ((0, 1, 2), False)):
        for given, wanted in scales:
            for height, width in ((4, 2), (5, 7)):
                axis = ProbeOperand(np.array(axes, np.int32), None, True)
                x = ProbeOperand(draw_int8(rng, 2, height, width, 64 + 19), qparams(*given))
                kept = "keep_dims" if keep else "dims not kept"
                name = f"{height} x {width}, axes {axes}, {kept}, scales {given} to {wanted}"
                more = ProbeExtras(options={"keep_dims": keep})
                yield probe(name, opcode, [x, axis], ProbeOutput(qparams(*wanted)), more)
    for shape in ((1, 2, 2, 65_536), (1, 2, 2, 65_537), (3, 131, 131, 5)):
        operands = [
            ProbeOperand(draw_int8(rng, *shape), qparams(0.1, -128)),
            ProbeOperand(np.array((1, 2), np.int32), None, True),
        ]
        more = ProbeExtras(options={"keep_dims": True})
        yield probe(f"{shape}, axes (1, 2)", opcode, operands, ProbeOutput(qparams(0.09, -120)), more)
    for size in LARGE:
        first, *others = _limit_images(rng, size)
        operands = [
            ProbeOperand(first, qparams(0.1, -128)),
            ProbeOperand(np.array((1, 2), np.int32), None, True),
        ]
        more = ProbeExtras(others, options={"keep_dims": True})
        yield probe(f"{size} x {size}, bright", opcode, operands, ProbeOutput(qparams(0.11, -120)), more)


def of_resize_bilinear(rng: np.random.Generator, opcode: str) -> Iterator[Probe]:
    """Yield probes of RESIZE_BILINEAR up and down by several ratios."""
    modes = ((False, False), (True, False), (False, True))
    sizes = (((5, 5, 11), size) for size in ((8, 10), (13, 17), (3, 4), (9, 9)))
    others = (((5, 7, 83), (9, 4)), ((8, 8, 16), (64, 64)), ((8, 8, 16), (65, 64)))
    for (shape, size), (corners, half) in (*product(sizes, modes), *((o, modes[2]) for o in others)):
        options: dict[str, Option] = {"align_corners": corners, "half_pixel_centers": half}
        x = ProbeOperand(draw_int8(rng, 1, *shape), qparams(0.1, -7))
        to = ProbeOperand(np.array(size, np.int32), None, True)
        corner = "corners aligned" if corners else "half pixels" if half else "plain"
        name = f"{shape[0]} x {shape[1]} x {shape[2]} to {size[0]} x {size[1]}, {corner}"
        more = ProbeExtras(options=options)
        yield probe(name, opcode, [x, to], ProbeOutput(qparams(0.1, -7)), more)
    x = ProbeOperand(
        np.concatenate([draw_int8(rng, 1, 5, 5, 11), np.full((1, 5, 5, 11), -128, np.int8)]), qparams(0.1, -7)
    )
    to = ProbeOperand(np.array((8, 7), np.int32), None, True)
    more = ProbeExtras(options={"align_corners": False, "half_pixel_centers": True})
    yield probe("two images, one of -128", opcode, [x, to], ProbeOutput(qparams(0.1, -7)), more)
    # 1/6 of 1/3 of four values is 0.5 - 2^-25 in float32; adding 0.5 rounds to 1.
    pixels = np.indices((4, 4, 4, 4)).reshape(1, 2, 2, -1) - 128
    x = ProbeOperand(pixels.astype(np.int8), qparams(0.1, -7))
    to = ProbeOperand(np.array((4, 3), np.int32), None, True)
    more = ProbeExtras(options={"align_corners": False, "half_pixel_centers": False})
    yield probe("lowest values, two by two", opcode, [x, to], ProbeOutput(qparams(0.1, -7)), more)
