"""Faults of the runtimes as known-faults.yaml describes them: conditions, counterexamples, and wrong values."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest

pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")

from litecheck.comparison.errata import known_fault
from litecheck.devices.outcome import Outcome
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.save import model_bytes
from litecheck.model.types import Model
from litecheck.reference.engine.arithmetic import load_arithmetic
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from litecheck.reference.kernels import recurrent
from tests.differential.one_operator import Tensor, answers, changed, outputs, trial
from tests.differential.oracle import RESOLVERS, Refused
from tests.differential.recurrent_float import lstm, too_far
from tests.differential.tflm import Tflm

Random = np.random.Generator


#: Input, filter and output shapes, the version, and the options of hybrid operators.
HYBRID = {
    "FULLY_CONNECTED": ((2, 16), (8, 16), (2, 8), 9, {"asymmetric_quantize_inputs": True}),
    "CONV_2D": ((1, 4, 4, 16), (8, 2, 2, 16), (1, 3, 3, 8), 5, {"padding": "VALID", "stride_w": 1, "stride_h": 1}),
    "DEPTHWISE_CONV_2D": ((1, 5, 5, 8), (1, 2, 2, 8), (1, 4, 4, 8), 6,
                          {"padding": "VALID", "stride_w": 1, "stride_h": 1, "depth_multiplier": 1}),
}  # fmt: skip


@pytest.fixture(scope="module")
def tflm() -> Iterator[Tflm]:
    pytest.importorskip("tflite_micro", reason="needs tflite_micro")
    with Tflm() as started:
        yield started


def hybrid(opcode: str, scales: int, filters: np.ndarray | None = None) -> Model:
    """Return a float32 layer with int8 weights, computed at run time or constant ``filters``."""
    shape, weights, out, version, options = HYBRID[opcode]
    builder = ModelBuilder(opcode)
    graph = builder.subgraph("main")
    axis = 3 if opcode == "DEPTHWISE_CONV_2D" else 0
    parameters = qparams(np.linspace(0.01, 0.02, scales), 0, axis) if scales > 1 else qparams(0.01)
    x = graph.tensor("x", shape, "float32")
    computed = filters is None
    w = (
        graph.tensor("w", weights, "int8", parameters)
        if computed
        else graph.constant("w", filters, parameters)
    )
    b, y = graph.constant("b", np.zeros(8, np.float32)), graph.tensor("y", out, "float32")
    graph.add(opcode, [x, w, b], [y], version=version, **options)
    graph.inputs(*([x, w] if computed else [x]))
    graph.outputs(y)
    return builder.finish()


def operands_of(opcode: str, rng: Random) -> list[np.ndarray]:
    shape, weights, *_ = HYBRID[opcode]
    x = rng.normal(1, 1, shape).astype(np.float32)
    return [x, rng.integers(-127, 128, weights).astype(np.int8)]


#: Operators and resolvers that keep sums of the first inference's weights, with their number of scales.
KEPT = [("FULLY_CONNECTED", 1, RESOLVERS), ("CONV_2D", 8, ("optimized", "xnnpack"))]


@pytest.mark.parametrize(
    ("opcode", "scales", "resolvers"), KEPT, ids=lambda v: v if isinstance(v, str) else ""
)
def test_row_sums_of_the_first_weights_are_kept(oracle, opcode, scales, resolvers):
    rng = np.random.default_rng(5)
    model, runs = hybrid(opcode, scales), [operands_of(opcode, rng) for _ in range(4)]
    # reordered weights have the sums of the first weights
    again = [runs[1][0], runs[0][1].reshape(8, -1)[:, ::-1].reshape(runs[0][1].shape).copy()]
    content = model_bytes(model)
    for resolver in RESOLVERS:
        alone = [oracle.run(content, run, resolver)[0] for run in runs]
        together = [made[0] for made in oracle.run_many(content, runs, resolver)]
        assert np.array_equal(together[0], alone[0])
        wrong = [not np.allclose(a, b, rtol=1e-3) for a, b in zip(together[1:], alone[1:], strict=True)]
        assert wrong == [resolver in resolvers] * 3
        same = oracle.run_many(content, [runs[0], again], resolver)[1][0]
        assert np.array_equal(same, oracle.run(content, again, resolver)[0])
        fault = known_fault(f"litert:{resolver}", model, Outcome.MISMATCH)
        assert ("first inference" in fault) == (resolver in resolvers)


@pytest.mark.parametrize("constant", [False, True])
def test_a_hybrid_depthwise_layer_with_one_scale_reads_beyond_it(oracle, constant):
    rng = np.random.default_rng(1)
    x, filters = operands_of("DEPTHWISE_CONV_2D", rng)
    given = [x] if constant else [x, filters]
    for resolver in RESOLVERS:
        made = []
        for scales in (1, 8):
            model = hybrid("DEPTHWISE_CONV_2D", scales, filters if constant else None)
            found = oracle.run(model_bytes(model), given, resolver)
            (right,) = ReferenceInterpreter(model).invoke(tuple(given)).outputs.values()
            near = {"rtol": 0.02, "atol": 0.02 * abs(right).max()}
            # memory after the scale may also crash the process
            made.append(not isinstance(found, Refused) and np.allclose(found[0], right, **near))
            assert ("scale" in known_fault(f"litert:{resolver}", model, Outcome.MISMATCH)) == (scales == 1)
        assert made == [False, True], resolver


@pytest.mark.parametrize("opcode", ["LSTM", "UNIDIRECTIONAL_SEQUENCE_LSTM"])
def test_a_float_lstm_without_activation_uses_the_cell_gate_as_cell(oracle, monkeypatch, opcode):
    seen = {}
    for name in ("right", "faulty"):
        if name == "faulty":
            monkeypatch.setattr(recurrent, "_activate", cell_gate_again())
        seen[name] = 0
        for seed in range(12):
            case = lstm(np.random.default_rng(seed), opcode, "NONE")
            if (
                len(case.model.subgraphs[0].tensors[case.model.subgraphs[0].operators[0].inputs[6]].shape)
                == 1
            ):
                continue
            ours, theirs = outputs(case, "litert-reference"), answers(case, oracle, "reference")
            seen[name] += sum(too_far(a[0], b[0]).any() for a, b in zip(ours, theirs, strict=True))
    assert seen["right"] > 10
    assert seen["faulty"] == 0
    for activation in ("NONE", "TANH"):
        made = lstm(np.random.default_rng(0), opcode, activation).model
        fault = known_fault("litert:reference", made, Outcome.MISMATCH)
        assert ("cell gate" in fault) == (activation == "NONE")


def cell_gate_again() -> Callable[[np.ndarray, object], np.ndarray]:
    """Return a substitute of the activation: the unchanged cell gate, and the same again for the cell."""
    kept: list[np.ndarray] = []

    def activated(x: np.ndarray, options: object) -> np.ndarray:
        if kept:
            return kept.pop()
        kept.append(x)
        return x

    return activated


@pytest.mark.parametrize("opcode", ["LSTM", "UNIDIRECTIONAL_SEQUENCE_LSTM"])
def test_a_float_lstm_with_many_more_outputs_than_cells_ends_the_process(oracle, opcode):
    for more in (0, 300):
        made = lstm(np.random.default_rng(3), opcode, projected=True, more=more)
        theirs = answers(made, oracle, "reference")
        assert isinstance(theirs, Refused) == bool(more)
        if not more:
            assert not too_far(outputs(made, "litert-reference")[0][0], theirs[0][0]).any()
        assert ("scratch" in known_fault("litert:xnnpack", made.model, Outcome.CRASHED)) == bool(more)


def broadcast(opcode: str, dtype: str, shape: tuple[int, ...], behind: bool, rank: int) -> Model:
    """Return a constant of one element beside a computed input, and an operator after them."""
    builder, parameters = ModelBuilder(opcode), None if dtype == "float32" else qparams(0.1, 3)
    graph = builder.subgraph("main")
    x = graph.tensor("x", shape, dtype, parameters)
    c = graph.constant("c", np.full((1,) * rank, 5).astype(dtype), parameters)
    out = (1,) * (rank - len(shape)) + shape
    y = graph.tensor("y", out, dtype, parameters)
    graph.add(opcode, [x, c], [y], version=2)
    if behind:
        z = graph.tensor("z", out, dtype, parameters)
        graph.add("ADD", [y, y], [z], version=2)
        y = z
    graph.inputs(x)
    graph.outputs(y)
    return builder.finish()


@pytest.mark.parametrize("dtype", ["int8", "uint8", "float32"])
@pytest.mark.parametrize("opcode", ["ADD", "SUB", "MUL"])
def test_xnnpack_forgets_dimensions_of_a_single_constant(oracle, opcode, dtype):
    for shape, rank in (((3,), 2), ((3,), 3), ((2, 3), 3)):
        x = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
        for behind in (False, True):
            model = broadcast(opcode, dtype, shape, behind, rank)
            content = model_bytes(model)
            whole, short = (oracle.run(content, [x], r)[0] for r in ("optimized", "xnnpack"))
            assert whole.shape == (1,) * (rank - len(shape)) + shape
            assert short.shape == (shape if behind and dtype != "float32" else whole.shape)
            assert np.array_equal(short.reshape(-1), whole.reshape(-1))
            fault = known_fault(
                "litert:xnnpack",
                model,
                Outcome.WRONG_SHAPE,
            )
            assert bool(fault) == (dtype != "float32")


def test_a_micro_quotient_shifts_by_more_than_a_word_holds(tflm):
    every = np.arange(-128, 128).astype(np.int8)
    x, y = (v.reshape(-1) for v in np.meshgrid(every, every, indexing="ij"))
    own = load_arithmetic("tflm")
    word = changed(own, {"DIV": {**own.variants("DIV"), "shift": "word"}})
    narrow = changed(own, {"DIV": {**own.variants("DIV"), "shift": "word", "multiplier": "float32"}})
    beyond = other = 0
    for seed in range(6):
        rng = np.random.default_rng(seed)
        # the product of the first two scales differs in float32
        scales = rng.uniform(0.01, 1, 3) if seed else (1.0, 0.05, 0.02)
        zeros = rng.integers(-128, 128, 3) if seed else (0, 0, 0)
        ends = [qparams(s, int(z)) for s, z in zip(scales, zeros, strict=True)]
        case = trial("DIV", "DIV", [Tensor(x, ends[0]), Tensor(y, ends[1])], "int8", ends[2], x.shape)
        theirs = answers(case, tflm, "tflm")[0][0]
        assert np.array_equal(theirs, outputs(case, word, False)[0][0])
        assert (y == zeros[1]).sum() == 256
        beyond += int((theirs != outputs(case, own, False)[0][0]).sum())
        other += int((theirs != outputs(case, narrow, False)[0][0]).sum())
    assert beyond > 1000
    assert other > 0
    assert "32 bits" in known_fault("tflm", case.model, Outcome.MISMATCH)
