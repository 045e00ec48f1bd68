"""Words of a trace: the answer, the fix, facts, and the rows of the table."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from litecheck.conversion.class_scores import is_hidden
from litecheck.rendering.escape import shorten
from litecheck.rendering.operator_names import operator_name
from litecheck.summary_text import count_of
from litecheck.tracing.trace_result import (
    BAD_SNR,
    LEAST_LOSS,
    LEAST_SHARE,
    RANGE_CAUSES,
    Cause,
    Culprit,
    Trace,
    TracedOperator,
    TracedOutput,
    TriedFix,
)

#: Name and meaning of each cause.
CAUSES: dict[Cause, tuple[str, str]] = {
    "weights": ("weights", "The quantized weights are not those of the float model."),
    "weight_scale": ("weight scale", "Weight scales do not fit the stored weights."),
    "weight_axis": ("weight axis", "The weight scales belong to another dimension."),
    "bias": ("bias", "The quantized bias is not that of the float model."),
    "output_range": ("output range", "The range of the output does not fit its values."),
    "input_range": ("input range", "The range of an input does not fit its values."),
    "activation": ("activation", "The operator has another activation than the float operator."),
    "option": ("option", "The operator has other options than the float operator."),
    "operands": (
        "operands",
        "The inputs are in another order than in the float model, or are other tensors.",
    ),
    "shared_range": ("shared range", "Tensors with unlike ranges share one scale."),
    "arithmetic": ("arithmetic", "The outputs of the kernel do not follow from its parameters."),
}
#: Full length of a bar, in dB.
BAR_DB = 60.0
HEADS = (
    "#",
    "operator",
    ">SNR dB",
    ">alone",
    ">possible",
    ">avoidable",
    ">saturated",
    ">bits",
    ">device",
    "SNR",
    "name",
)


def where(one: Culprit | TracedOperator) -> str:
    """Return ``CONV_2D #12``, with the subgraph if it is not the first."""
    return operator_name(one.subgraph, one.operator, one.opcode)


def answer(trace: Trace) -> str:
    """Return the answer in one sentence. A model that does not load is the first."""
    faults = trace.load_faults
    more = f", and {count_of(len(faults) - 1, 'reason')} more" if len(faults) > 1 else ""
    first = f"LiteRT does not load {trace.file} ({faults[0]}{more}); " if faults else ""
    return f"{first}{_invalid(trace)}{below_limit(trace)}{_accuracy(trace)}"


def _invalid(trace: Trace) -> str:
    """Return the first operator that violates a rule and is not measured, or "". A model that does not load is enough."""
    if not trace.invalid or trace.load_faults:
        return ""
    subgraph, number, opcode, violation = trace.invalid[0]
    more = f" and {count_of(len(trace.invalid) - 1, 'operator')} more" if len(trace.invalid) > 1 else ""
    why = f"{violation} ('litecheck validate' states the rule)"
    return f"{operator_name(subgraph, number, opcode)}{more} cannot be computed: {why}; "


def below_limit(trace: Trace) -> str:
    """Return the SNR of the outputs if ``--min-snr`` is not met, or ""."""
    return f"{trace.failures[0]}; " if trace.min_snr is not None and trace.worst < trace.min_snr else ""


def _accuracy(trace: Trace) -> str:
    if trace.parent:
        return trace.parent
    data = "on random data, " if trace.random else ""
    if _is_of_data(trace):
        return trace.doubt
    if trace.culprits:
        first = trace.culprits[0]
        words = "in its kernel" if first.cause == "arithmetic" else "more than it must"
        loss = f"{where(first)} loses {first.avoidable_db:.3g} dB {words}"
        if trace.has_loss:
            return f"{data}{loss}: {first.detail}"
        return (
            f"{data}no avoidable loss reaches the outputs ({loss}){_fix_gain(trace)}{_main_operator(trace)}"
        )
    if not trace.reference:
        return data + _ranges_answer(trace)
    if named := trace.unexplained:
        more = f" and {count_of(len(named) - 1, 'operator')} more" if len(named) > 1 else ""
        return f"{data}SNR of the outputs is {trace.worst:.1f} dB, and {named[0]}{more} has no partner to compare with"
    bad = f", yet the SNR of the outputs is {trace.worst:.1f} dB" if trace.worst < BAD_SNR else ""
    told = f"{data}no operator loses {LEAST_LOSS:g} dB more than it must{bad}"
    return f"{told}{_fix_gain(trace)}{_main_operator(trace)}{_without_kernel(trace)}"


