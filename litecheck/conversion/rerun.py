"""Repeated conversions on the same data: with corrected biases, and with a single operator quantized."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from litecheck.conversion.bias_correction import BiasCorrection, corrected_biases, layers
from litecheck.conversion.calibrated import Calibration, Told, calibrated
from litecheck.conversion.calibration.calibration_data import limited, without_samples
from litecheck.conversion.calibration.dataset import CalibrationData
from litecheck.conversion.calibration.litert_child import LitertChild
from litecheck.conversion.calibration.statistics import CalibrationStatistics
from litecheck.conversion.conversion_plan import ConstantChange
from litecheck.conversion.convert_float import Conversion, convert
from litecheck.conversion.data_warnings import named_samples
from litecheck.conversion.dequantized_model import DequantizedModel
from litecheck.conversion.fix_trials import FixTrials
from litecheck.conversion.fixes import (
    LARGE_LOSS,
    SAMPLES,
    FixOptions,
    LossFix,
    best_fix,
    find_causes,
    lowest_snr,
    sample_cause,
)
from litecheck.conversion.groups import Interval, Key
from litecheck.conversion.recurrent_intermediates import Inside
from litecheck.conversion.request import REAL, REAL_KINDS
from litecheck.conversion.sensitivity import OperatorSensitivity, ranked
from litecheck.conversion.settings import ConversionSettings
from litecheck.conversion.shared_scales import SharedQuantization
from litecheck.devices.port import Limits
from litecheck.errors import ConfigError, LitecheckError
from litecheck.model.types import Model

if TYPE_CHECKING:
    from litecheck.conversion.agreement import Agreement


@dataclass(slots=True, eq=False)
class Rerun:
    """The common parts of conversions of a model.

    ``tell`` is called with the number of samples that ran, plus ``done``. ``child`` runs all conversions, if LiteRT is
    available.
    """

    model: Model
    settings: ConversionSettings
    data: CalibrationData
    ranges: Mapping[Key, Interval]
    inner: Mapping[Inside, Interval]
    tell: Told
    done: int = 0
    child: LitertChild | None = None
    trained: DequantizedModel | None = None

    def corrected(self, conversion: Conversion) -> tuple[Conversion, BiasCorrection]:
        """Return the conversion with corrected biases if that is better, else the conversion."""
        channelled = frozenset(layers(conversion.source))
        before = conversion.plan.changes

        def again(changes: tuple[ConstantChange, ...]) -> Conversion:
            return self._converted((*before, *changes))

        def compared(one: Conversion) -> Agreement:
            return self.compared(one, "correcting biases", channelled)

        best, _, found = corrected_biases(conversion, again, compared)
        return best, found

    def sensitivities(self, conversion: Conversion) -> tuple[OperatorSensitivity, ...]:
        """Return the cost of quantizing each operator alone, most sensitive operators first."""
        changes = conversion.plan.changes

        def alone(key: Key) -> Conversion:
            return self._converted(changes, only=(key,), inputs=REAL, outputs=REAL)

        def compared(one: Conversion) -> Agreement:
            return self.compared(one, "quantizing one operator alone")

        return ranked(conversion, alone, compared, self.settings.sensitivity)

    def fix(
        self,
        conversion: Conversion,
        groups: Sequence[SharedQuantization],
        equalizes: bool,
        statistics: CalibrationStatistics,
    ) -> LossFix | None:
        """Return options that reduce a large loss or the effect of one sample, or None if none does.

        They are tried on the first samples, without samples that alone set ranges.
        """
        unusual = {one.sample for one in named_samples(statistics)}
        data = limited(without_samples(self.data, unusual), SAMPLES)
        channelled = frozenset(conversion.tensors)
        trials = FixTrials(
            self.model,
            self.settings.request,
            self.ranges,
            self.inner,
            partial(self._recalibrated, data) if equalizes else None,
            conversion.plan.changes,
            self.trained.borrowed if self.trained else None,
        )

        def trial(options: FixOptions) -> float | None:
            tried = trials.converted(options)
            try:
                return (
                    None
                    if tried is None
                    else lowest_snr(self.compared(tried, "trying fixes", channelled, data))
                )
            except LitecheckError:  # the model with these options does not run
                return None

        found = self.compared(conversion, "trying fixes", channelled, data)
        before, causes = lowest_snr(found), list(sample_cause(statistics, self.model))
        if before < LARGE_LOSS:
            causes += find_causes(conversion, found, groups)
        return best_fix(conversion.source.subgraphs[0], causes, trial, before, found.samples)

    def _recalibrated(self, data: CalibrationData, model: Model) -> Calibration:
        settings = replace(self.settings, statistics="")
        return calibrated(model, data, settings, lambda done, what: None, self.child)

    def compared(
        self,
        conversion: Conversion,
        what: str,
        channelled: frozenset[Key] = frozenset(),
        data: CalibrationData | None = None,
    ) -> Agreement:
        """Run a conversion and the float model. Compare the outputs, and the tensors of ``channelled`` per channel."""
        from litecheck.conversion.agreement import agreement  # not every conversion needs it

        found = agreement(
            conversion.source,
            conversion.model,
            {old: new for old, new in conversion.tensors.items() if old in channelled},
            data or self.data,
            channelled=channelled,
            device=self.settings.device,
            progress=lambda done: self.tell(self.done + done, what),
            limits=Limits(self.settings.seconds),
            child=self.child,
        )
        self.done += (data or self.data).count or 0
        return found

    def _converted(self, changes: tuple[ConstantChange, ...], **request: object) -> Conversion:
        wanted = replace(self.settings.request, **request)  # type: ignore[arg-type]
        known = self.trained.borrowed if self.trained else None
        return convert(self.model, wanted, self.ranges, inner=self.inner, changes=changes, trained=known)


def passes(model: Model, settings: ConversionSettings) -> int:
    """Return the maximum number of additional passes over all samples."""
    operators = sum(len(subgraph.operators) for subgraph in model.subgraphs)
    return operators * bool(settings.sensitivity) + (len(layers(model)) + 1) * settings.correct_bias


def check_rerun(settings: ConversionSettings, has_data: bool, shifts: bool) -> None:
    """Raise ConfigError for changes of weights or biases, and for rankings, if no ranges are chosen or nothing is run."""
    runs = {"--correct-bias": settings.correct_bias, "--sensitivity": bool(settings.sensitivity)}
    for option, wanted in {"--equalize": settings.equalize, **runs}.items():
        if not wanted:
            continue
        if settings.to in REAL_KINDS:
            raise ConfigError(f"{option} is for integer activations, and {settings.to} keeps them float32")
        if settings.plan:
            raise ConfigError(f"--plan and {option}: a plan is carried out as it is")
        if shifts or settings.scales_from:
            raise ConfigError(f"{option} needs scales chosen anew, from the float model")
        if option in runs and not has_data:
            raise ConfigError(f"{option} runs models on samples: give --data, besides statistics too")
