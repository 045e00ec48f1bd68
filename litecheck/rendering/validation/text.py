"""Text report of a validation, legible at 80 columns and without color."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from litecheck.finding import Finding, Where
from litecheck.rendering.escape import NAME, place, visible
from litecheck.rendering.operator_names import operator_number
from litecheck.rendering.text_page import DIM, LABEL, VERDICTS, Page
from litecheck.rendering.validation.configuration import options_line
from litecheck.rendering.validation.grouping import AlikeFindings, Block, blocks, waived_counts
from litecheck.rendering.validation.headline import headline, size_and_profiles
from litecheck.rendering.validation.targets import places_of, target_lines
from litecheck.report import ModelReport, Report
from litecheck.summary_text import Status, count_of

_LEVELS = {
    "violation": "bold red",
    "warning": "bold yellow",
    "note": "bold cyan",
}
_EXIT_STYLES = ("bold green", "bold red", "bold magenta")
#: Statuses that are printed with reasons.
_REASONED: tuple[Status, ...] = ("structure checked only", "not covered")
_HANDFUL = 5
_FEW = 3
_MANY = 20


def print_report(report: Report, console: Console, verbose: bool = False) -> None:
    """Print every model and the total; ``verbose`` shortens neither names nor lists."""
    page = ValidationPage(console, verbose)
    for model in report.models:
        page.model(report, model)
    if report.stale:
        page.section("stale", count_of(len(report.stale), "baseline entry", "baseline entries"))
        page.items([str(entry) for entry in report.stale])
        page.line()
    if report.configuration:
        page.line(options_line(report, verbose))
    page.line(Text(visible(report.summary), _EXIT_STYLES[report.exit_code]))


class ValidationPage(Page):
    """The sections of a validation's report."""

    def model(self, report: Report, model: ModelReport) -> None:
        self.header(report, model)
        if model.problems:
            self.items([str(problem) for problem in model.problems])
        if model.remarks:
            self.items([f"remark: {remark}" for remark in model.remarks])
        self.line()
        for block in blocks(model.active):
            self.block(block)
        for status in _REASONED:
            self.print_reasons(model, status)
        self.print_waived(model)
        if self.verbose and model.targets:
            self.placement(model)

    def header(self, report: Report, model: ModelReport) -> None:
        verdict = report.verdict(model)
        style = VERDICTS[verdict]
        self.title(model.name, visible(headline(report, model)), style)
        why = Text.assemble(size_and_profiles(model), (visible(report.explain(model)), style))
        self.line(why)
        for line in target_lines(model):
            self.line(line)

    def block(self, block: Block) -> None:
        margin = Text(block.level, _LEVELS[block.level])
        count = (f" ({block.extent})", DIM) if block.extent else ""
        self.line(Text.assemble((visible(block.path), "bold"), count), margin, 2 + LABEL)
        cases = block.cases if self.verbose else block.cases[:_HANDFUL]
        for case in cases:
            self.case(case)
        if len(cases) < len(block.cases):
            left = sum(len(case.findings) for case in block.cases[_HANDFUL:])
            self.print_labeled("", f"and {count_of(left, 'other finding')} of this kind")
        for label, text in block.facts:
            self.print_labeled(label, visible(text))
        self.line()

    def case(self, case: AlikeFindings) -> None:
        places = self.places(case.findings)
        shown = places if self.verbose else places[:_HANDFUL]
        for number, told in enumerate(shown):
            self.line(told, Text("" if number else "  at", DIM), 2 + LABEL)
        if len(shown) < len(places):
            self.line(f"and {len(places) - len(shown):,} more", "", 2 + LABEL)
        self.print_labeled("found", self.phrase(case.found))
        self.print_labeled("required", self.phrase(case.required))

    def places(self, findings: Sequence[Finding]) -> list[str]:
        """Return the location of a single finding with its tensor; of several findings only the operators, without
        repetition."""
        if self.verbose or len(findings) == 1:
            return [self.place(f.where) for f in findings]
        told = []
        for where in (f.where for f in findings):
            role = None if where.position is None else where.role
            tensor = where.tensor if where.operator < 0 else None
            brief = replace(where, role=role, tensor=tensor, tensor_name=None)
            room = self.width - 2 - LABEL - len(place(replace(brief, name="")))
            told.append(place(brief, max(room, 20)))
        return list(dict.fromkeys(told))

    def place(self, where: Where) -> str:
        """Return operator and operand on one line if they fit, else on two."""
        limit = None if self.verbose else NAME
        told = place(where, limit)
        fits = cell_len(told) <= self.width - 2 - LABEL
        return told if fits else place(where, limit, ",\n")

    def print_reasons(self, model: ModelReport, status: Status) -> None:
        """Print the operators of a status by kind, with reasons."""
        kinds = model.kinds(status)
        if not kinds:
            return
        self.section(status, f"{model.coverage[status]:,} of {count_of(len(model.operators), 'operator')}")
        rows = [
            (f"{k.count:,}", visible(k.opcode), f"{self.phrase(k.reason)} ({self.numbers(k.places)})")
            for k in kinds
        ]
        self.table(rows)
        self.line()

    def numbers(self, numbers: Sequence[str]) -> str:
        shown = numbers if self.verbose else numbers[:_FEW]
        return ", ".join(shown) + (", ..." if len(shown) < len(numbers) else "")

    def print_waived(self, model: ModelReport) -> None:
        groups = waived_counts(model)
        if not groups:
            return
        self.section("waived", count_of(model.counts["waived"], "finding"))
        for waiver, path, n in groups:
            self.line(Text(visible(path)), f"{n:>5,}", 7)
            self.line(self.phrase(f"by {waiver.by}: {waiver.reason}"), "", 9)
        self.line()

    def placement(self, model: ModelReport) -> None:
        """Print the placement of every operator, in execution order."""
        placed = places_of(model)
        self.section("placement", count_of(len(placed), "operator"))
        kinds = [
            (operator_number(op.subgraph, op.index), visible(op.opcode), placed[key])
            for op in model.operators
            if (key := (op.subgraph, op.index)) in placed
        ]
        self.table(kinds)
        self.line()

    def table(self, rows: Sequence[tuple[str, str, str]]) -> None:
        shown = rows if self.verbose else rows[:_MANY]
        most = max(len(n) for n, _, _ in shown)
        widest = min(max(cell_len(name) for _, name, _ in shown), 28)
        for number, name, text in shown:
            margin = f"  {number:>{most}}  {name}"
            indent = most + widest + 6
            if cell_len(name) > widest:
                self.line(margin)
                margin = ""
            self.line(text, margin, indent)
        left = len(rows) - len(shown)
        self.more(left, "other kind" if left == 1 else "other kinds")
