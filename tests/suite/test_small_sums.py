"""Small sums: an error of 1 in a sum of many products changes the output, which usual parameters do not show."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from litecheck.arrays import Array
from litecheck.cases.geometry.design import design_of, rows_of
from litecheck.model.stored_values import stored_integers
from litecheck.profile.load import load_profile
from litecheck.suite.case import SuiteCase
from litecheck.suite.geometry_cases import geometric


@dataclass
class Layer:
    """Sums and parameters of a case of FULLY_CONNECTED."""

    sums: Array
    scales: Array
    zero_point: int

    def outputs(self, sums: Array) -> Array:
        """Return the outputs for other sums, rounded half away from zero."""
        real = sums * self.scales
        rounded = np.sign(real) * np.floor(np.abs(real) + 0.5)
        return np.clip(rounded + self.zero_point, -128, 127).astype(np.int8)


def layer_of(case: SuiteCase, run: int) -> Layer:
    """Return the sums of an inference."""
    main = case.model.subgraphs[0]
    x, w, b = (main.tensors[i] for i in main.operators[0].inputs)
    y = main.tensors[main.outputs[0]]
    weights, biases = stored_integers(w), stored_integers(b)
    assert weights is not None
    assert biases is not None
    centered = case.runs[run][0].astype(np.int64) - int(x.quantization.zero_point[0])
    scales = float(x.quantization.scale[0]) * w.quantization.scale.astype(float)
    return Layer(
        centered @ weights.astype(np.int64).T + biases,
        scales / float(y.quantization.scale[0]),
        int(y.quantization.zero_point[0]),
    )


@pytest.fixture(scope="module")
def cases() -> dict[str, SuiteCase]:
    made = geometric(load_profile("litert-int8"), "FULLY_CONNECTED", "standard", 0)
    deep = {"depth": "1025", "units": "5", "sums": "small"}, {"depth": "1025", "sums": "usual"}
    return {
        wanted["sums"]: case
        for case in made
        for wanted in deep
        if wanted.items() <= dict(case.factors).items()
    }


def test_the_sums_are_those_of_the_reference(cases: dict[str, SuiteCase]) -> None:
    for case in cases.values():
        for run, (expected,) in enumerate(case.expected):
            layer = layer_of(case, run)
            assert (layer.outputs(layer.sums) == expected).all()


@pytest.mark.parametrize(("sums", "shown"), [("small", True), ("usual", False)])
def test_the_lowest_bit_of_a_sum_is_visible(cases: dict[str, SuiteCase], sums: str, shown: bool) -> None:
    layer = layer_of(cases[sums], 0)
    different = layer.outputs(layer.sums & ~1) != layer.outputs(layer.sums)
    assert different.any() == shown


def test_few_inputs_differ_from_the_zero_point(cases: dict[str, SuiteCase]) -> None:
    main = cases["small"].model.subgraphs[0]
    zero = int(main.tensors[main.inputs[0]].quantization.zero_point[0])
    sparse, other, dense = (run[0].astype(int) - zero for run in cases["small"].runs)
    for values in (sparse, other):
        assert 9 < np.count_nonzero(values) < 60
        assert set(np.unique(values)) <= {-1, 0, 1}
    assert np.count_nonzero(dense) > 17_000


@pytest.mark.parametrize("opcode", ["CONV_2D", "DEPTHWISE_CONV_2D", "TRANSPOSE_CONV", "BATCH_MATMUL"])
def test_outputs_of_small_sums_are_not_all_saturated(opcode: str) -> None:
    (case,) = (c for c in geometric(load_profile("litert-runtime"), opcode, "standard", 0)
               if c.kind == "int8" and c.factors["sums"] == "small")  # fmt: skip
    for (output,) in case.expected[:2]:
        assert len(np.unique(output)) > 9
        assert np.mean((output == -128) | (output == 127)) < 0.2


def test_suites_have_factors_that_further_shapes_do_not_have() -> None:
    design = design_of("CONV_2D")
    assert design is not None
    assert design.suite_factors == {"activation", "sums"}
    assert {row["activation"] for row in rows_of("CONV_2D", 2)} == {"NONE", "RELU", "RELU6"}
    assert all({"activation", "sums"}.isdisjoint(row) for row in rows_of("CONV_2D", 1))
    assert {row["channels"] for row in rows_of("CONV_2D", 2)} - {
        row["channels"] for row in rows_of("CONV_2D", 1)
    } == {"1025", "130", "2", "16", "62", "64"}
