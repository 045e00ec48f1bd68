"""A whole trace: match both models, calibrate, convert the twin, measure, name culprits, try a fix."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from litecheck.arrays import Arrays
from litecheck.conversion.calibration.dataset import CalibrationData
from litecheck.conversion.data_warnings import decisive_text, named_samples, ranges_without
from litecheck.conversion.equalize import equalize
from litecheck.conversion.model_calibration import Calibration, calibrate_model, open_samples
from litecheck.conversion.qat_models import is_trained
from litecheck.conversion.shared_scales import SharedQuantization
from litecheck.conversion.source import load_source
from litecheck.conversion.weight_edits import with_edited_weights
from litecheck.devices.port import Device
from litecheck.errors import ConfigError, InputError, LitecheckError
from litecheck.model.load import load_model
from litecheck.model.matching import ModelMatch, match
from litecheck.model.tensor_matching import NO_PARTNER
from litecheck.model.types import Model
from litecheck.public_call import shows_call
from litecheck.tracing.bench import Bench
from litecheck.tracing.culprit_shares import (
    drop_harmless_ranges,
    explained_share,
    merge_culprits,
    rank_culprits,
)
from litecheck.tracing.culprits import UNPREPROCESSED, culprits
from litecheck.tracing.data_fit import data_doubt, takes_scaling
from litecheck.tracing.device_trace import device_errors
from litecheck.tracing.equalized_channels import equalized_channels
from litecheck.tracing.error_shares import ErrorShares
from litecheck.tracing.fix_search import TrialBase, search_fix, trial_base
from litecheck.tracing.measured_subgraphs import SubgraphMeasures, measure_subgraphs, unmeasured_reasons
from litecheck.tracing.parent_fit import parent_doubt
from litecheck.tracing.range_report import trace_ranges
from litecheck.tracing.recorded_runs import RecordedRuns
from litecheck.tracing.storage import check_quantized, is_quantized, with_finite_scales
from litecheck.tracing.trace_result import RANGE_CAUSES, Culprit, Trace, TracedOperator, TracedOutput
from litecheck.tracing.trace_rows import culprits_on_device, row_of, small_differences, with_losses
from litecheck.tracing.trace_settings import TraceSettings
from litecheck.tracing.twin import Twin, make_twin, shared_ranges
from litecheck.tracing.violations import violations
from litecheck.version import __version__

#: Number of operators whose share of the outputs' error is measured if there is no culprit.
_LEADING = 5
_EQUALIZED = "channels are equalized across layers: each is compared with the float channel, rescaled by the same factor"
Progress = Callable[[int, str], None]


@shows_call("litecheck.trace('float.tflite', 'int8.tflite', data='samples.npz')")
def trace(
    reference: Model | str | Path | None,
    model: Model | str | Path,
    *,
    device: Device | None = None,
    against: Model | str | Path | None = None,
    tell: Progress | None = None,
    **settings: object,
) -> Trace:
    """Return where the error of a quantized model enters, relative to its float model on the same data.

    ``settings`` are the fields of :class:`TraceSettings`. Without ``reference``, only ranges are measured: saturation and
    effective resolution. ``device`` runs each operator alone as well. ``against`` is another quantized form, traced the
    same way. Raises ModelError, ConfigError, CalibrationError and DeviceError.
    """
    options = TraceSettings(**settings)  # type: ignore[arg-type]
    quantized = model if isinstance(model, Model) else load_model(model)
    progress = tell or (lambda done, what: None)
    if reference is None:
        check_quantized(quantized, alone=True)
        ranges = trace_ranges(with_finite_scales(quantized), options.conversion, options.arithmetic, progress)
        return replace(ranges, load_faults=violations(quantized).load, arithmetic=options.arithmetic)
    real = reference if isinstance(reference, Model) else load_source(reference)
    _check_pair(real, quantized)
    data = open_samples(real, options.conversion)
    if data is None:
        raise ConfigError("a trace needs data: give --data FILE, FOLDER or random:N")
    calibration = calibrate_model(real, data, options.conversion, progress)
    found = _trace_pair(real, quantized, options, data, calibration, progress, device)
    if against is None:
        return found
    other = against if isinstance(against, Model) else load_model(against)
    _check_pair(real, other)
    return replace(
        found,
        against=_trace_pair(real, other, replace(options, fix=False), data, calibration, progress, None),
    )


def _check_pair(real: Model, quantized: Model) -> None:
    """Raise InputError for a quantized model first or a float model second, and for inputs of different sizes."""
    computed = (t for t in real.subgraphs[0].tensors if not t.is_constant)
    if any(map(is_quantized, computed)) and not is_trained(real):
        raise InputError(f"{real.file or 'FLOAT'}: expected a float model first, got a quantized one")
    check_quantized(quantized)
    sides = [[s.tensors[i] for i in s.inputs] for s in (real.subgraphs[0], quantized.subgraphs[0])]
    if [t.size for t in sides[0]] != [t.size for t in sides[1]]:
        old, new = (", ".join(str(list(t.shape)) for t in side) for side in sides)
        raise InputError(
            f"{quantized.file or 'INT8'}: its inputs are {new}, those of {real.file or 'FLOAT'} are {old}. "
            "Give two forms of one model."
        )


def _trace_pair(
    real: Model, quantized: Model, options: TraceSettings, data: CalibrationData, calibration: Calibration,
    progress: Progress, device: Device | None,
) -> Trace:  # fmt: skip
    violated, notes = violations(quantized), list[str]()
    original, quantized = quantized, with_finite_scales(quantized)
    if quantized is not original:
        notes.append("a scale of 0 is traced as 1: 'litecheck validate' names the tensors")
    found = match(real, quantized)
    if not any(part.operators for part in found.subgraphs):
        raise InputError(f"{quantized.file}: none of its operators matches one of {real.file}")

    def recalibrate(model: Model) -> Calibration:
        return calibrate_model(model, data, options.conversion, progress)

    base = trial_base(found, calibration, options.conversion, recalibrate)
    if changes := equalized_channels(found):
        equalization = equalize(real)
        base = TrialBase(real, recalibrate(equalization.model), equalization.changes, "--equalize")
        real = with_edited_weights(real, changes)
        calibration = recalibrate(real)
        found = match(real, quantized)
        notes.append(_EQUALIZED)
    twin, shared = _try_twin(found, calibration, notes)
    runs = RecordedRuns(found, options.arithmetic)
    unusual = {one.sample for one in named_samples(calibration.statistics)}
    result = measure_subgraphs(
        found,
        twin,
        runs,
        _runs(real, data),
        unusual,
        data.count,
        lambda n: progress((data.count or 0) + n, "comparing"),
    )
    bridged = runs.stored.bridged
    notes += [f"{error}; the float model's output stands for its output" for error in bridged.values()]
    notes += unmeasured_reasons(found, result)
    rows, named = list[TracedOperator](), list[Culprit]()
    for number, bench in result.benches.items():
        few = result.few[number]
        on_device = device_errors(found, bench, few, device) if device is not None else {}
        rows += [
            row_of(bench, fed, (number, fed.other) in bridged, on_device.get(fed.other))
            for fed in bench.operators
        ]
        named += culprits(found, bench, few, calibration.ranges, shared, violated.operators)
    shares = {n: ErrorShares(found, result.benches[n], result.worst.get(n, [])) for n in result.entries}
    named, harmless = drop_harmless_ranges(merge_culprits(named, quantized.subgraphs), shares)
    named = rank_culprits(named, shares)
    notes += harmless
    faults = culprits_on_device(rows)
    lost = max((one.avoidable_db for one in named), default=0.0)
    named = [*faults, *named] if faults and faults[0].avoidable_db > lost else [*named, *faults]
    notes += small_differences(rows, named)
    harmful = any(one.reaches_outputs for one in named)
    leading = None if harmful or 0 not in shares else _find_leading(result.benches[0], shares[0])
    fix, parent = None, parent_doubt(found)
    doubt = "" if options.random else _find_doubt(found, calibration, takes_scaling(options.conversion))
    warnings = () if options.random else data.warnings
    notes += warnings
    if unstated := bool(warnings and not doubt and named) and named[0].cause in RANGE_CAUSES:
        named = [replace(named[0], detail=f"{named[0].detail}; {UNPREPROCESSED}"), *named[1:]]
    doubtful = (doubt or unstated) and not is_trained(real)  # A trained model states its ranges.
    if options.fix and not (bridged or parent or doubtful or violated.load) and result.samples:
        fix, named = search_fix(
            found, result.samples, options, base, named, leading[0] if leading else -1, data
        )
    return Trace(
        __version__, real.file or "float", quantized.file or "model", data.description, runs.samples,
        with_losses(rows, named), tuple(named), tuple(_output_snrs(result)), _unmatched_rows(found, 1),
        device.described if device else "",
        fix, leading, None,
        tuple(notes), options.min_snr, options.max_loss, bool(options.random),
        tuple(one for bench in result.benches.values() for one in bench.distributions()),
        doubt, parent, explained_share(named, shares.get(0)),
        tuple(row for row in _unmatched_rows(found, 0) if row[-1] == NO_PARTNER), violated.load,
        options.arithmetic, _invalid_operators(found, bridged, violated.operators),
    )  # fmt: skip


def _invalid_operators(
    found: ModelMatch, bridged: Iterable[tuple[int, int]], violated: Mapping[tuple[int, int], str]
) -> tuple[tuple[int, int, str, str], ...]:
    """Return the operators that no kernel computes and that violate a rule: subgraph, number, opcode, violation."""
    places = sorted(place for place in bridged if place in violated)
    return tuple(
        (*place, found.second.subgraphs[place[0]].operators[place[1]].kind, violated[place])
        for place in places
    )


def _runs(model: Model, data: CalibrationData) -> Iterator[tuple[int, Arrays]]:
    """Yield the subgraph and the inputs of every sample."""
    return (sample.arrange(model) for chain in data for sample in chain)


def _try_twin(
    found: ModelMatch, calibration: Calibration, notes: list[str]
) -> tuple[Twin | None, tuple[SharedQuantization, ...]]:
    """Return the twin and its shared ranges, or none with a note if the float model cannot be converted."""
    try:
        twin = make_twin(found, calibration.ranges, calibration.inner)
    except LitecheckError as error:
        notes.append(f"no twin, so no loss is known to be avoidable: {error}")
        return None, ()
    return twin, shared_ranges(twin.conversion, calibration.ranges)


def _find_leading(bench: Bench, outputs: ErrorShares) -> tuple[int, float] | None:
    """Return the operator with the largest share of the outputs' error, of those with the largest errors alone."""
    ratios = {n: errors.ratio("alone") or 0.0 for n, errors in bench.errors.items()}
    worst = sorted(ratios, key=lambda n: -ratios[n])[:_LEADING]
    shares = [(n, share) for n in worst if (share := outputs.operator_share(n)) is not None]
    return max(shares, key=lambda pair: pair[1], default=None)


