"""Sums of products in narrow registers, with numbers calculated by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from litecheck.model.build import ModelBuilder, Option, qparams
from litecheck.model.types import Model
from litecheck.reference.defects import narrow_accumulators as module
from litecheck.reference.defects.narrow_accumulators import AccumulationTerms, deep, sum_in_float16, sum_pairs
from litecheck.reference.defects.registry import DEFECTS
from litecheck.reference.engine.interpreter import run
from tests.reference.defects.test_defects import arithmetic


def taps(inputs: list[int], weights: list[int], bias: int = 0, zero: int = 0) -> AccumulationTerms:
    """Return the terms of one sum of products."""
    x, w = np.array(inputs)[:, None, None], np.array(weights)[:, None, None]
    return AccumulationTerms("row", x, w, (1, 1), zero, np.array([bias]))


#: 127 * 127 is 16,129.
LARGE = [127]


@pytest.mark.parametrize(
    ("given", "total"),
    [
        (taps([10], [3], 0, -9), 57),
        (taps([10, 20], [3, 4], 5), 115),
        # (127 + 128) * 127 twice is 64,770, saturates to 32,767; 128 * 254 = 32,512 is subtracted
        (taps(LARGE * 2, [127, 127]), 255),
        (taps(LARGE * 2, [127, 127], 5), 260),
        # a third product has no partner: 129 * 2 = 258; 128 * 256 = 32,768 is subtracted
        (taps([127, 127, 1], [127, 127, 2]), 257),
        (taps(LARGE * 2, [-128, -128]), 0),
        (taps(LARGE * 4, [127] * 4), 510),
        (taps(LARGE * 2, [127, -127]), 0),
        (taps([1], [1], 2**31 - 1), -(2**31)),
    ],
)
def test_pairs_of_unsigned_products(given: AccumulationTerms, total: int) -> None:
    assert sum_pairs(given).tolist() == [[total]]


@pytest.mark.parametrize(
    ("given", "bits", "bias_last", "bias_first"),
    [
        (taps([10], [3], 5), 16, 35, 35),
        (taps(LARGE * 2, [127] * 2), 16, 32258, 32258),
        (taps(LARGE * 3, [127] * 3), 16, 32767, 32767),
        (taps(LARGE * 4, [127, 127, 127, -127]), 16, 16638, 16638),
        (taps(LARGE * 4, [-127, -127, -127, 127]), 16, -16639, -16639),
        (taps(LARGE * 4, [127, 127, 127, -127], 100), 16, 16738, 16638),
        (taps(LARGE * 3, [127, 127, 127], -20000), 16, 12767, 28387),
        (taps(LARGE * 1, [-1], 40000), 16, 32767, 32640),
        (taps(LARGE * 3, [127] * 3, 5), 20, 48392, 48392),
        (taps(LARGE * 33, [127] * 33), 20, 2**19 - 1, 2**19 - 1),
        (taps(LARGE * 33, [-128] * 33), 20, -(2**19), -(2**19)),
    ],
)
def test_additions_that_saturate(
    given: AccumulationTerms, bits: int, bias_last: int, bias_first: int
) -> None:
    assert module._saturate_every(bits, False, given).tolist() == [[bias_last]]
    assert module._saturate_every(bits, True, given).tolist() == [[bias_first]]


def test_sums_of_several_pixels_groups_and_channels() -> None:
    """3 taps, 2 pixels, 2 groups of 2 channels; the first pixel of the first group is beyond 16 bits."""
    x = np.array([[[127, 1], [0, 2]], [[127, 3], [1, 4]], [[127, 5], [2, 6]]])
    w = np.array([[[127, 1], [2, 3]], [[127, 1], [4, 5]], [[127, 1], [6, 7]]])
    given = AccumulationTerms("window", x, w, (2, 4), 0, np.array([0, 10, 20, 30]))
    exact = [[48387, 391, 64, 83], [381, 13, 76, 98]]
    assert given.sums().tolist() == exact
    assert module._saturate_every(16, False, given).tolist() == [[32767, *exact[0][1:]], exact[1]]
    assert given.zeros().shape == (2, 4)
    assert given.terms_of(np.array([0, 1]), np.array([0, 3])).tolist() == [
        [127 * 127, 6],
        [127 * 127, 20],
        [127 * 127, 42],
    ]
    assert [product.tolist() for product in given.products(1)][1] == [[126 * 127, 126, 8, 10], [0, 0, 12, 15]]


def test_reach_is_the_sum_of_magnitudes() -> None:
    assert taps([1, -2, 3], [4, 5, -6], -7, zero=1).reach().tolist() == [[0 * 4 + 3 * 5 + 2 * 6 + 7]]


@pytest.mark.parametrize(
    ("count", "total"),
    [(256, None), (257, [[32767]])],
)
def test_deep_sums_saturate(count: int, total: Any) -> None:
    """Sums of up to 256 products are unchanged."""
    found = deep(taps([127] * count, [127] * count))
    assert (None if found is None else found.tolist()) == total


@pytest.mark.parametrize(
    ("given", "total"),
    [
        (taps([10, 20], [3, 4], 5), 115),
        # float16 has steps of 2 from 2048 on: 2,048 + 1 rounds to 2,048, + 3 to 2,052
        (taps([64, 1], [32, 1]), 2048),
        (taps([64, 3], [32, 1]), 2052),
        (taps([64], [32], 1), 2048),
        (taps([10], [3], 0, -9), 57),
        (taps(LARGE * 5, [127] * 5), 2**31 - 1),
        (taps(LARGE * 5, [-127] * 5), -(2**31)),
    ],
)
def test_sums_of_float16(given: AccumulationTerms, total: int) -> None:
    assert sum_in_float16(given).tolist() == [[total]]


@pytest.mark.parametrize(
    ("given", "bits", "total"),
    [
        (taps([10], [3], 5), 16, 35),
        (taps([1], [1], 32766), 16, 32767),
        (taps([1], [1], 32767), 16, -32768),
        (taps([-1], [1], -32768), 16, 32767),
        (taps([1], [1], 2**19 - 1), 20, -(2**19)),
        (taps([1], [1], 2**20), 20, 1),
    ],
)
def test_sums_that_wrap(given: AccumulationTerms, bits: int, total: int) -> None:
    assert module._wrap_sums(bits, given).tolist() == [[total]]


def test_names_and_descriptions() -> None:
    after = "bits after every addition, bias"
    wraps = "wraps the accumulator to {} bits"
    expected = {
        "u8s8": "converts inputs to uint8, and saturates the sum of every two products to 16 bits",
        "accumulator-16-deep": "saturates the accumulator of more than 256 products to 16 bits after every "
        "addition, bias last",
        "accumulator-float16": "rounds the accumulator to float16 after every addition, bias last",
    }
    for bits in (16, 20, 24, 32):
        expected[f"accumulator-{bits}"] = f"saturates the accumulator to {bits} {after} last"
        expected[f"accumulator-{bits}-bias-first"] = f"saturates the accumulator to {bits} {after} first"
    expected |= {f"accumulator-{bits}-wraps": wraps.format(bits) for bits in (16, 20, 24)}
    registered = {
        name: one for name, one in DEFECTS.items() if name in expected or name.startswith("accumulator")
    }
    assert {name: one.description for name, one in registered.items()} == expected
    assert all(one.windowed for one in registered.values())


def layer(
    opcode: str,
    x: tuple[int, ...],
    w: tuple[int, ...],
    y: tuple[int, ...],
    *,
    biased: bool = True,
    **options: Option,
) -> tuple[Model, Any]:
    """Return a layer of small random integers with at least two scales, and its input."""
    rng = np.random.default_rng(5)
    channels, axis = (w[-1], 3) if opcode == "DEPTHWISE_CONV_2D" else (w[0], 0)
    scales = np.linspace(0.125, 0.5, channels).astype(np.float32)
    builder = ModelBuilder()
    graph = builder.subgraph()
    given = graph.tensor("x", x, "int8", qparams(0.25, 3))
    weight = graph.constant("w", rng.integers(-9, 10, w).astype(np.int8), qparams(scales, 0, axis))
    bias = graph.constant("b", rng.integers(-99, 100, channels).astype(np.int32), qparams(scales / 4))
    result = graph.tensor("y", y, "int8", qparams(2.0, -5))
    graph.add(opcode, [given, weight, *([bias] if biased else [])], [result], **options)
    graph.inputs(given)
    graph.outputs(result)
    return builder.finish(), rng.integers(-20, 21, x).astype(np.int8)


LAYERS = [
    layer("FULLY_CONNECTED", (3, 4), (5, 4), (3, 5)),
    layer("FULLY_CONNECTED", (2, 3, 4), (5, 4), (6, 5), biased=False),
    layer("FULLY_CONNECTED", (2, 3, 4), (5, 4), (2, 3, 5), keep_num_dims=True),
    layer("CONV_2D", (2, 6, 5, 3), (4, 3, 2, 3), (2, 3, 5, 4), stride_h=2, stride_w=1, padding="SAME"),
    layer("CONV_2D", (1, 6, 5, 4), (6, 2, 2, 2), (1, 5, 2, 6), stride_h=1, stride_w=2, padding="VALID"),
    layer("CONV_2D", (1, 7, 7, 2), (3, 3, 2, 2), (1, 3, 6, 3), stride_h=1, stride_w=1, padding="VALID",
          dilation_h_factor=2, dilation_w_factor=1),
    layer("DEPTHWISE_CONV_2D", (1, 6, 5, 3), (1, 3, 2, 6), (1, 3, 5, 6), stride_h=2, stride_w=1, padding="SAME",
          depth_multiplier=2),
]  # fmt: skip


@pytest.mark.parametrize("built", LAYERS, ids=lambda built: built[0].subgraphs[0].operators[0].opcode)
@pytest.mark.parametrize(
    "defect", ["accumulator-24", "accumulator-32-bias-first", "accumulator-24-wraps", "u8s8"]
)
def test_a_register_that_is_wide_enough_changes_nothing(built: tuple[Model, Any], defect: str) -> None:
    """All sums are below 2^15, so that a register of 16 bits changes nothing."""
    model, values = built
    opcode = model.subgraphs[0].operators[0].opcode
    sound = run(model, (values,), arithmetic=arithmetic(opcode)).outputs["y"]
    changed = run(model, (values,), arithmetic=arithmetic(opcode, defect=defect)).outputs["y"]
    assert len(np.unique(sound)) > 5
    np.testing.assert_array_equal(changed, sound)
