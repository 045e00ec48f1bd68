"""Windows over images: output lengths, padding, and the view of every window."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.flatbuffer.table import Table
from litecheck.reference.numerics.windows import SAME, VALID, Axis, axes, axis, pad_image, windows


@pytest.mark.parametrize(
    ("size", "kernel", "stride", "dilation", "padding", "out", "before", "after"),
    [
        (5, 3, 1, 1, SAME, 5, 1, 1),
        (5, 2, 1, 1, SAME, 5, 0, 1),  # an odd element of padding is placed after
        (6, 3, 2, 1, SAME, 3, 0, 1),
        (5, 3, 2, 1, SAME, 3, 1, 1),
        (5, 1, 2, 1, SAME, 3, 0, 0),
        (6, 1, 2, 1, SAME, 3, 0, -1),
        (5, 3, 1, 2, SAME, 5, 2, 2),
        (5, 3, 1, 1, VALID, 3, 0, 0),
        (6, 3, 2, 1, VALID, 2, 0, -1),
        (7, 3, 1, 3, VALID, 1, 0, 0),
        (2, 3, 1, 1, VALID, 0, 0, 0),
    ],
)
def test_an_axis(
    size: int, kernel: int, stride: int, dilation: int, padding: int, out: int, before: int, after: int
) -> None:
    found = axis(size, kernel, stride, dilation, padding)
    assert (found.out, found.before) == (out, before)
    if out:
        assert found.after == after
    assert found == Axis(size, kernel, stride, dilation, out, before)


def test_height_and_width_have_separate_options() -> None:
    options = Table("Conv2DOptions", {"padding": VALID, "stride_h": 2, "stride_w": 3, "dilation_h_factor": 2})
    rows, columns = axes((1, 9, 10, 4), (3, 2), options)
    assert rows == Axis(9, 3, 2, 2, 3, 0)
    assert columns == Axis(10, 2, 3, 1, 3, 0)


def test_an_image_is_padded_only_as_far_as_windows_reach() -> None:
    image = np.arange(1, 7).reshape(1, 2, 3, 1)
    made = pad_image(image, axis(2, 3, 1, 1, SAME), axis(3, 2, 1, 1, SAME), 9, np.float32)
    assert made[0, :, :, 0].tolist() == [[9, 9, 9, 9], [1, 2, 3, 9], [4, 5, 6, 9], [9, 9, 9, 9]]
    assert made.dtype == np.float32
    same = pad_image(image, axis(2, 1, 1, 1, VALID), axis(3, 2, 2, 1, VALID), 9, image.dtype)
    assert same is image or np.shares_memory(same, image)


def test_every_window_is_seen() -> None:
    image = np.arange(20).reshape(1, 4, 5, 1)
    view = windows(image, axis(4, 2, 2, 1, VALID), axis(5, 2, 1, 3, VALID))
    assert view.shape == (1, 2, 2, 2, 2, 1)
    assert view[0, 0, 0, :, :, 0].tolist() == [[0, 3], [5, 8]]
    assert view[0, 1, 1, :, :, 0].tolist() == [[11, 14], [16, 19]]
