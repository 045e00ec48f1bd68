"""Seeds of mutations: the models and bundles of the project, and the public models if LITECHECK_MODELS is set."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from litecheck.flatbuffer.containers import MODEL_SUFFIXES
from tests.fuzz.atlas import Seed, seed_of

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
#: Limit of the file size in bytes: larger models make the mutator slower, not better.
SIZE_MAX = 5_000_000


def _sound(folder: Path) -> list[Path]:
    return sorted(
        p
        for p in folder.iterdir()
        if p.suffix in MODEL_SUFFIXES
        and not p.name.startswith(("damaged_", "broken_"))
        and p.stat().st_size <= SIZE_MAX
    )


@cache
def built() -> tuple[Seed, ...]:
    """Return the models of ``fixtures/``; the same on every machine."""
    return tuple(map(seed_of, _sound(FIXTURES)))


@cache
def everything() -> tuple[Seed, ...]:
    """Return the models of ``fixtures/`` and of the folder LITECHECK_MODELS."""
    folder = os.environ.get("LITECHECK_MODELS", "")
    public = tuple(map(seed_of, _sound(Path(folder)))) if folder else ()
    return built() + public
