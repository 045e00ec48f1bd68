"""Words of a comparison of two tensors: verdict, extent, a single element, and causes. All numbers are computed by
hand."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from litecheck.quantizer.comparison_result import Bucket, Comparison, Element, IntegerCause
from litecheck.rendering.wording.differences import decimal, explain_element, group_by_label, lines, verdict

F = Fraction


def element(**more: Any) -> Element:
    return Element(**{"index": (0, 3), "expected": 4, "actual": 5, **more})


def comparison(largest: int = 0, **more: Any) -> Comparison:
    """Return a comparison with 3 of 12 different elements; ``largest`` adds a worst element with this difference."""
    known: dict[str, Any] = {
        "dtype": "int8", "shape": (2, 6), "size": 12, "tolerance": 0, "semantics": "litert", "mismatches": 3,
        "beyond": 3, "histogram": (Bucket(-2, -2, 1), Bucket(1, 1, 2)),
    }  # fmt: skip
    if largest:
        known["worst"] = Element((1, 1), 0.5, 1.0, ulps=largest)
    return Comparison(**{**known, **more})


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (F(5, 2), "2.5000"),
        (F(-5, 2), "-2.5000"),
        (F(1, 3), "0.3333"),
        (F(3), "3.0000"),
        (F(0), "0.0000"),
        # Enough decimals to differ from the tie 2.5 and the integer 3.
        (F(5, 2) + F(1, 10**7), "2.5000001"),
        (3 - F(1, 10**6), "2.999999"),
        # Beyond 10^9 and below 10^-4 in the floating-point notation.
        (F(10**9), "1e+09"),
        (F(10**9 - 1), "999999999.0000"),
        (F(1, 10**4), "0.0001"),
        (F(1, 20_000), "5e-05"),
    ],
)
def test_decimals(value: Fraction, shown: str) -> None:
    assert decimal(value) == shown


@pytest.mark.parametrize(
    ("one", "dtype", "words"),
    [
        (element(), "int8", "[0, 3]: expected 4, the device gives 5"),
        (element(real=0.5), "int8", "[0, 3]: real value 0.5, expected 4, the device gives 5"),
        (element(expected=-1234, actual=5), "int16", "[0, 3]: expected -1,234, the device gives 5"),
        (
            element(expected=1.0, actual=1.5, ulps=1200),
            "float32",
            "[0, 3]: expected 1.0, the device gives 1.5, +1,200 ULP",
        ),
        (
            element(expected=1.0, actual=1.234567, ulps=-1),
            "bfloat16",
            "[0, 3]: expected 1, the device gives 1.235, -1 ULP",
        ),
        (
            element(real=2.25, quotient=F(9, 4)),
            "int8",
            "[0, 3]: real value 2.25, exact quotient 2.2500; nearest is 2, between 2 and 3; expected 4, the device gives 5",
        ),
        (
            element(real=2.25, quotient=F(9, 4), zero_point=-7),
            "int8",
            "[0, 3]: real value 2.25, exact quotient 2.2500 plus zero point -7; nearest is -5, between -5 and -4; "
            "expected 4, the device gives 5",
        ),
        (
            element(real=2.5, quotient=F(5, 2), zero_point=1),
            "int8",
            "[0, 3]: real value 2.5, exact quotient 2.5000 plus zero point 1; half away gives 4, half even 3; "
            "expected 4, the device gives 5",
        ),
        (
            element(real=-2.5, quotient=F(-5, 2)),
            "int8",
            "[0, 3]: real value -2.5, exact quotient -2.5000; half away gives -3, half even -2; "
            "expected 4, the device gives 5",
        ),
        (
            element(real=3.0, quotient=F(3), zero_point=2),
            "int8",
            "[0, 3]: real value 3, exact quotient 3.0000 plus zero point 2; a whole number, 5; "
            "expected 4, the device gives 5",
        ),
        (
            element(real=300.0, quotient=F(300)),
            "int8",
            "[0, 3]: real value 300, exact quotient 300.0000; beyond int8, saturates at 127; expected 4, the device gives 5",
        ),
        (
            element(real=-300.0, quotient=F(-300)),
            "uint8",
            "[0, 3]: real value -300, exact quotient -300.0000; beyond uint8, saturates at 0; "
            "expected 4, the device gives 5",
        ),
        # 127 is the largest int8: a tie at 127.5 with half even 128 saturates, at 126.5 half away gives 127.
        (
            element(real=126.5, quotient=F(253, 2)),
            "int8",
            "[0, 3]: real value 126.5, exact quotient 126.5000; half away gives 127, half even 126; "
            "expected 4, the device gives 5",
        ),
        # A tie in float32 only.
        (
            element(real=2.5, quotient=F(5, 2) + F(1, 10**7), quotient32=F(5, 2)),
            "int8",
            "[0, 3]: real value 2.5, exact quotient 2.5000001, in float32 2.5000; half away gives 3, half even 2; "
            "expected 4, the device gives 5",
        ),
    ],
)
def test_elements(one: Element, dtype: str, words: str) -> None:
    assert explain_element(one, dtype) == words


@pytest.mark.parametrize(
    ("made", "word"),
    [
        (comparison(size=0, mismatches=0), "not checked"),
        (comparison(mismatches=0), "exact"),
        (comparison(beyond=0, tolerance=2), "within tolerance"),
        (comparison(beyond=1, tolerance=1), "differs"),
        (comparison(), "differs"),
    ],
)
def test_verdicts(made: Comparison, word: str) -> None:
    assert verdict(made) == word


def rows_by_label(made: Comparison, plain: bool = True) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for label, text in lines(made, plain):
        found.setdefault(label, []).append(text)
    return found


def test_an_exact_comparison_states_the_tensor_only() -> None:
    assert rows_by_label(comparison(mismatches=0)) == {
        "tensor": ["int8 2x6, 12 elements, expected values quantized by litert"]
    }
    assert rows_by_label(comparison(size=0, shape=(0,), mismatches=0, semantics="")) == {
        "tensor": ["int8 0, 0 elements"]
    }
    assert rows_by_label(comparison(size=1, shape=(), mismatches=0, semantics=""))["tensor"] == [
        "int8 scalar, 1 element"
    ]


@pytest.mark.parametrize(
    ("made", "extent"),
    [
        (comparison(-2), "3 (25 %), by at most 2 LSB"),
        (
            comparison(-2, tolerance=1, beyond=2),
            "3 (25 %), by at most 2 LSB; 2 by more than the tolerance of 1",
        ),
        (
            comparison(largest=1200, farthest=0.0125, dtype="float32"),
            "3 (25 %), by at most 1,200 ULP, 0.0125 of the largest value",
        ),
        (
            comparison(largest=2, farthest=float("inf"), tolerance=4, unit="ULP", beyond=1),
            "3 (25 %), by at most 2 ULP, somewhere a number against none; 1 by more than the tolerance of 4 ULP",
        ),
        (
            comparison(largest=2, farthest=0.5, tolerance=0.25, unit="share", beyond=1),
            "3 (25 %), by at most 2 ULP, 0.5 of the largest value; 1 by more than the tolerance of 0.25 of it",
        ),
    ],
)
def test_extents(made: Comparison, extent: str) -> None:
    assert rows_by_label(made)["differ"] == [extent]


def test_first_and_worst_elements() -> None:
    first, worst = element(), element(index=(1, 1), actual=6)
    both = rows_by_label(comparison(first=first, worst=worst))
    assert both["first"] == [explain_element(first, "int8")]
    assert both["worst"] == [explain_element(worst, "int8")]
    same = rows_by_label(comparison(first=first, worst=first))
    assert "first" not in same
    assert "worst" in same


def test_the_histogram_has_one_label() -> None:
    found = rows_by_label(comparison())
    assert len(found["histogram"]) == 1
    assert len(found[""]) == 1
    grouped = dict(group_by_label(comparison()))
    assert len(grouped["histogram"]) == 2
    assert [*grouped] == ["tensor", "differ", "histogram", "cause"]


def cause(exact: bool = False, explained: int = 3, broken: int = 0) -> IntegerCause:
    return IntegerCause("floor", "It rounds down.", exact, explained, broken)


@pytest.mark.parametrize(
    ("one", "sentence"),
    [
        (cause(), "floor: It rounds down."),
        (cause(explained=2), "floor, not wholly: It rounds down. It explains 2 of 3 differences."),
        (
            cause(broken=1_000),
            "floor, not wholly: It rounds down. It explains 3 of 3 differences, and would make 1,000 others differ.",
        ),
        (cause(exact=True), "floor: It rounds down. This reproduces all 12 elements."),
    ],
)
def test_causes(one: IntegerCause, sentence: str) -> None:
    assert rows_by_label(comparison(causes=(one,)))["cause"] == [sentence]


def test_unknown_causes() -> None:
    """Without real values, fewer causes are tested; floating-point differences have no causes."""
    assert rows_by_label(comparison())["cause"] == ["none of the deviations tried explains the differences"]
    (integers,) = rows_by_label(comparison(semantics=""))["cause"]
    assert integers.startswith("cannot be told from the integers")
    assert "cause" not in rows_by_label(comparison(farthest=0.5))
