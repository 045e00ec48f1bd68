"""A small fixed slice of ``python -m tests.differential binary``, and negative controls."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from litecheck.model.build import qparams
from litecheck.reference.engine.arithmetic import load_arithmetic
from tests.differential.binary import EIGHT_BITS, FAMILY, WIDE, eight_bits, pairs
from tests.differential.one_operator import Tensor, Trial, changed, noticed, perturbed, score, trial
from tests.differential.oracle import RESOLVERS, Oracle
from tests.differential.sweep import right, sweep

pytestmark = pytest.mark.runtime


@pytest.fixture(scope="module")
def litert() -> Iterator[Oracle]:
    pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")
    with Oracle() as started:
        yield started


@pytest.mark.parametrize("resolver", RESOLVERS)
@pytest.mark.parametrize("opcode", EIGHT_BITS)
def test_all_pairs_of_bytes(litert: Oracle, opcode: str, resolver: str) -> None:
    found = sweep(FAMILY, f"{opcode} int8 pairs", resolver, litert, 3)
    assert found.score.compared >= 3 * 65_000
    assert found.small == []
    assert found.noticed["other input"]


@pytest.mark.parametrize(("opcode", "dtype"), [(o, t) for o, types in WIDE.items() for t in types])
def test_wider_types_in_shapes_that_broadcast(litert: Oracle, opcode: str, dtype: str) -> None:
    found = sweep(FAMILY, f"{opcode} {dtype}", "reference", litert, 8)
    assert found.score.compared > 0, found.score.refused
    assert found.small == []


@pytest.mark.parametrize("opcode", ["EQUAL", "NOT_EQUAL"])
@pytest.mark.parametrize("dtype", WIDE["EQUAL"])
def test_equal_elements_are_drawn(litert: Oracle, opcode: str, dtype: str) -> None:
    found = sweep(FAMILY, f"{opcode} {dtype}", "reference", litert, 30)
    assert found.score.different == 0
    assert found.noticed["other input"]


def ties(opcode: str, dtype: str = "int8", count: int = 20_007, leading: tuple[int, ...] = ()) -> Trial:
    """Return sums or products with many ties between stored values; the left operand has more dimensions."""
    rng = np.random.default_rng(3)
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    x, y = (rng.integers(low, high + 1, shape).astype(dtype) for shape in ((*leading, count), (count,)))
    left, right = 0.048082999885082245, 0.005342555698007345
    out = 2 * left * right * 32 if opcode == "MUL" else 2 * right
    operands = [Tensor(x, qparams(left)), Tensor(y, qparams(right))]
    options = {"pot_scale_int16": False} if dtype == "int16" and opcode != "MUL" else {}
    return trial(f"{opcode} ties", opcode, operands, dtype, qparams(out), x.shape, version=5, **options)


@pytest.mark.parametrize("resolver", RESOLVERS)
@pytest.mark.parametrize("opcode", ["ADD", "SUB", "MUL", "SQUARED_DIFFERENCE", "DIV"])
def test_a_shifted_zero_point_and_a_wrong_scale_are_noticed(
    litert: Oracle, opcode: str, resolver: str
) -> None:
    case, own = eight_bits(np.random.default_rng(1), opcode), right(FAMILY, resolver)
    assert score(case, litert, resolver, own).different == 0
    step = 1 if case.model.subgraphs[0].tensors[-1].quantization.zero_point[0] < 127 else -1
    assert noticed(case, perturbed(case, zero_point=step), litert, resolver, own) > 1000
    assert noticed(case, perturbed(case, scale=1.001), litert, resolver, own) > 0


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
def test_products_of_int16_with_8_bit_outputs(litert: Oracle, dtype: str) -> None:
    rng = np.random.default_rng(5)
    x, y = (rng.integers(-32768, 32768, 20_011).astype(np.int16) for _ in range(2))
    x[:50] = y[25:75] = -32768
    operands = [Tensor(x, qparams(2.0**-15)), Tensor(y, qparams(2.0**-15))]
    case = trial("MUL of words", "MUL", operands, dtype, qparams(2.0**-7, 3), x.shape)
    for resolver in RESOLVERS:
        total = score(case, litert, resolver)
        assert (total.compared, total.different) == (x.size, 0), (total.refused, total.examples)


@pytest.mark.parametrize("scale", [0.03, 0.5, 4.0])
def test_the_known_fault_of_div(litert: Oracle, scale: float) -> None:
    x, y = pairs(np.random.default_rng(1), "int8", 0)
    operands = [Tensor(x, qparams(0.5)), Tensor(y, qparams(0.5))]
    case = trial(f"DIV {scale}", "DIV", operands, "int8", qparams(scale), x.shape)
    assert score(case, litert, "reference").different > 0
    assert score(case, litert, "reference", right(FAMILY, "reference")).different == 0


@pytest.mark.parametrize(
    ("opcode", "dtype", "resolver", "wrong"),
    [
        ("ADD", "int8", "reference", "single"), ("ADD", "int8", "optimized", "double"),
        ("ADD", "int16", "optimized", "single"), ("ADD", "int8", "xnnpack", "vectors"),
        ("SUB", "int8", "reference", "single"), ("SUB", "int8", "xnnpack", "double"),
        ("MUL", "int8", "reference", "single"), ("MUL", "int8", "xnnpack", "double"),
    ],
)  # fmt: skip
def test_a_wrong_variant_is_noticed(
    litert: Oracle, opcode: str, dtype: str, resolver: str, wrong: str
) -> None:
    case = ties(opcode, dtype)
    own = load_arithmetic(f"litert-{resolver}")
    assert score(case, litert, resolver, own).different == 0
    assert score(case, litert, resolver, changed(own, {opcode: {"requantize": wrong}})).different > 0


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16"])
@pytest.mark.parametrize("opcode", ["ADD", "SUB", "MUL"])
def test_leading_dimensions_of_length_1_are_no_broadcasting(litert: Oracle, opcode: str, dtype: str) -> None:
    case = ties(opcode, dtype, leading=(1, 1))
    for resolver in RESOLVERS:
        own = right(FAMILY, resolver)
        assert score(case, litert, resolver, own).different == 0, resolver
    if (opcode, dtype) == ("ADD", "int16"):
        rows = ties(opcode, dtype, leading=(2,))
        optimized = load_arithmetic("litert-optimized")
        scalar = changed(optimized, {opcode: {"requantize": "double"}})
        assert score(case, litert, "optimized", scalar).different > 0
        assert score(rows, litert, "optimized", optimized).different == 0


@pytest.mark.parametrize("opcode", ["ADD", "MUL"])
@pytest.mark.parametrize("scale", [1e-3, 1e-4, 1e-6])
def test_sixteen_bits_overflow_in_vector_loops_only(litert: Oracle, opcode: str, scale: float) -> None:
    rng = np.random.default_rng(2)
    x, y = (rng.integers(-128, 128, 4103).astype(np.int8) for _ in range(2))
    operands = [Tensor(x, qparams(0.1)), Tensor(y, qparams(0.07))]
    case = trial(f"{opcode} {scale}", opcode, operands, "int8", qparams(scale, 100), x.shape)
    for resolver in RESOLVERS:
        assert score(case, litert, resolver).different == 0, resolver
