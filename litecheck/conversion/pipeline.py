"""A whole conversion: open samples, calibrate the float model, convert, check the file, compare, write."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from litecheck.checks.validate import validate
from litecheck.conversion.background_calibration import BackgroundCalibration
from litecheck.conversion.binding import bind
from litecheck.conversion.calibration.dataset import CalibrationData
from litecheck.conversion.calibration.litert_child import LitertChild
from litecheck.conversion.calibration.running_stats import observed_tensors
from litecheck.conversion.calibration.statistics import CalibrationError
from litecheck.conversion.convert_float import Conversion, check_changed, check_request, convert, replay
from litecheck.conversion.data_warnings import named_samples, range_warnings
from litecheck.conversion.fixed_ranges import parse_ranges, with_fixed_ranges
from litecheck.conversion.fixes import (
    LARGE_LOSS,
    evaluation_warnings,
    loss_warnings,
    lowest_snr,
    snr_or_exact,
)
from litecheck.conversion.gates import gate_failures
from litecheck.conversion.groups import Interval, Key
from litecheck.conversion.input_ranges import evaluation_doubts, watch_ranges
from litecheck.conversion.inserted_quantize import drop_inserted_notes
from litecheck.conversion.model_calibration import Calibration, Told
from litecheck.conversion.parameter_transfer import TransferredParams, copy_parameters
from litecheck.conversion.plan_file import plan_json
from litecheck.conversion.plan_profiles import profile_of, profiles_of, rules_for
from litecheck.conversion.precision_budget import budget_warning
from litecheck.conversion.qat_models import with_trained_ranges
from litecheck.conversion.record import ConversionRecord, staying, tensor_records
from litecheck.conversion.request import KINDS
from litecheck.conversion.rerun import Rerun
from litecheck.conversion.retype_8bit import replay_retype, retype
from litecheck.conversion.runtime_faults import fault_warnings
from litecheck.conversion.session_setup import ConversionSession, prepare_session
from litecheck.conversion.settings import ConversionSettings
from litecheck.conversion.shared_scales import shared_quantizations
from litecheck.conversion.source import load_source
from litecheck.conversion.target_name import check_target
from litecheck.conversion.weight_errors import weight_errors
from litecheck.devices.port import Limits
from litecheck.files import atomic_write
from litecheck.model.load import model_from
from litecheck.model.save import file_size, model_bytes
from litecheck.model.types import Model
from litecheck.public_call import shows_call
from litecheck.version import __version__

if TYPE_CHECKING:
    from litecheck.conversion.agreement import Agreement

_NONE: Mapping[Key, Interval] = {}
_CURES = (
    "Nothing was written, because the comparison of both models failed. Next step: --device litecheck compares with"
    " litecheck's kernels, --no-agreement writes the model without a comparison"
)


def carry_out(
    session: ConversionSession,
    target: str = "",
    save_plan: str = "",
    tell: Told | None = None,
    calibrating: BackgroundCalibration | None = None,
) -> ConversionRecord:
    """Carry out the conversion of a session.

    The new model is written to ``target``, if given, after it is read back from its bytes and found to conform.
    ``save_plan`` gets the plan in any case. ``calibrating`` is a calibration that has already started.

    Raises ConfigError for impossible requests, CalibrationError if the model does not run on the data.
    """
    progress = tell or (lambda done, what: None)
    with calibrating or BackgroundCalibration(session, progress) as calibration:
        return _carry_out(session, target, save_plan, progress, calibration)


def _carry_out(
    session: ConversionSession, target: str, save_plan: str, tell: Told, calibrating: BackgroundCalibration
) -> ConversionRecord:
    model, settings, data, child = session.model, session.settings, session.data, calibrating.child
    if session.plan is None and not session.shifts:
        check_request(model, settings.request)
        parse_ranges(model, settings.ranges)
    if calibrating.waits:
        _load_rules(model, settings)
    calibration = calibrating.result()
    profile, _ = rules_for(settings.to, settings.profile)
    copied = None
    if session.quantized_model is not None:
        copied = copy_parameters(model, session.quantized_model, profile, calibration is not None)
    ranges = calibration.ranges if calibration else copied.reaches if copied else _NONE
    trained, simulated = session.trained_model, session.simulated_model
    if trained:
        ranges = with_trained_ranges(model, profile, ranges, trained, KINDS[settings.to][0])
    ranges = with_fixed_ranges(model, profile, ranges, settings.ranges)
    conversion = _convert_session(session, ranges, copied, calibration)
    check_changed(conversion)
    before = data.count or 0 if data and calibration and not calibration.file else 0
    rerun = correction = budget = None
    if data and calibration:
        inner, search = calibration.inner, session.search
        rerun = Rerun(model, settings, data, ranges, inner, tell, before, child, trained, search, simulated)
    if rerun and settings.budget:
        conversion, budget = rerun.choose_types(conversion)
    if rerun and settings.correct_bias:
        conversion, correction = rerun.correct_biases(conversion)
    if session.needs_moments and data is not None:
        from litecheck.conversion.gptq_weights import choose_gptq_weights  # few recipes need it

        conversion = choose_gptq_weights(
            conversion, settings, data, lambda n, what: tell(before + n, what), child
        )
        before += data.count or 0
    if save_plan:
        atomic_write(save_plan, plan_json(conversion.plan))
    content = model_bytes(conversion.model)
    record = replace(
        _check_model(session, conversion, calibration, content, target), correction=correction, budget=budget
    )
    unreached = _warn_of_unreached(session, conversion, calibration, ranges)
    faults = fault_warnings(conversion.plan, settings.runtimes)
    record = replace(record, warnings=(*record.warnings, *unreached, *faults))
    violates = record.verdict == "violates"
    if session.compares and data is not None and not violates:
        before = max(rerun.finished_samples, before) if rerun else before
        record = _compare(record, session, data, lambda done, what: tell(before + done, what), child)
    if session.evaluation is not None and not violates:
        seen: dict[Key, Interval] = {}
        samples = watch_ranges(session.evaluation, model, seen)
        other = _agreement(session, conversion, samples, tell, child)
        doubts = tuple(evaluation_doubts(model, ranges, settings.to == "int16x8", seen))
        warnings = doubts or evaluation_warnings(other, record.agreement)
        record = replace(record, evaluation=other, warnings=(*warnings, *record.warnings))
    found = record.agreement
    if rerun and calibration and found and session.plan is None and not violates:
        statistics = calibration.statistics
        if lowest_snr(found) < LARGE_LOSS or named_samples(statistics):
            equalizes = not settings.equalize
            record = replace(record, fix=rerun.fix(conversion, record.groups, equalizes, statistics))
    if rerun and settings.sensitivity and not violates:
        rerun.finished_samples += data.count or 0 if data else 0
        record = replace(record, sensitivity=rerun.sensitivities(conversion, settings.sensitivity))
    record = replace(record, failed_gates=gate_failures(record, settings))
    if target and record.verdict == "conforms" and (settings.force or not record.failed_gates):
        atomic_write(target, content)
        record = replace(record, target=target)
    return record


def _convert_session(
    session: ConversionSession,
    ranges: Mapping[Key, Interval],
    copied: TransferredParams | None,
    calibration: Calibration | None,
) -> Conversion:
    """Return the conversion by the plan of the session, or by a new plan."""
    model, request = session.model, session.settings.request
    if session.plan is not None:
        return (replay_retype if session.shifts else replay)(model, session.plan, request)
    if session.shifts:
        return retype(model, request)
    inner = calibration.inner if calibration else None
    changes = session.equalization.changes if session.equalization else ()
    known = session.trained_model.params if session.trained_model else None
    return convert(model, request, ranges or None, copied, inner, changes, known)


def _load_rules(model: Model, settings: ConversionSettings) -> None:
    """Read the rules that the model's operators need. A rule is read once and cached."""
    profile, _ = rules_for(settings.to, settings.profile)
    for subgraph in model.subgraphs:
        for operator in subgraph.operators:
            bind(model, subgraph, operator, profile)


