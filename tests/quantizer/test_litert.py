from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from litecheck.quantization import INTEGER_RANGES
from litecheck.quantizer import litert
from litecheck.quantizer.semantics import semantics
from litecheck.quantizer.types import Parameters, QuantizerError

TYPES = tuple(litert.STORAGE)
SMALL = tuple(dtype for dtype in TYPES if dtype != "int32")


def per_tensor(scale: float | np.float32, zero: int = 0) -> Parameters:
    return Parameters(np.array([scale], np.float32), np.array([zero], np.int64))


def floats(*values: float) -> NDArray[np.float32]:
    return np.array(values, np.float32)


def exactly(x: NDArray[np.float32], scale: np.float32, zero: int, dtype: str) -> list[int]:
    """Return the definition with exact arithmetic after the float32 division."""
    low, high = INTEGER_RANGES[dtype]
    made = []
    with np.errstate(all="ignore"):
        quotients = x / scale
    for quotient in quotients.tolist():
        if np.isinf(quotient):
            made.append(high if quotient > 0 else low)
            continue
        exact = abs(Fraction(quotient)) + Fraction(1, 2)
        rounded = exact.numerator // exact.denominator
        made.append(min(max((rounded if quotient >= 0 else -rounded) + zero, low), high))
    return made


@st.composite
def grids(draw: st.DrawFn, types: tuple[str, ...] = TYPES) -> tuple[np.float32, int, str]:
    """Draw a scale, a zero point and a type that holds the zero point."""
    dtype = draw(st.sampled_from(types))
    low, high = INTEGER_RANGES[dtype]
    scale = draw(
        st.one_of(
            st.floats(2.0**-20, 2.0**10, width=32),
            st.integers(-30, 10).map(lambda n: 2.0**n),
            st.floats(2.0**-149, 2.0**127, width=32, allow_subnormal=True),
        )
    )
    return np.float32(scale), draw(st.integers(low, high)), dtype


@pytest.mark.parametrize(
    ("x", "scale", "zero", "dtype", "expected"),
    [
        ([0.5, -0.5, 1.5, -1.5, 2.5, -2.5], 1, 0, "int8", [1, -1, 2, -2, 3, -3]),
        ([0.49999997, -0.49999997, 1.4999999, 8388607.5], 1, 0, "int8", [0, 0, 1, 127]),
        ([126.5, 127.5, 1e30, -128.5, -129], 1, 0, "int8", [127, 127, 127, -128, -128]),
        ([0.0, -0.0, 0.5, -0.5], 1, -128, "int8", [-128, -128, -127, -128]),
        ([0.25, -0.25, 63.5], 0.5, 128, "uint8", [129, 127, 255]),
        ([32767.5, -32768.5, 0.5], 1, 0, "int16", [32767, -32768, 1]),
        ([65534.5, -1, 0.5], 1, 0, "uint16", [65535, 0, 1]),
        ([7.5, -8.5, 2.5], 1, 0, "int4", [7, -8, 3]),
        ([15.5, -1, 2.5], 1, 3, "uint4", [15, 2, 6]),
        ([1.5, -2.5, 0.5], 1, 0, "int2", [1, -2, 1]),
        (
            [2147483520, 2.0**31, -(2.0**31), 16777215],
            1,
            0,
            "int32",
            [2147483520, 2**31 - 1, -(2**31), 16777215],
        ),
        ([2147483520, -(2.0**31)], 1, -(2**31), "int32", [-128, -(2**31)]),
        ([8388607.5, -8388607.5, 4194303.75], 1, 0, "int32", [8388608, -8388608, 4194304]),
    ],
)
def test_values_and_their_integers(
    x: list[float], scale: float, zero: int, dtype: str, expected: list[int]
) -> None:
    made = litert.quantize(floats(*x), per_tensor(scale, zero), dtype)
    assert made.dtype == litert.STORAGE[dtype]
    assert made.tolist() == expected


