"""Destinations of reports: ``FORMAT`` to stdout, ``FORMAT:FILE`` to a file, several in one run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from litecheck.cli.complete import choices
from litecheck.cli.console import OutputOptions, check_output, console, log, write_stdout
from litecheck.cli.panels import OUTPUT, option
from litecheck.errors import ConfigError
from litecheck.files import atomic_write
from litecheck.rendering.formats import choose_format, formats

if TYPE_CHECKING:
    from litecheck.rendering.formats import Reported


def format_option(command: str) -> Any:
    """Return the option ``--format`` of a command, with the formats of its report."""
    names = formats(command)
    return option(
        "--format -f FORMAT[:FILE]",
        OUTPUT,
        f"Write a report: {', '.join(names)}. Repeatable. [default: text]",
        autocompletion=choices(*names),
    )


@dataclass(frozen=True, slots=True)
class Output:
    """One rendering of the report. Without a file it is printed to stdout."""

    format: str
    file: str | None = None


def parse_outputs(texts: Iterable[str], command: str) -> tuple[Output, ...]:
    """Return the requested outputs of a command, or text to stdout if none is requested.

    Raise ConfigError for an unknown format, two outputs to stdout, or a file that cannot be written.
    """
    outputs = tuple(_parse(text, command) for text in texts) or (Output("text"),)
    printed = [output.format for output in outputs if not output.file]
    if len(printed) > 1:
        raise ConfigError(f"two formats to stdout; give one of them a file, as in {printed[-1]}:FILE")
    for output in outputs:
        if output.file:
            check_output(output.file)
    return outputs


def _parse(text: str, command: str) -> Output:
    name, colon, file = text.partition(":")
    first, comma, second = text.rpartition(",")
    if comma and second.partition(":")[0] in formats(command):
        raise ConfigError(
            f"--format {text}: got several formats, expected one. Repeat it: -f {first} -f {second}"
        )
    choose_format(name, command)
    if colon and not file:
        raise ConfigError(f"{text}: a file name is missing after the colon")
    return Output(name, file or None)


def write(report: Reported, outputs: Iterable[Output], manner: OutputOptions) -> None:
    """Write a report in every requested format, files first, so that a reader of stdout finds them.

    If nothing is printed to stdout, print the verdict to stderr.
    """
    from litecheck.rendering.report_view import ReportView

    sheet = ReportView(report)
    outputs = tuple(outputs)
    for output in sorted(outputs, key=lambda o: o.file is None):
        if output.file:
            atomic_write(output.file, choose_format(output.format, sheet.command).render(sheet))
            log(f"wrote {output.file}", manner.quiet)
        elif output.format != "text":
            text = choose_format(output.format, sheet.command).render(sheet)
            write_stdout(text, workflow=output.format == "github")
        elif manner.quiet:
            print(sheet.brief(), end="")
        else:
            sheet.print(console(manner.no_color), manner.verbose)
    if outputs and all(output.file for output in outputs):
        log(sheet.verdict(), manner.quiet)