def _warn_of_unreached(
    session: ConversionSession,
    conversion: Conversion,
    calibration: Calibration | None,
    ranges: Mapping[Key, Interval],
) -> Iterator[str]:
    """Yield a warning about ranges that were stated, trained or copied, and that the samples do not reach."""
    if calibration is None:
        return
    seen = calibration.ranges
    given = session.quantized_model or session.trained_model
    stated = None if given else {k for k in seen if ranges[k] != seen[k]}
    yield from range_warnings(conversion.plan, seen, stated)


def _check_model(
    session: ConversionSession,
    conversion: Conversion,
    calibration: Calibration | None,
    content: bytes,
    target: str,
) -> ConversionRecord:
    """Return the record of the new model, read back from its bytes and checked as by ``validate``.

    The profile is LiteRT's profile for each operator's types, or the requested profile.
    """
    settings, model = session.settings, session.model
    profile, accelerator = rules_for(settings.to, settings.profile or conversion.profile)
    read = model_from(content, target)
    plan = conversion.plan
    profiles = (accelerator,) if accelerator else profiles_of(plan, profile)
    report = drop_inserted_notes(validate(read, profiles if settings.profile else None), conversion)
    ranges = calibration.ranges if calibration else _NONE
    warnings = dict.fromkeys((*session.warnings, *(calibration.warnings if calibration else ())))
    return ConversionRecord(
        __version__,
        model.file or "model",
        "",
        file_size(model),
        len(content),
        conversion,
        replace(report, file=target or model.file, size=len(content)),
        staying(conversion, profile_of(plan, profile), profile),
        tensor_records(conversion, ranges, None),
        shared_quantizations(conversion.source, plan, profile_of(plan, profile), ranges),
        calibration,
        None,
        tuple(warnings),
        tried=not target,
        pairs=session.equalization.pairs if session.equalization else None,
        weights=weight_errors(model, conversion) if session.shifts else (),
    )


