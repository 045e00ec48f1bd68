"""A verification as JSON: everything; schemas/verification.schema.json describes it, verify/serialize.py reads it back."""

from __future__ import annotations

from typing import Any

from litecheck.rendering.wording.sentences import with_sentences
from litecheck.verify.outcome import Verification
from litecheck.verify.serialize import to_json


def values(verification: Verification) -> dict[str, Any]:
    """The record, and what follows from it: verdict, exit code, counts, and which cases fail."""
    record = to_json(verification)
    record["verdicts"] = [
        {**with_sentences(told, verdict), "failing": verification.failing(verdict)}
        for told, verdict in zip(record["verdicts"], verification.verdicts, strict=True)
    ]
    derived = {
        "verdict": verification.verdict,
        "exit_code": verification.exit_code,
        "counts": {outcome.value: n for outcome, n in verification.counts().items()},
    }
    return {"litecheck_verification": record.pop("litecheck_verification"), **derived, **record}
