"""Lines of a batch as text."""

from __future__ import annotations

import numpy as np

from litecheck.suite.stream.batch import column, lines_of, real_column


def test_a_line_has_its_number_every_field_and_its_flags() -> None:
    columns = (
        column("acc", np.array([-5, 7]), 2),
        column("zo", 3, 2),
        real_column("so", np.float32(0.5), 2),
        real_column("sw", np.array([1.0, -2.0], np.float32), 2),
        column("x", np.array([[1, 2], [3, -4]]), 2, many="k"),
    )
    assert lines_of(9, columns, np.array([0, 26])) == (
        b"9 -5 3 3f000000 3f800000 1 2 0\n10 7 3 3f000000 c0000000 3 -4 1a\n"
    )
    assert [c.title for c in columns] == ["acc", "zo", "so:f32", "sw:f32", "x*k"]


def test_small_floats_keep_their_eight_digits() -> None:
    assert lines_of(0, (real_column("s", np.float32(1e-45), 1),), np.array([0])) == b"0 00000001 0\n"
