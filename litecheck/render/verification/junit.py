"""A verification as JUnit XML: one suite for the model on the device, one test case per case."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from litecheck.render import junit
from litecheck.render.escape import visible
from litecheck.render.verification import wording
from litecheck.verify.outcome import Verdict, Verification


def render(verification: Verification) -> str:
    """The XML document. What the device computes wrongly is a failure, where it gives nothing an error."""
    root = ET.Element("testsuites", name="litecheck verify")
    name = visible(f"{verification.model} on {verification.device}")
    suite = ET.SubElement(root, "testsuite", name=name)
    _properties(suite, verification)
    for verdict in verification.verdicts:
        case = _case(suite, verification, wording.title(verdict))
        _ended(case, verification, verdict)
    if verification.verdict == "not judged":
        # Else all that readers would see is cases that were skipped.
        case = _case(suite, verification, "model")
        ET.SubElement(case, "error", message=wording.tally(verification), type="not-judged")
    return junit.document(root)


def _properties(suite: ET.Element, verification: Verification) -> None:
    v = verification
    facts = {
        "litecheck": v.version,
        "verdict": v.verdict,
        "model": v.model,
        "sha256": v.sha256,
        "device": v.described,
        "arithmetics": ", ".join(v.arithmetics),
        "mode": v.mode,
        "inputs": v.inputs,
        "fits": ", ".join(v.fits),
        "started": v.started,
        "notes": "; ".join(v.notes),
    }
    facts.update((outcome.value, str(n)) for outcome, n in v.counts().items())
    properties = ET.SubElement(suite, "properties")
    for name, value in facts.items():
        if value:
            ET.SubElement(properties, "property", name=name, value=visible(value))


def _ended(case: ET.Element, verification: Verification, verdict: Verdict) -> None:
    message = f"{verdict.outcome.value}: {wording.gist(verdict)}"
    told = "\n".join(f"{label}: {line}" for label, lines in wording.details(verdict) for line in lines)
    if verification.failing(verdict):
        tag = "error" if verdict.outcome in wording.BROKEN else "failure"
        ET.SubElement(case, tag, message=message, type=wording.rule(verdict.outcome)).text = told
        return
    if not verdict.outcome.judged:
        ET.SubElement(case, "skipped", message=message)
    if told:
        ET.SubElement(case, "system-out").text = told


def _case(suite: ET.Element, verification: Verification, name: str) -> ET.Element:
    return ET.SubElement(suite, "testcase", classname=visible(verification.model), name=name)
