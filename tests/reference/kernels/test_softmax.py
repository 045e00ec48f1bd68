"""SOFTMAX and LOG_SOFTMAX near the real functions in every arithmetic, and laws of all rows."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from litecheck.flatbuffer.table import Table
from litecheck.quantization import INTEGER_RANGES, Quantization
from litecheck.reference.kernels import softmax
from litecheck.reference.runtime_tensors import Operand, OutputSpec, RunError

RANDOM = np.random.default_rng(3)
ROWS = RANDOM.integers(-128, 128, (20, 11)).astype(np.int8)
WORDS = RANDOM.integers(-32768, 32768, (20, 11)).astype(np.int16)
WORD = {"multiplier": "float32", "tables": "float64"}


def quantization(scale, zero=0):
    return Quantization(np.float32([scale]), np.int64([zero]))


OUT = OutputSpec("int8", (), quantization(1 / 256, -128))


def beta(number=1.0):
    return Table("SoftmaxOptions", {"beta": number})


def real(v, factor=1.0):
    x = factor * float(v.scale) * v.data.astype(float)
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


@pytest.mark.parametrize("exp", ["fixed-point", "float32-table"])
@pytest.mark.parametrize("factor", [1.0, 0.3])
def test_softmax_of_bytes(exp, factor):
    v, out = Operand(ROWS, "int8", quantization(0.05, 7)), OutputSpec("int8", (), quantization(1 / 256, -128))
    found = softmax.softmax(v, out, beta(factor), {"exp": exp})
    assert np.abs(found - np.clip(real(v, factor) * 256 - 128, -128, 127)).max() <= 0.51


def test_bytes_to_words():
    v, out = (
        Operand(ROWS, "int8", quantization(0.05)),
        OutputSpec("int16", (), quantization(1 / 65536, -32768)),
    )
    found = softmax.softmax(v, out, beta(), {"exp": "fixed-point"})
    assert found.dtype == np.int16
    assert np.abs(found - (real(v) * 65536 - 32768)).max() <= 1


@pytest.mark.parametrize("tables", ["float64", "float32"])
def test_softmax_of_words(tables):
    v, out = Operand(WORDS, "int16", quantization(1e-4)), OutputSpec("int16", (), quantization(1 / 32768))
    found = softmax.softmax_int16(v, out, beta(), WORD | {"tables": tables})
    assert np.abs(found - real(v) * 32768).max() < 8


@pytest.mark.parametrize("exp", ["fixed-point", "float32-table"])
def test_a_row_of_one_element_is_1_and_equal_elements_are_even(exp):
    out = OutputSpec("int8", (), quantization(1 / 256, -128))
    one = Operand(np.int8([[5], [-100]]), "int8", quantization(1.0))
    assert softmax.softmax(one, out, beta(), {"exp": exp}).tolist() == [[127], [127]]
    even = Operand(np.full((1, 4), 9, np.int8), "int8", quantization(1.0))
    assert softmax.softmax(even, out, beta(), {"exp": exp}).tolist() == [[-64] * 4]


def test_values_far_below_the_maximum_are_zero():
    v = Operand(np.int8([[127, -128]]), "int8", quantization(1.0))
    out = OutputSpec("int8", (), quantization(1 / 256, -128))
    assert softmax.softmax(v, out, beta(), {"exp": "fixed-point"}).tolist() == [[127, -128]]


def test_empty_rows():
    v, out = (
        Operand(np.zeros((0, 4), np.int8), "int8", quantization(1.0)),
        OutputSpec("int8", (), quantization(1 / 256)),
    )
    for exp in ("fixed-point", "float32-table"):
        assert softmax.softmax(v, out, beta(), {"exp": exp}).shape == (0, 4)


def test_a_step_too_small_for_the_multiplier_is_named():
    v = Operand(ROWS, "int8", quantization(1e-9))
    with pytest.raises(RunError, match="2\\^-26"):
        softmax.softmax(
            v, OutputSpec("int8", (), quantization(1 / 256, -128)), beta(), {"exp": "fixed-point"}
        )


@pytest.mark.parametrize("exp", ["fixed-point", "float32-table"])
def test_log_softmax(exp):
    v, out = Operand(ROWS, "int8", quantization(0.05)), OutputSpec("int8", (), quantization(16 / 256, 127))
    found = softmax.log_softmax(v, out, {"exp": exp})
    assert np.abs(found - np.clip(np.log(real(v)) * 16 + 127, -128, 127)).max() <= 0.51


LONG = [
    ("softmax", "int8", "int8", 8_193), ("softmax", "uint8", "uint8", 20_000),
    ("softmax", "int8", "int16", 8_193), ("softmax", "uint8", "int16", 20_000),
    ("softmax_int16", "int16", "int16", 131_097), ("softmax_int16", "int16", "int16", 140_000),
    ("log_softmax", "int8", "int8", 4_096), ("log_softmax", "int8", "int8", 8_192),
    ("log_softmax", "int8", "int8", 16_400), ("log_softmax", "uint8", "uint8", 16_400),
]  # fmt: skip


@pytest.mark.parametrize(("name", "given", "made", "size"), LONG)
def test_sums_of_long_rows_do_not_overflow(name, given, made, size):
    """LiteRT's sums wrap around in 32 bits, and their outputs are larger: see known-faults.yaml."""
    v = Operand(np.zeros((1, size), given), given, quantization(0.01))
    low, high = INTEGER_RANGES[made]
    if name == "log_softmax":
        out = OutputSpec(made, (), quantization(1 / 16, high))
        found, right = softmax.log_softmax(v, out, {"exp": "fixed-point"}), high - np.log(size) * 16
    elif name == "softmax":
        levels = high - low + 1
        out = OutputSpec(made, (), quantization(1 / levels, low))
        found, right = softmax.softmax(v, out, beta(), {"exp": "fixed-point"}), low + levels / size
    else:
        out = OutputSpec(made, (), quantization(1 / 32768))
        found, right = softmax.softmax_int16(v, out, beta(), WORD), 32768 / size
    assert np.unique(found).size == 1
    assert abs(found[0, 0] - right) <= 0.51


