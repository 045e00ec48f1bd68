"""oneDNN's DynamicQuantize and exact fractions: every type, both granularities, every rounding mode."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from litecheck.quantizer.onednn import OneDnn, dynamic_quantize
from litecheck.quantizer.rounding import ROUNDINGS
from litecheck.quantizer.types import Parameters, QuantizerError
from tests.quantizer import slow

F = np.float32
TYPES = {"s8": np.int8, "u8": np.uint8, "s32": np.int32}
RANGES = {"s8": (-128, 127), "u8": (0, 255)}

HALF = Fraction(1, 2)
MODES = {
    "half-even": round,
    "half-away": lambda v: math.floor(abs(v) + HALF) * (1 if v > 0 else -1),
    "half-up": lambda v: math.floor(v + HALF),
    "half-down": lambda v: math.ceil(v - HALF),
    "toward-zero": math.trunc,
    "floor": math.floor,
    "ceil": math.ceil,
}


def oracle(src, scale, zp, dst, rounding="half-even"):
    """Return one element: quotient and sum in float32, then rounded and saturated."""
    low, high = RANGES[dst]
    quotient = slow.divide(float(src), float(scale), "float32")
    if math.isfinite(quotient):
        total = Fraction(quotient) + Fraction(slow.to_format(float(zp), "float32"))
        near = slow.FORMATS["float32"].nearest(*abs(total).as_integer_ratio()) if total else 0.0
        quotient = math.copysign(near, total)
    if not math.isfinite(quotient):
        return high if quotient == math.inf else low
    return min(max(MODES[rounding](Fraction(quotient)), low), high)


def test_every_rounding_mode_has_its_oracle():
    assert set(MODES) == set(ROUNDINGS)


@pytest.mark.parametrize("rounding", MODES)
@pytest.mark.parametrize("zp_type", [None, *TYPES])
@pytest.mark.parametrize("dst", RANGES)
def test_every_tie_and_its_neighbours(dst, zp_type, rounding):
    low, high = RANGES[dst]
    zp = 0 if zp_type is None else {"s8": -7, "u8": 201, "s32": 12345}[zp_type]
    zps = None if zp_type is None else np.array([zp], TYPES[zp_type])
    for scale in (1.0, 0.25, 0.1):
        middle = ((np.arange(low - zp - 2, high - zp + 2) + 0.5) * np.float64(F(scale))).astype(F)
        src = np.concatenate([middle, np.nextafter(middle, F(np.inf)), np.nextafter(middle, F(-np.inf))])
        got = dynamic_quantize(src, np.array([scale], F), zps, dst=dst, rounding=rounding)
        assert got.dtype == TYPES[dst]
        assert got.tolist() == [oracle(v, F(scale), zp, dst, rounding) for v in src]


def test_the_modes_differ():
    """At ties, all rounding modes give different outputs (negative control)."""
    src = np.array([0.5, 1.5, -0.5, -1.5, 0.25, -0.25], F)
    results = {tuple(dynamic_quantize(src, np.ones(1, F), rounding=m).tolist()) for m in MODES}
    assert len(results) == len(MODES)


def test_zero_point_is_added_before_rounding():
    """ONNX's order, rounding first, gives a different value for an odd zero point (negative control)."""
    src, zps = np.array([0.5, 2.5], F), np.array([1], np.int8)
    assert dynamic_quantize(src, np.ones(1, F), zps).tolist() == [2, 4]
    assert (np.rint(src) + 1).tolist() == [1, 3]


@pytest.mark.parametrize("axis", [None, 0, 1, 2, -1, -2, -3])
@pytest.mark.parametrize("zp_type", [None, *TYPES])
@pytest.mark.parametrize("dst", RANGES)
def test_per_channel_is_per_tensor_slice_by_slice(dst, zp_type, axis):
    rng = np.random.default_rng(5)
    src = rng.normal(0, 10, (3, 4, 5)).astype(F)
    where = 1 if axis is None else axis
    length = src.shape[where]
    scales = rng.uniform(0.05, 0.3, length).astype(F)
    zps = None if zp_type is None else rng.integers(0, 100, length).astype(TYPES[zp_type])
    given_axis = {} if axis is None else {"axis": axis}
    got = dynamic_quantize(src, scales, zps, dst=dst, qtype="per_channel", **given_axis)
    for i in range(length):
        one = None if zps is None else zps[i : i + 1]
        assert np.array_equal(
            got.take(i, where), dynamic_quantize(src.take(i, where), scales[i : i + 1], one, dst=dst)
        )
    if axis is None:
        assert not np.array_equal(
            got, dynamic_quantize(src, scales[:1], None if zps is None else zps[:1], dst=dst)
        )


@settings(max_examples=300)
@given(
    bits=st.integers(0, 2**32 - 1),
    scale_bits=st.integers(0, 2**32 - 1),
    zp=st.integers(-(2**31), 2**31 - 1),
    dst=st.sampled_from(list(RANGES)),
)
def test_any_bit_pattern_is_defined_and_equals_the_oracle(bits, scale_bits, zp, dst):
    src, scale = (np.array([b], np.uint32).view(F) for b in (bits, scale_bits))
    if not (np.isfinite(scale) & (scale > 0)).all():
        with pytest.raises(QuantizerError, match="scales: got"):
            dynamic_quantize(src, scale, np.array([zp], np.int32), dst=dst)
        return
    got = dynamic_quantize(src, scale, np.array([zp], np.int32), dst=dst)
    assert got.tolist() == [oracle(src[0], scale[0], zp, dst)]


