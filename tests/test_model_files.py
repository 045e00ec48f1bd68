"""Model files that arguments name: files, folders and globs, without leaving a folder or walking in circles."""

from __future__ import annotations

import errno
import os
import re
from pathlib import Path

import pytest

from litecheck.errors import ModelError
from litecheck.model_files import find_models

posix = pytest.mark.skipif(os.name == "nt", reason="links as POSIX has them")


def test_models_each_once_in_the_order_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("b.tflite", "a.TFLITE", "x.txt", "d/c.task", "d/.git/h.tflite", "[1].lite"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).touch()
    assert find_models(["x.txt", "d", "[ab].*", "b.tflite", "[1].lite"]) == (
        "x.txt", os.path.join("d", "c.task"), "a.TFLITE", "b.tflite", "[1].lite",
    )  # fmt: skip
    assert find_models(["**/*.task"]) == (os.path.join("d", "c.task"),)


@pytest.mark.parametrize("argument", ["absent", "*.absent", "empty", "emp*"])
def test_arguments_without_a_model_are_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, argument: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("empty").mkdir()
    Path("a.tflite").touch()
    none, there = find_models([argument, "a.tflite"])
    assert isinstance(none, ModelError)
    assert re.search(r"no (such file|file matches|model in this folder)", str(none))
    assert there == "a.tflite"


def test_a_folder_that_cannot_be_read_is_not_empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "shut").mkdir()
    (tmp_path / "a.tflite").touch()
    scandir = os.scandir

    def refuse(path: str) -> object:
        if str(path).endswith("shut"):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    there, shut = find_models([str(tmp_path)])
    assert there == str(tmp_path / "a.tflite")
    assert (
        str(shut) == f"{tmp_path / 'shut'}: the folder cannot be read: Permission denied [unreadable-folder]"
    )


def test_a_file_in_a_folder_that_cannot_be_read_states_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the user root may read a folder of mode 000."""
    lstat = os.lstat

    def refuse(path: str) -> os.stat_result:
        if str(path).startswith("shut"):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return lstat(path)

    monkeypatch.setattr(os, "lstat", refuse)
    (shut,) = find_models(["shut/x.tflite"])
    assert str(shut) == "shut/x.tflite: the folder cannot be read: Permission denied [unreadable-folder]"


@pytest.mark.parametrize(
    "pattern", ["**/*.tflite", "d/**/*.tflite", "d/**/**/x.tflite", "**/d/**/*.tflite", "d/**"]
)
def test_two_stars_match_any_number_of_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pattern: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("d/x.tflite", "d/e/x.tflite", "d/e/[f]/x.tflite", "d/.h/x.tflite"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).touch()
    names = {os.path.normpath(str(one)) for one in find_models([pattern])}
    assert names == {os.path.join("d", *below, "x.tflite") for below in ((), ("e",), ("e", "[f]"))}


@posix
def test_links_in_circles_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_time: None) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.tflite").touch()
    for name in ("one", "two", "three"):
        Path(name).symlink_to(".")
    assert find_models(["**/*.tflite"]) == ("a.tflite",)
    assert find_models(["."]) == (os.path.join(".", "a.tflite"),)


@posix
def test_a_link_that_leaves_the_folder_is_named_and_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("place").mkdir()
    Path("secret").touch()
    Path("place/a.tflite").symlink_to("../secret")
    Path("place/b.tflite").touch()
    Path("place/c.tflite").symlink_to("b.tflite")
    wrong, *others = find_models(["place"])
    assert isinstance(wrong, ModelError)
    assert "place/a.tflite: the link leaves the folder place; to read the file, name it" in str(wrong)
    assert others == ["place/b.tflite", "place/c.tflite"]
    assert find_models(["place/a.tflite"]) == ("place/a.tflite",)
    wrong, *others = find_models(["place/**/*.tflite"])
    assert isinstance(wrong, ModelError)
    assert others == ["place/b.tflite", "place/c.tflite"]
