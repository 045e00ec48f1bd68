"""Errors at the border: what bad input is called, and where it lies."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """One diagnosis of a file that cannot be judged.

    ``code`` is a stable word such as ``offset-outside-file``; ``path`` names the field
    (``subgraphs[0].tensors[17].quantization.scale``) and ``offset`` its byte in the file;
    either may be unknown (``""`` and ``None``), and both are where it is the file as a whole.
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
    """Base of every error that is the input's fault, not litecheck's."""

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines of the message, to be printed one below the other.

        The text of a line is untrusted, since it may contain names: a line break inside a line is escaped. An error whose
        message has several lines of its own overrides this property.
        """
        return (str(self),)


class ModelError(LitecheckError):
    """A file that is not a readable model; ``problems`` holds every diagnosis, in file order."""

    def __init__(self, file: str, problems: tuple[Problem, ...]) -> None:
        self.file = file
        self.problems = problems
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        super().__init__(f"{file}: {problems[0]}{more}" if problems else file)


class ProfileError(LitecheckError):
    """A rule file that cannot be used, with the line that is wrong."""

    def __init__(self, file: str, line: int | None, message: str) -> None:
        self.file = file
        self.line = line
        self.message = message
        super().__init__(f"{file}:{line}: {message}" if line else f"{file}: {message}")


class ConfigError(LitecheckError):
    """Options or configuration files that contradict themselves or do not exist."""


class OutputError(ConfigError):
    """An output cannot be written because the disk is full, or a quota or the limit for the size of files is reached."""


class InputError(ConfigError):
    """What a right command names cannot be used: a file that is not there or cannot be read, a model with nothing to do."""


def wrong_type(function: str, wanted: str, given: object, call: str) -> TypeError:
    """What to raise where a public function is given something of another type: what it takes, and the right call."""
    return TypeError(f"{function}() takes {wanted}, not {type(given).__name__}: {call}")


def install_hint(extra: str) -> str:
    """Return the command that installs an extra. litecheck is on no package index, so the command needs the checkout.

    Example: ``pip install -e '.[runtime]' in the checkout of litecheck``.
    """
    return f"pip install -e '.[{extra}]' in the checkout of litecheck"