@settings(max_examples=100)
@given(
    src=st.lists(st.floats(width=32, allow_nan=False), min_size=2),
    rounding=st.sampled_from(list(MODES)),
    zp=st.integers(-128, 127),
)
def test_monotone_and_saturating(src, rounding, zp):
    values = np.array([-np.inf, *sorted(src), np.inf], F)
    got = dynamic_quantize(values, np.array([0.3], F), np.array([zp], np.int8), rounding=rounding)
    assert np.all(np.diff(got.astype(int)) >= 0)
    assert (got[0], got[-1]) == (-128, 127)


@pytest.mark.parametrize("zp", [-128, 0, 127])
def test_zero_is_exact(zp):
    parameters = Parameters(np.array([0.1], F), np.array([zp]))
    q = OneDnn().quantize(np.zeros(3, F), parameters)
    assert q.tolist() == [zp] * 3
    assert OneDnn().dequantize(q, parameters).tolist() == [0, 0, 0]


REFUSED = [
    ({"src": np.zeros((2, 3))}, "src"),
    ({"src": np.zeros((2, 3), np.float16)}, "src"),
    ({"scales": np.ones(1)}, "scales"),
    ({"scales": np.ones((), F)}, "scales"),
    ({"scales": np.ones(3, F)}, "scales"),
    ({"zps": np.zeros(1, np.int16)}, "zps"),
    ({"zps": np.zeros(1, np.int64)}, "zps"),
    ({"zps": np.zeros(3, np.int8)}, "zps"),
    ({"dst": "s16"}, "dst"),
    *(({"scales": np.array([v], F)}, "scales") for v in (0, -1, np.nan, np.inf)),
    ({"qtype": "per_block"}, "qtype"),
    ({"rounding": "random"}, "rounding"),
    ({"qtype": "per_channel"}, "scales"),
    ({"qtype": "per_channel", "axis": 0, "scales": np.ones(3, F)}, "scales"),
    ({"qtype": "per_channel", "axis": 2, "scales": np.ones(3, F)}, "axis"),
    ({"qtype": "per_channel", "axis": -3, "scales": np.ones(3, F)}, "axis"),
    ({"qtype": "per_channel", "scales": np.ones(3, F), "zps": np.zeros(1, np.int8)}, "zps"),
]


@pytest.mark.parametrize(("change", "argument"), REFUSED)
def test_refusals(change, argument):
    call = {"src": np.zeros((2, 3), F), "scales": np.ones(1, F), **change}
    with pytest.raises(QuantizerError) as caught:
        dynamic_quantize(**call)
    assert (caught.value.semantics, caught.value.argument) == ("onednn", argument)


def test_semantics():
    x = np.array([[-1.0, 0.5, 9.0], [2.0, 0.25, 80.0]], F)
    channels = Parameters(np.array([0.5, 0.25, 1.0], F), np.array([1, 2, 3], np.int64), axis=1)
    want = dynamic_quantize(x, channels.scale, np.array([1, 2, 3], np.int32), dst="u8", qtype="per_channel")
    assert np.array_equal(OneDnn().quantize(x, channels, "uint8"), want)
    assert OneDnn().dequantize(want, channels).tolist() == [[-0.5, 0.5, 9.0], [2.0, 0.25, 80.0]]
    up = OneDnn("half-up").quantize(np.array([2.5], F), Parameters(np.ones(1, F)))
    assert (up.tolist(), up.dtype) == ([3], np.int8)
    for parameters, argument in (
        (Parameters(np.ones((2, 1), F), axis=1, block_size=3), "block_size"),
        (Parameters(np.ones(1, F), np.array([0.5])), "zps"),
        (Parameters(np.ones(1, F), np.array([2**31])), "zps"),
    ):
        with pytest.raises(QuantizerError) as caught:
            OneDnn().quantize(x, parameters)
        assert caught.value.argument == argument
    with pytest.raises(QuantizerError, match="half-even"):
        OneDnn("random")
    for q, dtype, argument in ((want, "float16", "dtype"), (want.astype(np.int16), None, "q")):
        with pytest.raises(QuantizerError) as caught:
            OneDnn().dequantize(q, channels, dtype)
        assert caught.value.argument == argument


@pytest.mark.parametrize(
    ("parameters", "argument"),
    [
        (Parameters(np.ones(3, F), axis=2), "axis"),
        (Parameters(np.ones(3, F), axis=-3), "axis"),
        (Parameters(np.ones(2, F), axis=1), "scales"),
        (Parameters(np.ones(3, F), np.zeros(2, np.int8), axis=1), "zps"),
        (Parameters(np.array([0], F)), "scales"),
        (Parameters(np.array([-0.5], F)), "scales"),
        (Parameters(np.ones(1)), "scales"),
    ],
)
def test_invalid_arguments_of_the_inverse(parameters, argument):
    q = np.zeros((2, 3), np.int8)
    assert OneDnn().dequantize(q, Parameters(np.ones(3, F), axis=-1)).shape == (2, 3)
    with pytest.raises(QuantizerError) as caught:
        OneDnn().dequantize(q, parameters)
    assert (caught.value.semantics, caught.value.argument) == ("onednn", argument)
