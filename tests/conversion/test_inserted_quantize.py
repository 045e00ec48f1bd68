"""Notes on the output range of QUANTIZE operators that a conversion inserts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from litecheck import convert_model
from litecheck.checks.validate import validate
from litecheck.conversion.convert_float import Conversion
from litecheck.conversion.inserted_quantize import drop_inserted_notes
from litecheck.model.build import ModelBuilder
from litecheck.model.types import Model
from tests.conversion.small_models import dense, reals

PATH = "QUANTIZE/kept_range"


def rectified() -> Model:
    """Return a layer, a RELU and a layer. With int16 for RELU, a QUANTIZE from int16 to int8 follows it."""
    builder = ModelBuilder()
    main = builder.subgraph("main")
    x, relu = main.tensor("x", (1, 8), "float32"), main.tensor("relu", (1, 8), "float32")
    main.add("RELU", [dense(main, x, "first", (8, 8), 1)], [relu])
    y = dense(main, relu, "second", (4, 8), 2)
    main.inputs(x)
    main.outputs(y)
    return builder.finish()


def converted() -> Conversion:
    samples = reals(3, 16, 8, reach=1)
    return convert_model(rectified(), data=(samples,), int16x8=("RELU",), device="litecheck").conversion


def reaching(conversion: Conversion, low: float, high: float) -> Conversion:
    """Return the conversion with this range for the values of every tensor."""
    tensors = tuple(
        replace(one, written=one.written and replace(one.written, low=low, high=high))
        for one in conversion.plan.tensors
    )
    return replace(conversion, plan=replace(conversion.plan, tensors=tensors))


def test_an_inserted_quantize_that_clips_no_value_has_no_note() -> None:
    conversion = converted()
    assert PATH in {f.path for f in validate(conversion.model).findings}
    record = convert_model(
        rectified(), data=(reals(3, 16, 8, reach=1),), int16x8=("RELU",), device="litecheck"
    )
    assert PATH not in {f.path for f in record.report.findings}


@pytest.mark.parametrize(
    ("low", "high", "inserted", "noted"),
    [
        (0, 1e-3, True, False),
        (-1e-9, 1e-3, True, False),  # within half a step of the limit
        (-1, 1e-3, True, True),
        (0, 100, True, True),
        (0, 0, True, True),  # a plan without ranges
        (0, 1e-3, False, True),
    ],
)
def test_values_that_are_lost_and_other_operators_keep_the_note(
    low: float, high: float, inserted: bool, noted: bool
) -> None:
    conversion = reaching(converted(), low, high)
    if not inserted:
        origins = {0: tuple(range(len(conversion.origins[0])))}
        conversion = replace(conversion, origins=origins)
    report = validate(conversion.model)
    others = {f.path for f in report.findings} - {PATH}
    found = {f.path for f in drop_inserted_notes(report, conversion).findings}
    assert found == others | ({PATH} if noted else set())
