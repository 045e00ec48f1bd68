"""A diagnosis as one JSON document: everything, and what follows from it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from litecheck.diagnose.result import Diagnosis

#: Raised when a key changes its meaning or goes away. 2: ``model`` became ``models``.
VERSION = 2


def values(diagnosis: Diagnosis) -> dict[str, Any]:
    """The document."""
    return {
        "litecheck_diagnosis": VERSION,
        **asdict(diagnosis),
        "operators": [{**asdict(d), "conclusion": d.conclusion} for d in diagnosis.operators],
        "exit_code": diagnosis.exit_code,
    }