@pytest.mark.parametrize("dtype", TYPES)
def test_values_undefined_in_cpp_are_defined_here(dtype: str) -> None:
    low, high = INTEGER_RANGES[dtype]
    zero = 1
    x = floats(np.nan, np.inf, -np.inf, 3e38, -3e38, 1e-45, -1e-45, 1e-39)
    for scale in (1.0, 1e-38, 1e38):
        made = litert.quantize(x, per_tensor(scale, zero), dtype).tolist()
        assert made[:3] == [zero, high, low]
    assert litert.quantize(x, per_tensor(1e-38, zero), dtype).tolist() == [
        zero,
        high,
        low,
        high,
        low,
        1,
        1,
        1,
    ]
    assert litert.quantize(x[-3:], per_tensor(1e-45, zero), "int8").tolist() == [2, 0, 127]


@pytest.mark.parametrize("nan", [0x7FC00000, 0xFFC00000 - (1 << 32), 0x7F800001])
def test_a_nan_in_a_tile_changes_a_single_element(nan: int) -> None:
    x = np.linspace(-100, 100, 301, dtype=np.float32)
    clean = litert.quantize(x, per_tensor(0.5, 7))
    for at in (0, 1, 150, 300):
        spoiled = x.copy()
        spoiled.view(np.int32)[at] = nan
        made = litert.quantize(spoiled, per_tensor(0.5, 7))
        assert made[at] == 7
        np.testing.assert_array_equal(np.delete(made, at), np.delete(clean, at))


@given(grids(), st.lists(st.floats(width=32, allow_nan=False), min_size=1, max_size=40))
def test_quantize_equals_its_definition(grid: tuple[np.float32, int, str], values: list[float]) -> None:
    scale, zero, dtype = grid
    made = litert.quantize(floats(*values), per_tensor(scale, zero), dtype)
    assert made.tolist() == exactly(floats(*values), scale, zero, dtype)


@given(grids(SMALL), st.randoms(use_true_random=False))
def test_ties_and_their_neighbours(grid: tuple[np.float32, int, str], random: Any) -> None:
    scale, zero, dtype = grid
    low, high = INTEGER_RANGES[dtype]
    steps = [random.randint(low - zero - 2, high - zero + 1) + 0.5 for _ in range(12)]
    with np.errstate(all="ignore"):
        tie = (np.array(steps) * np.float64(scale)).astype(np.float32)
    tie = tie[np.isfinite(tie)]
    x = np.concatenate([np.nextafter(tie, np.float32(-np.inf)), tie, np.nextafter(tie, np.float32(np.inf))])
    assert litert.quantize(x, per_tensor(scale, zero), dtype).tolist() == exactly(x, scale, zero, dtype)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16"])
@pytest.mark.parametrize("scale", [1.0, 0.0235294122, 1 / 3, 2.0**-7])
def test_every_tie_and_its_neighbours(dtype: str, scale: float) -> None:
    low, high = INTEGER_RANGES[dtype]
    stated = np.float32(scale)
    for zero in (0, low, high, 3):
        tie = ((np.arange(low - zero - 1, high - zero + 1) + 0.5) * np.float64(stated)).astype(np.float32)
        for x in (np.nextafter(tie, np.float32(-np.inf)), tie, np.nextafter(tie, np.float32(np.inf))):
            quotient = (x / stated).astype(np.float64)
            expected = (np.trunc(quotient + np.copysign(0.5, quotient)) + zero).clip(low, high)
            np.testing.assert_array_equal(litert.quantize(x, per_tensor(stated, zero), dtype), expected)


