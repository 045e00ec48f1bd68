"""From what ``--device`` says to a device."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Mapping
from importlib.metadata import EntryPoint, PackageNotFoundError, entry_points, version

from litecheck.devices.isolated import Isolated
from litecheck.devices.port import Device, DeviceError, Limits, Spec
from litecheck.devices.program import version as program_version
from litecheck.devices.program import words
from litecheck.devices.spec import at_least_one, only, parse
from litecheck.devices.worker import Setup
from litecheck.profile.yaml_reader import did_you_mean

GROUP = "litecheck.devices"
KERNELS = ("reference", "optimized", "xnnpack")
_ADAPTERS = "litecheck.devices.adapters"
#: One thread each: jobs run side by side, and a child that has threads cannot be forked.
_QUIET = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
#: glibc fills memory it hands out: what foreign code never wrote then looks like nothing it could have computed.
_FILLED = {**_QUIET, "MALLOC_PERTURB_": "165"}


def open_device(text: str, limits: Limits | None = None, build: str = "") -> Device:
    """The device that a text names, within limits for each job; ``build`` says which build or version of it this is.

    ``litert:reference|optimized|xnnpack[,threads=N]``, ``tflm[,arena=BYTES]``, ``openvino``,
    ``delegate:LIBRARY[,KEY=VALUE...]`` (or the library's path alone), ``command:PROGRAM {model} {runs}`` (or ``{model}
    {inputs} {outputs}``),
    ``recorded:DIR``, and whatever installed packages offer as entry points of group ``litecheck.devices``.
    The runtime is loaded once, in a child process. Raises DeviceError where that cannot be.
    """
    spec = parse(text)
    device = _opened(spec, limits or Limits())
    if not build and spec.kind == "command":
        build = program_version(spec.argument)
    if build:
        device.described = f"{device.described} ({build})"
    return device


def _opened(spec: Spec, limits: Limits) -> Device:
    text = spec.text
    if spec.kind in _KINDS:
        return _KINDS[spec.kind](spec, limits)
    offered = _offered()
    if spec.kind in offered:
        return _plugin(spec, limits, offered[spec.kind])
    known = known_devices()
    raise DeviceError(
        f"--device {text}: there is no device {spec.kind!r}{did_you_mean(spec.kind, known)}; "
        f"there are {', '.join(known)}"
    )


def known_devices() -> tuple[str, ...]:
    """litecheck's own kinds, then those of installed packages."""
    return (*_KINDS, *(name for name in _offered() if name not in _KINDS))


def _offered() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=GROUP)}


def _litert(spec: Spec, limits: Limits) -> Device:
    options = only(spec, threads=at_least_one)
    kernels = ", ".join(f"litert:{k}" for k in KERNELS)
    if spec.argument not in KERNELS:
        hint = did_you_mean(spec.argument, KERNELS)
        what = f"there are no kernels {spec.argument!r}{hint}" if spec.argument else "which kernels"
        raise DeviceError(f"--device {spec.text}: {what}; there are {kernels}")
    _need(spec, "ai_edge_litert", "runtime")
    return _isolated(spec, limits, {"kernels": spec.argument, **options}, "ai-edge-litert")


def _tflm(spec: Spec, limits: Limits) -> Device:
    options = only(_bare(spec), arena=at_least_one)
    _need(spec, "tflite_micro", "tflm")
    return _isolated(spec, limits, options, "tflite-micro")


def _openvino(spec: Spec, limits: Limits) -> Device:
    only(_bare(spec))
    for package in ("ai_edge_litert", "openvino"):
        _need(spec, package, "openvino")
    return _isolated(spec, limits, {}, "openvino")


def _delegate(spec: Spec, limits: Limits) -> Device:
    library = os.path.abspath(os.path.expanduser(spec.argument))
    if not spec.argument:
        raise DeviceError(f"--device {spec.text}: a library is missing, as in delegate:/path/lib.so")
    if not os.path.isfile(library):
        raise DeviceError(f"--device {spec.text}: no such file: {library}")
    _need(spec, "ai_edge_litert", "runtime")
    return _isolated(spec, limits, {**spec.options, "": library}, "ai-edge-litert", _FILLED)


def _command(spec: Spec, limits: Limits) -> Device:
    try:
        words(spec.argument)
    except ValueError as error:
        raise DeviceError(f"--device {spec.text}: {error}") from None
    setup = Setup(f"{_ADAPTERS}.command:Command", {"command": spec.argument}, {})
    return Isolated(spec.text, spec.text, setup, limits)


def _recorded(spec: Spec, limits: Limits) -> Device:
    from litecheck.devices.replay import Recorded

    return Recorded(spec.text, spec.argument)


def _plugin(spec: Spec, limits: Limits, point: EntryPoint) -> Device:
    options = {**spec.options, **({"": spec.argument} if spec.argument else {})}
    described = f"{spec.text} ({point.dist.name} {point.dist.version})" if point.dist else spec.text
    return Isolated(spec.text, described, Setup(point.value, options, _FILLED), limits)


_KINDS: Mapping[str, Callable[[Spec, Limits], Device]] = {
    "litert": _litert,
    "tflm": _tflm,
    "openvino": _openvino,
    "delegate": _delegate,
    "command": _command,
    "recorded": _recorded,
}


def _isolated(
    spec: Spec,
    limits: Limits,
    options: Mapping[str, str],
    package: str,
    environment: Mapping[str, str] = _QUIET,
) -> Device:
    setup = Setup(f"{_ADAPTERS}.{spec.kind}:{spec.kind.capitalize()}", options, environment)
    return Isolated(spec.text, f"{spec.text} ({package} {_version(package)})", setup, limits)


def _bare(spec: Spec) -> Spec:
    if spec.argument:
        raise DeviceError(f"--device {spec.text}: {spec.kind} takes no argument {spec.argument!r}")
    return spec


def _need(spec: Spec, module: str, extra: str) -> None:
    if importlib.util.find_spec(module) is None:
        raise DeviceError(
            f"--device {spec.text}: needs the package {module.replace('_', '-')}: "
            f"pip install 'litecheck[{extra}]'"
        )


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "of unknown version"
