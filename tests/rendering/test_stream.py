"""Reports of streams as people and programs see them."""

from __future__ import annotations

import io
import json
from pathlib import Path

import jsonschema
import pytest
from rich.console import Console

from litecheck.rendering.stream import json_text, print_report
from litecheck.suite.stream.stream_report import StreamReport
from litecheck.suite.stream.stream_verdict import judge_stream
from tests.suite.stream.conftest import answered, made

SCHEMA = json.loads((Path(__file__).parents[2] / "schemas" / "stream.schema.json").read_text())


def reported(by: str) -> StreamReport:
    answers = answered(made("SOFTMAX", count=256), by="" if by == "nothing" else by)
    if by == "nothing":
        answers[9] = b"8 500 -500\n"
    return judge_stream(answers)


def text(report: StreamReport) -> str:
    file = io.StringIO()
    print_report(report, Console(file=file, width=80, color_system=None))
    return " ".join(file.getvalue().split())


@pytest.mark.slow
@pytest.mark.parametrize("by", ["", "symmetric-output", "nothing"])
def test_the_document_keeps_its_schema(by: str) -> None:
    report = reported(by)
    document = json.loads(json_text(report))
    jsonschema.Draft202012Validator(SCHEMA).validate(document)
    assert (document["exit_code"], document["failed"]) == (report.exit_code, report.failed)


def test_correct_answers_are_exact() -> None:
    told = text(reported(""))
    assert told.startswith("stream SOFTMAX")
    assert "exact vectors 256 of softmax, level smoke, seed 0" in told
    assert "failed" not in told


def test_the_defect_that_gives_every_answer_is_named() -> None:
    told = text(reported("symmetric-output"))
    assert "explained symmetric-output (clamps the output to at least -127) gives every answer" in told
    assert "first vector" in told


def test_unexplained_answers_are_reported() -> None:
    told = text(reported("nothing"))
    assert "failed 1 vector, 0.39% first vector 8:" in told
    assert "got 500 -500" in told
    assert "explained no known defect gives every answer" in told
    assert "unknown no known defect gives 1 failing answer" in told


def test_the_schema_states_the_version() -> None:
    from litecheck.data import schemas_dir
    from litecheck.rendering.stream import VERSION

    schema = json.loads((schemas_dir() / "stream.schema.json").read_text("utf-8"))
    assert schema["properties"]["litecheck_stream"]["const"] == VERSION
