"""A sheet: one command's report as formats see it; what a format does not ask for is neither imported nor made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

    from litecheck.diagnose.result import Diagnosis
    from litecheck.quantizer.comparison import Comparison
    from litecheck.reference.engine.interpreter import Run
    from litecheck.reference.engine.recording import Recorder
    from litecheck.render.document import Document
    from litecheck.render.rows import Results
    from litecheck.report import Report
    from litecheck.verify.outcome import Verification


@dataclass(frozen=True, slots=True)
class ComparedTensors:
    """A comparison, and the names of both tensors as people gave them."""

    comparison: Comparison
    expected: str
    actual: str


@dataclass(frozen=True, slots=True)
class RunRecord:
    """A run of the reference, and what was asked for: file, arithmetic, sources of inputs, where arrays went."""

    file: str
    arithmetic: str
    signature: str | None
    sources: Mapping[str, str]
    target: str | None
    run: Run
    recorder: Recorder


class Sheet:
    """What every format can ask for; ``command`` is the one whose report it is."""

    command = ""

    def __init__(self, report: Any) -> None:
        self.report = report

    def results(self) -> Results:
        """The rows."""
        raise NotImplementedError

    def document(self) -> Document:
        """The report for people, laid out by headings and tables."""
        raise NotImplementedError

    def values(self) -> dict[str, Any]:
        """Everything, as plain values."""
        raise NotImplementedError

    def page(self) -> str:
        """The report as a page for browsers."""
        from litecheck.render.html.document import page

        return page(self.document())

    def print(self, console: Console, verbose: bool = False) -> None:
        """The report for people at a terminal; ``verbose`` shortens nothing."""
        raise NotImplementedError

    def brief(self) -> str:
        """Only what fails, a line each."""
        raise NotImplementedError


class _ValidationSheet(Sheet):
    command = "validate"
    report: Report

    def results(self) -> Results:
        from litecheck.render.validation.rows import results

        return results(self.report)

    def document(self) -> Document:
        from litecheck.render.validation.document import document

        return document(self.report)

    def values(self) -> dict[str, Any]:
        from litecheck.render.validation.values import values

        return values(self.report)

    def print(self, console: Console, verbose: bool = False) -> None:
        from litecheck.render.validation.text import print_report

        print_report(self.report, console, verbose)

    def brief(self) -> str:
        from litecheck.render.wording.brief import models

        return models(self.report)


class _VerificationSheet(Sheet):
    command = "verify"
    report: Verification

    def results(self) -> Results:
        from litecheck.render.verification.rows import results

        return results(self.report)

    def document(self) -> Document:
        from litecheck.render.verification.document import document

        return document(self.report)

    def values(self) -> dict[str, Any]:
        from litecheck.render.verification.values import values

        return values(self.report)

    def page(self) -> str:
        from litecheck.render.verification.html import page

        return page(self.report)

    def print(self, console: Console, verbose: bool = False) -> None:
        from litecheck.render.verification.text import print_verification

        print_verification(self.report, console, verbose)

    def brief(self) -> str:
        from litecheck.render.wording.brief import cases

        return cases(self.report)


class _DiagnosisSheet(Sheet):
    command = "diagnose"
    report: Diagnosis

    def results(self) -> Results:
        from litecheck.render.diagnosis.rows import results

        return results(self.report)

    def document(self) -> Document:
        from litecheck.render.diagnosis.document import document

        return document(self.report)

    def values(self) -> dict[str, Any]:
        from litecheck.render.diagnosis.values import values

        return values(self.report)

    def print(self, console: Console, verbose: bool = False) -> None:
        from litecheck.render.diagnosis.text import text

        console.file.write(text(self.report, _width(console)))


class _ComparisonSheet(Sheet):
    command = "compare"
    report: ComparedTensors

    def results(self) -> Results:
        from litecheck.render.comparison.rows import results

        return results(self.report)

    def document(self) -> Document:
        from litecheck.render.comparison.document import document

        return document(self.report)

    def values(self) -> dict[str, Any]:
        from litecheck.render.comparison.values import values

        return values(self.report)

    def print(self, console: Console, verbose: bool = False) -> None:
        from litecheck.render.comparison.text import print_comparison

        print_comparison(self.report, console)


class _RunSheet(Sheet):
    command = "run"
    report: RunRecord

    def document(self) -> Document:
        from litecheck.render.run.document import document

        return document(self.report)

    def values(self) -> dict[str, Any]:
        from litecheck.render.run.values import values

        return values(self.report)

    def print(self, console: Console, verbose: bool = False) -> None:
        from litecheck.render.run.text import text

        console.file.write(text(self.report, _width(console)))


#: How the reports of each class are seen; a class stands here by name, so that it need not be imported.
_SHEETS: dict[str, type[Sheet]] = {
    "Report": _ValidationSheet,
    "Verification": _VerificationSheet,
    "Diagnosis": _DiagnosisSheet,
    "ComparedTensors": _ComparisonSheet,
    "RunRecord": _RunSheet,
}


def sheet_of(report: object) -> Sheet:
    """The sheet of any command's report."""
    return _SHEETS[type(report).__name__](report)


def _width(console: Console) -> int | None:
    """Columns of a terminal; None where the output is something else: any width will do."""
    return console.width if console.is_terminal else None
