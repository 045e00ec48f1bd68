"""Version of a quantized operator: LiteRT registers a kernel for some versions only."""

from __future__ import annotations

from litecheck.conversion.binding import BoundFloatOperator
from litecheck.profile.generate.plan_solver import admits, satisfying_values
from litecheck.profile.load import load_profile
from litecheck.profile.operators import traits_of

#: Limits on an operator's version: for all resolvers, and for the resolver that knows the fewest versions.
_VERSIONS = ("/limits/version", "/limits/reference_version")


def version_of(bound: BoundFloatOperator) -> int:
    """Return the version of the quantized operator: the usual version if the rule allows it, or an allowed version.

    Versions that LiteRT does not register are not used under any profile, because both models run on LiteRT.
    """
    if not bound.storage:
        return bound.operator.version
    own, least = bound.operator.version, traits_of(bound.operator.kind).version
    versions = [max(own, least), least, own]
    registered = load_profile("litert-structure").operators.get(bound.operator.kind)
    for requirement in (*bound.requirements, *(registered.requirements if registered else ())):
        if requirement.path.endswith(_VERSIONS):
            versions = [
                v for v in (*versions, *satisfying_values(requirement.value)) if admits(requirement.value, v)
            ]
    return int(versions[0])
