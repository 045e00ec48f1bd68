"""The worked example of a profile: it accepts conforming models, and finds exactly the planted violations."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck import load_profile, validate
from litecheck.data import rules_dir
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.types import Model
from litecheck.profile.load import profile_names

EXAMPLE = load_profile(rules_dir() / "examples" / "per-tensor-npu.yaml")


def network(stride: int = 1, filters: int = 1, result: float = 1 / 256, pooled: float = 1.0) -> Model:
    """Return a network: a convolution with one or four scales, a pooling and a SOFTMAX."""
    builder = ModelBuilder()
    main = builder.subgraph()
    x = main.tensor("x", (1, 12, 12, 3), "int8", qparams(0.5))
    weight = main.constant("w", np.ones((4, 1, 1, 3), np.int8), qparams([0.25] * filters))
    bias = main.constant("b", np.zeros(4, np.int32), qparams([0.125] * filters))
    side = 12 // stride
    y = main.tensor("y", (1, side, side, 4), "int8", qparams(1.0))
    p = main.tensor("p", (1, 1, 1, 4), "int8", qparams(pooled))
    flat = main.tensor("f", (1, 4), "int8", qparams(pooled))
    z = main.tensor("z", (1, 4), "int8", qparams(result, -128))
    main.add("CONV_2D", [x, weight, bias], [y], padding="VALID", stride_w=stride, stride_h=stride)
    window = {"filter_width": side, "filter_height": side, "stride_w": 1, "stride_h": 1}
    main.add("AVERAGE_POOL_2D", [y], [p], padding="VALID", **window)
    main.add("RESHAPE", [p, main.constant("s", np.array([1, 4], np.int32))], [flat])
    main.add("SOFTMAX", [flat], [z], beta=1.0)
    main.inputs(x)
    main.outputs(z)
    return builder.finish()


@pytest.mark.parametrize(
    ("model", "planted"),
    [
        (network(), set()),
        (network(stride=2), set()),
        (network(stride=3), {"CONV_2D/limits/stride_w", "CONV_2D/limits/stride_h"}),
        (network(filters=4), {"CONV_2D/weight/granularity", "CONV_2D/bias/granularity"}),
        (network(result=1 / 128), {"SOFTMAX/output/scale"}),
        (network(pooled=0.5), {"AVERAGE_POOL_2D/same_quantization"}),
    ],
    ids=["kept", "stride 2", "stride 3", "four scales", "softmax", "pooling"],
)
def test_exactly_the_planted_violations_are_found(model: Model, planted: set[str]) -> None:
    report = validate(model, [EXAMPLE])
    assert {f.path for f in report.findings} == planted
    assert report.coverage["conforms"] == 4 - len({path.split("/")[0] for path in planted})


def test_a_finding_has_its_hint() -> None:
    found = {f.path: f.hint for f in validate(network(filters=4), [EXAMPLE]).findings}
    assert found["CONV_2D/weight/granularity"].startswith("convert the model again")
    assert found["CONV_2D/bias/granularity"] == ""


def test_the_example_is_not_a_shipped_profile() -> None:
    assert EXAMPLE.name not in profile_names()
