"""SQRT of int8 and int16 on the three resolvers: every non-negative byte, random int16 values, and a negative control."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")

from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.save import model_bytes
from litecheck.model.types import Model
from litecheck.reference.engine.interpreter import run
from tests.differential.oracle import RESOLVERS, Oracle


def case(rng: np.random.Generator, dtype: str) -> tuple[Model, np.ndarray, int]:
    scale = float(np.float32(10 ** rng.uniform(-3, 0)))
    if dtype == "int8":
        zero, shift = int(rng.integers(-128, 100)), int(rng.integers(-128, 128))
        x, steps = np.arange(zero, 128).astype(np.int8), rng.uniform(20, 300)
    else:
        zero = shift = 0
        x, steps = rng.integers(0, 32768, 500).astype(np.int16), rng.uniform(3000, 40000)
    out = float(np.float32(np.sqrt(scale * (int(x.max()) - zero)) / steps))
    builder = ModelBuilder("sqrt")
    main = builder.subgraph("main")
    source = main.tensor("x", x.shape, dtype, qparams(scale, zero))
    target = main.tensor("y", x.shape, dtype, qparams(out, shift))
    main.add("SQRT", [source], [target], version=2)
    main.inputs(source)
    main.outputs(target)
    return builder.finish(), x, shift


@pytest.mark.parametrize("dtype", ["int8", "int16"])
def test_equal_to_litert_and_a_rounded_root_is_not(dtype):
    rng = np.random.default_rng(7)
    rounded = 0
    with Oracle() as litert:
        for _ in range(12):
            model, x, shift = case(rng, dtype)
            (ours,) = run(model, (x,)).outputs.values()
            for resolver in RESOLVERS:
                theirs = litert.run(model_bytes(model), [x], resolver)
                assert isinstance(theirs, list)
                assert np.array_equal(ours, theirs[0])
            source, target = (t.quantization for t in model.subgraphs[0].tensors)
            real = np.sqrt((x.astype(np.int64) - int(source.zero_point[0])) * float(source.scale[0]))
            nearest = np.rint(real / float(target.scale[0])) + shift
            limits = np.iinfo(x.dtype)
            rounded += int((np.clip(nearest, limits.min, limits.max) != ours).sum())
    assert rounded
