"""Document of a conversion, for Markdown and HTML: the new model, unconverted operators, shared scales, and tensors."""

from __future__ import annotations

from collections.abc import Iterator

from litecheck.conversion.record import ConversionRecord, ConvertedTensor
from litecheck.rendering.conversion import layer_wording, loss, sharing, wording
from litecheck.rendering.document import (
    Code,
    Collapsible,
    Document,
    Heading,
    Line,
    Part,
    TableGrid,
    fact_rows,
    join_lines,
    section,
    text_grid,
)
from litecheck.rendering.escape import NAME, shorten
from litecheck.rendering.validation.document import document as validation_document
from litecheck.report import Report
from litecheck.summary_text import count_of


def document(record: ConversionRecord) -> Document:
    """Return the complete report."""
    title = (Code(record.source),)
    facts = (*wording.facts(record), *(("warning", text) for text in record.warnings))
    parts = (
        *_fix(record),
        *_low_resolution(record),
        *_weights(record),
        *_agreement(record),
        *_stays(record),
        *section("Also decided", wording.choices(record)),
        *section("Equalized", layer_wording.equalization_lines(record)),
        *section("Biases corrected", layer_wording.correction_lines(record)),
        *_sensitivity(record),
        *_tables(record),
    )
    verdict, summary = record.verdict, wording.summary(record)
    return Document(
        "convert", title, verdict, summary, facts, (*parts, *_validation_parts(record)), record.version
    )


def _fix(record: ConversionRecord) -> Iterator[Part]:
    if record.fix is not None:
        yield Heading(("Large loss",))
        rows = fact_rows(loss.fix_lines(record))
        yield Collapsible(loss.fix_title(record), (), (rows,), opened=True)


def _low_resolution(record: ConversionRecord) -> Iterator[Part]:
    found = sharing.low_resolution(record)
    if found:
        yield Heading(("Low effective resolution",))
    for group, member in found:
        rows = fact_rows(sharing.resolution_lines(group, member, NAME))
        yield Collapsible(sharing.resolution_title(group, member, NAME), (), (rows,), opened=True)


def _weights(record: ConversionRecord) -> Iterator[Part]:
    if record.weights:
        yield Heading(("Weights",))
        rows = tuple(
            ((largest,), (rms,), (worst,), (Code(shorten(name, NAME)),))
            for largest, rms, worst, name in wording.weight_rows(record)
        )
        grid = TableGrid((">largest", ">RMS", "worst channels", "tensor"), rows)
        yield Collapsible("Rounded anew", (f" {wording.weights_title(record)}",), (grid,))


def _agreement(record: ConversionRecord) -> Iterator[Part]:
    for title, found in wording.agreements(record):
        yield Heading((title,))
        facts = (*wording.agreement_lines(found), ("inputs", found.source), ("run by", found.runtime))
        yield Collapsible("Outputs", (), (fact_rows(facts),), opened=True)


def _stays(record: ConversionRecord) -> Iterator[Part]:
    for dtype in dict.fromkeys(one.dtype for one in record.stays):
        yield Heading((f"Stays {dtype}",))
        rows = (
            (f"{len(one.places):,}", one.opcode, one.reason, one.demand, ", ".join(one.places))
            for one in record.stays
            if one.dtype == dtype
        )
        yield text_grid((">", "operator", "reason", "demanded", "where"), rows)


def _sensitivity(record: ConversionRecord) -> Iterator[Part]:
    if record.sensitivity:
        yield Heading(("Sensitivity",))
        yield text_grid(layer_wording.SENSITIVITY, map(layer_wording.sensitive, record.sensitivity))


def _tables(record: ConversionRecord) -> Iterator[Part]:
    if record.groups:
        rows = tuple(
            (
                (sharing.effective_bits_text(group, member),),
                (wording.extent(member.low, member.high),),
                (f"{group.scale:.4g}",),
                (", ".join(map(sharing.joint_number, member.joints)),),
                (Code(shorten(member.name, NAME)),),
            )
            for group in record.groups
            for member in group.members
        )
        grid = TableGrid((">resolution", ">range", ">scale", "joined by", "tensor"), rows)
        yield Collapsible("Shared scales", (f" {sharing.sharing_title(record)}",), (grid,))
    if record.tensors:
        ordered = wording.worst_first(record.tensors) + [one for one in record.tensors if one.constant]
        grid = TableGrid((*wording.TENSOR_HEADS, "by", "tensor"), tuple(map(_tensor, ordered)))
        yield Collapsible("Tensors", (f" {count_of(len(ordered), 'tensor')}",), (grid,))


def _tensor(one: ConvertedTensor) -> tuple[Line, ...]:
    name = (Code(shorten(one.name, NAME)),)
    return *((cell,) for cell in wording.tensor_cells(one)), join_lines(wording.scale_reasons(one.form)), name


def _validation_parts(record: ConversionRecord) -> Iterator[Part]:
    """Yield the validation of the new model."""
    yield Heading(("The new model, judged",))
    yield from validation_document(Report(record.version, (record.report,))).parts
