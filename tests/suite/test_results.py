"""Results are checked line by line, and their files stay in their folder."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from litecheck.errors import ConfigError
from litecheck.reference.engine.arithmetic import load_arithmetic
from litecheck.suite.case_outcome import CaseOutcome
from litecheck.suite.manifest import Suite
from litecheck.suite.result_verdicts import judge
from litecheck.suite.results import RESULTS, read_results
from litecheck.suite.suite_run import run
from tests.suite.devices import Computing
from tests.suite.recorded import recorded

posix = pytest.mark.skipif(os.name == "nt", reason="links and pipes as POSIX has them")


def lines_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / RESULTS).read_text().splitlines()]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("[" * 100_000, r"results\.jsonl:3: not JSON: nested too deeply"),
        (
            {"outcome": "nonsense"},
            r"results\.jsonl:3: no result: outcome is 'nonsense', not one of answered, exact",
        ),
        (
            {"seconds": int("9" * 400)},
            r"results\.jsonl:3: no result: seconds is 9+…, not a number that a float64",
        ),
        (
            {"outputs": [{"file": "../x", "dtype": "", "shape": [], "sha256": ""}]},
            r":3: a file lies outside the",
        ),
        (
            {"outputs": [{"file": "C:x", "dtype": "", "shape": [], "sha256": ""}]},
            r":3: a file lies outside the",
        ),
        (
            {"outputs": [{"file": "x", "dtype": "", "shape": [-1], "sha256": ""}]},
            r"shape\[0\] is -1, not a whole",
        ),
        ({"delegated": 1}, r"delegated is 1, not a list"),
        ("", r"results\.jsonl:3: not JSON: Expecting value"),
        ('{"case": "a", "case": "b"}', r"results\.jsonl:3: not JSON: an object has the key 'case' twice"),
    ],
)
def test_a_wrong_line_is_an_error_with_its_number(
    small: Suite, tmp_path: Path, line: str | dict[str, Any], message: str
) -> None:
    tmp_path /= "results"
    recorded(small, tmp_path)
    lines = (tmp_path / RESULTS).read_text().splitlines()
    lines[2] = line if isinstance(line, str) else json.dumps({**json.loads(lines[2]), **line})
    (tmp_path / RESULTS).write_text("\n".join(lines) + "\n")
    with pytest.raises(ConfigError, match=message):
        read_results(tmp_path, small)


@posix
@pytest.mark.parametrize("kind", ["zero", "pipe"])
def test_files_that_are_no_files_of_the_folder_are_not_read(
    small: Suite, tmp_path: Path, kind: str, in_time: None
) -> None:
    tmp_path /= "results"
    recorded(small, tmp_path)
    result = next(line for line in lines_of(tmp_path)[1:] if line["outputs"])
    results = read_results(tmp_path, small)
    reads = {
        result["outputs"][0]["file"]: lambda: results.outputs(results.cases[result["case"]]),
        RESULTS: lambda: read_results(tmp_path, small),
    }
    for name, read in reads.items():
        (tmp_path / name).unlink()
        os.mkfifo(tmp_path / name) if kind == "pipe" else (tmp_path / name).symlink_to("/dev/zero")
        with pytest.raises(ConfigError, match=r"expected a regular file|the link leaves the folder"):
            read()


@posix
@pytest.mark.parametrize("name", ["outputs", RESULTS])
def test_a_run_does_not_write_through_links_that_leave_its_folder(
    small: Suite, tmp_path: Path, name: str
) -> None:
    target, outside = tmp_path / "results", tmp_path / "outside"
    target.mkdir()
    outside.mkdir() if name == "outputs" else outside.write_bytes(b"")
    (target / name).symlink_to(outside)
    with pytest.raises(ConfigError, match="the link leaves the folder"):
        run(small, Computing(load_arithmetic("litert-reference")), target, resume=True)
    assert list(outside.iterdir()) == [] if name == "outputs" else outside.read_bytes() == b""


@pytest.mark.parametrize(
    ("suffix", "damage"),
    [
        (".bin", lambda content: content + b"xx"),
        (".bin", lambda content: content[:-1]),
        (".npy", lambda content: content[:-1]),
        (".npy", lambda content: b"no array"),
    ],
    ids=["longer", "shorter", "truncated", "no-npy"],
)
def test_an_output_file_of_a_wrong_size_fails_only_its_case(
    suffix: str, damage: Callable[[bytes], bytes], small: Suite, tmp_path: Path
) -> None:
    recorded(small, tmp_path / "own")
    (tmp_path / "own" / RESULTS).unlink()
    first, *rest = sorted((tmp_path / "own").rglob("*.npy"))
    content = first.read_bytes() if suffix == ".npy" else np.load(first).tobytes()
    first.unlink()
    first.with_suffix(suffix).write_bytes(damage(content))
    results = read_results(tmp_path / "own", small)
    report = judge(small, results)
    (failed,) = (case for case in report.cases if case.ending is CaseOutcome.FAILED)
    assert failed.message.startswith(str(first.with_suffix(suffix)))
    assert report.counts()["passed"] == len(rest)
    (entry,) = results.cases[failed.name].outputs
    assert entry.sha256 == hashlib.sha256(damage(content)).hexdigest()


def test_outputs_of_another_suite_are_an_error(small: Suite, tmp_path: Path) -> None:
    recorded(small, tmp_path / "own")
    (tmp_path / "own" / RESULTS).unlink()
    few = replace(small, manifest=replace(small.manifest, cases=()))
    number = len(list((tmp_path / "own").rglob("output-0.npy")))
    with pytest.raises(
        ConfigError, match=rf"outputs of {number} cases that .* does not have, as .*; results of"
    ):
        read_results(tmp_path / "own", few)
    (tmp_path / "own" / "outputs" / "notes.txt").write_text("a note")
    assert read_results(tmp_path / "own", small).cases
