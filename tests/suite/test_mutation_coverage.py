"""Mutation coverage: the case that detects each mistake, and reports of undetected mistakes."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from litecheck.data import schemas_dir
from litecheck.errors import ConfigError
from litecheck.rendering.formats import render
from litecheck.suite.equivalent_mutants import equivalent_mutants
from litecheck.suite.manifest import MANIFEST, Suite, read_suite
from litecheck.suite.mutation_coverage import prove

pytestmark = pytest.mark.slow


def test_every_flag_of_the_manifest_detects_its_mistake(suite: Suite) -> None:
    detected = {(row.opcode, row.kind, row.mistake) for row in prove(suite).rows if row.detected}
    flags = {(case.opcode, case.kind, flag.mistake) for case in suite.manifest.cases for flag in case.flags}
    assert detected == flags


def test_rounding_mistakes_survive_a_tolerance_of_1_lsb(suite: Suite) -> None:
    let_through = {row.mistake for row in prove(suite).survivors(1)}
    assert {"requantize: single", "requantize: floor"} <= let_through


def test_a_mistake_survives_without_its_detecting_cases(suite: Suite, tmp_path: Path) -> None:
    """Control: the remaining suite cannot distinguish single rounding from double."""
    shutil.copytree(suite.folder, tmp_path / "less")
    kept = tuple(
        case
        for case in suite.manifest.cases
        if not any(f.mistake == "requantize: single" for f in case.flags)
    )
    assert 0 < len(kept) < len(suite.manifest.cases)
    (tmp_path / "less" / MANIFEST).write_text(replace(suite.manifest, cases=kept).text())
    table = prove(read_suite(tmp_path / "less"))
    assert not any(row.mistake == "requantize: single" and row.detected for row in table.rows)


def test_coverage_is_measured_for_the_requested_arithmetic(suite: Suite) -> None:
    """The reference's variant is a mistake under XNNPACK's arithmetic, and vice versa."""
    names = {
        a: {row.mistake for row in prove(suite, a).rows if row.opcode == "TRANSPOSE_CONV"}
        for a in ("litert-reference", "litert-xnnpack")
    }
    assert "requantize: double" in names["litert-xnnpack"] - names["litert-reference"]
    with pytest.raises(ConfigError, match="no answers of the arithmetic 'other'"):
        prove(suite, "other")


def test_the_table_in_every_format(suite: Suite) -> None:
    table = prove(suite)
    for name in ("text", "markdown", "html", "json"):
        assert "TANH" in render(table, name)
    document = json.loads(render(table, "json"))
    schema = json.loads((schemas_dir() / "kills.schema.json").read_text())
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(document)
    assert document["summary"]["mistakes"] == len(table.non_equivalent)


def test_every_reason_is_given() -> None:
    assert all(entry.because for entry in equivalent_mutants())
