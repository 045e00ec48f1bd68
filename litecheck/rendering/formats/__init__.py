"""Output formats, each in a module that registers itself as ``FORMAT``; :func:`render` writes any report in any
format."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, cast

from litecheck.errors import ConfigError, wrong_type
from litecheck.public_call import shows_call
from litecheck.rendering.report_view import Format, ReportView, is_report_class
from litecheck.report import ModelReport, Report
from litecheck.spelling import unknown_format
from litecheck.version import __version__

if TYPE_CHECKING:
    from litecheck.conversion.converters import ConverterComparison
    from litecheck.conversion.record import ConversionRecord
    from litecheck.diagnosis.result import Diagnosis
    from litecheck.differences.change import ModelDifference
    from litecheck.quantizer.comparison_result import Comparison
    from litecheck.rendering.comparison import ComparedTensors
    from litecheck.rendering.run import RunRecord
    from litecheck.suite.certificate import Certificate
    from litecheck.suite.certificate_verification import CertificateCheck
    from litecheck.suite.mutation_coverage import MutationCoverage
    from litecheck.suite.run_comparison import RunComparison
    from litecheck.suite.verdict import SuiteReport
    from litecheck.tracing.trace_result import Trace
    from litecheck.verification.result import Verification
    from litecheck.verification.several_models import Verifications

    Reported = (
        Report
        | ModelReport
        | Verification
        | Verifications
        | Comparison
        | Diagnosis
        | ComparedTensors
        | RunRecord
        | ConversionRecord
        | ConverterComparison
        | MutationCoverage
        | RunComparison
        | Certificate
        | CertificateCheck
        | SuiteReport
        | Trace
        | ModelDifference
    )


_EXPECTED = "expected FORMAT = Format(name, purpose, commands, render)"


@cache
def formats(command: str) -> dict[str, Format]:
    """Return the formats of a command's report by name: text (the default), then alphabetically."""
    every = (_load(f"{__name__}.{info.name}") for info in iter_modules(__path__))
    found = [one for one in every if command in one.commands]
    return {one.name: one for one in sorted(found, key=lambda one: (one.name != "text", one.name))}


def _load(module: str) -> Format:
    """Return the format of a module. Raise ConfigError, with the module, if its ``FORMAT`` is missing or invalid."""
    try:
        found = import_module(module).FORMAT
    except (AttributeError, TypeError) as error:  # FORMAT is absent or has other fields
        raise ConfigError(f"{module}: {error}; {_EXPECTED}") from error
    if not isinstance(found, Format) or not found.is_complete():
        raise ConfigError(f"{module}: got {found!r}; {_EXPECTED}")
    return found


@shows_call("litecheck.render(report, 'json')")
def render(report: Reported, format: str = "text") -> str:  # noqa: A002 - the command line's word
    """Return a report in a format; the text is deterministic and ends with a newline.

    A ModelReport is rendered as a run over this model alone, a Comparison as a comparison of ``expected`` and
    ``actual``. Raise ConfigError for an unknown format.
    """
    sheet = ReportView(_complete(report))
    return choose_format(format, sheet.command).render(sheet)


def _complete(report: Reported) -> Reported:
    """Return the complete report for a part of a report, or for the return value of a library function."""
    kind = type(report).__name__
    if isinstance(report, ModelReport):
        return Report(__version__, (report,))
    if kind == "Comparison":
        from litecheck.rendering.comparison import ComparedTensors

        return ComparedTensors(cast("Comparison", report), "expected", "actual")
    if not is_report_class(kind):
        call = "litecheck.render(litecheck.validate(model), 'html')"
        raise wrong_type(
            "render", "the report of validate, verify or another command's function", report, call
        )
    return report


def choose_format(name: str, command: str) -> Format:
    """Return the format of this name. Raise ConfigError if the command's report does not have the format."""
    known = formats(command)
    if name not in known:
        raise ConfigError(unknown_format(name, known))
    return known[name]
