"""Common wording of a verification: outcomes, differences and reasons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from math import isfinite

from litecheck.cases.variable_state import TriedSeries
from litecheck.comparison.types import Candidate, Cause, Difference, MismatchExample
from litecheck.comparison.wording import element_sentence, gathering_sentence
from litecheck.devices.outcome import Outcome
from litecheck.rendering.columns import percent, span
from litecheck.rendering.escape import shorten, visible
from litecheck.rendering.operator_names import subgraph_prefix
from litecheck.rendering.rows import Detail
from litecheck.summary_text import count_of
from litecheck.verification.result import WHOLE, Step, Verdict, Verification

#: Meaning of each outcome, as a sentence.
MEANING: dict[Outcome, str] = {
    Outcome.EXACT: "The device gives every element as the reference does.",
    Outcome.WITHIN: "The device differs from the reference by no more than the declared tolerance.",
    Outcome.SATURATED: "The device is exact, but all outputs saturate at the limits of their type: not tested.",
    Outcome.MISMATCH: "The device gives other values than the reference.",
    Outcome.WRONG_SHAPE: "The device gives outputs of another number, shape or type than the model states.",
    Outcome.FLAKY: "The device gives different values for the same input.",
    Outcome.NOT_DELEGATED: "The runtime did not delegate the operator to the device.",
    Outcome.NOT_SUPPORTED: "The device does not have the operator, or no kernel for its types.",
    Outcome.REFUSED: "The device rejected the operator.",
    Outcome.CRASHED: "The device's process crashed.",
    Outcome.TIMED_OUT: "The device did not answer in time.",
    Outcome.OUT_OF_MEMORY: "The device needs more memory than it was allowed.",
    Outcome.NO_REFERENCE: "There is nothing to compare the device with.",
    Outcome.NOT_RECORDED: "The recording has no output of the device for the case and its inputs.",
    Outcome.INITIAL_ONLY: "From the initial state the device equals the reference. Its later states were not tested.",
    Outcome.NOT_TRIED: "The device was not asked: the budget went to others.",
}
#: Reasons for inferences from the initial state alone.
_INITIAL = {"device": "the device keeps no state", "budget": "the budget went to other cases"}
#: Prefix of the names of defects among candidates.
DEFECT = "defect: "
#: Outcomes without an output that could be compared.
BROKEN = frozenset({Outcome.REFUSED, Outcome.CRASHED, Outcome.TIMED_OUT, Outcome.OUT_OF_MEMORY})


def rule(outcome: Outcome) -> str:
    """Return the rule id of an outcome: ``verify/wrong-shape-or-type``."""
    return f"verify/{outcome.value.replace(' ', '-')}"


def title(verdict: Verdict, limit: int | None = None) -> str:
    """Return operator, number and name in visible characters, each at most ``limit`` long."""
    if limit is not None:
        opcodes = tuple(shorten(opcode, limit) for opcode in verdict.opcodes)
        verdict = replace(verdict, name=shorten(verdict.name, limit), opcodes=opcodes)
    return subgraph_prefix(verdict.subgraph) + visible(verdict.title)


def numbers(verdict: Verdict) -> str:
    """Return ``12``, ``12-14``, or ``1:12`` in subgraph 1."""
    first, last = verdict.operators[0], verdict.operators[-1]
    within = f"{verdict.subgraph}:" if verdict.subgraph else ""
    return f"{within}{first}" if first == last else f"{within}{first}-{last}"


def amount(value: float, unit: str) -> str:
    """Return a signed difference: ``+3 LSB``, or ``-1.2e-06 rel.`` relative to the largest expected magnitude."""
    if not isfinite(value):
        return "not finite"
    return f"{value:+,.0f} LSB" if unit == "LSB" else f"{value:+.3g} rel."


def largest(verdict: Verdict) -> str:
    """Return the largest difference of a case, signed; ``""`` without a difference."""
    worst = verdict.worst
    return amount(worst.largest, worst.unit) if worst and verdict.mismatches else ""


def differing(verdict: Verdict) -> str:
    """Return mismatches by elements if outputs were compared: ``12/4,096``."""
    size = verdict.elements or sum(d.size for d in verdict.differences)
    return f"{verdict.mismatches:,}/{size:,}" if size and verdict.differences else ""


def summary(verdict: Verdict) -> str:
    """Return the reason for a case's outcome in a phrase: the largest difference, else the device's message."""
    worst = verdict.worst
    if worst is not None and worst.mismatches and verdict.outcome not in BROKEN:
        told = _extent(worst)
        return f"{told}; {one_line(verdict.message)}" if verdict.message else told
    return one_line(verdict.message) or MEANING[verdict.outcome].rstrip(".")


def one_line(message: str) -> str:
    """Return a device's message as one line: a separate line could be a command to a CI server."""
    return "; ".join(visible(line.strip()) for line in message.splitlines() if line.strip())


