"""Text report of a suite, legible at 80 columns and without color."""

from __future__ import annotations

from itertools import chain

from rich.console import Console
from rich.text import Text

from litecheck.rendering.escape import PHRASE, shorten, visible
from litecheck.rendering.suite import totals, wording
from litecheck.rendering.suite.headline import excused_sentences, headline
from litecheck.rendering.text_page import DIM, HEADER, VERDICTS, Page
from litecheck.rendering.wording.geometry import geometry_sentences
from litecheck.rendering.wording.operator_lines import OPERATOR_HEADS, OperatorLine, operator_cells
from litecheck.suite.case_outcome import CaseOutcome
from litecheck.suite.verdict import CaseVerdict, SuiteReport
from litecheck.summary_text import count_of

_STYLES = {
    **VERDICTS,
    "incomplete": "bold magenta",
    "waived": "yellow",
    "not claimed": "dim",
    "not supported": "dim",
}
#: Largest number of kinds of operators, and of failing cases of each.
_MANY = 10
_FEW = 2
#: Columns of the table of operators. A narrow terminal omits those of the second list, in its order.
_HEADS = (*("operator", "type", "weights", "verdict", "invalid models"), *OPERATOR_HEADS[-4:], "cases")
_SPARE = ("placement", "tolerance", "worst", "arithmetic", "invalid models")


def print_report(report: SuiteReport, console: Console, verbose: bool = False) -> None:
    """Print the table of operators, explain the failures, and print the total; ``verbose`` shortens nothing."""
    page = SuitePage(console, verbose)
    page.header(report)
    page.operators(report)
    page.arithmetics(report)
    page.claims(report)
    page.failing(report)
    page.in_common(report)
    page.missing(report)
    page.print_unsupported(report)
    page.print_excused(report)
    page.refusals(report)
    page.print_gaps(report)
    page.print_untried_geometry(report)
    page.hashes(report)
    page.line(Text.assemble((report.verdict, VERDICTS[report.verdict]), f": {totals.sentence(report)}"))
    page.line(totals.tally(report))


def brief(report: SuiteReport) -> str:
    """Return ``ADD int8: ties: failed: 3 of 64 elements ...``, a line for each failing case."""
    lines = [
        f"{visible(report.device)}: {wording.title(case)}: {case.ending.text}: {shorten(wording.summary(case), PHRASE)}"
        for case in wording.failing(report)
    ]
    if report.verdict == "not checked":
        lines.append(f"{visible(report.device)}: not checked: {totals.sentence(report)}")
    return "".join(f"{line}\n" for line in lines)