def test_the_sum_of_a_long_row_with_a_single_large_input():
    x = np.full((1, 20_000), -60, np.int8)
    x[0, 7] = 60
    v, out = Operand(x, "int8", quantization(0.05)), OutputSpec("int16", (), quantization(1 / 65536, -32768))
    found = softmax.softmax(v, out, beta(), {"exp": "fixed-point"})
    assert np.abs(found - (real(v) * 65536 - 32768)).max() <= 1


def test_floats():
    x = np.float32([[0, 1, 2], [5, 5, 5]])
    found = softmax.softmax_float(Operand(x, "float32"), OutputSpec("float32", ()), beta())
    assert np.allclose(found, real(Operand(x, "float32", quantization(1.0))), rtol=1e-6)
    logs = softmax.log_softmax_float(Operand(x, "float32"), OutputSpec("float32", ()), {"sum": "sequential"})
    assert np.allclose(np.exp(logs), found, rtol=1e-6)


def test_an_output_scale_of_0_is_computed_silently():
    """Any output is accepted: a broken model is checked too, and numpy's warnings must not reach the terminal."""
    v, out = Operand(ROWS, "int8", quantization(0.05, 7)), OutputSpec("int8", (), quantization(0, -128))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert softmax.softmax(v, out, beta(), {"exp": "float32-table"}).shape == ROWS.shape


@pytest.mark.parametrize(
    ("dtype", "compute"),
    [
        ("int8", lambda v: softmax.softmax(v, OUT, beta(), {"exp": "fixed-point"})),
        ("int8", lambda v: softmax.softmax(v, OUT, beta(), {"exp": "float32-table"})),
        ("int16", lambda v: softmax.softmax_int16(v, OUT, beta(), WORD | {"tables": "float64"})),
        ("float32", lambda v: softmax.softmax_float(v, OUT, beta())),
        ("int8", lambda v: softmax.log_softmax(v, OUT, {"exp": "fixed-point"})),
        ("int8", lambda v: softmax.log_softmax(v, OUT, {"exp": "float32-table"})),
        ("float32", lambda v: softmax.log_softmax_float(v, OUT, {"sum": "sequential"})),
    ],
)
def test_a_scalar_has_no_last_dimension(dtype, compute):
    one = np.zeros((), dtype)
    assert compute(Operand(one.reshape(1), dtype, quantization(0.1))).shape == (1,)
    with pytest.raises(RunError, match=f"type {dtype} is a scalar"):
        compute(Operand(one, dtype, quantization(0.1)))


BIG = 2.0**24
#: Rows, and their float32 sums added in sequence and on vectors of four: 2^24 + 1 is 2^24.
SUMS = [
    ([BIG, 1, 1], BIG, BIG),
    ([BIG, 1, 1, 1], BIG, BIG + 2),  # (2^24 + 1) + (1 + 1)
    ([BIG, 1, 1, 1, 0, 0, 0, 0], BIG, BIG + 2),
    ([BIG, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0], BIG, BIG + 2),  # the second vector adds 1 + 1
    ([BIG, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1], BIG, BIG + 6),  # lanes 2^24, 2, 2, 2 after a last whole vector
    ([BIG, 1, 1, 1, 1], BIG, BIG + 4),  # 2^24 + 2, then 2^24 + 3, half to even
]


@pytest.mark.parametrize(("row", "in_sequence", "in_lanes"), SUMS)
def test_sums_of_a_row(row, in_sequence, in_lanes):
    x = np.float32([row, np.zeros(len(row))])
    assert softmax._sum_in_sequence(x).tolist() == [[in_sequence], [0]]
    assert softmax._sum_in_lanes(x).tolist() == [[in_lanes], [0]]
