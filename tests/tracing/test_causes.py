"""Causes in words: constants, scales and options planted in a fully connected layer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.matching import match
from litecheck.model.types import Model
from litecheck.tracing.causes import operator_cause
from litecheck.tracing.isolated_operators import IsolatedOperator

RNG = np.random.default_rng(0)
#: Four channels of 32 weights; each channel contains the extreme of its scale, so that a single scale is optimal.
WEIGHTS = RNG.uniform(-1, 1, (4, 32)) * np.array([[1.0], [0.5], [2.0], [0.25]])
WEIGHTS[:, 0] = [1.0, 0.5, 2.0, 0.25]
BIAS = np.array([1.0, -2.0, 0.5, 4.0])
SCALES = np.array([1.0, 0.5, 2.0, 0.25]) / 127
STORED = np.rint(WEIGHTS / SCALES[:, None])
INPUT_SCALE = 0.5
SUMS = np.rint(BIAS / (INPUT_SCALE * SCALES))


def real(activation: str = "NONE") -> Model:
    builder = ModelBuilder()
    main = builder.subgraph("main")
    x, y = main.tensor("x", (1, 32), "float32"), main.tensor("y", (1, 4), "float32")
    w = main.constant("w", WEIGHTS.astype(np.float32))
    b = main.constant("b", BIAS.astype(np.float32))
    main.add("FULLY_CONNECTED", [x, w, b], [y], fused_activation_function=activation)
    main.inputs(x)
    main.outputs(y)
    return builder.finish()


def integers(
    weights: Any = STORED,
    scales: Any = SCALES,
    bias: Any = SUMS,
    bias_scales: Any = None,
    axis: int = 0,
    **options: Any,
) -> Model:
    builder = ModelBuilder()
    main = builder.subgraph("main")
    x = main.tensor("x", (1, 32), "int8", qparams(INPUT_SCALE))
    y = main.tensor("y", (1, 4), "int8", qparams(0.1))
    w = main.constant("w", np.asarray(weights).astype(np.int8), qparams(scales, 0, axis))
    held = [x, w]
    if bias is not None:
        own = INPUT_SCALE * np.asarray(SCALES if bias_scales is None else bias_scales)
        held.append(main.constant("b", np.asarray(bias).astype(np.int32), qparams(own)))
    main.add("FULLY_CONNECTED", held, [y], **options)
    main.inputs(x)
    main.outputs(y)
    return builder.finish()


def cause(worst: str, model: Model, first: Model | None = None) -> tuple[str, str]:
    """Return the cause if the error of the part ``worst`` is the largest."""
    found = match(first or real(), model)
    (part,) = found.subgraphs
    operator = part.second.operators[0]
    y = operator.outputs[0]
    fed = IsolatedOperator(0, 0, operator, (), ((part.tensors[y], y),), True, {})
    return operator_cause(
        part, None, fed, {"operands": 0.1, "option": 0.1, "weights": 0.1, "bias": 0.1, worst: 0.5}
    )


def changed(values: Any, at: Any, value: Any) -> Any:
    made = np.array(values)
    made[at] = value
    return made


FEW = np.where(STORED > 0, 100, -100)
DOUBLE = SCALES * [2, 1, 1, 1]


@pytest.mark.parametrize(
    ("weights", "scales", "words"),
    [
        (STORED, DOUBLE, "1 of 4 weight scales is 2 times too large"),
        (STORED, DOUBLE * [1, 1, 4, 1], "2 of 4 weight scales do not fit, the worst is 4 times too large"),
        (
            STORED,
            SCALES * [1, 0.25, 1, 0.5],
            "2 of 4 weight scales do not fit, the worst is 4 times too small",
        ),
        (STORED, SCALES * [1, 0.5, 1, 0.5], "2 of 4 weight scales are 2 times too small"),
        (STORED, SCALES * [1, 1, 1.12, 1], "1 of 4 weight scales is 1.12 times too large"),
    ],
)
def test_weight_scales(weights: Any, scales: Any, words: str) -> None:
    assert cause("weights", integers(weights, scales)) == ("weight_scale", words)


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        (changed(STORED, 1, 0), "1 of 4 channels is 0"),
        (changed(STORED, (slice(1, 3),), 0), "2 of 4 channels are 0"),
        (changed(STORED, (slice(0, 2),), 7), "2 of 4 channels have equal weights"),
        (FEW, "its weights have 2 levels"),
        (changed(STORED, (slice(None), 5), 0), "1 of 32 input channels is 0: channel 5"),
        (
            changed(STORED, (slice(None), slice(5, 8)), 0),
            "3 of 32 input channels are 0, the first is channel 5",
        ),
        (-STORED, "4 of 4 channels have the opposite sign, the first is channel 0"),
        (changed(STORED, 2, -STORED[2]), "1 of 4 channels has the opposite sign: channel 2"),
        (
            np.clip(STORED, -50, 60),
            "4 of 4 channels are clipped, channel 0 to -0.394..0.472, and the float model's are -0.995..1",
        ),
        (
            changed(STORED, 2, np.clip(STORED[2], -50, 127)),
            "1 of 4 channels is clipped, channel 2 to -0.787..2, and the float model's are -1.94..2",
        ),
        (-STORED // 2, "its weights differ by 1.5e+02 % (rms), most in 4 of 4 channels"),
        (
            changed(STORED, 3, np.clip(STORED[3] + 12, -127, 127)),
            "its weights differ by 1.6 % (rms), most in 1 of 4 channels",
        ),
        (
            changed(STORED, (3, 5), STORED[3, 5] + 3),
            "its weights differ by 0.37 % (rms)",
        ),
    ],
)
def test_weights(weights: Any, words: str) -> None:
    assert cause("weights", integers(weights)) == ("weights", words)


def test_weights_of_a_range_that_is_too_wide_or_too_narrow() -> None:
    """Stored integers follow the scale, and only few levels are used, or integers saturate."""
    coarse = integers(np.rint(WEIGHTS / (5 * SCALES[:, None])), 5 * SCALES)
    assert cause("weights", coarse) == ("weights", "its weights use 51 of 256 levels")
    narrow = integers(np.clip(np.rint(2 * WEIGHTS / SCALES[:, None]), -127, 127), SCALES / 2)
    words = "4 of 4 channels are clipped, channel 0 to -0.5..0.5, and the float model's are -0.995..1"
    assert cause("weights", narrow) == ("weights", words)


@pytest.mark.parametrize(
    ("bias", "bias_scales", "words"),
    [
        (None, None, "it has no bias"),
        (changed(SUMS, 0, 0), None, "1 of 4 biases are not the float model's"),
        (changed(SUMS, [0, 2], -SUMS[[0, 2]]), None, "2 of 4 biases are not the float model's"),
        (np.zeros(4), None, "4 of 4 biases are not the float model's"),
        (SUMS * [1, 1, 1, 1.04], None, "0 of 4 biases are not the float model's"),
        (SUMS * [0.5, 1, 1, 1], SCALES * [2, 1, 1, 1],
         "its bias scale is 2 times input scale x weight scale, which kernels use in its place"),
        (SUMS * [1, 4, 1, 1], SCALES * [1, 0.25, 1, 1.05],
         "its bias scale is 0.25 times input scale x weight scale, which kernels use in its place"),
    ],
)  # fmt: skip
def test_biases(bias: Any, bias_scales: Any, words: str) -> None:
    assert cause("bias", integers(bias=bias, bias_scales=bias_scales)) == ("bias", words)


def test_a_bias_that_only_the_weight_scales_spoil() -> None:
    """The bias is right with the scale that fits the weights, and wrong with twice this scale."""
    model = integers(scales=DOUBLE, bias_scales=DOUBLE)
    assert cause("bias", model) == ("weight_scale", "1 of 4 weight scales is 2 times too large")
    wrong = integers(scales=DOUBLE, bias_scales=DOUBLE, bias=-SUMS)
    assert cause("bias", wrong) == ("bias", "4 of 4 biases are not the float model's")


def test_options() -> None:
    relu = integers(fused_activation_function="RELU")
    assert cause("option", relu) == (
        "activation",
        "its fused activation is RELU, and the float model's is NONE",
    )
    assert cause("option", leaky(0.01, "int8"), leaky(0.3, "float32")) == (
        "option",
        "its option alpha is 0.01, and the float model's is 0.3",
    )
    assert cause("option", integers()) == (
        "option",
        "its option of a fused operator is not the float model's",
    )


def leaky(alpha: float, dtype: str) -> Model:
    main = (builder := ModelBuilder()).subgraph()
    form = qparams(0.1) if dtype == "int8" else None
    x, y = (main.tensor(name, (1, 4), dtype, form) for name in "xy")
    main.add("LEAKY_RELU", [x], [y], alpha=alpha)
    main.inputs(x)
    main.outputs(y)
    return builder.finish()


def padded(dtype: str, paddings: list[list[int]]) -> Model:
    main = (builder := ModelBuilder()).subgraph()
    form = qparams(0.1) if dtype == "int8" else None
    x, y = main.tensor("x", (1, 4), dtype, form), main.tensor("y", (1, 6), dtype, form)
    main.add("PAD", [x, main.constant("paddings", np.array(paddings, np.int32))], [y])
    main.inputs(x)
    main.outputs(y)
    return builder.finish()


def test_integer_constants() -> None:
    """The kernel is correct, and computes with different paddings."""
    words = "its input paddings is [[0, 0], [0, 2]], and the float model's is [[0, 0], [1, 1]]"
    float_model = padded("float32", [[0, 0], [1, 1]])
    assert cause("option", padded("int8", [[0, 0], [0, 2]]), float_model) == ("option", words)


def scaled(dtype: str, values: Any, zero_point: int = 0) -> Model:
    """Return MUL with a constant; int8 stores 20 for 2.0."""
    main = (builder := ModelBuilder()).subgraph()
    form = qparams(0.1) if dtype == "int8" else None
    x, y = (main.tensor(name, (1, 4), dtype, form) for name in "xy")
    stored = np.asarray(values, "f4") if form is None else (np.asarray(values) * 10).astype("i1")
    main.add("MUL", [x, main.constant("c", stored, qparams(0.1, zero_point) if form else None)], [y])
    main.inputs(x)
    main.outputs(y)
    return builder.finish()


@pytest.mark.parametrize(
    ("values", "zero_point", "found"),
    [
        ([2.0], 5, ("weight_scale", "its constant is 1.5, and the float model's is 2")),
        ([2.0, -3.0, 1.0, 0.5], 30, ("weights", "the zero point of its constant is 30 too high")),
        ([2.0, -3.0, 1.0, 0.5], -4, ("weights", "the zero point of its constant is 4 too low")),
    ],
    ids=["scalar", "high", "low"],
)
def test_zero_points_of_constants(values: list[float], zero_point: int, found: tuple[str, str]) -> None:
    assert cause("weights", scaled("int8", values, zero_point), scaled("float32", values)) == found
