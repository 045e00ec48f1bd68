"""Exact sums against the kernels: equal except for ties, and different if an operand is changed.

The kernels here round once. A kernel with two roundings can differ by nearly half a step.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from litecheck.comparison import exact_elementwise
from litecheck.comparison.exact_accumulator import FORMULAS, exact
from litecheck.model.build import qparams
from litecheck.profile.operators import traits_of
from tests.verification import elements
from tests.verification.elements import Made, Rng, agreeing, every, rounded

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
    "FULLY_CONNECTED no bias": lambda rng: elements.dense(rng, bias=False),
    "BATCH_MATMUL": elements.matmul,
    "MEAN": elements.reduced("MEAN", True),
    "SUM": elements.reduced("SUM", False),
    "AVERAGE_POOL_2D": elements.pooled,
}


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("name", EXACT)
def test_elements_are_the_kernels(name: str, seed: int) -> None:
    assert agreeing(EXACT[name](np.random.default_rng(seed))) >= 15


@pytest.mark.parametrize("name", EXACT)
def test_another_zero_point_is_noticed(name: str) -> None:
    """Negative control: the same comparison fails with the input's zero point off by 1."""
    made = EXACT[name](np.random.default_rng(0))
    if name in ("QUANTIZE float32", "AVERAGE_POOL_2D"):
        pytest.skip("has no zero point that counts")
    zero = made.model.subgraphs[0].tensors[made.model.subgraphs[0].inputs[0]].quantization.zero_point[0]
    wrong = sum(rounded(made, v) != kernel for v, kernel in every(made, int(zero) + 1) if v)
    # Clamped elements do not change; a step of the input changes several of the remaining elements.
    assert wrong >= 3


def test_every_formula_is_tried() -> None:
    assert {traits_of(name.split()[0]).element for name in EXACT} == set(FORMULAS) - set(
        exact_elementwise.FORMULAS
    )


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
    constants = {"w": (w, qparams(0.01)), "b": (bias, None)}
    made = elements.single_operator(
        "FULLY_CONNECTED", {"x": (x, qparams(0.01))}, constants, "x w b", (1, 1), qparams(1.0)
    )
    value = exact("FULLY_CONNECTED", made.site((0, 0)))
    assert value
    assert value.accumulator == 2**31 - 1 + 4 * 127 * 127 - 2**32
    assert rounded(made, value) == made.output()[0, 0] == -128


def test_float_and_moved_outputs_have_no_exact_value() -> None:
    x = np.ones((1, 4), np.float32)
    made = elements.single_operator(
        "FULLY_CONNECTED", {"x": (x, None)}, {"w": (x, None)}, "x w", (1, 1), None, "float32"
    )
    assert exact("FULLY_CONNECTED", made.site((0, 0))) is None
    assert exact("RESHAPE", made.site((0, 0))) is None
