"""Known faults of runtimes: operators stay float32 for the named runtimes, and otherwise have a warning."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck import convert_model
from litecheck.conversion.record import ConversionRecord
from litecheck.conversion.runtime_faults import parse_runtimes, runtime_fault
from litecheck.errors import ConfigError
from litecheck.model.build import ModelBuilder
from litecheck.model.types import Model


def summing() -> Model:
    builder = ModelBuilder()
    main = builder.subgraph()
    x, y, z = (
        main.tensor(name, shape, "float32") for name, shape in (("x", (1, 8)), ("y", (1,)), ("z", (1,)))
    )
    main.add("SUM", [x, main.constant("axis", np.array([1], np.int32))], [y])
    main.add("LOGISTIC", [y], [z])
    main.inputs(x)
    main.outputs(z)
    return builder.finish()


def made(**settings: object) -> ConversionRecord:
    return convert_model(summing(), random=4, agreement=False, device="litecheck", **settings)


@pytest.mark.parametrize(
    ("settings", "becomes", "warned"),
    [
        ({}, "int8", True),
        ({"runtimes": ("xnnpack", "optimized", "tflm")}, "int8", False),
        ({"runtimes": ("tflm", "reference")}, "float32", False),
        ({"to": "int16x8"}, "int16", True),
        ({"to": "int16x8", "runtimes": ("reference",)}, "float32", False),
        ({"int16x8": ("SUM",), "runtimes": ("reference",)}, "float32", False),
    ],
)
def test_a_fault_decides_for_the_runtimes_that_are_named(
    settings: dict[str, object], becomes: str, warned: bool
) -> None:
    record = made(**settings)
    sums, logistic = record.conversion.plan.operators
    assert sums.becomes == becomes
    assert logistic.becomes != "float32"
    assert ("known fault of reference" in sums.because) == (becomes == "float32")
    assert (
        any(text.startswith(f"SUM #0 in {becomes}: known fault of reference") for text in record.warnings)
        == warned
    )


@pytest.mark.parametrize(
    ("runtimes", "channels", "becomes"),
    [
        ((), 600, "int8"),
        (("tflm",), 600, "float32"),
        (("xnnpack",), 600, "int8"),
        (("tflm",), 500, "int8"),
    ],
)
def test_a_fault_with_a_condition_decides_where_the_condition_holds(
    runtimes: tuple[str, ...], channels: int, becomes: str
) -> None:
    main = (builder := ModelBuilder()).subgraph()
    x, y, z = (main.tensor(name, (1, channels), "float32") for name in "xyz")
    main.add("RELU", [x], [y])
    main.add("SOFTMAX", [y], [z], beta=1.0)
    main.inputs(x)
    main.outputs(z)
    model = builder.finish()
    record = convert_model(model, random=4, agreement=False, device="litecheck", runtimes=runtimes)
    relu, softmax = record.conversion.plan.operators
    assert (relu.becomes, softmax.becomes) == ("int8", becomes)
    assert softmax.because.startswith("known fault of tflm") == (becomes == "float32")


def test_faults_are_those_of_a_type_and_a_runtime() -> None:
    assert "GREATER writes nothing" in runtime_fault("GREATER", "int16", ("xnnpack", "tflm"))
    for opcode, dtype, runtimes in (
        ("GREATER", "int16", ("xnnpack",)),
        ("GREATER", "int8", ("tflm",)),
        ("RELU6", "int16", ("reference",)),  # wrong for rare scales only
    ):
        assert runtime_fault(opcode, dtype, runtimes) == ""


def test_names_of_runtimes() -> None:
    assert parse_runtimes("reference, tflm,") == ("reference", "tflm")
    assert parse_runtimes("") == ()
    with pytest.raises(ConfigError, match="unknown runtime 'tlfm'; did you mean 'tflm'"):
        parse_runtimes("tlfm")
