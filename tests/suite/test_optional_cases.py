"""Optional cases: the reasons of the file, and no more cases than it names."""

from __future__ import annotations

import pytest

from litecheck.suite.optional_cases import optional_because


@pytest.mark.parametrize(
    ("name", "because"),
    [
        ("CONV_2D/int8/no-bias-one-scale-plain", "require a bias"),
        ("DEPTHWISE_CONV_2D/int8/no-bias-drawn-1", "crash if the bias is absent"),
        ("SOFTMAX/uint8/ties-scale-0-1", "undefined in C++"),
        ("PAD/int8/given-plain", "constant paddings only"),
        ("FULLY_CONNECTED/int8/no-bias-plain", ""),
        ("SOFTMAX/int8/ties-scale-0-10", ""),
        ("CONV_2D/int8/same-plain", ""),
    ],
)
def test_reasons(name: str, because: str) -> None:
    found = optional_because(name)
    assert because in found
    assert bool(found) == bool(because)
