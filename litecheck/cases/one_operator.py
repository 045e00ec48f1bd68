"""The one builder of one-operator models: operands by position, or a plan of a rule, to a model.

What a kind of case adds is data: which shapes, which scales, which values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from litecheck.model.build import Option
from litecheck.model.types import Model
from litecheck.profile.assemble import assemble
from litecheck.profile.plan import Plan, TensorPlan
from litecheck.profile.solve import solve
from litecheck.profile.types import OperatorRule, Profile


def one_operator(
    opcode: str,
    operands: Sequence[TensorPlan | None],
    outputs: Sequence[TensorPlan],
    options: Mapping[str, Option] | None = None,
    *,
    version: int = 1,
    intermediates: Sequence[TensorPlan] = (),
    description: str = "",
) -> Model:
    """A model of one operator with these operands in file order, None for an absent one.

    Constants have values and variables are marked as such; all others go in, in their order.
    """
    roles: dict[str, tuple[TensorPlan, ...]] = {}
    ends = []
    for end, tensors in (("input", operands), ("output", outputs), ("intermediate", intermediates)):
        names = tuple(f"{end} {n}" for n in range(len(tensors)))
        roles |= {name: () if t is None else (t,) for name, t in zip(names, tensors, strict=True)}
        ends.append(names)
    plan = Plan(
        opcode, ends[0], ends[1], roles, ends[2], options=options or {}, version=version, lists_absent=True
    )
    return assemble(plan, description)


def conforming(profile: Profile, rule: OperatorRule, alternative: int = 0) -> Model:
    """A model that keeps a rule, by one alternative of ``any_of``: one dimension of every shape is like the others."""
    return assemble(solve(profile, rule, alternative), rule.opcode)


__all__ = ["conforming", "one_operator"]
