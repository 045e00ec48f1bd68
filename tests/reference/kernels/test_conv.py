"""CONV_2D on inputs with outputs calculated by hand, and the laws of blocks, batches and groups."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from litecheck.reference.backends import XNNPACK
from litecheck.reference.kernels import conv
from litecheck.reference.runtime_tensors import RunError

from .layers import DOUBLE, RELU, RELU6, SAME, VALID, output, real, stored, window_options

#: 3 x 3 pixels. Minus the zero point 1 they are 0, 1, 2 / 3, 4, 5 / 6, 7, 8.
IMAGE = np.arange(1, 10).reshape(1, 3, 3, 1)
#: The pixel plus twice its neighbor to the lower right.
FILTER = np.array([[1, 0], [0, 2]]).reshape(1, 2, 2, 1)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (window_options(), [[8, 11], [17, 20]]),
        (window_options(SAME), [[8, 11, 2], [17, 20, 5], [6, 7, 8]]),
        (window_options(SAME, (2, 2)), [[8, 2], [6, 8]]),
        (window_options(VALID, (2, 1)), [[8, 11]]),
        (window_options(VALID, (1, 2)), [[8], [17]]),
        (window_options(VALID, dilation=(2, 2)), [[16]]),
        (window_options(VALID, dilation=(1, 2)), [[10], [19]]),
        (window_options(VALID, dilation=(2, 1)), [[14, 17]]),
    ],
)
@pytest.mark.parametrize(("bias", "offset"), [(None, 0), (10, 10)])
def test_sums_of_windows(options: Any, expected: list[list[int]], bias: int | None, offset: int) -> None:
    """0.5 * 0.25 / 0.125 = 1, so that an output is the sum plus its zero point -5."""
    added = None if bias is None else stored([bias], 0.125, dtype="int32")
    image, weight = stored(IMAGE, 0.5, 1), stored(FILTER, 0.25)
    made = conv.conv_2d(image, weight, added, output(0.125, -5), options, DOUBLE)
    assert made.dtype == np.int8
    assert made[0, :, :, 0].tolist() == (np.array(expected) + offset - 5).tolist()


def test_each_channel_has_its_scale() -> None:
    """Sums 2 and -2 times 1, then times 0.25: a half is rounded away from zero."""
    image, weight = stored([[[[2]], [[-2]]]]), stored([[[[1]]], [[[1]]]], [1.0, 0.25])
    made = conv.conv_2d(image, weight, None, output(), window_options(), DOUBLE)
    assert made.reshape(2, 2).tolist() == [[2, 1], [-2, -1]]


@pytest.mark.parametrize(("fused", "expected"), [(0, [-60, 60]), (RELU, [4, 60]), (RELU6, [4, 16])])
def test_a_fused_activation_clamps(fused: int, expected: list[int]) -> None:
    """Zero is stored as 4, and 6 in steps of 0.5 as 4 + 12."""
    image = stored([[[[-64], [56]]]], 0.5)
    made = conv.conv_2d(image, stored([[[[1]]]]), None, output(0.5, 4), window_options(fused=fused), DOUBLE)
    assert made.reshape(-1).tolist() == expected


def test_outputs_end_at_the_type() -> None:
    image = stored([[[[-100], [100]]]])
    made = conv.conv_2d(image, stored([[[[2]]]]), None, output(), window_options(), DOUBLE)
    assert made.reshape(-1).tolist() == [-128, 127]


def test_unsigned_values_and_weights_have_zero_points() -> None:
    """(10 - 8) * (7 - 4) + 1 = 7, plus 20."""
    image, weight = stored([[[[10]]]], 1.0, 8, "uint8"), stored([[[[7]]]], 1.0, 4, "uint8")
    bias = stored([1], dtype="int32")
    made = conv.conv_2d(image, weight, bias, output(1.0, 20, "uint8"), window_options(), DOUBLE)
    assert made.dtype == np.uint8
    assert made.reshape(-1).tolist() == [27]


def test_each_group_sees_its_own_channels() -> None:
    """Four filters of depth 1 on two channels are two filters for each channel."""
    image, weight = stored([[[[3, 5]]]]), stored(np.array([1, 2, 3, 4]).reshape(4, 1, 1, 1))
    made = conv.conv_2d(image, weight, None, output(), window_options(), DOUBLE)
    assert made.reshape(-1).tolist() == [3, 6, 15, 20]


@pytest.mark.parametrize("filters", [(2, 1, 1, 2), (2, 1, 1, 4), (4, 1, 1, 1)])
def test_channels_that_do_not_divide(filters: tuple[int, ...]) -> None:
    image, weight = stored(np.zeros((1, 1, 1, 3))), stored(np.zeros(filters))
    message = f"3 input channels do not divide among {filters[0]} filters of depth {filters[3]}"
    with pytest.raises(RunError, match=message):
        conv.conv_2d(image, weight, None, output(), window_options(), DOUBLE)


@pytest.mark.parametrize("block", [1, 40, 200, 1 << 19])
def test_blocks_change_nothing(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch of 3 in blocks of several entries or some rows equals the outputs of each entry."""
    random = np.random.default_rng(0)
    image, weight = random.integers(-9, 9, (3, 5, 4, 4)), stored(random.integers(-9, 9, (4, 2, 3, 2)))
    options, made = window_options(SAME), output(9.0)
    alone = [conv.conv_2d(stored(image[n : n + 1]), weight, None, made, options, DOUBLE) for n in range(3)]
    monkeypatch.setattr(conv, "BLOCK", block)
    together = conv.conv_2d(stored(image), weight, None, made, options, DOUBLE)
    assert np.array_equal(together, np.concatenate(alone))
    assert len(np.unique(together)) > 5


