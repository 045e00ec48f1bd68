"""A sheet: one command's report as formats see it, and what a format is; what none asks for is neither imported nor made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

    from litecheck.convert.record import ConversionRecord
    from litecheck.diagnose.result import Diagnosis
    from litecheck.rendering.document import Document
    from litecheck.rendering.records import ComparedTensors, RunRecord
    from litecheck.rendering.rows import Results
    from litecheck.report import Report
    from litecheck.verify.outcome import Verification


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
        from litecheck.rendering.html.document import page

        return page(self.document())

    def print(self, console: Console, verbose: bool = False) -> None:
        """The report for people at a terminal; ``verbose`` shortens nothing."""
        raise NotImplementedError

    def brief(self) -> str:
        """Only what fails, a line each."""
        raise NotImplementedError


#: The commands whose reports judge something, so that there are results to list.
JUDGING = ("validate", "verify", "diagnose", "compare", "convert")
EVERY = (*JUDGING, "run")


@dataclass(frozen=True, slots=True)
class Format:
    """A way to write a report: the name people ask for it by, what it is for, and whose reports it can write."""

    name: str
    purpose: str
    commands: tuple[str, ...]
    render: Callable[[Sheet], str]


class _ValidationSheet(Sheet):
    command = "validate"
    report: Report

    def results(self) -> Results:
        from litecheck.rendering.validation.rows import results

        return results(self.report)

    def document(self) -> Document:
        from litecheck.rendering.validation.document import document

        return document(self.report)

    def values(self) -> dict[str, Any]:
        from litecheck.rendering.validation.values import values

        return values(self.report)

    def print(self, console: Console, verbose: bool = False) -> None:
        from litecheck.rendering.validation.text import print_report

        print_report(self.report, console, verbose)

    def brief(self) -> str:
        from litecheck.rendering.wording.brief import models

        return models(self.report)


class _VerificationSheet(Sheet):
    command = "verify"
    report: Verification

    def results(self) -> Results:
        from litecheck.rendering.verification.rows import results

        return results(self.report)

    def document(self) -> Document:
        from litecheck.rendering.verification.document import document

        return document(self.report)

    def values(self) -> dict[str, Any]:
        from litecheck.rendering.verification.values import values

        return values(self.report)

    def page(self) -> str:
        from litecheck.rendering.verification.html import page

        return page(self.report)

    def print(self, console: Console, verbose: bool = False) -> None:
        from litecheck.rendering.verification.text import print_verification

        print_verification(self.report, console, verbose)

    def brief(self) -> str:
        from litecheck.rendering.wording.brief import cases

        return cases(self.report)


class _DiagnosisSheet(Sheet):
    command = "diagnose"
    report: Diagnosis

    def results(self) -> Results:
        from litecheck.rendering.diagnosis.rows import results

        return results(self.report)

    def document(self) -> Document:
        from litecheck.rendering.diagnosis.document import document

        return document(self.report)

    def values(self) -> dict[str, Any]:
        from litecheck.rendering.diagnosis.values import values

        return values(self.report)

    def print(self, console: Console, verbose: bool = False) -> None:
        from litecheck.rendering.diagnosis.text import text

        console.file.write(text(self.report, _width(console)))


class _ComparisonSheet(Sheet):
    command = "compare"
    report: ComparedTensors

    def results(self) -> Results:
        from litecheck.rendering.comparison.rows import results

        return results(self.report)

    def document(self) -> Document:
        from litecheck.rendering.comparison.document import document

        return document(self.report)

    def values(self) -> dict[str, Any]:
        from litecheck.rendering.comparison.values import values

        return values(self.report)

    def print(self, console: Console, verbose: bool = False) -> None:
        from litecheck.rendering.comparison.text import print_comparison

        print_comparison(self.report, console)


class _ConversionSheet(Sheet):
    command = "convert"
    report: ConversionRecord

    def results(self) -> Results:
        from litecheck.rendering.conversion.rows import results

        return results(self.report)

    def document(self) -> Document:
        from litecheck.rendering.conversion.document import document

        return document(self.report)

    def values(self) -> dict[str, Any]:
        from litecheck.rendering.conversion.values import values

        return values(self.report)

    def print(self, console: Console, verbose: bool = False) -> None:
        from litecheck.rendering.conversion.text import print_conversion

        print_conversion(self.report, console, verbose)

    def brief(self) -> str:
        from litecheck.rendering.conversion.text import brief

        return brief(self.report)


class _RunSheet(Sheet):
    command = "run"
    report: RunRecord

    def document(self) -> Document:
        from litecheck.rendering.run.document import document

        return document(self.report)

    def values(self) -> dict[str, Any]:
        from litecheck.rendering.run.values import values

        return values(self.report)

    def print(self, console: Console, verbose: bool = False) -> None:
        from litecheck.rendering.run.text import text

        console.file.write(text(self.report, _width(console)))


#: How the reports of each class are seen; a class stands here by name, so that it need not be imported.
_SHEETS: dict[str, type[Sheet]] = {
    "Report": _ValidationSheet,
    "Verification": _VerificationSheet,
    "Diagnosis": _DiagnosisSheet,
    "ComparedTensors": _ComparisonSheet,
    "RunRecord": _RunSheet,
    "ConversionRecord": _ConversionSheet,
}


def sheet_of(report: object) -> Sheet:
    """The sheet of any command's report."""
    return _SHEETS[type(report).__name__](report)


def _width(console: Console) -> int | None:
    """Columns of a terminal; None where the output is something else: any width will do."""
    return console.width if console.is_terminal else None
