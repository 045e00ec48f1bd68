"""Errors for invalid input, with the location of the problem."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem of a file that cannot be checked.

    ``code`` is a stable word such as ``offset-outside-file``. ``path`` names the field
    (``subgraphs[0].tensors[17].quantization.scale``) and ``offset`` is the byte of the field in the file. An unknown
    path is ``""`` and an unknown offset None. Both are unknown if the problem is the file as a whole.
    """

    code: str
    path: str
    offset: int | None
    message: str

    def __str__(self) -> str:
        at = f"byte {self.offset}" if self.offset is not None else ""
        place = ", ".join(part for part in (self.path, at) if part)
        return f"{place}: {self.message} [{self.code}]" if place else f"{self.message} [{self.code}]"


class LitecheckError(Exception):
    """Base class of errors caused by the input, not by litecheck."""

    @property
    def lines(self) -> tuple[str, ...]:
        """Lines of the message, for printing.

        The text of a line is untrusted, since it may contain names: a line break inside a line is escaped. An error
        with a message of several lines overrides this property.
        """
        return (str(self),)


class ModelError(LitecheckError):
    """A file that is not a readable model. ``problems`` contains every problem in file order."""

    def __init__(self, file: str, problems: tuple[Problem, ...]) -> None:
        self.file = file
        self.problems = problems
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        super().__init__(f"{file}: {problems[0]}{more}" if problems else file)


class ProfileError(LitecheckError):
    """A rule file that cannot be used, with the number of the wrong line; ``file`` is "" for a name without a file."""

    def __init__(self, file: str, line: int | None, message: str) -> None:
        self.file = file
        self.line = line
        self.message = message
        place = f"{file}:{line}: " if line else f"{file}: " if file else ""
        super().__init__(f"{place}{message}")


class ConfigError(LitecheckError):
    """Options or configuration files that contradict themselves or do not exist."""


class OutputError(ConfigError):
    """An output cannot be written because the disk is full, or a quota or the limit for the size of files is reached."""


class InputError(ConfigError):
    """Input named by a correct command that cannot be used: a missing or unreadable file, or a model without work to do."""


def wrong_type(function: str, wanted: str, given: object, call: str) -> TypeError:
    """Return the TypeError for an argument of the wrong type: expected type, actual type, right call."""
    return TypeError(f"{function}() takes {wanted}, not {type(given).__name__}: {call}")


def install_hint(extra: str) -> str:
    """Return the command that installs an extra. litecheck is on no package index, so the command needs the checkout.

    Example: ``pip install -e '.[runtime]' in the checkout of litecheck``.
    """
    return f"pip install -e '.[{extra}]' in the checkout of litecheck"
