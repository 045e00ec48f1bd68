"""The arithmetic file of a diagnosis, whole."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from litecheck.diagnosis.result import Diagnosed, Excluded, Hypothesis
from litecheck.rendering.arithmetic_file import arithmetic_yaml, base_of, chosen
from tests.rendering.test_diagnosis import DIAGNOSIS, DOUBLE, EXCLUDED, FLOOR, PAIR, SINGLE

GROUPED = Hypothesis((("requantize", "double"), ("requantize/grouped", "floor"), ("accumulate", "wraps")))
ONLY = Hypothesis((), published=("litert-xnnpack",))


def found(*fits: Hypothesis, opcode: str = "ADD", excluded: tuple[Excluded, ...] = ()) -> Diagnosed:
    return Diagnosed(opcode, "int8", ("requantize",), 1, 5, fits, excluded)


def test_the_file(golden: Callable[[str, str], None]) -> None:
    """ADD has two groups: the first variant of a step stays. SUB was not answered and MUL is not explained."""
    published = replace(EXCLUDED, way=replace(SINGLE, published=("tflm",)))
    further = (
        replace(DIAGNOSIS.operators[0], kind="int16", fits=(SINGLE,), excluded=(PAIR, EXCLUDED, published)),
        found(GROUPED, opcode="FULLY_CONNECTED"),
    )
    diagnosis = replace(DIAGNOSIS, operators=(*DIAGNOSIS.operators, *further))
    golden("diagnosis.arithmetic.yaml", arithmetic_yaml(diagnosis, "Acme NPU"))


@pytest.mark.parametrize(
    ("operators", "base"),
    [
        ((), "litert-reference"),
        ((found(DOUBLE),), "litert-reference"),
        ((found(ONLY),), "litert-xnnpack"),
        ((found(ONLY), found(DOUBLE)), "litert-reference"),
        ((found(ONLY), found(DOUBLE, ONLY)), "litert-xnnpack"),
        ((found(SINGLE), found(ONLY), found(ONLY), found(DOUBLE)), "litert-xnnpack"),
    ],
)
def test_the_base_fits_most_operators(operators: tuple[Diagnosed, ...], base: str) -> None:
    assert base_of(replace(DIAGNOSIS, operators=operators)) == base


@pytest.mark.parametrize(
    ("fits", "base", "wanted"),
    [
        ((), "tflm", None),
        ((FLOOR, SINGLE), "tflm", FLOOR),
        ((FLOOR, DOUBLE), "tflm", DOUBLE),
        ((FLOOR, DOUBLE), "litert-xnnpack", FLOOR),
    ],
)
def test_the_candidate_of_the_base_is_written(
    fits: tuple[Hypothesis, ...], base: str, wanted: Hypothesis | None
) -> None:
    assert chosen(found(*fits), base) == wanted
