"""DEPTHWISE_CONV_2D on inputs with outputs calculated by hand, and the laws of blocks and strides."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from litecheck.reference.kernels import depthwise
from litecheck.reference.runtime_tensors import RunError

from .layers import DOUBLE, RELU, SAME, VALID, output, real, stored, window_options

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
    made = depthwise.depthwise_conv_2d(image, weight, added, output(0.125, -5), options, DOUBLE)
    assert made.dtype == np.int8
    assert made[0, :, :, 0].tolist() == (np.array(expected) + offset - 5).tolist()


def test_the_filters_of_a_channel_are_adjacent() -> None:
    """Channels 3 and 5 with two filters each: 3 * 1, 3 * 2, 5 * 3, 5 * 4; the scale of the last filter is 0.25."""
    image, weight = stored([[[[3, 5]]]]), stored([[[[1, 2, 3, 4]]]], [1.0, 1.0, 1.0, 0.25])
    made = depthwise.depthwise_conv_2d(image, weight, None, output(), window_options(), DOUBLE)
    assert made.reshape(-1).tolist() == [3, 6, 15, 5]


@pytest.mark.parametrize(("dtype", "expected"), [("uint8", 27), ("int8", 35)])
def test_a_zero_point_of_weights_counts_for_uint8_only(dtype: str, expected: int) -> None:
    """(10 - 8) * (7 - 4) + 1 + 20 = 27; with stored weights (10 - 8) * 7 + 1 + 20 = 35."""
    image, weight = stored([[[[10]]]], 1.0, 8, dtype), stored([[[[7]]]], 1.0, 4, dtype)
    bias = stored([1], dtype="int32")
    made = depthwise.depthwise_conv_2d(image, weight, bias, output(1.0, 20, dtype), window_options(), DOUBLE)
    assert made.reshape(-1).tolist() == [expected]


def test_a_fused_activation_clamps() -> None:
    image = stored([[[[-64], [56]]]], 0.5)
    weight, options = stored([[[[1]]]]), window_options(fused=RELU)
    made = depthwise.depthwise_conv_2d(image, weight, None, output(0.5, 4), options, DOUBLE)
    assert made.reshape(-1).tolist() == [4, 60]


@pytest.mark.parametrize(("depth", "channels"), [(2, 3), (0, 2)])
def test_channels_that_do_not_divide(depth: int, channels: int) -> None:
    image, weight = stored(np.zeros((1, 1, 1, depth))), stored(np.zeros((1, 1, 1, channels)))
    with pytest.raises(RunError, match=f"{channels} filters do not divide among {depth} input channels"):
        depthwise.depthwise_conv_2d(image, weight, None, output(), window_options(), DOUBLE)


def by_definition(image: Any, weight: Any, stride: tuple[int, int], dilation: tuple[int, int]) -> Any:
    """Return the VALID sums, element by element of the filter."""
    (n, height, width, depth), (_, down, across, channels) = image.shape, weight.shape
    rows = (height - (down - 1) * dilation[0] - 1) // stride[0] + 1
    columns = (width - (across - 1) * dilation[1] - 1) // stride[1] + 1
    out = np.zeros((n, rows, columns, channels), np.int64)
    for b, y, x, c in np.ndindex(*out.shape):
        for i, j in np.ndindex(down, across):
            pixel = image[b, y * stride[0] + i * dilation[0], x * stride[1] + j * dilation[1]]
            out[b, y, x, c] += pixel[c // (channels // depth)] * weight[0, i, j, c]
    return out


@pytest.mark.parametrize("block", [1, 30, 1 << 17])
@pytest.mark.parametrize("stride", [(1, 1), (2, 1), (1, 2), (2, 3), (3, 4)])
@pytest.mark.parametrize("dilation", [(1, 1), (2, 1), (1, 2), (2, 3)])
def test_every_stride_and_dilation_follows_the_definition(
    block: int, stride: tuple[int, int], dilation: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    random = np.random.default_rng(1)
    image, weight = random.integers(-3, 4, (2, 9, 11, 2)), random.integers(-3, 4, (1, 3, 3, 4))
    monkeypatch.setattr(depthwise, "BLOCK", block)
    options = window_options(VALID, stride, dilation)
    made = depthwise.depthwise_conv_2d(stored(image), stored(weight), None, output(), options, DOUBLE)
    assert np.array_equal(made, by_definition(image, weight, stride, dilation))


def test_the_real_convolution() -> None:
    image = real(IMAGE - 5)  # -4, -3, -2 / -1, 0, 1 / 2, 3, 4
    options = window_options(SAME, (2, 2), fused=RELU)
    made = depthwise.depthwise_conv_2d_float(
        image, real(FILTER), real([0.5]), output(dtype="float32"), options
    )
    assert made[0, :, :, 0].tolist() == [[0.0, 0.0], [2.5, 4.5]]
    bare = depthwise.depthwise_conv_2d_float(
        image, real(FILTER), None, output(dtype="float32"), window_options()
    )
    assert bare[0, :, :, 0].tolist() == [[-4.0, -1.0], [5.0, 8.0]]


def test_int8_weights_on_real_images() -> None:
    """Each entry is quantized asymmetrically by its range of 2.55 or 25.5, in steps of 0.01 and 0.1."""
    image = real([[[[2.55, 0.0]]], [[[25.5, 5.1]]]])
    weight = stored([[[[2, 3]]]], 0.5)
    made = depthwise.depthwise_conv_2d_float(
        image, weight, real([1.0, 2.0]), output(dtype="float32"), window_options()
    )
    np.testing.assert_allclose(made.reshape(-1), [3.55, 2.0, 26.5, 9.65], rtol=1e-6)


def test_weights_without_a_kernel() -> None:
    weight = stored(FILTER, dtype="uint8")
    with pytest.raises(RunError, match="no kernel for float32 activations under uint8 weights"):
        depthwise.depthwise_conv_2d_float(
            real(IMAGE), weight, None, output(dtype="float32"), window_options()
        )


def test_int8_weights_have_a_scale_for_each_channel() -> None:
    weight = stored([[[[2, 3]]]], [0.5, 0.25])
    made = depthwise.depthwise_conv_2d_float(
        real([[[[2.55, 2.55]]]]), weight, None, output(dtype="float32"), window_options()
    )
    np.testing.assert_allclose(made.reshape(-1), [2.55, 1.9125], rtol=1e-6)
