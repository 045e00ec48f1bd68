"""The search for a configuration file ends somewhere, trusts few owners, and reads within limits."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from litecheck.cli import config_file
from litecheck.cli.config import load_options
from litecheck.errors import ConfigError

Run = Callable[..., Result]
STRANGER = 54_321
as_root = pytest.mark.skipif(
    getattr(os, "getuid", lambda: 1)() != 0, reason="only root gives files to another user"
)
FILES = {"litecheck.toml": 'fail-on = "note"\n', "pyproject.toml": '[tool.litecheck]\nfail-on = "note"\n'}


@pytest.fixture
def deep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder two levels deep, without files above it except those of a test."""
    monkeypatch.setenv("HOME", str(tmp_path))
    folder = tmp_path / "repository" / "models"
    folder.mkdir(parents=True)
    return folder


def found(start: Path) -> tuple[str | None, list[str]]:
    """Return the configuration's ``--fail-on`` and the warnings."""
    warnings: list[str] = []
    one = config_file.find_configuration(start, warnings.append)
    return (None if one is None else one[1]["fail-on"]), warnings


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("mark", [".git", ".hg"])
@pytest.mark.parametrize("is_file", [False, True])
def test_the_search_ends_at_the_repository_root(deep: Path, name: str, mark: str, is_file: bool) -> None:
    (deep.parent.parent / name).write_text(FILES[name])
    assert found(deep) == ("note", [])
    root = deep.parent / mark
    root.write_text("gitdir: elsewhere") if is_file else root.mkdir()
    assert found(deep) == (None, [])
    (deep.parent / name).write_text(FILES[name])
    assert found(deep) == ("note", [])


