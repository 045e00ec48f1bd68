"""Every rescaling of sums of products, with numbers calculated by hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from litecheck.quantization import Quantization
from litecheck.reference.numerics.rescale import FIXED, VARIANTS, Scales, rescalings
from litecheck.reference.runtime_tensors import Operand, OutputSpec, RunError


def scales(multipliers: Sequence[float]) -> Scales:
    return Scales(np.float32(1), np.array(multipliers, np.float32), np.float32(1))


def rescaled(name: str, sums: Sequence[int], multiplier: float) -> list[int]:
    """Return the rescaled sums of a single channel."""
    made = VARIANTS[name](np.array([multiplier]), scales([multiplier]))
    return made.step(np.array(sums, np.int64), *made.constants).astype(np.int64).tolist()  # type: ignore[no-any-return]


#: 3 / 2, -3 / 2, 5 / 2, -5 / 2 and 5 / 4, -5 / 4, 7 / 4, -7 / 4.
TIES, QUARTERS = (6, -6, 10, -10), (5, -5, 7, -7)


@pytest.mark.parametrize(
    ("name", "ties", "quarters"),
    [
        ("double", [2, -2, 3, -3], [2, -1, 2, -2]),
        ("double-half-up", [2, -1, 3, -2], [2, -1, 2, -1]),
        ("double-by-eight", [2, -2, 3, -3], [2, -1, 2, -2]),
        ("single", [2, -1, 3, -2], [1, -1, 2, -2]),
        ("reduced", [2, -1, 3, -2], [1, -1, 2, -2]),
        ("float64", [2, -2, 3, -3], [1, -1, 2, -2]),
        ("float32", [2, -2, 2, -2], [1, -1, 2, -2]),
        ("rndnu", [2, -1, 3, -2], [1, -1, 2, -2]),
        ("float64-half-even", [2, -2, 2, -2], [1, -1, 2, -2]),
        ("float32-half-away", [2, -2, 3, -3], [1, -1, 2, -2]),
        ("reduced-8", [2, -1, 3, -2], [1, -1, 2, -2]),
        ("floor", [1, -2, 2, -3], [1, -2, 1, -2]),
        ("truncate", [1, -1, 2, -2], [1, -1, 1, -1]),
    ],
)
def test_quarters(name: str, ties: list[int], quarters: list[int]) -> None:
    """The multiplier is 1/4. A variant that rounds twice computes 5 / 2 = 3 first, then 3 / 2 = 2."""
    assert rescaled(name, TIES, 0.25) == ties
    assert rescaled(name, QUARTERS, 0.25) == quarters


@pytest.mark.parametrize("name", list(VARIANTS))
def test_multipliers_of_one_and_more(name: str) -> None:
    assert rescaled(name, (3, -3, 0), 4.0) == [12, -12, 0]
    assert rescaled(name, (3, -3), 1.0) == [3, -3]
    assert rescaled(name, (3, -3), 2.0**20) == [3 << 20, -3 << 20]


def test_a_left_shift_wraps_or_saturates_in_32_bits() -> None:
    """2^28 * 8 is 2^31 before the product with 1/2."""
    assert rescaled("double", (1 << 28,), 4.0) == [-(1 << 30)]
    assert rescaled("double-half-up", (1 << 28,), 4.0) == [-(1 << 30)]
    assert rescaled("rndnu", (1 << 28, -(1 << 29)), 4.0) == [1 << 29, -(1 << 29)]
    assert rescaled("single", (1 << 28,), 4.0) == [1 << 30]


def test_values_of_64_bit_sums_wrap_in_32_bits() -> None:
    """2^29 * 4 is 2^31, and (2^30 + 3) * 4 wraps to 12."""
    assert rescaled("reduced", (1 << 29, -(1 << 29), (1 << 30) + 3), 4.0) == [-(1 << 31), -(1 << 31), 12]
    assert rescaled("float64", (1 << 29,), 4.0) == [1 << 31]


@pytest.mark.parametrize(
    ("name", "thousandth", "millionth"),
    [
        ("single", 513, (1 << 19) + 1),
        ("reduced", 513, 1 << 19),
        ("reduced-8", 512, 1 << 19),
        ("rndnu", 513, (1 << 19) + 1),
        ("float64", 513, (1 << 19) + 1),
        ("floor", 513, (1 << 19) + 1),
    ],
)
def test_bits_of_the_multiplier(name: str, thousandth: int, millionth: int) -> None:
    """The multipliers are 1/2 + 2^-10 and 1/2 + 2^-20."""
    assert rescaled(name, (1 << 10,), 0.5 + 2.0**-10) == [thousandth]
    assert rescaled(name, (1 << 20,), 0.5 + 2.0**-20) == [millionth]


def test_the_channels_after_vectors_of_eight_round_half_away() -> None:
    for channels, expected in ((7, [-2] * 7), (8, [-1] * 8), (9, [-1] * 8 + [-2]), (17, [-1] * 16 + [-2])):
        real = np.full(channels, 0.25)
        made = VARIANTS["double-by-eight"](real, scales(real.tolist()))
        assert made.step(np.full(channels, -6), *made.constants).tolist() == expected


def test_channels_have_separate_multipliers() -> None:
    real = np.array([0.25, 0.5, 2.0])
    for name, bind in VARIANTS.items():
        made = bind(real, scales(real.tolist()))
        assert made.step(np.array([8, 8, 8]), *made.constants).astype(int).tolist() == [2, 4, 16], name


def test_decisions_near_a_tie() -> None:
    """The first rounding changes a sum by at most 1/2 of the first step: 2^-(right + 1) of the output."""
    made = VARIANTS["double"](np.array([0.25, 0.0, 0.75]), scales([0.25, 0.0, 0.75]))
    assert made.real is not None
    assert made.error_bound is not None
    assert made.real.tolist() == [0.25, 0.0, 0.75]
    assert made.error_bound.tolist() == [0.25, 0.0, 0.5]
    left = VARIANTS["double"](np.array([4.0]), scales([4.0]))
    assert (left.real, left.error_bound) == (None, None)


def test_names() -> None:
    names = ("double", "double-half-up", "double-by-eight", "single", "reduced", "float64", "float32", "rndnu",
             "float64-half-even", "float32-half-away", "reduced-8", "floor", "truncate")  # fmt: skip
    assert tuple(VARIANTS) == names
    assert {name for name in names if "float" in name or name == "rndnu"} == set(names) - FIXED
    assert rescalings("single") == ("single", "double", "double-half-up", "double-by-eight", *names[4:])


def test_products_of_scales() -> None:
    """(1 + 2^-12)^2 is 1 + 2^-11 + 2^-24, and 1 + 2^-11 in float32."""
    near = np.float32(1 + 2.0**-12)
    made = Scales(near, np.array([near, 1], np.float32), np.float32(4))
    exact, rounded = 1 + 2.0**-11 + 2.0**-24, 1 + 2.0**-11
    assert made.double().tolist() == [exact / 4, float(near) / 4]
    assert made.narrow().tolist() == [rounded / 4, float(near) / 4]
    assert made.single().tolist() == [rounded / 4, float(near) / 4]
    thirds = Scales(np.float32(1), np.ones(1, np.float32), np.float32(3))
    assert (thirds.narrow().tolist(), thirds.single().tolist()) == ([1 / 3], [float(np.float32(1 / 3))])


def operand(*stated: float) -> Operand:
    q = Quantization(np.array(stated, np.float32), np.zeros(len(stated), np.int64))
    return Operand(np.zeros(4, np.int8), "int8", q)


def test_scales_of_operands() -> None:
    output = OutputSpec("int8", (4,), operand(0.125).quantization)
    one = Scales.of(operand(0.5), operand(0.25), output, 3)
    assert (float(one.input), one.weight.tolist(), float(one.output)) == (0.5, [0.25] * 3, 0.125)
    several = Scales.of(operand(0.5), operand(0.25, 0.5, 1), output, 3)
    assert several.weight.tolist() == [0.25, 0.5, 1]
    with pytest.raises(RunError, match="2 weight scales for 3 channels"):
        Scales.of(operand(0.5), operand(0.25, 0.5), output, 3)
