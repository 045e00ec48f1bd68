"""Planted faults: the sweep finds them and prints minimized trials. Draws equal numpy's unless replaced."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from litecheck.model.save import model_bytes
from litecheck.reference.engine.arithmetic import load_arithmetic
from litecheck.reference.engine.interpreter import run
from tests.differential import affine, binary, movement, recurrent, reduce, unary
from tests.differential.draws import Draws, Record
from tests.differential.one_operator import Trial, changed, compare, outputs, perturbed
from tests.differential.oracle import Oracle
from tests.differential.shrink import Outcome, described, smallest, weight
from tests.differential.sweep import Family, start, sweep, trials

pytestmark = pytest.mark.slow

REFERENCE = load_arithmetic("litert-reference")
FAMILIES = (affine, binary, movement, recurrent, reduce, unary)


def planted(stages: dict[str, dict[str, str]]) -> Outcome:
    """Return a function that returns "differs" for trials that depend on the variants: two arithmetics of litecheck."""
    other = changed(REFERENCE, stages)
    return lambda trial: (
        "differs" if compare("", outputs(trial, other), outputs(trial, REFERENCE)).different else ""
    )


def shifted(trial: Trial) -> str:
    """Return "differs" if a different zero point of the output is noticed."""
    mine, other = outputs(trial, REFERENCE), outputs(perturbed(trial, zero_point=1), REFERENCE)
    return "differs" if compare("", other, mine).different else ""


def first(family: Family, kind: str, fails: Outcome) -> Trial:
    """Return the first failing trial of a kind, minimized."""
    at = next(at for at, trial in enumerate(trials(family, kind, 100)) if fails(trial))
    return smallest(family.kinds[kind], start(kind, 0, at), fails)


def test_a_search_draws_a_limited_number_of_trials() -> None:
    """A generator of many numbers that change nothing is not run for each of them."""
    trial, drawn = affine.FAMILY.kinds["FULLY_CONNECTED int8"](np.random.default_rng(0)), []

    def make(random: np.random.Generator) -> Trial:
        drawn.append([random.normal() for _ in range(100)])
        return trial

    smallest(make, np.random.default_rng(0), lambda trial: "differs" if len(drawn) == 1 else "", limit=10)
    assert 10 < len(drawn) <= 21


#: Kind, planted variant, and the maximum of elements plus number of all tensors.
ROUNDED_ONCE = [
    (affine, "CONV_2D int8", "CONV_2D", "requantize", "single", 20),
    (affine, "CONV_2D int8 grouped", "CONV_2D", "requantize/grouped", "single", 50),
    (affine, "DEPTHWISE_CONV_2D int8", "DEPTHWISE_CONV_2D", "requantize", "single", 20),
    (affine, "TRANSPOSE_CONV int8", "TRANSPOSE_CONV", "requantize", "single", 20),
    (affine, "FULLY_CONNECTED int8", "FULLY_CONNECTED", "requantize", "double", 100),
    (binary, "ADD int8 pairs", "ADD", "requantize", "single", 6),
    (binary, "MUL int8 pairs", "MUL", "requantize", "single", 6),
    (binary, "SQUARED_DIFFERENCE int8 pairs", "SQUARED_DIFFERENCE", "requantize", "single", 6),
    (reduce, "MEAN int8", "MEAN", "requantize", "single", 30),
    (unary, "LEAKY_RELU int8 to int8 tail", "LEAKY_RELU", "requantize", "single", 4),
    (unary, "QUANTIZE int8 to int8 body", "QUANTIZE", "requantize", "single", 4),
    (movement, "RESIZE_BILINEAR", "RESIZE_BILINEAR", "interpolate", "q11", 20),
    (recurrent, "SVDF", "SVDF", "requantize", "single", 20),
]  # fmt: skip


#: A kind of each family, and kinds with a special way of drawing.
SLICE = {
    "DEPTHWISE_CONV_2D",
    "FULLY_CONNECTED",
    "SQUARED_DIFFERENCE",
    "MEAN",
    "LEAKY_RELU",
    "RESIZE_BILINEAR",
    "SVDF",
}


@pytest.mark.parametrize(
    ("module", "kind", "opcode", "stage", "variant", "most"), ROUNDED_ONCE, ids=lambda v: str(v)
)
def test_a_planted_rounding_is_found_and_made_small(
    module, kind, opcode, stage, variant, most, beyond_the_slice
):
    if opcode not in SLICE:
        beyond_the_slice()
    fails = planted({opcode: {stage: variant}})
    small = first(module.FAMILY, kind, fails)
    assert fails(small)
    assert weight(small) <= most, described(small)


def test_irrelevant_numbers_are_simplest():
    """A depthwise convolution with a wrong zero point has one pixel, one channel, strides and dilations 1, and zeros."""
    small = first(affine.FAMILY, "DEPTHWISE_CONV_2D int8", shifted)
    (operator,) = small.model.subgraphs[0].operators
    assert [x.tolist() for x in small.inputs] == [[[[[0]]]]]
    for name in ("stride_h", "stride_w", "dilation_h_factor", "dilation_w_factor", "depth_multiplier"):
        assert operator.options.get(name) == 1, described(small)
    for tensor in small.model.subgraphs[0].tensors:
        assert tensor.size == 1
        assert tensor.quantization.zero_point.tolist() == [0]
        assert np.frexp(tensor.quantization.scale)[0] == 0.5


def test_one_value_is_left_of_all_pairs():
    """ADD rounded once has power-of-two scales, zero points 0, and one pair with a 0."""
    small = first(binary.FAMILY, "ADD int8 pairs", planted({"ADD": {"requantize": "single"}}))
    assert [x.size for x in small.inputs] == [1, 1]
    assert min(abs(int(x.reshape(-1)[0])) for x in small.inputs) == 0
    for tensor in small.model.subgraphs[0].tensors:
        assert tensor.quantization.zero_point.tolist() == [0]
        assert np.frexp(tensor.quantization.scale)[0] == 0.5


def test_a_trial_that_does_not_fail_is_an_error():
    with pytest.raises(ValueError, match="does not fail"):
        smallest(affine.FAMILY.kinds["CONV_2D int8"], np.random.default_rng(0), lambda trial: "")


def test_a_different_failure_is_not_the_first_failure():
    """A trial that fails differently when it is smaller stays unchanged."""
    kind, begin = "MEAN int8", start("MEAN int8", 0, 3)
    whole = reduce.FAMILY.kinds[kind](start(kind, 0, 3))
    size = weight(whole)
    small = smallest(
        reduce.FAMILY.kinds[kind], begin, lambda t: "differs" if weight(t) >= size else "ValueError"
    )
    assert weight(small) == size


@pytest.mark.parametrize("module", FAMILIES, ids=lambda m: m.__name__.split(".")[-1])
def test_draws_equal_numpy(module):
    """Draws without replacements give the same trial as numpy, and recorded draws give it again."""
    for kind, make in list(module.FAMILY.kinds.items())[::9]:
        begin = start(kind, 5, 0)
        recorded = Draws(begin)
        first, again = make(recorded), make(Draws(begin, recorded.made))
        for other in (first, again):
            whole = make(start(kind, 5, 0))
            assert described(other) == described(whole)
            assert all(np.array_equal(a, b) for a, b in zip(other.runs[-1], whole.runs[-1], strict=True))


def test_replaced_numbers_stay_within_the_requested_range():
    def make(random: np.random.Generator) -> tuple[int, int]:
        high = int(random.integers(1, 100))
        return high, int(random.integers(0, high))

    draws = Draws(np.random.default_rng(8))
    make(draws)
    (one, two) = draws.made.draws
    assert make(Draws(np.random.default_rng(8), draws.made.with_numbers({one: 5, two: 77}))) == (5, 4)
    assert Record().with_numbers({}).draws == {}


def test_the_sweep_prints_the_small_trial(oracle: Oracle) -> None:
    """A variant with half up instead of LiteRT's half away is found and minimized on LiteRT."""
    wrong = replace(affine.FAMILY, faults={"CONV_2D": {"requantize": "single"}})
    found = sweep(wrong, "CONV_2D int8", "reference", oracle, 8)
    assert 0 < len(found.small) <= 3
    assert all(text.startswith("CONV_2D {") and text.count("\n") in (3, 4) for text in found.small)
    assert any("int8[1, 1, 1, 1]" in text for text in found.small), found.small


def test_a_smaller_model_is_still_a_model(oracle: Oracle) -> None:
    small = first(binary.FAMILY, "MUL int8 pairs", planted({"MUL": {"requantize": "single"}}))
    (theirs,) = oracle.run_many(model_bytes(small.model), small.runs)
    (ours,) = run(small.model, small.inputs).outputs.values()
    assert np.array_equal(ours, theirs[0])