def test_the_search_ends_at_the_home_folder(deep: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (deep.parent.parent / "litecheck.toml").write_text(FILES["litecheck.toml"])
    monkeypatch.setenv("HOME", str(deep.parent))
    assert found(deep) == (None, [])
    (deep.parent / "litecheck.toml").write_text('fail-on = "warning"\n')
    assert found(deep) == ("warning", [])


def test_the_search_ends_at_the_root_of_the_file_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/nowhere")
    assert list(config_file.search_folders(Path("/"))) == [Path("/")]


@as_root
@pytest.mark.parametrize("name", FILES)
def test_files_of_another_owner_are_skipped_with_a_warning(deep: Path, name: str) -> None:
    (deep.parent / name).write_text('fail-on = "warning"\n' if "own" in name else FILES[name])
    stranger = deep / name
    stranger.write_text(FILES[name])
    os.chown(stranger, STRANGER, -1)
    (deep.parent / "litecheck.toml").write_text('fail-on = "warning"\n')
    level, (warning,) = found(deep)
    assert level == "warning"
    assert warning == (
        f"{stranger}: configuration file skipped: got a file of user {STRANGER}, expected user 0. "
        "Use --config FILE to read it, or --isolated to omit the search."
    )


@as_root
def test_files_in_a_folder_of_another_owner_are_skipped(deep: Path) -> None:
    (deep / "litecheck.toml").write_text(FILES["litecheck.toml"])
    os.chown(deep, STRANGER, -1)
    level, (warning,) = found(deep)
    assert (level, f"got a folder of user {STRANGER}" in warning) == (None, True)


@as_root
def test_another_users_project_without_litecheck_gives_no_warning(deep: Path) -> None:
    (deep / "pyproject.toml").write_text('[project]\nname = "other"\n')
    os.chown(deep / "pyproject.toml", STRANGER, -1)
    assert found(deep) == (None, [])


@as_root
def test_files_of_root_are_trusted(deep: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (deep / "litecheck.toml").write_text(FILES["litecheck.toml"])
    monkeypatch.setattr(os, "getuid", lambda: STRANGER + 1)
    assert found(deep) == ("note", [])
    os.chown(deep / "litecheck.toml", STRANGER, -1)
    level, (warning,) = found(deep)
    assert (level, f"expected user {STRANGER + 1} or 0" in warning) == (None, True)


def test_a_system_without_user_numbers_has_no_owners(deep: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (deep / "litecheck.toml").write_text(FILES["litecheck.toml"])
    monkeypatch.delattr(os, "getuid", raising=False)
    assert found(deep) == ("note", [])


@pytest.mark.parametrize("name", FILES)
def test_a_link_that_leaves_its_folder_is_skipped(deep: Path, name: str) -> None:
    (deep.parent / "other.toml").write_text(FILES[name])
    (deep / name).symlink_to("../other.toml")
    level, (warning,) = found(deep)
    assert (level, "got a link that leaves its folder" in warning) == (None, True)
    (deep / name).unlink()
    (deep / "other.toml").write_text(FILES[name])
    (deep / name).symlink_to("other.toml")
    assert found(deep) == ("note", [])


def test_pipes_and_devices_are_skipped(deep: Path) -> None:
    os.mkfifo(deep / "litecheck.toml")
    os.mkfifo(deep / "pyproject.toml")
    level, (warning,) = found(deep)
    assert (level, "got a device or pipe, expected a regular file" in warning) == (None, True)
    (deep / "litecheck.toml").unlink()
    (deep / "litecheck.toml").symlink_to("/dev/zero")
    assert len(found(deep)[1]) == 1
    (deep / "litecheck.toml").unlink()
    (deep / "litecheck.toml").mkdir()
    assert found(deep) == (None, [])


@pytest.mark.parametrize("content", ["pipe", "device", "folder", "missing", "a\0b"])
def test_a_named_configuration_must_be_a_regular_file(tmp_path: Path, content: str) -> None:
    file = tmp_path / content
    if content == "pipe":
        os.mkfifo(file)
    elif content == "folder":
        file.mkdir()
    elif content == "device":
        file.symlink_to("/dev/zero")
    with pytest.raises(ConfigError, match="cannot be read"):
        load_options(named=str(file))


DEEP = 5_000
HOSTILE = {
    "arrays": f"select = {'[' * DEEP}{']' * DEEP}",
    "tables": f"level = {'{a = ' * DEEP}1{'}' * DEEP}",
    "dotted key": f"{'a.' * 200_000}a = 1",
    "dotted table": f"[{'a.' * 200_000}a]",
    "long": f"# {'x' * config_file.LIMIT}",
    "digits": f"max-partitions = {'9' * 5000}",
    "hexadecimal digits": f"max-partitions = 0x{'f' * 50_000}",
    "NUL in a path": 'profile = "x\\u0000.yaml"',
    "NUL in a baseline": 'baseline = "x\\u0000"',
    "NUL in an output": 'format = "text:x\\u0000"',
    "NUL in a glob": '[per-file-ignores]\n"x/\\u0000" = "CONV_2D"',
    "NUL in a level": '[level]\n"x/\\u0000" = "note"',
    "no UTF-8": "\udcff",
    "date": "fail-on = 1979-13-41",
    "long pattern": f"select = '{'*' * 5_000}'",
    "many patterns": "select = [" + '"A",' * 10_001 + "]",
    "many levels": "[level]\n" + "".join(f"a{n} = 'note'\n" for n in range(10_001)),
    "long key": f"{'k' * 100_000} = 1",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_content_is_a_short_error_with_the_file(deep: Path, name: str) -> None:
    (deep / "litecheck.toml").write_bytes(HOSTILE[name].encode("utf-8", "surrogateescape"))
    with pytest.raises(ConfigError) as caught:
        load_options(deep)
    assert str(deep / "litecheck.toml") in str(caught.value)
    assert len(str(caught.value)) < 500


def test_a_named_configuration_takes_precedence_over_nearby_files(run: Run, folder: Path) -> None:
    (folder / "litecheck.toml").write_text("broken")
    (folder / "mine.toml").write_text('profile = "tiny.yaml"\nfail-on = "note"\n')
    assert run("validate", "good.tflite", "--config", "mine.toml").exit_code == 1
    assert run("validate", "good.tflite").exit_code == 64
    (folder / "sub").mkdir()
    project = folder / "sub" / "pyproject.toml"
    project.write_text('[tool.litecheck]\nprofile = "../tiny.yaml"\nfail-on = "note"\n')
    assert run("validate", "good.tflite", "--config", "sub/pyproject.toml").exit_code == 1
    project.write_text('[project]\nname = "x"\n')
    told = run("validate", "good.tflite", "--config", "sub/pyproject.toml")
    assert (told.exit_code, "got no [tool.litecheck], expected one" in told.stderr) == (64, True)


@as_root
def test_a_named_file_may_have_any_owner_and_be_a_link(run: Run, folder: Path) -> None:
    (folder / "sub").mkdir()
    (folder / "litecheck.toml").write_text('profile = "tiny.yaml"\nfail-on = "note"\n')
    os.chown(folder / "litecheck.toml", STRANGER, -1)
    told = run("validate", "good.tflite", "-p", "tiny.yaml", "--quiet")
    assert (told.exit_code, told.stdout) == (0, "")
    assert told.stderr.startswith("warning: ")
    assert run("validate", "good.tflite", "--config", "litecheck.toml").exit_code == 1
    (folder / "sub" / "link.toml").symlink_to("../litecheck.toml")
    told = run("validate", "good.tflite", "-p", "tiny.yaml", "--config", "sub/link.toml")
    assert (told.exit_code, "options from sub/link.toml" in told.stdout) == (1, True)


def test_isolated_reads_no_file(run: Run, folder: Path) -> None:
    (folder / "litecheck.toml").write_text("broken")
    told = run("validate", "good.tflite", "-p", "tiny.yaml", "--isolated")
    assert (told.exit_code, told.stderr, "options from" in told.stdout) == (0, "", False)
    told = run("validate", "good.tflite", "--isolated", "--config", "litecheck.toml")
    assert (told.exit_code, "got --config and --isolated" in told.stderr) == (64, True)


def test_an_overlong_count_is_an_error_of_the_command_line(run: Run) -> None:
    assert run("validate", "good.tflite", "--max-partitions", "9" * 5000).exit_code == 64
