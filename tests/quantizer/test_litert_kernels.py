"""A small fixed slice of ``python -m tests.differential.litert_quantize``, and values undefined in C++."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import numpy as np
import pytest

from litecheck.model.build import qparams
from litecheck.quantization import INTEGER_RANGES
from litecheck.quantizer import litert
from litecheck.quantizer.litert_resolvers import RESOLVERS
from litecheck.quantizer.semantics import semantics
from litecheck.quantizer.types import Parameters, QuantizerError
from tests.differential.litert_cases import Case, makers, quantize_case, requantize_case, requantized
from tests.differential.litert_quantize import Litert

pytestmark = [pytest.mark.runtime, pytest.mark.slow]


@pytest.fixture(scope="module")
def runtime() -> Iterator[Litert]:
    pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")
    with Litert() as started:
        yield started


@pytest.mark.parametrize("kind", makers())
def test_no_element_differs_from_builtin_ref(runtime: Litert, kind: str) -> None:
    random = np.random.default_rng([7, *kind.encode()])
    noticed: set[str] = set()
    for length in (1, 2, 7, 15, 16, 17, 33, 256, 3000, 3001):
        case = makers()[kind](random, length)
        outcome = runtime.compare(case)
        assert outcome.different == 0, case.title
        assert outcome.unnoticed == (), case.title
        noticed |= case.controls.keys()
    assert {"zero point + 1", "scale * 1.001"} <= noticed


@pytest.fixture(scope="module")
def interpreters() -> Iterator[dict[str, Litert]]:
    pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")
    with ExitStack() as stack:
        yield {resolver: stack.enter_context(Litert(resolver)) for resolver in RESOLVERS}


@pytest.mark.parametrize("kind", makers("reference"))
@pytest.mark.parametrize("resolver", RESOLVERS)
def test_no_element_differs_from_the_interpreter_of_that_name(
    interpreters: dict[str, Litert], resolver: str, kind: str
) -> None:
    random = np.random.default_rng([8, *kind.encode()])
    noticed: set[str] = set()
    for length in (1, 7, 8, 15, 33, 256, 3001):
        case = makers(resolver)[kind](random, length)
        outcome = interpreters[resolver].compare(case)
        assert (outcome.different, outcome.unnoticed) == (0, ()), case.title
        noticed |= case.controls.keys()
    assert {"zero point + 1", "scale * 1.001"} <= noticed


def tie_rich(dtype: str, zero: int) -> tuple[np.ndarray, np.float32]:
    """Return 1,003 values: ties of a scale of 1/8 and the float32 values beside them; the last three are ties too."""
    scale, (low, high) = np.float32(1 / 8), INTEGER_RANGES[dtype]
    middle = ((np.arange(low - zero, high - zero) + 0.5) * np.float64(scale)).astype(np.float32)
    near = [np.nextafter(middle, np.float32(end)) for end in (-np.inf, np.inf)]
    last = np.array([0.5, 2.5, 4.5], np.float32) * scale
    return np.concatenate([np.resize(np.concatenate([middle, middle, *near]), 1000), last]), scale


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
def test_tie_rich_values_distinguish_the_interpreters(interpreters: dict[str, Litert], dtype: str) -> None:
    """Each semantics equals the interpreter of its name and differs from the two further interpreters."""
    zero = {"int8": -3, "uint8": 130}[dtype]
    x, scale = tie_rich(dtype, zero)
    stated = qparams(scale, zero)
    answers = {
        name: semantics(f"litert:{name}").quantize(x, Parameters.of(stated), dtype) for name in RESOLVERS
    }
    for name, interpreter in interpreters.items():
        theirs = interpreter.outputs(Case("", x, ("float32", None), (dtype, stated), answers[name]))
        found = {other: int((theirs != answer).sum()) for other, answer in answers.items()}
        assert found[name] == 0
        assert all(count > 0 for other, count in found.items() if other != name), found
    assert (semantics("litert").quantize(x, Parameters.of(stated), dtype) == answers["reference"]).all()


@pytest.mark.parametrize("scale", [2.0**-126, 3e-38, 2.0**126, 1.01 * 2.0**126, 3e38])
@pytest.mark.parametrize("resolver", RESOLVERS)
def test_scales_at_the_ends_of_float32(interpreters: dict[str, Litert], resolver: str, scale: float) -> None:
    """XNNPACK flushes subnormal numbers: they count as 0, as values and as the reciprocal of the scale."""
    steps = np.array([0.9, 0.6, -0.9, 1.1, 0.99, 0.5, 1.5, 2.5, -1, 0, 0.3])
    with np.errstate(over="ignore"):
        x = (steps * np.float64(np.float32(scale))).astype(np.float32)
    x, stated = np.tile(x[np.isfinite(x)], 5), qparams(np.float32(scale), 1)
    for dtype in ("int8", "int16"):
        ours = semantics(f"litert:{resolver}").quantize(x, Parameters.of(stated), dtype)
        case = Case("", x, ("float32", None), (dtype, stated), ours)
        assert interpreters[resolver].compare(case).different == 0


def test_int16_with_a_zero_point_is_quantized_and_not_dequantized(interpreters: dict[str, Litert]) -> None:
    q, stated = np.arange(20).astype(np.int16), qparams(0.1, 3)
    for name, interpreter in interpreters.items():
        x = q.astype(np.float32)
        ours = semantics(f"litert:{name}").quantize(x, Parameters.of(stated), "int16")
        assert interpreter.compare(Case("", x, ("float32", None), ("int16", stated), ours)).different == 0
    for name in ("litert", *(f"litert:{resolver}" for resolver in RESOLVERS)):
        with pytest.raises(QuantizerError, match="zero_point: DEQUANTIZE takes int16 with zero point 0 only"):
            semantics(name).dequantize(q, Parameters.of(stated))
    for resolver in RESOLVERS:
        case = Case("", q, ("int16", stated), ("float32", None), q)
        with Litert(resolver) as runtime, pytest.raises(RuntimeError, match="zero_point != 0"):
            runtime.outputs(case)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16"])
def test_half_to_even_and_a_double_quotient_are_noticed(runtime: Litert, dtype: str) -> None:
    random = np.random.default_rng(1)
    seen: set[str] = set()
    for _ in range(12):
        case = quantize_case(random, 5000, dtype)
        assert runtime.compare(case).unnoticed == ()
        seen |= case.controls.keys()
    assert {"half to even", "half up", "reciprocal", "float64 quotient"} <= seen


def test_one_rounding_is_noticed_where_the_kernel_rounds_twice(runtime: Litert) -> None:
    random = np.random.default_rng(2)
    cases = [requantize_case(random, 256, ("int8", "int8")) for _ in range(30)]
    assert any("half away" in case.controls for case in cases)
    for case in cases:
        outcome = runtime.compare(case)
        assert (outcome.different, outcome.unnoticed) == (0, ())


@pytest.mark.parametrize("zero", [-5, 0, 5])
@pytest.mark.parametrize("dtype", ["int8", "int16"])
def test_quotients_beyond_int32_on_x86(runtime: Litert, dtype: str, zero: int) -> None:
    """LiteRT gives the highest integer for a negative zero point, else the lowest, for every such quotient; litecheck
    saturates.
    """
    x = np.tile(np.array([np.nan, np.inf, -np.inf, 3e9, -3e9, 2.0**31, 1e38], np.float32), 5)
    stated = qparams(1, zero)
    ours = litert.quantize(x, Parameters.of(stated), dtype)
    low, high = INTEGER_RANGES[dtype]
    theirs = runtime.outputs(Case("", x, ("float32", None), (dtype, stated), ours))
    np.testing.assert_array_equal(theirs, high if zero < 0 else low)
    np.testing.assert_array_equal(ours[:7], [zero, high, low, high, low, high, high])


@pytest.mark.parametrize("ratio", [2.0**14, 2.0**20, 2.0**29, 1.9 * 2.0**28])
def test_left_shifts_wrap_like_the_kernel(runtime: Litert, ratio: float) -> None:
    q = np.random.default_rng(0).integers(-(2**15), 2**15, 300).astype(np.int16)
    source, target = qparams(ratio), qparams(1)
    ours = requantized(q, source, target, "int32")
    case = Case("", q, ("int16", source), ("int32", target), ours)
    assert runtime.compare(case).different == 0
