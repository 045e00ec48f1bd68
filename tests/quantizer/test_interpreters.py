"""Devices that equal a LiteRT interpreter: the name of the interpreter, and deviations from it."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.quantizer.comparison_result import Comparison
from litecheck.quantizer.litert_resolvers import RESOLVERS
from litecheck.quantizer.semantics import semantics
from litecheck.quantizer.tensor_comparison import compare
from litecheck.quantizer.types import Parameters, QuantizerError

SCALE = np.float32(0.125)
#: 1,003 values. The last three are ties outside every vector of eight.
REAL = np.concatenate([(np.arange(1000) % 509 - 254) / 2, [0.5, 2.5, 4.5]]).astype(np.float32) * SCALE
PARAMETERS = Parameters(np.array([SCALE]), np.array([3]))


def named(comparison: Comparison) -> list[str]:
    return [cause.name for cause in comparison.causes if cause.exact]


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
@pytest.mark.parametrize("expected", ["litert", *(f"litert:{name}" for name in RESOLVERS)])
def test_a_device_equal_to_a_resolver_is_named_as_the_resolver(expected: str, dtype: str) -> None:
    for name in RESOLVERS:
        actual = semantics(f"litert:{name}").quantize(REAL, PARAMETERS, dtype)
        result = compare(REAL, actual, PARAMETERS, semantics=expected)
        same = name == expected.partition(":")[2] or (expected, name) == ("litert", "reference")
        assert result.exact == same
        if not same:
            assert result.causes[0].name == f"litert:{name}"
            assert f"expect it with --semantics litert:{name}" in result.causes[0].sentence


def test_a_device_unequal_to_every_resolver_is_not_named_as_a_resolver() -> None:
    actual = semantics("litert").quantize(REAL, PARAMETERS)
    actual[5] += 1
    for name in RESOLVERS:
        assert named(compare(REAL, actual, PARAMETERS, semantics=f"litert:{name}")) == []


@pytest.mark.parametrize("dtype", ["int8", "int16"])
@pytest.mark.parametrize("resolver", RESOLVERS)
def test_deviations_are_found_in_the_body_and_in_the_tail(resolver: str, dtype: str) -> None:
    name, other = f"litert:{resolver}", Parameters(PARAMETERS.scale, np.array([4]))
    result = compare(
        REAL, semantics(name).quantize(REAL, other, dtype), PARAMETERS, semantics=name, dtype=dtype
    )
    assert result.mismatches > 0
    assert named(result) == ["zero-point-plus-1"]
    narrow = Parameters(np.float32(np.float16([0.1003])), np.array([3]))
    given = Parameters(np.float32([0.1003]), np.array([3]))
    actual = semantics(name).quantize(REAL, narrow, dtype)
    assert "scale-float16" in named(compare(REAL, actual, given, semantics=name))


def test_per_axis_the_interpreters_agree() -> None:
    real = REAL[:1000].reshape(2, 500)
    parameters = Parameters(np.float32([0.125, 0.1]), np.array([3, -2]), 0)
    made = [semantics(f"litert:{name}").quantize(real, parameters) for name in RESOLVERS]
    assert (made[0] == made[1]).all()
    assert (made[0] == made[2]).all()
    assert (made[0] == semantics("litert").quantize(real, parameters)).all()


@pytest.mark.parametrize("dtype", ["int4", "uint4", "int8", "uint8"])
@pytest.mark.parametrize("resolver", RESOLVERS)
def test_real_values_of_integers_differ_in_whole_vectors(resolver: str, dtype: str) -> None:
    q = np.resize(np.arange(8), 35).astype("uint8" if dtype[0] == "u" else "int8")
    parameters = Parameters(np.float32([0.1]), np.array([3]))
    made = semantics(f"litert:{resolver}").dequantize(q, parameters, stored=dtype)
    exact = semantics("litert").dequantize(q, parameters, stored=dtype)
    assert (made[32:] == exact[32:]).all()
    split = resolver == "optimized" or (resolver == "xnnpack" and dtype.endswith("4"))
    assert (made != exact).any() == split


@pytest.mark.parametrize(
    ("name", "dtype", "parameters", "argument"),
    [
        ("reference", "uint16", PARAMETERS, "dtype"),
        ("optimized", "int32", PARAMETERS, "dtype"),
        ("xnnpack", "int4", Parameters(np.full(1003, SCALE), None, 0), "dtype"),
        ("optimized", "int8", Parameters(np.full(1003, SCALE), None, 0, 1), "block_size"),
        ("optimized", "int8", Parameters(np.float32([1e-40])), "scale"),
        ("xnnpack", "int8", Parameters(np.float32([1e-38])), "scale"),
        ("xnnpack", "int8", Parameters(np.float32([-1])), "scale"),
        ("xnnpack", "int8", Parameters(np.float32([1]), np.array([128])), "zero_point"),
        ("reference", "int8", Parameters(np.float32([1, 2])), "scale"),
    ],
)
def test_arguments_without_a_kernel_are_rejected(
    name: str, dtype: str, parameters: Parameters, argument: str
) -> None:
    with pytest.raises(QuantizerError) as refused:
        semantics(f"litert:{name}").quantize(REAL, parameters, dtype)
    assert (refused.value.semantics, refused.value.argument) == (f"litert:{name}", argument)


def test_scalars_empty_tensors_and_any_layout() -> None:
    for name in RESOLVERS:
        rule = semantics(f"litert:{name}")
        assert rule.quantize(np.float32(0.3125), PARAMETERS).shape == ()
        assert rule.quantize(REAL[:0], PARAMETERS).shape == (0,)
        turned = np.asfortranarray(REAL[:1001].reshape(7, 143))
        assert (rule.quantize(turned, PARAMETERS) == rule.quantize(turned.copy("C"), PARAMETERS)).all()
        q = rule.quantize(turned, PARAMETERS)
        assert (rule.dequantize(np.asfortranarray(q), PARAMETERS) == rule.dequantize(q, PARAMETERS)).all()


def test_values_undefined_in_c_follow_the_formula() -> None:
    x = np.tile(np.float32([np.nan, np.inf, -np.inf, 3e38]), 3)
    for name in RESOLVERS:
        assert semantics(f"litert:{name}").quantize(x, PARAMETERS).tolist() == [3, 127, -128, 127] * 3
