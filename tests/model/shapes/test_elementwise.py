"""Output shapes of elementwise operators: broadcasting, SELECT and PRELU, and the text of each misfit."""

from __future__ import annotations

from typing import Any

import pytest

from litecheck.model.shapes import LAWS, Call, ShapedOperand, ShapeError
from litecheck.model.types import Tensor
from tests.model.shapes.tables import misfit_of, shapes_of


@pytest.mark.parametrize(
    ("law", "opcode", "operands", "shape"),
    [
        ("at_least_1d", "SOFTMAX", {"input": (4,)}, (4,)),
        ("at_least_1d", "SOFTMAX", {"input": None}, None),
        ("local_response_normalization", "LOCAL_RESPONSE_NORMALIZATION", {"input": (1, 2, 3, 4)}, (1, 2, 3, 4)),
        ("along_axis", "CUMSUM", {"input": (3, 4), "axis": 1}, (3, 4)),
        ("along_axis", "CUMSUM", {"input": (3, 4), "axis": -2}, (3, 4)),
        ("along_axis", "CUMSUM", {"input": (3, 4), "axis": ()}, (3, 4)),
        ("along_axis", "CUMSUM", {"input": None, "axis": 9}, None),
        ("same_shapes", "SQUARED_DIFFERENCE", {"lhs": (3, None), "rhs": (None, 4)}, (3, 4)),
        ("sum_of_all", "ADD_N", {"values": [(3, None), None, (None, 4)]}, (3, 4)),
        ("sum_of_all", "ADD_N", {"values": [None, None]}, None),
        ("prelu", "PRELU", {"input": (2, 5, 5, 3), "alpha": (1, 1, 3)}, (2, 5, 5, 3)),
        ("prelu", "PRELU", {"input": (2, None), "alpha": (3,)}, (2, None)),
        ("prelu", "PRELU", {"input": (2, 3), "alpha": None}, (2, 3)),
        ("prelu", "PRELU", {"input": None, "alpha": (3,)}, None),
        ("broadcast", "ADD", {"lhs": (2, 1, 3), "rhs": (5, 1)}, (2, 5, 3)),
        ("broadcast", "ADD", {"lhs": (5, 1), "rhs": (2, 1, 3)}, (2, 5, 3)),
        ("broadcast", "ADD", {"lhs": (1, 0), "rhs": (4, 1)}, (4, 0)),
        ("broadcast", "ADD", {"lhs": (None, 1), "rhs": (1, None)}, (None, None)),
        ("broadcast", "ADD", {"lhs": (1, 1), "rhs": ()}, (1, 1)),
        ("broadcast", "ADD", {"lhs": (2,) * 9, "rhs": (2,) * 9}, (2,) * 9),
        ("broadcast", "ADD", {"lhs": (2,) * 8, "rhs": (2,)}, (2,) * 8),
        ("broadcast", "ADD", {"lhs": None, "rhs": (2,)}, None),
        ("broadcast", "ADD", {"lhs": (2,), "rhs": None}, None),
        ("select", "SELECT", {"condition": (2, 3), "on_true": (2, None), "on_false": (None, 3)}, (2, 3)),
        ("select", "SELECT", {"condition": (2,), "on_true": (2, 3), "on_false": (2, 3)}, (2, 3)),
        ("select", "SELECT", {"condition": (), "on_true": (2, 3), "on_false": (2, 3)}, (2, 3)),
        ("select", "SELECT", {"condition": None, "on_true": (2, 3), "on_false": (2, 3)}, (2, 3)),
        ("select", "SELECT", {"condition": (7,), "on_true": None, "on_false": None}, None),
        ("select_v2", "SELECT_V2", {"condition": (4, 1, 1), "on_true": (3, 1), "on_false": (2,)}, (4, 3, 2)),
        ("select_v2", "SELECT_V2", {"condition": (4, 1), "on_true": (), "on_false": None}, None),
    ],
)  # fmt: skip
def test_shapes(law: str, opcode: str, operands: dict[str, Any], shape: Any) -> None:
    # an output of two values: SELECT of single values may state any rank
    assert shapes_of((law, opcode, {}, {"output": (2,), **operands})) == (shape,)


