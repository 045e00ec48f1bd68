"""Estimates in float64 and ceilings of measurements, computed by hand."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isnan, nan
from typing import Any

import numpy as np
import pytest

from litecheck.checks.context import TensorFacts
from litecheck.model.build import qparams
from litecheck.model.types import Tensor
from litecheck.profile.measurements.estimates import (
    CEILINGS,
    ESTIMATES,
    largest_bias,
    reach,
    scale_ratio,
    weight_sum,
)
from litecheck.quantization import Quantization


@dataclass
class Known:
    facts: TensorFacts


def of(
    scale: float = nan, zero: int = 0, dtype: str = "int8", shape: tuple[int, ...] = (4,), points: Any = None
) -> Known:
    if points is not None:
        parameters = qparams(0.5, points)
    elif isnan(scale):
        parameters = Quantization()
    else:
        parameters = Quantization(scale=np.float32([scale]), zero_point=np.int64([zero]))
    return Known(TensorFacts(Tensor(0, "x", dtype, shape, quantization=parameters)))


def roles(**known: Any) -> dict[str, list[Known]]:
    return {role: one if isinstance(one, list) else [one] for role, one in known.items()}


@pytest.mark.parametrize(
    ("given", "ratio"),
    [
        (roles(lhs=of(0.5), rhs=of(0.25), output=of(0.125)), 4.0),
        (roles(lhs=of(0.25), rhs=of(0.5), output=of(0.125)), 4.0),
        (roles(values=[of(0.25), of(1.0), of(0.5)], output=of(0.5)), 2.0),
        (roles(lhs=of(0.25), rhs=of(), output=of(0.125)), 2.0),
        (roles(lhs=of(0.25), rhs=of(inf), output=of(0.125)), 2.0),
        (roles(lhs=of(), output=of(0.125)), None),
        (roles(lhs=of(0.25), output=of()), None),
        (roles(lhs=of(0.25), output=of(inf)), None),
        (roles(lhs=of(0.25), output=of(0.0)), None),
        (roles(lhs=of(0.25), output=[]), None),
        (roles(lhs=of(0.25)), None),
    ],
)
def test_ratio_of_scales(given: dict[str, list[Known]], ratio: float | None) -> None:
    assert scale_ratio("ADD", given) == ratio


@pytest.mark.parametrize(
    ("opcode", "given", "steps"),
    [
        # 0.5 * (127 + 3) is 65, 0.25 * 128 is 32
        ("ADD", roles(lhs=of(0.5, -3), rhs=of(0.25), output=of(0.5, 7)), (65 + 32) / 0.5 + 7),
        ("SUB", roles(lhs=of(0.5, -3), rhs=of(0.25), output=of(0.5, -7)), (65 + 32) / 0.5 + 7),
        ("MUL", roles(lhs=of(0.5, -3), rhs=of(0.25), output=of(0.5, 0)), 65 * 32 / 0.5),
        ("ADD", roles(lhs=of(0.5, 3), rhs=of(0.25, 100), output=of(1.0)), 0.5 * 131 + 0.25 * 228),
        ("ADD", roles(lhs=of(0.5, 0, "uint8"), rhs=of(0.25), output=of(1.0)), 0.5 * 255 + 32),
        ("DIV", roles(lhs=of(0.5), rhs=of(0.25), output=of(0.5)), None),
        ("ADD", roles(lhs=of(), rhs=of(0.25), output=of(0.5)), None),
        ("ADD", roles(lhs=of(0.5), rhs=of(inf), output=of(0.5)), None),
        ("ADD", roles(lhs=of(0.5, 0, "float32"), rhs=of(0.25), output=of(0.5)), None),
        ("ADD", roles(lhs=of(0.5), rhs=of(0.25), output=of()), None),
        ("ADD", roles(lhs=of(0.5), rhs=of(0.25), output=of(0.0)), None),
        ("ADD", roles(lhs=of(0.5), rhs=[], output=of(0.5)), None),
        ("ADD", roles(lhs=of(0.5), output=of(0.5)), None),
        ("ADD", roles(lhs=of(0.5), rhs=of(0.25)), None),
    ],
)
def test_reach_of_two_operands(opcode: str, given: dict[str, list[Known]], steps: float | None) -> None:
    assert reach(opcode, given) == steps


@pytest.mark.parametrize(
    ("opcode", "weight", "most"),
    [
        ("CONV_2D", of(shape=(5, 3, 2, 4)), 24 * 128),
        ("DEPTHWISE_CONV_2D", of(shape=(1, 3, 2, 4)), 6 * 128),
        ("FULLY_CONNECTED", of(shape=(5, 7)), 7 * 128),
        ("CONV_2D", of(shape=(5, 3, 2, 4), points=3), 24 * 131),
        ("CONV_2D", of(shape=(5, 3, 2, 4), points=-3), 24 * 130),
        ("CONV_2D", of(dtype="uint8", shape=(5, 3, 2, 4), points=100), 24 * 155),
        ("CONV_2D", of(dtype="int4", shape=(5, 3, 2, 4)), 24 * 8),
        ("CONV_2D", of(dtype="int16", shape=(5, 3, 2, 4)), None),
        ("CONV_2D", of(shape=()), None),
        ("CONV_2D", of(shape=(5, 0)), None),
    ],
)
def test_sum_of_weights(opcode: str, weight: Known, most: float | None) -> None:
    assert weight_sum(opcode, roles(weight=weight)) == most


def test_an_absent_tensor_has_no_ceiling() -> None:
    for given in ({}, roles(weight=[], bias=[])):
        assert weight_sum("CONV_2D", given) is None
        assert largest_bias("CONV_2D", given) is None


@pytest.mark.parametrize(
    ("dtype", "most"), [("int32", 2.0**31), ("int16", 32768.0), ("uint8", 255.0), ("float32", None)]
)
def test_largest_bias(dtype: str, most: float | None) -> None:
    assert largest_bias("CONV_2D", roles(bias=of(dtype=dtype))) == most


def test_names() -> None:
    assert dict(ESTIMATES) == {"scale_ratio": scale_ratio, "reach": reach}
    assert dict(CEILINGS) == {
        "weight_sum": weight_sum, "weight_sum_8bit_input": weight_sum, "bias.largest": largest_bias,
    }  # fmt: skip
