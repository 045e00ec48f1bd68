"""The kinds of hostile input, one module each, and how often each is drawn."""

from __future__ import annotations

from random import Random

from tests.fuzz.hostile.case import Make
from tests.fuzz.hostile.kinds import (
    arrays,
    bombs,
    configuration,
    documents,
    folders,
    images,
    models,
    modules,
    mutants,
    profiles,
)

#: By name: the function that makes a case, and its weight.
KINDS: dict[str, tuple[Make, int]] = {
    "models": (models.make, 20),
    "bombs": (bombs.make, 10),
    "mutants": (mutants.make, 15),
    "bundles": (mutants.make_bundle, 8),
    "profiles": (profiles.make, 15),
    "documents": (documents.make, 20),
    "arrays": (arrays.make, 14),
    "images": (images.make, 6),
    "configuration": (configuration.make, 12),
    "folders": (folders.make, 8),
    "arguments": (folders.make_arguments, 6),
    "modules": (modules.make, 6),
    "streams": (modules.make_streams, 3),
}  # fmt: skip


def draw(rng: Random) -> str:
    """Return the name of a kind by its weight."""
    return rng.choices(list(KINDS), [weight for _, weight in KINDS.values()])[0]
