"""Rows of the tables of shape laws: an operator with its operands, and its output shapes or its misfit."""

from __future__ import annotations

from typing import Any

import pytest

from litecheck.model.shapes import ShapeError
from tests.model.shapes.test_laws import shapes_of_law

#: Name of the law, opcode, options, operands.
Asked = tuple[str, str, dict[str, Any], dict[str, Any]]


def misfit_of(asked: Asked, results: int = 1) -> tuple[str | None, str]:
    """Return the role and the text of the misfit that the law raises."""
    law, opcode, options, operands = asked
    with pytest.raises(ShapeError) as raised:
        shapes_of_law(law, opcode, options, results, **operands)
    return raised.value.role, raised.value.found


def shapes_of(asked: Asked, results: int = 1) -> tuple[Any, ...]:
    """Return the output shapes of the law."""
    law, opcode, options, operands = asked
    return shapes_of_law(law, opcode, options, results, **operands)
