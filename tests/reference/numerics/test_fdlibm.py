"""erfc, expm1 and tanh in single precision: outputs of glibc 2.36, most of them not correctly rounded."""

from __future__ import annotations

import math

import numpy as np
import pytest

from litecheck.reference.numerics import fdlibm

#: x, the output of glibc 2.36, and the units of the last place by which the nearest float32 is larger.
ERFC = [
    ("-0x1.15649ap+2", "0x1p+1", 0), ("-0x1.7ec8d4p+0", "0x1.f72d64p+0", 1), ("-0x1.24fe5ep+0", "0x1.e4fb70p+0", -1),
    ("-0x1.fc01c6p-2", "0x1.845e78p+0", -1), ("0x1.1f7118p-4", "0x1.d78608p-1", -1),
    ("0x1.45e92cp-1", "0x1.78d738p-2", 1), ("0x1.2142a4p+0", "0x1.c2c77cp-4", 1),
    ("0x1.c9f400p+0", "0x1.75e972p-7", 1), ("0x1.45a12ep+2", "0x1.5e6cb0p-41", 1),
]  # fmt: skip
EXPM1 = [
    ("-0x1.b176c2p+1", "-0x1.eeadf8p-1", -1), ("-0x1.1eae50p+0", "-0x1.58eb54p-1", -1),
    ("-0x1.b73698p-1", "-0x1.26df48p-1", -1), ("-0x1.1638c0p-2", "-0x1.e74174p-3", -1),
    ("0x1.0005e8p-4", "0x1.0831a0p-4", 1), ("0x1.7b5688p-1", "0x1.190a28p+0", 1),
    ("0x1.a3b516p+1", "0x1.98c5a0p+4", 1), ("0x1.8307d4p+4", "0x1.dd084cp+34", 1),
    ("0x1.561c76p+6", "0x1.4f9524p+123", 1),
]  # fmt: skip
TANH = [
    ("-0x1.55f74ap+0", "-0x1.bdc744p-1", -1), ("-0x1.e3bdfep-1", "-0x1.798fa2p-1", -1),
    ("-0x1.e583a0p-4", "-0x1.e340c6p-4", -1), ("0x1.a9fcf6p-3", "0x1.a3f2fcp-3", 1),
    ("0x1.7c70e8p-1", "0x1.43104ep-1", -1), ("0x1.9f3f0ep+0", "0x1.d98f5cp-1", 1), ("0x1.bc01a4p+2", "0x1.ffffc0p-1", 0),
]  # fmt: skip


@pytest.mark.parametrize(
    ("single", "real", "known"),
    [(fdlibm.erfc, math.erfc, ERFC), (fdlibm.expm1, math.expm1, EXPM1), (fdlibm.tanh, math.tanh, TANH)],
    ids=["erfc", "expm1", "tanh"],
)
def test_results_of_the_library(single, real, known):
    x = np.float32([float.fromhex(at) for at, _, _ in known])
    nearest = np.float32([real(float(v)) for v in x])
    found = single(x)
    assert [v.hex() for v in found.tolist()] == [float.fromhex(v).hex() for _, v, _ in known]
    assert (nearest.view(np.int32) - found.view(np.int32)).tolist() == [off for _, _, off in known]


@pytest.mark.parametrize(
    ("single", "real"), [(fdlibm.erfc, math.erfc), (fdlibm.expm1, math.expm1), (fdlibm.tanh, math.tanh)]
)
def test_errors_are_within_three_units(single, real):
    """The error is within 3 units over all exponents and both signs; a unit is the distance of float32 values there."""
    x = np.random.default_rng(1).integers(0, 2**32, 100_000, dtype=np.uint32).view(np.float32)
    x = np.append(x[np.abs(x) < 80], np.linspace(-20, 20, 40_001)).astype(np.float32)
    true = np.array([real(float(v)) for v in x])
    assert (np.abs(single(x) - true) <= 3.1 * np.spacing(np.abs(true).astype(np.float32))).all()


def test_ends():
    x = np.float32([-np.inf, np.inf, np.nan, 0.0, -0.0, 30, 1e30])
    assert fdlibm.erfc(x).tolist()[:2] == [2, 0]
    assert fdlibm.erfc(x).tolist()[3:] == [1, 1, 0, 0]
    assert fdlibm.expm1(x).tolist()[:2] == [-1, np.inf]
    assert np.isinf(fdlibm.expm1(np.float32([88.7229, 1e30]))).all()
    assert np.isfinite(fdlibm.expm1(np.float32([88.7227]))).all()
    assert fdlibm.tanh(x).tolist()[:2] == [-1, 1]
    assert np.signbit(fdlibm.tanh(x)[3:5]).tolist() == [False, True]
    for function in (fdlibm.erfc, fdlibm.expm1, fdlibm.tanh):
        assert np.isnan(function(x)[2])
