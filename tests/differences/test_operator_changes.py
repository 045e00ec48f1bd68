"""Changes of options in words: members of enums by name."""

from __future__ import annotations

import pytest

from litecheck.differences.model_difference import diff
from litecheck.model.build import ModelBuilder, Option, qparams
from litecheck.model.types import Model


def model(opcode: str, options: dict[str, Option]) -> Model:
    builder = ModelBuilder()
    main = builder.subgraph()
    x, y = (main.tensor(name, (1, 8), "float32") for name in "xy")
    main.add(opcode, [x] * (3 if opcode == "FULLY_CONNECTED" else 1), [y], **options)
    main.inputs(x)
    main.outputs(y)
    return builder.finish()


@pytest.mark.parametrize(
    ("opcode", "old", "new", "before", "after"),
    [
        ("FULLY_CONNECTED", {"fused_activation_function": "RELU"}, {"fused_activation_function": "NONE"}, "RELU", "NONE"),
        ("FULLY_CONNECTED", {"quantized_bias_type": "INT32"}, {}, "INT32", "not set"),
        ("FULLY_CONNECTED", {}, {"keep_num_dims": True}, "not set", "True"),
        ("AVERAGE_POOL_2D", {"padding": "VALID"}, {"padding": "SAME"}, "VALID", "SAME"),
        ("AVERAGE_POOL_2D", {"stride_w": 2}, {"stride_w": 3}, "2", "3"),
    ],
)  # fmt: skip
def test_options(
    opcode: str, old: dict[str, Option], new: dict[str, Option], before: str, after: str
) -> None:
    (change,) = (c for c in diff(model(opcode, old), model(opcode, new)).changes if c.kind == "option")
    assert (change.role, change.before, change.after) == (next(iter(old or new)), before, after)


def quantized_input(converts: bool) -> Model:
    """Return a RELU of an int8 input with scale 0.5, or of a float input with a QUANTIZE and scale 0.25."""
    builder = ModelBuilder()
    main = builder.subgraph()
    q, y = (main.tensor(name, (1, 8), "int8", qparams(0.25 if converts else 0.5)) for name in "qy")
    x = main.tensor("x", (1, 8), "float32") if converts else q
    if converts:
        main.add("QUANTIZE", [x], [q])
    main.add("RELU", [q], [y])
    main.inputs(x)
    main.outputs(y)
    return builder.finish()


@pytest.mark.parametrize("first", [False, True])
def test_an_input_is_compared_with_the_output_of_quantize_in_both_orders(first: bool) -> None:
    found = diff(quantized_input(first), quantized_input(not first)).changes
    assert [c.text for c in found if (c.kind, c.role) == ("scale", "input")] == ["x 2" if first else "x 0.5"]
