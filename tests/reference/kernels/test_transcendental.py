"""LOGISTIC, TANH, EXP, LOG, ELU, GELU near the real functions, and their fixed-point variants near the tables."""

from __future__ import annotations

import math

import numpy as np
import pytest

from litecheck.flatbuffer.table import Table
from litecheck.model.build import qparams
from litecheck.quantization import Quantization
from litecheck.reference.kernels import transcendental
from litecheck.reference.runtime_tensors import Operand, OutputSpec

ALL = {"int8": np.arange(-128, 128).astype(np.int8), "uint8": np.arange(256).astype(np.uint8)}
WORDS = np.arange(-32768, 32768).astype(np.int16)
TABLE = {"table": "float32", "round": "half-away"}
FDLIBM = {"functions": "fdlibm"}
ARM = {"functions": "arm"}
FIXED = {"table": "fixed-point", "round": "half-away"}


def value(dtype, scale, zero=0):
    return Operand(ALL.get(dtype, WORDS), dtype, Quantization(np.float32([scale]), np.int64([zero])))


def result(dtype, scale, zero=0):
    return OutputSpec(dtype, (), Quantization(np.float32([scale]), np.int64([zero])))


def real(v):
    return float(v.scale) * (v.data.astype(float) - v.zero_point)


def off(found, out, function, v):
    """Return the largest distance from the real function in steps of the output, with the function clipped to the type."""
    kind = np.iinfo(found.dtype)
    steps = np.array([function(x) for x in real(v)]) / float(out.scale) + out.zero_point
    return np.abs(found - np.clip(steps, kind.min, kind.max)).max()


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


@pytest.mark.parametrize("variants", [TABLE, FIXED])
@pytest.mark.parametrize(("dtype", "zero"), [("int8", -128), ("uint8", 0)])
def test_logistic_is_the_nearest(variants, dtype, zero):
    v, out = value(dtype, 0.05, 3), result(dtype, 1 / 256, zero)
    assert off(transcendental.logistic_int8(v, out, variants), out, sigmoid, v) <= 0.5001


@pytest.mark.parametrize("variants", [TABLE, FIXED])
def test_tanh_is_the_nearest(variants):
    v, out = value("int8", 0.03, -5), result("int8", 1 / 128)
    assert off(transcendental.tanh_int8(v, out, variants), out, math.tanh, v) <= 0.5001


def test_fixed_point_saturates_beyond_15():
    v, out = value("int8", 1.0), result("int8", 1 / 256, -128)
    found = transcendental.logistic_int8(v, out, FIXED)
    assert set(found[:113]) == {-128}
    assert set(found[144:]) == {127}


@pytest.mark.parametrize("variant", ["table", "fixed-point"])
@pytest.mark.parametrize("scale", [2.0**-12, 2.0**-11, 1e-3])
def test_16_bit_curves(variant, scale):
    v, out = value("int16", scale), result("int16", 1 / 32768)
    variants = {"power_of_two": variant}
    assert off(transcendental.logistic_int16(v, out, variants), out, sigmoid, v) < 16
    assert off(transcendental.tanh_int16(v, out, variants), out, math.tanh, v) < 32


def test_the_sigmoid_table_rises_to_its_end():
    table = transcendental._sigmoid_table()
    assert table[[0, 1, 4, 255]].tolist() == [32768, 33451, 35493, 65535]
    assert (np.diff(table) >= 0).all()


@pytest.mark.parametrize(("dtype", "within"), [("int8", 0.5001), ("int16", 5.5)])
def test_exp(dtype, within):
    """The 513 entries of a 16-bit table span 65,535 values instead of 65,536: an error of 3.6 steps at the end."""
    most = ALL.get(dtype, WORDS)[-1]
    v, out = value(dtype, 4 / most), result(dtype, 60 / most)
    assert off(transcendental.exp(v, out, ARM), out, math.exp, v) < within


