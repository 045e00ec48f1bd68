"""Elements from their definition against the kernels: equal but for ties, and different where something is changed.

The kernels compute with one rounding: two can be wrong by nearly half a step.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from litecheck.model.build import quantized
from litecheck.reference.arithmetic import load_arithmetic
from litecheck.reference.fused import stored_bounds
from litecheck.verify.accumulator import FORMULAS, Exact, exact
from tests.verify import elements
from tests.verify.elements import Made, Rng

EXACT: dict[str, Callable[[Rng], Made]] = {
    "CONV_2D": elements.conv,
    "CONV_2D valid": lambda rng: elements.conv(rng, padding="VALID", stride=1),
    "CONV_2D dilated": lambda rng: elements.conv(rng, stride=1, gap=2),
    "CONV_2D grouped": lambda rng: elements.conv(rng, groups=2),
    "CONV_2D uint8": lambda rng: elements.conv(rng, "uint8", stride=1),
    "CONV_2D int16": lambda rng: elements.conv(rng, "int16", stride=1),
    "DEPTHWISE_CONV_2D": elements.depthwise,
    "TRANSPOSE_CONV same": lambda rng: elements.transposed(rng, "SAME"),
    "TRANSPOSE_CONV valid": lambda rng: elements.transposed(rng, "VALID"),
    "FULLY_CONNECTED": elements.dense,
    "FULLY_CONNECTED one scale": lambda rng: elements.dense(rng, per_axis=False),
    "BATCH_MATMUL": elements.matmul,
    "ADD": elements.pair("ADD"),
    "SUB": elements.pair("SUB"),
    "MUL": elements.pair("MUL"),
    "MEAN": elements.reduced("MEAN", True),
    "SUM": elements.reduced("SUM", False),
    "AVERAGE_POOL_2D": elements.pooled,
    "RELU": elements.single("RELU", 0.05, quantized(0.03, -40)),
    "RELU6": elements.single("RELU6", 0.09, quantized(0.03, -100)),
    "RELU_N1_TO_1": elements.single("RELU_N1_TO_1", 0.03, quantized(0.009, 10)),
    "RELU_0_TO_1": elements.single("RELU_0_TO_1", 0.03, quantized(0.009, 10)),
    "LEAKY_RELU": elements.single("LEAKY_RELU", 0.05, quantized(0.03, -40), alpha=0.2),
    "PRELU": elements.prelu,
    "ABS": elements.single("ABS", 0.05, quantized(0.06, -100)),
    "QUANTIZE": elements.single("QUANTIZE", 0.05, quantized(0.033, 3)),
    "QUANTIZE float32": elements.quantize_real,
}
#: Computed in fixed point or from tables with fewer bits: off by one near the middle between two values.
NEAR: dict[str, Callable[[Rng], Made]] = {
    "SQUARED_DIFFERENCE": elements.pair("SQUARED_DIFFERENCE"),
    "DIV": elements.pair("DIV"),
    "RESIZE_BILINEAR": elements.resized(),
    "RESIZE_BILINEAR half": elements.resized(half_pixel_centers=True),
    "RESIZE_BILINEAR corners": elements.resized(align_corners=True),
    "LOGISTIC": elements.single("LOGISTIC", 0.05, quantized(1 / 256, -128)),
    "TANH": elements.single("TANH", 0.03, quantized(1 / 128)),
    "EXP": elements.single("EXP", 0.02, quantized(0.06, -128)),
    "LOG": elements.single("LOG", 0.05, quantized(0.03), positive=True),
    "SQRT": elements.single("SQRT", 0.05, quantized(0.02, -100), positive=True),
    "RSQRT": elements.single("RSQRT", 0.05, quantized(0.02, -100), positive=True),
    "ELU": elements.single("ELU", 0.05, quantized(0.04, -60)),
    "HARD_SWISH": elements.single("HARD_SWISH", 0.05, quantized(0.03, -80)),
    "SOFTMAX": elements.single("SOFTMAX", 0.05, quantized(1 / 256, -128), beta=1.0),
    "LOG_SOFTMAX": elements.single("LOG_SOFTMAX", 0.05, quantized(16 / 256, 127)),
    "L2_NORMALIZATION": elements.single("L2_NORMALIZATION", 0.05, quantized(1 / 128)),
}
_SINGLE = load_arithmetic("single-rounding")
_WIDE = {**_SINGLE.stages["CONV_2D"], "int64_sums": "float64"}
#: One rounding, and of 64-bit sums no multiplier of 16 bits.
ONCE = replace(_SINGLE, stages={**_SINGLE.stages, "CONV_2D": _WIDE})
#: So near to the middle between two integers the rounding of multipliers decides.
TIE = Fraction(1, 2000)


def every(made: Made, zero_point: int | None = None) -> list[tuple[Exact | None, int]]:
    """Every element's exact value and what the kernel gives."""
    opcode, output = made.model.subgraphs[0].operators[0].opcode, made.output(ONCE)
    return [(exact(opcode, made.site(i, zero_point)), int(output[i])) for i in np.ndindex(output.shape)]


