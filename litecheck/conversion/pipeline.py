"""A whole conversion: open samples, calibrate the float model, convert, check the file, compare, write."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from litecheck.checks.validate import validate
from litecheck.conversion.background_calibration import BackgroundCalibration
from litecheck.conversion.binding import bind
from litecheck.conversion.calibration.dataset import CalibrationData
from litecheck.conversion.calibration.litert_child import LitertChild, litert_version
from litecheck.conversion.convert_float import Conversion, check_changed, check_request, convert, replay
from litecheck.conversion.data_warnings import range_warnings
from litecheck.conversion.fixed_ranges import parse_ranges, with_fixed_ranges
from litecheck.conversion.gates import gate_failures
from litecheck.conversion.groups import Interval, Key
from litecheck.conversion.inserted_quantize import drop_inserted_notes
from litecheck.conversion.model_calibration import Calibration
from litecheck.conversion.operator_version import version_of
from litecheck.conversion.parameter_transfer import TransferredParams, copy_parameters
from litecheck.conversion.plan_file import plan_json
from litecheck.conversion.plan_profiles import profile_of, profiles_of, rules_for
from litecheck.conversion.record import ConversionRecord, staying, tensor_records
from litecheck.conversion.request import KINDS
from litecheck.conversion.runtime_faults import fault_warnings, runtime_fault
from litecheck.conversion.sample_progress import SampleProgress, Told
from litecheck.conversion.session_setup import ConversionSession, prepare_session
from litecheck.conversion.settings import ConversionSettings
from litecheck.conversion.shared_scales import shared_quantizations
from litecheck.conversion.source import load_source
from litecheck.conversion.target_name import check_target
from litecheck.files import atomic_write
from litecheck.model.load import model_from
from litecheck.model.save import file_size, model_bytes
from litecheck.model.types import Model
from litecheck.profile.load import STRUCTURE, load_profile
from litecheck.profile.parser import ANY_SUBGRAPH
from litecheck.public_call import shows_call
from litecheck.quantizer.litert_resolvers import INTO_INTEGERS, OUT_OF_INTEGERS
from litecheck.version import __version__

if TYPE_CHECKING:
    from litecheck.conversion.bias_correction import BiasCorrection
    from litecheck.conversion.precision_budget import BudgetChoice
    from litecheck.conversion.rerun import Rerun
    from litecheck.conversion.weight_errors import WeightError

_NONE: Mapping[Key, Interval] = {}
#: Rules for the check of a new model that its float model may not need.
_ADDED = (INTO_INTEGERS, OUT_OF_INTEGERS, ANY_SUBGRAPH)


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
    progress = SampleProgress(tell)
    with calibrating or BackgroundCalibration(session, progress) as calibration:
        return _carry_out(session, target, save_plan, progress, calibration)


def _carry_out(
    session: ConversionSession,
    target: str,
    save_plan: str,
    progress: SampleProgress,
    calibrating: BackgroundCalibration,
) -> ConversionRecord:
    model, settings, data, child = session.model, session.settings, session.data, calibrating.child
    if session.plan is None and not session.shifts:
        check_request(model, settings.request)
        parse_ranges(model, settings.ranges)
    if calibrating.waits:
        _prepare_next_steps(session, child)
    calibration = calibrating.result()
    ranges, copied = _choose_ranges(session, calibration)
    conversion = _convert_session(session, ranges, copied, calibration)
    check_changed(conversion)
    rerun = None
    if data and calibration:
        if not calibration.file:
            progress.finish(data.count)
        if session.runs_new_model:
            rerun = _make_rerun(session, data, ranges, calibration, progress, child)
    conversion, correction, budget = _improve(session, conversion, rerun, progress, child)
    if save_plan:
        atomic_write(save_plan, plan_json(conversion.plan))
    content = model_bytes(conversion.model)
    record = replace(
        _check_model(session, conversion, calibration, content, target), correction=correction, budget=budget
    )
    unreached = _warn_of_unreached(session, conversion, calibration, ranges)
    faults = fault_warnings(conversion.plan, settings.runtimes)
    record = replace(record, warnings=(*record.warnings, *unreached, *faults))
    if record.verdict != "violates" and session.runs_new_model:
        from litecheck.conversion.model_comparison import measure_loss

        record = measure_loss(record, session, ranges, rerun, progress, child)
    record = replace(record, failed_gates=gate_failures(record, settings))
    if target and record.verdict == "conforms" and (settings.force or not record.failed_gates):
        atomic_write(target, content)
        record = replace(record, target=target)
    return record


def _choose_ranges(
    session: ConversionSession, calibration: Calibration | None
) -> tuple[Mapping[Key, Interval], TransferredParams | None]:
    """Return the ranges of the calibration, of training or of a quantized form, as far as none are stated.

    Parameters of a quantized form are returned as well.
    """
    model, settings, trained = session.model, session.settings, session.trained_model
    profile, _ = rules_for(settings.to, settings.profile)
    copied = None
    if session.quantized_model is not None:
        copied = copy_parameters(model, session.quantized_model, profile, calibration is not None)
    ranges = calibration.ranges if calibration else copied.reaches if copied else _NONE
    if trained:
        from litecheck.conversion.qat_models import with_trained_ranges

        ranges = with_trained_ranges(model, profile, ranges, trained, KINDS[settings.to][0])
    return with_fixed_ranges(model, profile, ranges, settings.ranges), copied


def _make_rerun(
    session: ConversionSession,
    data: CalibrationData,
    ranges: Mapping[Key, Interval],
    calibration: Calibration,
    progress: SampleProgress,
    child: LitertChild,
) -> Rerun:
    from litecheck.conversion.rerun import Rerun

    trained, simulated = session.trained_model, session.simulated_model
    inner, search = calibration.inner, session.search
    return Rerun(
        session.model, session.settings, data, ranges, inner, progress, child, trained, search, simulated
    )


def _improve(
    session: ConversionSession,
    conversion: Conversion,
    rerun: Rerun | None,
    progress: SampleProgress,
    child: LitertChild,
) -> tuple[Conversion, BiasCorrection | None, BudgetChoice | None]:
    """Return the conversion with the types of a budget, corrected biases and GPTQ's weights, as far as requested."""
    settings, data, correction, budget = session.settings, session.data, None, None
    if rerun and settings.budget:
        conversion, budget = rerun.choose_types(conversion)
    if rerun and settings.correct_bias:
        conversion, correction = rerun.correct_biases(conversion)
    if session.needs_moments and data is not None:
        from litecheck.conversion.gptq_weights import choose_gptq_weights  # few recipes need it

        conversion = choose_gptq_weights(conversion, settings, data, progress, child)
        progress.finish(data.count)
    return conversion, correction, budget