@pytest.mark.parametrize(
    ("law", "opcode", "options", "operands", "role", "found"),
    [
        ("at_least_1d", "SOFTMAX", {}, {"input": ()}, "input", "the input has 0 dimensions, at least 1 wanted"),
        ("local_response_normalization", "LOCAL_RESPONSE_NORMALIZATION", {}, {"input": (1, 2, 3)}, "input",
         "the input has 3 dimensions, 4 wanted"),
        ("local_response_normalization", "LOCAL_RESPONSE_NORMALIZATION", {"radius": -1}, {"input": (1, 2, 3, 4)}, None,
         "radius is -1"),
        ("along_axis", "CUMSUM", {}, {"input": (3, 4), "axis": 2}, "axis", "axis 2 is outside a tensor of 2 dimensions"),
        ("along_axis", "CUMSUM", {}, {"input": (3, 4), "axis": [0, 1]}, "axis", "the axis has 2 values, 1 wanted"),
        ("same_shapes", "SQUARED_DIFFERENCE", {}, {"lhs": (3, 4), "rhs": (3, 1)}, "rhs",
         "the rhs is [3, 1], the lhs [3, 4]"),
        ("sum_of_all", "ADD_N", {}, {"values": [(3,)]}, "values", "there are 1 values, at least 2 wanted"),
        ("sum_of_all", "ADD_N", {}, {"values": [(3,), (4,)]}, "values", "the values are [3] and [4]"),
        ("sum_of_all", "ADD_N", {}, {"values": [(3,), (3, 1)]}, "values", "the values are [3] and [3, 1]"),
        ("sum_of_all", "ADD_N", {}, {"values": [(None,), (3,), (4,)]}, "values", "the values are [3] and [4]"),
        ("prelu", "PRELU", {}, {"input": (1, 3), "alpha": (2, 3)}, "alpha", "alpha is [2, 3], larger than the input [1, 3]"),
        ("prelu", "PRELU", {}, {"input": (3,), "alpha": (1, 3)}, "alpha", "alpha is [1, 3], larger than the input [3]"),
        ("prelu", "PRELU", {}, {"input": (2, 3), "alpha": (4,)}, "alpha", "[2, 3] and [4] do not broadcast"),
        ("broadcast", "ADD", {}, {"lhs": (2, 3), "rhs": (4, 1)}, "rhs", "[2, 3] and [4, 1] do not broadcast"),
        ("broadcast", "ADD", {}, {"lhs": (2, 3), "rhs": (0, 3)}, "rhs", "[2, 3] and [0, 3] do not broadcast"),
        ("broadcast", "ADD", {}, {"lhs": (2,) * 9, "rhs": (2,)}, "rhs",
         "[2, 2, 2, 2, 2, 2, 2, 2, 2] and [2] broadcast in more than 8 dimensions"),
        ("broadcast", "ADD", {}, {"lhs": (2,) * 9, "rhs": (*(2,) * 8, 1)}, "rhs",
         "[2, 2, 2, 2, 2, 2, 2, 2, 2] and [2, 2, 2, 2, 2, 2, 2, 2, 1] broadcast in more than 8 dimensions"),
        ("select", "SELECT", {}, {"condition": (2,), "on_true": (2, 3), "on_false": (2, 4)}, "on_false",
         "the on false is [2, 4], the on true [2, 3]"),
        ("select", "SELECT", {}, {"condition": (3,), "on_true": (2, 3), "on_false": (2, 3)}, "condition",
         "the condition is [3], the choices [2, 3]"),
        ("select", "SELECT", {}, {"condition": (2, 1), "on_true": (2, 3), "on_false": (2, 3)}, "condition",
         "the condition is [2, 1], the choices [2, 3]"),
        ("select", "SELECT", {}, {"condition": (1, 2, 3), "on_true": (2, 3), "on_false": (2, 3)}, "condition",
         "the condition is [1, 2, 3], the choices [2, 3]"),
        ("select", "SELECT", {}, {"condition": (2,), "on_true": (), "on_false": ()}, "condition",
         "the condition is [2], the choices []"),
        ("select_v2", "SELECT_V2", {}, {"condition": (4,), "on_true": (3,), "on_false": (1,)}, "condition",
         "[4] and [3] and [1] do not broadcast"),
    ],
)  # fmt: skip
def test_misfits(
    law: str, opcode: str, options: dict[str, Any], operands: dict[str, Any], role: str | None, found: str
) -> None:
    assert misfit_of((law, opcode, options, {"output": (2,), **operands})) == (role, found)


@pytest.mark.parametrize(
    ("stated", "condition", "on_true", "on_false", "shape"),
    [
        ((1, 1, 1), (1,), (1, 1), (), (1, 1, 1)),
        ((1, 1), (1,), (1, None), (1, 1), (1, None)),
        ((1,), (1,), (1, None), (1, 1), None),
        ((1, 1), None, (1, 1), (1, 1), (1, 1)),
        ((1, 1), (1, 2), (1, 2), (1, 2), (1, 2)),
    ],
)
def test_select_of_single_values(
    stated: Any, condition: Any, on_true: Any, on_false: Any, shape: Any
) -> None:
    """The stated rank is used if every operand has a single element."""
    operands = {"condition": condition, "on_true": on_true, "on_false": on_false, "output": stated}
    assert shapes_of(("select", "SELECT", {}, operands)) == (shape,)


def divided(dtype: str, left: Any, right: Any) -> Any:
    shapes = {"lhs": left, "rhs": right}
    roles = {role: (ShapedOperand(Tensor(0, "", dtype, ()), shape),) for role, shape in shapes.items()}
    return LAWS["divide"](Call("DIV", roles, None, 1))


FIVE, SIX = (2,) * 5, (2,) * 6
MESSAGE = "[2, 2, 2, 2, 2, 2] and {} broadcast in more than 5 dimensions"


@pytest.mark.parametrize(
    ("dtype", "left", "right", "shape"),
    [
        ("int8", FIVE, (2,), FIVE),
        ("int8", SIX, SIX, SIX),
        ("int8", SIX, (None,) * 6, SIX),
        ("uint8", SIX, None, None),
        ("uint8", None, SIX, None),
        ("float32", SIX, (2,), SIX),
    ],
)
def test_division(dtype: str, left: Any, right: Any, shape: Any) -> None:
    assert divided(dtype, left, right) == (shape,)


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
@pytest.mark.parametrize(("right", "shown"), [((2,), "[2]"), ((*FIVE, 1), "[2, 2, 2, 2, 2, 1]")])
def test_division_of_bytes_broadcasts_in_five_dimensions_at_most(dtype: str, right: Any, shown: str) -> None:
    with pytest.raises(ShapeError) as raised:
        divided(dtype, SIX, right)
    assert (raised.value.role, raised.value.found) == ("rhs", MESSAGE.format(shown))
