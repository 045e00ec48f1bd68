"""List of arithmetics: a table for people, JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from litecheck.rendering.escape import safe_json
from litecheck.rendering.word_table import print_table

if TYPE_CHECKING:
    from rich.console import Console

    from litecheck.reference.engine.arithmetic import Arithmetic


def arithmetics_json(arithmetics: Sequence[Arithmetic]) -> str:
    """Return ``{"arithmetics": [{"name": ..., "title": ..., "source": ...}]}``."""
    rows = [{"name": one.name, "title": one.title, "source": one.source} for one in arithmetics]
    return safe_json(json.dumps({"arithmetics": rows}, indent=2)) + "\n"


def print_arithmetics(arithmetics: Sequence[Arithmetic], console: Console) -> None:
    """Print a table of names and titles."""
    print_table(
        ("arithmetic", "title"), ((one.name, one.title) for one in arithmetics), ("arithmetic",), console
    )
