"""A slice of ``python -m tests.differential empties``, and a control with a wrong shape."""

from __future__ import annotations

import pytest

from litecheck.reference.kernels import stablehlo
from tests.differential.__main__ import FAMILIES
from tests.differential.oracle import Oracle
from tests.differential.sweep import sweep, trials

pytestmark = [pytest.mark.runtime, pytest.mark.slow]
FAMILY = FAMILIES["empties"]
#: Every operator of StableHLO, and one operator of each kind of shape.
KINDS = [kind for kind in FAMILY.kinds if kind.startswith("stablehlo: ") and "_WINDOW " not in kind] + [
    "stablehlo: STABLEHLO_REDUCE_WINDOW ADD", "affine: FULLY_CONNECTED int8", "affine: CONV_2D int8",
    "hybrid: DEPTHWISE_CONV_2D x int8", "binary: ADD int8", "reduce: MEAN int8", "reduce: MAX_POOL_2D int8",
    "movement: TRANSPOSE", "movement: PAD", "movement: RESIZE_BILINEAR", "movement: RESIZE_NEAREST_NEIGHBOR",
    "movement: REVERSE_V2", "unary: SOFTMAX float32 to float32 body", "unary: PRELU int8 to int8 body",
    "unary: QUANTIZE float32 to int8 body",
]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_no_element_differs(oracle: Oracle, kind: str) -> None:
    found = sweep(FAMILY, kind, "xnnpack", oracle, 8, shown=0)
    assert found.score.trials, found.score.refused
    assert found.score.examples == []


@pytest.mark.parametrize("kind", KINDS)
def test_every_trial_has_an_empty_tensor(kind: str) -> None:
    for trial in trials(FAMILY, kind, 3):
        assert any(0 in tensor.shape for tensor in trial.model.subgraphs[0].tensors)


def test_a_wrong_shape_of_an_empty_output_is_noticed(oracle: Oracle, monkeypatch: pytest.MonkeyPatch) -> None:
    """Interior padding of an empty dimension differs from LiteRT (negative control)."""
    before = stablehlo.pad_array
    monkeypatch.setattr(stablehlo, "pad_array", lambda x, value, *rest: before(x, value, *rest)[..., :0])
    assert sweep(FAMILY, "stablehlo: STABLEHLO_PAD", "xnnpack", oracle, 8, shown=0).score.different
