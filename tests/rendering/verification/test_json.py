"""A verification as JSON, and its published schema."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from litecheck.rendering.formats import render
from litecheck.verification.result import Verification
from litecheck.verification.serialize import from_json

SCHEMA = json.loads((Path(__file__).parents[3] / "schemas/verification.schema.json").read_text())


def validator() -> Any:
    return pytest.importorskip("jsonschema").Draft202012Validator(SCHEMA)


def test_the_schema_is_itself_valid() -> None:
    validator().check_schema(SCHEMA)


def test_verifications_keep_the_published_schema(
    sample: Verification, good: Verification, unjudged: Verification
) -> None:
    for verification in (sample, good, unjudged, replace(good, verdicts=())):
        validator().validate(json.loads(render(verification, "json")))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda d: d.update(litecheck_verification=1),
        lambda d: d.update(extra=1),
        lambda d: d.pop("exit_code"),
        lambda d: d["counts"].update(fine=1),
        lambda d: d["verdicts"][0].update(outcome="fine"),
        lambda d: d["verdicts"][1]["differences"][0]["worst"].update(expected="big"),
        lambda d: d["verdicts"][1]["differences"][0]["explained"].update(fixed=[1]),
        lambda d: d["drift"][0].pop("rms"),
        lambda d: d["operations"][0].update(index=-1),
    ],
)
def test_the_schema_rejects_invalid_documents(
    sample: Verification, spoil: Callable[[dict[str, Any]], object]
) -> None:
    document = json.loads(render(sample, "json"))
    spoil(document)
    assert not validator().is_valid(document)


def test_every_key_of_the_schema_is_described_and_required() -> None:
    def objects(node: Any) -> Iterator[dict[str, Any]]:
        if isinstance(node, dict):
            if isinstance(node.get("properties"), dict):
                yield node
            for child in node.values():
                yield from objects(child)

    for found in objects(SCHEMA):
        assert not [name for name, child in found["properties"].items() if "description" not in child]
        if found["properties"] != SCHEMA["properties"]["counts"]["properties"]:
            assert found["required"] == list(found["properties"])
    assert all("description" in definition for definition in SCHEMA["$defs"].values())


def test_keys_have_the_order_of_the_schema(sample: Verification) -> None:
    document = json.loads(render(sample, "json"))
    assert list(document) == list(SCHEMA["properties"])
    for key, name in (("verdicts", "case"), ("drift", "step"), ("operations", "operation")):
        assert list(document[key][0]) == list(SCHEMA["$defs"][name]["properties"])


def test_a_document_is_read_back_unchanged(sample: Verification) -> None:
    assert repr(from_json(json.loads(render(sample, "json")))) == repr(sample)


def test_the_document_has_derived_values(sample: Verification) -> None:
    document = json.loads(render(sample, "json"))
    assert (document["verdict"], document["exit_code"]) == ("fails", 1)
    assert document["counts"]["mismatch"] == 5
    failing = [told["case"] for told in document["verdicts"] if told["failing"]]
    assert failing == [v.case for v in sample.verdicts if sample.failing(v)]
