"""What ``--device`` says, taken apart: ``kind:argument,key=value,...``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from litecheck.devices.port import DeviceError, Spec
from litecheck.profile.yaml_reader import did_you_mean

#: Kinds whose argument is everything behind the colon, commas included.
_WHOLE = ("command", "recorded")
#: Two letters at least: ``C:`` is a drive.
_KIND = re.compile(r"([A-Za-z][\w.-]+)(?:([:,])(.*))?", re.DOTALL)
_LIBRARY = (".so", ".dylib", ".dll")
_OPTION = re.compile(r"[A-Za-z_][\w.-]*=")


def parse(text: str) -> Spec:
    """The parts of a device's name. A library's path alone (``./libacme.so,threads=2``) is a delegate.

    A comma ends the argument or a value only where ``key=`` follows, so paths and values may hold commas:
    ``delegate:/lib.so,operators=ADD,MUL,threads=2``. Raises DeviceError.
    """
    found = _KIND.fullmatch(text)
    if found is None or found[1].lower().endswith(_LIBRARY):
        if not text or not _is_path(text):
            raise DeviceError(f"--device {text!r}: a device is written KIND, KIND:ARGUMENT or KIND,KEY=VALUE")
        kind, rest = "delegate", text
    else:
        kind, rest = found[1], found[3] or ""
        if kind in _WHOLE:
            return Spec(text, kind, rest)
    opens = found is not None and kind == found[1] and found[2] == ","
    pieces = _pieces(rest)
    argument = "" if opens or (pieces and _OPTION.match(pieces[0])) else pieces.pop(0) if pieces else ""
    return Spec(text, kind, argument, _options(text, pieces))


def _is_path(text: str) -> bool:
    return "/" in text or "\\" in text or text.split(",")[0].lower().endswith(_LIBRARY)


def _pieces(rest: str) -> list[str]:
    """Split at the commas before ``key=``."""
    pieces: list[str] = []
    for part in rest.split(",") if rest else ():
        if pieces and not _OPTION.match(part):
            pieces[-1] += f",{part}"
        else:
            pieces.append(part)
    return pieces


def _options(text: str, pieces: Iterable[str]) -> dict[str, str]:
    options: dict[str, str] = {}
    for piece in pieces:
        key, equals, value = piece.partition("=")
        if not equals:
            raise DeviceError(f"--device {text}: {piece!r} is no KEY=VALUE")
        if key in options:
            raise DeviceError(f"--device {text}: {key} is given twice")
        options[key] = value
    return options


def only(spec: Spec, **allowed: Callable[[str], object]) -> dict[str, str]:
    """The options, if each is one of ``allowed`` and can be read as that. Raises DeviceError."""
    for key, value in spec.options.items():
        if key not in allowed:
            known = f"; there is {', '.join(allowed)}" if allowed else f"; {spec.kind} takes none"
            hint = did_you_mean(key, allowed) or known
            raise DeviceError(f"--device {spec.text}: unknown option {key!r}{hint}")
        try:
            allowed[key](value)
        except ValueError as error:
            raise DeviceError(f"--device {spec.text}: {key}={value}: {error}") from None
    return dict(spec.options)


def at_least_one(value: str) -> int:
    """A count. Raises ValueError."""
    if not value.isdecimal() or int(value) < 1:
        raise ValueError("a number from 1 is wanted")
    return int(value)