def test_log_of_0_is_the_smallest_value():
    v, out = value("int8", 0.1, -20), result("int8", 0.05, 7)
    found = transcendental.log(v, out, ARM)
    assert set(found[: 128 - 20 + 1]) == {-128}
    assert found[128 - 20 + 10] == 7


def test_elu_of_tflm():
    """exp(x) - 1 and expm1(x) round -78 on different sides of a tie; TFLM outputs -7. Floats use expm1."""
    v, out = value("int8", 0.004078, 63), result("int8", 0.006292, 63)
    tables = [
        transcendental.elu(v, out, {"round": "half-away", "functions": functions})
        for functions in ("exp-less-1", "fdlibm")
    ]
    [at] = np.flatnonzero(tables[0] != tables[1])
    assert (ALL["int8"][at], tables[0][at], tables[1][at]) == (-78, -7, -6)
    small = Operand(np.float32([-1e-4]), "float32")
    found = transcendental.elu(
        small, OutputSpec("float32", ()), {"round": "half-away", "functions": "exp-less-1"}
    )
    assert found.tolist() == [np.float32(math.expm1(small.data[0]))]


def test_elu_and_gelu():
    v, out = value("int8", 0.05), result("int8", 0.05)
    assert (
        off(
            transcendental.elu(v, out, {"round": "half-away", "functions": "fdlibm"}),
            out,
            lambda x: x if x > 0 else math.expm1(x),
            v,
        )
        <= 0.5001
    )
    exact, tanh = Table("GeluOptions", {}), Table("GeluOptions", {"approximate": True})
    found = transcendental.gelu(v, out, exact, FDLIBM)
    assert off(found, out, lambda x: x / 2 * math.erfc(-x / math.sqrt(2)), v) <= 0.5001
    assert (transcendental.gelu(v, out, tanh, FDLIBM) != found).sum() < 8


def test_floats_are_rounded_once():
    x = np.linspace(-8, 8, 1001).astype(np.float32)
    v, out = Operand(x, "float32"), OutputSpec("float32", ())
    assert (transcendental.tanh(v, out) == np.tanh(x.astype(float)).astype(np.float32)).all()
    assert transcendental.logistic(Operand(np.float32([-100, 20]), "float32"), out).tolist() == [
        np.float32(math.exp(-100)),
        1,
    ]


def test_gelu_of_int16_is_near_the_real_function():
    x = np.arange(-32768, 32768, 97).astype(np.int16)
    v = Operand(x, "int16", qparams(2.0**-12))
    out = OutputSpec("int16", (), qparams(2.0**-12))
    real = np.array([a / 2 * math.erfc(-a / math.sqrt(2)) for a in x * 2.0**-12])
    assert np.abs(transcendental.gelu(v, out, None, FDLIBM) * 2.0**-12 - real).max() < 2.0**-11


def test_the_c_library_decides_about_an_entry():
    """At these scales an entry of a 16-bit table is between the two libraries' outputs."""
    x = np.arange(-32768, 32768).astype(np.int16)
    apart = []
    for scale in np.geomspace(1e-5, 1e-3, 60):
        v, out = Operand(x, "int16", qparams(scale)), OutputSpec("int16", (), qparams(0.7 * scale))
        found = [transcendental.gelu(v, out, None, {"functions": one}) for one in ("fdlibm", "rounded")]
        apart.append(np.abs(found[0].astype(int) - found[1]).max())
    assert 0 < np.count_nonzero(apart) < 12
    assert max(apart) == 1


@pytest.mark.parametrize(
    ("scale", "shifts", "expected"),
    [
        (2.0**-13, 4, False),
        (2.0**-12, 4, True),
        (2.0**-9, 4, True),
        (2.0**-8, 4, False),
        (2.0**-12 * 1.0006, 4, True),
        (2.0**-12 * 1.0008, 4, False),
    ],
)
def test_scales_that_are_powers_of_two(scale: float, shifts: int, expected: bool) -> None:
    """The tolerance is 0.001 of the logarithm: a factor of 1.00069."""
    assert transcendental._is_power(np.float32(scale), shifts) is expected
