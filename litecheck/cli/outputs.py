"""Where the report goes: ``FORMAT`` to stdout, ``FORMAT:FILE`` to a file, several in one run."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from litecheck.cli.console import Manner, console, say, write_stdout
from litecheck.errors import ConfigError
from litecheck.files import atomic_write, check_writable
from litecheck.report import Report


@dataclass(frozen=True, slots=True)
class Output:
    """One rendering of the report; without a file it goes to stdout."""

    format: str
    file: str | None = None


def parse_outputs(texts: Iterable[str], formats: Mapping[str, str] | None = None) -> tuple[Output, ...]:
    """The outputs asked for, among ``formats`` (by default those of a Report); text to stdout where none is.

    Raises ConfigError for an unknown format, two outputs to one place, or a file that cannot be written.
    """
    if formats is None:
        from litecheck.render import FORMATS

        formats = FORMATS
    outputs = tuple(_parse(text, formats) for text in texts) or (Output("text"),)
    places = [os.path.realpath(o.file) if o.file else "stdout" for o in outputs]
    twice = next((o for n, o in enumerate(outputs) if places.index(places[n]) < n), None)
    if twice:
        where = twice.file or "stdout"
        raise ConfigError(f"two formats to {where}; give one of them another file, as in {twice.format}:FILE")
    for output in outputs:
        if output.file:
            check_writable(output.file)
    return outputs


def _parse(text: str, formats: Mapping[str, str]) -> Output:
    name, colon, file = text.partition(":")
    if name not in formats:
        from litecheck.profile.yaml_reader import did_you_mean

        raise ConfigError(
            f"unknown format {name!r}{did_you_mean(name, formats)}; there are {', '.join(formats)}"
        )
    if colon and not file:
        raise ConfigError(f"{text}: a file name is missing after the colon")
    return Output(name, file or None)


def write(report: Report, outputs: Iterable[Output], manner: Manner) -> None:
    """Write a report in every format asked for."""
    from litecheck.render import render

    deliver(outputs, lambda name: render(report, name), lambda: _print_text(report, manner), manner)


def deliver(
    outputs: Iterable[Output], render: Callable[[str], str], print_text: Callable[[], None], manner: Manner
) -> None:
    """Write every output, files first, so that a reader of stdout finds them there."""
    for output in sorted(outputs, key=lambda o: o.file is None):
        if output.file:
            atomic_write(output.file, render(output.format))
            say(f"wrote {output.file}", manner.quiet)
        elif output.format == "text":
            print_text()
        else:
            write_stdout(render(output.format))


def _print_text(report: Report, manner: Manner) -> None:
    if manner.quiet:
        from litecheck.render import quiet

        print(quiet.render(report), end="")
    else:
        from litecheck.render.text import print_report

        print_report(report, console(manner.no_color), verbose=manner.verbose)
