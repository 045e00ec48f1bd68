"""The domain of practical operators, for the agreement program."""

from __future__ import annotations

from litecheck.checks.context import inferred_shapes
from litecheck.model.types import Model, Operator
from litecheck.targets.ethos_u.domain import unverified_reason


def is_practical(model: Model, operator: Operator) -> bool:
    """Return True if litecheck states that the placement of an operator is verified."""
    main = model.subgraphs[0]
    return not unverified_reason(main, inferred_shapes(model, main), operator)
