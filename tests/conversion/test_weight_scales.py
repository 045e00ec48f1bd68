"""Scales of weights: of the largest value or of the least squares, per tensor, axis or block."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.conversion.quant_spec import QuantSpec
from litecheck.conversion.weight_scales import half_scales, least_squares, spec_scales

VALUES = np.array([[1, -2, 0.5, 0.25], [0.5, 1.27, 0, 0]], np.float32)


@pytest.mark.parametrize(
    ("spec", "scales"),
    [
        (QuantSpec("int8"), [2 / 127]),
        (QuantSpec("int8", per_axis=True), [2 / 127, 0.01]),
        (QuantSpec("int4", per_axis=True), [2 / 7, 1.27 / 7]),
        (QuantSpec("int4", block=2), [0.28515625, 0.0712890625, 0.181640625, 2.0**-7]),
    ],
)
def test_scales(spec: QuantSpec, scales: list[float]) -> None:
    assert spec_scales(VALUES, spec, "new").tolist() == np.array(scales, np.float32).tolist()


@pytest.mark.parametrize(
    ("scale", "stored"),
    [(0.1, 0.10009765625), (1.0, 1.0), (1e-12, 2.0**-24), (1e9, 65280.0), (1 + 2.0**-8, 1 + 2.0**-7)],
)
def test_scales_of_blocks_are_exact_in_bfloat16_and_float16(scale: float, stored: float) -> None:
    (found,) = half_scales(np.array([scale], np.float32))
    assert found == stored
    assert np.float16(found) == found
    assert not np.float32(found).view(np.uint32) & 0xFFFF


def test_least_squares_have_no_larger_error_than_the_largest_value() -> None:
    values = np.random.default_rng(1).standard_normal((6, 200)).astype(np.float32)
    largest = spec_scales(values, QuantSpec("int4", per_axis=True), "new")
    found = least_squares(values, largest, 0, "int4")

    def errors(scales: np.ndarray) -> np.ndarray:
        stored = np.rint(values / scales[:, None]).clip(-7, 7)
        return np.square(stored * scales[:, None] - values).sum(axis=1)

    assert (errors(found) < errors(largest)).all()
    assert (found < largest).all()
    assert (errors(found * np.float32(0.8)) > errors(found)).all()
