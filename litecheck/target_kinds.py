"""Kinds of hardware targets: the parts of a kind, and the search for kinds."""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from litecheck.errors import ConfigError
from litecheck.spelling import suggestion

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

#: Entry points of this group name a :class:`TargetKind` of an installed package.
GROUP = "litecheck.targets"
_BUNDLED = "litecheck.targets"


@dataclass(frozen=True, slots=True)
class TargetKind:
    """A family of hardware targets, named by the key ``target`` of a profile.

    Code is named as ``module:attribute`` and imported when it is needed. Example: ``acme.npu.placement:place``.

    - ``place``: a function of a Model and a Profile that returns a TargetReport and a list of Findings.
    - ``measurements``: modules that register measurements, which the ``limits`` of the kind's profiles may use.
    - ``rewrites``: a class whose method ``read`` reads the key ``rewrites`` of a profile (see
      :class:`litecheck.targets.ethos_u.rewrites.Rewrites`); empty where profiles of the kind have no such key.
    - ``requirements``: a function of a Profile and patterns of operator types that returns the requirements of the
      rewrites, which no rule states; empty where there are none.
    - ``compiler``: a function of a Model and a TargetReport that returns a CompilerReport, for ``--compile``.
    - ``device``: a module whose ``KIND`` is a DeviceKind, for ``--device``. An installed package uses the entry points
      of the group ``litecheck.devices`` instead.
    - ``profiles``: a folder of rule files, which ``--profile NAME`` finds.
    """

    name: str
    place: str
    measurements: tuple[str, ...] = ()
    rewrites: str = ""
    requirements: str = ""
    compiler: str = ""
    device: str = ""
    profiles: Path | None = None


@cache
def bundled_kinds() -> Mapping[str, TargetKind]:
    """Return litecheck's own kinds by name: the packages of litecheck.targets that have a ``KIND``."""
    modules = pkgutil.iter_modules(import_module(_BUNDLED).__path__, f"{_BUNDLED}.")
    packages = (import_module(module.name) for module in modules if module.ispkg)
    kinds = sorted((p.KIND for p in packages if hasattr(p, "KIND")), key=lambda kind: kind.name)
    return {kind.name: kind for kind in kinds}


@cache
def target_kinds() -> Mapping[str, TargetKind]:
    """Return litecheck's own kinds and those of installed packages by name. Raise ConfigError."""
    from importlib.metadata import entry_points  # the import takes 10 ms, and few commands need it

    installed = (_load_installed(point) for point in entry_points(group=GROUP))
    return {**{kind.name: kind for kind in installed}, **bundled_kinds()}


def target_kind(name: str) -> TargetKind:
    """Return the kind of that name. Raise ConfigError with the known names."""
    kinds = bundled_kinds() if name in bundled_kinds() else target_kinds()
    if name not in kinds:
        hint = suggestion(name, kinds)
        raise ConfigError(f"unknown target kind {name!r}{hint}")
    return kinds[name]


def import_attribute(reference: str) -> Any:
    """Import the attribute that ``module:attribute`` names. Raise ConfigError if it does not exist."""
    module, _, attribute = reference.partition(":")
    try:
        return getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise ConfigError(f"target code {reference!r} cannot be imported: {error}") from error


def _load_installed(point: EntryPoint) -> TargetKind:
    package = point.dist.name if point.dist else point.value
    try:
        kind = point.load()
    except Exception as error:  # the code of an installed package can raise anything
        raise ConfigError(f"target kind {point.name!r} of {package} cannot be imported: {error}") from error
    if not isinstance(kind, TargetKind):
        raise ConfigError(f"target kind {point.name!r} of {package}: got {kind!r}, expected a TargetKind")
    return kind
