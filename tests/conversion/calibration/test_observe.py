"""Observing: our kernels and LiteRT see the same, in any order of the samples; bodies, state and signatures included."""

from __future__ import annotations

import os
import random
import weakref
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path

import numpy as np
import pytest

from litecheck.conversion.calibration.calibration_data import open_data
from litecheck.conversion.calibration.dataset import CalibrationData
from litecheck.conversion.calibration.finite_values import check_finite
from litecheck.conversion.calibration.observe import observe
from litecheck.conversion.calibration.samples import Chain, Sample
from litecheck.conversion.calibration.statistics import (
    CalibrationError,
    CalibrationStatistics,
    NotFinite,
)
from litecheck.devices.port import Limits
from litecheck.errors import ConfigError
from litecheck.model.build import ModelBuilder
from litecheck.model.load import load_model
from litecheck.model.types import Model
from tests.conversion.calibration import networks

OURS, XNNPACK, PLAIN = "litecheck", "litert:xnnpack", "litert:optimized"
#: Networks without a called subgraph.
FLAT = (
    networks.layered,
    networks.streaming,
    networks.recurrent,
    networks.of_two_signatures,
    networks.looking_up,
    networks.unpacking,
)
CALLING = (networks.looping, networks.branching)


def of(*chains: Chain) -> CalibrationData:
    return CalibrationData(lambda: iter(chains), "made up", len(chains))


def single_sample(**inputs: object) -> Chain:
    return (Sample({name: np.asarray(values) for name, values in inputs.items()}),)


def ends(statistics: CalibrationStatistics, place: tuple[int, int]) -> tuple[float, float]:
    return float(statistics.tensors[place].low), float(statistics.tensors[place].high)


def assert_same(found: CalibrationStatistics, expected: CalibrationStatistics) -> None:
    assert found.tensors.keys() == expected.tensors.keys()
    assert all(found.tensors[place].same(expected.tensors[place]) for place in expected.tensors)
    assert found.inner.keys() == expected.inner.keys()
    assert all(found.inner[place].same(expected.inner[place]) for place in expected.inner)


def assert_close(found: CalibrationStatistics, expected: CalibrationStatistics) -> None:
    """Check that statistics are equal except for the order of sums: some ulps of the largest value."""
    assert found.tensors.keys() == expected.tensors.keys()
    assert found.inner.keys() == expected.inner.keys()
    pairs = chain(
        ((found.tensors[k], expected.tensors[k]) for k in expected.tensors),
        ((found.inner[k], expected.inner[k]) for k in expected.inner),
    )
    for mine, theirs in pairs:
        size = float(max(abs(theirs.low), abs(theirs.high)))
        assert [mine.low, mine.high] == pytest.approx([theirs.low, theirs.high], rel=0, abs=2e-6 * size)
        assert mine.elements == theirs.elements


@pytest.mark.parametrize("device", [XNNPACK, PLAIN])
@pytest.mark.parametrize("network", FLAT)
def test_litert_and_litecheck_observe_equal_statistics(network: Callable[[], Model], device: str) -> None:
    pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")
    model = network()
    data = open_data(None, model, random=5)
    assert_close(observe(model, data, device=device), observe(model, data, device=OURS))


def test_an_unread_output_is_observed_by_every_runtime() -> None:
    pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")
    builder = ModelBuilder()
    main = builder.subgraph()
    x = main.tensor("x", (1, 4), "float32")
    parts = [main.tensor(name, (1, 2), "float32") for name in ("used", "unused")]
    y = main.tensor("y", (1, 2), "float32")
    main.add("SPLIT", [main.constant("axis", np.int32(1)), x], parts, num_splits=2)
    main.add("RELU", [parts[0]], [y])
    main.inputs(x)
    main.outputs(y)
    model = builder.finish()
    data = of(single_sample(x=np.float32([[1, 2, 3, 4]])))
    for device in (XNNPACK, PLAIN, OURS):
        assert ends(observe(model, data, device=device), (0, parts[1])) == (3, 4)


@pytest.mark.parametrize(
    ("network", "device"),
    [
        *((network, OURS) for network in (*FLAT, *CALLING)),
        (networks.streaming, XNNPACK),
        (networks.recurrent, PLAIN),
    ],
)
def test_order_does_not_matter(network: Callable[[], Model], device: str) -> None:
    if device != OURS:
        pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")
    model = network()
    chains = list(open_data(None, model, random=6))
    shuffled = random.Random(3).sample(chains, len(chains))
    expected = observe(model, of(*chains), device=device, sketches=True)
    assert_same(observe(model, of(*shuffled), device=device, sketches=True), expected)
    assert expected.samples == len(chains)


