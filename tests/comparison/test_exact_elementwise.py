"""Elements of operators on one value, two values or a row, against kernels with a single rounding."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from litecheck.comparison.exact_accumulator import exact
from litecheck.comparison.exact_elementwise import FORMULAS
from litecheck.model.build import qparams
from litecheck.profile.operators import traits_of
from tests.verification import elements
from tests.verification.elements import Made, Rng, agreeing, every, rounded

EXACT: dict[str, Callable[[Rng], Made]] = {
    "ADD": elements.pair("ADD"),
    "SUB": elements.pair("SUB"),
    "MUL": elements.pair("MUL"),
    "RELU": elements.single("RELU", 0.05, qparams(0.03, -40)),
    "RELU6": elements.single("RELU6", 0.09, qparams(0.03, -100)),
    "RELU_N1_TO_1": elements.single("RELU_N1_TO_1", 0.03, qparams(0.009, 10)),
    "RELU_0_TO_1": elements.single("RELU_0_TO_1", 0.03, qparams(0.009, 10)),
    "LEAKY_RELU": elements.single("LEAKY_RELU", 0.05, qparams(0.03, -40), alpha=0.2),
    "PRELU": elements.prelu,
    "ABS": elements.single("ABS", 0.05, qparams(0.06, -100)),
    "QUANTIZE": elements.single("QUANTIZE", 0.05, qparams(0.033, 3)),
    "QUANTIZE float32": elements.quantize_real,
}
#: Operators in fixed point or with small tables: a value near the middle between two integers may be off by
#: 1.
NEAR: dict[str, Callable[[Rng], Made]] = {
    "SQUARED_DIFFERENCE": elements.pair("SQUARED_DIFFERENCE"),
    "DIV": elements.pair("DIV"),
    "RESIZE_BILINEAR": elements.resized(),
    "RESIZE_BILINEAR half": elements.resized(half_pixel_centers=True),
    "RESIZE_BILINEAR corners": elements.resized(align_corners=True),
    "LOGISTIC": elements.single("LOGISTIC", 0.05, qparams(1 / 256, -128)),
    "TANH": elements.single("TANH", 0.03, qparams(1 / 128)),
    "EXP": elements.single("EXP", 0.02, qparams(0.06, -128)),
    "LOG": elements.single("LOG", 0.05, qparams(0.03), positive=True),
    "SQRT": elements.single("SQRT", 0.05, qparams(0.02, -100), positive=True),
    "RSQRT": elements.single("RSQRT", 0.05, qparams(0.02, -100), positive=True),
    "ELU": elements.single("ELU", 0.05, qparams(0.04, -60)),
    "HARD_SWISH": elements.single("HARD_SWISH", 0.05, qparams(0.03, -80)),
    "SOFTMAX": elements.single("SOFTMAX", 0.05, qparams(1 / 256, -128), beta=1.0),
    "LOG_SOFTMAX": elements.single("LOG_SOFTMAX", 0.05, qparams(16 / 256, 127)),
    "L2_NORMALIZATION": elements.single("L2_NORMALIZATION", 0.05, qparams(1 / 128)),
}


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("name", EXACT)
def test_elements_are_the_kernels(name: str, seed: int) -> None:
    assert agreeing(EXACT[name](np.random.default_rng(seed))) >= 15


@pytest.mark.parametrize("name", EXACT)
def test_another_zero_point_is_noticed(name: str) -> None:
    """Negative control: the same comparison fails with the input's zero point off by 1."""
    made = EXACT[name](np.random.default_rng(0))
    if name == "QUANTIZE float32":
        pytest.skip("has no zero point that counts")
    zero = made.model.subgraphs[0].tensors[made.model.subgraphs[0].inputs[0]].quantization.zero_point[0]
    wrong = sum(rounded(made, v) != kernel for v, kernel in every(made, int(zero) + 1) if v)
    # Clamped elements do not change; a step of the input changes several of the remaining elements.
    assert wrong >= 3


@pytest.mark.parametrize("name", NEAR)
def test_elements_are_near_the_kernels(name: str) -> None:
    made = NEAR[name](np.random.default_rng(0))
    found = [(rounded(made, v), kernel) for v, kernel in every(made) if v is not None]
    assert len(found) >= 100
    assert max(abs(a - b) for a, b in found) <= 1
    share = 2 if name == "SQRT" else 5  # LiteRT truncates roots
    assert sum(a != b for a, b in found) <= len(found) // share
    assert len({kernel for _, kernel in found}) >= 4


def test_every_formula_is_tried() -> None:
    assert {traits_of(name.split()[0]).element for name in (*EXACT, *NEAR)} == set(FORMULAS)


def test_a_division_by_zero_has_no_value() -> None:
    made = elements.pair("DIV")(np.random.default_rng(0))
    right = made.model.subgraphs[0].tensors[1].quantization.zero_point[0]
    made.inputs[1][:] = right
    assert exact("DIV", made.site((0, 0, 0))) is None
