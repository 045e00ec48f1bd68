"""Verification of several models on one device; a model that cannot be verified has its problems instead."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from litecheck.devices.port import Device, Limits
from litecheck.devices.registry import open_device
from litecheck.errors import ConfigError, LitecheckError, ModelError, Problem, ProfileError
from litecheck.model.load import load_model
from litecheck.model_files import find_models
from litecheck.public_call import shows_call
from litecheck.summary_text import combined_exit_code
from litecheck.verification.campaign import verify_model
from litecheck.verification.result import Verification
from litecheck.version import __version__

#: Exit codes by verdict. Over several models, ``fails`` outranks ``not checked``.
_CODES = {"conforms": 0, "fails": 1, "not checked": 2}


@dataclass(frozen=True, slots=True)
class UnverifiedModel:
    """A model that was not verified: its file cannot be read, or it has no tensor or operator that the options name."""

    model: str
    problems: tuple[Problem, ...]

    @property
    def verdict(self) -> str:
        """Always ``not checked``."""
        return "not checked"


@dataclass(frozen=True, slots=True)
class Verifications:
    """Verifications of models on one device, in the given order. ``device`` and ``described`` as in Verification."""

    version: str
    device: str
    described: str
    models: tuple[Verification | UnverifiedModel, ...]

    def counts(self) -> Mapping[str, int]:
        """Count the models by verdict; verdicts without models are omitted."""
        found = Counter(one.verdict for one in self.models)
        return {verdict: found[verdict] for verdict in _CODES if found[verdict]}

    @property
    def exit_code(self) -> int:
        """1 if a model fails, else 2 if a model is not checked or there is none, else 0."""
        return combined_exit_code(_CODES[one.verdict] for one in self.models)

    @property
    def verdict(self) -> str:
        """The verdict of the exit code."""
        return next(verdict for verdict, code in _CODES.items() if code == self.exit_code)


def each(
    models: Iterable[str | ModelError], verified: Callable[[str], Verification]
) -> tuple[Verification | UnverifiedModel, ...]:
    """Verify every model; a model that cannot be verified does not stop the verification of later models.

    Options that suit no model are an error: the last exception is raised.
    """
    done: list[Verification | UnverifiedModel] = []
    unfit: LitecheckError | None = None
    for model in models:
        try:
            if isinstance(model, ModelError):
                raise model
            done.append(verified(model))
        except ModelError as error:
            done.append(UnverifiedModel(error.file, error.problems))
        except (ConfigError, ProfileError) as error:
            unfit = error
            done.append(UnverifiedModel(str(model), (Problem("not-asked", "", None, str(error)),)))
        except LitecheckError as error:
            done.append(UnverifiedModel(str(model), (Problem("not-computed", "", None, str(error)),)))
    if unfit is not None and not any(isinstance(one, Verification) for one in done):
        raise unfit
    return tuple(done)


@shows_call("litecheck.verify_files(['model.tflite'], device)")
def verify_files(
    paths: Iterable[str],
    device: str | Device | Callable[..., Any],
    *,
    limits: Limits | None = None,
    **settings: Any,
) -> Verifications:
    """Verify the models that files, folders and globs name on one device, with ``verify_model``.

    A file that cannot be read does not stop the verification of later files. Raise DeviceError if the device cannot be
    opened, and ConfigError for settings that suit none of the models.
    """
    opened = open_device(device, limits) if isinstance(device, str) or callable(device) else device
    try:
        models = each(
            find_models(paths), lambda file: verify_model(load_model(file), opened, limits=limits, **settings)
        )
    finally:
        if opened is not device:
            opened.close()
    return Verifications(__version__, opened.name, opened.described, models)