def _is_of_data(trace: Trace) -> bool:
    """Return True if samples do not fit an input, and nothing but ranges is wrong with the model."""
    return bool(trace.doubt) and (not trace.has_loss or trace.culprits[0].cause in RANGE_CAUSES)


def _fix_gain(trace: Trace) -> str:
    """Return the gain of a fix that fixes no culprit, or ""."""
    if trace.fix is None:
        return ""
    sources = f": {gains(trace)}" if trace.fix.gains else ""
    return f", but another conversion gains {trace.fix.gain:.1f} dB{_part(trace.fix, trace)}{sources}"


def _part(one: TriedFix, trace: Trace) -> str:
    """Return ``on 8 of 16 samples`` if a fix was tried on a part of the samples, or ""."""
    return f" on {one.samples} of {count_of(trace.samples, 'sample')}" if one.samples < trace.samples else ""


def _main_operator(trace: Trace) -> str:
    """Return the operator with the largest share of the outputs' error, or ""."""
    number, share = trace.leading or (-1, 0.0)
    if share < LEAST_SHARE:
        return ""
    row = next((one for one in trace.operators if (one.subgraph, one.operator) == (0, number)), None)
    if row is None:
        return ""
    loss = f", which loses {row.avoidable_db:.1f} dB more than it must" if row.avoidable_db >= 1 else ""
    return f"; {100 * share:.0f} % of the outputs' error comes from {where(row)} '{shorten(row.name)}'{loss}"


def _without_kernel(trace: Trace) -> str:
    """Return the operators that could not be computed, or ""."""
    rows = [one for one in trace.operators if one.alone_snr is None and one.accumulated_snr is None]
    known = {one[:2] for one in trace.invalid}
    rows = [one for one in rows if (one.subgraph, one.operator) not in known]
    if not rows or not trace.reference:
        return ""
    more = f" and {count_of(len(rows) - 1, 'operator')} more" if len(rows) > 1 else ""
    return f"; {where(rows[0])}{more} without a kernel, not measured"


def _ranges_answer(trace: Trace) -> str:
    saturated = [one for one in trace.operators if (one.saturated or 0) >= 0.01]
    worst = max(saturated, key=lambda one: one.saturated or 0, default=None)
    tail = f", most {where(worst)} with {100 * (worst.saturated or 0):.0f} %" if worst else ""
    high, low = (
        count_of(count, "output") if count else "no output" for count in (len(saturated), len(trace.notes))
    )
    return f"{high} saturated in at least 1 % of values{tail}; {low} with unused resolution"


def fix(trace: Trace) -> str:
    """Return the tried command with its gain, or ""."""
    if trace.fix is None:
        return ""
    one = trace.fix
    count = _part(one, trace) or f" on {count_of(trace.samples, 'sample')}"
    runtime = f" in {one.runtime}" if one.runtime else ""
    change = f"lowest channel {one.before:.1f} dB -> {one.after:.1f} dB{count}{runtime}, tried"
    return f"{one.command} ({change}{_numbers(one.command, trace)})"


def _numbers(command: str, trace: Trace) -> str:
    """Return ``; #10 of the float file is SOFTMAX #11 of int8.tflite`` for the numbers of a command, or ""."""
    named = [int(word[1:]) for word in shlex.split(command) if word[:1] == "#" and word[1:].isdecimal()]
    partners = {one.partner: one for one in trace.operators if one.subgraph == 0}
    known = [f"#{n} of the float file is {where(partners[n])}" for n in named if n in partners]
    if not named:
        return ""
    if len(known) < len(named):
        return "; # numbers operators of the float file"
    return f"; {', '.join(known)} of {trace.file}"


def gains(trace: Trace) -> str:
    """Return the parts of the fix's gain: ``+11.2 dB from per-channel weights, +0.9 dB from int16 activations``."""
    parts = () if trace.fix is None else trace.fix.gains
    return ", ".join(f"{one.gain:+.1f} dB from {one.source}" for one in parts)


