"""Configuration file of a run: a line of text, and plain values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from litecheck.configuration import Configuration, Setting
from litecheck.files import from_here
from litecheck.rendering.escape import shorten, visible
from litecheck.rendering.rows import ResultRow, RowPlace, digest
from litecheck.report import Report

#: Largest number of displayed characters of a value, so that no value hides the key of the next value.
_VALUE = 120


def options_line(report: Report, verbose: bool = False) -> str:
    """Return ``options from litecheck.toml: select = ["SOFTMAX"]``, or ``""`` if no configuration file is in use.

    ``verbose`` shortens no value.
    """
    if report.configuration is None:
        return ""
    shown = visible if verbose else _shorten_value
    pairs = (f"{key} = {shown(_toml(value))}" for key, value in report.configuration.options.items())
    return f"options from {visible(file_name(report.configuration))}: {', '.join(pairs) or 'none'}"


def file_name(configuration: Configuration) -> str:
    """Return the file as seen from the current folder."""
    return from_here(configuration.file)


def policy_values(report: Report) -> dict[str, Any]:
    """Return the selection and the configuration as plain values; nothing for a run without them."""
    values: dict[str, Any] = {"selection": list(report.selection)} if report.selection else {}
    if report.configuration is not None:
        options = dict(report.configuration.options)
        values["configuration"] = {"file": file_name(report.configuration), "options": options}
    return values


def configuration_row(report: Report) -> Iterator[ResultRow]:
    """Yield the options that came from a configuration file as a remark of the run."""
    if report.configuration:
        file, text = file_name(report.configuration), options_line(report)
        identity = digest(f"{file}/configuration/{text}")
        yield ResultRow("configuration", "note", text, RowPlace(file), identity=identity)


def _shorten_value(text: str) -> str:
    return shorten(text, _VALUE)


def _toml(value: Setting) -> str:
    import json

    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_toml(key)} = {_toml(v)}" for key, v in value.items()) + "}"
    if isinstance(value, tuple):
        return f"[{', '.join(map(_toml, value))}]"
    return json.dumps(value, ensure_ascii=False)
