"""Console output: the report on stdout, everything else on stderr; and the exit codes of commands."""

from __future__ import annotations

import functools
import os
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO, TypeVar

import typer

from litecheck.cli import complete
from litecheck.cli.panels import OUTPUT, option
from litecheck.cli.streams import abandon, guard
from litecheck.errors import ConfigError, InputError, LitecheckError, ModelError, OutputError, ProfileError
from litecheck.files import check_writable, is_full, reason
from litecheck.rendering.escape import escape_text, visible
from litecheck.spelling import unknown_format

if TYPE_CHECKING:
    from rich.console import Console
    from rich.segment import Segment

Command = TypeVar("Command", bound=Callable[..., None])

NoColor = Annotated[
    bool,
    option("--no-color", OUTPUT, "Print no escape codes, as with NO_COLOR=1."),
]
Quiet = Annotated[
    bool,
    option("--quiet -q", OUTPUT, "Print only failures, one line each; no messages."),
]
Verbose = Annotated[
    bool,
    option("--verbose -v", OUTPUT, "Print long names and lists in full."),
]


_plain_formats = complete.choices("text", "json")


def _check_plain_format(name: str) -> str:
    known, (word, colon, _) = _plain_formats(""), name.partition(":")
    if word in known and colon:
        raise ConfigError(f"--format {name}: got a file, expected text or json. Redirect stdout to a file")
    if name not in known:
        raise ConfigError(unknown_format(name, known))
    return name


PlainFormat = Annotated[
    str,
    option(
        "--format -f FORMAT",
        OUTPUT,
        "Write a report: text or json. [default: text]",
        autocompletion=_plain_formats,
        callback=_check_plain_format,
    ),
]


@dataclass(frozen=True, slots=True)
class OutputOptions:
    """The style of output that the user requested."""

    quiet: bool = False
    verbose: bool = False
    no_color: bool = False


#: Exit code: a model or device was not checked.
UNJUDGED = 2
#: Exit code: the command or a file of the command is wrong, and nothing was checked. EX_USAGE in sysexits.h.
USAGE = 64
#: Exit code: an output was not written because the disk is full, so no verdict was delivered. EX_IOERR in sysexits.h.
NOT_WRITTEN = 74
#: Exit codes as if SIGPIPE and SIGINT had ended the program.
BROKEN_PIPE, INTERRUPTED = 141, 130
#: Environment variable that requests the traceback of a defect in litecheck.
TRACEBACK = "LITECHECK_TRACEBACK"


