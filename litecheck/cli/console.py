"""The one Console: the report goes to stdout, everything else to stderr; and how a command ends."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, TextIO, TypeVar

import typer

from litecheck.errors import ConfigError, InputError, LitecheckError, ModelError, ProfileError
from litecheck.files import reason

if TYPE_CHECKING:
    from rich.console import Console

Command = TypeVar("Command", bound=Callable[..., None])

NoColor = Annotated[
    bool, typer.Option("--no-color", help="No escape codes; the variable NO_COLOR does the same.")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Only what fails, one line a model; no messages.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="In text, shorten neither names nor lists.")]


def _plain_formats(incomplete: str) -> list[str]:
    return [name for name in ("text", "json") if name.startswith(incomplete)]


def _check_plain_format(name: str) -> str:
    if name not in _plain_formats(""):
        raise typer.BadParameter(f"'{name}' is neither text nor json")
    return name


PlainFormat = Annotated[
    str,
    typer.Option(
        "--format",
        "-f",
        metavar="FORMAT",
        autocompletion=_plain_formats,
        callback=_check_plain_format,
        help="text or json.",
    ),
]


@dataclass(frozen=True, slots=True)
class Manner:
    """How people want to be spoken to."""

    quiet: bool = False
    verbose: bool = False
    no_color: bool = False


#: Something could not be judged.
UNJUDGED = 2
#: The command is wrong, or a file that belongs to it: nothing was judged. As EX_USAGE in sysexits.h.
USAGE = 64
#: As if SIGPIPE and SIGINT had ended the program.
BROKEN_PIPE, INTERRUPTED = 141, 130


def console(no_color: bool = False, stderr: bool = False, file: TextIO | None = None) -> Console:
    """A Console that prints what it is given: no markup, no emoji codes, no guessed highlights.

    ``file`` is a text that will be printed to stdout: it is coloured as stdout would be.
    """
    from rich.console import Console

    class PlainConsole(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    # rich itself would leave bold and faint letters, which are escape codes, too; None leaves the decision to it.
    bare = no_color or without_escapes()
    return PlainConsole(
        stderr=stderr,
        file=file,
        color_system=None if bare else "auto",
        force_terminal=False if bare else (sys.stdout.isatty() or None) if file else None,
        markup=False,
        emoji=False,
        highlight=False,
        legacy_windows=False,
    )


def without_escapes() -> bool:
    """Whether the environment wants no escape codes: NO_COLOR, or a terminal that has none."""
    return bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") in ("dumb", "unknown")


def terminal_width() -> int | None:
    """Columns of the terminal that stdout is, or None where it is something else: any width will do."""
    if not sys.stdout.isatty():
        return None
    from shutil import get_terminal_size

    return get_terminal_size().columns


def say(message: str, quiet: bool = False) -> None:
    """A message beside the report, on stderr."""
    if not quiet:
        print(message, file=sys.stderr, flush=True)


def write_stdout(text: str) -> None:
    """Machine formats: UTF-8 and line ends as rendered, whatever the terminal's encoding is."""
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode())


def ends_well(command: Command) -> Command:
    """A command whose expected failures end in a message and an exit code instead of a traceback.

    What is wrong with the command is USAGE, whatever else could not be done is UNJUDGED: a gate that lets 2 pass must not
    let a misspelt option pass, or a profile that is not there.
    """

    @functools.wraps(command)
    def run(*args: Any, **options: Any) -> None:
        try:
            command(*args, **options)
            sys.stdout.flush()
        except LitecheckError as error:
            _print_error(error, no_color=options.get("no_color", False))
            wrong = isinstance(error, (ConfigError, ProfileError)) and not isinstance(error, InputError)
            raise typer.Exit(USAGE if wrong else UNJUDGED) from error
        except BrokenPipeError as error:
            _abandon_stdout()
            raise typer.Exit(BROKEN_PIPE) from error
        except OSError as error:  # a full disk, for example
            _abandon_stdout()
            where = f"{error.filename}: " if error.filename else ""
            say(f"error: {where}{reason(error)}")
            raise typer.Exit(UNJUDGED) from error
        except KeyboardInterrupt as error:
            if str(error):
                say(str(error))
            raise typer.Exit(INTERRUPTED) from error

    return run  # type: ignore[return-value]


def _abandon_stdout() -> None:
    """Python flushes stdout once more on its way out; let that go nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _print_error(error: LitecheckError, no_color: bool) -> None:
    lines = [f"{error.file}: {p}" for p in error.problems] if isinstance(error, ModelError) else []
    err = console(no_color, stderr=True)
    for line in lines or [str(error)]:
        err.print("error: ", style="bold red", end="")
        err.print(line, soft_wrap=True)
