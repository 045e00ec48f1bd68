"""The sentence on the worst element, and the arithmetics that give the device's value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from litecheck.cases.model_parts import whole_model
from litecheck.comparison.difference import difference
from litecheck.comparison.element_explanation import decimals, explain
from litecheck.comparison.types import Difference, ExplainedElement
from litecheck.comparison.wording import element_sentence
from litecheck.model.build import ModelBuilder, qparams
from litecheck.reference.defects.defects import defects_of
from litecheck.reference.engine.arithmetic import Arithmetic, arithmetic_names, load_arithmetic
from tests.verification import elements
from tests.verification.elements import Made, Rng

REFERENCE = load_arithmetic("litert-reference")
PUBLISHED = tuple(map(load_arithmetic, arithmetic_names()))


def bias_alone(*biases: int, zero: int = 0, out: str = "int8") -> Made:
    """Return a FULLY_CONNECTED with its input at the zero point: the accumulator is the bias, the multiplier
    is 1/8."""
    x, w = np.full((1, 2), 5, np.int8), np.ones((len(biases), 2), np.int8)
    constants = {"w": (w, qparams(0.25)), "b": (np.array(biases, np.int32), qparams(0.125))}
    given_ = {"x": (x, qparams(0.5, 5))}
    return elements.single_operator(
        "FULLY_CONNECTED", given_, constants, "x w b", (1, len(biases)), qparams(1.0, zero), out
    )


def compared(made: Made, actual: np.ndarray, expected: Arithmetic | str = "litert-reference") -> Difference:
    tensor = made.model.subgraphs[0].tensors[made.model.subgraphs[0].outputs[0]]
    return difference(tensor, [made.output(expected)], [actual])


def explained(made: Made, actual: np.ndarray, run: str = "random") -> ExplainedElement:
    found = explain(made.case, made.inputs, compared(made, actual), REFERENCE, PUBLISHED, run=run)
    assert found is not None
    return found


def test_the_sentence_on_a_tie() -> None:
    made = bias_alone(8, 52)
    found = explained(made, made.output("litert-xnnpack"))
    assert element_sentence(found).startswith(
        "element (0, 1) of run 'random': accumulator 52 x multiplier 0.125 = 6.5000 exactly; half away gives 7, half up "
        "7, half even 6; litert-reference (requantize: float64) gives 7; the device gives 6, as do litert-xnnpack, "
    )
    assert (found.accumulator, found.multiplier, found.fixed, found.quotient) == (
        52,
        0.125,
        (1 << 30, -2),
        "6.5000",
    )
    values = {c.name: c.value for c in found.candidates}
    assert values["half even"] == values["litert-xnnpack"] == values["requantize: float32"] == 6
    assert values["truncation"] == 6
    assert values["half away"] == values["litert-reference"] == values["requantize: double"] == 7


def test_the_zero_point_is_added_behind_the_rounding() -> None:
    made = bias_alone(-52, zero=3)
    found = explained(made, made.output() + np.int8(1))
    assert (
        "= -6.5000 exactly, plus the zero point 3 = -3.5000; half away gives -4, half up -3, "
        in element_sentence(found)
    )
    assert (
        "; the device gives -3, as do litert-optimized, litert-xnnpack, single-rounding and "
        in element_sentence(found)
    )
    assert element_sentence(found).endswith(" others")


def test_clamped_roundings() -> None:
    made = bias_alone(8 * 300)
    found = explained(made, np.full((1, 1), 100, np.int8))
    assert "= 300.0000 exactly, limited to 127; litert-reference (" in element_sentence(found)
    assert element_sentence(found).endswith(
        "gives 127; the device gives 100, a value of no known variant or defect"
    )


@pytest.mark.parametrize(
    ("bias", "limit"), [(2400, 127), (1019, None), (1020, 127), (-1028, None), (-1029, -128), (1016, None)]
)
def test_a_value_beyond_a_limit_determines_no_accumulator(bias: int, limit: int | None) -> None:
    """127.375 is rounded to 127, and 127.5 to 128. -128.5 is a tie, which half even rounds to the limit -128."""
    found = explained(bias_alone(bias), np.full((1, 1), 100, np.int8))
    assert (found.limit, found.needs is None) == (limit, limit is not None)


#: Operators with a device that computes them differently from the reference.
WAYS: dict[str, tuple[Callable[[Rng], Made], str]] = {
    "CONV_2D": (lambda rng: elements.conv(rng, stride=1), "litert-optimized"),
    "CONV_2D single": (lambda rng: elements.conv(rng, stride=1), "single-rounding"),
    "DEPTHWISE_CONV_2D": (elements.depthwise, "litert-xnnpack"),
    "FULLY_CONNECTED": (lambda rng: elements.dense(rng, depth=200), "tflm"),
    "ADD": (elements.tied_sum, "single-rounding"),
    "MUL": (elements.pair("MUL"), "litert-xnnpack"),
    "MEAN": (elements.reduced("MEAN", True), "litert-xnnpack"),
    "QUANTIZE": (elements.single("QUANTIZE", 0.05, qparams(0.033, 3)), "litert-xnnpack"),
    "LEAKY_RELU": (elements.single("LEAKY_RELU", 0.05, qparams(0.03, -40), alpha=0.2), "litert-xnnpack"),
    "RESIZE_BILINEAR": (elements.resized(), "litert-xnnpack"),
}


def differing(name: str) -> tuple[Made, str]:
    make, device = WAYS[name]
    for seed in range(200):
        made = make(np.random.default_rng(seed))
        if (made.output() != made.output(device)).any():
            return made, device
    raise AssertionError(f"{name}: {device} never differs")


@pytest.mark.parametrize("name", WAYS)
def test_the_arithmetic_of_the_device_is_among_those_that_give_its_value(name: str) -> None:
    made, device = differing(name)
    found = explained(made, made.output(device))
    worst = compared(made, made.output(device)).worst
    assert worst
    as_the_device = {c.name for c in found.candidates if c.value == worst.actual}
    assert device in as_the_device
    assert "litert-reference" not in as_the_device
    # The value of each candidate equals its value in the whole tensor.
    for c in found.candidates:
        if c.name in arithmetic_names():
            assert c.value == made.output(c.name)[worst.index], c.name
    stage = "interpolate" if name == "RESIZE_BILINEAR" else "requantize"
    variants = {c.name for c in found.candidates if c.name.startswith(f"{stage}: ")}
    assert len(variants) >= 2
    assert as_the_device & variants
    assert not any("/" in c.name for c in found.candidates)
    assert element_sentence(found).endswith((device, "others")) or f" {device}" in element_sentence(found)


@pytest.mark.parametrize("name", ["CONV_2D", "ADD"])
def test_a_value_that_no_candidate_gives(name: str) -> None:
    """Negative control: three steps off, no candidate matches."""
    made, _ = differing(name)
    wrong = made.output().copy()
    place = np.unravel_index(np.argmin(np.abs(wrong.astype(int))), wrong.shape)
    wrong[place] += 3
    found = explained(made, wrong)
    assert not [c for c in found.candidates if c.value == wrong[place]]
    assert "a value of no known variant or defect" in element_sentence(found)


def test_operators_without_a_formula_have_their_arithmetics() -> None:
    made = elements.single("GELU", 0.05, qparams(0.05, 3))(np.random.default_rng(0))
    found = explained(made, made.output() ^ np.int8(1), run="")
    assert (found.accumulator, found.multiplier, found.fixed, found.quotient) == (None, None, None, "")
    assert {c.name for c in found.candidates if ":" not in c.name} == set(arithmetic_names())
    assert element_sentence(found).startswith(
        "element (0, 0) of run 0: litert-reference (functions: fdlibm) gives "
    )


def test_a_curve_is_no_exact_number() -> None:
    made = elements.single("LOGISTIC", 0.05, qparams(1 / 256, -128))(np.random.default_rng(0))
    found = explained(made, made.output() ^ np.int8(1))
    assert ": the real value is " in element_sentence(found)
    assert "exactly" not in element_sentence(found)


def test_only_requested_arithmetics_are_candidates() -> None:
    made = bias_alone(52)
    wrong = compared(made, made.output() - np.int8(1))
    found = explain(made.case, made.inputs, wrong, REFERENCE, [load_arithmetic("tflm")])
    assert found
    assert {c.name for c in found.candidates} & set(arithmetic_names()) == {"litert-reference", "tflm"}


def test_differences_without_an_explanation() -> None:
    made = bias_alone(52)
    wrong = compared(made, made.output() - np.int8(1))
    assert explain(made.case, made.inputs, replace(wrong, worst=None), REFERENCE, PUBLISHED) is None
    assert explain(made.case, made.inputs, replace(wrong, unit="relative"), REFERENCE, PUBLISHED) is None
    assert explain(made.case, made.inputs, replace(wrong, tensor=0), REFERENCE, PUBLISHED) is None
    builder = ModelBuilder()
    main = builder.subgraph()
    a, b, c = (main.tensor(n, (1, 2), "int8", qparams(0.5)) for n in "abc")
    main.add("RELU", [a], [b])
    main.add("RELU6", [b], [c])
    main.inputs(a)
    main.outputs(c)
    model = builder.finish()
    segment = whole_model(model, model.subgraphs[0])
    assert explain(segment, made.inputs, replace(wrong, tensor=c), REFERENCE, PUBLISHED) is None


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (Fraction(13, 2), "6.5000"), (Fraction(-13, 2), "-6.5000"), (Fraction(1, 3), "0.3333"), (Fraction(0), "0.0000"),
        (Fraction(13, 2) - Fraction(1, 10**7), "6.4999999"), (Fraction(-1, 2) + Fraction(1, 10**6), "-0.499999"),
        (Fraction(1, 10**9), "0.0000"), (Fraction(99999999, 10**8), "1.0000"),
    ],
)  # fmt: skip
def test_decimals(value: Fraction, shown: str) -> None:
    assert decimals(value) == shown


@given(st.fractions(-1000, 1000), st.integers(-1000, 1000), st.integers(1, 10**15))
def test_decimals_show_only_real_ties(value: Fraction, whole_: int, part: int) -> None:
    for v in (
        value,
        whole_ + Fraction(1, 2) + Fraction(1, part),
        whole_ + Fraction(1, 2) - Fraction(1, part),
    ):
        shown = Fraction(decimals(v))
        assert abs(shown - v) <= Fraction(1, 2 * 10**4)
        assert (shown % 1 == Fraction(1, 2)) == (v % 1 == Fraction(1, 2))


@pytest.mark.parametrize("defect", defects_of("CONV_2D"))
def test_defects_give_the_same_value_for_an_element_and_the_whole(defect: str) -> None:
    """A defect may depend on padding, which a crop to the window removes."""
    stages = {**REFERENCE.stages, "CONV_2D": {**REFERENCE.variants("CONV_2D"), "defect": defect}}
    wrong = replace(REFERENCE, name="wrong", stages=stages)
    made = elements.conv(np.random.default_rng(0), stride=1)
    there, back = compared(made, made.output(wrong)), compared(made, made.output(), wrong)
    if there.worst is None:
        pytest.skip("gives the outputs of the reference here")
    found = explain(made.case, made.inputs, there, REFERENCE, [wrong])
    assert found
    assert "wrong" in {c.name for c in found.candidates if c.value == there.worst.actual}
    found = explain(made.case, made.inputs, back, wrong, [REFERENCE])
    assert found
    assert back.worst
    assert "litert-reference" in {c.name for c in found.candidates if c.value == back.worst.actual}
