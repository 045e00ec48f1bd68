"""FAKE_QUANT: values onto steps around 0, by hand, and what it refuses."""

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


def test_values_lie_on_steps_and_ties_go_up() -> None:
    """Two bits from -1 to 2: steps of 1 from -1; halves above the lowest step go away from it."""
    found = made([-9, -1.4, -0.5, -0.4, 0, 0.5, 1.49, 9], min=-1, max=2, num_bits=2)
    assert found == [-1, -1, 0, 0, 0, 1, 1, 2]


def test_the_range_is_moved_so_that_nothing_stays_nothing() -> None:
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
def test_what_is_refused(options: dict[str, float], words: str) -> None:
    with pytest.raises(RunError, match=words):
        made([0.0], **options)
