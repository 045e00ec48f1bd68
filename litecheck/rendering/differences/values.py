"""Plain values of a difference between two models, for JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from litecheck.differences.change import ModelDifference
from litecheck.rendering.differences import wording
from litecheck.rendering.escape import json_values, visible

#: Version of the format; it increases when a key changes its meaning or is removed.
VERSION = 1


def values(difference: ModelDifference) -> dict[str, Any]:
    """Return the difference as plain dicts and lists; schemas/diff.schema.json describes them."""
    return {
        "litecheck_diff": VERSION,
        "version": difference.version,
        "exit_code": difference.exit_code,
        "before": visible(difference.first),
        "after": visible(difference.second),
        "summary": wording.summary(difference),
        "operators": {
            "before": difference.operators[0],
            "after": difference.operators[1],
            "matched": difference.matched,
        },
        "unselected": difference.unselected,
        **({"run": asdict(difference.run)} if difference.run else {}),
        "changes": [json_values(asdict(change)) for change in difference.changes],
    }
