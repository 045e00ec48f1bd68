"""Measurements of strides, dilations and window sizes, computed by hand."""

from __future__ import annotations

from typing import Any

import pytest

from litecheck.model.build import Option
from litecheck.model.types import Tensor
from litecheck.profile.measurements.measured_operator import Measured
from litecheck.profile.measurements.registry import measurement
from litecheck.profile.measurements.windows import channel_axis, channels_last
from tests.profile.measurements.test_options import DEPTHWISE, X, built
from tests.profile.measurements.witnessed import measured_after, plan_of, setter_of


@pytest.mark.parametrize(
    ("name", "opcode", "roles", "options", "wanted"),
    [
        ("smallest_stride", "CONV_2D", {"input": X}, {"stride_w": 2}, 0),
        ("smallest_stride", "CONV_3D", {"input": X}, {"stride_w": 2, "stride_h": 3, "stride_d": -1}, -1),
        ("smallest_stride", "ADD", {"lhs": X}, {}, None),
        ("smallest_dilation", "CONV_2D", {"input": X}, {"dilation_w_factor": 3}, 1),
        ("dilation_w", "CONV_2D", {"input": X}, {"dilation_w_factor": 3}, 3),
        ("dilation_h", "CONV_2D", {"input": X}, {"dilation_w_factor": 3}, 1),
        ("dilation_h", "ADD", {"lhs": X}, {}, None),
        ("largest_step", "CONV_2D", {"input": X}, {"stride_w": 2, "dilation_w_factor": 3}, 3),
        ("smallest_filter", "MAX_POOL_2D", {"input": X}, {"filter_width": 2}, 0),
        ("depth_multiplier_gap", "DEPTHWISE_CONV_2D", DEPTHWISE, {"depth_multiplier": 2}, 0),
        ("multiplied_channel_gap", "DEPTHWISE_CONV_2D", DEPTHWISE, {"depth_multiplier": 2}, 0),
        ("multiplied_channel_gap", "DEPTHWISE_CONV_2D", DEPTHWISE, {"depth_multiplier": 0}, 6),
        ("multiplied_channel_gap", "DEPTHWISE_CONV_2D", {**DEPTHWISE, "input": ()}, {"depth_multiplier": 1}, None),
        ("depth_multiplier_gap", "DEPTHWISE_CONV_2D", DEPTHWISE, {"depth_multiplier": 3}, 1),
        ("depth_multiplier_gap", "DEPTHWISE_CONV_2D", DEPTHWISE, {"depth_multiplier": 4}, None),
        ("depth_multiplier_gap", "DEPTHWISE_CONV_2D", DEPTHWISE, {"depth_multiplier": 0}, None),
        ("depth_multiplier_gap", "DEPTHWISE_CONV_2D", {**DEPTHWISE, "input": ("int16", X)}, {"depth_multiplier": 3}, None),
        ("stride_w", "CONV_2D", {"input": X}, {"stride_w": 2, "stride_h": 3}, 2),
        ("stride_w", "CONV_2D", {"input": X}, {}, None),
        ("stride_h", "CONV_2D", {"input": X}, {"stride_w": 2, "stride_h": 3}, 3),
        ("stride_h", "ADD", {"input": X}, {}, None),
        ("kernel_h", "CONV_2D", {"input": X, "weight": (8, 2, 5, 3)}, {}, 2),
        ("kernel_w", "CONV_2D", {"input": X, "weight": (8, 2, 5, 3)}, {}, 5),
        ("kernel_h", "FULLY_CONNECTED", {"input": X, "weight": (8, 2)}, {}, None),
        ("kernel_h", "MAX_POOL_2D", {"input": X}, {"filter_height": 4, "filter_width": 6}, 4),
        ("kernel_w", "MAX_POOL_2D", {"input": X}, {"filter_height": 4, "filter_width": 6}, 6),
        ("kernel_w", "MAX_POOL_2D", {"input": X}, {}, None),
        ("dilated_kernel_h", "CONV_2D", {"input": X, "weight": (8, 2, 5, 3)}, {"dilation_h_factor": 3}, 4),
        ("dilated_kernel_h", "CONV_2D", {"input": X, "weight": (8, 2, 5, 3)}, {"dilation_w_factor": 3}, 2),
        ("dilated_kernel_w", "CONV_2D", {"input": X, "weight": (8, 2, 5, 3)}, {"dilation_w_factor": 3}, 13),
        ("dilated_kernel_w", "MAX_POOL_2D", {"input": X}, {"filter_width": 6}, 6),
        ("dilated_kernel_w", "MAX_POOL_2D", {"input": X}, {}, None),
        ("dilated_kernel_h", "ADD", {"input": X}, {}, None),
        ("accumulation_depth", "CONV_2D", {"input": X, "weight": (8, 2, 5, 3)}, {}, 30),
        ("accumulation_depth", "CONV_2D", {"input": X, "weight": (0, 2, 5, 3)}, {}, None),
        ("accumulation_depth", "CONV_2D", {"input": X, "weight": ()}, {}, None),
        ("accumulation_depth", "CONV_2D", {"input": X}, {}, None),
        ("accumulation_depth", "FULLY_CONNECTED", {"input": X, "weight": (8, 7)}, {}, 7),
        ("accumulation_depth", "DEPTHWISE_CONV_2D", {"input": X, "weight": (1, 2, 5, 3)}, {}, 10),
        ("accumulation_depth", "DEPTHWISE_CONV_2D", {"input": X, "weight": (2, 5, 3)}, {}, None),
        ("smallest_stride", "CONV_2D", {"input": X}, {"stride_w": 2, "stride_h": 3}, 2),
        ("dilation_h", "CONV_2D", {"input": X}, {"dilation_h_factor": 4, "dilation_w_factor": 3}, 4),
        ("smallest_dilation", "CONV_3D", {"input": X},
         {"dilation_h_factor": 4, "dilation_w_factor": 3, "dilation_d_factor": 2}, 2),
        ("largest_step", "CONV_3D", {"input": X}, {"stride_w": 2, "stride_d": 7, "dilation_d_factor": 3}, 7),
        ("largest_step", "TRANSPOSE_CONV", {"input": X}, {"stride_w": 2, "stride_h": 5}, 5),
        ("largest_step", "ADD", {"input": X}, {}, None),
        ("smallest_filter", "MAX_POOL_2D", {"input": X}, {"filter_height": 4, "filter_width": 6}, 4),
        ("smallest_filter", "CONV_2D", {"input": X}, {}, None),
        ("depth_multiplier_gap", "DEPTHWISE_CONV_2D", DEPTHWISE, {"depth_multiplier": 1}, 3),
        ("depth_multiplier_gap", "DEPTHWISE_CONV_2D", {**DEPTHWISE, "input": ("int8", X)}, {"depth_multiplier": 6}, 2),
        ("depth_multiplier_gap", "DEPTHWISE_CONV_2D", {**DEPTHWISE, "input": ()}, {"depth_multiplier": 6}, None),
        ("depth_multiplier_gap", "DEPTHWISE_CONV_2D", {**DEPTHWISE, "weight": ()}, {"depth_multiplier": 6}, None),
        ("depth_multiplier_gap", "DEPTHWISE_CONV_2D", {"input": X}, {"depth_multiplier": 6}, None),
        ("depth_multiplier_gap", "CONV_2D", {"input": X, "weight": (8, 2, 5, 3)}, {}, None),
    ],
)  # fmt: skip
def test_values(
    name: str, opcode: str, roles: dict[str, Any], options: dict[str, Option], wanted: Measured
) -> None:
    assert measurement(name)(built(opcode, roles, **options)) == wanted


