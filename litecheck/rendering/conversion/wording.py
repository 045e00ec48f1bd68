"""Wording of conversion reports: sizes, operators, calibration, agreement, and shared scales."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from litecheck.conversion.agreement import Agreement, TensorAgreement
from litecheck.conversion.conversion_plan import UNTOUCHED, QuantParams
from litecheck.conversion.precision_budget import TriedAssignment
from litecheck.conversion.record import ConversionRecord, ConvertedTensor
from litecheck.conversion.request import KINDS, REAL, REAL_KINDS
from litecheck.conversion.shared_scales import LOW_RESOLUTION
from litecheck.files import bytes_text
from litecheck.quantizer.litert_resolvers import INTO_INTEGERS, OUT_OF_INTEGERS
from litecheck.rendering.conversion.snr_wording import (
    decibels,
    logits_text,
    low_channel_text,
    ratio,
    snr_without_mean,
    worst_output,
)
from litecheck.summary_text import checked_text, count_of, counts_text

#: Smallest share of saturated values that is reported.
_NOTICED = 1e-4
#: Largest number of named channels of rounded weights.
_WORST = 2
#: Largest number of operators of a kind that a hint names.
_NAMED = 3
#: TensorFlow's quantizers as a report calls them.
_QUANTIZERS = {"old": "old quantizer", "new": "new quantizer", "verbatim": "new quantizer, its slip included"}


def summary(record: ConversionRecord) -> str:
    """Return a summary of the new model: ``7 of 8 operators int8; no findings; 9/9 operators checked``."""
    report = record.report
    low = record.low_resolution
    shared = f"; {count_of(low, 'tensor')} below {LOW_RESOLUTION:g} bits" if low else ""
    found = f"{counts_text(report.counts, report.effects)}; {checked_text(report.coverage)}{shared}"
    return f"{quantization_share(record)}; {found}"


def quantization_share(record: ConversionRecord) -> str:
    """Return ``2 of 10 operators int8``, with the requested kind and other types: ``9 of 10 operators int8, 1 int16``."""
    request, (quantized, real) = record.conversion.request, record.share
    own = (KINDS[request.to][0], REAL, UNTOUCHED)
    others = {} if request.to in REAL_KINDS else {t: n for t, n in record.becomes.items() if t not in own}
    beside = "".join(f", {number:,} {dtype}" for dtype, number in others.items())
    to = "quantized" if request.recipe and request.to in REAL_KINDS else request.to
    narrow = quantized - sum(others.values())
    if not narrow and len(others) == 1:
        return f"{quantized:,} of {count_of(real, 'operator')} {', '.join(others)}"
    return f"{narrow:,} of {count_of(real, 'operator')} {to}{beside}"


def outcome(record: ConversionRecord) -> str:
    """Return the verdict, the share of quantized operators, the SNR of the worst output, and the number of failed gates.

    With a large loss, the SNR of the lowest channel is added. Examples: ``conforms, 7 of 8 operators int8, 40.7 dB on 16
    samples``, ``conforms, 7 of 8 operators int8, 46.8 dB (channel 6: -23.7 dB) on 16 samples``.
    """
    failed, found = len(record.failed_gates), record.evaluation or record.agreement
    gates = f", {count_of(failed, 'gate')} failed" if failed else ""
    worst = f"{worst_output(found.outputs)}{low_channel_text(found)}" if found else ""
    loss = f", {worst} on {count_of(found.samples, 'sample')}" if found and worst else ""
    return f"{record.verdict}, {quantization_share(record)}{loss}{gates}"


def facts(record: ConversionRecord) -> Iterator[tuple[str, str]]:
    """Yield the facts of the whole conversion, each with its label."""
    request, profile = record.conversion.request, record.conversion.plan.profile
    recipe = f", by the rules of {request.recipe.file}" if request.recipe else ""
    made = request.to
    if request.to == "int8" and set(record.becomes) & {"int8", "int16"} == {"int16"}:
        made = "int16x8"
    yield "made", f"{made}{f' by {profile}' if profile else ''}{recipe}"
    yield "size", sizes(record)
    yield "operators", operators(record)
    if record.calibration is not None:
        yield "calibrated", calibration(record)
    yield from choice_facts(record)
    for gate in record.failed_gates:
        yield "failed gate", gate
    if record.target:
        yield "written", record.target
    elif record.verdict == "violates":
        yield "written", "nothing: the new model would violate its profile"
        yield from _hints(record)
    elif record.verdict == "not checked":
        yield "written", "nothing: no profile speaks of anything quantized in the new model"
    elif record.tried:
        yield "written", "nothing: this was a dry run"
    elif record.failed_gates:
        yield "written", "nothing: a gate failed; --force writes the model"


def choice_facts(record: ConversionRecord) -> Iterator[tuple[str, str]]:
    """Yield the choice within a budget with the uniform choices, and the rounding, each with its label.

    Example: ``snr=30: 3 operators int16x8, 54.3 kB, lowest channel 31.2 dB``.
    """
    if record.budget is not None:
        narrow, wide = record.budget.uniform
        yield "budget", f"{record.budget.budget}: {_assignment_text(record.budget.trial)}"
        yield "uniform", f"{_assignment_text(narrow)}; {_assignment_text(wide)}"
    if record.conversion.request.generation != "new":
        yield "like", f"TensorFlow's {_QUANTIZERS[record.conversion.request.generation]}"


def _assignment_text(one: TriedAssignment) -> str:
    return f"{one.assignment}, {bytes_text(one.size)}, lowest channel {one.snr:.1f} dB"


def _hints(record: ConversionRecord) -> Iterator[tuple[str, str]]:
    """Yield a conflict if the profile forbids operators added between float32 and integers, with possible fixes."""
    violating = {f.where.opcode for f in record.report.active if f.level == "violation"}
    lacking = sorted(violating & set(record.added_operators))
    if not lacking:
        return
    profile = record.conversion.profile
    yield (
        "conflict",
        f"{' and '.join(lacking)} was added, between float32 and integers, and {profile} forbids it",
    )
    ends = " ".join(
        f"{option} {record.conversion.plan.target}" for option in _float_end_options(record, lacking)
    )
    if ends:
        yield "hint", f"{ends}: then none is needed where the model begins or ends"
    for one in record.stays:
        where = f"{one.opcode} {', '.join(one.places[:_NAMED])}{' and others' * (len(one.places) > _NAMED)}"
        yield "hint", f"{where} stays {one.dtype} and needs it: {one.reason}"


def _float_end_options(record: ConversionRecord, lacking: Sequence[str]) -> Iterator[str]:
    """Yield the options that remove float32 inputs or outputs converted by an operator that the profile lacks."""
    graph = record.conversion.model.subgraphs[0]
    borders = (
        ("--input-dtype", graph.inputs, INTO_INTEGERS),
        ("--output-dtype", graph.outputs, OUT_OF_INTEGERS),
    )
    for option, indexes, opcode in borders:
        if opcode in lacking and any(graph.tensors[i].dtype == REAL for i in indexes):
            yield option


def sizes(record: ConversionRecord) -> str:
    """Return ``44.1 kB before, 12.3 kB after (0.28 times)``, and whether the file is not smaller."""
    share = record.size / max(1, record.source_size)
    larger = ", the file is not smaller" if record.size >= record.source_size else ""
    return f"{bytes_text(record.source_size)} before, {bytes_text(record.size)} after ({share:.2f} times{larger})"


def operators(record: ConversionRecord) -> str:
    """Return ``7 int8, 1 float32; 2 tensors of int4 weights; added: 2 QUANTIZE``."""
    parts = ", ".join(f"{number:,} {kind}" for kind, number in record.becomes.items())
    small = len({(t.subgraph, t.tensor) for t in record.tensors if t.constant and t.form.dtype == "int4"})
    weights = f"; {count_of(small, 'tensor')} of int4 weights" if small else ""
    return f"{parts or 'as they were'}{weights}; added: {tally(record.added_operators)}"


def tally(counts: Mapping[str, int]) -> str:
    """Return ``2 QUANTIZE, 1 DEQUANTIZE``, or ``none``."""
    return ", ".join(f"{number:,} {name}" for name, number in sorted(counts.items())) or "none"


def calibration(record: ConversionRecord) -> str:
    """Return ``minmax on 16 samples of data.npz, by ai-edge-litert 2.3.0, XNNPACK``."""
    found = record.calibration
    if found is None:
        return ""
    read = f", read from {found.file}" if found.file else ""
    return f"{found.methods} on {found.statistics.source}, by {found.statistics.runtime}{read}"


def agreements(record: ConversionRecord) -> Iterator[tuple[str, Agreement]]:
    """Yield ``Agreement with float on 16 inputs``, and the agreement on the other inputs of ``--evaluate``."""
    for found, kind in ((record.agreement, "input"), (record.evaluation, "other input")):
        if found is not None:
            model = "the quantized model" if found.quantized else "float"
            yield f"Agreement with {model} on {count_of(found.samples, kind)}", found


def agreement_lines(found: Agreement) -> list[tuple[str, str]]:
    """Return each output of the model with its agreement in words."""
    return [(_output(one), ", ".join(_agreement_texts(one))) for one in found.outputs]


def _output(one: TensorAgreement) -> str:
    return f"{one.signature}/{one.output}" if one.signature else one.output


def _agreement_texts(one: TensorAgreement) -> Iterator[str]:
    if one.is_integer:
        yield f"{ratio(one)}, largest difference {one.distortion.largest:.4g}"
        return
    apart = snr_without_mean(one)
    yield f"SNR {decibels(one.snr)}{f' ({apart} without DC)' if apart else ''}{logits_text(one)}"
    steps = f" ({one.largest_steps:.3g} steps)" if one.step else ""
    yield f"largest error {one.distortion.largest:.4g}{steps}"
    if one.distortion.equal:
        yield f"{equal_share(one)} of the stored values equal"
    if one.top is not None:
        yield f"largest value at the same place in {one.top.agreeing:,} of {count_of(one.top.rows, 'row')}"


def share(part: float) -> str:
    """Return ``1.25 %``, or "" for less than 0.01 %."""
    return f"{100 * part:.2f} %" if part >= _NOTICED else ""


def equal_share(one: TensorAgreement) -> str:
    """Return ``98.03 %``, the share of equal stored integers; "" if no stored integer is equal."""
    return f"{100 * one.equal:.2f} %" if one.distortion.equal else ""


def weight_rows(record: ConversionRecord) -> list[tuple[str, str, str, str]]:
    """Return the largest error, RMS error, worst channels and name of earlier quantized weights that are not exact."""
    return [
        (
            f"{one.largest:.3f}",
            f"{one.rms:.3f}",
            ", ".join(f"#{c.channel} {c.largest:.3f} (RMS {c.rms:.3f})" for c in one.channels[:_WORST]),
            one.name,
        )
        for one in record.weights
        if one.largest
    ]


def weights_title(record: ConversionRecord) -> str:
    """Return ``28 tensors, 1 of them exact; errors in steps of the scales they had``."""
    exact = sum(not one.largest for one in record.weights)
    return f"{count_of(len(record.weights), 'tensor')}, {exact} of them exact; errors in steps of the scales they had"


def extent(low: float, high: float) -> str:
    """Return ``-1.5..2.25``."""
    return f"{low:.4g}..{high:.4g}"


def form_range(form: QuantParams) -> str:
    """Return the range of real values that a form was computed for, or "" if it has no range."""
    return extent(form.low, form.high) if form.low < form.high else ""


def scales(form: QuantParams) -> str:
    """Return the scale, or the number of scales and their range: ``32 of 0.01..0.25``."""
    values = form.scale
    if values.size < 2:
        return f"{float(values[0]):.4g}" if values.size else ""
    return f"{values.size:,} of {extent(float(values.min()), float(values.max()))}"


def zero_points(form: QuantParams) -> str:
    """Return the zero point; several equal zero points are written once."""
    return ", ".join(str(int(z)) for z in dict.fromkeys(form.zero_point.tolist()))


#: The heads of :func:`tensor_cells`.
TENSOR_HEADS = ("type", ">range", ">scale", ">zero point", ">SNR", ">without DC", ">clipped")


def tensor_cells(one: ConvertedTensor) -> tuple[str, ...]:
    """Return type, range, scale, zero point, SNR, SNR without DC and clipped share of a tensor."""
    form, found = one.form, one.agreement
    measured = (
        (decibels(found.snr), snr_without_mean(found), share(found.clipped_share)) if found else ("", "", "")
    )
    return form.dtype, form_range(form), scales(form), zero_points(form), *measured


def scale_reasons(form: QuantParams) -> tuple[str, ...]:
    """Return the first rule that fixes the scale, and the reason for a choice beyond the rules."""
    own = dict.fromkeys(rule for rule in form.rules if rule.partition(" ")[0].endswith("/scale"))
    return (*list(own)[:1], *filter(None, (form.because,)))


def worst_first(tensors: Sequence[ConvertedTensor]) -> list[ConvertedTensor]:
    """Return computed tensors, the lowest SNR first, and last the tensors without a comparison, in their order."""
    computed = [one for one in tensors if not one.constant]
    return sorted(computed, key=lambda one: one.agreement.snr if one.agreement else math.inf)


def choices(record: ConversionRecord) -> list[str]:
    """Return decisions besides those of rules and ranges: raised scales, widened ranges, clamped constants."""
    found: dict[str, dict[str, None]] = {}
    for one in record.tensors:
        if one.form.because:
            found.setdefault(one.form.because, {})[one.name] = None
    forms = [f"{_names_text(list(names))}: {because}" for because, names in found.items()]
    return [*forms, *record.notes]


def _names_text(names: Sequence[str]) -> str:
    more = f" and {count_of(len(names) - 1, 'other tensor')}" if len(names) > 1 else ""
    return f"'{names[0]}'{more}"
