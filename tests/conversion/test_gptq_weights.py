"""Recipes with GPTQ: smaller error on other data, the same scales, shared weights, and errors without data."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from litecheck import convert_model
from litecheck.conversion.convert_float import convert
from litecheck.conversion.gptq_weights import gptq_layers, with_gptq
from litecheck.conversion.recipe import OperatorScheme
from litecheck.conversion.record import ConversionRecord
from litecheck.conversion.request import Request
from litecheck.errors import ConfigError
from litecheck.model.stored_values import stored_integers
from litecheck.model.types import Model
from tests.conversion.scheme_models import convolution, matrix, recipe
from tests.conversion.test_unrolled_loops import steps

INT4 = OperatorScheme("dynamic", "int4", algorithm="gptq")


def mixtures(model: Model, folder: Path, seed: int) -> str:
    """Write twelve samples with a last axis that is a mixture of 4 values, like activations of networks."""
    shape = model.subgraphs[0].tensors[model.subgraphs[0].inputs[0]].shape
    mix = np.random.default_rng(0).standard_normal((4, shape[-1]))
    x = np.random.default_rng(seed).standard_normal((12, *shape[:-1], 4)) @ mix
    np.savez(file := folder / f"{seed}.npz", x=x.astype(np.float32))
    return str(file)


def converted(model: Model, scheme: OperatorScheme, folder: Path) -> ConversionRecord:
    data, other = mixtures(model, folder, 1), mixtures(model, folder, 2)
    return convert_model(model, recipe=recipe(scheme), data=data, evaluate=other, device="litecheck")


def weights_of(record: ConversionRecord) -> list[np.ndarray]:
    """Return the stored integers and the scales of the weights."""
    tensors = record.conversion.model.subgraphs[0].tensors
    stored = next(t for t in tensors if t.dtype in ("int4", "int8") and t.is_constant and len(t.shape) > 1)
    values = stored_integers(stored)
    assert values is not None
    scales = [stored_integers(t) for t in tensors if t.dtype == "float16"]
    return [values, *(scales or [stored.quantization.scale])]


@pytest.mark.parametrize(
    ("model", "scheme", "gain"),
    [
        (matrix(), INT4, 10.0),
        (convolution(), INT4, 3.0),
        (matrix(), replace(INT4, granularity="blockwise", block_size=32), 10.0),
        (matrix(), replace(INT4, to="weight-only"), 10.0),
        (matrix(), replace(INT4, weights="int8"), 0.5),
        (matrix(), replace(INT4, weight_range="mse"), 8.0),
        (convolution(), replace(INT4, to="int8"), 3.0),
    ],
    ids=["matrix", "convolution", "blocks", "weight-only", "int8 weights", "mse", "int8"],
)
def test_other_data_have_less_error(
    model: Model, scheme: OperatorScheme, gain: float, tmp_path: Path
) -> None:
    nearest, chosen = (converted(model, one, tmp_path) for one in (replace(scheme, algorithm=""), scheme))
    assert nearest.verdict == chosen.verdict == "conforms"
    assert nearest.evaluation is not None
    assert chosen.evaluation is not None
    assert chosen.evaluation.outputs[0].snr > nearest.evaluation.outputs[0].snr + gain
    (old, *scales), (new, *others) = weights_of(nearest), weights_of(chosen)
    assert np.abs(new - old).max() >= 1
    assert all(map(np.array_equal, scales, others))
    assert chosen.conversion.plan.notes[-1] == "GPTQ chose the weights of 1 layer; a plan does not have them"


def test_layers_that_share_weights_share_integers_and_moments() -> None:
    """Both steps of a loop have the two weights. The moments of each are sums over both steps."""
    request = Request("dynamic", recipe=recipe(replace(INT4, min_elements=0)))
    done = convert(steps(), request)
    layers = gptq_layers(done)
    assert [layer.weights for layer in layers] == [layers[0].weights, layers[1].weights] * 2
    draws = [np.random.default_rng(n).standard_normal((9, 4)) for n in range(4)]
    moments = [x.T @ x for x in draws]
    summed = [moments[0] + moments[2], moments[1] + moments[3]] * 2
    one, other = (with_gptq(done, lambda _, m=m: m) for m in (moments, [m / 2 for m in summed]))
    tensors = [one.model.subgraphs[0].tensors[layer.stored[1]] for layer in layers]
    assert tensors[0].data is tensors[2].data
    same = [other.model.subgraphs[0].tensors[layer.stored[1]] for layer in layers]
    assert all(np.array_equal(a.data, b.data) for a, b in zip(tensors, same, strict=True))  # type: ignore[arg-type]


def test_other_rules_and_operators_stay() -> None:
    plain = convert(matrix(), Request("dynamic", recipe=recipe(OperatorScheme("dynamic", "int4"))))
    assert gptq_layers(plain) == ()
    assert with_gptq(plain, lambda _: []) is plain
    later = recipe(INT4, OperatorScheme("dynamic", "int4"))  # the last rule applies
    assert gptq_layers(convert(matrix(), Request("dynamic", recipe=later))) == ()


def test_samples_are_needed() -> None:
    with pytest.raises(ConfigError, match=r"algorithm: gptq.*--data"):
        convert_model(matrix(), recipe=recipe(INT4))
