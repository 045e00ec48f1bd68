"""JUnit XML for CI servers: a suite for each subject, a test case for each judged case."""

from __future__ import annotations

from typing import TYPE_CHECKING

from litecheck.rendering.escape import visible
from litecheck.rendering.report_view import JUDGEMENTS, Format, ReportView
from litecheck.summary_text import count_of

if TYPE_CHECKING:
    import xml.etree.ElementTree as ET

    from litecheck.rendering.rows import JudgedCase, ResultRow, Subject

_COUNTS = {"failures": "failure", "errors": "error", "skipped": "skipped"}


def render(sheet: ReportView) -> str:
    """Return the XML document.

    A case fails if any of its rows fails; a missing answer is an error. A case without failures whose violation or
    warning is waived is skipped, with the reason.
    """
    import xml.etree.ElementTree as ET

    results = sheet.results()
    root = ET.Element("testsuites", name=results.program)
    for subject in results.subjects:
        suite = ET.SubElement(root, "testsuite", name=visible(subject.name))
        _suite(suite, subject)
        suite.set("tests", str(len(suite.findall("testcase"))))
        for key, tag in _COUNTS.items():
            suite.set(key, str(len(suite.findall(f"testcase/{tag}"))))
    for key in ("tests", "failures", "errors"):
        root.set(key, str(sum(int(suite.get(key, 0)) for suite in root)))
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _suite(suite: ET.Element, subject: Subject) -> None:
    properties = _child(suite, "properties")
    for name, value in subject.facts:
        _child(properties, "property", name=name, value=value)
    # An obstacle to the whole subject is an error of its own: without it, all cases would appear skipped.
    for row in subject.obstacles:
        _child(_case(suite, subject, row.where.text), "error", message=row.title, type=row.id)
    remarks = [row.title for row in subject.remarks]
    if remarks:
        _text(_case(suite, subject, "remarks"), "system-out", remarks)
    for case in subject.cases:
        _add_rows(_case(suite, subject, case.name), case)


def _add_rows(element: ET.Element, case: JudgedCase) -> None:
    failing = [row for row in case.rows if row.fails]
    if failing:
        _failure(element, failing)
    elif case.reason:
        more = {"type": case.required} if case.required else {}
        _child(element, "failure" if case.required else "skipped", **more, message=case.reason)
    elif waivers := dict.fromkeys(row.waiver for row in case.rows if row.waiver and row.level != "note"):
        _child(element, "skipped", message=f"waived by {'; '.join(waivers)}")
    rest = [line for row in case.rows if not row.fails for line in row.full]
    if rest or case.aside:
        _text(element, "system-out", [*rest, *case.aside])


def _failure(element: ET.Element, rows: list[ResultRow]) -> None:
    """Add one failure with all rows, because most readers of JUnit show only one failure of a test case."""
    message = rows[0].title if len(rows) == 1 else count_of(len(rows), "finding")
    tag = "error" if rows[0].silent else "failure"
    failure = _child(element, tag, message=message, type=rows[0].id)
    failure.text = "\n".join(visible(line) for row in rows for line in row.full)


def _case(suite: ET.Element, subject: Subject, name: str) -> ET.Element:
    return _child(suite, "testcase", classname=subject.group, name=name)


def _text(parent: ET.Element, tag: str, lines: list[str]) -> None:
    _child(parent, tag).text = "\n".join(map(visible, lines))


def _child(parent: ET.Element, tag: str, **attributes: str) -> ET.Element:
    from xml.etree.ElementTree import SubElement

    return SubElement(parent, tag, {name: visible(value) for name, value in attributes.items()})


FORMAT = Format("junit", "JUnit XML, for CI servers", JUDGEMENTS, render)
