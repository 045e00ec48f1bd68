"""Options of all commands: the same meaning and help for each name, and a limited number."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
import typer

from litecheck.cli.app import app

#: First words of option help. A new verb is added here after a check that the word is a verb.
VERBS = {
    "Accept", "Apply", "Ask", "Choose", "Check", "Compare", "Compute", "Continue", "Convert", "Copy", "Expect", "Fail",
    "Follow", "Ignore", "Install", "Judge", "Keep", "Limit", "Match", "Print", "Quantize", "Rank", "Read", "Report",
    "Rescale", "Run", "Select", "Set", "Show", "Sign", "Skip", "Stop", "Subtract", "Test", "Treat", "Use", "Waive",
    "Write",
}  # fmt: skip

#: Options with different placeholders in different commands, and the reason.
OTHER_PLACEHOLDER = {
    "--output": "the placeholder is the type of file that the command writes",
    "--format": "commands without report files take no FORMAT:FILE",
    "--select": "validate selects requirements, of which an operator is the beginning",
    "--ignore": "validate waives findings of requirements, diff skips kinds of changes",
    "--budget": "convert limits the size or the SNR of a model, verify and suite limit a run",
}
#: Options with different help in different commands, and the reason.
OTHER_WORDS = {
    "--select": "validate reports findings, other commands test operators",
    "--ignore": "validate waives findings of requirements, diff skips kinds of changes",
    "--budget": "convert limits the size or the SNR of a model, verify and suite limit a run",
    "--min-snr": "convert writes no model that fails, trace has culprits as its default condition",
    "--arithmetic": "run computes with an arithmetic, make writes its outputs, verify accepts them, prove expects them",
}


def commands(group: Any = None, prefix: str = "") -> Iterator[tuple[str, Any]]:
    group = group or typer.main.get_command(app)
    for name in group.list_commands(None):
        command = group.get_command(None, name)
        if hasattr(command, "list_commands"):
            yield from commands(command, f"{name} ")
        else:
            yield f"{prefix}{name}", command


def options() -> list[tuple[str, str, Any]]:
    """Return command, long name and parameter of every option."""
    return [
        (name, next(opt for opt in parameter.opts if opt.startswith("--")), parameter)
        for name, command in commands()
        for parameter in command.params
        if parameter.param_type_name == "option"
    ]


def clashes(form: Any) -> dict[str, dict[str, str]]:
    """Return the options with several forms, each with the form of every command."""
    found: dict[str, dict[str, str]] = {}
    for command, option, parameter in options():
        found.setdefault(option, {})[command] = form(parameter)
    return {option: forms for option, forms in found.items() if len(set(forms.values())) > 1}


@pytest.mark.parametrize(("command", "option", "parameter"), options(), ids=lambda value: str(value)[:40])
def test_help_begins_with_a_verb(command: str, option: str, parameter: Any) -> None:
    assert re.split(r"\W", parameter.help, maxsplit=1)[0] in VERBS, f"{command} {option}: {parameter.help}"


def test_one_option_has_one_placeholder() -> None:
    assert set(clashes(lambda parameter: parameter.metavar or "")) == set(OTHER_PLACEHOLDER)


def test_one_option_has_one_meaning() -> None:
    found = clashes(lambda parameter: " ".join(parameter.help.split()[:2]))
    assert set(found) == set(OTHER_WORDS)


def test_a_short_option_belongs_to_one_long_option() -> None:
    found: dict[str, set[str]] = {}
    for _, option, parameter in options():
        for short in (name for name in parameter.opts if not name.startswith("--")):
            found.setdefault(short, set()).add(option)
    assert {short: names for short, names in found.items() if len(names) > 1} == {}


def test_verify_has_few_options() -> None:
    assert sum(command == "verify" for command, _, _ in options()) + len(["--help"]) <= 24


def test_every_option_has_a_group() -> None:
    assert {c for c, _, parameter in options() if not parameter.rich_help_panel and not parameter.hidden} <= {
        "inspect"
    }


def test_summaries_fit_a_line_at_80_columns() -> None:
    for name, command in commands():
        assert len((command.help or "").split("\n\n")[0]) <= 80 - 16, name


def test_examples_fit_80_columns_and_name_their_options() -> None:
    known = dict(commands())
    for name, command in known.items():
        (block,) = [p for p in (command.help or "").split("\n\n") if "Examples" in p]
        lines = [line for line in block.splitlines() if line.startswith("  ")]
        assert lines, name
        for line in lines:
            assert len(line) <= 78, line
            for call in re.findall(r"litecheck ([a-z][^|>]*)", line):
                words = call.split()
                of = " ".join(words[:2]) if words[0] == "suite" else words[0]
                there = {opt for parameter in known[of].params for opt in parameter.opts}
                assert set(re.findall(r"(?<= )--[\w-]+", call)) <= there, line


def test_exit_codes_fit_80_columns() -> None:
    for name, command in commands():
        for line in (command.help or "").splitlines():
            if line.startswith("  "):
                assert len(line) <= 78, name
