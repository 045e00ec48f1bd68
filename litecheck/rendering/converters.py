"""Comparison of converters as text, document and plain values: findings, size, time, memory, agreement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from litecheck.conversion.agreement import TensorAgreement
from litecheck.conversion.converters import ConverterComparison, ConverterOutcome
from litecheck.files import bytes_text
from litecheck.rendering.conversion.snr_wording import ratio, snr_without_mean, worst_output
from litecheck.rendering.document import Code, Document, Heading, Part, fact_rows, text_grid
from litecheck.rendering.escape import NAME, shorten, visible
from litecheck.summary_text import count_of, counts_text

if TYPE_CHECKING:
    from rich.console import Console

#: Version of the format; it increases when a key changes its meaning or is removed.
VERSION = 1
_HEADS = ("converter", "verdict", "findings", ">size", ">seconds", ">memory", ">lowest SNR", ">same place")
_OUTPUTS = ("output", "converter", ">SNR", ">without DC", ">largest error", ">same place")


def summary(compared: ConverterComparison) -> str:
    """Return ``litecheck conforms, tensorflow violates, ai-edge-quantizer failed``."""
    return ", ".join(f"{one.via} {one.verdict}" for one in compared.outcomes)


def _row(one: ConverterOutcome) -> tuple[str, ...]:
    made, report = one.converted, one.report
    outputs = one.agreement.outputs if one.agreement else ()
    lowest = worst_output(outputs)
    rows = sum(o.top.rows for o in outputs if o.top)
    same = f"{sum(o.top.agreeing for o in outputs if o.top):,} of {rows:,}" if rows else ""
    findings = counts_text(report.counts, report.effects) if report else ""
    if made is None:
        return one.via, one.verdict, "", "", "", "", "", ""
    numbers = bytes_text(len(made.model)), f"{made.seconds:.2f}", f"{made.peak_memory / 1e6:.0f} MB"
    return one.via, one.verdict, findings, *numbers, lowest, same


def _output_rows(compared: ConverterComparison) -> list[tuple[str, ...]]:
    """Return a row for each output of each converter's model."""
    return [
        (output.output, one.via, ratio(output), snr_without_mean(output), f"{output.distortion.largest:.4g}",
         _top_text(output))
        for one in compared.outcomes
        for output in (one.agreement.outputs if one.agreement else ())
    ]  # fmt: skip


def _top_text(output: TensorAgreement) -> str:
    return f"{output.top.agreeing:,} of {output.top.rows:,}" if output.top else ""


def _facts(compared: ConverterComparison) -> list[tuple[str, str]]:
    """Return the facts that all converters share."""
    facts = [
        ("asked for", f"{compared.to}, checked against {compared.profile}"),
        ("float", bytes_text(compared.source_size)),
        ("samples", compared.data),
        ("measured", "seconds and memory of whole processes, imports included; memory is the most seen"),
    ]
    more = {"compared on": compared.evaluation, "written": compared.target}
    return facts + [(label, text) for label, text in more.items() if text]


def _failures(compared: ConverterComparison) -> list[tuple[str, str]]:
    return [(one.via, one.failure) for one in compared.outcomes if one.failure]


def document(compared: ConverterComparison) -> Document:
    """Return the table, failed converters, and every output."""
    parts: list[Part] = [text_grid(_HEADS, map(_row, compared.outcomes))]
    failures = _failures(compared)
    if failures:
        parts += [Heading(("Failed",)), fact_rows(failures)]
    rows = _output_rows(compared)
    if rows:
        heading = Heading((f"Agreement with float on {count_of(compared.samples, 'input')}",))
        parts += [heading, text_grid(_OUTPUTS, rows)]
    facts = (*_facts(compared), *(("warning", text) for text in compared.warnings))
    title = (Code(compared.source),)
    return Document("convert", title, "", summary(compared), facts, tuple(parts), compared.version)


def values(compared: ConverterComparison) -> dict[str, Any]:
    """Return everything except the models, as plain dicts and lists; schemas/converters.schema.json describes them."""
    return {
        "litecheck_converters": VERSION,
        "version": compared.version,
        "source": compared.source,
        "source_size": compared.source_size,
        "target": compared.target or None,
        "exit_code": compared.exit_code,
        "to": compared.to,
        "profile": compared.profile,
        "data": compared.data,
        "samples": compared.samples,
        "warnings": list(compared.warnings),
        "converters": [_outcome_values(one) for one in compared.outcomes],
    }


def _outcome_values(one: ConverterOutcome) -> dict[str, Any]:
    made, report = one.converted, one.report
    return {
        "converter": one.via,
        "verdict": one.verdict,
        "failure": one.failure or None,
        "size": len(made.model) if made else None,
        "seconds": made.seconds if made else None,
        "peak_memory": made.peak_memory if made else None,
        "findings": dict(report.counts) if report else None,
        "coverage": dict(report.coverage) if report else None,
        "agreement": one.agreement.to_plain() if one.agreement else None,
    }


def print_report(compared: ConverterComparison, console: Console, verbose: bool = False) -> None:
    """Print the table and failed converters, and every output if a model has several outputs or with ``verbose``."""
    from rich.text import Text

    from litecheck.rendering.text_page import LABEL, Page

    page = Page(console, verbose)
    page.line(Text(shorten(compared.source, 2 * NAME), "bold"))
    for warning in compared.warnings:
        page.line(visible(warning), Text("warning", "bold yellow"), 2 + LABEL)
    page.facts(_facts(compared))
    page.line()
    rows = [_row(one) for one in compared.outcomes]
    page.grid((*_HEADS[:2], *_HEADS[3:]), [(*row[:2], *row[3:]) for row in rows], [""] * len(rows))
    findings = [
        (row[0], row[2]) for row, one in zip(rows, compared.outcomes, strict=True) if one.finding_count
    ]
    page.bullets(page.phrase(f"{via}: {why}") for via, why in (*findings, *_failures(compared)))
    outputs = [(shorten(name, NAME), *rest) for name, *rest in _output_rows(compared)]
    if outputs and (verbose or len(outputs) > len(rows)):
        page.line()
        page.section("Agreement with float", f"on {count_of(compared.samples, 'input')}")
        page.grid(_OUTPUTS, outputs, [""] * len(outputs))


def brief(compared: ConverterComparison) -> str:
    """Return a line if the first converter's model does not conform."""
    return f"{visible(compared.source)}: {summary(compared)}\n" if compared.exit_code else ""
