"""A whole conversion: samples opened, the float model calibrated, converted, judged as a file, compared, written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from litecheck.checks.validate import validate
from litecheck.convert.binding import REAL
from litecheck.convert.borrowed import borrow
from litecheck.convert.calibrated import Calibration, Told, calibrated, opened
from litecheck.convert.calibration.child import OWN, chosen_runtime
from litecheck.convert.calibration.dataset import CalibrationData
from litecheck.convert.calibration.drawn import random_data
from litecheck.convert.calibration.statistics import CalibrationError
from litecheck.convert.calibration.tally import observed
from litecheck.convert.conversion import Conversion, convert, equal, profile_of, profiles_of, replay, shift
from litecheck.convert.equalize import Equalization, equalize
from litecheck.convert.groups import Interval, Key
from litecheck.convert.plan import ConversionPlan
from litecheck.convert.plan_file import plan_json, read_plan
from litecheck.convert.record import ConversionRecord, converted_tensors, staying
from litecheck.convert.released import is_quantized, release
from litecheck.convert.rerun import Rerun, check_rerun, passes
from litecheck.convert.settings import ConversionSettings
from litecheck.convert.shared import reach, shared_quantizations
from litecheck.convert.source import check_real, load_source
from litecheck.convert.weight_errors import weight_errors
from litecheck.devices.port import Limits
from litecheck.errors import ConfigError
from litecheck.files import atomic_write, reason
from litecheck.flatbuffer.containers import Member
from litecheck.model.load import load_model, read_model
from litecheck.model.save import model_bytes
from litecheck.model.types import Model
from litecheck.profile.load import load_profile
from litecheck.version import __version__

if TYPE_CHECKING:
    from litecheck.convert.agreement import Agreement

#: What is asked for by the type of activations that a plan has.
_KINDS = {"int8": "int8", "int16": "int16x8", REAL: "dynamic", "float16": "float16"}
#: How many inputs are drawn to run both forms of a quantized model.
DRAWN = 32
#: What has no integer activations.
REAL_KINDS = ("dynamic", "float16")
_NONE: Mapping[Key, Interval] = {}


@dataclass(frozen=True, slots=True, eq=False)
class ConversionSession:
    """A conversion that is ready to be carried out: what can be wrong with the settings has been looked at.

    ``plan`` is there where one is carried out again; ``data`` None where there are no samples; ``quantized`` has the scales
    to take over; ``shifts`` says that the model holds 8-bit activations, which keep their scales; ``equalization`` is there
    where the model is equalized first.
    """

    model: Model
    settings: ConversionSettings
    plan: ConversionPlan | None
    data: CalibrationData | None
    quantized: Model | None = None
    shifts: bool = False
    equalization: Equalization | None = None

    @property
    def base(self) -> Model:
        """What is calibrated and compared: the model, its channels rescaled where that is asked for."""
        if self.equalization is not None:
            return self.equalization.model
        return equal(self.model, self.plan.changes) if self.plan else self.model

    @property
    def calibrates(self) -> bool:
        """Whether ranges are wanted: only integers of activations need them, and what reports say of them."""
        s = self.settings
        known = bool(s.statistics) and Path(s.statistics).exists()
        if self.plan is not None:
            return known
        return (
            not self.shifts
            and s.to not in REAL_KINDS
            and (self.quantized is None or known or self.data is not None)
        )

    @property
    def compares(self) -> bool:
        """Whether both models are run beside each other."""
        wanted = self.settings.agreement or bool(self.settings.sensitivity)
        return wanted and self.data is not None

    @property
    def warnings(self) -> tuple[str, ...]:
        """What people must be told of the samples."""
        return self.data.warnings if self.data and not self.shifts else ()

    @property
    def steps(self) -> int | None:
        """How many samples are run, both times together; None where nobody knows beforehand."""
        if self.data is None:
            return 0
        reads = bool(self.settings.statistics) and Path(self.settings.statistics).exists()
        times = (self.calibrates and not reads) + self.compares + passes(self.model, self.settings)
        return None if self.data.count is None else self.data.count * times


def prepared(model: Model, settings: ConversionSettings) -> ConversionSession:
    """The session of a model. Raises ConfigError for settings that contradict each other, and for a model that is
    quantized already."""
    plan = _plan(settings.plan) if settings.plan else None
    if plan is not None:
        settings = replace(settings, to=_KINDS[plan.target], profile=settings.profile or plan.profile)
    shifts = _shifts(model, settings)
    if not shifts:
        check_real(model, settings.to)
    _check_statistics(settings)
    quantized = load_model(settings.scales_from) if settings.scales_from else None
    equalization = equalize(model) if settings.equalize else None
    data = opened(model, settings) or (_drawn(model, settings) if shifts else None)
    check_rerun(settings, data is not None, shifts)
    return ConversionSession(model, settings, plan, data, quantized, shifts, equalization)


def _drawn(model: Model, settings: ConversionSettings) -> CalibrationData | None:
    """Inputs for both forms of a quantized model, where there is LiteRT to run them and they can be made up."""
    if not settings.agreement or chosen_runtime(settings.device, unseen=False) == OWN:
        return None
    try:
        return random_data(model, DRAWN, settings.seed, settings.signature)
    except ConfigError:
        return None


def _shifts(model: Model, settings: ConversionSettings) -> bool:
    """Whether a quantized model is to be made int8 or, where it is, to keep another profile."""
    if settings.to != "int8" or not is_quantized(model):
        return False
    old = any(t.dtype == "uint8" and t.quantization.scale.size for s in model.subgraphs for t in s.tensors)
    return old or bool(settings.profile)


def _check_statistics(settings: ConversionSettings) -> None:
    """Raise ConfigError for ways to calibrate where nothing is calibrated."""
    there = bool(settings.statistics) and Path(settings.statistics).exists()
    if settings.plan and (settings.calibrate or settings.scales_from):
        raise ConfigError("a plan, and a way to choose ranges or scales: give one of them")
    if settings.plan and settings.statistics and not there:
        raise ConfigError(f"{settings.statistics}: no such file, and with a plan nothing is calibrated anew")
    if (
        not settings.plan
        and settings.to in REAL_KINDS
        and (settings.statistics or settings.calibrate or settings.scales_from)
    ):
        raise ConfigError(f"{settings.to} keeps activations float32, so there are no ranges to choose")


def _plan(file: str) -> ConversionPlan:
    try:
        text = Path(file).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = reason(error) if isinstance(error, OSError) else "it is no text"
        raise ConfigError(f"{file}: cannot be read, {why}") from error
    plan = read_plan(text, file)
    if plan.target not in _KINDS:
        raise ConfigError(f"{file}: there is no conversion to activations of {plan.target!r}")
    return plan


def carried_out(
    session: ConversionSession, target: str = "", save_plan: str = "", tell: Told | None = None
) -> ConversionRecord:
    """The conversion of a session. The new model is written to ``target``, where one is named, once it has been read back
    from its bytes and found to conform; ``save_plan`` gets the plan all the same.

    Raises ConfigError for what cannot be made, CalibrationError where the model does not run on the data.
    """
    told = tell or (lambda done, what: None)
    model, settings, data = session.model, session.settings, session.data
    calibration = calibrated(session.base, data, settings, told) if session.calibrates else None
    ranges = calibration.ranges if calibration else _borrowed(session)
    if session.plan is not None:
        base = release(model).model if session.shifts else model
        conversion = replay(base, session.plan, settings.request)
    elif session.shifts:
        conversion = shift(model, settings.request)
    else:
        inner = calibration.inner if calibration else None
        changes = session.equalization.changes if session.equalization else ()
        conversion = convert(model, settings.request, ranges or None, session.quantized, inner, changes)
    _check_changed(conversion)
    before = data.count or 0 if data and calibration and not calibration.file else 0
    rerun = (
        Rerun(model, settings, data, ranges, calibration.inner, told, before)
        if data and calibration
        else None
    )
    correction = None
    if rerun and settings.correct_bias:
        conversion, correction = rerun.corrected(conversion)
    if save_plan:
        atomic_write(save_plan, plan_json(conversion.plan))
    content = model_bytes(conversion.model)
    record = replace(_judged(session, conversion, calibration, content, target), correction=correction)
    violates = record.verdict == "violates"
    if session.compares and data is not None and not violates:
        before = rerun.done if rerun else before
        record = _compared(record, session, data, lambda done, what: told(before + done, what))
    if rerun and settings.sensitivity and not violates:
        rerun.done += data.count or 0 if data else 0
        record = replace(record, sensitivity=rerun.sensitivities(conversion, record.agreement))
    if target and not violates:
        atomic_write(target, content)
        record = replace(record, target=target)
    return record


def _borrowed(session: ConversionSession) -> Mapping[Key, Interval]:
    """The ranges that a quantized form of the model reaches, where no samples were seen."""
    if session.quantized is None:
        return _NONE
    return {key: reach(form) for key, form in borrow(session.model, session.quantized).forms.items()}


def _check_changed(conversion: Conversion) -> None:
    """Raise ConfigError where everything stays as it is."""
    if conversion.plan.tensors:
        return
    reasons = dict.fromkeys(f"{d.opcode}: {d.because}" for d in conversion.plan.operators if d.because)
    why = f", {next(iter(reasons))}" if reasons else ""
    raise ConfigError(f"nothing to quantize: every operator stays as it is{why}")


def _judged(
    session: ConversionSession,
    conversion: Conversion,
    calibration: Calibration | None,
    content: bytes,
    target: str,
) -> ConversionRecord:
    """The new model as it comes out of its bytes."""
    settings, model = session.settings, session.model
    profile = load_profile(conversion.profile if not settings.profile else settings.profile)
    read = read_model(Member("", 0, np.frombuffer(content, np.uint8)), target)
    plan = conversion.plan
    report = validate(read, None if settings.to == "float16" else profiles_of(plan, profile))
    size = model.size or len(model_bytes(model, drop_unknown=True))
    ranges = calibration.ranges if calibration else _NONE
    warnings = dict.fromkeys((*session.warnings, *(calibration.warnings if calibration else ())))
    return ConversionRecord(
        __version__,
        model.file or "model",
        "",
        size,
        len(content),
        conversion,
        replace(report, file=target or model.file, size=len(content)),
        staying(conversion, profile_of(plan, profile)),
        converted_tensors(conversion, ranges, None),
        shared_quantizations(conversion.source, plan, profile_of(plan, profile), ranges),
        calibration,
        None,
        tuple(warnings),
        tried=not target,
        pairs=session.equalization.pairs if session.equalization else None,
        weights=weight_errors(model, conversion) if session.shifts else (),
    )


def _compared(
    record: ConversionRecord, session: ConversionSession, data: CalibrationData, tell: Told
) -> ConversionRecord:
    """The record with what both models compute on the data."""
    conversion, settings = record.conversion, session.settings
    try:
        found = _agreement(session, conversion, data, tell)
    except CalibrationError as error:
        if settings.data or settings.random:
            raise
        return replace(record, warnings=(*record.warnings, f"both models were not run: {error}"))
    ranges = record.calibration.ranges if record.calibration else _NONE
    return replace(record, agreement=found, tensors=converted_tensors(conversion, ranges, found))


def _agreement(
    session: ConversionSession, conversion: Conversion, data: CalibrationData, tell: Told
) -> Agreement:
    from litecheck.convert.agreement import agreement  # with all kernels, which not every conversion needs

    settings, seen = session.settings, set(observed(conversion.source))
    return agreement(
        session.model,
        conversion.model,
        {old: new for old, new in conversion.tensors.items() if old in seen},
        data,
        device=settings.device,
        progress=lambda done: tell(done, "comparing"),
        limits=Limits(settings.seconds),
        quantized=session.shifts,
    )


def convert_model(
    model: Model | str | Path, target: str = "", *, save_plan: str = "", **settings: Any
) -> ConversionRecord:
    """A float model converted, and written to ``target`` where one is named and the new model conforms.

    ``settings`` are the fields of :class:`litecheck.convert.settings.ConversionSettings`: ``to``, ``data``, ``random``,
    ``keep`` and others. The new model is ``record.conversion.model``, the plan ``record.conversion.plan``. Raises
    ModelError, ConfigError, ProfileError, CalibrationError and DeviceError.
    """
    loaded = model if isinstance(model, Model) else load_source(model)
    return carried_out(prepared(loaded, ConversionSettings(**settings)), target, save_plan)
