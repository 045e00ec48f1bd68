"""A verification goes to JSON and back without loss."""

from __future__ import annotations

import json
import math
import types
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from typing import Any, get_args, get_origin, get_type_hints

import numpy as np
import pytest

from litecheck.comparison.types import Difference, ExplainedElement, MismatchExample
from litecheck.devices.outcome import Outcome
from litecheck.errors import ConfigError
from litecheck.quantizer.comparison_result import Bucket
from litecheck.verification.result import Verdict, Verification
from litecheck.verification.serialize import from_json, to_json, verdict_from_json, verdict_to_json

pytestmark = pytest.mark.slow

hypothesis = pytest.importorskip("hypothesis")
st = pytest.importorskip("hypothesis.strategies")

VERDICT = Verdict(
    "0001-CONV_2D",
    0,
    (1,),
    ("CONV_2D",),
    "conv",
    Outcome.MISMATCH,
    elements=8,
    differences=(
        Difference(
            3,
            "conv",
            "int8",
            (1, 8),
            "LSB",
            8,
            1,
            1,
            0.0,
            -1.0,
            (Bucket(-1, -1, 1),),
            worst=MismatchExample(0, (0, 3), 7.0, 6.0),
            explained=ExplainedElement((0, 3), "0", "tflm", (), 7, 6, 5, 0.1, (1 << 30, -3), "6.5000"),
        ),
    ),
)
RUN = Verification("0.1.0", "m", "0" * 64, "tflm", "tflm", ("tflm",), "operators", "", (VERDICT,))


def strategy(kind: Any) -> Any:
    """Return a strategy for a field's type; names contain surrogates, like file names that are not UTF-8."""
    origin, inner = get_origin(kind), get_args(kind)
    if is_dataclass(kind):
        hints = get_type_hints(kind)
        return st.builds(kind, **{f.name: strategy(hints[f.name]) for f in fields(kind)})  # type: ignore[arg-type]
    if origin is tuple and inner[-1] is Ellipsis:
        return st.lists(strategy(inner[0]), max_size=3).map(tuple)
    if origin is tuple:
        return st.tuples(*map(strategy, inner))
    if origin is types.UnionType:
        return st.none() | strategy(inner[0])
    if kind is str:
        return st.text(
            st.characters(exclude_categories=["Cs"]) | st.sampled_from("\udc80\udcff\x00\x1b"), max_size=6
        )
    if issubclass(kind, Enum):
        return st.sampled_from(kind)
    return {int: st.integers(-(1 << 63), (1 << 63) - 1), float: st.floats(), bool: st.booleans()}[kind]


@hypothesis.settings(max_examples=60, suppress_health_check=list(hypothesis.HealthCheck))
@hypothesis.given(strategy(Verification))
def test_every_verification_comes_back(verification: Verification) -> None:
    document = json.loads(json.dumps(to_json(verification), allow_nan=False))
    # repr distinguishes -0.0 from 0.0 and 1 from 1.0 and True, and nan equals nan.
    assert repr(from_json(document)) == repr(verification)


@hypothesis.settings(max_examples=60, suppress_health_check=list(hypothesis.HealthCheck))
@hypothesis.given(strategy(Verdict))
def test_every_verdict_comes_back(verdict: Verdict) -> None:
    line = json.dumps(verdict_to_json(verdict), allow_nan=False)
    assert "\n" not in line
    assert repr(verdict_from_json(json.loads(line))) == repr(verdict)


def test_numbers_have_the_declared_types() -> None:
    (found,) = VERDICT.differences
    loose = replace(found, largest=np.float32(-1), tolerance=1, size=np.int64(8), shape=(np.int32(1), 8))
    (told,) = verdict_to_json(replace(VERDICT, differences=(loose,)))["differences"]
    assert [type(told[key]) for key in ("largest", "tolerance", "size")] == [float, float, int]
    assert json.dumps(told["shape"]) == "[1, 8]"


def test_numbers_that_json_lacks_are_text() -> None:
    spot = MismatchExample(0, (), math.nan, -math.inf)
    (found,) = VERDICT.differences
    told = verdict_to_json(replace(VERDICT, differences=(replace(found, worst=spot),)))
    assert told["differences"][0]["worst"] == {"run": 0, "index": [], "expected": "nan", "actual": "-inf"}


def test_unknown_keys_are_ignored_and_missing_keys_have_defaults() -> None:
    document = to_json(RUN)
    document["verdict"] = "fails"
    document["verdicts"][0]["failing"] = True
    del document["drift"], document["verdicts"][0]["also"]
    assert from_json(document) == RUN


def spoiled(path: str, value: object) -> dict[str, Any]:
    document = to_json(RUN)
    *way, last = path.split("/")
    place: Any = document
    for step in way:
        place = place[int(step) if step.isdigit() else step]
    place[int(last) if last.isdigit() else last] = value
    return document


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("litecheck_verification", 1, "litecheck_verification is 1, not 2"),
        ("model", None, "model is None, not a string"),
        ("verdicts", "x", "verdicts is 'x', not a list"),
        ("verdicts/0", [], r"verdicts\[0\] is \[\], not an object"),
        ("verdicts/0/elements", True, r"verdicts\[0\].elements is True, not a whole number"),
        ("verdicts/0/elements", 1.0, "elements is 1.0, not a whole number"),
        ("verdicts/0/outcome", "fine", r"verdicts\[0\].outcome is 'fine', not one of exact, within"),
        ("verdicts/0/outcome", [], r"verdicts\[0\].outcome is \[\], not one of"),
        ("verdicts/0/differences/0/largest", "big", "largest is 'big', not a number"),
        ("verdicts/0/differences/0/explained/fixed", [1], r"fixed is \[1\], not a list of 2"),
        ("fail_on_fallback", 0, "fail_on_fallback is 0, not true or false"),
        ("notes", "n" * 100, "notes is 'nnn.*…, not a list"),
    ],
)
def test_an_invalid_verification_is_an_error_with_its_path(path: str, value: object, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        from_json(spoiled(path, value))


@pytest.mark.parametrize("document", [None, [], "x", {}])
def test_documents_of_other_kinds_are_errors(document: object) -> None:
    with pytest.raises(ConfigError, match="no verification: litecheck_verification is None"):
        from_json(document)


def test_a_missing_field_is_named() -> None:
    document = to_json(RUN)
    del document["verdicts"][0]["name"]
    with pytest.raises(ConfigError, match=r"verdicts\[0\].name is missing"):
        from_json(document)
    with pytest.raises(ConfigError, match="no verification: case is missing"):
        verdict_from_json({})