def details(
    verdict: Verdict, chart: Callable[[Difference], tuple[str, ...]] | None = None
) -> Iterator[Detail]:
    """Yield the complete details of a case in visible characters. ``chart`` draws a histogram; without it, words
    describe it."""
    for d in verdict.differences:
        if d.mismatches or d.explained is not None:
            yield from _difference(verdict, d, chart)
    if verdict.causes:
        yield "explains", tuple(visible(_cause(cause)) for cause in verdict.causes)
    silent = not verdict.message and not verdict.differences and not verdict.outcome.good
    facts = (
        ("under", verdict.arithmetic),
        ("against", f"{verdict.nearest}, the nearest of those admitted" if verdict.nearest else ""),
        ("matches", f"exact under {', '.join(verdict.also)}" if verdict.also else ""),
        ("fault", verdict.fault),
        ("message", MEANING[verdict.outcome] if silent else one_line(verdict.message)),
        (
            "inputs",
            ", ".join(f"{kind} x {n:,}" if n > 1 else kind for kind, n in Counter(verdict.runs).items()),
        ),
        ("tried", verdict.exhaustive),
        ("memory", series_sentence(verdict.memory) if verdict.memory else ""),
        ("reproduce", verdict.reproducer),
    )
    yield from ((label, (visible(text),)) for label, text in facts if text)


def series_sentence(tried: TriedSeries) -> str:
    """Return ``5 series of up to 4 inferences, state kept ...; 'state' from -812 to 32,767``."""
    if not tried.series:
        return f"every inference from the initial state: {_INITIAL[tried.because]}"
    counts = f"{count_of(tried.series, 'series', 'series')} of up to {count_of(tried.longest, 'inference')}"
    begun = ", some begun at the ends of the variables" if tried.begun else ""
    reached = ", ".join(f"'{r.name}' from {r.least:,.6g} to {r.greatest:,.6g}" for r in tried.reached)
    went = f"; {reached}" if reached else ""
    return f"{counts}, state kept within a series and reset before the next{begun}{went}"


def _cause(cause: Cause) -> str:
    """Return ``defect: no-bias explains 12 of the 20 differences (the bias is left out); 8 are left: all 8 ... lie in
    ...``."""
    names, whole = " and ".join(cause.names), cause.explained + cause.left
    verb = "explain" if len(cause.names) > 1 else "explains"
    many = f"all {whole:,}" if not cause.left else f"{cause.explained:,} of the {whole:,}"
    told = f"{names} {verb} {many} differences" + (f" ({cause.does})" if cause.does else "")
    if not cause.left:
        return told
    if cause.alike:
        told += f", as {'does' if len(cause.alike) == 1 else 'do'} {', '.join(cause.alike)}"
    left = f"; {cause.left:,} {'is' if cause.left == 1 else 'are'} left"
    patterns = "; ".join(map(gathering_sentence, cause.patterns))
    return told + left + (f": {patterns}" if patterns else ", which gather nowhere")


def _difference(
    verdict: Verdict, d: Difference, chart: Callable[[Difference], tuple[str, ...]] | None
) -> Iterator[Detail]:
    shape = "x".join(map(str, d.shape)) or "scalar"
    name = "" if d.name == verdict.name else f" '{d.name}'"
    yield "output", (visible(f"{d.dtype} {shape}{name}"),)
    yield "differ", (_extent(d),)
    if d.histogram:
        in_words = ", ".join(f"{span(b)}: {b.count:,}" for b in d.histogram)
        yield "histogram", chart(d) if chart else (in_words,)
    if d.worst is not None:
        yield "worst", (spot_words(d.worst, d.unit, verdict.runs),)
    if d.explained is not None:
        yield "because", (visible(element_sentence(d.explained)),)
        if d.explained.candidates:
            yield "candidates", tuple(_candidates(d.explained.candidates, d.explained.spot or d.worst))
    if d.patterns:
        yield "pattern", tuple(visible(gathering_sentence(p)) for p in d.patterns)


def _extent(d: Difference) -> str:
    part = f" ({percent(d.mismatches, d.size)})" if d.size else ""
    share = f"{d.mismatches:,} of {count_of(d.size, 'element')}{part}"
    far = (
        f"by at most {size_words(d.largest, d.unit)}" if isfinite(d.largest) else "not all by a finite amount"
    )
    told = f"{share}, {far}"
    if not d.tolerance:
        return told
    return f"{told}; {d.beyond:,} by more than the tolerance of {size_words(d.tolerance, d.unit)}"


def size_words(value: float, unit: str) -> str:
    """Return the magnitude of a difference: ``3 LSB``."""
    if unit == "LSB":
        return f"{abs(value):,.0f} LSB"
    return f"{abs(value):.3g} of the largest expected magnitude"


