"""Confirmation of a fix: its command on all samples, compared with the quantized model, in the runtime of
``convert``."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from litecheck.conversion.agreement import agreement
from litecheck.conversion.calibration.dataset import CalibrationData
from litecheck.conversion.convert_float import Conversion
from litecheck.conversion.fixes import FixOptions, lowest_snr
from litecheck.conversion.pipeline import carry_out
from litecheck.conversion.session_setup import prepare_session
from litecheck.conversion.settings import ConversionSettings
from litecheck.errors import ConfigError
from litecheck.model.save import model_hash
from litecheck.model.types import Model


@dataclass(frozen=True, slots=True)
class WholeSnr:
    """Lowest SNR in dB of a channel of the outputs on all samples, and the runtime."""

    snr: float
    samples: int
    runtime: str


@dataclass(frozen=True, slots=True, eq=False)
class FixCommand:
    """The command of a fix without its options: the float model, and settings with the data of the trace.

    ``data`` are the samples on which models are compared: all but samples that alone set ranges.
    """

    real: Model
    settings: ConversionSettings
    data: CalibrationData
    measured: dict[str, WholeSnr] = field(default_factory=dict)

    def conversion(self, options: FixOptions) -> Conversion:
        """Return the conversion of the command with these options. Raises LitecheckError if the command writes no file."""
        settings = replace(
            self.settings, keep=options.keep, int16x8=options.int16x8, ranges=options.ranges, agreement=False,
            equalize=options.equalize or self.settings.equalize,
        )  # fmt: skip
        record = carry_out(prepare_session(self.real, settings))
        if record.verdict != "conforms":
            raise ConfigError(f"{' '.join(options.words)}: the new model {record.verdict}")
        return record.conversion

    def measure_snr(self, model: Model) -> WholeSnr:
        """Return the lowest SNR of a quantized form of the model. Raises LitecheckError if the runtime does not run it."""
        key = model_hash(model)
        if key not in self.measured:
            found = agreement(self.real, model, {}, self.data, device=self.settings.device)
            self.measured[key] = WholeSnr(lowest_snr(found), found.samples, found.runtime)
        return self.measured[key]
