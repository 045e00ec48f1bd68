"""Random calibration samples: ranges by kind of input, ids inside their tables, and inputs that cannot be drawn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from litecheck.conversion.calibration.random_data import random_data
from litecheck.errors import ConfigError
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.types import Model


def unary(opcode: str, shape: tuple[int, ...], dtype: str = "float32", **fields: Any) -> Model:
    builder = ModelBuilder()
    main = builder.subgraph()
    x = main.tensor("x", shape, dtype, **fields)
    y = main.tensor("y", shape, dtype)
    main.add(opcode, [x], [y])
    main.inputs(x)
    main.outputs(y)
    return builder.finish()


def lookup(rows: int, cast: bool = False, **options: Any) -> Model:
    """Return a GATHER of a table with ``rows`` rows and 3 columns by 500 ids, with an optional CAST of the ids."""
    builder = ModelBuilder()
    main = builder.subgraph()
    ids = main.tensor("ids", (500,), "int64" if cast else "int32")
    table = main.constant("table", np.zeros((rows, 3), np.float32))
    y = main.tensor("y", (500, 3), "float32")
    places = ids
    if cast:
        places = main.tensor("cast", (500,), "int32")
        main.add("CAST", [ids], [places], in_data_type="int64", out_data_type="int32")
    main.add("GATHER", [table, places], [y], **options)
    main.inputs(ids)
    main.outputs(y)
    return builder.finish()


def values(model: Model, count: int = 1, seed: int = 0) -> list[np.ndarray]:
    data = random_data(model, count, seed)
    return [next(iter(sample.inputs.values())) for (sample,) in data]


def test_images_are_uniform_and_other_inputs_normal() -> None:
    """Four dimensions with 1, 3 or 4 channels are an image, -1 to 1; with 2 channels they are not."""
    for channels in (1, 3, 4):
        (image,) = values(unary("RELU", (1, 32, 32, channels)))
        assert -1 <= image.min() < -0.95
        assert 0.95 < image.max() <= 1
    for shape in ((1, 32, 32, 2), (1, 1024, 3)):
        (normal,) = values(unary("RELU", shape))
        assert normal.max() > 2
        assert abs(float(normal.std()) - 1) < 0.1
    assert image.dtype == np.float32


def test_inputs_of_operators_on_positive_values_are_positive() -> None:
    for opcode in ("LOG", "SQRT", "RSQRT"):
        (found,) = values(unary(opcode, (1, 1000)))
        assert 0.1 <= found.min() < 0.2


def test_quantized_integers_take_their_whole_range() -> None:
    (found,) = values(unary("RELU", (40, 100), "int8", quantization=qparams(0.5)))
    assert {*found.ravel().tolist()} == {*range(-128, 128)}


def test_integers_without_a_scale_are_small() -> None:
    (found,) = values(unary("ABS", (40, 100), "int32"))
    assert {*found.ravel().tolist()} == {*range(10)}
    (truth,) = values(unary("LOGICAL_NOT", (40, 100), "bool"))
    assert {*truth.ravel().tolist()} == {False, True}


@pytest.mark.parametrize("cast", [False, True])
def test_ids_are_rows_of_the_table(cast: bool) -> None:
    """A table of 7 rows has the ids 0 to 6, also behind a CAST."""
    (found,) = values(lookup(7, cast, axis=0))
    assert {*found.tolist()} == {*range(7)}


def test_ids_along_another_axis() -> None:
    (found,) = values(lookup(7, axis=1))
    assert {*found.tolist()} == {*range(3)}


def test_samples_of_a_seed() -> None:
    model = unary("RELU", (1, 8))
    first, second = values(model, 2)
    assert (first != second).any()
    assert (values(model, 2)[1] == second).all()
    assert (values(model, 1, seed=1)[0] != first).any()
    # A sample does not depend on the number of samples.
    assert (values(model, 1)[0] == first).all()


def test_words_for_random_data() -> None:
    data = random_data(unary("RELU", (1, 8)), 3, 5)
    assert (data.count, data.description) == (3, "3 random samples of seed 5")
    (warning,) = data.warnings
    assert warning.startswith("calibrated on 3 RANDOM samples: ")


@pytest.mark.parametrize(
    ("model", "message"),
    [(unary("RELU", (2,), "string"), "input 'x' is string, which cannot be drawn; give data")],
)
def test_inputs_that_cannot_be_drawn(model: Model, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        random_data(model, 1, 0)


def test_shapes_cannot_be_drawn() -> None:
    builder = ModelBuilder()
    main = builder.subgraph()
    x, shape, y = (
        main.tensor("x", (4,), "float32"),
        main.tensor("shape", (2,), "int32"),
        main.tensor("y", (2, 2), "float32"),
    )
    main.add("RESHAPE", [x, shape], [y])
    main.inputs(x, shape)
    main.outputs(y)
    with pytest.raises(
        ConfigError, match=r"input 'shape' is the .* of an operator, which cannot be drawn; give data"
    ):
        random_data(builder.finish(), 1, 0)
