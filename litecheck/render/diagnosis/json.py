"""A diagnosis as one JSON document: everything, and what follows from it."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from litecheck.diagnose.result import Diagnosed, Diagnosis
from litecheck.render.verification.sentences import with_patterns

#: Raised when a key changes its meaning or goes away. 2: ``model`` became ``models``.
VERSION = 2


def render(diagnosis: Diagnosis) -> str:
    """The document."""
    document: dict[str, Any] = {
        "litecheck_diagnosis": VERSION,
        **asdict(diagnosis),
        "operators": [_operator(d) for d in diagnosis.operators],
        "exit_code": diagnosis.exit_code,
    }
    return json.dumps(document, indent=2, allow_nan=False) + "\n"


def _operator(diagnosed: Diagnosed) -> dict[str, Any]:
    """One operator, with what its data say in sentences: ``conclusion``, ``gathers`` beside ``patterns``."""
    record = {**asdict(diagnosed), "conclusion": diagnosed.conclusion}
    if diagnosed.contrast is not None:
        record["contrast"] = with_patterns(record["contrast"], diagnosed.contrast.patterns)
    return record
