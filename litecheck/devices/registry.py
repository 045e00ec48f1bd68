"""Registry of devices: open a device from ``--device kind:argument,key=value,...``, built-in or of an installed
package."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from importlib.metadata import EntryPoint, PackageNotFoundError, entry_points, version
from importlib.util import find_spec
from typing import Any

from litecheck.devices.command_line import INPUTS, MODEL, OUTPUTS, MissingFileError
from litecheck.devices.device_kinds import FILLED, DeviceKind, kinds
from litecheck.devices.function import FunctionDevice
from litecheck.devices.isolated_device import IsolatedDevice
from litecheck.devices.port import Device, DeviceError, DeviceFileError, DeviceNameError, DeviceSpec, Limits
from litecheck.devices.process import WorkerSetup
from litecheck.errors import install_hint, wrong_type
from litecheck.files import file_digest
from litecheck.public_call import shows_call
from litecheck.spelling import closest, did_you_mean

GROUP = "litecheck.devices"
#: At least two letters, because ``C:`` is a drive.
_KIND = re.compile(r"([A-Za-z][\w.-]+)(?:([:,])(.*))?", re.DOTALL)
_LIBRARY = (".so", ".dylib", ".dll")
_OPTION = re.compile(r"[A-Za-z_][\w.-]*=")


@shows_call("litecheck.open_device('litert:xnnpack', litecheck.Limits(seconds=60))")
def open_device(text: str | Callable[..., Any], limits: Limits | None = None, build: str = "") -> Device:
    """Open a device by name, with limits per job. ``build`` is the build or version of the device.

    ``litert:reference|optimized|xnnpack[,threads=N]``, ``tflm[,arena=BYTES]``, ``openvino``,
    ``delegate:LIBRARY[,KEY=VALUE...]`` (or the library's path alone), ``command:PROGRAM {model} {runs}`` (or ``{model}
    {inputs} {outputs}``), ``recorded:DIR``, and entry points of the group ``litecheck.devices`` in installed packages.

    The runtime is loaded once, in a child process. A Python function is a device in this process, without limits.
    Raises DeviceNameError for a wrong name, DeviceFileError for a missing file, DeviceError if the device cannot be opened.
    """
    if not isinstance(text, str):
        return _open_function(text, build)
    spec = parse(text)
    device = _open_spec(spec, limits or Limits())
    kind = kinds().get(spec.kind)
    if not build and kind is not None and kind.version is not None:
        build = kind.version(spec)
    if build:
        device.described = f"{device.described} ({build})"
    return device


def _open_function(function: Callable[..., Any], build: str) -> Device:
    if not callable(function):
        raise wrong_type(
            "open_device", "a device's name or a function", function, "open_device('litert:xnnpack')"
        )
    device = FunctionDevice(function)
    device.described += f" ({build})" if build else ""
    return device


def known_devices() -> tuple[str, ...]:
    """Return litecheck's kinds, then those of installed packages."""
    return (*kinds(), *(name for name in _entry_points() if name not in kinds()))


def device_names() -> tuple[str, ...]:
    """Return the possible beginnings of ``--device``: every kind, with each of its arguments if these are a fixed set."""
    own = kinds()
    return tuple(
        name
        for kind in known_devices()
        for name in ([f"{kind}:{c}" for c in own[kind].choices] if kind in own else ()) or (kind,)
    )


def fingerprint(device: str) -> str:
    """Return the SHA-256 of the files of a device (a delegate's library, a program), as printed by `sha256sum`.

    For several files, return the SHA-256 of their concatenated digests; for devices without files, "". A rebuilt file
    gives a different device.
    """
    digests: list[str] = []
    with suppress(ValueError, DeviceError):
        spec = parse(device)
        kind = kinds().get(spec.kind)
        files = kind.files(spec) if kind is not None and kind.files is not None else ()
        digests = [file_digest(path) for path in files if os.path.isfile(path)]
    if len(digests) < 2:
        return digests[0] if digests else ""
    return hashlib.sha256(b"".join(map(bytes.fromhex, digests))).hexdigest()


def driver(device: str) -> dict[str, Any] | None:
    """Return the data that a program needs to run a device without litecheck; None for plugins and recordings."""
    spec = parse(device)
    kind = kinds().get(spec.kind)
    return None if kind is None or kind.driver is None else dict(kind.driver(spec))


def _open_spec(spec: DeviceSpec, limits: Limits) -> Device:
    if kind := kinds().get(spec.kind):
        return _open_kind(spec, kind, limits)
    offered = _entry_points()
    if spec.kind in offered:
        return _open_plugin(spec, limits, offered[spec.kind])
    names = device_names()
    forms = {part: name for name in reversed(names) for part in (*name.split(":"), name)}
    close = closest(spec.kind, forms)
    hint = f"; did you mean {forms[close]!r}?" if close else ";"
    raise DeviceNameError(
        f"--device {spec.text}: unknown device {spec.kind!r}{hint} available: {', '.join(names)}"
    )


def _entry_points() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=GROUP)}


