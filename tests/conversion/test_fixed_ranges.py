"""Ranges that the user states: by name or pattern, for all tensors that must share them."""

from __future__ import annotations

import numpy as np
import pytest

from fixtures.detector import float_detector
from litecheck.conversion.fixed_ranges import parse_ranges, with_fixed_ranges
from litecheck.conversion.plan_profiles import rules_for
from litecheck.errors import ConfigError
from litecheck.model.build import ModelBuilder
from litecheck.model.types import Model


def moved() -> Model:
    """Return an image, reshaped and concatenated with a further input."""
    builder = ModelBuilder()
    main = builder.subgraph()
    x, beside = main.tensor("image", (1, 2, 2), "float32"), main.tensor("beside", (1, 4), "float32")
    flat, both = main.tensor("flat", (1, 4), "float32"), main.tensor("both", (1, 8), "float32")
    main.add("RESHAPE", [x, main.constant("shape", np.array([1, 4], np.int32))], [flat])
    main.add("CONCATENATION", [flat, beside], [both], axis=1)
    main.inputs(x, beside)
    main.outputs(both)
    return builder.finish()


@pytest.mark.parametrize(
    ("texts", "stated"),
    [
        (("image=-1:1",), {"image": (-1, 1), "flat": (-1, 1)}),
        (("flat=0:4",), {"image": (0, 4), "flat": (0, 4)}),
        (("b*=0:2",), {"beside": (0, 2), "both": (0, 2)}),
        ((), {}),
    ],
)
def test_a_range_holds_for_tensors_that_share_it(texts: tuple[str, ...], stated: dict[str, object]) -> None:
    model = moved()
    before = {(0, n): (-9.0, 9.0) for n in range(len(model.subgraphs[0].tensors))}
    found = with_fixed_ranges(model, rules_for("int8")[0], before, texts)
    names = {
        model.subgraphs[0].tensors[n].name: extent for (_, n), extent in found.items() if extent != (-9, 9)
    }
    assert names == stated


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("image", "expected NAME=LOW:HIGH"),
        ("image=1", "expected NAME=LOW:HIGH"),
        ("image=1:-1", "got the higher limit first, expected LOW below HIGH"),
        ("image=0:0", "got a range of one value, expected LOW below HIGH"),
        ("image=nan:1", "got 'nan:1', expected NAME=LOW:HIGH with two numbers"),
        ("image=0:inf", "got '0:inf', expected NAME=LOW:HIGH with two numbers"),
        ("=0:1", "expected NAME=LOW:HIGH"),
        ("image=1:2", "got a range without 0"),
        ("zzz=0:1", "the name 'zzz'; 'litecheck inspect MODEL --tensors' lists all"),
        ("imag=0:1", r"no computed float32 tensor has the name 'imag'; did you mean 'image'\?"),
    ],
)
def test_an_invalid_range_is_an_error(text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        with_fixed_ranges(float_detector(), rules_for("int8")[0], {}, (text,))


@pytest.mark.parametrize("name", ["pixels", "result", "serving:0", "pix*"])
def test_inputs_and_outputs_have_the_names_of_signatures_as_well(name: str) -> None:
    """Arrays of samples have these names, and reports those of tensors."""
    builder = ModelBuilder()
    main = builder.subgraph()
    x, y = (main.tensor(text, (1, 4), "float32") for text in ("serving:0", "output:0"))
    main.add("RELU", [x], [y])
    main.inputs(x)
    main.outputs(y)
    builder.signature("serving_default", main, {"pixels": x}, {"result": y})
    found = parse_ranges(builder.finish(), (f"{name}=0:4",))
    assert found == {(0, y if name == "result" else x): (0, 4)}
