"""Both models of a conversion on samples: their agreement, the causes of a large loss with a fix, and sensitivities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from litecheck.conversion.calibration.dataset import CalibrationData
from litecheck.conversion.calibration.litert_child import LitertChild
from litecheck.conversion.calibration.running_stats import observed_tensors
from litecheck.conversion.calibration.statistics import CalibrationError
from litecheck.conversion.convert_float import Conversion
from litecheck.conversion.data_warnings import named_samples
from litecheck.conversion.fixes import (
    LARGE_LOSS,
    evaluation_warnings,
    loss_warnings,
    lowest_snr,
    snr_or_exact,
)
from litecheck.conversion.groups import Interval, Key
from litecheck.conversion.input_ranges import evaluation_doubts, watch_ranges
from litecheck.conversion.precision_budget import budget_warning
from litecheck.conversion.record import ConversionRecord, tensor_records
from litecheck.conversion.rerun import Rerun
from litecheck.conversion.sample_progress import SampleProgress
from litecheck.conversion.session_setup import ConversionSession
from litecheck.devices.port import Limits

if TYPE_CHECKING:
    from litecheck.conversion.agreement import Agreement

_CURES = (
    "Nothing was written, because the comparison of both models failed. Next step: --device litecheck compares with"
    " litecheck's kernels, --no-agreement writes the model without a comparison"
)


def measure_loss(
    record: ConversionRecord,
    session: ConversionSession,
    ranges: Mapping[Key, Interval],
    rerun: Rerun | None,
    progress: SampleProgress,
    child: LitertChild,
) -> ConversionRecord:
    """Return the record with the agreement on the data and on the evaluation's, a fix, and sensitivities."""
    settings, data, conversion = session.settings, session.data, record.conversion
    if session.compares and data is not None:
        record = _compare(record, session, data, progress, child)
        progress.finish(data.count)
    if session.evaluation is not None:
        seen: dict[Key, Interval] = {}
        samples = watch_ranges(session.evaluation, session.model, seen)
        other = _agreement(session, conversion, samples, progress, child)
        progress.finish(session.evaluation.count)
        doubts = tuple(evaluation_doubts(session.model, ranges, settings.to == "int16x8", seen))
        warnings = doubts or evaluation_warnings(other, record.agreement)
        record = replace(record, evaluation=other, warnings=(*warnings, *record.warnings))
    found, calibration = record.agreement, record.calibration
    if rerun and calibration and found and session.plan is None:
        statistics = calibration.statistics
        if lowest_snr(found) < LARGE_LOSS or named_samples(statistics):
            equalizes = not settings.equalize
            record = replace(record, fix=rerun.fix(conversion, record.groups, equalizes, statistics))
    if rerun and settings.sensitivity:
        record = replace(record, sensitivity=rerun.sensitivities(conversion, settings.sensitivity))
    return record


def _compare(
    record: ConversionRecord,
    session: ConversionSession,
    data: CalibrationData,
    progress: SampleProgress,
    child: LitertChild,
) -> ConversionRecord:
    """Return the record with the agreement of both models on the data."""
    conversion, settings = record.conversion, session.settings
    try:
        found = _agreement(session, conversion, data, progress, child)
    except CalibrationError as error:
        if settings.data or settings.random:
            raise CalibrationError(f"{error}. {_CURES}") from error
        return replace(record, warnings=(*record.warnings, f"both models were not run: {error}"))
    ranges = record.calibration.ranges if record.calibration else {}
    missed = budget_warning(record.budget, found.samples, snr_or_exact(found))
    warnings = (*record.warnings, *missed, *loss_warnings(found))
    tensors = tensor_records(conversion, ranges, found)
    return replace(record, agreement=found, tensors=tensors, warnings=warnings)


def _agreement(
    session: ConversionSession,
    conversion: Conversion,
    data: CalibrationData,
    progress: SampleProgress,
    child: LitertChild,
) -> Agreement:
    from litecheck.conversion.agreement import agreement  # not every conversion needs it

    settings, seen = session.settings, set(observed_tensors(conversion.source))
    return agreement(
        session.simulated_model or session.model,
        conversion.model,
        {old: new for old, new in conversion.tensors.items() if old in seen},
        data,
        device=settings.device,
        progress=lambda done: progress(done, "comparing"),
        limits=Limits(settings.seconds),
        quantized=session.shifts,
        child=child,
    )
