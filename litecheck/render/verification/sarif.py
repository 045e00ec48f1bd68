"""A verification as SARIF 2.1.0, in the subset that GitHub code scanning reads."""

from __future__ import annotations

from typing import Any

from litecheck.render import sarif
from litecheck.render.escape import uri, visible
from litecheck.render.verification import wording
from litecheck.report import counted
from litecheck.verify.outcome import Outcome, Verdict, Verification


def render(verification: Verification) -> str:
    """One run, a result for each case that fails, at line 1 of the model, naming the operator."""
    every = list(wording.identified(verification))
    kept = every[: sarif.MOST_RESULTS]
    outcomes = [outcome for outcome in Outcome if any(v.outcome is outcome for v, *_ in kept)]
    invocation: dict[str, Any] = {"executionSuccessful": True, "exitCode": verification.exit_code}
    notifications = _notifications(verification)
    if len(every) > len(kept):
        cut = counted(len(every) - len(kept), "result")
        notifications.append(sarif.notification("warning", "results-cut", f"{cut} left out: the last"))
    if notifications:
        invocation["toolExecutionNotifications"] = notifications
    return sarif.document(
        {
            "tool": {
                "driver": {
                    "name": "litecheck",
                    "version": verification.version,
                    "rules": [_rule(outcome) for outcome in outcomes],
                }
            },
            "invocations": [invocation],
            "results": [_result(verification, *item, outcomes) for item in kept],
            "columnKind": "unicodeCodePoints",
            "properties": {"verification": _summary(verification)},
        }
    )


def _rule(outcome: Outcome) -> dict[str, Any]:
    told = {"text": wording.MEANING[outcome]}
    return {
        "id": wording.rule(outcome),
        "shortDescription": told,
        "fullDescription": told,
        "help": told,
        "defaultConfiguration": {"level": "error"},
        "properties": {"precision": "very-high", "problem.severity": "error", "tags": ["quantization"]},
    }


def _result(
    verification: Verification, verdict: Verdict, fingerprint: str, identity: str, outcomes: list[Outcome]
) -> dict[str, Any]:
    told = [f"{wording.title(verdict)}: {verdict.outcome.value} on {verification.device}."]
    told += [f"{label}: {'; '.join(lines)}" for label, lines in wording.details(verdict)]
    physical = {"artifactLocation": {"uri": uri(verification.model)}, "region": {"startLine": 1}}
    return {
        "ruleId": wording.rule(verdict.outcome),
        "ruleIndex": outcomes.index(verdict.outcome),
        "level": "error",
        "message": sarif.message(" | ".join(told)),
        "locations": [{"physicalLocation": physical, "logicalLocations": _logical(verdict)}],
        "partialFingerprints": {"litecheck/v1": fingerprint, "primaryLocationLineHash": identity},
    }


def _logical(verdict: Verdict) -> list[dict[str, Any]]:
    """Subgraph, operators and, where one is known to differ, the tensor."""
    inside = f"subgraph {verdict.subgraph}"
    operators = f"{inside}/{visible(verdict.opcode)}#{'-'.join(_ends(verdict))}"
    steps = [(inside, inside, "module"), (visible(verdict.name), operators, "function")]
    worst = verdict.worst
    if worst is not None and worst.mismatches:
        steps.append((visible(worst.name), f"{operators}/tensor#{worst.tensor}", "variable"))
    return [{"name": name, "fullyQualifiedName": path, "kind": kind} for name, path, kind in steps]


def _ends(verdict: Verdict) -> list[str]:
    return list(dict.fromkeys(map(str, (verdict.operators[0], verdict.operators[-1]))))


def _notifications(verification: Verification) -> list[dict[str, Any]]:
    """What is no result: cases that were not judged, a published arithmetic that fits, and notes."""
    told = []
    if verification.verdict == "not judged":
        told.append(("error", "not-judged", f"not judged: {wording.tally(verification)}"))
    for outcome, opcode, why, verdicts in wording.unjudged(verification):
        numbers = ", ".join(f"#{wording.numbers(v)}" for v in verdicts)
        told.append(("note", wording.rule(outcome), f"{opcode} {numbers}: {outcome.value}: {why}"))
    fits = wording.fits(verification)
    told += [("note", "verify/fits", fits)] if fits else []
    told += [("note", "verify/note", note) for note in verification.notes]
    return [sarif.notification(level, code, text, verification.model) for level, code, text in told]


def _summary(verification: Verification) -> dict[str, Any]:
    return {
        "model": visible(verification.model),
        "sha256": verification.sha256,
        "device": visible(verification.described),
        "arithmetics": list(map(visible, verification.arithmetics)),
        "verdict": verification.verdict,
        "counts": {outcome.value: n for outcome, n in verification.counts().items()},
        "fits": list(map(visible, verification.fits)),
    }
