"""The report as JUnit XML: one suite per model, one test case per operator."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections import defaultdict

from litecheck.render.escape import place, visible
from litecheck.render.grouping import ordered
from litecheck.report import STATUSES, Finding, ModelReport, OperatorReport, Report, counted

#: Subgraph and operator, and the tensor where it belongs to no operator.
_Place = tuple[int, int, int | None]


def render(report: Report) -> str:
    """The XML document. An operator fails when a finding on it fails its model under the run's policy."""
    root = ET.Element("testsuites", name="litecheck")
    for model in report.models:
        _suite(root, report, model)
    return document(root)


def document(root: ET.Element) -> str:
    """The suites as an XML document, with the totals of each and of all."""
    counts = {"failures": "failure", "errors": "error", "skipped": "skipped"}
    for suite in root:
        suite.set("tests", str(len(suite.findall("testcase"))))
        for key, tag in counts.items():
            suite.set(key, str(len(suite.findall(f"testcase/{tag}"))))
    for key in ("tests", "failures", "errors"):
        root.set(key, str(sum(int(suite.get(key, 0)) for suite in root)))
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _suite(root: ET.Element, report: Report, model: ModelReport) -> None:
    suite = ET.SubElement(root, "testsuite", name=visible(model.name))
    properties = ET.SubElement(suite, "properties")
    facts = [("litecheck", report.version), ("verdict", report.verdict(model))]
    facts += [("profiles", ", ".join(model.profiles)), ("size", str(model.size))]
    facts += [("runtimes", ", ".join(dict.fromkeys(model.runtimes.values())))] if model.runtimes else []
    facts += [(status, str(model.coverage[status])) for status in STATUSES]
    facts += [(effect, str(number)) for effect, number in model.effects.items()]
    for name, value in facts:
        ET.SubElement(properties, "property", name=name, value=visible(value))
    _model_cases(suite, report, model)
    findings: dict[_Place, list[Finding]] = defaultdict(list)
    for finding in ordered(model.findings):
        w = finding.where
        findings[w.subgraph, w.operator, w.tensor if w.operator < 0 else None].append(finding)
    for op in sorted(model.operators, key=lambda op: (op.subgraph, op.index)):
        subgraph = f"subgraph {op.subgraph}, " if op.subgraph else ""
        case = _case(suite, model, f"{subgraph}{op.opcode} #{op.index} '{op.name}'")
        if not _told(case, report, findings.pop((op.subgraph, op.index, None), [])):
            _uncovered(case, report, op)
    for others in findings.values():
        _told(_case(suite, model, str(others[0].where)), report, others)


def _model_cases(suite: ET.Element, report: Report, model: ModelReport) -> None:
    """What keeps the model as a whole from being judged: else all its operators would look skipped."""
    for problem in model.problems:
        case = _case(suite, model, problem.path or f"byte {problem.offset}")
        ET.SubElement(case, "error", message=visible(str(problem)), type=visible(problem.code))
    if report.verdict(model) == "not judged" and not model.problems:
        case = _case(suite, model, "model")
        ET.SubElement(case, "error", message=visible(report.explain(model)), type="not-judged")
    if model.remarks:
        output = ET.SubElement(_case(suite, model, "remarks"), "system-out")
        output.text = "\n".join(visible(remark) for remark in model.remarks)


def _told(case: ET.Element, report: Report, findings: list[Finding]) -> bool:
    """Add what was found at one place; whether any of it fails the case."""
    failing = [f for f in findings if report.fails(f)]
    if failing:
        # Most readers of JUnit show one failure of a test case, so it holds them all.
        message = failing[0].title if len(failing) == 1 else counted(len(failing), "finding")
        failure = ET.SubElement(case, "failure", message=visible(message), type=visible(failing[0].path))
        failure.text = "\n".join(map(_line, failing))
    rest = [f for f in findings if not report.fails(f)]
    if rest:
        ET.SubElement(case, "system-out").text = "\n".join(map(_line, rest))
    return bool(failing)


def _uncovered(case: ET.Element, report: Report, op: OperatorReport) -> None:
    if op.status not in ("not covered", "structure only"):
        return
    outcome = ET.Element("failure", type=op.status) if report.require_coverage else ET.Element("skipped")
    outcome.set("message", visible(f"{op.status}: {op.reason}"))
    case.insert(0, outcome)


def _case(suite: ET.Element, model: ModelReport, name: str) -> ET.Element:
    return ET.SubElement(suite, "testcase", classname=visible(model.name), name=visible(name))


def _line(f: Finding) -> str:
    waiver = f" [waived by {f.waiver.by}: {f.waiver.reason}]" if f.waiver else ""
    see = f" See {f.see}." if f.see else ""
    told = f"{f.level} {f.path}: {place(f.where)}: {f.sentence}. Demanded by {f.demanded_by}.{see}{waiver}"
    return visible(told)