def spot_words(spot: MismatchExample, unit: str, runs: Sequence[str] = ()) -> str:
    """Describe an element with its expected and its actual value."""
    place = f"[{', '.join(map(str, spot.index))}]"
    fed = f" ({visible(runs[spot.run])})" if spot.run < len(runs) else ""
    expected, actual = (value_words(v, unit) for v in (spot.expected, spot.actual))
    return f"{place} in run {spot.run}{fed}: expected {expected}, the device gives {actual}"


def value_words(value: float, unit: str) -> str:
    """Format an element: an integer if differences are in LSB, else with enough digits to distinguish float32 values."""
    return f"{value:,.0f}" if unit == "LSB" and isfinite(value) else f"{value:.9g}"


def _candidates(candidates: Sequence[Candidate], worst: MismatchExample | None) -> Iterator[str]:
    """Yield each value with the computations that give it: the device's value first, then the expected value.

    Defects that give neither are only counted.
    """
    marks = {} if worst is None else {worst.expected: ", as expected", worst.actual: ", as the device"}
    excluded = [c for c in candidates if c.name.startswith(DEFECT) and c.value not in marks]
    candidates = [c for c in candidates if c not in excluded]
    values = dict.fromkeys(c.value for c in candidates)
    order = [value for value in reversed(marks) if value in values]
    for value in dict.fromkeys([*map(int, order), *values]):
        names = [f"{c.name} ({c.note})" if c.note else c.name for c in candidates if c.value == value]
        yield f"{value:,}{marks.get(value, '')}: {visible(_group_by_stage(names))}"
    if excluded:
        yield f"other values: {count_of(len(excluded), 'defect')}"


def _group_by_stage(names: Sequence[str]) -> str:
    """Return ``half up, tflm; requantize: single, float64``: each stage once, before its variants."""
    groups: dict[str, list[str]] = {}
    for name in names:
        stage, colon, variant = name.partition(": ")
        groups.setdefault(f"{stage}: " if colon else "", []).append(variant or name)
    return "; ".join(f"{stage}{', '.join(found)}" for stage, found in groups.items())


def cases(verification: Verification) -> str:
    """Return the number of cases with their noun: ``65 operators``."""
    whole = any(v.case.endswith(WHOLE) for v in verification.verdicts)
    noun = "operator" if verification.mode == "operators" and not whole else "case"
    return count_of(len(verification.verdicts), noun)


def fits(verification: Verification, mark: Callable[[str], str] = visible) -> str:
    """Return ``the published arithmetic tflm fits every operator exactly``, or "" if none fits."""
    names = [mark(name) for name in verification.fits]
    if not names:
        return ""
    every = "every operator" if verification.mode == "operators" else "every case"
    if any(not verdict.differences for verdict in verification.verdicts):
        every += " that was compared"
    if len(names) == 1:
        return f"the published arithmetic {names[0]} fits {every} exactly"
    return f"the published arithmetics {', '.join(names[:-1])} and {names[-1]} each fit {every} exactly"


def mode(verification: Verification) -> str:
    """Describe the unit of execution: isolated operators, segments, or the whole model."""
    known = {"operators": "every operator isolated", "whole": "the whole model at once"}
    return known.get(verification.mode, visible(verification.mode))


def failing(verification: Verification) -> list[Verdict]:
    """Return the cases that fail the verification, in order."""
    return [v for v in verification.verdicts if verification.failing(v)]


def cases_to_explain(verification: Verification) -> list[Verdict]:
    """Return the cases to describe completely: failing cases, and cases with a requested element."""

    def asked(verdict: Verdict) -> bool:
        return any(d.explained is not None and d.explained.spot is not None for d in verdict.differences)

    return [v for v in verification.verdicts if verification.failing(v) or asked(v)]


def unjudged_groups(verification: Verification) -> list[tuple[Outcome, str, str, list[Verdict]]]:
    """Return (outcome, operator, reason, cases) of cases that were not checked and do not fail, grouped."""
    groups: dict[tuple[Outcome, str, str], list[Verdict]] = {}
    for v in verification.verdicts:
        if not v.outcome.judged and not verification.failing(v):
            groups.setdefault((v.outcome, visible(v.opcode), summary(v)), []).append(v)
    return [(*key, verdicts) for key, verdicts in groups.items()]


def untried_properties(verification: Verification) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Return for each type of operator the properties that no operator of the model has. Example: ``CONV_2D (12)``."""
    for kind in verification.untried:
        if kind.parameters:
            yield f"{visible(kind.opcode)} ({kind.operators:,})", tuple(map(visible, kind.parameters))


def drifting(verification: Verification) -> list[Step]:
    """Return the tensors of a drift measurement that differ, or at which an error enters."""
    return [step for step in verification.drift if step.largest or step.share or step.entered]