class SuitePage(Page):
    """The sections of a suite's report."""

    def header(self, report: SuiteReport) -> None:
        self.title(wording.device_name(report), headline(report), VERDICTS[report.verdict])
        for label, text in wording.facts(report):
            self.print_labeled(label, text, HEADER)
        self.line()

    def operators(self, report: SuiteReport) -> None:
        """Print a row for each kind of operator."""
        lines = wording.operators(report)
        if not lines:
            return
        rows = [_cells(line) for line in lines]
        styles = [_STYLES[line.verdict] for line in lines]
        self.grid(_HEADS, rows, styles, _HEADS.index("verdict"), _SPARE, whole=True)
        self.line()

    def arithmetics(self, report: SuiteReport) -> None:
        """Print the identified arithmetics with their operators."""
        found: dict[str, list[str]] = {}
        for row in report.rows:
            arithmetic, also = (
                told(row, report.arithmetics) for told in (wording.arithmetic, wording.also_fits)
            )
            if arithmetic:
                key = f"{arithmetic} (also fits {also})" if also else arithmetic
                found.setdefault(key, []).append(wording.name(row))
        if found:
            self.section("arithmetic", "of the device, by operator")
            for arithmetic, kinds in found.items():
                self.line(visible(f"{arithmetic}: {', '.join(kinds)}"), "  -", 4)
            self.line()

    def claims(self, report: SuiteReport) -> None:
        """Print the claims that the run does not show, and the state of waivers."""
        told = [sentence for _, sentence in wording.claims(report)]
        if told:
            self.section("claims", "not confirmed, and the state of waivers")
            self.items(told)
            self.line()

    def failing(self, report: SuiteReport) -> None:
        """Print the failing cases, the worst of each kind of operator first."""
        kinds = wording.failing_by_operator(report)
        shown = [cases if self.verbose else cases[:_FEW] for cases in kinds]
        shown = shown if self.verbose else shown[:_MANY]
        for case in chain.from_iterable(shown):
            self.case(case)
        left = sum(map(len, kinds)) - sum(map(len, shown))
        if left:
            self.line(Text(f"and {count_of(left, 'other failing case')}", DIM))
            self.line()

    def case(self, case: CaseVerdict) -> None:
        """Print the details of a case."""
        margin = Text(case.ending.text, "bold red")
        self.details(wording.title(case), margin, wording.details(case))

    def in_common(self, report: SuiteReport) -> None:
        """Print the traits that separate failing cases from passing cases."""
        text = "properties that separate failing cases from passing cases"
        self.listing("in common", text, wording.in_common(report))

    def missing(self, report: SuiteReport) -> None:
        """Print the names of the cases with missing results, by kind of operator."""
        groups = totals.missing_by_operator(report)
        if not groups or report.verdict == "not checked":
            return
        self.section("missing", f"results of {count_of(sum(map(len, groups.values())), 'case')}")
        for kind, names in groups.items():
            shown = names if self.verbose else names[:_FEW]
            more = f" and {len(names) - len(shown):,} more" if len(shown) < len(names) else ""
            self.line(f"{kind}: {', '.join(map(visible, shown))}{more}", "  -", 4, whole=True)
        self.line()

    def print_unsupported(self, report: SuiteReport) -> None:
        """Print the operators and types that the device does not have, with reasons."""
        told = wording.unsupported_lines(report)
        if told:
            self.section("not supported", "operators and types that the device does not have")
            self.items(told, _MANY)
            self.line()

    def print_excused(self, report: SuiteReport) -> None:
        """Print the optional cases and known faults that fail nothing."""
        text = "optional cases and known faults of the runtime, which do not fail"
        self.listing("excused", text, excused_sentences(report))

    def refusals(self, report: SuiteReport) -> None:
        """Print the invalid models that were not rejected, by operator."""
        groups = wording.refusals(report)
        wrong = {
            opcode: [
                case for case in cases if case.ending not in (CaseOutcome.REJECTED, CaseOutcome.NOT_TESTED)
            ]
            for opcode, cases in groups.items()
        }
        number = sum(map(len, wrong.values()))
        if not number:
            return
        total = sum(case.ending is not CaseOutcome.NOT_TESTED for cases in groups.values() for case in cases)
        self.section("not rejected", f"{number:,} of {count_of(total, 'invalid model')}")
        for opcode, cases in wrong.items():
            if cases:
                self.line(visible(opcode), "  ", 2)
                told = dict.fromkeys(f"{case.ending.text}: {wording.summary(case)}" for case in cases)
                self.items(list(told), _MANY)
        self.line()

    def print_gaps(self, report: SuiteReport) -> None:
        """Print the gaps, with reasons."""
        groups = wording.gap_lines(report)
        if groups:
            told = count_of(len(report.uncovered), "gap")
            self.section("not covered", f"{told}: operators, forms and requirements without a case")
            self.items([f"{because}: {', '.join(several)}" for because, several in groups])
            self.line()

    def print_untried_geometry(self, report: SuiteReport) -> None:
        """Print the geometry that no case with outputs has."""
        told = geometry_sentences(report.untried)
        self.listing("not exercised", "geometry that no case with outputs has", told)

    def hashes(self, report: SuiteReport) -> None:
        """Print versions and SHA-256."""
        for label, text in wording.hashes(report):
            self.print_labeled(label, text)
        self.line()


def _cells(line: OperatorLine) -> tuple[str, ...]:
    """Return a row of the table. Example: ``18 of 22 rejected`` of the invalid models, ``63 passed`` of the cases."""
    ends = {ending: number for ending, number in line.occurring.items() if isinstance(ending, CaseOutcome)}
    valid = ", ".join(f"{number:,} {ending.text}" for ending, number in ends.items() if not ending.of_invalid)
    tested = sum(
        number
        for ending, number in ends.items()
        if ending.of_invalid and ending is not CaseOutcome.NOT_TESTED
    )
    rejected = f"{ends.get(CaseOutcome.REJECTED, 0):,} of {tested:,} rejected" if tested else ""
    untested = "not tested" if CaseOutcome.NOT_TESTED in ends else ""
    cells = operator_cells(line)
    return (*cells[:4], rejected or untested, *cells[6:], valid)
