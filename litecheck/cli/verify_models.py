"""Models of ``litecheck verify``, and the verification of a single model or of all, with progress bar and checkpoint."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from litecheck.cli.console import OutputOptions, console
from litecheck.errors import ConfigError, ModelError
from litecheck.model_files import find_models

if TYPE_CHECKING:
    from litecheck.cli.outputs import Output
    from litecheck.devices.port import Device
    from litecheck.model.types import Model
    from litecheck.verification.result import Verification
    from litecheck.verification.settings import Settings
    from litecheck.verification.several_models import Verifications


@dataclass(frozen=True, slots=True)
class ModelArguments:
    """The models that the arguments name.

    ``several`` is True if a report over models is requested. A folder or a glob requests it, even with a single model.
    """

    files: tuple[str | ModelError, ...]
    several: bool


def models_asked(arguments: Sequence[str], targets: Sequence[Output], journal: str | None) -> ModelArguments:
    """Return the models. Raise ConfigError for an option for one model that is given with several."""
    found = find_models(arguments)
    several = len(arguments) > 1 or (isinstance(found[0], str) and found != tuple(arguments))
    if several and journal:
        raise ConfigError(
            "--set checkpoint: got several models, expected one. Without it, each model has its own file."
        )
    if several and any(target.format == "model-explorer" for target in targets):
        raise ConfigError("--format model-explorer is about one model: verify them one by one")
    return ModelArguments(found, several)


@dataclass(slots=True)
class VerifyRun:
    """Models to verify, and their options.

    ``settings_of`` makes the settings of a model. ``member`` selects a model of a bundle.
    """

    settings_of: Callable[[Model], Settings]
    member: str
    journal: str | None
    resume: bool
    manner: OutputOptions
    _journals: list[Path] = field(default_factory=list)

    def prepare_model(self, file: str | ModelError) -> tuple[Model, Settings]:
        """Return a model and its settings. Raise LitecheckError."""
        from litecheck.cases.shape_variants import in_other_shapes
        from litecheck.model.load import load_model

        if isinstance(file, ModelError):
            raise file
        model = load_model(file, self.member)
        settings = self.settings_of(model)
        return in_other_shapes(model) if settings.shapes else model, settings

    def print_estimate(self, device: Device, models: Sequence[tuple[Model, Settings]]) -> None:
        """Print the expected cost of each model."""
        from litecheck.rendering.verification.text import print_forecast
        from litecheck.verification.cost_estimate import estimate_cost

        for number, (model, settings) in enumerate(models):
            if number:
                print()
            print_forecast(
                estimate_cost(model, device, settings), console(self.manner.no_color), self.manner.verbose
            )

    def one(self, device: Device, model: Model, settings: Settings, before: str = "") -> Verification:
        """Verify one model. ``before`` is printed before the text of the bar."""
        from litecheck.cli.progress import steps
        from litecheck.devices.isolated_device import IsolatedDevice
        from litecheck.verification.campaign import run
        from litecheck.verification.schedule import weights

        found = weights(model, settings)
        total = sum(found.values()) + (len(found) if settings.drift else 0)
        with steps(round(total), self.manner.no_color, found, before) as advance:
            if isinstance(device, IsolatedDevice) and settings.jobs == 1:
                device.progress = advance.show_steps
            return run(model, device, settings, self.journal, self.resume, advance, keep=bool(before))

    def each(self, device: Device, found: Sequence[str | ModelError]) -> Verifications:
        """Verify every model. Checkpoints are kept until all are done, so that --resume does not repeat finished models."""
        from litecheck.verification.campaign import about
        from litecheck.verification.journal import default_path
        from litecheck.verification.several_models import Verifications, each
        from litecheck.version import __version__

        names = _folders(found)

        def verified(file: str) -> Verification:
            model, settings = self.prepare_model(file)
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
    """Return the name of a folder for each model: the name of its file, with a number if several have the same name."""
    names: dict[str, str] = {}
    for file in found:
        if isinstance(file, str):
            stem = Path(file).stem
            taken = sum(name == stem or name.startswith(f"{stem}-") for name in names.values())
            names[file] = f"{stem}-{taken + 1}" if taken else stem
    return names
