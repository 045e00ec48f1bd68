"""Settings of a trace, and the words of a command that reads the same data."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from litecheck.conversion.calibration.data_sources import DataSources
from litecheck.conversion.settings import ConversionSettings


@dataclass(frozen=True, slots=True, eq=False)
class TraceSettings:
    """Settings of a trace. ``data``, ``random``, ``seed``, ``samples``, ``preprocessing`` and ``signature`` are those of a
    conversion. ``fix`` tries conversions. ``min_snr`` and ``max_loss`` in dB fail a trace."""

    data: DataSources = ()
    random: int | None = None
    seed: int = 0
    samples: int | None = None
    preprocessing: str = ""
    arithmetic: str = "litert-reference"
    runtime: str = "auto"
    fix: bool = True
    min_snr: float | None = None
    max_loss: float | None = None

    @property
    def conversion(self) -> ConversionSettings:
        """Settings of the calibration."""
        return ConversionSettings(
            data=self.data, random=self.random, seed=self.seed, samples=self.samples,
            preprocessing=self.preprocessing, device=self.runtime,
        )  # fmt: skip

    @property
    def words(self) -> str:
        """Options of a command that reads the same data."""
        given = [one for one in self.conversion.sources if isinstance(one, str)]
        named = [f"random:{self.random}"] if self.random else given or ["D"]
        words = [f"--data {shlex.quote(name)}" for name in named]
        words += [f"--samples {self.samples}"] if self.samples else []
        words += [f"--preprocessing {shlex.quote(self.preprocessing)}"] if self.preprocessing else []
        return " ".join([*words, *([f"--seed {self.seed}"] if self.seed else [])])
