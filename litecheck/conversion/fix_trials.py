"""Trials of fixes: the conversion of a model with more options, calibrated again if its channels are rescaled."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from litecheck.conversion.conversion_plan import ConstantChange
from litecheck.conversion.convert_float import Conversion, check_changed, convert
from litecheck.conversion.equalize import equalize
from litecheck.conversion.fixed_ranges import with_fixed_ranges
from litecheck.conversion.fixes import FixOptions
from litecheck.conversion.groups import Interval, Key
from litecheck.conversion.model_calibration import Calibration
from litecheck.conversion.parameter_transfer import TransferredParams
from litecheck.conversion.plan_profiles import rules_for
from litecheck.conversion.recurrent_intermediates import Inside
from litecheck.conversion.request import REAL_KINDS, Request
from litecheck.errors import ConfigError, LitecheckError
from litecheck.model.types import Model


@dataclass(frozen=True, slots=True, eq=False)
class FixTrials:
    """A conversion that is repeated with more options.

    ``calibrate`` returns the calibration of the model with rescaled channels; None if the model cannot be equalized.
    """

    model: Model
    request: Request
    ranges: Mapping[Key, Interval]
    inner: Mapping[Inside, Interval]
    calibrate: Callable[[Model], Calibration] | None = None
    changes: Sequence[ConstantChange] = ()
    trained_params: TransferredParams | None = None

    def measure(self, options: FixOptions, snr: Callable[[Conversion], float]) -> float | None:
        """Return the SNR in dB of the conversion with more options, or None if they are impossible, change nothing, meet no
        rules, or give a model that does not run."""
        scales = self.calibrate is not None and self.request.to not in REAL_KINDS
        if (options.int16x8 and self.request.to != "int8") or (options.equalize and not scales):
            return None
        try:
            conversion = self._convert_equalized() if options.equalize else self.convert_with(options)
            check_changed(conversion)
            return snr(conversion)
        except LitecheckError:
            return None

    def convert_with(self, options: FixOptions) -> Conversion:
        """Return the conversion with more options, but without equalization. Raises ConfigError."""
        request = replace(
            self.request,
            keep=(*self.request.keep, *options.keep),
            int16x8=(*self.request.int16x8, *options.int16x8),
        )
        profile, _ = rules_for(request.to, request.profile)
        ranges = with_fixed_ranges(self.model, profile, self.ranges, options.ranges)
        return convert(
            self.model, request, ranges, inner=self.inner, changes=self.changes, trained=self.trained_params
        )

    def _convert_equalized(self) -> Conversion:
        assert self.calibrate is not None
        equalization = equalize(self.model)
        if not equalization.changes:
            raise ConfigError("--equalize rescales no channel of this model")
        found = self.calibrate(equalization.model)
        return convert(
            self.model, self.request, found.ranges, inner=found.inner, changes=equalization.changes
        )
