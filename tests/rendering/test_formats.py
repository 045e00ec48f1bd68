"""Formats register themselves: a format added as CONTRIBUTING.md describes needs no further change."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from litecheck.errors import ConfigError
from litecheck.rendering import formats as package
from litecheck.rendering.formats import _load, formats, render
from litecheck.rendering.report_view import EVERY
from litecheck.report import Report

MODULE = '''"""The exit code alone."""

from litecheck.rendering.report_view import Format, ReportView


def render(sheet: ReportView) -> str:
    return f"{sheet.values()['exit_code']}\\n"


FORMAT = Format("exit-code", "the exit code alone", ("validate", "compare"), render)
'''


@pytest.fixture
def added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Add a module to the package's folders, as a contributor would."""
    (tmp_path / "exit_code.py").write_text(MODULE)
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path)])
    formats.cache_clear()
    yield
    formats.cache_clear()
    sys.modules.pop("litecheck.rendering.formats.exit_code", None)


@pytest.mark.usefixtures("added")
def test_a_module_is_enough() -> None:
    from litecheck.cli.outputs import format_option, parse_outputs

    assert render(Report("0.1.0", ()), "exit-code") == "2\n"
    assert [command for command in EVERY if "exit-code" in formats(command)] == ["validate", "compare"]
    option = format_option("validate")
    assert "exit-code" in option.help
    assert option.autocompletion("ex") == ["exit-code"]
    assert parse_outputs(["exit-code:out"], "compare")[0].file == "out"


def test_every_command_has_text_first_then_formats_by_name() -> None:
    for command in EVERY:
        names = list(formats(command))
        assert names == ["text", *sorted(names[1:])]
        assert {"json", "html", "markdown"} <= set(names)
    assert "exit-code" not in formats("validate")


@pytest.mark.parametrize("command", EVERY)
def test_the_help_names_every_format(command: str) -> None:
    from litecheck.cli.app import app

    shown = " ".join(CliRunner().invoke(app, [command, "--help"], env={"COLUMNS": "300"}).stdout.split())
    assert f"{', '.join(formats(command))}. Repeatable." in shown


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "has no attribute 'FORMAT'; expected FORMAT = Format"),
        ("FORMAT = 3", "got 3; expected FORMAT = Format"),
        ("FORMAT = Format('x')", "missing 3 required positional arguments"),
        ("FORMAT = Format('x', str, ('verify',), 'purpose')", "got Format"),
    ],
)
def test_a_module_that_is_no_format_is_named(
    content: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = "from litecheck.rendering.report_view import Format\n"
    (tmp_path / "odd_format.py").write_text(start + content)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "odd_format", raising=False)
    with pytest.raises(ConfigError, match=f"^odd_format: .*{words}"):
        _load("odd_format")
