"""Preparation of a conversion: the model and its data are opened, and the settings checked before anything runs.

The planning modules are imported when they are needed, so that the model can be calibrated at the same time.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from litecheck.conversion.calibration.dataset import CalibrationData
from litecheck.conversion.calibration.litert_child import OWN, runtime_of
from litecheck.conversion.float16_constants import HALF
from litecheck.conversion.float16_sources import decode_float16
from litecheck.conversion.model_calibration import open_samples
from litecheck.conversion.outlier_weights import has_outlier
from litecheck.conversion.recipe import QuantizationRecipe
from litecheck.conversion.recipe_file import read_recipe
from litecheck.conversion.request import KINDS, REAL, REAL_KINDS, check_kind
from litecheck.conversion.settings import ConversionSettings
from litecheck.conversion.source import check_real, is_quantized
from litecheck.errors import ConfigError
from litecheck.files import read_file
from litecheck.model.load import load_model
from litecheck.model.node_signatures import CONVERSIONS
from litecheck.model.types import Model
from litecheck.spelling import suggestion

if TYPE_CHECKING:
    from litecheck.conversion.conversion_plan import ConversionPlan
    from litecheck.conversion.dequantized_model import DequantizedModel
    from litecheck.conversion.equalize import Equalization

#: Kind of conversion by the activation type of a plan.
_KINDS = {"int8": "int8", "uint8": "uint8", "int16": "int16x8", REAL: "dynamic", "float16": "float16"}
#: Number of drawn inputs for running both forms of a quantized model.
DRAWN = 32


@dataclass(frozen=True, slots=True, eq=False)
class ConversionSession:
    """A conversion that is ready to be carried out, with checked settings.

    ``plan`` is the plan to apply, or None. ``data`` is None without samples. ``quantized_model`` is the model with the
    scales to copy. ``shifts`` is True if the model has 8-bit activations, which keep their scales. ``equalization`` is None
    if the model is not equalized first. ``trained_model`` has the parameters of quantization-aware training; then ``model``
    is the model without its simulation, and ``simulated_model`` the model with it.
    """

    model: Model
    settings: ConversionSettings
    plan: ConversionPlan | None
    data: CalibrationData | None
    quantized_model: Model | None = None
    shifts: bool = False
    equalization: Equalization | None = None
    trained_model: DequantizedModel | None = None
    simulated_model: Model | None = None
    evaluation: CalibrationData | None = None
    """Other samples on which both models are compared."""
    search: CalibrationData | None = None
    """Samples of repeated runs for a budget and sensitivities, or None for those of ``data``."""
    preparation: str = ""
    """What was changed in the model first, or ""."""

    @property
    def base(self) -> Model:
        """The model that is calibrated and compared, with its channels rescaled if equalization is requested."""
        if self.equalization is not None:
            return self.equalization.model
        if self.plan is None:
            return self.model
        from litecheck.conversion.convert_float import equal

        return equal(self.model, self.plan.changes)

    @property
    def reads_statistics(self) -> bool:
        """True if the ranges come from an earlier calibration."""
        return bool(self.settings.statistics) and os.path.exists(self.settings.statistics)

    @property
    def calibrates(self) -> bool:
        """True if ranges are needed: for integer activations, and for their reports."""
        s = self.settings
        known = self.reads_statistics
        if self.plan is not None:
            return known
        return (
            not self.shifts
            and s.to not in REAL_KINDS
            and (
                (self.quantized_model is None and self.trained_model is None)
                or known
                or self.data is not None
            )
        )

    @property
    def needs_moments(self) -> bool:
        """True if a recipe chooses weights by second moments of the layers' inputs."""
        recipe = self.settings.recipe
        return isinstance(recipe, QuantizationRecipe) and recipe.needs_moments

    @property
    def compares(self) -> bool:
        """True if both models are run and compared."""
        return self.settings.agreement and self.data is not None

    @property
    def runs_new_model(self) -> bool:
        """True if the new model runs on samples: for comparisons, a budget, corrected biases or sensitivities."""
        s = self.settings
        return (
            self.compares or self.evaluation is not None or bool(s.budget or s.correct_bias or s.sensitivity)
        )

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about the samples for the user."""
        return self.data.warnings if self.data and not self.shifts else ()

    @property
    def steps(self) -> int | None:
        """Number of samples that run, over all passes, or None if it is not known beforehand."""
        other = self.evaluation
        if self.data is None:
            return other.count if other is not None else 0
        times, searches = (
            (self.calibrates and not self.reads_statistics) + self.needs_moments + self.compares,
            0,
        )
        if self.settings.correct_bias or self.settings.sensitivity or self.settings.budget:
            from litecheck.conversion.rerun import passes

            times += passes(self.model, replace(self.settings, sensitivity=0, budget=""))
            searches = passes(self.model, replace(self.settings, correct_bias=False))
        if self.data.count is None or (other is not None and other.count is None):
            return None
        count = self.data.count * times + ((self.search or self.data).count or 0) * searches
        return count + (other.count or 0 if other is not None else 0)


def prepare_session(model: Model, settings: ConversionSettings) -> ConversionSession:
    """Return the session of a model.

    Raises ConfigError for contradictory settings, and for a model that is already quantized.
    """
    check_kind(settings.to)
    _check_signature(model, settings.signature)
    settings = _apply_recipe(settings)
    plan = _plan(settings.plan) if settings.plan else None
    if plan is not None:
        to = _KINDS[plan.target]
        own = "" if plan.profile == KINDS[to][1] else plan.profile
        settings = replace(settings, to=to, profile=settings.profile or own)
    shifts = _is_shift(model, settings)
    note = ""
    if not shifts:
        if settings.to != HALF:
            model, note = decode_float16(model)
        check_real(model, settings.to)
    trained, simulated = (None, model) if shifts else _import_trained(model, settings)
    if settings.ranges and (shifts or trained):
        raise ConfigError("--range needs a float model: the ranges of this model are known already")
    model = trained.model if trained else model
    if trained and settings.generation == "verbatim":
        # The defect of this quantizer concerns scales that follow from the weights, and not trained scales.
        settings = replace(settings, generation="new")
    _check_statistics(settings)
    for pattern in (one for one in settings.keep if one in settings.int16x8):
        raise ConfigError(f"--keep-float {pattern} and --int16x8 {pattern}: give one of them")
    quantized = load_model(settings.scales_from) if settings.scales_from else None
    equalization = None
    if settings.equalize:
        from litecheck.conversion.equalize import equalize

        equalization = equalize(model)
    elif settings.rescales and not (plan or shifts or trained) and any(map(has_outlier, model.subgraphs)):
        from litecheck.conversion.outlier_channels import rescale_outliers

        equalization = rescale_outliers(model)
    data, search = _samples(model, settings)
    data = data or (_draw_samples(model, settings) if shifts else None)
    evaluation = None
    if settings.evaluate:
        evaluation = open_samples(model, replace(settings, data=settings.evaluate, random=None, samples=None))
    if settings.min_snr is not None and evaluation is None and (data is None or not settings.agreement):
        raise ConfigError(
            "--min-snr compares both models on samples: give --data, without --no-agreement, or --evaluate"
        )
    if settings.equalize or settings.correct_bias or settings.sensitivity or settings.budget:
        from litecheck.conversion.rerun_checks import check_rerun

        check_rerun(settings, data is not None, shifts)
    session = ConversionSession(
        model, settings, plan, data, quantized, shifts, equalization, trained, simulated if trained else None,
        evaluation, search, note,
    )  # fmt: skip
    if session.needs_moments and data is None:
        raise ConfigError("a recipe with 'algorithm: gptq' chooses weights by samples: give --data")
    return session


def _samples(
    model: Model, settings: ConversionSettings
) -> tuple[CalibrationData | None, CalibrationData | None]:
    """Return the samples that set the ranges, and those of repeated runs if these are fewer.

    ``samples`` limits only the repeated runs of a budget and of sensitivities, unless the number of all samples is unknown.
    """
    fewer = open_samples(model, settings)
    if settings.samples is None or not (settings.budget or settings.sensitivity):
        return fewer, None
    whole = open_samples(model, replace(settings, samples=None))
    return (fewer, None) if whole is None or whole.count is None else (whole, fewer)


def _apply_recipe(settings: ConversionSettings) -> ConversionSettings:
    """Return the settings with the recipe of their file, and the kind of conversion that follows from it."""
    if not settings.recipe:
        return settings
    if settings.plan:
        raise ConfigError("--plan and --recipe: the plan has decided that")
    recipe = read_recipe(settings.recipe) if isinstance(settings.recipe, str) else settings.recipe
    return replace(settings, recipe=recipe, to=recipe.to)


def _import_trained(model: Model, settings: ConversionSettings) -> tuple[DequantizedModel | None, Model]:
    """Return the parameters of a model of quantization-aware training, or None, and the model."""
    if not any(op.opcode in CONVERSIONS for s in model.subgraphs for op in s.operators):
        return None, model
    from litecheck.conversion.qat_models import import_trained, is_trained

    return import_trained(model, "uint8" if settings.to == "uint8" else "int8") if is_trained(
        model
    ) else None, model


def _draw_samples(model: Model, settings: ConversionSettings) -> CalibrationData | None:
    """Return inputs for both forms of a quantized model, or None if LiteRT is not available or inputs cannot be drawn."""
    if not settings.agreement or runtime_of(settings.device, unseen=False) == OWN:
        return None
    from litecheck.conversion.calibration.random_data import random_data

    try:
        return random_data(model, DRAWN, settings.seed, settings.signature)
    except ConfigError:
        return None


def _is_shift(model: Model, settings: ConversionSettings) -> bool:
    """Return True if a quantized model is to become int8 or uint8 or, if it already is, to conform to another profile."""
    other = {"int8": "uint8", "uint8": "int8"}.get(settings.to)
    if other is None or not is_quantized(model):
        return False
    changes_type = any(
        t.dtype == other and t.quantization.scale.size for s in model.subgraphs for t in s.tensors
    )
    return changes_type or bool(settings.profile)


def _check_signature(model: Model, signature: str | None) -> None:
    """Raise ConfigError for a signature that the model does not have."""
    known = [one.key for one in model.signatures]
    if signature is not None and signature not in known:
        hint = suggestion(signature, known, "there are")
        raise ConfigError(f"--signature {signature}: the model has no such signature{hint}")


def _check_statistics(settings: ConversionSettings) -> None:
    """Raise ConfigError for calibration settings if nothing is calibrated."""
    exists = bool(settings.statistics) and os.path.exists(settings.statistics)
    if settings.ranges and settings.scales_from:
        raise ConfigError("--range and --scales-from, which copies scales: give one of them")
    if settings.plan and (settings.calibrate or settings.scales_from or settings.ranges):
        raise ConfigError("a plan, and a way to choose ranges or scales: give one of them")
    if settings.plan and settings.statistics and not exists:
        raise ConfigError(f"{settings.statistics}: no such file, and with a plan nothing is calibrated anew")
    if (
        not settings.plan
        and settings.to in REAL_KINDS
        and (settings.statistics or settings.calibrate or settings.scales_from or settings.ranges)
    ):
        raise ConfigError(f"{settings.to} keeps activations float32, so there are no ranges to choose")


def _plan(file: str) -> ConversionPlan:
    from litecheck.conversion.plan_file import read_plan

    plan = read_plan(read_file(file), file)
    if plan.target not in _KINDS:
        raise ConfigError(f"{file}: there is no conversion to activations of {plan.target!r}")
    return plan
