"""RESHAPE whose shape is only in its option, against LiteRT's resolvers."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")

from litecheck import validate
from litecheck.cases.one_operator import one_operator, run_time
from litecheck.model.build import qparams
from litecheck.model.save import model_bytes
from litecheck.model.types import Model
from tests.differential.structure.oracle import LiteRT

pytestmark = pytest.mark.runtime
VALUES = np.arange(6).reshape(2, 3)


def reshape(dtype: str, output: str) -> Model:
    scaled = {"int8": qparams(0.5, 3), "uint8": qparams(0.5, 3), "int16": qparams(0.5)}
    x, y = run_time("x", (2, 3), dtype, scaled.get(dtype)), run_time("y", (3, 2), output, scaled.get(output))
    return one_operator("RESHAPE", [x], [y], {"new_shape": [3, 2]})


@pytest.mark.parametrize("dtype", ["float32", "uint8", "int8", "int16", "int32"])
def test_a_shape_in_the_option_conforms(dtype: str) -> None:
    model = reshape(dtype, dtype)
    with LiteRT() as litert:
        answers = litert.ask_all(
            model_bytes(model), [[VALUES.astype(dtype)]], ("reference", "optimized", "xnnpack")
        )
    assert all(np.array_equal(a.outputs[0][0], VALUES.reshape(3, 2)) for a in answers.values())
    assert validate(model).findings == ()


@pytest.mark.parametrize(("dtype", "output"), [("float32", "float64"), ("uint8", "float32")])
def test_an_output_of_another_type_is_a_violation(dtype: str, output: str) -> None:
    found = {f.path: f.level for f in validate(reshape(dtype, output)).findings}
    assert "violation" in found.values()
    assert found.keys() & {"RESHAPE/types", "RESHAPE/output/dtype"}
