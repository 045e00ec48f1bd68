"""A few random LSTMs and SVDFs on the three resolvers: outputs, states, and negative controls."""

from __future__ import annotations

import ctypes
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")

from litecheck.model.save import model_bytes
from litecheck.profile.load import load_profile
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from litecheck.reference.kernels import lstm as module
from litecheck.reference.kernels import lstm_8x8_8
from litecheck.suite.suite_cases import cases
from tests.differential.oracle import RESOLVERS
from tests.differential.recurrent import CASES, FAMILY, NARROW
from tests.differential.sweep import sweep

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("resolver", RESOLVERS)
@pytest.mark.parametrize("opcode", CASES)
def test_equal_to_litert(oracle, opcode, resolver):
    found = sweep(FAMILY, opcode, resolver, oracle, 6)
    assert found.small == []
    assert found.score.compared > 1000
    assert found.noticed["other input"]


def test_a_wrong_rounding_of_svdf_is_noticed(oracle):
    single = replace(FAMILY, faults={"SVDF": {"requantize": "single"}})
    assert sweep(single, "SVDF", "reference", oracle, 20, shown=0).score.different > 0


def test_a_gate_in_a_wrong_format_is_noticed(oracle, monkeypatch):
    monkeypatch.setattr(module, "Q12", module.Q12 * 2)
    assert sweep(FAMILY, "LSTM", "reference", oracle, 10, shown=0).score.different > 0


def test_peepholes_counted_by_cells_are_noticed(oracle):
    whole = replace(FAMILY, faults={"UNIDIRECTIONAL_SEQUENCE_LSTM": {"peepholes": "by-cells"}})
    found = sweep(whole, "UNIDIRECTIONAL_SEQUENCE_LSTM", "reference", oracle, 30, shown=0)
    assert found.score.different > 100


@pytest.fixture
def c_library(monkeypatch):
    """Replace tanh by tanhf of the C library, which LiteRT calls."""
    try:
        tanhf = ctypes.CDLL(None).tanhf
    except (AttributeError, OSError, TypeError):
        pytest.skip("no tanhf in the C library")
    tanhf.restype, tanhf.argtypes = ctypes.c_float, [ctypes.c_float]
    each = np.vectorize(lambda x: tanhf(float(x)), otypes=[np.float32])
    monkeypatch.setattr(lstm_8x8_8, "_TANH", each)


@pytest.mark.usefixtures("c_library")
@pytest.mark.parametrize("resolver", RESOLVERS)
def test_the_narrow_form_is_equal_to_litert(oracle, resolver):
    found = sweep(NARROW, "LSTM 8x8_8", resolver, oracle, 15)
    assert found.small == []
    assert found.score.compared > 1000
    assert found.noticed["other input"] > 10


def test_the_recurrent_product_that_litert_omits_is_noticed(oracle):
    whole = replace(NARROW, faults={"LSTM": {}})
    assert sweep(whole, "LSTM 8x8_8", "reference", oracle, 10, shown=0).score.different > 100


@pytest.mark.parametrize("opcode", ["LSTM", "UNIDIRECTIONAL_SEQUENCE_LSTM"])
def test_a_state_begins_with_the_lowest_byte_of_its_zero_point(oracle, opcode):
    """LiteRT accepts zero points outside the type, which a suite lists as invalid models."""
    profile, pattern = load_profile("litert-runtime"), f"{opcode}/int8/refuse-output_state-zero_point-*"
    found = [c.model for c in cases(profile, "smoke", (pattern,), 0) if c.broken]
    assert len(found) == 1
    for model in found:
        main = model.subgraphs[0]
        (source,) = (main.tensors[index] for index in main.inputs)
        (state,) = (t for t in main.tensors if t.is_variable and t.dtype == "int8")
        assert not -128 <= state.quantization.zero_point[0] <= 127
        inputs = np.random.default_rng(1).integers(-128, 128, source.shape).astype(np.int8)
        interpreter, begun = ReferenceInterpreter(model), {}
        for zero in (False, True):
            interpreter.reset()
            if zero:
                interpreter.variables[0, state.index] = np.zeros(state.shape, np.int8)
            begun[zero] = interpreter.run(main, (inputs,))[main.outputs[0]]
        for resolver in RESOLVERS:
            (theirs,) = oracle.run(model_bytes(model), (inputs,), resolver)
            assert np.array_equal(begun[False], theirs), resolver
            assert not np.array_equal(begun[True], theirs), resolver