def console(no_color: bool = False, stderr: bool = False, file: TextIO | None = None) -> Console:
    """Return a Console that prints text unchanged: no markup, no emoji codes, no highlights.

    The console escapes the text, so that its output contains only its own escape codes. ``file`` is a text that will be
    printed to stdout, and is colored like stdout.
    """
    from rich.console import Console

    class PlainConsole(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

        def render(self, *args: Any, **options: Any) -> Iterable[Segment]:
            for segment in super().render(*args, **options):
                safe = segment.control or segment.text.isprintable()
                yield segment if safe else segment._replace(text=escape_text(segment.text, lines=True))

    # rich would still write bold and faint text, whose escape codes are also unwanted. None leaves the decision to
    # rich.
    bare = no_color or is_plain_terminal()
    return PlainConsole(
        file=file or guard(sys.stderr if stderr else sys.stdout).styled,
        color_system=None if bare else "auto",
        force_terminal=False if bare else (sys.stdout.isatty() or None) if file else None,
        markup=False,
        emoji=False,
        highlight=False,
        legacy_windows=False,
    )


def is_plain_terminal() -> bool:
    """Return True if the environment requests no escape codes: NO_COLOR, or a terminal without escape codes."""
    return bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") in ("dumb", "unknown")


def terminal_width() -> int | None:
    """Return the columns of the terminal on stdout, or those that ``COLUMNS`` states; None for other outputs without it."""
    if not sys.stdout.isatty() and not os.environ.get("COLUMNS"):
        return None
    from shutil import get_terminal_size

    return get_terminal_size().columns


def log(message: str, quiet: bool = False) -> None:
    """Print a one-line message on stderr."""
    if not quiet:
        print(visible(message), file=sys.stderr, flush=True)


def check_output(path: str | Path, model: bool = False) -> None:
    """Raise ConfigError if a file could not be written, or is no model and has the suffix of models.

    Print that its folder will be made if there is none.
    """
    if not model and str(path).endswith(".tflite"):
        raise ConfigError(f"{path}: is the name of a model, and the output is none. Give another suffix")
    check_writable(path)
    folder = os.path.dirname(path) or os.curdir
    if not os.path.isdir(folder):
        log(f"note: there is no folder {str(folder)!r}; it is made for {os.path.basename(path)}")


def write_stdout(text: str, workflow: bool = False) -> None:
    """Print a machine format in UTF-8 with the line ends as rendered, independent of the terminal's encoding."""
    guard(sys.stdout).write_machine_text(text, workflow)


def write_styled(text: str) -> None:
    """Write to stdout a text that a console rendered, with the console's colors."""
    guard(sys.stdout).write_styled(text)


def handle_errors(command: Command) -> Command:
    """Return a command with its expected failures turned into a message and an exit code."""

    @functools.wraps(command)
    def run(*args: Any, **options: Any) -> None:
        with failures_told(options.get("no_color", False)):
            command(*args, **options)
            sys.stdout.flush()

    return run  # type: ignore[return-value]


@contextmanager
def failures_told(no_color: bool = False) -> Iterator[None]:
    """Turn expected failures into a message and an exit code.

    A wrong command gives USAGE, a full disk NOT_WRITTEN, and every other failure UNJUDGED. A CI step that accepts 2
    must not accept a misspelled option, a missing profile, or a report that was not written.
    """
    try:
        yield
    except LitecheckError as error:
        _print_error(error, no_color)
        raise typer.Exit(_exit_code(error)) from error
    except BrokenPipeError as error:
        abandon(sys.stdout)
        raise typer.Exit(BROKEN_PIPE) from error
    except OSError as error:
        abandon(sys.stdout)
        where = f"{error.filename}: " if error.filename else ""
        log(f"error: {where}{reason(error)}")
        raise typer.Exit(NOT_WRITTEN if is_full(error) else UNJUDGED) from error
    except MemoryError as error:
        log("error: out of memory: this system has no memory for the model and its tensors")
        raise typer.Exit(UNJUDGED) from error
    except KeyboardInterrupt as error:
        if str(error):
            log(str(error))
        raise typer.Exit(INTERRUPTED) from error


def _exit_code(error: LitecheckError) -> int:
    if isinstance(error, OutputError):
        return NOT_WRITTEN
    wrong = isinstance(error, (ConfigError, ProfileError)) and not isinstance(error, InputError)
    return USAGE if wrong else UNJUDGED


def _print_error(error: LitecheckError, no_color: bool) -> None:
    messages = [error.lines]
    if isinstance(error, ModelError) and error.problems:
        messages = [(f"{error.file}: {p}",) for p in error.problems]
    err = console(no_color, stderr=True)
    for lines in messages:
        err.print("error: ", style="bold red", end="")
        for line in lines:
            err.print(visible(line), soft_wrap=True)


def tell_warning(message: Warning | str, category: type[Warning], *place: object, **more: object) -> None:
    """Print a warning of Python or numpy in one line. This replaces :func:`warnings.showwarning`."""
    log(f"warning: {category.__name__}: {message}")


def tell_defect(error: BaseException) -> None:
    """Print that litecheck itself is wrong, and how to see the traceback; or the traceback, if it is requested."""
    if os.environ.get(TRACEBACK):
        traceback.print_exception(error)
    name, text = type(error).__name__, str(error)
    log(f"error: {name}{': ' if text else ''}{text}")
    log("This is a mistake in litecheck, not in your model; please report it.")
    if not os.environ.get(TRACEBACK):
        log(f"Set {TRACEBACK}=1 and run the same command again to see the traceback.")
