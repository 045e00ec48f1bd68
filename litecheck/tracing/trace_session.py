"""A whole trace: match both models, calibrate, convert the twin, measure, name culprits, try a fix."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import log2
from pathlib import Path

from litecheck.arrays import Arrays
from litecheck.conversion.calibrated import Calibration, calibrated, opened
from litecheck.conversion.calibration.calibration_data import limited
from litecheck.conversion.calibration.dataset import CalibrationData
from litecheck.conversion.data_warnings import named_samples
from litecheck.conversion.fix_trials import FixTrials
from litecheck.conversion.fixes import SAMPLES
from litecheck.conversion.plan_profiles import profile_of, rules_for
from litecheck.conversion.request import Request
from litecheck.conversion.settings import ConversionSettings
from litecheck.conversion.shared_scales import SharedQuantization, shared_quantizations
from litecheck.conversion.source import load_source
from litecheck.devices.port import Device
from litecheck.errors import ConfigError, InputError, LitecheckError
from litecheck.model.graph import name_of
from litecheck.model.load import load_model
from litecheck.model.matching import ModelMatch, match
from litecheck.model.types import Model
from litecheck.tracing.culprits import culprits, loss_of
from litecheck.tracing.device_trace import DeviceErrors, device_errors
from litecheck.tracing.forced import ErrorShares
from litecheck.tracing.measures import Bench, Errors, FedOperator, Tensors
from litecheck.tracing.range_report import trace_ranges
from litecheck.tracing.trace_result import (
    LEAST_LOSS,
    Culprit,
    Trace,
    TracedOperator,
    TracedOutput,
    TriedFix,
    decibels,
)
from litecheck.tracing.traced_fixes import Workshop
from litecheck.tracing.twin import Twin, kind_of, make_twin
from litecheck.version import __version__

#: Samples for everything that runs operators again: causes, shares, fixes, the device.
FEW = 4
#: Culprits whose share of the output's error is tried.
_SHARED = 3
#: Samples for these shares.
_TRIED = 2
#: Small differences of a device that are listed.
_NOTES = 5
Told = Callable[[int, str], None]


@dataclass(frozen=True, slots=True, eq=False)
class TraceSettings:
    """Settings of a trace. ``data``, ``random``, ``seed``, ``samples``, ``preprocessing`` and ``signature`` are those of a
    conversion. ``fix`` tries conversions. ``min_snr`` and ``max_loss`` in dB fail a trace."""

    data: tuple[str | CalibrationData, ...] = ()
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
        given = [one for one in self.data if isinstance(one, str)]
        named = [f"random:{self.random}"] if self.random else given or ["D"]
        words = [f"--data {shlex.quote(name)}" for name in named]
        words += [f"--samples {self.samples}"] if self.samples else []
        words += [f"--preprocessing {shlex.quote(self.preprocessing)}"] if self.preprocessing else []
        return " ".join([*words, *([f"--seed {self.seed}"] if self.seed else [])])


def trace(
    reference: Model | str | Path | None,
    model: Model | str | Path,
    *,
    device: Device | None = None,
    against: Model | str | Path | None = None,
    tell: Told | None = None,
    **settings: object,
) -> Trace:
    """Return where the error of a quantized model enters, relative to its float model on the same data.

    ``settings`` are the fields of :class:`TraceSettings`. Without ``reference``, only ranges are measured: saturation and
    effective resolution. ``device`` runs each operator alone as well. ``against`` is another quantized form, traced the
    same way. Raises ModelError, ConfigError, CalibrationError and DeviceError.
    """
    asked = TraceSettings(**settings)  # type: ignore[arg-type]
    quantized = model if isinstance(model, Model) else load_model(model)
    told = tell or (lambda done, what: None)
    if reference is None:
        return trace_ranges(quantized, asked.conversion, asked.arithmetic, told)
    real = reference if isinstance(reference, Model) else load_source(reference)
    _check_pair(real, quantized)
    data = opened(real, asked.conversion)
    if data is None:
        raise ConfigError("a trace needs data: give --data FILE, FOLDER or random:N")
    calibration = calibrated(real, data, asked.conversion, told)
    found = _traced(real, quantized, asked, data, calibration, told, device)
    if against is None:
        return found
    other = against if isinstance(against, Model) else load_model(against)
    _check_pair(real, other)
    return replace(
        found, against=_traced(real, other, replace(asked, fix=False), data, calibration, told, None)
    )


def _check_pair(real: Model, quantized: Model) -> None:
    """Raise InputError for a float model that is quantized, or entry points that do not belong together."""
    if any(
        t.dtype in ("int8", "uint8", "int16") and t.quantization.scale.size and not t.is_constant
        for t in real.subgraphs[0].tensors
    ):
        raise InputError(f"{real.file or 'FLOAT'}: expected a float model first, got a quantized one")
    sides = [[s.tensors[i].size for i in s.inputs] for s in (real.subgraphs[0], quantized.subgraphs[0])]
    if sides[0] != sides[1]:
        raise InputError(f"{quantized.file or 'INT8'}: its inputs are not those of {real.file or 'FLOAT'}")


def _traced(
    real: Model, quantized: Model, asked: TraceSettings, data: CalibrationData, calibration: Calibration,
    told: Told, device: Device | None,
) -> Trace:  # fmt: skip
    found, notes = match(real, quantized), list[str]()
    if not found.subgraphs[0].operators:
        raise InputError(f"{quantized.file}: none of its operators matches one of {real.file}")
    twin, shared = _twin(found, calibration, notes)
    bench = Bench(found, found.subgraphs[0], twin, asked.arithmetic)
    few: list[Tensors] = []
    unusual = {one.sample for one in named_samples(calibration.statistics)}
    for number, arrays in enumerate(_runs(real, data), 1):
        tensors = bench.run(arrays)
        if len(few) < FEW and number - 1 not in unusual:
            few.append(tensors)
        told((data.count or 0) + number, "comparing")
    on_device = device_errors(found, bench, few, device) if device is not None else {}
    rows = tuple(_row(bench, fed, on_device.get(fed.other)) for fed in bench.operators)
    named = culprits(found, bench, few, shared)
    named = (*named, *_on_device(rows))
    outputs = ErrorShares(quantized, found.subgraphs[0], few[:_TRIED], asked.arithmetic)
    named = _with_shares(named, outputs)
    notes += _small_differences(rows, named)
    leading = None if named else _leading(bench, outputs)
    fix = None
    if asked.fix:
        fix, named = _fixed(found, few, asked, calibration, named, leading[0] if leading else -1, data)
    return Trace(
        __version__, real.file or "float", quantized.file or "model", data.described, bench.samples, rows, named,
        _outputs(found, bench), _unmatched(found), device.described if device else "", fix, leading, None, tuple(notes),
        asked.min_snr, asked.max_loss,
    )  # fmt: skip


def _runs(model: Model, data: CalibrationData) -> Iterator[Arrays]:
    """Yield the inputs of every sample of the first subgraph."""
    for chain in data:
        for sample in chain:
            number, arrays = sample.arrange(model)
            if number == 0:
                yield arrays


def _twin(
    found: ModelMatch, calibration: Calibration, notes: list[str]
) -> tuple[Twin | None, tuple[SharedQuantization, ...]]:
    """Return the twin and its shared ranges, or none with a note if the float model cannot be converted."""
    try:
        twin = make_twin(found, calibration.ranges, calibration.inner)
    except LitecheckError as error:
        notes.append(f"no twin, so no loss is known to be avoidable: {error}")
        return None, ()
    profile, _ = rules_for(kind_of(found.second), "")
    plan = twin.conversion.plan
    shared = shared_quantizations(twin.conversion.source, plan, profile_of(plan, profile), calibration.ranges)
    return twin, shared


def _row(bench: Bench, fed: FedOperator, on_device: DeviceErrors | None) -> TracedOperator:
    errors, subgraph = bench.errors[fed.other], bench.part.second
    loss = loss_of(bench, fed)
    return TracedOperator(
        subgraph.index,
        fed.other,
        fed.operator.kind,
        name_of(subgraph, fed.operator),
        fed.one,
        errors.snr("accumulated"),
        errors.snr("alone"),
        errors.snr("stored"),
        errors.snr("twin_stored"),
        decibels(1.0, loss.base) if "alone" in errors.sums else None,
        loss.decibels if loss.excess else 0.0,
        errors.saturated / errors.elements if errors.elements else None,
        _resolution(errors),
        on_device.snr if on_device else None,
        on_device.differs if on_device else None,
        on_device.largest if on_device else None,
    )


def _resolution(errors: Errors) -> float | None:
    """Return log2 of the number of steps between the smallest and the largest stored value."""
    return log2(max(1.0, errors.high - errors.low + 1)) if errors.elements else None


def _on_device(rows: tuple[TracedOperator, ...]) -> tuple[Culprit, ...]:
    """Return the operators that a device computes with a larger error than the reference kernels."""
    found = []
    for row in rows:
        if row.device_snr is None or row.alone_snr is None or not row.device_differs:
            continue
        loss = row.alone_snr - row.device_snr
        if loss >= LEAST_LOSS:
            share = f"{100 * row.device_differs:.2g} % of values"
            detail = f"the device differs from the reference kernels in {share}, by at most {row.device_largest:g} LSB"
            found.append(
                Culprit(
                    row.subgraph, row.operator, row.opcode, row.name, "arithmetic", max(loss, 0.0), detail
                )
            )
    return tuple(sorted(found, key=lambda one: -one.avoidable_db))


def _small_differences(rows: tuple[TracedOperator, ...], named: tuple[Culprit, ...]) -> list[str]:
    """Return the operators that a device computes otherwise than the reference kernels, without a loss of 3 dB."""
    known = {one.operator for one in named}
    return [
        f"the device differs from the reference kernels at {row.opcode} #{row.operator}, in "
        f"{100 * row.device_differs:.2g} % of values by at most {row.device_largest:g} LSB"
        for row in rows
        if row.device_differs and row.operator not in known
    ][:_NOTES]


def _with_shares(named: tuple[Culprit, ...], outputs: ErrorShares) -> tuple[Culprit, ...]:
    return tuple(
        replace(one, share=outputs.share(one.operator)) if n < _SHARED else one for n, one in enumerate(named)
    )


def _leading(bench: Bench, outputs: ErrorShares) -> tuple[int, float] | None:
    """Return the operator with the largest share of the outputs' error, of those with the largest errors alone."""
    ratios = {n: errors.ratio("alone") or 0.0 for n, errors in bench.errors.items()}
    worst = sorted(ratios, key=lambda n: -ratios[n])[:_SHARED]
    shares = [(n, share) for n in worst if (share := outputs.share(n)) is not None]
    return max(shares, key=lambda pair: pair[1], default=None)


