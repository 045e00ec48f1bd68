"""Error text for arrays with a shape different from the input's, with the fix."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.input_shapes import shape_mismatch

AXIS = ". Add a first axis: array[numpy.newaxis]"


@pytest.mark.parametrize(
    ("given", "wanted", "leading", "message"),
    [
        ((50, 639), (-1, 640), ("N",), "got shape (50, 639), expected (N, 640)"),
        ((640,), (-1, 640), ("N",), f"got shape (640,), expected (N, 640){AXIS}"),
        ((8, 4), (2, 4), ("N",), "got shape (8, 4), expected (N, 2, 4)"),
        ((9, 3), (1, 3), ("SEQUENCES", "N"), "got shape (9, 3), expected (SEQUENCES, N, 3)"),
        ((3,), (1, 3), (), f"got shape (3,), expected (1, 3){AXIS}"),
        ((7, 4), (-1, 3, -1), (), "got shape (7, 4), expected (N, 3, ?)"),
        ((), (2,), (), "got shape (), expected (2,)"),
    ],
)
def test_the_expected_shape_and_the_cure(
    given: tuple[int, ...], wanted: tuple[int, ...], leading: tuple[str, ...], message: str
) -> None:
    assert shape_mismatch("x", given, wanted, leading) == f"input 'x': {message}"


@pytest.mark.parametrize("leading", [("N",), ()])
def test_channels_first_are_seen_and_the_cure_works(leading: tuple[str, ...]) -> None:
    given = (8 if leading else 1, 3, 32, 30)
    text = shape_mismatch("x", given, (1, 32, 30, 3), leading)
    assert text.endswith("Channels first? Move them to the end: numpy.moveaxis(array, 1, -1)")
    assert np.moveaxis(np.zeros(given), 1, -1).shape[1:] == (32, 30, 3)
    assert "Channels" not in shape_mismatch("x", (1, 32, 3, 30), (1, 32, 30, 3), leading)


def test_one_sample_is_advised_where_one_fits() -> None:
    text = shape_mismatch("x", (5, 4, 3), (1, 4, 3), ())
    assert text == "input 'x': got shape (5, 4, 3), expected (1, 4, 3). Give one sample: array[:1]"
    assert np.zeros((5, 4, 3))[:1].shape == (1, 4, 3)
    assert "sample" not in shape_mismatch("x", (5, 4, 2), (1, 4, 3), ())
    assert "sample" not in shape_mismatch("x", (5, 4, 3), (2, 4, 3), ())
