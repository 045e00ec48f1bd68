"""A diagnosis as one JSON document: everything, and what follows from it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from litecheck.diagnose.result import Diagnosed, Diagnosis
from litecheck.rendering.wording.sentences import with_patterns

#: Raised when a key changes its meaning or goes away. 2: ``model`` became ``models``.
VERSION = 2


def values(diagnosis: Diagnosis) -> dict[str, Any]:
    """The document."""
    return {
        "litecheck_diagnosis": VERSION,
        **asdict(diagnosis),
        "operators": [_operator(d) for d in diagnosis.operators],
        "exit_code": diagnosis.exit_code,
    }


def _operator(diagnosed: Diagnosed) -> dict[str, Any]:
    """One operator, with what its data say in sentences: ``conclusion``, ``gathers`` beside ``patterns``."""
    record = {**asdict(diagnosed), "conclusion": diagnosed.conclusion}
    if diagnosed.contrast is not None:
        record["contrast"] = with_patterns(record["contrast"], diagnosed.contrast.patterns)
    return record
