"""Operands of layers that sum products: scales, shapes, options; value ranges of drawn layers."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.cases.probes.layers import (
    WINDOWED,
    LayerProbe,
    channel_axis,
    draw_layer,
    plainly,
    rails,
    small_layer,
)
from litecheck.cases.probes.probe import Probe
from litecheck.model.stored_values import stored_integers
from litecheck.model.types import Tensor
from litecheck.profile.operators import traits_of
from litecheck.reference.engine.interpreter import ReferenceInterpreter

SUMS = ("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED", "TRANSPOSE_CONV")


def layer(weights: tuple[int, ...], image: tuple[int, ...], channels: int) -> LayerProbe:
    """Return a layer with all inputs 1, input scale 0.5, weight scales 1, 2, ... and biases 0, 1, ..."""
    scales = np.arange(1, channels + 1).astype(np.float32)
    bias = np.arange(channels, dtype=np.int32)
    x, w = np.ones(image, np.int8), np.ones(weights, np.int8)
    return LayerProbe(x, w, bias, (0.5, -7), scales, (0.25, 5))


def tensors(probe: Probe) -> dict[str, Tensor]:
    (operator,) = probe.subgraph.operators
    found = (probe.subgraph.tensors[i] for i in (*operator.inputs, *operator.outputs))
    return dict(zip((*traits_of(probe.opcode).inputs, "output"), found, strict=False))


def option(probe: Probe, name: str) -> object:
    options = probe.subgraph.operators[0].options
    assert options is not None
    return options.get(name)


def test_quantization_of_the_operands() -> None:
    found = tensors(layer((3, 1, 1, 2), (1, 4, 5, 2), 3).build_probe("n", "CONV_2D", WINDOWED))
    stated = {
        role: (t.quantization.scale.tolist(), t.quantization.zero_point.tolist(), t.quantization.axis)
        for role, t in found.items()
    }
    assert stated == {
        "input": ([0.5], [-7], 0),
        "weight": ([1, 2, 3], [0, 0, 0], 0),
        "bias": ([0.5, 1, 1.5], [0, 0, 0], 0),
        "output": ([0.25], [5], 0),
    }
    assert stored_integers(found["bias"]).tolist() == [0, 1, 2]
    assert found["output"].shape == (1, 4, 5, 3)


def test_depth_multiplier_is_the_number_of_filters_of_a_channel() -> None:
    """22 filters for 11 channels are 2 filters per channel; their scales lie along the last axis."""
    made = layer((1, 3, 3, 22), (1, 6, 7, 11), 22).build_probe("n", "DEPTHWISE_CONV_2D", WINDOWED)
    assert option(made, "depth_multiplier") == 2
    assert tensors(made)["weight"].quantization.axis == 3
    assert tensors(made)["output"].shape == (1, 4, 5, 22)


@pytest.mark.parametrize(
    ("padding", "strides", "filters", "size"),
    [
        ("SAME", (2, 1), (3, 3), (2, 10, 6, 4)),  # 5 * 2, 6 * 1
        ("VALID", (2, 1), (3, 2), (2, 11, 7, 4)),  # (5 - 1) * 2 + 3, (6 - 1) * 1 + 2
        ("VALID", (3, 2), (1, 4), (2, 13, 14, 4)),  # (5 - 1) * 3 + 1, (6 - 1) * 2 + 4
    ],
)
def test_the_stated_output_of_a_transposed_convolution(
    padding: str, strides: tuple[int, int], filters: tuple[int, int], size: tuple[int, ...]
) -> None:
    options = {"stride_h": strides[0], "stride_w": strides[1], "padding": padding, "dilation_h_factor": 1}
    made = layer((4, *filters, 3), (2, 5, 6, 3), 4).build_probe("n", "TRANSPOSE_CONV", options)
    assert stored_integers(tensors(made)["output_shape"]).tolist() == list(size)
    (output,) = made.subgraph.outputs
    assert made.subgraph.tensors[output].shape == size


def test_places_of_channels() -> None:
    assert {opcode: channel_axis(opcode) for opcode in (*SUMS, "ADD")} == {
        "CONV_2D": 0, "DEPTHWISE_CONV_2D": 3, "FULLY_CONNECTED": 0, "TRANSPOSE_CONV": 0, "ADD": 0,
    }  # fmt: skip


def test_only_operators_with_windows_have_options_of_windows() -> None:
    """A window with stride 1 and without padding gives a sum for each position of the input."""
    assert plainly("FULLY_CONNECTED") == {}
    for opcode in ("CONV_2D", "DEPTHWISE_CONV_2D", "TRANSPOSE_CONV"):
        assert plainly(opcode) == {"stride_h": 1, "stride_w": 1, "padding": "VALID"}


def test_outputs_of_a_drawn_layer_reach_both_ends_of_int8() -> None:
    """Clipping of an output shows only if outputs reach the end; weight scales differ by up to 2^6."""
    rng = np.random.default_rng(5)
    drawn = draw_layer(rng, rng.integers(-128, 128, (64, 37)).astype(np.int8), (67, 37), 64)
    made = drawn.build_probe("n", "FULLY_CONNECTED", {})
    (output,) = made.subgraph.outputs
    found = ReferenceInterpreter(made.model).run(made.subgraph, made.runs[0])[output]
    share = [float((found == end).mean()) for end in (-128, 127)]
    assert all(0.01 < part < 0.4 for part in share)
    assert 2**4 < drawn.weight.max() / drawn.weight.min() <= 2**6
    assert 0.5 < np.abs(drawn.bias).max() / 2**13 <= 1
    assert (drawn.bias < 0).any()


def test_units_of_a_small_layer_change_the_output() -> None:
    """Multipliers of about 1/4 to 1 turn a unit or a few of the sum into a unit of the output."""
    small = small_layer(np.random.default_rng(5), (64, 131), (9, 131))
    multipliers = small.input[0] * small.weight / small.output[0]
    assert ((multipliers > 0.18) & (multipliers < 0.75)).all()
    assert {*(small.x.astype(int) - small.input[1]).ravel().tolist()} == {-2, -1, 0, 1, 2}
    assert {*small.w.ravel().tolist()} == {-2, -1, 0, 1, 2}
    assert {*small.bias.tolist()} <= {*range(-9, 10)}
    assert (small.bias.min(), small.bias.max()) == (-9, 9)


def test_values_at_the_ends_of_int8() -> None:
    """-128 is twice as frequent, because its product with itself is the largest."""
    found, counts = np.unique(rails(np.random.default_rng(5), 100, 100), return_counts=True)
    assert found.tolist() == [-128, -127, 126, 127]
    assert np.rint(counts / 2000).tolist() == [2, 1, 1, 1]
