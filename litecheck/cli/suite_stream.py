"""Stream of ``litecheck suite``: vectors for a simulator on stdout, and answers from stdin, which are judged."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import BinaryIO

import typer

from litecheck.cli.console import console, write_stdout
from litecheck.errors import ConfigError
from litecheck.files import open_file, reason

#: Maximum bytes of a line of answers. A longer line is not an answer.
_LINE_LIMIT = 1 << 16


def make_stream(name: str, *, arithmetic: str, seed: int, count: int | None, level: str) -> None:
    """Write a stream to stdout. Raise the exceptions of ``write_stream``."""
    from litecheck.suite.stream.stream_writer import write_stream

    sys.stdout.flush()
    write_stream(name, sys.stdout.buffer, arithmetic=arithmetic, seed=seed, count=count, level=level)


def judge_answers(answers: str, *, header: str | None, output: str, no_color: bool) -> None:
    """Judge the answers in a file, or from stdin for ``-``. ``header`` is the file of the stream that they belong to.

    Exits with the exit code of the report. Raise ConfigError for files that cannot be read, and as ``judge_stream``
    does.
    """
    from litecheck.rendering.stream import json_text, print_report
    from litecheck.suite.stream.stream_header import parse_header
    from litecheck.suite.stream.stream_verdict import judge_stream

    asked = None
    if header is not None:
        with _open_text(header) as lines:
            asked = parse_header(lines.readline(4096).decode("ascii", "replace"), header, 1)
    with _open_text(answers) as file:
        limited = iter(partial(file.readline, _LINE_LIMIT), b"")
        report = judge_stream(limited, "stdin" if answers == "-" else answers, asked)
    if output == "json":
        write_stdout(json_text(report))
    else:
        print_report(report, console(no_color))
    raise typer.Exit(report.exit_code)


@contextmanager
def _open_text(path: str) -> Iterator[BinaryIO]:
    """Open a file for reading, or stdin, which is not closed."""
    if path == "-":
        yield sys.stdin.buffer
        return
    try:
        file = open_file(path, piped=True)
    except OSError as error:
        raise ConfigError(f"{path}: {reason(error)}") from error
    with file:
        yield file
