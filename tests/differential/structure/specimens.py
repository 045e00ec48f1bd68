"""Conforming models that are changed: all of ``rules_cases``, chains, and further weighted operators."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

from tests.differential import rules_cases
from tests.differential.structure.sketch import SEED, Sketch, Specimen
from tests.differential.structure.specimens_stateful import stateful


@cache
def specimens() -> tuple[Specimen, ...]:
    """Return all specimens, always the same."""
    state = rules_cases.RNG.bit_generator.state
    rules_cases.RNG.bit_generator.state = np.random.default_rng(SEED).bit_generator.state
    try:
        single = [
            Specimen(c.name, t, c.model, c.inputs) for t in ("int8", "int16") for c in rules_cases.cases(t)
        ]
    finally:
        rules_cases.RNG.bit_generator.state = state
    return (*single, *_chains("int8"), *_chains("int16"), *_affine(), *stateful())


CONV = {"padding": "SAME", "stride_w": 1, "stride_h": 1, "dilation_w_factor": 1, "dilation_h_factor": 1}


def _chains(dtype: str) -> Iterator[Specimen]:
    """Yield chains of operators, with shapes between them that matter."""
    s = Sketch("PAD, CONV_2D", dtype)
    x, p = s.x(1, 4, 4, 3), s.t(1, 6, 6, 3)
    w = s.weight(4, 3, 3, 3)
    s.main.add("PAD", [x, s.c([[0, 0], [1, 1], [1, 1], [0, 0]])], [p])
    y = s.t(1, 4, 4, 4, scale=0.4)
    s.main.add("CONV_2D", [p, w, s.bias(p, w)], [y], **{**CONV, "padding": "VALID"})
    yield s.done(y)

    s = Sketch("TRANSPOSE, RESHAPE, FULLY_CONNECTED", dtype)
    x, t, r, y = s.x(2, 3, 4), s.t(2, 4, 3), s.t(2, 12), s.t(2, 5, scale=0.4)
    w = s.weight(5, 12)
    s.main.add("TRANSPOSE", [x, s.c([0, 2, 1])], [t])
    s.main.add("RESHAPE", [t, s.c([2, -1])], [r], new_shape=[2, -1])
    s.main.add("FULLY_CONNECTED", [r, w, s.bias(r, w)], [y])
    yield s.done(y)

    s = Sketch("SPLIT, CONCATENATION", dtype)
    x, a, b, y = s.x(1, 4, 6), s.t(1, 2, 6), s.t(1, 2, 6), s.t(1, 2, 12)
    s.main.add("SPLIT", [s.c(1), x], [a, b], num_splits=2)
    s.main.add("CONCATENATION", [b, a], [y], axis=2)
    yield s.done(y)

    s = Sketch("ADD broadcast, MEAN", dtype)
    x, z, a, y = (
        s.x(1, 4, 4, 3),
        s.x(1, 1, 1, 3, scale=0.03, zero=-8),
        s.t(1, 4, 4, 3, scale=0.08),
        s.t(1, 3, scale=0.05),
    )
    s.main.add("ADD", [x, z], [a])
    s.main.add("MEAN", [a, s.c([1, 2])], [y], keep_dims=False)
    yield s.done(y)

    yield from _reduced(dtype)

    s = Sketch("SHAPE, STRIDED_SLICE, PACK, RESHAPE", dtype)
    x, y = s.x(2, 3, 4), s.t(2, 12)
    shape, n, new = (s.main.tensor(f"i{i}", d, "int32") for i, d in enumerate([(3,), (), (2,)]))
    s.main.add("SHAPE", [x], [shape], out_type="int32")
    s.main.add("STRIDED_SLICE", [shape, s.c([0]), s.c([1]), s.c([1])], [n], shrink_axis_mask=1)
    s.main.add("PACK", [n, s.c(12)], [new], values_count=2)
    s.main.add("RESHAPE", [x, new], [y])
    yield s.done(y)

    s = Sketch("QUANTIZE, FULLY_CONNECTED, DEQUANTIZE", dtype)
    x = s.feed(s.main.tensor("x", (2, 6), "float32"), s.rng.normal(0, 2, (2, 6)).astype(np.float32))
    a, b, y = s.t(2, 6), s.t(2, 4, scale=0.2), s.main.tensor("y", (2, 4), "float32")
    w = s.weight(4, 6)
    s.main.add("QUANTIZE", [x], [a])
    s.main.add("FULLY_CONNECTED", [a, w, s.bias(a, w)], [b])
    s.main.add("DEQUANTIZE", [b], [y])
    yield s.done(y)

    s = Sketch("CONV_2D, AVERAGE_POOL_2D, RESHAPE, FULLY_CONNECTED, SOFTMAX", dtype)
    x, a, p, r = s.x(1, 4, 4, 3), s.t(1, 4, 4, 4, scale=0.3), s.t(1, 1, 1, 4, scale=0.3), s.t(1, 4, scale=0.3)
    f, y = s.t(1, 3, scale=0.05), s.t(1, 3, scale=1 / 128 if s.wide else 1 / 256, zero=-128)
    w, v = s.weight(4, 3, 3, 3), s.weight(3, 4, scale=0.001)
    s.main.add("CONV_2D", [x, w, s.bias(x, w)], [a], **CONV, fused_activation_function="RELU")
    pool = {"padding": "VALID", "stride_w": 4, "stride_h": 4, "filter_width": 4, "filter_height": 4}
    s.main.add("AVERAGE_POOL_2D", [a], [p], **pool)
    s.main.add("RESHAPE", [p, s.c([1, 4])], [r], new_shape=[1, 4])
    s.main.add("FULLY_CONNECTED", [r, v, s.bias(r, v)], [f])
    s.main.add("SOFTMAX", [f], [y], beta=1.0)
    yield s.done(y)


def _reduced(dtype: str) -> Iterator[Specimen]:
    """Yield reductions with and without kept dimensions before operators that need a rank or broadcast."""
    for opcode, keep in (("MEAN", True), ("SUM", False)):
        s = Sketch(f"{opcode}, FULLY_CONNECTED", dtype)
        x, r, y = s.x(2, 4, 4, 3), s.t(2, 1, 1, 3) if keep else s.t(2, 3, scale=0.4), s.t(2, 5, scale=0.8)
        w = s.weight(5, 3)
        s.main.add(opcode, [x, s.c([1, 2])], [r], keep_dims=keep)
        s.main.add("FULLY_CONNECTED", [r, w, s.bias(r, w)], [y])
        yield s.done(y)

    s = Sketch("MEAN, CONV_2D", dtype)
    x, r, y = s.x(2, 4, 4, 3), s.t(2, 1, 1, 3), s.t(2, 1, 1, 4, scale=0.1)
    w = s.weight(4, 1, 1, 3)
    s.main.add("MEAN", [x, s.c([1, 2])], [r], keep_dims=True)
    s.main.add("CONV_2D", [r, w, s.bias(r, w)], [y], **CONV)
    yield s.done(y)

    s = Sketch("MEAN, MUL", dtype)
    x, r, y = s.x(1, 4, 4, 3), s.t(1, 1, 1, 3), s.t(1, 4, 4, 3, scale=0.8)
    s.main.add("MEAN", [x, s.c([1, 2])], [r], keep_dims=True)
    s.main.add("MUL", [x, r], [y])
    yield s.done(y)

    s = Sketch("MEAN, RESHAPE", dtype)
    x, r, y = s.x(2, 4, 4, 3), s.t(2, 3), s.t(2, 1, 1, 3)
    s.main.add("MEAN", [x, s.c([1, 2])], [r], keep_dims=False)
    s.main.add("RESHAPE", [r, s.c([2, 1, 1, 3])], [y], new_shape=[2, 1, 1, 3])
    yield s.done(y)


def _affine() -> Iterator[Specimen]:
    """Yield weighted operators in forms that ``rules_cases`` lacks."""
    for dtype in ("int8", "int16"):
        s = Sketch("CONV_2D grouped", dtype)
        x, w, y = s.x(1, 4, 4, 4), s.weight(6, 3, 3, 2), s.t(1, 4, 4, 6, scale=0.4)
        s.main.add("CONV_2D", [x, w, s.bias(x, w)], [y], **CONV, version=6)
        yield s.done(y)
        s = Sketch("CONV_2D strided, RELU6", dtype)
        x, w, y = s.x(2, 7, 6, 2), s.weight(3, 3, 2, 2), s.t(2, 3, 3, 3, scale=0.03, zero=-128)
        strided = {"padding": "VALID", "stride_w": 2, "stride_h": 2, "fused_activation_function": "RELU6"}
        s.main.add("CONV_2D", [x, w, s.bias(x, w)], [y], **{**CONV, **strided})
        yield s.done(y)
        s = Sketch("DEPTHWISE_CONV_2D strided", dtype)
        x, w, y = s.x(1, 5, 5, 3), s.weight(1, 3, 3, 3, axis=3), s.t(1, 3, 3, 3, scale=0.2)
        s.main.add("DEPTHWISE_CONV_2D", [x, w, s.bias(x, w)], [y], **{**CONV, "stride_w": 2, "stride_h": 2},
                   depth_multiplier=1)  # fmt: skip
        yield s.done(y)
        s = Sketch("FULLY_CONNECTED keep_num_dims", dtype)
        x, w, y = s.x(2, 3, 6), s.weight(4, 6), s.t(2, 3, 4, scale=0.3)
        s.main.add("FULLY_CONNECTED", [x, w, s.bias(x, w)], [y], keep_num_dims=True, version=5)
        yield s.done(y)
        s = Sketch("FULLY_CONNECTED without bias", dtype)
        x, w, y = s.x(2, 6), s.weight(4, 6), s.t(2, 4, scale=0.3)
        s.main.add("FULLY_CONNECTED", [x, w, -1], [y], version=6)
        yield s.done(y)
        s = Sketch("TRANSPOSE_CONV VALID", dtype)
        x, w, y = s.x(1, 3, 3, 2), s.weight(3, 3, 3, 2), s.t(1, 7, 7, 3, scale=0.3)
        s.main.add("TRANSPOSE_CONV", [s.c([1, 7, 7, 3]), w, x, s.bias(x, w)], [y], padding="VALID", stride_w=2,
                   stride_h=2, version=3)  # fmt: skip
        yield s.done(y)
    yield from _narrow_biases()


def _narrow_biases() -> Iterator[Specimen]:
    """Yield 16x8 layers with an int32 bias, and options that state it."""
    s = Sketch("FULLY_CONNECTED int32 bias", "int16")
    x, w, y = s.x(2, 6), s.weight(4, 6), s.t(2, 4, scale=0.3)
    s.main.add("FULLY_CONNECTED", [x, w, s.bias(x, w, "int32")], [y], quantized_bias_type="INT32", version=11)
    yield s.done(y)
    s = Sketch("CONV_2D int32 bias", "int16")
    x, w, y = s.x(1, 4, 4, 2), s.weight(3, 3, 3, 2), s.t(1, 4, 4, 3, scale=0.3)
    s.main.add("CONV_2D", [x, w, s.bias(x, w, "int32")], [y], **CONV, quantized_bias_type="INT32", version=8)
    yield s.done(y)
