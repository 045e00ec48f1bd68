"""Reports of the compilers of a model's targets, for ``validate --compile``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from litecheck.errors import ConfigError
from litecheck.model.types import Model
from litecheck.placement import CompilerReport, TargetReport
from litecheck.profile.types import Profile
from litecheck.report import ModelReport
from litecheck.target_kinds import import_attribute, target_kind

#: Function that compiles a model for a target. It raises DeviceError if the compiler is not installed.
Compile = Callable[[Model, TargetReport], CompilerReport]


def compilers_of(profiles: Iterable[Profile]) -> Mapping[str, Compile]:
    """Return the compilers of targets, by the name of the profile. Raise ConfigError for a target without a
    compiler."""
    kinds = {profile.name: target_kind(profile.target) for profile in profiles if profile.target}
    for name, kind in kinds.items():
        if not kind.compiler:
            raise ConfigError(f"--compile: no compiler is known for {name}. Leave out --compile.")
    return {name: import_attribute(kind.compiler) for name, kind in kinds.items()}


def with_compiler_reports(compilers: Mapping[str, Compile], model: Model, report: ModelReport) -> ModelReport:
    """Compile a model for each of its targets and add the reports of the compilers."""
    targets = (replace(one, compiler=compilers[one.target](model, one)) for one in report.targets)
    return replace(report, targets=tuple(targets))
