"""Options from files: search path, accepted content and precedence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from litecheck.cli.config import Options, load_options, parse
from litecheck.configuration import Configuration
from litecheck.errors import ConfigError

Run = Callable[..., Result]


def test_every_option_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "litecheck.toml").write_text(
        """
        profile = ["litert-int8", "mine.yaml"]
        format = ["text", "json:out/r.json"]
        baseline = "known.json"
        select = "CONV_2D"
        ignore = ["A/b", "C"]
        set-level = {"A/b" = "note"}
        fail-on = "warning"
        require-coverage = true
        """
    )
    assert load_options() == Options(
        profile=("litert-int8", "mine.yaml"),
        format=("text", "json:out/r.json"),
        baseline="known.json",
        select=("CONV_2D",),
        ignore=("A/b", "C"),
        set_level=("A/b=note",),
        fail_on="warning",
        require_coverage=True,
    )


def test_paths_are_relative_to_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "deep").mkdir()
    monkeypatch.chdir(tmp_path / "deep")
    (tmp_path / "pyproject.toml").write_text(
        '[tool.litecheck]\nprofile = "./p.yaml"\nbaseline = "b.json"\nformat = "json:r.json"\n'
    )
    assert load_options() == Options(profile=("../p.yaml",), baseline="../b.json", format=("json:../r.json",))


def test_the_nearest_file_counts_and_litecheck_toml_first(tmp_path: Path) -> None:
    near = tmp_path / "a" / "b"
    near.mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text('[tool.litecheck]\nfail-on = "note"\n')
    (tmp_path / "a" / "pyproject.toml").write_text('[project]\nname = "litecheck-user"\n')
    assert load_options(near).fail_on == "note"
    (tmp_path / "litecheck.toml").write_text('fail-on = "warning"\n')
    assert load_options(near).fail_on == "warning"
    (near / "pyproject.toml").write_text("[tool.litecheck]\n")
    assert load_options(near) == Options()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("fail_on = 'note'", "unknown key 'fail_on'; did you mean 'fail-on'?"),
        ("fail-on = 3", "fail-on must be text"),
        ("select = [1]", "select must be text or a list of texts"),
        ("require-coverage = 'yes'", "require-coverage must be true or false"),
        ("set-level = {A = 1}", "set-level must be a table of requirement paths and levels"),
        ("max-partitions = -1", "max-partitions must be a number from 0 to 999,999,999"),
        ("max-partitions = 1_000_000_000", "max-partitions must be a number from 0 to 999,999,999"),
        ("baseline = 'a\tb'\nprofile = \"\\u0000\"", "profile must be text without NUL characters"),
        ("[tool.litecheck]\nselect = ['ADD']", "write the keys without [tool.litecheck]"),
        ('"\\u001b[31m" = 1', "unknown key '\\x1b[31m'"),
        ("per-file-ignores = 'x'", "per-file-ignores must be a table of globs"),
        ("= 3", "not TOML"),
    ],
)
def test_wrong_files_are_named(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "litecheck.toml"
    file.write_text(text)
    with pytest.raises(ConfigError) as caught:
        load_options(tmp_path)
    assert str(file) in str(caught.value)
    assert message in str(caught.value)


def test_tool_litecheck_must_be_a_table() -> None:
    with pytest.raises(ConfigError, match="is not a table"):
        parse(3, Path("pyproject.toml"))


def test_options_on_top_take_precedence() -> None:
    below = Options(select=("A", "B"), fail_on="note", require_coverage=True)
    assert Options(select=("C",)).over(below) == Options(select=("C",), fail_on="note", require_coverage=True)
    assert Options(require_coverage=False).over(below).require_coverage is False


def test_the_command_line_wins(run: Run, folder: Path) -> None:
    (folder / "litecheck.toml").write_text(
        'profile = "tiny.yaml"\nfail-on = "note"\nrequire-coverage = true\n'
        'set-level = {"*/*/granularity" = "warning"}\n'
    )
    assert run("validate", "good.tflite").exit_code == 1
    assert run("validate", "good.tflite", "--fail-on", "violation").exit_code == 0
    assert run("validate", "good.tflite", "--fail-on", "warning").exit_code == 1
    assert run("validate", "good.tflite", "--fail-on", "warning", "--set-level", "*=note").exit_code == 0
    assert run("validate", "partial.tflite", "--fail-on", "violation").exit_code == 1
    assert run("validate", "partial.tflite", "--fail-on", "violation", "--no-require-coverage").exit_code == 0


def test_a_wrong_configuration_ends_the_run(run: Run, folder: Path) -> None:
    (folder / "litecheck.toml").write_text("profil = 'x'\n")
    result = run("validate", "good.tflite")
    assert result.exit_code == 64
    assert "unknown key 'profil'; did you mean 'profile'?" in result.stderr


def test_ignored_in_some_files_only(run: Run, folder: Path) -> None:
    (folder / "old").mkdir()
    (folder / "old" / "bad.tflite").write_bytes((folder / "bad.tflite").read_bytes())
    (folder / "litecheck.toml").write_text(
        'profile = "tiny.yaml"\n[per-file-ignores]\n"old/*" = ["FULLY_CONNECTED/weight/zero_point"]\n'
    )
    assert run("validate", "old/bad.tflite").exit_code == 0
    assert run("validate", str(folder / "old" / "bad.tflite")).exit_code == 0
    assert run("validate", "bad.tflite").exit_code == 1
    (folder / "litecheck.toml").write_text(
        'profile = "tiny.yaml"\nper-file-ignores = {"ba*" = "FULLY_CONNECTED"}\n'
    )
    told = run("validate", "bad.tflite")
    assert (
        told.exit_code,
        "by per-file-ignores ba* from litecheck.toml: FULLY_CONNECTED" in " ".join(told.stdout.split()),
    ) == (0, True)
    (folder / "litecheck.toml").write_text(
        'profile = "tiny.yaml"\nper-file-ignores = {"ba*" = "FULLY_CONECTED"}\n'
    )
    assert run("validate", "bad.tflite").exit_code == 64


def test_the_options_in_force_are_known_by_their_file(tmp_path: Path) -> None:
    file = tmp_path / "litecheck.toml"
    table = {
        "select": ["A"],
        "fail-on": "note",
        "set-level": {"A/b": "note"},
        "per-file-ignores": {"x": ["B"]},
    }
    options = parse(table, file)
    stated = {
        "select": ("A",),
        "fail-on": "note",
        "set-level": {"A/b": "note"},
        "per-file-ignores": {"x": ("B",)},
    }
    assert options.configuration == Configuration(str(file), stated)
    message = Options(select=("C",), fail_on="warning").over(options)
    assert message.configuration == Configuration(
        str(file), {key: stated[key] for key in ("set-level", "per-file-ignores")}
    )
    assert (message.origin("select"), message.origin("set-level")) == ("", f" from {file}")
    assert Options(require_coverage=False).over(parse({"require-coverage": True}, file)).configuration == (
        Configuration(str(file), {})
    )
    assert Options().over(Options()).configuration is None


@pytest.mark.parametrize(
    ("stated", "waived", "shown"),
    [
        ("ignore = 'FULLY_CONNECTED'", "by ignore from litecheck.toml: FULLY_CONNECTED", "ignore = "),
        (
            "per-file-ignores = {'ba*' = 'FULLY_CONNECTED'}",
            "by per-file-ignores ba* from litecheck.toml: FULLY_CONNECTED",
            "per-file-ignores = {",
        ),
        (
            "baseline = 'known.json'",
            "by baseline known.json from litecheck.toml: known when",
            'baseline = "known.json"',
        ),
        ("set-level = {'FULLY_CONNECTED' = 'note'}", "", 'set-level = {"FULLY_CONNECTED" = "note"}'),
        ("set-level = ['FULLY_CONNECTED=note']", "", 'set-level = ["FULLY_CONNECTED=note"]'),
        ("select = 'FULLY_CONNECTED/input'", "", 'select = "FULLY_CONNECTED/input"'),
    ],
)
def test_the_option_that_hides_a_violation_is_reported(
    run: Run, folder: Path, stated: str, waived: str, shown: str
) -> None:
    assert run("validate", "bad.tflite", "-p", "tiny.yaml", "--write-baseline", "known.json").exit_code == 0
    (folder / "litecheck.toml").write_text(f"profile = 'tiny.yaml'\n{stated}\n")
    told = run("validate", "bad.tflite")
    text = " ".join(told.stdout.split())
    assert told.exit_code == 0
    assert f'options from litecheck.toml: profile = "tiny.yaml", {shown}' in text
    assert waived in text
    assert "--ignore" not in text
    for arguments in (["--quiet"], ["--statistics"]):
        assert "options from litecheck.toml: " in run("validate", "bad.tflite", *arguments).stdout


def test_a_waiver_of_the_command_line_is_attributed_to_it(run: Run, folder: Path) -> None:
    (folder / "litecheck.toml").write_text("profile = 'tiny.yaml'\nignore = 'FULLY_CONNECTED/input'\n")
    told = run("validate", "bad.tflite", "--ignore", "FULLY_CONNECTED")
    assert "by --ignore: FULLY_CONNECTED" in told.stdout
    assert 'options from litecheck.toml: profile = "tiny.yaml"\n' in told.stdout
    assert run("validate", "bad.tflite", "-p", "tiny.yaml", "--write-baseline", "b.json").exit_code == 0
    (folder / "litecheck.toml").write_text("profile = 'tiny.yaml'\nbaseline = 'b.json'\n")
    told = run("validate", "bad.tflite", "--write-baseline", "b.json")
    assert "by baseline b.json: known when" in told.stdout


def test_the_baseline_of_the_configuration_is_written_for_the_first_time(run: Run, folder: Path) -> None:
    (folder / "litecheck.toml").write_text("profile = 'tiny.yaml'\nbaseline = 'new.json'\n")
    assert run("validate", "bad.tflite", "--write-baseline", "other.json").exit_code == 64
    assert run("validate", "bad.tflite", "--write-baseline", "new.json").exit_code == 0
    assert run("validate", "bad.tflite").exit_code == 0


def test_a_verdict_states_its_selection(run: Run, folder: Path) -> None:
    told = run("validate", "bad.tflite", "-p", "tiny.yaml", "--select", "FULLY_CONNECTED/input").stdout
    assert " conforms to tiny for FULLY_CONNECTED/input\n" in told
    assert "1 model: 1 conforms for FULLY_CONNECTED/input;" in told
    assert "options from" not in told
    (folder / "litecheck.toml").write_text("profile = 'tiny.yaml'\nselect = 'FULLY_CONNECTED/input'\n")
    assert " conforms to tiny for FULLY_CONNECTED/input\n" in run("validate", "bad.tflite").stdout
    quiet = run("validate", "bad.tflite", "--quiet").stdout
    assert "1 model: 1 conforms for FULLY_CONNECTED/input;" in quiet