def _fixed(
    found: ModelMatch, few: list[Tensors], asked: TraceSettings, calibration: Calibration,
    named: tuple[Culprit, ...], leading: int, data: CalibrationData,
) -> tuple[TriedFix | None, tuple[Culprit, ...]]:  # fmt: skip
    """Try a fix for the worst culprit that a conversion can fix or, without one, for the operator with the largest error."""
    worst = next((one for one in named if one.cause != "arithmetic"), None)
    source = found.first.file or "FLOAT"
    settings, samples = replace(asked.conversion, statistics=""), limited(data, SAMPLES)
    trials = FixTrials(
        found.first, Request(kind_of(found.second)), calibration.ranges, calibration.inner,
        lambda model: calibrated(model, samples, settings, lambda done, what: None),
    )  # fmt: skip
    shop = Workshop(found, trials, calibration.statistics, few, source, asked.words)
    partners = {other: one for one, other in found.subgraphs[0].operators}
    fix = shop.best(worst, partners.get(leading if worst is None else worst.operator, -1))
    if worst is None or fix is None:
        return fix, named
    return fix, tuple(replace(one, fix=fix) if one is worst else one for one in named)


def _outputs(found: ModelMatch, bench: Bench) -> tuple[TracedOutput, ...]:
    tensors = found.subgraphs[0].second.tensors
    return tuple(
        TracedOutput(tensors[index].name, errors.snr("accumulated") or 0.0)
        for index, errors in bench.ends.items()
        if "accumulated" in errors.sums
    )


def _unmatched(found: ModelMatch) -> tuple[tuple[int, int, str, str], ...]:
    return tuple((o.subgraph, o.operator, o.opcode, o.reason) for o in found.unmatched if o.side == 1)
