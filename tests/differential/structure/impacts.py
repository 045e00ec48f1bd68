"""The impact that LiteRT shows of a mutant, and the impact that litecheck states of its new violations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from litecheck.finding import EFFECTS, IGNORED, INFORMATION_LOSS, UNSPECIFIED, Effect
from tests.differential.structure.referee import Fated

#: Impacts of models that every resolver computes as their parameters state.
COMPUTED: tuple[Effect, ...] = (IGNORED, INFORMATION_LOSS, UNSPECIFIED, "the profile forbids it")
_REJECTED = ("refused", "fails")


def shown(fates: Mapping[str, Fated]) -> Effect | None:
    """Return the impact of a model from its fates, None if a resolver was not compared or the outputs have no meaning.

    The reference resolver only counts if it crashes and the other resolvers compute the model.
    """
    plain, default = (fates[r].fate if r in fates else None for r in ("optimized", "xnnpack"))
    if plain is None or default is None:
        return None
    if "crashes" in (plain, default):
        return "crashes"
    if plain in _REJECTED and default not in _REJECTED:
        return "rejected without the default delegate"
    if plain in _REJECTED or default in _REJECTED:
        if plain == "refused":
            return "fails to load"
        return "rejected by the default interpreter only" if default == "refused" else "fails at run time"
    if "undefined" in (plain, default) or any(f.message.startswith("type ") for f in fates.values()):
        return None  # the runtime replaced a type of an output: the values of both are not compared
    if "wrong" in (plain, default):
        return "wrong results" if default == "wrong" else "wrong results without the default delegate"
    crashed = "reference" in fates and fates["reference"].fate == "crashes"
    return "crashes the reference resolver only" if crashed else IGNORED


def stated(effects: Iterable[Effect]) -> Effect | None:
    """Return the gravest impact, None without any."""
    return min(effects, key=EFFECTS.index, default=None)


def is_untrue(said: Effect | None, seen: Effect | None) -> bool:
    """Return True if a stated impact is not the impact that LiteRT shows; unknown impacts are not compared."""
    if said is None or seen is None or {said, seen} <= set(COMPUTED):
        return False
    return said != seen
