from __future__ import annotations

import json

from litecheck.rendering.formats import render
from litecheck.report import Report


def test_every_issue_has_the_fields_of_gitlab(sample):
    issues = json.loads(render(sample, "gitlab"))
    for issue in issues:
        assert set(issue) == {"description", "check_name", "fingerprint", "severity", "location"}
        assert issue["description"]
        assert issue["severity"] in {"info", "minor", "major", "critical", "blocker"}
        assert issue["location"]["path"]
        assert issue["location"]["lines"] == {"begin": 1}
    fingerprints = [issue["fingerprint"] for issue in issues]
    assert len(set(fingerprints)) == len(fingerprints)


def test_waived_findings_are_left_out_and_unjudged_models_block(sample):
    issues = json.loads(render(sample, "gitlab"))
    assert "MAX_POOL_2D/same_quantization" not in {issue["check_name"] for issue in issues}
    blockers = [issue["check_name"] for issue in issues if issue["severity"] == "blocker"]
    assert blockers == ["file/offset-outside-file", "file/no-identifier", "file/empty", "model/not-judged"]
    assert len(issues) == sum(len(m.active) for m in sample.models) + len(blockers) + len(sample.stale)


def test_no_findings_give_an_empty_list(good):
    assert render(good, "gitlab") == "[]\n"
    assert render(Report("0.1.0", ()), "gitlab") == "[]\n"


def test_whole_reports(same_as_golden):
    same_as_golden("gitlab", "gitlab.json")