def _open_kind(spec: DeviceSpec, kind: DeviceKind, limits: Limits) -> Device:
    options = check_options(spec, kind)
    for module in kind.modules:
        if find_spec(module) is None:
            package = kind.package if len(kind.modules) == 1 else module.replace("_", "-")
            raise DeviceError(
                f"--device {spec.text}: needs the package {package}: {install_hint(kind.extra)}"
            )
    if kind.open_device is not None:
        return kind.open_device(spec)
    described = f"{spec.text} ({kind.package} {_version(kind.package)})" if kind.package else spec.text
    return IsolatedDevice(spec.text, described, WorkerSetup(kind.adapter, options, kind.environment), limits)


def _open_plugin(spec: DeviceSpec, limits: Limits, point: EntryPoint) -> Device:
    options = {**spec.options, **({"": spec.argument} if spec.argument else {})}
    described = f"{spec.text} ({point.dist.name} {point.dist.version})" if point.dist else spec.text
    return IsolatedDevice(
        spec.text, described, WorkerSetup(f"{point.module}:{point.attr}", options, FILLED), limits
    )


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "of unknown version"


def parse(text: str) -> DeviceSpec:
    """Return the parts of a device's name. The path of a library alone (``./libacme.so,threads=2``) is a delegate.

    A comma ends the argument or a value only if ``key=`` follows, so paths and values may contain commas:
    ``delegate:/lib.so,operators=ADD,MUL,threads=2``. Raises DeviceError.

    For example, ``./libacme.so,threads=2`` is kind ``delegate`` with the option threads.
    """
    found = _KIND.fullmatch(text)
    if found is None or found[1].lower().endswith(_LIBRARY):
        if not text or not _is_path(text):
            raise DeviceNameError(
                f"--device {text!r}: a device is written KIND, KIND:ARGUMENT or KIND,KEY=VALUE"
            )
        if program := _program(text):
            raise DeviceNameError(
                f"--device {text}: {program} is no .so, .dylib or .dll. A program? Write {_as_command(text)}. "
                f"A library? Write delegate:{program}"
            )
        kind, rest = "delegate", text
    else:
        kind, rest = found[1], found[3] or ""
        known = kinds().get(kind)
        if known is not None and known.whole:
            return DeviceSpec(text, kind, rest)
    opens = found is not None and kind == found[1] and found[2] == ","
    pieces = _split_options(rest)
    argument = "" if opens or (pieces and _OPTION.match(pieces[0])) else pieces.pop(0) if pieces else ""
    return DeviceSpec(text, kind, argument, _parse_options(text, pieces))


def _is_path(text: str) -> bool:
    return "/" in text or "\\" in text or text.split(",")[0].lower().endswith(_LIBRARY)


def _program(text: str) -> str:
    """Return the executable file of a path that does not look like a library, "" if there is none.

    For example, ``./npu {model} {runs}`` gives ``./npu`` if this file is executable.
    """
    file = next(iter(text.split()), "").split(",")[0]
    named = any(suffix in os.path.basename(file).lower() for suffix in _LIBRARY)
    return "" if named or not os.path.isfile(file) or not os.access(file, os.X_OK) else file


def _as_command(text: str) -> str:
    """Return ``command:'./npu {model} {inputs} {outputs}'`` for ``./npu``; placeholders in the text stay."""
    return f"command:'{text if '{' in text else f'{text} {MODEL} {INPUTS} {OUTPUTS}'}'"


def _split_options(rest: str) -> list[str]:
    """Split the text at the commas before ``key=``. Example: ``a,b,key=1`` gives ``a,b`` and ``key=1``."""
    pieces: list[str] = []
    for part in rest.split(",") if rest else ():
        if pieces and not _OPTION.match(part):
            pieces[-1] += f",{part}"
        else:
            pieces.append(part)
    return pieces


def _parse_options(text: str, pieces: Iterable[str]) -> dict[str, str]:
    options: dict[str, str] = {}
    for piece in pieces:
        key, equals, value = piece.partition("=")
        if not equals:
            raise DeviceNameError(f"--device {text}: {piece!r} is not KEY=VALUE")
        if key in options:
            raise DeviceNameError(f"--device {text}: {key} is given twice")
        options[key] = value
    return options


def check_options(spec: DeviceSpec, kind: DeviceKind) -> dict[str, str]:
    """Return the options for the adapter of a kind, with those from the argument. Raises DeviceError for an unknown
    option or a bad value."""
    for key, value in spec.options.items() if kind.options is not None else ():
        allowed = kind.options or {}
        if key not in allowed:
            known = f"; available: {', '.join(allowed)}" if allowed else f"; {spec.kind} takes none"
            hint = did_you_mean(key, allowed) or known
            raise DeviceNameError(f"--device {spec.text}: unknown option {key!r}{hint}")
        try:
            allowed[key](value)
        except ValueError as error:
            raise DeviceNameError(f"--device {spec.text}: {key}={value}: {error}") from None
    return {**spec.options, **_options_of_argument(spec, kind)}


def _options_of_argument(spec: DeviceSpec, kind: DeviceKind) -> Mapping[str, str]:
    if kind.open_device is not None:
        return {}
    if kind.argument is None:
        if spec.argument:
            raise DeviceNameError(f"--device {spec.text}: {spec.kind} takes no argument {spec.argument!r}")
        return {}
    try:
        return kind.argument(spec.argument)
    except MissingFileError as error:
        raise DeviceFileError(f"--device {spec.text}: {error}") from None
    except ValueError as error:
        raise DeviceNameError(f"--device {spec.text}: {error}") from None
