"""RESIZE operators that write a part of a larger tensor: rejections for the U55, as observed in Vela 5.2.0."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from litecheck.model.build import ModelBuilder, SubgraphBuilder, qparams
from litecheck.model.types import Model
from litecheck.profile.load import load_profile
from litecheck.targets.ethos_u.placement import place_model

U55, U85 = load_profile("ethos-u55"), load_profile("ethos-u85")
Q, OTHER = qparams(0.5), qparams(0.25, 3)
NEAREST, BILINEAR = "RESIZE_NEAREST_NEIGHBOR", "RESIZE_BILINEAR"


def joined(
    main: SubgraphBuilder, part: int, shape: Sequence[int], axis: int, whole: bool = False, parts: int = 2
) -> int:
    """Concatenate several parts; with ``whole``, the output has different parameters from its parts."""
    others = [main.tensor(f"other {n}", shape, "int8", Q) for n in range(parts - 1)]
    main.inputs(0, *others)
    longer = [length * (parts if n == axis % len(shape) else 1) for n, length in enumerate(shape)]
    result = main.tensor("joined", longer, "int8", OTHER if whole else Q)
    main.add("CONCATENATION", [part, *others], [result], axis=axis)
    return result


def padded(
    main: SubgraphBuilder, part: int, shape: Sequence[int], axes: Sequence[int], kernel: int = 0
) -> int:
    """Pad by 1 along these axes; with ``kernel``, add a convolution of this window."""
    margins = np.zeros((len(shape), 2), np.int32)
    margins[list(axes)] = 1
    longer = [length + 2 * (n in axes) for n, length in enumerate(shape)]
    result = main.tensor("padded", longer, "int8", Q)
    main.add("PAD", [part, main.constant("margins", margins)], [result])
    if not kernel:
        return result
    weights = main.constant("w", np.ones((8, kernel, kernel, longer[3]), np.int8), qparams(0.25))
    n, height, width, _ = longer
    convolved = main.tensor("convolved", (n, height - kernel + 1, width - kernel + 1, 8), "int8", Q)
    main.add(
        "CONV_2D", [result, weights, -1], [convolved], padding="VALID", stride_w=1, stride_h=1, version=3
    )
    return convolved


def model(opcode: str, factor: int, options: str, behind: str, axes: Sequence[int], rank: int = 4) -> Model:
    """Return a RESIZE of a 4 x 3 image, and the operator that reads it."""
    builder = ModelBuilder()
    main = builder.subgraph()
    aligned = "aligned" in options
    front = (1,) * (rank - 3)
    sides = [(side - 1) * factor + 1 if aligned else side * factor for side in (4, 3)]
    shape = (*front, *sides, 8)
    x = main.tensor("x", (*front, 4, 3, 8), "int8", Q)
    y = main.tensor("y", shape, "int8", Q)
    size = main.constant("size", np.array(sides, np.int32))
    main.add(opcode, [x, size], [y], align_corners=aligned, half_pixel_centers="half" in options)
    main.inputs(x)
    if behind.startswith("pad"):
        result = padded(main, y, shape, axes, {"pad": 0, "pad, conv 3": 3, "pad, conv 1": 1}[behind])
    else:
        result = joined(main, y, shape, axes[0], behind == "rescale", 1 if behind == "alone" else 2)
    outputs = [result]
    if behind in ("read twice", "read for nothing"):
        beside = main.tensor("beside", shape, "int8", Q)
        main.add("ABS", [y], [beside])
        outputs += [beside] if behind == "read twice" else []
    main.outputs(*outputs, *([y] if behind == "given out" else []))
    return builder.finish()


#: (resize, factor, options, reader, axes, rank): models that Vela rejects for the U55, and models that it accepts.
REFUSED = [
    (NEAREST, 4, "", "join", (0,), 4),
    (NEAREST, 8, "half", "join", (0,), 4),
    (BILINEAR, 4, "aligned", "join", (0,), 4),
    (BILINEAR, 2, "half", "join", (0,), 4),
    (BILINEAR, 4, "", "pad", (0,), 4),
    (NEAREST, 2, "aligned", "join", (3,), 4),
    (NEAREST, 2, "aligned", "join", (-2,), 4),
    (NEAREST, 2, "aligned half", "join", (3,), 4),
    (NEAREST, 4, "aligned", "join", (1,), 4),
    (NEAREST, 4, "aligned", "join", (0,), 4),
    (NEAREST, 2, "aligned", "pad", (1, 2), 4),
    (NEAREST, 2, "aligned", "pad, conv 1", (1, 2), 4),
    (NEAREST, 2, "aligned", "pad, conv 3", (1, 3), 4),
    (NEAREST, 2, "aligned", "read for nothing", (3,), 4),
    (NEAREST, 2, "aligned", "join", (0,), 3),
    (NEAREST, 4, "", "join", (1,), 5),
]
TAKEN = [
    (NEAREST, 2, "", "join", (0,), 4),
    (NEAREST, 4, "", "join", (3,), 4),
    (BILINEAR, 2, "aligned", "join", (0,), 4),
    (BILINEAR, 2, "half", "join", (3,), 4),
    (NEAREST, 2, "aligned", "join", (0,), 4),
    (NEAREST, 4, "aligned", "join", (3,), 4),
    (NEAREST, 2, "aligned half", "join", (1,), 4),
    (NEAREST, 2, "aligned", "rescale", (3,), 4),
    (NEAREST, 2, "aligned", "alone", (3,), 4),
    (NEAREST, 2, "aligned", "read twice", (3,), 4),
    (NEAREST, 2, "aligned", "given out", (3,), 4),
    (NEAREST, 2, "aligned", "pad, conv 3", (1, 2), 4),
    (NEAREST, 4, "", "join", (2,), 5),
]


@pytest.mark.parametrize("case", REFUSED, ids=str)
def test_in_place_outputs_that_are_made_in_parts_are_rejected(case: tuple[object, ...]) -> None:
    made = model(*case)  # type: ignore[arg-type]
    first, *others = [op.place for op in place_model(made, U55)[0].operators]
    assert first == "refused"
    assert set(others) == {"npu"}
    _, found = place_model(made, U85)
    assert not [f for f in found if "joined" in f.path]


@pytest.mark.parametrize("case", TAKEN, ids=str)
def test_separate_or_complete_outputs_are_accepted(case: tuple[object, ...]) -> None:
    assert place_model(model(*case), U55)[1] == []  # type: ignore[arg-type]
