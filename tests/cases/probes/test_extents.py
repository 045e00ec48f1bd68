"""Sizes that probes of extents reach: windows, channels, products, batches and outputs."""

from __future__ import annotations

import re

import numpy as np
import pytest

from litecheck.cases.probes.extents import Window
from litecheck.cases.probes.probe import Probe
from litecheck.profile.operators import traits_of
from tests.cases.probes.fingerprint import fingerprint, of_family

#: The same options give the same bytes (docs/suite.md).
RECORDED = {
    "CONV_2D": "425d96efb8b4",
    "DEPTHWISE_CONV_2D": "f6f0aa93ae20",
    "FULLY_CONNECTED": "8b63b54de92f",
    "TRANSPOSE_CONV": "de6cfcff3901",
    "BATCH_MATMUL": "651198e771a3",
}
WINDOWED = ("CONV_2D", "DEPTHWISE_CONV_2D", "TRANSPOSE_CONV")


def probes(opcode: str) -> tuple[Probe, ...]:
    return of_family(f"{opcode.lower()}_extents", opcode)


def shapes(probe: Probe) -> dict[str, tuple[int, ...]]:
    (operator,) = probe.subgraph.operators
    found = [probe.subgraph.tensors[i].shape for i in operator.inputs]
    (output,) = probe.subgraph.outputs
    return dict(zip(traits_of(probe.opcode).inputs, found, strict=False)) | {
        "output": probe.subgraph.tensors[output].shape
    }


@pytest.mark.parametrize("opcode", RECORDED)
def test_the_same_seed_draws_the_same_probes(opcode: str) -> None:
    assert fingerprint(probes(opcode)) == RECORDED[opcode]


def test_a_window() -> None:
    window = Window((3, 2), (2, 1), (1, 1), "SAME")
    assert str(window) == "3 x 2, strides 2 and 1, SAME"
    assert str(window._replace(dilation=(1, 4))) == "3 x 2, strides 2 and 1, dilations 1 and 4, SAME"
    assert window._replace(dilation=(5, 4)).options == {
        "stride_h": 2, "stride_w": 1, "padding": "SAME", "dilation_h_factor": 5, "dilation_w_factor": 4,
    }  # fmt: skip


@pytest.mark.parametrize("opcode", WINDOWED)
def test_height_and_width_differ_in_each_property(opcode: str) -> None:
    """A device that swaps the axes shows only where filters, strides or dilations are not square."""
    differ: dict[str, set[bool]] = {"filter": set(), "stride": set(), "dilation": set()}
    for each in probes(opcode):
        options = each.subgraph.operators[0].options
        assert options is not None
        _, height, width, _ = shapes(each)["weight"]
        differ["filter"].add(height != width)
        differ["stride"].add(options.get("stride_h") != options.get("stride_w"))
        differ["dilation"].add(options.get("dilation_h_factor", 1) != options.get("dilation_w_factor", 1))
    dilated = {False} if opcode == "TRANSPOSE_CONV" else {False, True}
    assert differ == {"filter": {False, True}, "stride": {False, True}, "dilation": dilated}


@pytest.mark.parametrize("opcode", [*WINDOWED, "FULLY_CONNECTED", "BATCH_MATMUL"])
def test_channels_on_both_sides_of_a_vector_of_32(opcode: str) -> None:
    counts = {
        shapes(p)["output"][-1] for p in probes(opcode) if re.search(r" \d+ (channels|columns)", p.name)
    }
    assert {32, 33} < counts
    assert max(counts) > 64


@pytest.mark.parametrize("opcode", ["CONV_2D", "TRANSPOSE_CONV", "FULLY_CONNECTED", "BATCH_MATMUL"])
def test_products_on_both_sides_of_8_bits(opcode: str) -> None:
    """An 8-bit counter can count 256 products, not 257."""
    deep = {}
    for each in probes(opcode):
        if message := re.search(r" (\d+) products", each.name):
            deep[int(message[1])] = shapes(each)["input" if opcode != "BATCH_MATMUL" else "lhs"][-1]
    assert all(stated == depth for stated, depth in deep.items())
    assert {256, 257} < {*deep}
    assert max(deep) >= 3 * 256


def test_products_of_a_depthwise_convolution() -> None:
    """The depth of a depthwise sum is the window: 17 * 17 = 289 products exceed 256."""
    (deep,) = (p for p in probes("DEPTHWISE_CONV_2D") if "products" in p.name)
    _, height, width, _ = shapes(deep)["weight"]
    assert deep.name == f"random values, {height * width} products"
    assert height * width > 256 >= (height - 1) * width * 0.9


@pytest.mark.parametrize("opcode", [*WINDOWED, "FULLY_CONNECTED", "BATCH_MATMUL"])
def test_outputs_on_both_sides_of_16_bits(opcode: str) -> None:
    """The largest cases have 65,536 outputs, and an additional row; the name states the number."""
    large = [p for p in probes(opcode) if "outputs" in p.name]
    sizes = [int(np.prod(shapes(p)["output"])) for p in large]
    assert [int(p.name.split(", ", 1)[1].split()[0].replace(",", "")) for p in large] == sizes
    assert sizes[0] == 65_536 < sizes[1] <= 65_536 + 1024


@pytest.mark.parametrize("opcode", WINDOWED)
def test_several_batches(opcode: str) -> None:
    batches = [shapes(p)["input"][0] for p in probes(opcode) if opcode != "TRANSPOSE_CONV"]
    if opcode == "TRANSPOSE_CONV":
        batches = [shapes(p)["output"][0] for p in probes(opcode)]
    assert {1, 3} <= {*batches}


def test_groups_and_multipliers() -> None:
    """37 channels do not fill vectors of 8, 16 or 32."""
    (grouped,) = (p for p in probes("CONV_2D") if "groups" in p.name)
    assert shapes(grouped)["input"][-1] == 2 * shapes(grouped)["weight"][-1] == 2 * 37
    (doubled,) = (p for p in probes("DEPTHWISE_CONV_2D") if "multiplier 2" in p.name)
    assert shapes(doubled)["output"][-1] == 2 * shapes(doubled)["input"][-1] == 2 * 37


def test_outputs_of_matrices_use_their_range() -> None:
    """The output scale grows with the square root of the number of products."""
    scales = {}
    for each in probes("BATCH_MATMUL"):
        (output,) = each.subgraph.outputs
        scales[shapes(each)["lhs"][-1]] = float(each.subgraph.tensors[output].quantization.scale[0])
    assert scales[256] / scales[37] == pytest.approx((256 / 37) ** 0.5)
    # A product of two uniform int8 values has a standard deviation of 74 * 74 steps. The outputs have 60
    # steps.
    assert scales[37] == pytest.approx(0.03 * 0.02 * 74 * 74 * 37**0.5 / 60)