def test_a_loop_is_seen_in_every_turn() -> None:
    turns = of(single_sample(n=np.int32([3]), x=np.float32([[1, 0, 0]])))
    found = observe(networks.looping(), turns)
    # x = 1, then -2 * x + 0.5: -1.5, 3.5, -6.5 in the first element; 0.5, -0.5, 1.5 in the remaining elements.
    assert ends(found, (2, 1)) == (-1.5, 3.5)
    assert ends(found, (2, 4)) == (-6.5, 3.5)
    assert found.tensors[2, 4].elements == 9
    assert ends(found, (0, 3)) == (-6.5, 1.5)


def test_a_body_may_have_operators_that_only_litert_has() -> None:
    pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")
    model = networks.looping("LOCAL_RESPONSE_NORMALIZATION")
    found = observe(model, of(single_sample(n=np.int32([2]), x=np.float32([[[[1, 0, 0]]]]))))
    # -2 divided by 1 plus the squares of its neighbors: -2 / 5 = -0.4, then 0.8 / 1.64.
    assert ends(found, (2, 4)) == pytest.approx((-0.4, 0.8 / 1.64))
    assert "where there is none litert:optimized" in found.runtime


def test_a_branch_never_taken_has_no_statistics() -> None:
    yes = of(single_sample(condition=np.array([True]), x=np.ones((2, 3), np.float32)))
    found = observe(networks.branching(), yes)
    assert {place for place in found.tensors if place[0] == 1} == {(1, 0), (1, 1)}
    assert not [place for place in found.tensors if place[0] == 2]


@pytest.mark.parametrize("device", [OURS, XNNPACK])
def test_state_begins_anew_with_each_chain_and_not_within(device: str) -> None:
    if device != OURS:
        pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")
    step = Sample({"x": np.float32([[1, 2]])})
    model = networks.streaming()
    apart = observe(model, of((step,), (step,), (step,)), device=device)
    together = observe(model, of((step, step, step)), device=device)
    # Tensors 0 to 2 are x, before and after; the variable begins at 1.
    assert (ends(apart, (0, 1)), ends(apart, (0, 2))) == ((1, 1), (2, 3))
    assert (ends(together, (0, 1)), ends(together, (0, 2))) == ((1, 5), (2, 7))
    assert (apart.samples, together.samples) == (3, 1)


@pytest.mark.parametrize("device", [OURS, XNNPACK])
def test_a_value_that_is_not_finite_has_its_tensor_and_sample(device: str) -> None:
    if device != OURS:
        pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")
    model = networks.looking_up()
    values = [np.full((5, 4), v, np.float32) for v in (1, 2, -1, 0)]
    data = of(*(single_sample(ids=np.arange(5), positive=v) for v in values))
    found = observe(model, data, device=device)
    logs = next(t.index for t in model.subgraphs[0].tensors if t.name == "logs")
    assert found.tensors[0, logs].not_finite == NotFinite(2, "nan")
    assert ends(found, (0, logs)) == pytest.approx((0, np.log(2)))
    with pytest.raises(CalibrationError, match="sample 2 makes tensor 4 'logs' hold a NaN"):
        check_finite(found, model)


def test_many_samples_go_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")
    model = networks.looking_up()
    data = open_data(None, model, random=7)
    expected = observe(model, data, device=XNNPACK, sketches=True)
    monkeypatch.setattr("litecheck.conversion.calibration.litert_child._CHAINS", 3)
    told: list[int] = []
    found = observe(model, data, device=XNNPACK, sketches=True, progress=told.append)
    assert_same(found, expected)
    assert [told[-1], sorted(told)] == [7, told]
    assert {3, 6, 7} <= set(told)


