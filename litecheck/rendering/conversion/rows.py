"""Result rows of a conversion: findings in the new model, and tensors with a low effective resolution."""

from __future__ import annotations

from dataclasses import replace

from litecheck.conversion.record import ConversionRecord
from litecheck.conversion.shared_scales import SharedMember, SharedQuantization
from litecheck.files import from_here
from litecheck.rendering.conversion import sharing, wording
from litecheck.rendering.rows import (
    JudgedCase,
    ResultRow,
    Results,
    RowPlace,
    RowRule,
    annotate_rows,
    digest,
    lines_of,
)
from litecheck.rendering.validation.rows import results as validation_results
from litecheck.report import Report

_STARVED = RowRule(
    "convert/starved", "A shared scale reduces the effective resolution", sharing.resolution_rule(), "warning"
)


def results(record: ConversionRecord) -> Results:
    """Return the rows of the new model."""
    judged = validation_results(Report(record.version, (record.report,)))
    (subject,) = judged.subjects
    rows = tuple(_row(record, *pair) for pair in sharing.low_resolution(record))
    remarks = tuple(_remark(record, text) for text in record.warnings)
    cases = tuple(JudgedCase(row.where.text, (row,)) for row in rows)
    own = dict(wording.facts(record))
    facts = (*(fact for fact in subject.facts if fact[0] not in own), *own.items())
    whole = replace(
        subject,
        facts=facts,
        rows=(*subject.rows, *rows),
        cases=(*subject.cases, *cases),
        remarks=(*subject.remarks, *remarks),
    )
    return replace(
        judged,
        program="litecheck convert",
        exit_code=record.exit_code,
        summary=f"{record.source}: {record.verdict}: {wording.summary(record)}",
        subjects=(whole,),
        rules=(*judged.rules, _STARVED) if rows else judged.rules,
        annotations=(*judged.annotations, *annotate_rows(rows)),
        properties={"conversion": dict(facts)},
    )


def _row(record: ConversionRecord, group: SharedQuantization, member: SharedMember) -> ResultRow:
    details = tuple((label, (text,)) for label, text in sharing.resolution_lines(group, member))
    title = sharing.resolution_title(group, member)
    joint = member.joints[-1]
    place = f"{sharing.joint_place(joint)}, tensor '{member.name}'"
    steps = (
        (joint.name, f"{joint.opcode}#{joint.operator}", "function"),
        (member.name, f"tensor#{member.tensor}", "variable"),
    )
    print_of = digest(from_here(record.source), joint.path, member.name, joint.name)
    return ResultRow(
        _STARVED.id,
        "warning",
        title,
        RowPlace(from_here(record.report.file), place, steps),
        summary=dict(details)["because"][0],
        details=details,
        title=title,
        full=(title, *lines_of(details)),
        fingerprint=print_of,
        identity=print_of,
    )


def _remark(record: ConversionRecord, text: str) -> ResultRow:
    identity = digest(from_here(record.source), text)
    place = RowPlace(from_here(record.report.file))
    return ResultRow("convert/data", "warning", text, place, title=text, identity=identity)