def _convert_session(
    session: ConversionSession,
    ranges: Mapping[Key, Interval],
    copied: TransferredParams | None,
    calibration: Calibration | None,
) -> Conversion:
    """Return the conversion by the plan of the session, or by a new plan."""
    model, request = session.model, session.settings.request
    if session.shifts:
        from litecheck.conversion.retype_8bit import replay_retype, retype

        return replay_retype(model, session.plan, request) if session.plan else retype(model, request)
    if session.plan is not None:
        return replay(model, session.plan, request)
    inner = calibration.inner if calibration else None
    changes = session.equalization.changes if session.equalization else ()
    known = session.trained_model.params if session.trained_model else None
    return convert(model, request, ranges or None, copied, inner, changes, known)


def _prepare_next_steps(session: ConversionSession, child: LitertChild) -> None:
    """Load modules, rules, versions and known faults that the next steps need, and hash the model. All are cached."""
    model, settings = session.model, session.settings
    child.compute_hash(session.base)
    if session.runs_new_model:
        import_module("litecheck.conversion.model_comparison")
    litert_version()
    profile, _ = rules_for(settings.to, settings.profile)
    for subgraph in model.subgraphs:
        for operator in subgraph.operators:
            version_of(bind(model, subgraph, operator, profile))
    for rules in (profile, load_profile(STRUCTURE)):
        for opcode in _ADDED:
            rules.operators.get(opcode)
    runtime_fault("", "", settings.runtimes)


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
        weights=_weight_errors(model, conversion) if session.shifts else (),
        preparation=session.preparation,
    )


def _weight_errors(model: Model, conversion: Conversion) -> tuple[WeightError, ...]:
    from litecheck.conversion.weight_errors import weight_errors  # few conversions need it

    return weight_errors(model, conversion)


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
