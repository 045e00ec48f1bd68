"""Text report of a verification, or of a forecast, legible at 80 columns and without color."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from litecheck.comparison.types import Difference
from litecheck.devices.outcome import Outcome
from litecheck.rendering.columns import bars
from litecheck.rendering.escape import NAME, PHRASE, shorten, visible
from litecheck.rendering.text_page import DIM, HEADER, LABEL, VERDICTS, Page
from litecheck.rendering.wording import headlines
from litecheck.rendering.wording import outcomes as wording
from litecheck.rendering.wording.separations import separation_sentence
from litecheck.summary_text import count_of
from litecheck.verification.cost_estimate import CostEstimate
from litecheck.verification.result import Step, Verdict, Verification

_GOOD, _BAD, _OPEN = "green", "bold red", "magenta"
_HEADS = (">#", "operator", "outcome", ">differ", ">largest", "arithmetic", "tried", "name")
_OUTCOME = _HEADS.index("outcome")
_DRIFT = (">#", "operator", ">largest", ">rms", ">differ", "enters", "tensor")
_FORECAST = ("case", ">inputs", ">invocations", "name")
_OPERATOR = 20
_MANY = 20
_FEW = 5


def print_report(verification: Verification, console: Console, verbose: bool = False) -> None:
    """Print every case, explain those that fail, and the total; ``verbose`` shortens nothing."""
    page = VerificationPage(console, verbose)
    page.header(verification)
    page.cases(verification)
    page.failing(verification)
    page.print_correlations(verification)
    page.print_excused(verification)
    page.print_unjudged(verification)
    page.print_untried(verification)
    page.drift(verification)
    page.summary(verification)


def brief(verification: Verification) -> str:
    """Return ``model.tflite: mismatch: CONV_2D #12 'conv': 3 of 64 elements ...``, a line for each failing case."""
    model = visible(verification.model)
    lines = [
        f"{model}: {v.outcome.text}: {wording.title(v, NAME)}: {shorten(wording.summary(v), PHRASE)}"
        for v in wording.failing(verification)
    ]
    if verification.verdict == "not checked":
        lines.append(f"{model}: not checked: {headlines.tally(verification)}")
    return "".join(f"{line}\n" for line in lines)


class VerificationPage(Page):
    """The sections of a verification's report."""

    def header(self, verification: Verification) -> None:
        self.title(verification.model, headlines.headline(verification), VERDICTS[verification.verdict])
        notes = (("note", visible(note)) for note in verification.notes)
        for label, text in (
            ("device", visible(verification.described or verification.device)),
            ("arithmetic", headlines.fitting_arithmetics(verification)),
            ("mode", wording.mode(verification)),
            *notes,
        ):
            self.print_labeled(label, text, HEADER)
        self.line()

    def cases(self, verification: Verification) -> None:
        """Print a row for each case, with its arithmetic if several are admissible."""
        if not verification.verdicts:
            return
        several = len(verification.arithmetics) > 1
        rows = [
            (
                wording.numbers(v),
                _kind(v),
                v.outcome.text,
                wording.differing(v),
                wording.largest(v),
                headlines.fitting(verification, v) if several else "",
                visible(v.exhaustive),
                visible(v.name) if self.verbose else shorten(v.name),
            )
            for v in verification.verdicts
        ]
        styles = [_style(verification, v) for v in verification.verdicts]
        self.grid(_HEADS, rows, styles, _OUTCOME, ("tried", "arithmetic"))
        self.line()

    def failing(self, verification: Verification) -> None:
        failing = wording.cases_to_explain(verification)
        shown = failing if self.verbose else failing[:_MANY]
        for v in shown:
            self.case(v)
        if len(shown) < len(failing):
            self.line(Text(f"and {count_of(len(failing) - len(shown), 'other failing case')}", DIM))
            self.line()

    def case(self, verdict: Verdict) -> None:
        """Print the details of a failing case."""
        margin = Text(verdict.outcome.text, _GOOD if verdict.outcome.good else _BAD)
        title = wording.title(verdict, None if self.verbose else NAME)
        self.details(title, margin, wording.details(verdict, self.chart))

    def chart(self, difference: Difference) -> tuple[str, ...]:
        return tuple(bars(difference.histogram, self.plain, self.width - 2 - LABEL))

    def print_correlations(self, verification: Verification) -> None:
        """Print the properties that separate failing cases from passing cases."""
        told = (visible(separation_sentence(separation)) for separation in verification.across)
        self.listing("in common", "properties that all wrong cases have, and no correct case", told)

    def print_excused(self, verification: Verification) -> None:
        """Print the known faults of the device's own runtime, which do not fail the verification."""
        told = headlines.excused_cases(verification)
        self.listing("known faults", "of the runtime itself, which do not fail", told)

    def print_unjudged(self, verification: Verification) -> None:
        groups = wording.unjudged_groups(verification)
        if not groups:
            return
        number = sum(len(verdicts) for *_, verdicts in groups)
        self.section("not checked", f"{number:,} of {count_of(len(verification.verdicts), 'case')}")
        for outcome, opcode, why, verdicts in groups:
            told = [f"#{wording.numbers(v)}" for v in verdicts]
            shown = told if self.verbose or len(told) <= _FEW else [*told[:_FEW], "..."]
            self.line(f"{opcode}, {outcome.text}: {self.phrase(why)} ({', '.join(shown)})", "  -", 4)
        self.line()

    def print_untried(self, verification: Verification) -> None:
        """Print the parameters not exercised: possible for an operator kind, but absent from this model."""
        kinds = (f"{kind}: {', '.join(names)}" for kind, names in wording.untried_properties(verification))
        self.listing("not exercised", "properties that no operator of the model has", kinds)

    def drift(self, verification: Verification) -> None:
        """Print the operators at which error enters, and its growth, tensor by tensor."""
        if not verification.drift:
            return
        steps = verification.drift if self.verbose else wording.drifting(verification)
        self.section("drift", "the device on its own outputs, compared with the reference end to end")
        rows = [self.step(step) for step in steps]
        if rows:
            self.grid(_DRIFT, rows, ["bold" if step.entered else "" for step in steps])
        if len(steps) < len(verification.drift):
            same = count_of(len(verification.drift) - len(steps), "tensor")
            self.line(Text(f"{same} without difference", DIM), "", 2)
        self.line()

    def step(self, step: Step) -> tuple[str, ...]:
        return (
            str(step.operator),
            shorten(step.opcode, _OPERATOR),
            wording.amount(step.largest, step.unit),
            f"{step.rms:.3g}",
            f"{100 * step.share:.3g} %",
            "here" if step.entered else "",
            visible(step.name) if self.verbose else shorten(step.name),
        )

    def summary(self, verification: Verification) -> None:
        fits = wording.fits(verification)
        if fits:
            self.line(Text(fits, "bold cyan"))
        told = f"{verification.verdict}: {headlines.tally(verification)}"
        told += f"; inputs {visible(verification.inputs)}" if verification.inputs else ""
        self.line(Text(told, VERDICTS[verification.verdict]))


