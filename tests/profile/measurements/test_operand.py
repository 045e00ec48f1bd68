"""Measurements of a single tensor, computed by hand, and the setters that a solver uses."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from litecheck.model.build import Option, qparams
from litecheck.model.types import Tensor
from litecheck.profile.measurements.measured_operator import Measured
from litecheck.profile.measurements.register import OPERAND
from litecheck.profile.measurements.registry import operand_measurements
from litecheck.profile.operator_plan import TensorPlan
from tests.profile.measurements.test_indices import X, ints, measured
from tests.profile.measurements.witnessed import measured_after


@pytest.mark.parametrize(
    ("name", "opcode", "roles", "options", "wanted"),
    [
        ("paddings.smallest", "PAD", {"input": X, "paddings": ints([[0, -3], [2, 1]])}, {}, -3),
        ("paddings.smallest", "PAD", {"input": X, "paddings": (4, 2)}, {}, None),
        ("paddings.smallest", "PAD", {"input": X, "paddings": ints([])}, {}, None),
        ("strides.zeros", "STRIDED_SLICE", {"input": X, "strides": ints(0, 1, 0, 2)}, {}, 2),
        ("rhs.float_zeros", "FLOOR_DIV", {"lhs": X, "rhs": ints(0, 1, -0.0, dtype="float32")}, {}, 2),
        ("rhs.float_zeros", "FLOOR_DIV", {"lhs": X, "rhs": ints(0, 1)}, {}, None),
        ("rhs.at_zero_point", "DIV", {"lhs": X, "rhs": ints(0, 1, 0, dtype="int8")}, {}, 2),
        ("rhs.at_zero_point", "DIV", {"lhs": X, "rhs": (4,)}, {}, None),
        ("size_splits.unknowns", "SPLIT_V", {"input": X, "size_splits": ints(-1, 2, -1)}, {}, 2),
    ],
)  # fmt: skip
def test_values(
    name: str, opcode: str, roles: dict[str, Any], options: dict[str, Option], wanted: Measured
) -> None:
    assert measured(name, opcode, roles, **options) == wanted


def of(dtype: str, *shape: int, scale: Any = None, zero: Any = 0, data: Any = None) -> Tensor:
    """Return a tensor; ``data`` are the stored integers of a constant."""
    parameters = {} if scale is None else {"quantization": qparams(scale, zero)}
    stored = {} if data is None else {"data": np.array(data, dtype).reshape(-1).view(np.uint8)}
    return Tensor(0, "x", dtype, shape, **parameters, **stored)  # type: ignore[arg-type]


CHANNELS = of("int8", 4, scale=[0.5] * 4, zero=[0, 3, -1, 0])


@pytest.mark.parametrize(
    ("name", "tensor", "wanted"),
    [
        ("lowest", of("int8", 2, scale=0.5, zero=-128), 0),
        ("lowest", of("int8", 2, scale=0.5, zero=3), -131),
        ("lowest", of("uint8", 2, scale=0.5, zero=3), -3),
        ("lowest", of("float32", 2, scale=0.5, zero=3), None),
        ("lowest", CHANNELS, None),
        ("lowest", of("int8", 2), None),
        ("rank", of("int8", 2, 3, 4), 3),
        ("rank", of("int8"), 0),
        ("channels", of("int8", 2, 3, 4), 4),
        ("channels", of("int8"), None),
        ("batch", of("int8", 2, 3, 4), 2),
        ("batch", of("int8"), None),
        ("height", of("int8", 2, 3, 4, 5), 3),
        ("height", of("int8", 2, 3, 4), None),
        ("width", of("int8", 2, 3, 4, 5), 4),
        ("width", of("int8", 2, 3, 4), None),
        ("elements", of("int8", 2, 3, 4), 24),
        ("elements", of("int8"), 1),
        ("stored_bytes", of("int16", 2, 3), 12),
        ("stored_bytes", of("int4", 3), 2),
        ("stored_bytes", of("int8"), 1),
        ("stored_bytes", of("string", 3), None),
        ("int4_scales", of("int4", 4, scale=[0.5] * 4, zero=[0] * 4), 4),
        ("int4_scales", of("int4", 4), 0),
        ("int4_scales", of("int8", 4, scale=0.5), None),
        ("channel_zero_points", CHANNELS, 2),
        ("channel_zero_points", of("int8", 4, scale=0.5, zero=3), None),
        ("channel_zero_points", of("int8", 2, scale=[0.5, 0.25], zero=[3, 0]), 1),
        ("largest", of("int8", 2, data=[-5, 3]), 5),
        ("largest", of("int8", 2, data=[-5, 7]), 7),
        ("largest", of("int8", 1, data=[-128]), 128),
        ("largest", of("float32", 2, data=[-5, 3]), None),
        ("largest", of("int8", 0, data=[]), None),
        ("largest", of("int8", 2), None),
        ("constant", of("int8", 2, data=[1, 2]), "yes"),
        ("constant", of("int8", 2), "no"),
        ("scale", of("int8", 2, scale=0.25), Fraction(1, 4)),
        ("scale", of("int8", 2, scale=np.inf), None),
        ("scale", of("int8", 2, scale=np.nan), None),
        ("scale", CHANNELS, None),
        ("smallest", of("int32", 3, data=[3, -1, 2]), -1),
        ("smallest", of("float32", 3, data=[3, -1, 2]), None),
        ("zeros", of("int32", 3, data=[0, 2, 0]), 2),
        ("zeros", of("int32", 3), None),
        ("float_zeros", of("float32", 3, data=[0, 2, 0]), 2),
        ("float_zeros", of("int32", 3, data=[0, 2, 0]), None),
        ("float_zeros", of("float32", 3), None),
        ("at_zero_point", of("int8", 3, data=[3, 5, 3], scale=0.5, zero=3), 2),
        ("at_zero_point", of("int8", 3, data=[0, 5, 3]), 1),
        ("at_zero_point", of("int8", 2, data=[0, 5], scale=[0.5, 0.5], zero=[0, 0]), None),
        ("at_zero_point", of("float32", 3, data=[0, 5, 3]), None),
        ("unknowns", of("int32", 3, data=[-1, 4, -1]), 2),
        ("unknowns", of("int32", 3), None),
    ],
)
def test_values_of_a_tensor(name: str, tensor: Tensor, wanted: Measured) -> None:
    assert operand_measurements()[name](tensor) == wanted


@pytest.mark.parametrize(
    ("name", "opcode", "values"),
    [
        ("input.lowest", "SQRT", (0, -1, -255)),
        ("input.rank", "SOFTMAX", (0, 1, 4, 6)),
        ("input.channels", "CONV_2D", (0, 1, 5)),
        ("input.batch", "CONV_2D", (0, 1, 5)),
        ("input.height", "CONV_2D", (0, 1, 5)),
        ("input.width", "CONV_2D", (0, 1, 5)),
        ("axis.elements", "ARG_MAX", (0, 1, 5)),
        ("input.stored_bytes", "CONV_2D", (0, 1, 5)),
        ("axis.stored_bytes", "ARG_MAX", (0, 4, 20)),
        ("input.int4_scales", "CONV_2D", (0, 1, 4)),
        ("input.channel_zero_points", "CONV_2D", (0, 1, 4)),
        ("bias.largest", "CONV_2D", (0, 1, 2**31 - 1, 2**31)),
        ("window_shape.constant", "REDUCE_WINDOW", ("yes", "no")),
        ("input.scale", "LOG_SOFTMAX", (1, 2, 5)),
        ("size.smallest", "RESIZE_BILINEAR", (-1, 0, 5, 2**31 - 1, 2**31)),
        ("strides.zeros", "STRIDED_SLICE", (0, 1, 5)),
        ("rhs.float_zeros", "FLOOR_DIV", (0, 1, 5)),
        ("rhs.at_zero_point", "DIV", (0, 1, 5)),
        ("size_splits.unknowns", "SPLIT_V", (0, 1, 5)),
    ],
)
def test_setter_sets_the_value(name: str, opcode: str, values: tuple[Any, ...]) -> None:
    assert [measured_after(name, opcode, value) for value in values] == list(values)


@pytest.mark.parametrize(
    ("name", "opcode", "value"),
    [
        ("input.lowest", "SQRT", 1),
        ("input.lowest", "SQRT", -256),
        ("input.rank", "SOFTMAX", -1),
        ("input.channels", "CONV_2D", -1),
        ("axis.elements", "ARG_MAX", -1),
        ("input.stored_bytes", "CONV_2D", -1),
        ("axis.stored_bytes", "ARG_MAX", 5),
        ("input.channel_zero_points", "CONV_2D", -1),
        ("input.channel_zero_points", "CONV_2D", 5),
        ("input.scale", "LOG_SOFTMAX", 0),
    ],
)
def test_setter_without_a_plan(name: str, opcode: str, value: int) -> None:
    assert measured_after(name, opcode, value) == "no plan"


@pytest.mark.parametrize(
    ("name", "dtype", "value", "values", "made"),
    [
        ("zeros", "int32", 1, [0, 1, 1, 1], "int32"),
        ("zeros", "int32", 5, [0] * 5, "int32"),
        ("float_zeros", "float32", 2, [0, 0, 1, 1], "float32"),
        ("unknowns", "int32", 1, [-1, 1, 1, 1], "int32"),
        ("at_zero_point", "int8", 1, [3, 4, 4, 4], "int8"),
        ("at_zero_point", "float32", 1, [3, 4, 4, 4], "int32"),
        ("largest", "int8", 9, [9, 9], "int8"),
        ("largest", "int32", 2**31 - 1, [2**31 - 1] * 2, "int32"),
        ("largest", "int32", 2**31, [2**31] * 2, "int64"),
        ("largest", "uint32", 2**31, [2**31] * 2, "uint32"),
    ],
)
def test_constant_of_a_setter(name: str, dtype: str, value: int, values: list[int], made: str) -> None:
    """A constant has 4 values, unless the measurement counts more or the tensor has a shape."""
    tensor = TensorPlan(dtype, (2,), qparams(0.5, 3))
    changed = OPERAND[name][1].apply(tensor, value)
    assert changed is not None
    assert changed.values is not None
    assert (changed.values.tolist(), changed.dtype) == (values, made)


@pytest.mark.parametrize(
    ("name", "value", "scales", "zero_points"),
    [
        ("int4_scales", 1, [0.25], [0]),
        ("int4_scales", 2, [0.25] * 4, [0]),
        ("channel_zero_points", 1, [0.25] * 4, [3, 0, 0, 0]),
        ("channel_zero_points", 4, [0.25] * 4, [3] * 4),
    ],
)
def test_scales_of_a_setter(name: str, value: int, scales: list[float], zero_points: list[int]) -> None:
    changed = OPERAND[name][1].apply(TensorPlan("int8", (4,), qparams(0.5, 3)), value)
    assert changed is not None
    assert changed.scale.tolist() == scales
    assert changed.zero_point.tolist()[: len(zero_points)] == zero_points
