"""The arithmetic file of a diagnosis, whole."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
import yaml

from litecheck.diagnosis.result import ExcludedCandidate, Hypothesis, OperatorDiagnosis
from litecheck.rendering.arithmetic_file import arithmetic_yaml, base_of, choose_hypothesis
from tests.rendering.test_diagnosis import DIAGNOSIS, DOUBLE, EXCLUDED, FLOOR, PAIR, SINGLE

GROUPED = Hypothesis((("requantize", "double"), ("requantize/grouped", "floor"), ("accumulate", "wraps")))
ONLY = Hypothesis((), published=("litert-xnnpack",))


def found(
    *fits: Hypothesis, opcode: str = "ADD", excluded: tuple[ExcludedCandidate, ...] = ()
) -> OperatorDiagnosis:
    return OperatorDiagnosis(opcode, "int8", ("requantize",), 1, 5, fits, excluded)


def test_the_file(golden: Callable[[str, str], None]) -> None:
    """ADD differs between two types and has an entry for each. SUB was not answered and MUL is not explained."""
    published = replace(EXCLUDED, way=replace(SINGLE, published=("tflm",)))
    further = (
        replace(DIAGNOSIS.operators[0], kind="int16", fits=(SINGLE,), excluded=(PAIR, EXCLUDED, published)),
        found(GROUPED, opcode="FULLY_CONNECTED"),
    )
    diagnosis = replace(DIAGNOSIS, operators=(*DIAGNOSIS.operators, *further))
    golden("diagnosis.arithmetic.yaml", arithmetic_yaml(diagnosis, "Acme NPU"))


GROUP = Hypothesis((("requantize/grouped", "floor"),))
WRONG = Hypothesis((("requantize", "double"),), "wraps")


@pytest.mark.parametrize(
    ("int8", "int16", "entries"),
    [
        (DOUBLE, DOUBLE, {"ADD": {"requantize": "double"}}),
        (DOUBLE, GROUP, {"ADD": {"requantize": {"default": "double", "grouped": "floor"}}}),
        (DOUBLE, SINGLE, {"ADD/int8": {"requantize": "double"}, "ADD/int16": {"requantize": "single"}}),
        (
            DOUBLE,
            WRONG,
            {"ADD/int8": {"requantize": "double"}, "ADD/int16": {"requantize": "double", "defect": "wraps"}},
        ),
    ],
)
def test_types_that_differ_have_an_entry_each(
    int8: Hypothesis, int16: Hypothesis, entries: dict[str, object]
) -> None:
    operators = (found(int8), replace(found(int16), kind="int16"))
    stated = yaml.safe_load(arithmetic_yaml(replace(DIAGNOSIS, operators=operators), "acme"))["operators"]
    assert {
        key: {k: v for k, v in entry.items() if k != "because"} for key, entry in stated.items()
    } == entries


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
def test_the_base_fits_most_operators(operators: tuple[OperatorDiagnosis, ...], base: str) -> None:
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
    assert choose_hypothesis(found(*fits), base) == wanted
