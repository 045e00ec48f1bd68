"""Which models ``litecheck verify`` is asked about, and the verification of one or of each, with the bar and the journal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from litecheck.cli.console import Manner, console
from litecheck.errors import ConfigError, ModelError
from litecheck.model_files import find_models

if TYPE_CHECKING:
    from litecheck.cli.outputs import Output
    from litecheck.devices.port import Device
    from litecheck.model.types import Model
    from litecheck.verify.outcome import Verification
    from litecheck.verify.settings import Settings
    from litecheck.verify.several import Verifications


@dataclass(frozen=True, slots=True)
class ModelsAsked:
    """What the arguments name. ``several`` is whether a report over models is wanted: a folder or a glob wants one, too,
    whatever it holds today."""

    found: tuple[str | ModelError, ...]
    several: bool


def models_asked(arguments: Sequence[str], targets: Sequence[Output], journal: str | None) -> ModelsAsked:
    """The models; raises ConfigError for what is about one model and goes with several."""
    found = find_models(arguments)
    several = len(arguments) > 1 or (isinstance(found[0], str) and found != tuple(arguments))
    if several and journal:
        raise ConfigError(
            "--set checkpoint: got several models, expected one. Without it, each model has its own file."
        )
    if several and any(target.format == "model-explorer" for target in targets):
        raise ConfigError("--format model-explorer is about one model: verify them one by one")
    return ModelsAsked(found, several)


@dataclass(slots=True)
class VerifyRun:
    """Models to verify, and how: ``asked`` makes the settings for each, ``member`` is wanted of bundles."""

    asked: Callable[[Model], Settings]
    member: str
    journal: str | None
    resume: bool
    manner: Manner
    _journals: list[Path] = field(default_factory=list)

    def prepared(self, file: str | ModelError) -> tuple[Model, Settings]:
        """A model and what is asked of it. Raises LitecheckError."""
        from litecheck.model.load import load_model

        if isinstance(file, ModelError):
            raise file
        model = load_model(file, self.member)
        return model, self.asked(model)

    def foretell(self, device: Device, models: Sequence[tuple[Model, Settings]]) -> None:
        """Print what it would cost."""
        from litecheck.rendering.verification.text import print_forecast
        from litecheck.verify.forecast import forecast

        for number, (model, settings) in enumerate(models):
            if number:
                print()
            print_forecast(
                forecast(model, device, settings), console(self.manner.no_color), self.manner.verbose
            )

    def one(self, device: Device, model: Model, settings: Settings, before: str = "") -> Verification:
        """One model's verification; ``before`` stands in front of what the bar says."""
        from litecheck.cli.progress import steps
        from litecheck.devices.isolated import Isolated
        from litecheck.verify.campaign import run
        from litecheck.verify.plan import weights

        found = weights(model, settings)
        total = sum(found.values()) + (len(found) if settings.drift else 0)
        with steps(round(total), self.manner.no_color, found, before) as advance:
            if isinstance(device, Isolated) and settings.jobs == 1:
                device.progress = advance.within
            return run(model, device, settings, self.journal, self.resume, advance, keep=bool(before))

    def each(self, device: Device, found: Sequence[str | ModelError]) -> Verifications:
        """Every model's. Journals are kept until all are done: --resume asks nothing of a finished model again."""
        from litecheck.verify.campaign import about
        from litecheck.verify.journal import default_path
        from litecheck.verify.several import Verifications, each
        from litecheck.version import __version__

        names = _folders(found)

        def verified(file: str) -> Verification:
            model, settings = self.prepared(file)
            name = names[file]
            settings = replace(
                settings, reproduce=_below(settings.reproduce, name), record=_below(settings.record, name)
            )
            self._journals.append(default_path(about(model, device, settings)))
            before = f"{found.index(file) + 1} of {len(found)}, {Path(file).name}: "
            return self.one(device, model, settings, before)

        models = each(found, verified)
        for path in self._journals:
            path.unlink(missing_ok=True)
        return Verifications(__version__, device.name, device.described, models)


def _below(folder: str | None, name: str) -> str | None:
    return str(Path(folder, name)) if folder else None


def _folders(found: Sequence[str | ModelError]) -> dict[str, str]:
    """A folder's name for each model: that of its file, with a number where several are called so."""
    names: dict[str, str] = {}
    for file in found:
        if isinstance(file, str):
            stem = Path(file).stem
            taken = sum(name == stem or name.startswith(f"{stem}-") for name in names.values())
            names[file] = f"{stem}-{taken + 1}" if taken else stem
    return names
