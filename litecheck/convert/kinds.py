"""What can be made of a model: kinds by name, the type of activations of each, and the profiles that judge what was made."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from litecheck.convert.binding import REAL
from litecheck.convert.groups import Key
from litecheck.convert.plan import ConversionPlan
from litecheck.profile.load import load_profile
from litecheck.profile.types import Profile

#: What can be made: the type of activations, and the profile that it keeps.
KINDS: Mapping[str, tuple[str, str]] = {
    "int8": ("int8", "litert-runtime"),
    "int16x8": ("int16", "litert-int16x8"),
    "uint8": ("uint8", "litert-uint8"),
    "dynamic": (REAL, "litert-hybrid"),
    "float16": (REAL, ""),
}
#: What leaves activations real.
REAL_KINDS = tuple(to for to, (activation, _) in KINDS.items() if activation == REAL)


def profile_of(plan: ConversionPlan, profile: Profile) -> Callable[[Key], Profile]:
    """By which profile a plan's operator, (subgraph, number), was bound: ``profile``, or that of other activations."""
    others = _others(plan)
    loaded = {name: load_profile(name) for name in set(others.values())}
    return lambda key: loaded[others[key]] if key in others else profile


def profiles_of(plan: ConversionPlan, profile: Profile) -> tuple[Profile, ...]:
    """The profiles that a plan's model is judged by."""
    return (profile, *map(load_profile, sorted(set(_others(plan).values()))))


def _others(plan: ConversionPlan) -> Mapping[Key, str]:
    """The operators whose activations have another type than the plan's, and the profile of that type."""
    names = dict(KINDS.values())
    return {
        (d.subgraph, d.operator): names[d.becomes]
        for d in plan.operators
        if d.becomes in names and d.becomes not in (plan.target, REAL)
    }
