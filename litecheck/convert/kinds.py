"""By which profiles a plan's operators were bound, and what was made of them is judged."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from litecheck.convert.groups import Key
from litecheck.convert.plan import ConversionPlan
from litecheck.convert.request import KINDS, REAL
from litecheck.profile.load import load_profile
from litecheck.profile.types import Profile


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
