"""Variables on a target that supports them: their handles are optimized out if no operator on the CPU reads them."""

from __future__ import annotations

import pytest

from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.types import Model
from litecheck.profile.load import load_profile
from litecheck.quantization import Quantization
from litecheck.targets.ethos_u.placement import place_model

U55, U85 = load_profile("ethos-u55"), load_profile("ethos-u85")


def stream(dtype: str = "int8", shape: tuple[int, ...] = (1, 4), zero_point: int = 0) -> Model:
    """Return a model that outputs a variable and then assigns it for the next run."""
    q = Quantization() if dtype == "float32" else qparams(0.5, zero_point)
    builder = ModelBuilder()
    main = builder.subgraph()
    handle = main.tensor("handle", (), "resource")
    x, y, before = (main.tensor(name, shape, dtype, q) for name in ("x", "y", "before"))
    main.add("VAR_HANDLE", [], [handle], shared_name="v")
    main.add("READ_VARIABLE", [handle], [before])
    main.add("TANH", [x], [y])
    main.add("ASSIGN_VARIABLE", [handle, y], [])
    main.inputs(x)
    main.outputs(before)
    return builder.finish()


@pytest.mark.parametrize(
    ("model", "u55", "u85"),
    [
        (stream(), ["cpu", "cpu", "npu", "cpu"], ["npu"] * 4),
        (stream("int16"), ["cpu", "cpu", "npu", "cpu"], ["npu"] * 4),
        (stream("float32"), ["cpu"] * 4, ["cpu"] * 4),
        (stream(zero_point=200), ["cpu", "cpu", "npu", "cpu"], ["cpu"] * 4),
        (stream(shape=()), ["cpu"] * 4, ["cpu", "crashes", "cpu", "crashes"]),
    ],
    ids=["int8", "int16", "float32", "odd zero point", "no dimensions"],
)
def test_variables_run_where_their_type_does(model: Model, u55: list[str], u85: list[str]) -> None:
    for profile, places in ((U55, u55), (U85, u85)):
        assert [op.place for op in place_model(model, profile)[0].operators] == places


def test_an_output_that_only_a_variable_reads_is_computed() -> None:
    """Only a variable on the CPU depends on the NPU's output, and the operator is still a partition."""
    report, _ = place_model(stream(), U55)
    assert report.partitions == 1
    assert [op.partition for op in report.operators] == [None, None, 1, None]
    report, found = place_model(stream(), U85)
    assert not found
    assert [op.partition for op in report.operators] == [None, 1, 1, 1]
