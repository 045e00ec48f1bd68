"""A verification as JSON: everything; schemas/verification.schema.json describes it, verify/serialize.py reads it back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from litecheck.compare.types import Gathering
from litecheck.compare.wording import element_sentence, gathering_sentence
from litecheck.verify.outcome import Verdict, Verification
from litecheck.verify.serialize import to_json


def values(verification: Verification) -> dict[str, Any]:
    """The record, and what follows from it: verdict, exit code, counts, and which cases fail."""
    record = to_json(verification)
    record["verdicts"] = [
        {**_with_sentences(told, verdict), "failing": verification.failing(verdict)}
        for told, verdict in zip(record["verdicts"], verification.verdicts, strict=True)
    ]
    derived = {
        "verdict": verification.verdict,
        "exit_code": verification.exit_code,
        "counts": {outcome.value: n for outcome, n in verification.counts().items()},
    }
    return {"litecheck_verification": record.pop("litecheck_verification"), **derived, **record}


def _with_sentences(record: Mapping[str, Any], verdict: Verdict) -> dict[str, Any]:
    """A verdict's JSON with ``gathers`` beside ``patterns``, and ``sentence`` of the element that is explained."""
    differences, causes = [], []
    for told, difference in zip(record["differences"], verdict.differences, strict=True):
        explained = told["explained"]
        if difference.explained is not None:
            explained = {"sentence": element_sentence(difference.explained), **explained}
        differences.append({**_with_patterns(told, difference.patterns), "explained": explained})
    for told, cause in zip(record["causes"], verdict.causes, strict=True):
        causes.append(_with_patterns(told, cause.patterns))
    return {**record, "differences": differences, "causes": causes}


def _with_patterns(record: Mapping[str, Any], patterns: Sequence[Gathering]) -> dict[str, Any]:
    return {**record, "gathers": list(map(gathering_sentence, patterns))}
