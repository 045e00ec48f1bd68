"""An element's operands and its exact value."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from litecheck.comparison.element import ElementSite, Exact, broadcast_index, centered_value, fraction
from litecheck.model.build import options_table, qparams
from litecheck.reference.runtime_tensors import Operand, OutputSpec


def test_scales_are_taken_as_they_are_stored() -> None:
    assert fraction(np.float32(0.1)) == Fraction(13421773, 134217728) != Fraction(1, 10)


@pytest.mark.parametrize(
    ("shape", "index", "met"),
    [
        ((2, 3), (1, 2), (1, 2)), ((1, 3), (1, 2), (0, 2)), ((3,), (1, 2), (2,)), ((), (1, 2), ()),
        ((2, 1), (5, 1, 4), (1, 0)),
    ],
)  # fmt: skip
def test_a_broadcast_operand_is_met_where_it_is_long_enough(
    shape: tuple[int, ...], index: tuple[int, ...], met: tuple[int, ...]
) -> None:
    assert broadcast_index(Operand(np.zeros(shape, np.int8), "int8"), index) == met


def test_a_stored_value_less_its_zero_point() -> None:
    assert centered_value(Operand(np.array([250], np.uint8), "uint8", qparams(1.0, 3)), (0,)) == 247


def test_a_site_counts_in_steps_of_its_output() -> None:
    options = options_table("LEAKY_RELU", alpha=0.5)
    site = ElementSite({}, OutputSpec("int8", (1,), qparams(0.25, 7)), options, (0,))
    assert site.steps(Fraction(3, 8)) == Exact(Fraction(3, 2), 7)
    assert site.steps(0.375) == Exact(Fraction(3, 2), 7, exact=False)
    assert site.scale_accumulator(3, Fraction(1, 2)) == Exact(Fraction(3, 2), 7, 3, Fraction(1, 2))
    assert (site.option("alpha", 0.0), site.option("padding", 5)) == (0.5, 5)
    assert ElementSite({}, site.output, None, (0,)).option("alpha", 1.0) == 1.0
