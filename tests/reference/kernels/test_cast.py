"""CAST: integers wrap, floats truncate and saturate."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.reference.kernels.quantize import cast
from litecheck.reference.runtime_tensors import Operand, OutputSpec, RunError


def made(x, target):
    return cast(Operand(x, x.dtype.name), OutputSpec(target, ())).tolist()


def test_integers_wrap():
    assert made(np.int32([300, -1, 127]), "int8") == [44, -1, 127]
    assert made(np.int8([-1]), "uint8") == [255]


def test_floats_truncate_and_saturate():
    x = np.float32([-1.9, 1.9, 1e10, -1e10, np.inf, -np.inf, np.nan])
    assert made(x, "int8") == [-1, 1, 127, -128, 127, -128, 127]
    assert made(x, "uint8") == [0, 1, 255, 0, 255, 0, 255]
    assert made(x, "int64")[2:] == [10**10, -(10**10), 2**63 - 1, -(2**63), 2**63 - 1]


def test_bool():
    assert made(np.float32([0, 0.5, -2]), "bool") == [False, True, True]
    assert made(np.array([True, False]), "float32") == [1, 0]


def test_a_type_without_numbers_is_named():
    with pytest.raises(RunError, match="string"):
        made(np.int8([1]), "string")
