"""Outputs of a configuration stay inside its folder."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from litecheck.cli import config_outputs
from litecheck.cli.config_outputs import check_output, check_outputs
from litecheck.configuration import Configuration
from litecheck.errors import ConfigError

Run = Callable[..., Result]
MINE = "# mine\n"


@pytest.fixture
def project(folder: Path) -> Path:
    """Return the configuration's folder, beside a folder with another user's file."""
    (folder / "home").mkdir()
    (folder / "home" / "rc").write_text(MINE)
    (folder / "repo" / "sub").mkdir(parents=True)
    (folder / "repo" / "bad.tflite").write_bytes((folder / "bad.tflite").read_bytes())
    return folder / "repo"


def configure(project: Path, name: str, output: str) -> Path:
    """Write a configuration with an output."""
    table = "[tool.litecheck]\n" if name == "pyproject.toml" else ""
    file = project / name
    file.write_text(f"{table}profile = '../tiny.yaml'\nformat = ['text', 'markdown:{output}']\n")
    return file


def link_to_file(project: Path) -> str:
    (project / "out").symlink_to("../home/rc")
    return "out"


def link_to_folder(project: Path) -> str:
    (project / "build").symlink_to("../home")
    return "build/rc"


def dangling_link(project: Path) -> str:
    (project / "out").symlink_to("../home/new")
    return "out"


def link_behind_link(project: Path) -> str:
    (project / "sub" / "a").symlink_to("../b")
    (project / "b").symlink_to(project.parent / "home")
    return "sub/a/new"


def hook(project: Path) -> str:
    (project / ".git" / "hooks").mkdir(parents=True)
    return ".git/hooks/post-checkout"


def linked_hook(project: Path) -> str:
    hook(project)
    (project / "build").symlink_to(".git/hooks")
    return "build/post-checkout"


def pipe(project: Path) -> str:
    os.mkfifo(project / "pipe")
    return "pipe"


LEAVING: dict[str, Callable[[Path], str]] = {
    "parent": lambda project: "../home/rc",
    "parent inside": lambda project: "sub/../../home/rc",
    "parent that stays": lambda project: "sub/../out",
    "absolute": lambda project: str(project.parent / "home" / "rc"),
    "absolute inside": lambda project: str(project / "out"),
    "another system's parent": lambda project: "..\\home\\rc",
    "another system's root": lambda project: "\\home\\rc",
    "another system's drive": lambda project: "C:rc",
    "the folder": lambda project: ".",
    "link to a file": link_to_file,
    "link to a folder": link_to_folder,
    "dangling link": dangling_link,
    "link behind a link": link_behind_link,
    "hook": hook,
    "hook in capitals": lambda project: ".GIT/config",
    "other version control": lambda project: ".hg/hgrc",
    "hook behind a link": linked_hook,
    "the file of a working tree": lambda project: ".git",
    "pipe": pipe,
    "device": lambda project: "null",
}


@pytest.mark.parametrize("name", ["litecheck.toml", "pyproject.toml"])
@pytest.mark.parametrize("case", LEAVING)
@pytest.mark.parametrize("named", [False, True], ids=["found", "named"])
def test_an_output_outside_is_an_error(
    run: Run, project: Path, monkeypatch: pytest.MonkeyPatch, name: str, case: str, named: bool
) -> None:
    output = LEAVING[case](project)
    if case == "device":
        (project / "null").symlink_to("/dev/null")
    file = configure(project, name, output)
    before = sorted(project.parent.rglob("*"))
    monkeypatch.chdir(project)
    told = run("validate", "bad.tflite", *(["--config", name] if named else []))
    assert told.exit_code == 64
    message = f"{name if named else file}: format: output"
    assert message in told.stderr
    assert f"got '{output}', expected a file in '{project}'. Give this output" in told.stderr
    assert (project.parent / "home" / "rc").read_text() == MINE
    assert sorted(project.parent.rglob("*")) == before
    # A correct command line does not excuse a wrong configuration.
    assert run("validate", "bad.tflite", "-f", "text", *(["--config", name] if named else [])).exit_code == 64
    assert run("validate", "bad.tflite", "-p", "../tiny.yaml", "--isolated").exit_code == 1


def test_outputs_inside_are_written(run: Run, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "to").symlink_to("sub")
    (project / "old").write_text("old")
    configure(project, "litecheck.toml", "./new/a.md', 'json:to/b.json', 'junit:old")
    monkeypatch.chdir(project / "sub")
    assert run("validate", "../bad.tflite").exit_code == 1
    assert (project / "new" / "a.md").read_text().startswith("## litecheck")
    assert (project / "sub" / "b.json").exists()
    assert (project / "old").read_text().startswith("<?xml")


def test_the_command_line_writes_anywhere(run: Run, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    configure(project, "litecheck.toml", "out")
    monkeypatch.chdir(project)
    assert run("validate", "bad.tflite", "-f", f"json:{project.parent / 'elsewhere.json'}").exit_code == 1
    assert (project.parent / "elsewhere.json").exists()
    assert not (project / "out").exists()


def test_a_link_made_after_reading_is_noticed_before_writing(
    run: Run, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure(project, "litecheck.toml", "out")
    monkeypatch.chdir(project)

    def judge(*arguments: object) -> object:
        (project / "out").symlink_to("../home/rc")
        return before(*arguments)

    before = config_outputs.check_outputs
    monkeypatch.setattr(config_outputs, "check_outputs", judge)
    told = run("validate", "bad.tflite")
    assert (told.exit_code, "link that leaves" in told.stderr) == (64, True)
    assert (project.parent / "home" / "rc").read_text() == MINE


def test_without_the_check_the_file_is_overwritten(
    run: Run, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure(project, "litecheck.toml", "../home/rc")
    monkeypatch.chdir(project)
    monkeypatch.setattr(config_outputs, "check_output", lambda *arguments: None)
    assert run("validate", "bad.tflite").exit_code == 1
    assert (project.parent / "home" / "rc").read_text() != MINE


def test_a_file_with_two_names_is_replaced_and_not_written_through(
    run: Run, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.link(project.parent / "home" / "rc", project / "out")
    configure(project, "litecheck.toml", "out")
    monkeypatch.chdir(project)
    assert run("validate", "bad.tflite").exit_code == 1
    assert (project.parent / "home" / "rc").read_text() == MINE


def test_control_characters_are_visible(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"got '\.\./\\x1b\[31m\\n::error::x'"):
        check_output("../\x1b[31m\n::error::x", tmp_path / "litecheck.toml", "format")


def test_outputs_are_checked_in_the_form_of_the_file(tmp_path: Path) -> None:
    file = str(tmp_path / "litecheck.toml")
    check_outputs(Configuration(file, {"format": ("text", "json:a.json"), "select": ("json:/x",)}))
    for stated in ("json:/a.json", ("text", "json:../a.json")):
        with pytest.raises(ConfigError, match="format"):
            check_outputs(Configuration(file, {"format": stated}))
