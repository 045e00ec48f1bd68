"""Depthwise convolutions with several filters per channel that write a part of a larger tensor: rejections by Vela
5.2.0."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.types import Model
from litecheck.profile.load import load_profile
from litecheck.profile.types import Profile
from litecheck.targets.ethos_u.placement import place_model

U55, U85 = load_profile("ethos-u55"), load_profile("ethos-u85")
Q = qparams(0.5)


def multiplied(
    depth: int,
    filters: int,
    others: int,
    behind: str = "joined",
    axis: int = 3,
    fused: str = "NONE",
    images: int = 1,
) -> Model:
    """Return a depthwise convolution of 6 x 6 pixels that is concatenated or padded along an axis."""
    builder = ModelBuilder()
    main = builder.subgraph()
    shape = (images, 6, 6, depth * filters)
    x = main.tensor("x", (images, 6, 6, depth), "int8", Q)
    weight = main.constant("w", np.ones((1, 3, 3, depth * filters), np.int8), qparams(0.25))
    made = main.tensor("made", shape, "int8", Q)
    options = {"stride_w": 1, "stride_h": 1, "depth_multiplier": filters, "fused_activation_function": fused}
    main.add("DEPTHWISE_CONV_2D", [x, weight, -1], [made], version=3, padding="SAME", **options)
    given, taken = [x], []
    longer = tuple(length + others * (n == axis) for n, length in enumerate(shape))
    whole = main.tensor("whole", longer, "int8", qparams(0.25) if "rescaled" in behind else Q)
    if "padded" in behind:
        margins = np.zeros((4, 2), np.int32)
        margins[axis, 1] = others
        main.add("PAD", [made, main.constant("margins", margins)], [whole])
    else:
        beside = tuple(others if n == axis else length for n, length in enumerate(shape))
        signature = (*beside[:2], -1, beside[3]) if "open" in behind else None
        given.append(main.tensor("beside", beside, "int8", Q, shape_signature=signature))
        main.add(
            "CONCATENATION", [given[1], made] if "behind" in behind else [made, given[1]], [whole], axis=axis
        )
    if "shared" in behind:
        taken.append(made)
    main.inputs(*given)
    main.outputs(whole, *taken)
    return builder.finish()


MISCOUNTED = (
    (5, 2, 5), (5, 2, 2), (5, 2, 9), (5, 2, 14), (2, 3, 3), (3, 2, 11), (4, 4, 15), (5, 2, 5, "joined behind"),
    (5, 2, 5, "padded"), (2, 3, 5, "padded"),
)  # fmt: skip
COUNTED = (
    (5, 2, 1), (5, 2, 10), (5, 2, 13), (3, 2, 12), (1, 10, 5), (5, 1, 5), (5, 2, 5, "joined", 2), (5, 2, 5, "shared"),
    (5, 2, 5, "rescaled"), (5, 2, 5, "joined", 3, "RELU"), (5, 2, 5, "joined", 3, "NONE", 2), (5, 2, 5, "open"),
    (5, 2, 10, "padded"), (5, 2, 5, "padded", 1),
)  # fmt: skip
JOINED_FILTERS = {str(case): multiplied(*case) for case in (*MISCOUNTED, *COUNTED)}


@pytest.mark.parametrize("case", [*MISCOUNTED, *COUNTED], ids=str)
@pytest.mark.parametrize("profile", [U55, U85], ids=lambda profile: profile.name)
def test_filters_that_vela_miscounts_are_rejected(case: tuple[Any, ...], profile: Profile) -> None:
    report, found = place_model(JOINED_FILTERS[str(case)], profile)
    assert (report.operators[0].place == "refused") == (case in MISCOUNTED)
    assert any(f.path == "DEPTHWISE_CONV_2D/limits/in_place_depthwise" for f in found) == (case in MISCOUNTED)
