"""Geometric faults: the places each loses, and that the designs show every one of them."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.profile.load import load_profile
from litecheck.suite.geometric import geometric
from litecheck.suite.geometry.design import design_of
from litecheck.suite.geometry.geometry_faults import FAULTS, faults_of


def places(name: str, shape: tuple[int, ...]) -> list[tuple[int, ...]] | None:
    output = np.arange(np.prod(shape), dtype=np.int32).reshape(shape)
    made = FAULTS[name].spoil(output)
    return None if made is None else sorted({tuple(map(int, i)) for i in np.argwhere(made != output)})


@pytest.mark.parametrize(
    ("name", "shape", "lost"),
    [
        ("batch-index", (2, 1), [(1, 0)]),
        ("batch-index", (1, 3), None),
        ("images-beyond-4", (5, 1, 1, 1), [(4, 0, 0, 0)]),
        ("images-beyond-4", (4, 1, 1, 1), None),
        ("width-counter-8", (1, 1, 257, 1), [(0, 0, 256, 0)]),
        ("width-counter-8", (1, 1, 256, 1), None),
        ("last-tile-16", (1, 1, 17, 1), [(0, 0, 16, 0)]),
        ("last-tile-16", (1, 1, 32, 1), None),
        ("last-tile-16", (1, 1, 15, 1), None),
        ("single-row", (1, 1, 2, 1), [(0, 0, 0, 0), (0, 0, 1, 0)]),
        ("single-row", (1, 2, 2, 1), None),
        ("last-vector-4", (6,), [(4,), (5,)]),
        ("last-vector-4", (3,), None),
        ("row-pitch-4", (2, 3), [(1, 0), (1, 1), (1, 2)]),
        ("row-pitch-4", (2, 4), None),
    ],
)
def test_lost_places(name: str, shape: tuple[int, ...], lost: list[tuple[int, ...]] | None) -> None:
    assert places(name, shape) == lost


@pytest.mark.slow
@pytest.mark.parametrize(
    "opcode",
    ["CONV_2D", "MAX_POOL_2D", "FULLY_CONNECTED", "ADD", "LESS", "MEAN", "SOFTMAX", "CONCATENATION", "TRANSPOSE", "PAD",
     "RESIZE_BILINEAR", "ARG_MAX", "GATHER", "SLICE", "QUANTIZE", "RESHAPE", "SPACE_TO_DEPTH", "SPACE_TO_BATCH_ND"],
)  # fmt: skip
def test_the_design_shows_every_fault(opcode: str) -> None:
    design = design_of(opcode)
    assert design is not None
    cases = list(geometric(load_profile("litert-int8"), opcode, "standard", 0))
    outputs = [output for case in cases for outputs in case.expected for output in outputs]
    hidden = {f.name for f in faults_of(design) if all(f.spoil(output) is None for output in outputs)}
    assert hidden == set()
