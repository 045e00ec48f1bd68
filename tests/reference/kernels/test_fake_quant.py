"""FAKE_QUANT: values rounded to steps around 0, by hand, and rejected options."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.flatbuffer.table import Table
from litecheck.reference.kernels.fake_quant import fake_quant
from litecheck.reference.runtime_tensors import Operand, OutputSpec, RunError

OUT = OutputSpec("float32", ())


def made(values: list[float], **options: float) -> list[float]:
    x = Operand(np.array(values, np.float32), "float32")
    return fake_quant(x, OUT, Table("FakeQuantOptions", options)).tolist()


def test_values_are_steps_and_ties_are_rounded_up() -> None:
    """Two bits from -1 to 2 have steps of 1 from -1; halves above the lowest step are rounded up."""
    found = made([-9, -1.4, -0.5, -0.4, 0, 0.5, 1.49, 9], min=-1, max=2, num_bits=2)
    assert found == [-1, -1, 0, 0, 0, 1, 1, 2]


def test_the_range_is_moved_so_that_zero_is_exact() -> None:
    found = made([0.0, -5, 5], min=-0.9, max=2.1, num_bits=2)
    assert found == [0, -1, 2]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"min": 1, "max": 2, "num_bits": 8}, "0 has to be inside"),
        ({"min": 0, "max": 0, "num_bits": 8}, "0 has to be inside"),
        ({"min": -1, "max": 1, "num_bits": 1}, "2 to 16 bits"),
        ({"min": -1, "max": 1, "num_bits": 8, "narrow_range": True}, "LiteRT refuses"),
    ],
)
def test_invalid_options_are_rejected(options: dict[str, float], words: str) -> None:
    with pytest.raises(RunError, match=words):
        made([0.0], **options)
