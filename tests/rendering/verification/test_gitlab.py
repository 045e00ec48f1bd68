"""A verification as a GitLab Code Quality artifact."""

from __future__ import annotations

import json

from litecheck.rendering.formats import render
from litecheck.verification.result import Verification


def test_every_issue_has_the_fields_of_gitlab(sample: Verification, unjudged: Verification) -> None:
    issues = json.loads(render(sample, "gitlab"))
    assert len(issues) == sum(map(sample.failing, sample.verdicts))
    for issue in issues + json.loads(render(unjudged, "gitlab")):
        assert set(issue) == {"description", "check_name", "fingerprint", "severity", "location"}
        assert issue["severity"] in {"major", "critical", "blocker"}
        assert issue["location"]["lines"] == {"begin": 1}
    fingerprints = [issue["fingerprint"] for issue in issues]
    assert len(set(fingerprints)) == len(fingerprints)


def test_no_answer_is_graver_than_a_wrong_one(sample: Verification) -> None:
    severities = {i["check_name"]: i["severity"] for i in json.loads(render(sample, "gitlab"))}
    assert severities["verify/mismatch"] == severities["verify/flaky"] == "major"
    assert severities["verify/crashed"] == severities["verify/refused"] == "critical"


def test_not_judged_blocks_and_well_is_empty(unjudged: Verification, good: Verification) -> None:
    (issue,) = json.loads(render(unjudged, "gitlab"))
    assert (issue["check_name"], issue["severity"]) == ("verify/not-judged", "blocker")
    assert render(good, "gitlab") == "[]\n"
