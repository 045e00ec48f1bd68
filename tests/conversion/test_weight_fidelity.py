"""Stored weights of calibrated conversions are the float weights, rounded to the nearest step."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck import convert_model
from litecheck.model.constant_values import constant_values
from tests.conversion.mobile_nets import images, mobile_net


@pytest.mark.parametrize("to", ["int8", "uint8", "int16x8"])
def test_weights_are_the_nearest(to: str) -> None:
    real = mobile_net(0, blocks=2)
    made = convert_model(real, data=(images(0, 2),), device="litecheck", to=to, agreement=False)
    floats = {t.name: constant_values(t) for t in real.subgraphs[0].tensors if t.name.endswith("/w")}
    stored = [
        t
        for t in made.conversion.model.subgraphs[0].tensors
        if t.name in floats and t.dtype in ("int8", "uint8")
    ]
    assert len(stored) == len(floats)
    for tensor in stored:
        q, want, got = tensor.quantization, floats[tensor.name], constant_values(tensor)
        assert want is not None
        assert got is not None
        step = q.scale.reshape([-1 if n == q.axis and q.scale.size > 1 else 1 for n in range(want.ndim)])
        assert float(np.max(np.abs(got - want) / step)) <= 0.5001, tensor.name
