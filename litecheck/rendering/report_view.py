"""Sheets: a command's report for all formats, imported and computed on demand; definition of a format."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from litecheck.errors import ConfigError

if TYPE_CHECKING:
    from rich.console import Console

    from litecheck.rendering.document import Document
    from litecheck.rendering.rows import Results
    from litecheck.rendering.wording.operator_lines import OperatorLine

#: Commands whose reports have results.
JUDGING = ("validate", "verify", "diagnose", "compare", "convert", "trace", "diff")
EVERY = (*JUDGING, "run")
#: Reports with verdicts, including that of ``suite judge``.
JUDGEMENTS = (*JUDGING, "suite")
#: All reports: those of the commands, of converters, of mutation coverage, and of differences between two runs.
WHOLE = (*EVERY, "converters", "suite", "prove", "suite-diff", "certify")
#: The module of each function in a package of reports.
_MODULES = {
    "results": "rows",
    "document": "document",
    "values": "values",
    "page": "html",
    "print_report": "text",
    "brief": "text",
}


def _package(name: str, *without: str, **others: str) -> dict[str, str]:
    """Return the modules of a package: the usual modules except ``without``, and ``others``."""
    usual = {function: module for function, module in _MODULES.items() if function not in without}
    return {function: f"{name}.{module}" for function, module in (usual | others).items()}


_ALONE = ("results", "document", "values", "print_report")
_UNJUDGED = ("document", "values", "print_report", "brief")
#: Command of each class of reports, and the module of each function for this class.
_REPORTS: dict[str, tuple[str, Mapping[str, str]]] = {
    "Report": ("validate", _package("validation", brief="rows", nodes="nodes")),
    "Verification": ("verify", _package("verification", nodes="values", operators="operator_table")),
    "Verifications": (
        "verify",
        dict.fromkeys((*_ALONE, "brief", "operators"), "verification.several_models"),
    ),
    "SuiteReport": ("suite", _package("suite", operators="wording")),
    "Diagnosis": ("diagnose", dict.fromkeys(_ALONE, "diagnosis")),
    "ComparedTensors": ("compare", dict.fromkeys(_ALONE, "comparison")),
    "RunRecord": ("run", dict.fromkeys(_ALONE, "run")),
    "ConverterComparison": ("converters", dict.fromkeys(_UNJUDGED, "converters")),
    "MutationCoverage": ("prove", dict.fromkeys(_UNJUDGED, "mutation_coverage")),
    "RunComparison": ("suite-diff", dict.fromkeys(_UNJUDGED, "run_comparison")),
    "Certificate": ("certify", dict.fromkeys(_UNJUDGED, "certificate")),
    "CertificateCheck": ("certify", dict.fromkeys(_UNJUDGED, "certificate_check")),
    "Trace": ("trace", _package("tracing", nodes="values")),
    "ModelDifference": ("diff", _package("differences", "page")),
    "ConversionRecord": ("convert", _package("conversion", "page", nodes="nodes")),
}


def is_report_class(name: str) -> bool:
    """Return True if the class of this name is a command's report."""
    return name in _REPORTS


class ReportView:
    """A report with all representations that a format can request; ``command`` is the report's command."""

    def __init__(self, report: Any) -> None:
        self.report = report
        self.command, self._modules = _REPORTS[type(report).__name__]

    def _call(self, name: str, *arguments: object) -> Any:
        module = import_module(f"litecheck.rendering.{self._modules[name]}")
        return getattr(module, name)(self.report, *arguments)

    def results(self) -> Results:
        """Return the result rows."""
        results: Results = self._call("results")
        return results

    def document(self) -> Document:
        """Return the report as a document of headings and tables."""
        document: Document = self._call("document")
        return document

    def operators(self) -> tuple[OperatorLine, ...]:
        """Return the table of operators."""
        lines: tuple[OperatorLine, ...] = self._call("operators")
        return lines

    def values(self) -> dict[str, Any]:
        """Return the report as plain values."""
        return dict(self._call("values"))

    def page(self) -> str:
        """Return the report as an HTML page."""
        if "page" in self._modules:
            return str(self._call("page"))
        from litecheck.rendering.html.page import page

        return page(self.document())

    def verdict(self) -> str:
        """Return the verdict with its summary in a line, as in ``fails: 1 of 7 kinds of operators fails: ADD int8``."""
        found = self.document()
        stated = found.summary.startswith(found.verdict)
        return found.summary if stated else ": ".join(filter(None, (found.whole_verdict, found.summary)))

    def nodes(self) -> dict[str, Any]:
        """Return node data for Model Explorer. Raise ConfigError for several models: a graph shows one model."""
        if "nodes" not in self._modules:
            raise ConfigError("model-explorer is about one model: verify them one by one")
        return dict(self._call("nodes"))

    def print(self, console: Console, verbose: bool = False) -> None:
        """Print the report to a terminal; ``verbose`` shortens nothing."""
        self._call("print_report", console, verbose)

    def brief(self) -> str:
        """Return the failures, a line each."""
        return str(self._call("brief"))


@dataclass(frozen=True, slots=True)
class Format:
    """A format for reports: name, purpose, commands whose reports it can write, and renderer."""

    name: str
    purpose: str
    commands: tuple[str, ...]
    render: Callable[[ReportView], str]

    def is_complete(self) -> bool:
        """Return True if each field has its type: two strings, a tuple of strings, a function."""
        words = isinstance(self.commands, tuple) and all(isinstance(name, str) for name in self.commands)
        return (
            words and isinstance(self.name, str) and isinstance(self.purpose, str) and callable(self.render)
        )
