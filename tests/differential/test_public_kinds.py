"""A uint8 segmentation model and an SSD-like detection model, end to end on the three resolvers, with all tensors."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")

from litecheck.model.save import model_bytes
from litecheck.reference.engine.arithmetic import load_arithmetic
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from tests.differential import public_kinds
from tests.differential.one_operator import Trial, answers, changed, compare, outputs
from tests.differential.oracle import RESOLVERS, Refused

KINDS = {
    "segmentation": public_kinds.segmentation,
    "detection": public_kinds.detection,
    "detection, regular": partial(public_kinds.detection, regular=True),
}


def case(kind: str, seed: int) -> Trial:
    model = KINDS[kind](np.random.default_rng(seed))
    shape = model.subgraphs[0].tensors[model.subgraphs[0].inputs[0]].shape
    runs = np.random.default_rng(seed).integers(0, 256, (3, *shape)).astype(np.uint8)
    return Trial(kind, model, tuple((x,) for x in runs))


@pytest.mark.parametrize("resolver", RESOLVERS)
@pytest.mark.parametrize("kind", KINDS)
def test_exact_end_to_end(oracle, kind, resolver):
    for seed in range(2):
        made = case(kind, seed)
        theirs = answers(made, oracle, resolver)
        assert not isinstance(theirs, Refused), theirs.message
        found = compare(kind, outputs(made, f"litert-{resolver}"), theirs)
        assert found.different == 0, found.examples
        assert found.compared > 1000


@pytest.mark.parametrize("kind", KINDS)
def test_tensors_of_the_models_vary(kind):
    """No tensor is constant or mostly saturated, so that comparisons prove something."""
    made = case(kind, 0)
    kept = ReferenceInterpreter(made.model).invoke(made.runs[0], keep="all").tensors
    for operator in made.model.subgraphs[0].operators:
        values = kept[operator.outputs[0]]
        assert len(np.unique(values)) > (3 if values.size > 8 else 1), operator.opcode
        rails = np.isin(values, (0, 255)).mean() if values.dtype == np.uint8 else 0
        assert rails < 0.8, (operator.opcode, operator.index, rails)
    assert model_bytes(made.model)


CONTROLS = {
    "segmentation": {"RESIZE_BILINEAR": {"interpolate/uint8": "q10"}},
    "detection": {"CONV_2D": {"requantize/uint8": "single", "requantize": "single"}},
}


@pytest.mark.parametrize("kind", CONTROLS)
def test_a_wrong_arithmetic_is_noticed(oracle, kind):
    made = case(kind, 0)
    theirs = answers(made, oracle, "reference")
    other = changed(load_arithmetic("litert-reference"), CONTROLS[kind])
    assert compare(kind, outputs(made, other), theirs).different > 0
