"""Kinds of hostile input; each module writes the files of a case and selects its command."""

from __future__ import annotations

from tests.fuzz.hostile.case import Make
from tests.fuzz.hostile.kinds import (
    archives,
    arithmetics,
    arrays,
    bombs,
    configurations,
    documents,
    folders,
    images,
    models,
    modules,
    profiles,
    streams,
    suites,
)

#: Kinds by name, with their share of the cases.
KINDS: dict[str, tuple[int, Make]] = {
    "models": (20, models.named),
    "mutants": (10, models.mutated),
    "bombs": (9, bombs.make),
    "containers": (6, archives.make),
    "profiles": (10, profiles.make),
    "arithmetics": (3, arithmetics.make),
    "configurations": (8, configurations.make),
    "arrays": (7, arrays.make),
    "images": (3, images.make),
    "suites": (5, suites.suite),
    "results": (4, suites.results),
    "documents": (6, documents.make),
    "folders": (5, folders.make),
    "modules": (2, modules.make),
    "streams": (2, streams.make),
}