@pytest.mark.parametrize(
    ("name", "opcode", "values"),
    [
        ("stride_w", "CONV_2D", (1, 2, 5)),
        ("stride_h", "MAX_POOL_2D", (1, 2, 5)),
        ("kernel_h", "CONV_2D", (0, 1, 5)),
        ("kernel_h", "MAX_POOL_2D", (1, 5)),
        ("kernel_w", "CONV_2D", (0, 1, 5)),
        ("kernel_w", "AVERAGE_POOL_2D", (1, 5)),
        ("dilated_kernel_h", "CONV_2D", (1, 2, 5)),
        ("dilated_kernel_h", "MAX_POOL_2D", (1, 5)),
        ("dilated_kernel_w", "DEPTHWISE_CONV_2D", (1, 2, 5)),
        ("accumulation_depth", "CONV_2D", (1, 2, 5)),
        ("accumulation_depth", "FULLY_CONNECTED", (1, 2, 5)),
        ("accumulation_depth", "DEPTHWISE_CONV_2D", (1, 2, 5)),
        ("smallest_stride", "CONV_2D", (-1, 0, 2)),
        ("smallest_stride", "CONV_3D", (-1, 0, 2)),
        ("dilation_w", "CONV_2D", (1, 3)),
        ("dilation_h", "CONV_2D", (1, 3)),
        ("smallest_dilation", "CONV_2D", (-1, 0, 3)),
        ("largest_step", "CONV_2D", (1, 2, 5)),
        ("largest_step", "TRANSPOSE_CONV", (1, 2, 5)),
        ("smallest_filter", "MAX_POOL_2D", (-1, 0, 3)),
        ("depth_multiplier_gap", "DEPTHWISE_CONV_2D", (0, 1, 5)),
    ],
)
def test_setter_sets_the_value(name: str, opcode: str, values: tuple[Any, ...]) -> None:
    assert [measured_after(name, opcode, value) for value in values] == list(values)


@pytest.mark.parametrize(
    ("name", "opcode", "value"),
    [
        ("kernel_h", "CONV_2D", -1),
        ("kernel_w", "CONV_2D", -1),
        ("kernel_h", "ADD", 3),
        ("accumulation_depth", "CONV_2D", 0),
        ("accumulation_depth", "ADD", 3),
        ("stride_w", "ADD", 3),
        ("largest_step", "ADD", 3),
    ],
)
def test_setter_without_a_plan(name: str, opcode: str, value: int) -> None:
    assert measured_after(name, opcode, value) == "no plan"


def test_setter_of_a_size_keeps_the_other_dimensions() -> None:
    for name, shape in (("kernel_h", (4, 3, 4, 4)), ("kernel_w", (4, 4, 3, 4))):
        changed = setter_of(name).apply(plan_of("CONV_2D"), 3)
        assert changed is not None
        weight = changed.one("weight")
        assert weight is not None
        assert weight.shape == shape


def test_setter_of_a_dilated_size_removes_the_dilation() -> None:
    dilated = plan_of("CONV_2D").option(dilation_h_factor=3, dilation_w_factor=3)
    for name, option in (
        ("dilated_kernel_h", "dilation_h_factor"),
        ("dilated_kernel_w", "dilation_w_factor"),
    ):
        changed = setter_of(name).apply(dilated, 3)
        assert changed is not None
        assert changed.options is not None
        assert changed.options[option] == 1


def test_dimension_of_output_channels() -> None:
    weight = Tensor(0, "weight", "int8", (1, 3, 3, 8))
    assert (channels_last("DEPTHWISE_CONV_2D"), channels_last("CONV_2D")) == (True, False)
    for opcode, axis in (("DEPTHWISE_CONV_2D", 3), ("CONV_2D", 0)):
        assert channel_axis(built(opcode, {"input": X}).operator, weight) == axis
