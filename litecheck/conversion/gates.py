"""Gates of a conversion: the operators that may stay float32, and the lowest SNR that an output may have."""

from __future__ import annotations

from collections.abc import Iterator

from litecheck.conversion.record import ConversionRecord
from litecheck.conversion.request import REAL
from litecheck.conversion.settings import ConversionSettings
from litecheck.summary_text import count_of


def gate_failures(record: ConversionRecord, settings: ConversionSettings) -> tuple[str, ...]:
    """Return the gates that a new model fails. Example: ``--max-float 0: 8 operators stay float32``."""
    return tuple(_gate_failures(record, settings))


def _gate_failures(record: ConversionRecord, settings: ConversionSettings) -> Iterator[str]:
    real = record.becomes.get(REAL, 0)
    if settings.max_float is not None and real > settings.max_float:
        yield f"--max-float {settings.max_float}: {count_of(real, 'operator')} stay{'s' * (real == 1)} float32"
    compared = {"": record.agreement, " on the data of --evaluate": record.evaluation}
    for where, found in compared.items() if settings.min_snr is not None else ():
        for output in found.outputs if found is not None else ():
            if not output.is_integer and not output.snr >= (settings.min_snr or 0):
                yield f"--min-snr {settings.min_snr:g}: output '{output.output}' has {output.snr:.1f} dB{where}"