@pytest.mark.parametrize(("device", "most"), [(OURS, 2), (XNNPACK, 2)])
def test_memory_does_not_grow_with_the_samples(
    device: str, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    if device != OURS:
        pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")
    monkeypatch.setattr("litecheck.conversion.calibration.litert_child._CHAINS", 3)
    made: list[weakref.ref[np.ndarray]] = []
    alive: list[int] = []

    def chains() -> Iterator[Chain]:
        for _ in range(20):
            sample = Sample({"image": np.zeros((1, 6, 6, 3), np.float32)})
            made.append(weakref.ref(sample.inputs["image"]))
            alive.append(sum(ref() is not None for ref in made))
            yield (sample,)

    assert observe(networks.layered(), CalibrationData(chains, "made up"), device=device).samples == 20
    assert max(alive) <= most + 1


def test_the_runtime_is_named() -> None:
    pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")
    data = open_data(None, networks.layered(), random=1)
    assert observe(networks.layered(), data).runtime.endswith(", XNNPACK")
    assert observe(networks.looping(), open_data(None, networks.looping(), random=1)).runtime.startswith(
        "litecheck"
    )


def test_a_model_that_ends_the_process_is_an_error() -> None:
    pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")
    model = networks.looking_up()
    data = of(single_sample(ids=np.array([0, 1, 2, 3, 700]), positive=np.ones((5, 4), np.float32)))
    with pytest.raises(
        CalibrationError, match=r"litert:xnnpack, samples 0 to 0: refused: .*(?i:out of bounds|range)"
    ):
        observe(model, data, device=XNNPACK)
    with pytest.raises(CalibrationError, match="sample 0: GATHER #1"):
        observe(model, data, device=OURS)


def test_a_model_beyond_the_limits_is_an_error() -> None:
    pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")
    builder = ModelBuilder("large")
    main = builder.subgraph()
    x, y = main.tensor("x", (1, 1), "float32"), main.tensor("y", (1 << 15, 1 << 15), "float32")
    shape = main.constant("shape", np.array([1 << 15, 1 << 15], np.int32))
    main.add("BROADCAST_TO", [x, shape], [y], version=3)
    main.inputs(x)
    main.outputs(y)
    data = of(single_sample(x=np.ones((1, 1), np.float32)))
    with pytest.raises(CalibrationError, match="samples 0 to 0: out of memory"):
        observe(builder.finish(), data, device=PLAIN, limits=Limits(memory=1 << 28))


def test_an_operator_without_a_kernel_is_an_error() -> None:
    model = networks.layered()
    main = model.subgraphs[0]
    strange = replace(main.operators[1], opcode="CUSTOM", custom_code="Strange", options=None)
    operators = (main.operators[0], strange, *main.operators[2:])
    odd = replace(model, subgraphs=(replace(main, operators=operators),))
    with pytest.raises(CalibrationError, match="Strange"):
        observe(odd, open_data(None, model, random=1), device=OURS)


def test_unsupported_devices_of_a_calibration_are_errors() -> None:
    model = networks.looping()
    data = open_data(None, model, random=1)
    with pytest.raises(ConfigError, match="did you mean 'litert:xnnpack'"):
        observe(model, data, device="litert:xnpack")
    pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")
    with pytest.raises(ConfigError, match="after their last call only"):
        observe(model, data, device=XNNPACK)
    with pytest.raises(ConfigError, match="there is no sample"):
        observe(networks.layered(), of())


@pytest.mark.parametrize("device", [OURS, PLAIN])
def test_cells_are_seen_in_every_step(device: str) -> None:
    if device != OURS:
        pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")
    steps = np.random.default_rng(5).normal(size=(1, 4, 2)).astype(np.float32)
    found = observe(networks.recurrent(), of(single_sample(x=steps)), device=device)
    single = tuple(Sample({"x": steps[:, n : n + 1]}) for n in range(4))
    stepwise = observe(networks.recurrent(steps=1), of(single), device=OURS)
    cell = next(t.index for t in networks.recurrent().subgraphs[0].tensors if t.name == "cell")
    assert ends(found, (0, cell)) == pytest.approx(ends(stepwise, (0, cell)), abs=1e-6)
    assert found.inner[0, 0, "cell"].elements == 12
    assert found.inner[0, 0, "hidden"].high == pytest.approx(float(found.tensors[0, cell + 1].high), abs=1e-6)


@pytest.mark.models
@pytest.mark.runtime
@pytest.mark.parametrize("name", ["pretrainedResnet.tflite", "ad01_fp32.tflite"])
def test_public_models_have_equal_statistics(name: str) -> None:
    pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")
    folders = [os.environ.get(v, "") for v in ("LITECHECK_MODELS", "LITECHECK_CONVERSION")]
    file = next((Path(f, name) for f in folders if f and Path(f, name).is_file()), None)
    if file is None:
        pytest.skip(f"neither LITECHECK_MODELS nor LITECHECK_CONVERSION has {name}")
    model = load_model(str(file))
    data = open_data(None, model, random=2)
    assert_close(observe(model, data, device=XNNPACK), observe(model, data, device=OURS))
