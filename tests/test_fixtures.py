"""The models in ``fixtures``: their recipes make the same bytes, and each broken model has its intended
finding."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from fixtures.broken import BROKEN
from fixtures.build import HERE, files
from fixtures.models import MODELS
from litecheck.checks.validate import validate_file
from litecheck.model.load import load_models
from litecheck.model.types import Model

#: Conforming models without uncovered operators: the number of operators of each model in the file.
CONFORMING = {
    "conv_int8.tflite": [7],
    "fc_int8.tflite": [1],
    "int16x8.tflite": [1],
    "uint8.tflite": [1],
    "hybrid.tflite": [1],
    "two_signatures.tflite": [2],
    "outside_buffers.tflite": [7],
    "appended_zip.tflite": [1],
    "bundle.task": [7, 1],
    "bundle.litertlm": [1, 7],
}


@pytest.fixture(scope="module")
def built() -> dict[str, bytes]:
    return files()


def test_every_file_equals_the_output_of_its_recipe(built: dict[str, bytes]) -> None:
    there = {p.name for p in HERE.iterdir() if p.suffix in (".tflite", ".task", ".litertlm", ".npz")}
    assert there == built.keys()
    stale = [name for name, content in built.items() if (HERE / name).read_bytes() != content]
    assert stale == [], "run python -m fixtures.build, and review the changes"


@pytest.mark.parametrize("name", sorted(BROKEN))
def test_a_broken_model_has_exactly_the_finding_it_was_broken_for(name: str) -> None:
    (report,) = validate_file(str(HERE / f"broken_{name}.tflite"))
    assert report.problems == ()
    assert {finding.path for finding in report.findings} == {BROKEN[name][0]}


@pytest.mark.parametrize("name", sorted(CONFORMING))
def test_a_conforming_file_has_no_findings(name: str) -> None:
    reports = validate_file(str(HERE / name))
    assert [r.findings for r in reports] == [()] * len(reports)
    assert [r.coverage["conforms"] for r in reports] == CONFORMING[name]
    assert [len(r.operators) for r in reports] == CONFORMING[name]


@pytest.mark.parametrize(
    ("name", "status", "paths"),
    [("float", "structure checked only", []), ("custom_op", "not covered", ["CUSTOM/kernel"])],
)
def test_operators_without_a_quantization_rule_have_a_status_and_a_reason(
    name: str, status: str, paths: list[str]
) -> None:
    (report,) = validate_file(str(HERE / f"{name}.tflite"))
    assert [f.path for f in report.findings] == paths
    assert report.operators[-1].status == status
    assert report.operators[-1].reason


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("truncated", "cut-off"),
        ("offset", "offset-outside-file"),
        ("sharing", "shared-too-often"),
    ],
)
def test_a_damaged_file_is_located_and_not_judged(name: str, code: str) -> None:
    (report,) = validate_file(str(HERE / f"damaged_{name}.tflite"))
    assert code in {problem.code for problem in report.problems}
    assert report.operators == ()


def test_buffers_and_appended_files_lie_where_they_should() -> None:
    (outside,) = load_models(HERE / "outside_buffers.tflite")
    assert isinstance(outside, Model)
    assert [b.outside for b in outside.buffers].count(True) == 2
    assert (HERE / "appended_zip.tflite").read_bytes().endswith(b"\0\0")
    assert (HERE / "bundle.task").read_bytes()[:1] == b"\0", "the file begins with NULs"


@pytest.mark.runtime
def test_litert_runs_valid_models(litert: Callable[[Sequence[Path]], list[str]]) -> None:
    names = [f"{name}.tflite" for name in MODELS if name != "custom_op"]
    lines = litert([HERE / name for name in (*names, "outside_buffers.tflite", "appended_zip.tflite")])
    assert [line for line in lines if not line.startswith("outputs")] == []
    answers = dict(zip((*names, "outside", "appended"), lines, strict=True))
    assert answers["outside"] == answers["conv_int8.tflite"]
    assert answers["appended"] == answers["fc_int8.tflite"]