def rounded(made: Made, value: Exact) -> int:
    output = made.site((0,)).output
    low, high = stored_bounds(made.model.subgraphs[0].operators[0].options, output)
    return min(max(math.floor(value.quotient + Fraction(1, 2)) + value.zero_point, low), high)


def at_tie(value: Exact) -> bool:
    return abs(value.quotient - math.floor(value.quotient) - Fraction(1, 2)) < TIE


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("name", EXACT)
def test_elements_are_the_kernels(name: str, seed: int) -> None:
    made = EXACT[name](np.random.default_rng(seed))
    compared = 0
    for value, kernel in every(made):
        assert value is not None
        if not at_tie(value):
            assert rounded(made, value) == kernel, value
            compared += 1
        else:
            assert abs(rounded(made, value) - kernel) <= 1
    assert compared >= 15


@pytest.mark.parametrize("name", EXACT)
def test_another_zero_point_is_noticed(name: str) -> None:
    """The negative control: the same comparison with the input's zero point one off."""
    made = EXACT[name](np.random.default_rng(0))
    if name in ("QUANTIZE float32", "AVERAGE_POOL_2D"):
        pytest.skip("has no zero point that counts")
    zero = made.model.subgraphs[0].tensors[made.model.subgraphs[0].inputs[0]].quantization.zero_point[0]
    wrong = sum(rounded(made, v) != kernel for v, kernel in every(made, int(zero) + 1) if v)
    # Clamped elements stay as they are; of the others a step of the input moves some at least.
    assert wrong >= 3


@pytest.mark.parametrize("name", NEAR)
def test_elements_are_near_the_kernels(name: str) -> None:
    made = NEAR[name](np.random.default_rng(0))
    found = [(rounded(made, v), kernel) for v, kernel in every(made) if v is not None]
    assert len(found) >= 100
    assert max(abs(a - b) for a, b in found) <= 1
    share = 2 if name == "SQRT" else 5  # LiteRT cuts roots off
    assert sum(a != b for a, b in found) <= len(found) // share
    assert len({kernel for _, kernel in found}) >= 4


def test_every_formula_is_tried() -> None:
    assert {name.split()[0] for name in (*EXACT, *NEAR)} == set(FORMULAS)


def test_an_accumulator_times_its_multiplier_is_the_quotient() -> None:
    made = elements.conv(np.random.default_rng(0))
    for value, _ in every(made):
        assert value
        assert value.accumulator is not None
        assert value.multiplier is not None
        assert value.accumulator * value.multiplier == value.quotient


def test_an_accumulator_of_32_bits_wraps() -> None:
    x, w = np.full((1, 4), 127, np.int8), np.full((1, 4), 127, np.int8)
    bias = np.array([2**31 - 1], np.int32)
    constants = {"w": (w, quantized(0.01)), "b": (bias, None)}
    made = elements.one(
        "FULLY_CONNECTED", {"x": (x, quantized(0.01))}, constants, "x w b", (1, 1), quantized(1.0)
    )
    value = exact("FULLY_CONNECTED", made.site((0, 0)))
    assert value
    assert value.accumulator == 2**31 - 1 + 4 * 127 * 127 - 2**32
    assert rounded(made, value) == made.output()[0, 0] == -128


def test_what_has_no_steps_has_no_element() -> None:
    x = np.ones((1, 4), np.float32)
    made = elements.one("FULLY_CONNECTED", {"x": (x, None)}, {"w": (x, None)}, "x w", (1, 1), None, "float32")
    assert exact("FULLY_CONNECTED", made.site((0, 0))) is None
    assert exact("RESHAPE", made.site((0, 0))) is None
    nothing = elements.pair("DIV")(np.random.default_rng(0))
    right = nothing.model.subgraphs[0].tensors[1].quantization.zero_point[0]
    nothing.inputs[1][:] = right
    assert exact("DIV", nothing.site((0, 0, 0))) is None
