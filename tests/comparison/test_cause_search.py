"""Search for variants that explain outputs: a single variant, two, a variant with a location, or none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from litecheck.cases.stimulus import Stimuli
from litecheck.comparison.cause_search import find_causes
from litecheck.comparison.types import Cause
from litecheck.comparison.wording import gathering_sentence
from litecheck.reference.engine.arithmetic import Arithmetic, load_arithmetic
from tests.verification import elements
from tests.verification.elements import Made

REFERENCE = load_arithmetic("litert-reference")


def using(opcode: str, **stages: str) -> Arithmetic:
    return replace(REFERENCE, stages={**REFERENCE.stages, opcode: {**REFERENCE.variants(opcode), **stages}})


def explained(
    arithmetic: Arithmetic, change: Callable[[np.ndarray], object] = lambda out: None, runs: int = 6
) -> tuple[Cause, ...]:
    """Return the causes found for a convolution with this arithmetic and outputs changed in place."""
    several = [elements.conv(np.random.default_rng(7), stride=1)]
    rng = np.random.default_rng(1)
    several += [Made(several[0].model, (elements.draw(rng, (2, 6, 7, 4)),)) for _ in range(runs - 1)]
    actual = []
    for made in several:
        out = made.output(arithmetic).copy()
        change(out)
        actual.append((out,))
    fed = Stimuli(("random",) * len(several), [made.inputs for made in several])
    return find_causes(several[0].case, fed, tuple(actual), REFERENCE, ())


def names(found: tuple[Cause, ...]) -> set[str]:
    return {" and ".join(cause.names) for cause in found}


@pytest.mark.parametrize("defect", ["no-bias", "wraps", "swapped-weight-scales", "neighbour-bias", "u8s8"])
def test_a_departure_explains_all(defect: str) -> None:
    found = explained(using("CONV_2D", defect=defect))
    assert f"defect: {defect}" in names(found)
    assert all(cause.left == 0 and cause.explained > 0 and cause.does for cause in found)


def test_a_rounding_explains_all() -> None:
    found = explained(using("CONV_2D", requantize="floor"))
    assert names(found) == {"requantize: floor"}


def test_a_rounding_and_a_departure_together() -> None:
    found = explained(using("CONV_2D", requantize="floor", defect="no-bias"))
    assert {frozenset(cause.names) for cause in found} >= {
        frozenset({"requantize: floor", "defect: no-bias"})
    }
    assert all(cause.left == 0 for cause in found)


def test_a_rounding_and_a_wrong_channel() -> None:
    def wrong(out: np.ndarray) -> None:
        out[..., 4] ^= 1

    (cause,) = explained(using("CONV_2D", requantize="floor"), wrong)
    assert cause.names == ("requantize: floor",)
    assert cause.left == 6 * 2 * 6 * 7
    assert gathering_sentence(cause.patterns[0]).startswith("all 504 differences lie in channel 4 of 6")


def test_a_wrong_channel_alone_is_no_way_of_computing() -> None:
    def wrong(out: np.ndarray) -> None:
        out[..., 4] ^= 1

    assert explained(REFERENCE, wrong) == ()


def test_noise_is_not_explained() -> None:
    """Negative control: noise has no explanation, although a variant is always slightly nearer."""
    for seed in range(3):
        rng = np.random.default_rng(seed)

        def noisy(out: np.ndarray, rng: np.random.Generator = rng) -> None:
            out += rng.integers(-1, 2, out.shape).astype(np.int8)

        assert explained(REFERENCE, noisy) == ()


def test_the_cause_of_an_earlier_case_is_tried_first() -> None:
    made = elements.conv(np.random.default_rng(7), stride=1)
    actual = ((made.output(using("CONV_2D", defect="no-bias")),),)
    fed = Stimuli(("random",), [made.inputs])
    likely = frozenset({("defect: no-bias",)})
    assert names(find_causes(made.case, fed, actual, REFERENCE, (), likely)) == {"defect: no-bias"}
    other = frozenset({("defect: wraps",)})
    assert "defect: no-bias" in names(find_causes(made.case, fed, actual, REFERENCE, (), other))
