"""A manifest is checked before it is used: names, types, shapes, answers; and files that links lead out of the folder."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from litecheck.errors import ConfigError, LitecheckError
from litecheck.suite.file_integrity import suite_discrepancies
from litecheck.suite.manifest import MANIFEST, Suite, read_suite

posix = pytest.mark.skipif(os.name == "nt", reason="links and pipes as POSIX has them")


@pytest.fixture
def copy(small: Suite, tmp_path: Path) -> Path:
    """Return the folder of a copy of the small suite."""
    shutil.copytree(small.folder, tmp_path / "suite")
    return tmp_path / "suite"


def positive(document: dict[str, Any]) -> dict[str, Any]:
    """Return the first case with inputs and answers."""
    found: dict[str, Any] = next(case for case in document["cases"] if case["inputs"] and case["answers"])
    return found


def change(folder: Path, edit: Callable[[dict[str, Any], dict[str, Any]], object]) -> None:
    """Edit the manifest, given whole and as its first positive case."""
    document = json.loads((folder / MANIFEST).read_text())
    edit(document, positive(document))
    (folder / MANIFEST).write_text(json.dumps(document))


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (
            lambda m, c: c["inputs"][0].update(dtype="nonsense"),
            r"dtype is 'nonsense', not the name of a numeric",
        ),
        (
            lambda m, c: c["inputs"][0].update(dtype="i4,i4"),
            r"dtype is 'i4,i4', not the name of a numeric type",
        ),
        (lambda m, c: c["inputs"][0].update(shape=[-1]), r"shape\[0\] is -1, not a whole number in 0\.\."),
        (lambda m, c: c["inputs"][0].update(shape=[10**30]), r"shape\[0\] is 10+, not a whole number of 64"),
        (lambda m, c: c["inputs"][0].update(shape=[]), r"has shape \[\], expected 0 runs"),
        (lambda m, c: c["answers"][0]["outputs"][0].update(shape=[3]), r"has shape \[3\], expected"),
        (lambda m, c: c.update(lengths=[1 << 20]), r"lengths is \[1048576\], expected a sum of"),
        (lambda m, c: c.update(answers=[]), r"answers is empty, expected the outputs of an arithmetic"),
        (
            lambda m, c: c["answers"][0].update(arithmetics=[]),
            r"expected some of the suite's: litert-reference",
        ),
        (lambda m, c: c["answers"][0].update(arithmetics=["/etc/x.yaml"]), r"expected some of the suite's"),
        (lambda m, c: m.update(arithmetics=[]), r"expected some of the suite's: none"),
        (lambda m, c: m.update(level="loud"), r"level is 'loud', not one of smoke, standard, exhaustive"),
        (lambda m, c: m.update(seed=1 << 70), r"seed is \d+, not a whole number of 64 bits"),
        (lambda m, c: c.update(model="a\0b"), r"lies outside the suite's folder"),
        (lambda m, c: c.update(model="/etc/passwd"), r"lies outside the suite's folder"),
        (lambda m, c: c.update(name="C:x"), r"lies outside the suite's folder"),
        (lambda m, c: c["inputs"][0].update(file="a\\..\\..\\b"), r"lies outside the suite's folder"),
        (lambda m, c: m.update(tool=None), r"tool is None, not a string"),
    ],
)
def test_a_wrong_value_is_an_error_with_its_place(
    copy: Path, edit: Callable[..., object], message: str
) -> None:
    change(copy, edit)
    with pytest.raises(ConfigError, match=message) as caught:
        read_suite(copy)
    assert str(copy / MANIFEST) in str(caught.value)


@pytest.mark.parametrize(
    "content", [b"[" * 100_000, b'{"litecheck_suite": 1, "litecheck_suite": 1}', b"\xff", b""]
)
def test_an_invalid_manifest_is_an_error(copy: Path, content: bytes) -> None:
    (copy / MANIFEST).write_bytes(content)
    with pytest.raises(ConfigError, match=r"manifest\.json(:1)?: not JSON: "):
        read_suite(copy)


def read_all(folder: Path) -> None:
    """Read every file of a suite, as a run and a judgment do."""
    suite = read_suite(folder)
    for case in suite.manifest.cases:
        suite.model(case)
        suite.inputs(case)
        for answer in case.answers:
            suite.expected_outputs(answer)


@posix
@pytest.mark.parametrize("kind", ["zero", "pipe", "outside"])
@pytest.mark.parametrize("member", ["model", "input", "output", "manifest"])
def test_members_that_are_no_files_of_the_folder_are_not_read(
    copy: Path, tmp_path: Path, kind: str, member: str, in_time: None
) -> None:
    case = positive(json.loads((copy / MANIFEST).read_text()))
    names = {
        "model": case["model"],
        "input": case["inputs"][0]["file"],
        "output": case["answers"][0]["outputs"][0]["file"],
        "manifest": MANIFEST,
    }
    path = copy / names[member]
    shutil.copy(path, tmp_path / "outside")
    path.unlink()
    if kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero" if kind == "zero" else tmp_path / "outside")
    wanted = "expected a regular file" if kind == "pipe" else "the link leaves the folder"
    with pytest.raises(LitecheckError, match=wanted) as caught:
        read_all(copy)
    assert names[member] in str(caught.value)
    if member != "manifest":
        (found,) = suite_discrepancies(read_suite(copy))
        assert found.kind == ("missing" if kind == "pipe" else "unreadable")


def test_a_file_larger_than_its_shape_is_not_read(copy: Path) -> None:
    suite = read_suite(copy)
    case = next(case for case in suite.manifest.cases if case.inputs)
    with open(copy / case.inputs[0].file, "ab") as file:
        file.truncate(1 << 40)
    with pytest.raises(ConfigError, match="the file is too large: got more than the limit of"):
        suite.inputs(case)


def test_a_folder_of_results_is_named(tmp_path: Path) -> None:
    (tmp_path / "results.jsonl").touch()
    with pytest.raises(
        ConfigError, match=r"no suite, manifest\.json: .*; it holds results, which follow the suite"
    ):
        read_suite(tmp_path)
