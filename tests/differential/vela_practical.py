"""The domain of practical operators, for the agreement program."""

from __future__ import annotations

from litecheck.model.types import Model, Operator
from litecheck.targets.declared_shapes import DeclaredShapes
from litecheck.targets.ethos_u.domain import unverified_because


def is_practical(model: Model, operator: Operator) -> bool:
    """Return True if litecheck calls the placement of an operator verified."""
    return not unverified_because(DeclaredShapes(model, model.subgraphs[0]), operator)