def _compare(
    record: ConversionRecord,
    session: ConversionSession,
    data: CalibrationData,
    tell: Told,
    child: LitertChild,
) -> ConversionRecord:
    """Return the record with the agreement of both models on the data."""
    conversion, settings = record.conversion, session.settings
    try:
        found = _agreement(session, conversion, data, tell, child)
    except CalibrationError as error:
        if settings.data or settings.random:
            raise CalibrationError(f"{error}. {_CURES}") from error
        return replace(record, warnings=(*record.warnings, f"both models were not run: {error}"))
    ranges = record.calibration.ranges if record.calibration else _NONE
    missed = budget_warning(record.budget, found.samples, snr_or_exact(found))
    warnings = (*record.warnings, *missed, *loss_warnings(found))
    tensors = tensor_records(conversion, ranges, found)
    return replace(record, agreement=found, tensors=tensors, warnings=warnings)


def _agreement(
    session: ConversionSession, conversion: Conversion, data: CalibrationData, tell: Told, child: LitertChild
) -> Agreement:
    from litecheck.conversion.agreement import agreement  # not every conversion needs it

    settings, seen = session.settings, set(observed_tensors(conversion.source))
    return agreement(
        session.simulated_model or session.model,
        conversion.model,
        {old: new for old, new in conversion.tensors.items() if old in seen},
        data,
        device=settings.device,
        progress=lambda done: tell(done, "comparing"),
        limits=Limits(settings.seconds),
        quantized=session.shifts,
        child=child,
    )


@shows_call("litecheck.convert('model.tflite', 'int8.tflite', data='samples.npz')")
def convert_model(
    model: Model | str | Path, target: str = "", *, save_plan: str = "", **settings: Any
) -> ConversionRecord:
    """Convert a float model. Write it to ``target`` if a target is given and the new model conforms.

    ``settings`` are the fields of :class:`litecheck.conversion.settings.ConversionSettings`: ``to``, ``data``, ``random``,
    ``keep`` and more. The new model is ``record.conversion.model``, the plan ``record.conversion.plan``. Raises
    ModelError, ConfigError, ProfileError, CalibrationError and DeviceError.
    """
    options = ConversionSettings(**settings)
    loaded = model if isinstance(model, Model) else load_source(model, signature=options.signature)
    return carry_out(prepare_session(loaded, options), check_target(target), save_plan)
