"""Float forms: operators with equal computations in two forms are found, and a changed constant makes them different."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.model.matching import match
from litecheck.tracing.float_forms import equal_operators, float_form
from tests.differential.faults import by_tensorflow
from tests.differential.planted_faults import plant


@pytest.mark.parametrize("kind", ["weights", "biases", "wrong_activation", "swapped_operands"])
def test_operators_with_equal_operands_and_options(kind: str) -> None:
    pair = by_tensorflow("transpose_conv" if kind == "swapped_operands" else "residual")
    planted = plant(kind, pair.quantized, np.random.default_rng(0))
    assert planted is not None
    sound, faulty = (match(pair.real, model) for model in (pair.quantized, planted.model))
    part = sound.subgraphs[0]
    every = {one for one, _ in part.operators}
    own = float_form(pair.real, part)
    other = float_form(pair.real, faulty.subgraphs[0])
    unlike = {one for one, new in part.operators if new in planted.operators}
    assert equal_operators(part, own, float_form(pair.real, part)) == every
    assert every - equal_operators(part, own, other) == unlike
