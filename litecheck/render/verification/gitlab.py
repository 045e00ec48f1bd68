"""A verification as a GitLab Code Quality artifact."""

from __future__ import annotations

import json

from litecheck.render.gitlab import issue
from litecheck.render.grouping import digest
from litecheck.render.verification import wording
from litecheck.verify.outcome import Verification


def render(verification: Verification) -> str:
    """A JSON list with an issue for each case that fails; that nothing could be judged is a blocker."""
    model, device = verification.model, verification.device
    issues = []
    if verification.verdict == "not judged":
        identity = digest("\0".join((model, device, "not-judged")))
        text = f"not judged on {device}: {wording.tally(verification)}"
        issues.append(issue(text, "verify/not-judged", identity, "blocker", model))
    for v, _, identity in wording.identified(verification):
        severity = "critical" if v.outcome in wording.BROKEN else "major"
        text = f"{wording.title(v)}: {v.outcome.value} on {device}: {wording.gist(v)}"
        issues.append(issue(text, wording.rule(v.outcome), identity, severity, model))
    return json.dumps(issues, indent=2) + "\n"
