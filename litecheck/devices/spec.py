"""What ``--device`` says, taken apart: ``kind:argument,key=value,...``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from litecheck.devices.kinds import DeviceKind, kinds
from litecheck.devices.port import DeviceError, Spec
from litecheck.spelling import did_you_mean

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
        known = kinds().get(kind)
        if known is not None and known.whole:
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


def checked(spec: Spec, kind: DeviceKind) -> dict[str, str]:
    """What the adapter of a kind is given: the options, if it has them and each can be read, and what the argument stands
    for. Raises DeviceError."""
    for key, value in spec.options.items() if kind.options is not None else ():
        allowed = kind.options or {}
        if key not in allowed:
            known = f"; there is {', '.join(allowed)}" if allowed else f"; {spec.kind} takes none"
            hint = did_you_mean(key, allowed) or known
            raise DeviceError(f"--device {spec.text}: unknown option {key!r}{hint}")
        try:
            allowed[key](value)
        except ValueError as error:
            raise DeviceError(f"--device {spec.text}: {key}={value}: {error}") from None
    return {**spec.options, **_argument(spec, kind)}


def _argument(spec: Spec, kind: DeviceKind) -> Mapping[str, str]:
    if kind.opened is not None:
        return {}
    if kind.argument is None:
        if spec.argument:
            raise DeviceError(f"--device {spec.text}: {spec.kind} takes no argument {spec.argument!r}")
        return {}
    try:
        return kind.argument(spec.argument)
    except ValueError as error:
        raise DeviceError(f"--device {spec.text}: {error}") from None