def _output_snrs(result: SubgraphMeasures) -> Iterator[TracedOutput]:
    for number in result.entries:
        bench = result.benches[number]
        for index, errors in bench.ends.items():
            if "accumulated" in errors.sums:
                name, snr = bench.part.second.tensors[index].name, errors.snr("accumulated") or 0.0
                yield TracedOutput(name, snr, bench.logits_snr(index))


def _find_doubt(found: ModelMatch, calibration: Calibration, scaled: bool) -> str:
    part, ranges = found.subgraphs[0], calibration.ranges
    homes = {index: (part.first.index, part.tensors.get(index, -1)) for index in part.second.inputs}
    seen = {index: ranges[key] for index, key in homes.items() if key in ranges}
    doubt = data_doubt(part.second, seen, scaled)
    for one in named_samples(calibration.statistics)[:1] if doubt else ():
        without = ranges_without(calibration.statistics, one.sample)
        rest = {index: without.get(homes[index], extent) for index, extent in seen.items()}
        if not data_doubt(part.second, rest, scaled):
            named = next((key for key in homes.values() if key in without), one.tensor)
            widest = replace(one, tensor=named, extent=ranges[named], without=without[named])
            words = decisive_text(widest, f"sample {one.sample}", found.first)
            return f"{words}, which fits the model: is this sample valid?"
    return doubt


def _unmatched_rows(found: ModelMatch, side: int) -> tuple[tuple[int, int, str, str], ...]:
    return tuple((o.subgraph, o.operator, o.opcode, o.reason) for o in found.unmatched if o.side == side)
