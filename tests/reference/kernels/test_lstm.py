"""The integer LSTM and SVDF: outputs near the real values, states, and invalid options."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.types import Model
from litecheck.reference.engine.interpreter import ReferenceInterpreter, run
from litecheck.reference.kernels.lstm_parts import Peephole
from litecheck.reference.numerics.fixedpoint import quantize_multiplier
from litecheck.reference.runtime_tensors import RunError

CELLS, INPUTS, SX, SH, SW = 4, 3, 1 / 64, 1 / 128, 1 / 64


def weights(rng: np.random.Generator, *shape: int) -> np.ndarray:
    return rng.integers(-127, 128, shape).astype(np.int8)


def lstm(
    seed: int = 0, intermediates: int = 5, cell_scale: float = 2.0**-12, time: int = 6
) -> tuple[Model, list]:
    """Return a plain LSTM without biases, and its weights: input weights, then recurrent weights."""
    rng = np.random.default_rng(seed)
    builder = ModelBuilder()
    main = builder.subgraph("main")
    kernels = [weights(rng, CELLS, INPUTS) for _ in range(4)] + [weights(rng, CELLS, CELLS) for _ in range(4)]
    x = main.tensor("x", (2, time, INPUTS), "int8", qparams(SX))
    operands = [x, *(main.constant(f"w{n}", k, qparams(SW)) for n, k in enumerate(kernels)), -1, -1, -1]
    operands += [main.constant(f"b{n}", np.zeros(CELLS, np.int32), qparams(SX * SW)) for n in range(4)]
    h = main.tensor("h", (2, CELLS), "int8", qparams(SH), is_variable=True)
    c = main.tensor("c", (2, CELLS), "int16", qparams(cell_scale), is_variable=True)
    operands += [-1, -1, h, c, -1, -1, -1, -1]
    between = [main.tensor(f"i{n}", (0,), "int8", qparams(SH)) for n in range(intermediates)]
    y = main.tensor("y", (2, time, CELLS), "int8", qparams(SH))
    main.add(
        "UNIDIRECTIONAL_SEQUENCE_LSTM", operands, [y], intermediates=between, fused_activation_function="TANH"
    )
    main.inputs(x)
    main.outputs(y)
    return builder.finish(), kernels


def logistic(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def test_outputs_are_near_the_real_lstm() -> None:
    model, kernels = lstm()
    x = np.random.default_rng(1).integers(-128, 128, (2, 6, INPUTS)).astype(np.int8)
    ours = run(model, (x,)).outputs["y"].astype(float) * SH
    h = c = np.zeros((2, CELLS))
    feed, recur = [k * SW for k in kernels[:4]], [k * SW for k in kernels[4:]]
    for t in range(6):
        i, f, g, o = (x[:, t] * SX @ a.T + h @ b.T for a, b in zip(feed, recur, strict=True))
        c = logistic(f) * c + logistic(i) * np.tanh(g)
        h = logistic(o) * np.tanh(c)
        assert np.abs(ours[:, t] - h).max() < 3 * SH, t


def test_states_continue_until_they_are_reset() -> None:
    model, _ = lstm(time=3)
    long, _ = lstm(time=6)
    x = np.random.default_rng(2).integers(-128, 128, (2, 6, INPUTS)).astype(np.int8)
    interpreter = ReferenceInterpreter(model)
    halves = [interpreter.invoke((part,)).outputs["y"] for part in (x[:, :3], x[:, 3:])]
    assert (np.concatenate(halves, 1) == run(long, (x,)).outputs["y"]).all()
    interpreter.reset()
    assert (interpreter.invoke((x[:, :3],)).outputs["y"] == halves[0]).all()
    assert (interpreter.invoke((x[:, :3],)).outputs["y"] != halves[0]).any()


def test_time_major_changes_only_the_layout() -> None:
    model, _ = lstm()
    x = np.random.default_rng(3).integers(-128, 128, (2, 6, INPUTS)).astype(np.int8)
    main = model.subgraphs[0]
    (operator,) = main.operators
    options = replace(operator.options, fields={**operator.options.fields, "time_major": True})
    tensors = [replace(t, shape=(6, 2, t.shape[2])) if t.name in "xy" else t for t in main.tensors]
    turned = replace(main, tensors=tuple(tensors), operators=(replace(operator, options=options),))
    by_time = run(replace(model, subgraphs=(turned,)), (x.swapaxes(0, 1).copy(),)).outputs["y"]
    assert (by_time.swapaxes(0, 1) == run(model, (x,)).outputs["y"]).all()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"intermediates": 4}, "no kernel for an LSTM with 4 intermediate tensors"),
        ({"cell_scale": 0.0003}, "is not a power of two"),
        ({"cell_scale": 2.0**-8}, "a cell with 7 integer bits"),
    ],
)
def test_invalid_operands_are_rejected(changed: dict, message: str) -> None:
    model, _ = lstm(**changed)
    with pytest.raises(RunError, match=message):
        run(model, (np.zeros((2, 6, INPUTS), np.int8),))


def svdf(state: str = "int16", activation: str = "RELU") -> Model:
    builder = ModelBuilder()
    main = builder.subgraph("main")
    x = main.tensor("x", (1, 2), "int8", qparams(0.5, 1))
    feature = main.constant("f", np.array([[1, 2], [3, -4]], np.int8), qparams(1.0))
    time = main.constant("t", np.array([[1, 2, 3], [4, 5, 6]], state), qparams(1.0))
    memory = main.tensor("s", (1, 6), state, qparams(0.5), is_variable=True)
    y = main.tensor("y", (1, 1), "int8", qparams(1.0, -3))
    main.add("SVDF", [x, feature, time, -1, memory], [y], rank=2, fused_activation_function=activation)
    main.inputs(x)
    main.outputs(y)
    return builder.finish()


@pytest.mark.parametrize("state", ["int16", "int8"])
def test_svdf_remembers_step_by_step(state: str) -> None:
    """Real input 1, 1: features 3 and -1 (stored 6, -2 at 0.5); after one step 3 * 3 - 1 * 6 = 3, then 5 * 3 - 11."""
    interpreter = ReferenceInterpreter(svdf(state))
    x = np.array([[3, 3]], np.int8)
    assert [int(interpreter.invoke((x,)).outputs["y"][0, 0]) + 3 for _ in range(3)] == [3, 4, 3]
    assert interpreter.variables[0, 3].tolist() == [[6, 6, 6, -2, -2, -2]]
    assert interpreter.variables[0, 3].dtype == np.dtype(state)


def test_svdf_needs_relu() -> None:
    with pytest.raises(RunError, match="wants RELU"):
        run(svdf(activation="NONE"), (np.zeros((1, 2), np.int8),))


def test_tflm_svdf_ignores_the_activation() -> None:
    x = (np.arange(-3, 3).astype(np.int8).reshape(3, 2)[:1],)
    one, other = (run(svdf(activation=a), x, arithmetic="tflm").outputs["y"] for a in ("RELU", "TANH"))
    assert np.array_equal(one, other)


@pytest.mark.parametrize(
    ("counted", "alone", "seen"),
    [
        (3, False, [[1, 2, 3], [1, 2, 3]]),
        (2, True, [[1, 2, 0], [1, 2, 0]]),
        (2, False, [[1, 2, 1], [2, 0, 0]]),
    ],
)
def test_litert_counts_peepholes_by_outputs(counted: int, alone: bool, seen: list[list[int]]) -> None:
    """LiteRT counts coefficients by outputs: with two outputs of three cells it continues over the rows of a batch."""
    peephole = Peephole(np.array([1, 2, 3]), quantize_multiplier(1.0), counted, alone)
    assert peephole(np.ones((2, 3), np.int64)).tolist() == seen


def test_peepholes_beyond_the_cells_are_refused() -> None:
    with pytest.raises(RunError, match="counts peepholes by outputs"):
        Peephole(np.array([1, 2, 3]), quantize_multiplier(1.0), 4)(np.ones((2, 3), np.int64))
