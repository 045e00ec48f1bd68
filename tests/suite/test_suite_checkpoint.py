"""Unfinished suites: an interruption keeps complete operators only with ``resume``, and changed options are an error."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from litecheck.errors import ConfigError
from litecheck.suite.manifest import MANIFEST
from litecheck.suite.suite_writer import Scope, make

SCOPE = Scope(select=("TANH/int8/65*", "RESHAPE/int8/flat*"), flags=False)


class StoppedError(Exception):
    """Error that represents an interruption."""


def interrupt(folder: Path, resume: bool) -> None:
    def progress(name: str) -> None:
        raise StoppedError

    with pytest.raises(StoppedError):
        make(SCOPE, folder, progress=progress, resume=resume)


def test_an_interrupted_suite_continues_with_the_complete_operators(tmp_path: Path) -> None:
    whole, made = make(SCOPE, tmp_path / "whole"), list[str]()
    interrupt(tmp_path / "suite", resume=True)
    (unfinished,) = tmp_path.glob(".*")
    (first,) = (unfinished / "cases").iterdir()
    kept = next(first.rglob("model.tflite"))
    time = kept.stat().st_mtime_ns
    assert make(SCOPE, tmp_path / "suite", progress=made.append, resume=True) == whole
    assert made == ["TANH", "RESHAPE"]
    assert (tmp_path / "suite" / kept.relative_to(unfinished)).stat().st_mtime_ns == time
    content = (path.relative_to(tmp_path / "whole") for path in (tmp_path / "whole").rglob("*"))
    assert {path.relative_to(tmp_path / "suite") for path in (tmp_path / "suite").rglob("*")} == set(content)
    assert (tmp_path / "suite" / MANIFEST).read_bytes() == (tmp_path / "whole" / MANIFEST).read_bytes()
    assert not list(tmp_path.glob(".*"))


def test_without_resume_no_file_stays(tmp_path: Path) -> None:
    interrupt(tmp_path / "suite", resume=False)
    assert not list(tmp_path.iterdir())


def test_other_options_do_not_continue(tmp_path: Path) -> None:
    interrupt(tmp_path / "suite", resume=True)
    with pytest.raises(ConfigError, match=r"another run: seed was 0, is 1"):
        make(replace(SCOPE, seed=1), tmp_path / "suite", resume=True)
    assert make(SCOPE, tmp_path / "suite", resume=True).seed == 0