def _kind(verdict: Verdict) -> str:
    """Return the operator; for a long segment, the first operator and the number of further operators."""
    first, *others = verdict.opcodes
    if not others or len(visible(verdict.opcode)) <= _OPERATOR:
        return shorten(verdict.opcode, _OPERATOR)
    return f"{shorten(first, _OPERATOR)} + {len(others):,} more"


def _style(verification: Verification, verdict: Verdict) -> str:
    if verification.failing(verdict):
        return _BAD
    return _GOOD if verdict.outcome in (Outcome.EXACT, Outcome.WITHIN) else _OPEN


def print_forecast(forecast: CostEstimate, console: Console, verbose: bool = False) -> None:
    """Print every case with its number of invocations, and the estimated total time."""
    page = Page(console, verbose)
    page.title(forecast.model, "nothing was verified", "bold")
    page.print_labeled("device", visible(forecast.described))
    if forecast.budget:
        page.print_labeled("budget", forecast.budget)
    page.line()
    rows = [
        (
            visible(c.case),
            f"{c.inputs:,}",
            f"{c.invocations:,}",
            visible(c.name) if verbose else shorten(c.name),
        )
        for c in forecast.cases
    ]
    if rows:
        page.grid(_FORECAST, rows, [""] * len(rows))
        page.line()
    page.line(Text(forecast_words(forecast), "bold"))


def forecast_words(forecast: CostEstimate) -> str:
    """Return ``7 cases, 148 invocations, about 2 min 28 s: one of 0000-CONV_2D took 1 s``."""
    told = f"{count_of(len(forecast.cases), 'case')}, {count_of(forecast.invocations, 'invocation')}"
    if forecast.further:
        told += f" ({forecast.further:,} of them for drift)"
    sampled, seconds = forecast.sampled, forecast.seconds
    if sampled is None:
        return told
    if seconds is None:
        failed = sampled.failed.partition("\n")[0]
        return f"{told}; how long they take is not known: {visible(sampled.case)}, {visible(failed)}"
    one = f"one of {visible(sampled.case)} took {sampled.seconds:.3g} s"
    start = f", the start of the device {sampled.start:.3g} s" if sampled.start else ""
    return f"{told}, about {duration(seconds)}: {one}{start}"


def duration(seconds: float) -> str:
    """Return ``2.5 s``, ``2 min 28 s``, ``3 h 05 min``."""
    if seconds < 60:
        return f"{seconds:.2g} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, left = divmod(minutes, 60)
    return f"{hours} h {left:02d} min" if hours else f"{minutes} min {rest:02d} s"
