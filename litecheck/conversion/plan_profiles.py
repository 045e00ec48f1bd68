"""Profiles of a plan: the profiles that operators are bound to, and the profiles that check the model."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from litecheck.conversion.conversion_plan import ConversionPlan
from litecheck.conversion.groups import Key
from litecheck.conversion.recipe import SCHEMES
from litecheck.conversion.request import KINDS, REAL, check_kind
from litecheck.profile.load import load_profile
from litecheck.profile.types import Profile


def rules_for(to: str, wished: str = "") -> tuple[Profile, Profile | None]:
    """Return the profile that operators are bound to, and the target profile or None.

    A target profile checks placement and has no quantization rules, so LiteRT's own profile of the kind is used for
    binding. Raises ConfigError for an unknown kind.
    """
    check_kind(to)
    profile = load_profile(wished or KINDS[to][1] or "litert-runtime")
    if profile.judges != "placement":
        return profile, None
    return load_profile(KINDS[to][1] or "litert-runtime"), profile


def profile_beside(profile: Profile, to: str) -> Profile:
    """Return the profile of operators that get another type of activations than the rest of a model.

    It is ``profile`` itself if ``profile`` allows the type, else LiteRT's profile of the kind ``to``.
    """
    activation, name = KINDS[to]
    return profile if activation in profile.activations else load_profile(name)


def activation_of(plan: ConversionPlan) -> Callable[[Key], str]:
    """Return a function from (subgraph, operator) to the type of its activations in a plan."""
    becomes = {(d.subgraph, d.operator): d.becomes for d in plan.operators}
    return lambda key: becomes.get(key, plan.target)


def profile_of(plan: ConversionPlan, profile: Profile) -> Callable[[Key], Profile]:
    """Return a function from (subgraph, operator) to its profile: ``profile``, or the profile of its activation type."""
    others = _other_profiles(plan, profile)
    loaded = {name: load_profile(name) for name in set(others.values())}
    return lambda key: loaded[others[key]] if key in others else profile


def profiles_of(
    plan: ConversionPlan, profile: Profile, accelerator: Profile | None = None
) -> tuple[Profile, ...]:
    """Return the profiles that check a plan's model, including the target's profile."""
    others = map(load_profile, sorted(set(_other_profiles(plan, profile).values())))
    return (profile, *others, *((accelerator,) if accelerator else ()))


def _other_profiles(plan: ConversionPlan, profile: Profile) -> Mapping[Key, str]:
    """Return the operators whose activation type ``profile`` does not allow, with the profile of their type."""
    names = {**dict(KINDS.values()), SCHEMES["dynamic"]: KINDS["dynamic"][1]}
    base = SCHEMES["dynamic"] if plan.target == REAL else plan.target
    return {
        (d.subgraph, d.operator): names[d.becomes]
        for d in plan.operators
        if d.becomes in names and d.becomes not in (base, REAL, *profile.activations)
    }