def facts(trace: Trace) -> list[tuple[str, str]]:
    """Return the facts of the trace, each with its label."""
    without = "none: 'litecheck trace FLOAT INT8' also measures the loss of each operator"
    found = [("float", trace.reference or without), ("model", trace.file)]
    differ = "; ranges of real data differ, so give samples with --data FILE" if trace.random else ""
    found.append(("data", trace.data + differ))
    found += [("output", _output_text(output)) for output in trace.outputs]
    found += [("run by", trace.kernels), ("device", trace.device)]
    matched = f"{count_of(len(trace.operators), 'operator')} measured"
    rest = f", {len(trace.unmatched)} without a float partner" if trace.unmatched else ""
    found.append(("operators", matched + rest))
    if trace.explained is not None:
        found.append(
            (
                "explained",
                f"{100 * trace.explained:.0f} % of the outputs' error with the errors of all culprits",
            )
        )
    if not _is_of_data(trace):
        found.append(("inputs", trace.doubt))
    if trace.against is not None:
        outputs = ", ".join(f"{one.snr:.1f} dB" for one in trace.against.outputs)
        found.append(("against", f"{trace.against.file}: outputs {outputs}; {answer(trace.against)}"))
    return [(label, text) for label, text in found if text]


def _output_text(one: TracedOutput) -> str:
    """Return the SNR of an output, and that of its logits if the output hides their loss."""
    hidden = one.logits is not None and is_hidden(one.logits, one.snr)
    return f"{one.name}: SNR {one.snr:.1f} dB{f' (logits {one.logits:.1f} dB)' if hidden else ''}"


def culprit_lines(one: Culprit, trace: Trace) -> list[tuple[str, str]]:
    """Return the facts of a culprit, each with its label."""
    lines = [("cause", f"{CAUSES[one.cause][0]}: {one.detail}"), ("avoidable", f"{one.avoidable_db:.1f} dB")]
    if one.share is not None:
        share = f"{100 * one.share:.0f} %" if one.reaches_outputs else "less than 1 %"
        whole = (
            "the error of the worst channel of an output"
            if one.cause == "shared_range"
            else "the outputs' error"
        )
        lines.append(
            ("share", f"{share} of {whole} with {'these errors' if one.others else 'this error'} alone")
        )
    if one.fix is not None:
        lines.append(("fix", f"{one.fix.command} (tried: {one.fix.gain:+.1f} dB{_part(one.fix, trace)})"))
    return lines


def row(one: TracedOperator, plain: bool) -> tuple[str, ...]:
    """Return the cells of an operator under :data:`HEADS`."""
    return (
        f"{one.subgraph}:{one.operator}" if one.subgraph else str(one.operator),
        one.opcode,
        _number(one.accumulated_snr),
        _number(one.alone_snr),
        _number(one.twin_snr),
        f"{one.avoidable_db:.1f}" if one.avoidable_db >= 0.05 else "",
        f"{100 * one.saturated:.1f} %" if one.saturated else "",
        _number(one.resolution),
        _number(one.device_snr),
        bar(one.accumulated_snr, plain),
        one.name,
    )


def _number(value: float | None) -> str:
    return "" if value is None else "exact" if value >= 120 else f"{value:.1f}"


def bar(snr: float | None, plain: bool, most: int = 12) -> str:
    """Return a bar as long as an SNR, full at 60 dB. Example: 30 dB is half."""
    if snr is None:
        return ""
    return ("#" if plain else "█") * max(1, round(most * min(max(snr, 0.0), BAR_DB) / BAR_DB))


def culprit_places(trace: Trace) -> frozenset[tuple[int, int]]:
    """Return the operators of culprits as (subgraph, operator)."""
    return frozenset(
        (one.subgraph, number) for one in trace.culprits for number in (one.operator, *one.others)
    )


def select_rows(trace: Trace, most: int) -> tuple[Sequence[TracedOperator], int]:
    """Return the rows to show in the model's order, those of culprits and of the largest losses first kept, and how many
    are left out."""
    named = culprit_places(trace)

    def rank(one: TracedOperator) -> tuple[bool, float, float]:
        return (one.subgraph, one.operator) not in named, -one.avoidable_db, one.accumulated_snr or 0.0

    kept = sorted(trace.operators, key=rank)[:most]
    return sorted(kept, key=lambda one: (one.subgraph, one.operator)), len(trace.operators) - len(kept)
