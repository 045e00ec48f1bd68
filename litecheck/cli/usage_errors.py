"""Errors of a command line in the form of all other errors: the problem, the expected value, the next step."""

from __future__ import annotations

import os
import re
from typing import Any

from litecheck.cli.option_renames import current_option

#: typer's messages for a wrong number: the value, and the violated type or range.
_NUMBER = re.compile(
    r"(?:'(.*)' is not a valid (?:int|float)|(.*) is not in the) range.*|'(.*)' is not .*", re.DOTALL
)
#: typer's message for one argument too many.
_EXTRA = re.compile(r"Got unexpected extra argument\S* \(([^ ]+)\)\.?")
#: Options of many tools for the file of a report.
_OF_REPORTS = frozenset(("-o", "--out", "--output", "--report"))
#: Options that take an array or a folder, and that take the other files, first those that commands have together.
_OF_ARRAYS, _OF_FILES = ("--data", "--input"), ("--output",)


def usage_text(error: Any) -> str:
    """Return the message of typer's exception for a wrong command line.

    Example: ``missing option --device; 'litecheck devices' lists the devices. See 'litecheck verify --help'``.
    """
    known = {"NoSuchOption": _unknown_option, "MissingParameter": _missing_text, "BadParameter": _wrong_value}
    describe = known.get(type(error).__name__, _other_text)
    text = describe(error)
    stop = "" if text.endswith("?") else "."
    return f"{text}{stop} See '{error.ctx.command_path} --help'" if error.ctx else text


def _unknown_option(error: Any) -> str:
    name = error.option_name
    if present := current_option(error.ctx.command_path, name):
        return f"unknown option {name}; it is now {present}"
    if report := _report_option(name, error.ctx):
        return f"unknown option {name}; a report is written by {report}"
    possible = sorted(error.possibilities or ())
    similar = " or ".join([option for option in possible if option.startswith(name)] or possible)
    return f"unknown option {name}" + (f"; did you mean {similar}?" if similar else "")


def _report_option(name: str, context: Any) -> str:
    """Return the option that writes a report for an option of other tools, or "".

    Example: ``--format json or --format json:FILE`` for ``--json``.
    """
    writes = next((one for one in context.command.params if "--format" in one.opts), None)
    if writes is None:
        return ""
    if name in _OF_REPORTS:
        return "--format FORMAT:FILE, for example -f json:report.json"
    format_name = name.lstrip("-")
    listed = writes.help.partition(": ")[2].partition(". ")[0].split(", ")
    return f"--format {format_name} or --format {format_name}:FILE" if format_name in listed else ""


def _missing_text(error: Any) -> str:
    parameter = error.param
    if parameter.param_type_name == "argument":
        return f"missing argument {parameter.make_metavar(error.ctx).rstrip('.')}"
    hint = "; 'litecheck devices' lists the devices" if "--device" in parameter.opts else ""
    return f"missing option {_name(parameter)}{hint}"


def _wrong_value(error: Any) -> str:
    parameter, message = error.param, error.message
    if number := _NUMBER.fullmatch(message):
        value = next(group for group in number.groups() if group is not None)
        message = f"got '{value}', expected {_expected_values(parameter.type)}"
    return f"{_name(parameter)}: {message}"


def _option_for(file: str, context: Any) -> str:
    """Return the option of a command that takes a file, or "". Example: ``--data`` for ``samples.npz``."""
    known = {name for one in context.command.params for name in one.opts} if context else set()
    arrays = file.endswith((".npz", ".npy")) or os.path.isdir(file)
    return next((one for one in (_OF_ARRAYS if arrays else _OF_FILES) if one in known), "")


def _expected_values(kind: Any) -> str:
    """Return the values of a type of numbers. Example: ``a whole number from 1``."""
    noun = "a whole number" if kind.name.startswith("int") else "a number"
    low = getattr(kind, "min", None)
    return noun if low is None else f"{noun} from {low}"


def _name(parameter: Any) -> str:
    return str(max(parameter.opts, key=len))


def _other_text(error: Any) -> str:
    if one := _EXTRA.fullmatch(error.format_message()):
        option = _option_for(one[1], error.ctx)
        return f"unexpected argument {one[1]}" + (f"; did you mean {option} {one[1]}?" if option else "")
    message = str(error.format_message()).rstrip(".")
    return message[:1].lower() + message[1:]