def test_the_real_convolution() -> None:
    options = window_options(SAME, (2, 2), fused=RELU)
    image = real(IMAGE - 5)  # -4, -3, -2 / -1, 0, 1 / 2, 3, 4
    made = conv.conv_2d_float(image, real(FILTER), real([0.5]), output(dtype="float32"), options, {})
    assert made[0, :, :, 0].tolist() == [[0.0, 0.0], [2.5, 4.5]]
    bare = conv.conv_2d_float(image, real(FILTER), None, output(dtype="float32"), window_options(), {})
    assert bare[0, :, :, 0].tolist() == [[-4.0, -1.0], [5.0, 8.0]]


@pytest.mark.parametrize("variant", ["by-scales", "xnnpack"])
def test_int8_weights_on_real_images(variant: str) -> None:
    """Each entry has its scale: 127 and -64 times 0.01, 127 and 0 times 0.1. Sums 62 and 254, weights in halves."""
    image = real([[[[1.27, -0.64]]], [[[12.7, 0.0]]]])
    weight, bias = stored([[[[2, 3]]]], 0.5), real([1.0])
    made = conv.conv_2d_float(
        image, weight, bias, output(dtype="float32"), window_options(), {"dynamic": variant}, frozenset()
    )
    np.testing.assert_allclose(made.reshape(-1), [1.31, 13.7], rtol=1e-6)


@pytest.mark.parametrize(
    ("scales", "depth", "variant", "backends", "expected"),
    [
        ([0.5, 0.5], 2, "by-scales", (), "symmetric"),
        ([0.5, 0.25], 2, "by-scales", (), "asymmetric"),
        ([0.5, 0.5], 1, "by-scales", (), "asymmetric"),
        ([0.5, 0.5], 2, "xnnpack", (), "symmetric"),
        ([0.5, 0.5], 2, "xnnpack", (XNNPACK,), "xnnpack"),
        ([0.5, 0.5], 2, "by-scales", (XNNPACK,), "symmetric"),
    ],
)
def test_quantization_of_an_image(
    scales: list[float], depth: int, variant: str, backends: tuple[Any, ...], expected: str
) -> None:
    image, weight = real(np.zeros((1, 1, 1, 2))), stored(np.zeros((2, 1, 1, depth)), scales)
    assert conv._dynamic(image, weight, {"dynamic": variant}, frozenset(backends)) == expected


def test_weights_without_a_kernel() -> None:
    with pytest.raises(RunError, match="no kernel for float32 activations under uint8 weights"):
        conv.conv_2d_float(
            real(IMAGE), stored(FILTER, dtype="uint8"), None, output(dtype="float32"), window_options(), {}
        )


def test_a_filter_of_one_channel_is_no_matrix_product() -> None:
    """XNNPACK quantizes each pixel for a matrix product, otherwise each entry of the batch as a whole.

    The second of two pixels is a hundredth of the first: in the scale of the entry 1.27 / 127 * 0.5 it is 1 or 2.
    """
    pixels = real([[[[1.27], [0.0126]]]])
    for filters in ([[[[1]]]], [[[[1]]], [[[1]]]]):
        made = conv.conv_2d_float(
            pixels, stored(filters, 1.0), None, output(dtype="float32"), window_options(),
            {"dynamic": "xnnpack"}, frozenset({XNNPACK}),
        )  # fmt: skip
        alone = conv.conv_2d_float(
            real([[[[0.0126]]]]), stored(filters, 1.0), None, output(dtype="float32"), window_options(),
            {"dynamic": "xnnpack"}, frozenset({XNNPACK}),
        )  # fmt: skip
        by_pixel = np.allclose(made[0, 0, 1], alone[0, 0, 0], rtol=1e-6, atol=0)
        assert by_pixel == (len(filters) > 1)
