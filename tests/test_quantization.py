"""Types and quantization as plain data."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.quantization import BITS, INTEGER_RANGES, Custom, Quantization


@pytest.mark.parametrize("name", INTEGER_RANGES)
def test_a_range_has_as_many_values_as_its_bits_give(name: str) -> None:
    low, high = INTEGER_RANGES[name]
    assert high - low + 1 == 2 ** BITS[name]
    assert low == (0 if name.startswith("u") else -(2 ** (BITS[name] - 1)))


@pytest.mark.parametrize("name", [name for name in BITS if hasattr(np, name) and name != "bool"])
def test_bits_are_those_of_numpy(name: str) -> None:
    assert np.dtype(name).itemsize * 8 == BITS[name]


@pytest.mark.parametrize(
    ("name", "bits"), [("bool", 8), ("float8_e4m3fn", 8), ("float8_e5m2", 8), ("bfloat16", 16)]
)
def test_bits_of_types_that_numpy_has_not(name: str, bits: int) -> None:
    assert BITS[name] == bits


@pytest.mark.parametrize(
    ("quantization", "expected"),
    [
        (Quantization(), False),
        (Quantization(np.ones(1, np.float32)), True),
        (Quantization(zero_point=np.ones(1, np.int64)), True),
        (Quantization(details=Custom(b"")), True),
        (Quantization(minimum=np.ones(1, np.float32), maximum=np.ones(1, np.float32), axis=1), False),
    ],
)
def test_a_quantization_is_set_by_scale_zero_point_or_details(
    quantization: Quantization, expected: bool
) -> None:
    assert quantization.is_set is expected
