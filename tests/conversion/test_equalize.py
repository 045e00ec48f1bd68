"""Cross-layer equalization: outputs stay the same, ranges become equal, and pairs that cannot be equalized have a
reason."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from litecheck import convert_model
from litecheck.conversion.agreement import agreement
from litecheck.conversion.conversion_plan import ConstantChange
from litecheck.conversion.equalize import equalize
from litecheck.conversion.plan_file import plan_json, read_plan
from litecheck.conversion.record import ConversionRecord
from litecheck.conversion.weight_edits import with_edited_weights
from litecheck.errors import ConfigError
from litecheck.model.build import ModelBuilder
from litecheck.model.save import model_bytes
from litecheck.model.stored_values import stored_integers
from litecheck.model.types import Model
from tests.conversion.mobile_nets import images, mobile_net

PER_TENSOR = str(Path(__file__).with_name("per_tensor.yaml"))


def converted(model: Model, seed: int = 0, **options: object) -> ConversionRecord:
    return convert_model(model, data=(images(seed, 4),), device="litecheck", **options)


def snr(record: ConversionRecord) -> float:
    assert record.agreement is not None
    (output,) = record.agreement.outputs
    return output.snr


def channel_ranges(model: Model, name: str, axis: int) -> NDArray[np.float64]:
    """Return the largest magnitude of each channel of a constant."""
    tensor = next(t for t in model.subgraphs[0].tensors if t.name == name)
    values = stored_integers(tensor)
    assert values is not None
    others = tuple(n for n in range(values.ndim) if n != axis)
    largest: NDArray[np.float64] = np.abs(values.astype(np.float64)).max(axis=others)
    return largest


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 2**16), st.sampled_from(["NONE", "RELU"]), st.floats(0.0, 4.0))
@example(540, "NONE", 0.0)  # the first layer's ranges are nearly equal, and become less equal
def test_equalized_models_compute_the_same(seed: int, activation: str, spread: float) -> None:
    """f(c * x) = c * f(x) for every c > 0 and RELU, so float outputs stay the same except for rounding.

    Every layer of a chain has the geometric mean of all ranges, channel by channel.
    """
    model = mobile_net(seed, activation, spread, blocks=2)
    found = equalize(model)
    equalized = [pair for pair in found.pairs if not pair.left]
    assert len(equalized) == 4
    for block in ("block0", "block1"):
        chain = [(f"{block}/expand/w", 0), (f"{block}/depthwise/w", 3), (f"{block}/project/w", 3)]
        mean = np.cbrt(np.prod([channel_ranges(model, *one) for one in chain], axis=0))
        for one in chain:
            np.testing.assert_allclose(channel_ranges(found.model, *one), mean, rtol=1e-3)
        afters = [pair.after for pair in equalized if pair.names[0].startswith(block)]
        assert afters == pytest.approx([mean.max() / mean.min()] * 2, rel=1e-3)
    (output,) = agreement(model, found.model, {}, images(seed, 2), device="litecheck").outputs
    assert output.snr > 100


def test_bounded_activations_are_named() -> None:
    found = equalize(mobile_net(0, "RELU6", blocks=2))
    assert not found.changes
    assert [(p.names, p.left) for p in found.pairs][1] == (
        ("block0/expand", "block0/depthwise"),
        "RELU6 stands between them, and its bounds do not move with the channels",
    )


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1])
def test_per_tensor_with_equalization_is_as_good_as_per_axis(seed: int) -> None:
    model = mobile_net(seed)
    plain, per_axis = converted(model, seed, profile=PER_TENSOR), converted(model, seed)
    record = converted(model, seed, profile=PER_TENSOR, equalize=True)
    assert record.verdict == "conforms"
    weights = [one for one in record.tensors if one.constant and one.name.endswith("/w")]
    assert {one.form.scale.size for one in weights} == {1}
    assert snr(record) >= snr(per_axis) > snr(plain)


def test_a_saved_plan_holds_the_factors() -> None:
    model = mobile_net(3, blocks=1)
    record = converted(model, equalize=True, agreement=False)
    plan = read_plan(plan_json(record.conversion.plan), "plan.json")
    assert len(plan.changes) == 6
    from litecheck.conversion.convert_float import Request, replay

    again = replay(model, plan, Request())
    assert model_bytes(again.model) == model_bytes(record.conversion.model)
    broken = replace(plan.changes[0], tensor=999)
    with pytest.raises(ConfigError, match="tensor 999 of subgraph 0, which there is not"):
        with_edited_weights(model, (broken,))
    with pytest.raises(ConfigError, match="has not 2 channels"):
        with_edited_weights(model, (ConstantChange(0, plan.changes[0].tensor, True, 0, np.ones(2)),))


@pytest.fixture
def shared() -> Model:
    """Return a layer with two readers; the second reader shares its weights with a third layer, and a constant channel."""
    main = (builder := ModelBuilder()).subgraph()
    x = main.tensor("x", (1, 2), "float32")
    first, second, third, last = (main.tensor(n, (1, 2), "float32") for n in ("a", "b", "c", "d"))
    one = main.constant("one", np.float32([[1e-6, 0], [1, 2]]))
    bias = main.constant("bias", np.float32([1, 1]))
    both = main.constant("both", np.float32([[3, 4], [5, 6]]))
    own = main.constant("own", np.float32([[30, 4], [5, 6]]))
    main.add("FULLY_CONNECTED", [x, one, bias], [first])
    main.add("FULLY_CONNECTED", [first, own], [second])
    main.add("FULLY_CONNECTED", [second, both], [third])
    main.add("FULLY_CONNECTED", [third, both], [last])
    main.inputs(x)
    main.outputs(last)
    return builder.finish()


def test_layers_with_further_readers_stay(shared: Model) -> None:
    found = equalize(shared)
    assert [pair.left for pair in found.pairs] == [
        "",
        "others share their weights or bias",
        "others share their weights or bias",
    ]
    assert found.changes[0].values[0] == 1  # tiny relative to its bias
    assert found.changes[0].values[1] == pytest.approx(6 / np.sqrt(2 * 6))


@pytest.mark.parametrize("to", ["dynamic", "float16"])
def test_only_activations_of_integers_are_equalized_for(to: str, shared: Model) -> None:
    with pytest.raises(ConfigError, match="--equalize"):
        convert_model(shared, to=to, equalize=True)
