"""Impacts that depend on the operator beside the faulty tensor; each was measured on LiteRT's resolvers."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.checks.validate import load_profile, validate
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.types import Model
from litecheck.profile.paths import FAULT_CONDITIONS, conditional_kinds, every_kind
from litecheck.quantization import Quantization

REJECTED = "rejected by the default interpreter only"


def fully_connected(scale: float, channels: int, bias: bool = True) -> Model:
    """Return FULLY_CONNECTED with an input scale and ``channels`` scales of weights and bias."""
    builder = ModelBuilder()
    g = builder.subgraph("main")
    x = g.tensor("x", (1, 4), "int8", qparams(scale))
    w = g.constant("w", np.ones((2, 4), np.int8), qparams([0.5] * channels))
    b = g.constant("b", np.ones(2, np.int32), qparams([0.25] * channels))
    y = g.tensor("y", (1, 2), "int8", qparams(0.5))
    g.add("FULLY_CONNECTED", [x, w, b] if bias else [x, w], [y])
    g.inputs(x)
    g.outputs(y)
    return builder.finish()


def conv(
    activation: str, channels: int = 2, zero_point: int = 0, scale: float = 0.5, product: float = 0.25
) -> Model:
    """Return CONV_2D with an input scale, an unquantized output and a zero point and scale of its bias."""
    builder = ModelBuilder()
    g = builder.subgraph("main")
    x = g.tensor("x", (1, 2, 2, 4), "int8", qparams(scale))
    w = g.constant("w", np.ones((2, 1, 1, 4), np.int8), qparams([0.5] * channels))
    b = g.constant("b", np.ones(2, np.int32), qparams([product] * channels, zero_point))
    y = g.tensor("y", (1, 2, 2, 2), "int8", Quantization() if activation else qparams(0.5))
    options = {"stride_w": 1, "stride_h": 1, "dilation_w_factor": 1, "dilation_h_factor": 1}
    g.add(
        "CONV_2D", [x, w, b], [y], padding="VALID", fused_activation_function=activation or "NONE", **options
    )
    g.inputs(x)
    g.outputs(y)
    return builder.finish()


def reshape(source: int, target: int) -> Model:
    """Return RESHAPE with two zero points."""
    builder = ModelBuilder()
    g = builder.subgraph("main")
    x, y = (
        g.tensor("x", (4,), "int8", qparams(0.5, source)),
        g.tensor("y", (2, 2), "int8", qparams(0.5, target)),
    )
    g.add("RESHAPE", [x, g.constant("shape", np.array([2, 2], np.int32))], [y], new_shape=[2, 2])
    g.inputs(x)
    g.outputs(y)
    return builder.finish()


def padv2(*scales: float) -> Model:
    """Return PADV2 with scales of input, value and output."""
    builder = ModelBuilder()
    g = builder.subgraph("main")
    x = g.tensor("x", (4,), "int8", qparams(scales[0]))
    value = g.constant("value", np.array([3], np.int8).reshape(()), qparams(scales[1]))
    y = g.tensor("y", (6,), "int8", qparams(scales[2]))
    g.add("PADV2", [x, g.constant("p", np.array([[1, 1]], np.int32)), value], [y])
    g.inputs(x)
    g.outputs(y)
    return builder.finish()


def greater(scale: float) -> Model:
    """Return GREATER with a scale of its right side."""
    builder = ModelBuilder()
    g = builder.subgraph("main")
    x, z = g.tensor("x", (4,), "int8", qparams(0.5)), g.tensor("z", (4,), "int8", qparams(scale))
    y = g.tensor("y", (4,), "bool")
    g.add("GREATER", [x, z], [y])
    g.inputs(x, z)
    g.outputs(y)
    return builder.finish()


IMPACTS = {
    "one bias scale": (fully_connected(np.inf, 1), "FULLY_CONNECTED/input/scale", "fails to load"),
    "a bias scale per channel": (fully_connected(np.inf, 2), "FULLY_CONNECTED/input/scale", REJECTED),
    "no bias": (fully_connected(np.inf, 1, bias=False), "FULLY_CONNECTED/input/scale", REJECTED),
    "an activation": (conv("RELU6"), "CONV_2D/output/granularity", "fails to load"),
    "no activation": (conv("NONE"), "CONV_2D/output/granularity", "wrong results"),
    "zero point of one bias scale": (conv("", 1, 3), "CONV_2D/bias/zero_point", "fails to load"),
    "zero point of bias channels": (conv("", 2, 3), "CONV_2D/bias/zero_point", REJECTED),
    "a negative scale of one bias": (
        fully_connected(-0.5, 1),
        "FULLY_CONNECTED/input/scale",
        "fails to load",
    ),
    "a negative scale without bias": (
        fully_connected(-0.5, 1, bias=False),
        "FULLY_CONNECTED/input/scale",
        "fails to load",
    ),
    "a NaN scale without bias": (
        fully_connected(np.nan, 1, bias=False),
        "FULLY_CONNECTED/input/scale",
        "fails to load",
    ),
    "a negative scale of channels": (
        fully_connected(-0.5, 2, bias=False),
        "FULLY_CONNECTED/input/scale",
        REJECTED,
    ),
    "a subnormal bias scale": (
        conv("", scale=1e-40, product=5e-41),
        "CONV_2D/input/scale",
        "ignored by LiteRT, may matter on hardware",
    ),
    "a normal bias scale": (conv("", scale=1e-40), "CONV_2D/input/scale", REJECTED),
    "a valid bias scale": (conv("", scale=np.nan), "CONV_2D/input/scale", REJECTED),
    "different parameters": (reshape(0, 200), "RESHAPE/output/zero_point", "wrong results"),
    "equal parameters": (reshape(200, 200), "RESHAPE/output/zero_point", REJECTED),
    "the input differs": (padv2(0.25, 0.5, 0.5), "PADV2/same_quantization", "wrong results"),
    "the value differs": (padv2(0.5, 0.25, 0.5), "PADV2/same_quantization", "fails at run time"),
    "a scale of 1": (greater(1.0), "GREATER/limits/rhs.scale", "crashes"),
    "a scale above 1": (greater(2.0), "GREATER/limits/rhs.scale", "wrong results"),
}


@pytest.mark.parametrize("name", IMPACTS)
def test_impacts_depend_on_conditions(name: str) -> None:
    model, path, impact = IMPACTS[name]
    found = validate(model, (load_profile("litert-runtime"), load_profile("litert-structure")))
    assert [f.effect for f in found.findings if f.path == path] == [impact]


def test_every_condition_has_an_impact_in_a_profile() -> None:
    stated = {
        name.rpartition("/")[2]
        for profile in ("litert-runtime", "litert-hybrid", "litert-int16x8", "litert-structure")
        for r in load_profile(profile).requirements()
        for name in r.faults
        if name in conditional_kinds(r.verb)
    }
    assert stated == {condition for names in FAULT_CONDITIONS.values() for condition in names}


def test_kinds_under_conditions() -> None:
    assert "infinite/bias_scale_single" in conditional_kinds("scale")
    assert every_kind("same_quantization") == ("input_differs",)
    assert every_kind("power_of_two") == ()


def test_a_requirement_has_only_the_conditions_that_a_statement_names() -> None:
    requirements = {r.path: r for r in load_profile("litert-runtime").requirements()}
    names = set(requirements["SOFTMAX/input/scale"].faults)
    assert not names & set(conditional_kinds("scale"))
    assert "infinite/bias_scale_single" in requirements["FULLY_CONNECTED/input/scale"].faults