@given(grids(), st.data())
def test_dequantize_of_quantize_is_within_half_a_step(
    grid: tuple[np.float32, int, str], data: st.DataObject
) -> None:
    scale, zero, dtype = grid
    low, high = INTEGER_RANGES[dtype]
    step = data.draw(st.floats(low - zero, high - zero))
    with np.errstate(all="ignore"):
        x = np.array([step * float(scale)], np.float32)
    if not np.isfinite(x).all():
        return
    parameters = per_tensor(scale, zero)
    back = litert.products(litert.quantize(x, parameters, dtype), parameters)
    slack = 2.0**-23 * max(abs(float(x[0])), float(scale)) + 2.0**-149
    if np.isfinite(back).all():
        assert abs(float(back[0]) - float(x[0])) <= float(scale) / 2 + slack


@given(grids(), st.lists(st.floats(width=32, allow_nan=False), min_size=2, max_size=40))
def test_quantize_is_monotone(grid: tuple[np.float32, int, str], values: list[float]) -> None:
    scale, zero, dtype = grid
    made = litert.quantize(np.sort(floats(*values)), per_tensor(scale, zero), dtype).astype(np.int64)
    assert (np.diff(made) >= 0).all()


@given(grids())
def test_zero_is_exact(grid: tuple[np.float32, int, str]) -> None:
    scale, zero, dtype = grid
    made = litert.quantize(floats(0, -0.0), per_tensor(scale, zero), dtype)
    assert made.tolist() == [zero, zero]
    if dtype in ("int8", "uint8", "int16", "uint16", "int32"):
        assert litert.products(made, per_tensor(scale, zero)).tolist() == [0, 0]


@given(grids())
def test_both_ends_saturate(grid: tuple[np.float32, int, str]) -> None:
    scale, zero, dtype = grid
    low, high = INTEGER_RANGES[dtype]
    made = litert.quantize(floats(-np.inf, np.inf), per_tensor(scale, zero), dtype)
    assert made.tolist() == [low, high]
    for end in (low, high):
        with np.errstate(over="ignore"):
            beyond = np.float32(float(scale) * (end - zero) * 2)
        if abs(end - zero) > 1 and np.isfinite(beyond):
            assert litert.quantize(floats(beyond), per_tensor(scale, zero), dtype).tolist() == [end]


def drawn(shape: tuple[int, ...], seed: int = 0) -> NDArray[np.float32]:
    return np.random.default_rng(seed).normal(0, 20, shape).astype(np.float32)


def per_axis(shape: tuple[int, ...], axis: int, dtype: str = "int8") -> Parameters:
    random = np.random.default_rng(shape[axis])
    low, high = INTEGER_RANGES[dtype]
    scale = random.uniform(0.05, 0.5, shape[axis]).astype(np.float32)
    return Parameters(scale, random.integers(low, min(high, 1 << 20), shape[axis]), axis)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize(
    ("shape", "axis"),
    [((7,), 0), ((5, 3), 0), ((5, 3), 1), ((4, 3, 6), 1), ((4, 3, 6), -1), ((2, 3, 4, 5), -3), ((1, 1), 0)],
)  # fmt: skip
def test_per_axis_is_per_tensor_slice_by_slice(shape: tuple[int, ...], axis: int, dtype: str) -> None:
    x, parameters = drawn(shape), per_axis(shape, axis, dtype)
    assert parameters.zero_point is not None
    made = litert.quantize(x, parameters, dtype)
    back = litert.dequantize(made, replace(parameters, zero_point=None))
    slices = zip(parameters.scale, parameters.zero_point, strict=True)
    for i, (scale, zero) in enumerate(slices):
        one = np.take(x, i, axis)
        np.testing.assert_array_equal(
            np.take(made, i, axis), litert.quantize(one, per_tensor(scale, int(zero)), dtype)
        )
        np.testing.assert_array_equal(
            np.take(back, i, axis), litert.dequantize(np.take(made, i, axis), per_tensor(scale))
        )


