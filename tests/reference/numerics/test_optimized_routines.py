"""exp and log in double precision, rounded once: outputs of glibc 2.36, some of them not correctly rounded."""

from __future__ import annotations

import math

import numpy as np
import pytest

from litecheck.reference.numerics import optimized_routines as routines

#: x, the output of glibc 2.36, and the units of the last place by which the nearest float32 is larger.
LOG = [
    ("0x1.47491ap+31", "0x1.5bbb42p+4", 1), ("0x1.12b452p+33", "0x1.6f1c2ap+4", -1),
    ("0x1.45ea0ep-21", "-0x1.ca117cp+3", -1), ("0x1.04cd7ap+0", "0x1.308584p-6", -1),
    ("0x1.f3922cp-1", "-0x1.92a2b6p-6", 1), ("0x1.35ec94p+0", "0x1.8779b2p-3", 1),
    ("0x1.91d434p+23", "0x1.064ab0p+4", 0), ("0x1.31eee2p+1", "0x1.be1fcap-1", 0),
]  # fmt: skip
EXP = [
    ("0x1.333a70p+4", "0x1.a088f6p+27", 1), ("-0x1.1487d6p+5", "0x1.1865eap-50", -1),
    ("-0x1.076bc8p+0", "0x1.6df1f4p-2", 1), ("-0x1.8551c4p+0", "0x1.bf92bep-3", -1),
    ("-0x1.19bf2ap+1", "0x1.c5546cp-4", -1), ("0x1.7df584p+0", "0x1.1c8cecp+2", -1),
    ("-0x1.77390cp+6", "0x1.967800p-136", 0), ("0x1.5f1368p-1", "0x1.fc32dap+0", 0),
]  # fmt: skip


@pytest.mark.parametrize(
    ("single", "real", "known"),
    [(routines.log, math.log, LOG), (routines.exp, math.exp, EXP)],
    ids=["log", "exp"],
)
def test_results_of_the_library(single, real, known):
    x = np.float32([float.fromhex(at) for at, _, _ in known])
    nearest = np.float32([real(float(v)) for v in x])
    found = single(x)
    assert [v.hex() for v in found.tolist()] == [float.fromhex(v).hex() for _, v, _ in known]
    assert (nearest.view(np.int32) - found.view(np.int32)).tolist() == [off for _, _, off in known]


def test_errors_are_within_a_unit():
    rng = np.random.default_rng(1)
    x = np.exp(rng.uniform(-103, 88, 100_000)).astype(np.float32)
    true = np.log(x.astype(np.float64))
    assert (np.abs(routines.log(x) - true) <= 0.9 * np.spacing(np.abs(true).astype(np.float32))).all()
    x = rng.uniform(-103, 88, 100_000).astype(np.float32)
    true = np.exp(x.astype(np.float64))
    assert (np.abs(routines.exp(x) - true) <= 0.9 * np.spacing(true.astype(np.float32))).all()


def test_ends():
    x = np.float32([0, -1, np.inf, np.nan, 1, 1e-45])
    assert np.array_equal(
        routines.log(x), np.float32([-np.inf, np.nan, np.inf, np.nan, 0, -103.27893]), equal_nan=True
    )
    x = np.float32([0, -np.inf, np.inf, np.nan, 89, -104.5, 1e30, -1e30])
    wanted = np.float32([1, 0, np.inf, np.nan, np.inf, 0, np.inf, 0])
    assert np.array_equal(routines.exp(x), wanted, equal_nan=True)
