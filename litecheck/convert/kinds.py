"""By which profiles a plan's operators were bound, and what was made of them is judged."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from litecheck.convert.groups import Key
from litecheck.convert.plan import ConversionPlan
from litecheck.convert.request import KINDS, REAL, check_kind
from litecheck.profile.load import load_profile
from litecheck.profile.types import Profile


def rules_for(to: str, wished: str = "") -> tuple[Profile, Profile | None]:
    """The profile by which operators are bound, and the target on which they shall run: a profile that says where operators
    run demands no quantization, LiteRT's own profile of the kind does that. Raises ConfigError for an unknown kind."""
    check_kind(to)
    profile = load_profile(wished or KINDS[to][1] or "litert-runtime")
    if profile.judges != "placement":
        return profile, None
    return load_profile(KINDS[to][1] or "litert-runtime"), profile


def profile_of(plan: ConversionPlan, profile: Profile) -> Callable[[Key], Profile]:
    """By which profile a plan's operator, (subgraph, number), was bound: ``profile``, or that of other activations."""
    others = _others(plan)
    loaded = {name: load_profile(name) for name in set(others.values())}
    return lambda key: loaded[others[key]] if key in others else profile


def profiles_of(
    plan: ConversionPlan, profile: Profile, accelerator: Profile | None = None
) -> tuple[Profile, ...]:
    """The profiles that a plan's model is judged by, that of the target among them."""
    others = map(load_profile, sorted(set(_others(plan).values())))
    return (profile, *others, *((accelerator,) if accelerator else ()))


def _others(plan: ConversionPlan) -> Mapping[Key, str]:
    """The operators whose activations have another type than the plan's, and the profile of that type."""
    names = dict(KINDS.values())
    return {
        (d.subgraph, d.operator): names[d.becomes]
        for d in plan.operators
        if d.becomes in names and d.becomes not in (plan.target, REAL)
    }