@pytest.mark.parametrize("zeros", [False, True])
@pytest.mark.parametrize(
    ("shape", "axis", "size"),
    [((6,), 0, 2), ((7,), 0, 3), ((4, 6), 1, 3), ((5, 6), 0, 2), ((3, 5, 4), 1, 2), ((3, 5), -1, 8), ((3, 5), -1, 1)],
)  # fmt: skip
def test_blocks_equal_their_elements_quantized_alone(
    shape: tuple[int, ...], axis: int, size: int, zeros: bool
) -> None:
    x, random = drawn(shape), np.random.default_rng(1)
    blocks = list(shape)
    blocks[axis] = -(-shape[axis] // size)
    scale = random.uniform(0.05, 0.5, blocks).astype(np.float32)
    zero = random.integers(-8, 8, blocks) if zeros else None
    parameters = Parameters(scale, zero, axis, size)
    made = litert.quantize(x, parameters, "int4")
    back = litert.dequantize(made, parameters)
    for index in np.ndindex(*shape):
        block = list(index)
        block[axis] //= size
        one = per_tensor(scale[tuple(block)], int(zero[tuple(block)]) if zero is not None else 0)
        assert made[index] == litert.quantize(x[index].reshape(1), one, "int4")
        assert back[index] == litert.dequantize(made[index].reshape(1), one)


def test_one_zero_point_serves_all_scales() -> None:
    x, parameters = drawn((4, 3)), Parameters(floats(0.1, 0.2, 0.3), np.array([5]), 1)
    same = replace(parameters, zero_point=np.array([5, 5, 5]))
    np.testing.assert_array_equal(litert.quantize(x, parameters), litert.quantize(x, same))


def test_arrays_of_any_layout_and_size_give_the_same() -> None:
    x = drawn((300, 1000))
    parameters = per_axis(x.shape, 1)
    made = litert.quantize(x, parameters)
    np.testing.assert_array_equal(made, litert.quantize(np.asfortranarray(x), parameters))
    np.testing.assert_array_equal(made, litert.quantize(x.astype(">f4"), parameters))
    np.testing.assert_array_equal(
        made[::2, ::-1], litert.quantize(x[::2, ::-1], per_axis_reversed(parameters))
    )
    assert litert.quantize(x[:0], parameters).shape == (0, 1000)
    assert litert.quantize(np.array(2.5, np.float32), per_tensor(1)).tolist() == 3


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32"])
@pytest.mark.parametrize(("axis", "size"), [(None, 0), (0, 0), (1, 0), (1, 32), (1, 100)])
def test_large_arrays_are_worked_on_in_tiles(dtype: str, axis: int | None, size: int) -> None:
    x = np.zeros((2048, 2048), np.float32)
    shape = [(1,), (2048,), (2048, -(-2048 // size) if size else 0)][(axis is not None) + (size > 0)]
    parameters = Parameters(np.full(shape, 0.5, np.float32), None, axis, size)
    made, extra = traced(lambda: litert.quantize(x, parameters, dtype))
    back, more = traced(lambda: litert.dequantize(made, parameters))
    assert max(extra, more) < 12 << 20  # a copy as float32 would be 16 MB
    assert not made.any()
    assert not back.any()


def traced(work: Callable[[], NDArray[Any]]) -> tuple[NDArray[Any], int]:
    """Return an output, and the peak of allocated bytes beyond the output's size."""
    tracemalloc.start()
    made = work()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return made, peak - made.nbytes


def per_axis_reversed(parameters: Parameters) -> Parameters:
    assert parameters.zero_point is not None
    return Parameters(parameters.scale[::-1], parameters.zero_point[::-1], parameters.axis)


def test_float16_counts_as_its_float32_value() -> None:
    every = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    for scale in (1.0, 0.1, 2.0**-10):
        parameters = per_tensor(scale, 3)
        expected = litert.quantize(every.astype(np.float32), parameters)
        np.testing.assert_array_equal(litert.quantize(every, parameters), expected)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16"])
def test_dequantize_is_the_float32_nearest_to_the_product(dtype: str) -> None:
    low, high = INTEGER_RANGES[dtype]
    q = np.arange(low, high + 1).astype(dtype)
    for scale in (1.0, 0.1, 1e-44, 3.4e37, 1.17e-38, 2 / 3):
        for zero in (0, low, high, 1):
            with np.errstate(over="ignore"):
                exact = (np.float64(np.float32(scale)) * (q.astype(np.int64) - zero)).astype(np.float32)
            made = litert.products(q, per_tensor(scale, zero))
            np.testing.assert_array_equal(made.view(np.int32), (exact + np.float32(0)).view(np.int32))


def test_int32_is_dequantized_in_double_precision() -> None:
    q = np.array([-(2**31), 2**31 - 1, 16777217, 0], np.int32)
    for parameters in (per_tensor(0.1, 5), Parameters(np.full(4, 0.1, np.float32), np.full(4, 5), 0)):
        exact = (np.float64(np.float32(0.1)) * (q.astype(np.int64) - 5)).astype(np.float32)
        np.testing.assert_array_equal(litert.dequantize(q, parameters), exact)


@pytest.mark.parametrize(
    ("argument", "call"),
    [
        ("x", lambda: litert.quantize(np.zeros(3), per_tensor(1))),
        ("x", lambda: litert.quantize(np.zeros(3, np.int8), per_tensor(1))),
        ("dtype", lambda: litert.quantize(floats(1), per_tensor(1), "int64")),
        ("dtype", lambda: litert.quantize(floats(1), per_tensor(1), "uint2")),
        ("scale", lambda: litert.quantize(floats(1), per_tensor(0))),
        ("scale", lambda: litert.quantize(floats(1), per_tensor(-1))),
        ("scale", lambda: litert.quantize(floats(1), per_tensor(np.nan))),
        ("scale", lambda: litert.quantize(floats(1), per_tensor(np.inf))),
        ("scale", lambda: litert.quantize(floats(1), Parameters(np.array([1])))),
        ("scale", lambda: litert.quantize(floats(1), Parameters(np.array([1e-60])))),
        ("scale", lambda: litert.quantize(floats(1, 2), Parameters(floats(1, 2)))),
        ("scale", lambda: litert.quantize(drawn((2, 3)), Parameters(floats(1, 2), None, 1))),
        ("scale", lambda: litert.quantize(drawn((2, 3)), Parameters(floats(1), None, 1))),
        ("scale", lambda: litert.quantize(drawn((2, 3)), Parameters(np.ones((2, 1), np.float32), None, 1, 2))),
        ("block_size", lambda: litert.quantize(drawn((2, 3)), Parameters(floats(1, 1, 1), None, 1, -1))),
        ("axis", lambda: litert.quantize(drawn((2, 3)), Parameters(floats(1, 1), None, 2))),
        ("axis", lambda: litert.quantize(drawn((2, 3)), Parameters(floats(1, 1), None, -3))),
        ("zero_point", lambda: litert.quantize(floats(1), per_tensor(1, 128))),
        ("zero_point", lambda: litert.quantize(floats(1), per_tensor(1, -1), "uint8")),
        ("zero_point", lambda: litert.quantize(floats(1), Parameters(floats(1), floats(0)))),
        ("zero_point", lambda: litert.quantize(drawn((3,)), Parameters(floats(1, 1, 1), np.array([0, 0]), 0))),
        ("dtype", lambda: litert.dequantize(np.zeros(3, np.int64), per_tensor(1))),
        ("dtype", lambda: litert.dequantize(np.zeros(3, np.int8), per_tensor(1), "float16")),
    ],
)  # fmt: skip
def test_invalid_arguments_are_rejected(argument: str, call: Any) -> None:
    with pytest.raises(QuantizerError) as refused:
        call()
    assert refused.value.semantics == "litert"
    assert refused.value.argument == argument


def test_the_function_is_the_semantics_of_its_name() -> None:
    chosen = semantics("litert")
    assert chosen.name == "litert"
    assert chosen.quantize(floats(0.5), per_tensor(1)).tolist() == [1]
    assert chosen.dequantize(np.array([4], np.int8), per_tensor(0.5)).tolist() == [2]
