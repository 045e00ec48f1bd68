"""Types of LSTM tensors that the kernels do not compare, against LiteRT and TFLM with several inferences."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")

from litecheck import load_profile, validate
from litecheck.finding import IGNORED
from litecheck.model.save import model_bytes
from litecheck.model.types import Model
from tests.differential.operator_types.bases import bases
from tests.differential.operator_types.signatures import Base, Values, retyped, roles_of
from tests.differential.structure.oracle import LiteRT

RESOLVERS = ("reference", "optimized", "xnnpack")
LSTM, SEQUENCE = "LSTM", "UNIDIRECTIONAL_SEQUENCE_LSTM"
LOAD, WRONG = "fails to load", "wrong results"
#: Operator, form, role, its type, limit of the finding, impact.
CASES = [
    (LSTM, "", "cell_state", "int16", "integer_states", WRONG),
    (LSTM, "", "cell_state", "float32", "", ""),
    (SEQUENCE, "", "cell_state", "int16", "integer_states", WRONG),
    (SEQUENCE, "", "cell_state", "float32", "", ""),
    (LSTM, "uint8 hybrid", "input_to_output_weights", "int8", "weight_types", IGNORED),
    (LSTM, "uint8 hybrid", "input_to_cell_weights", "int8", "weight_types", LOAD),
    (SEQUENCE, "uint8 hybrid", "input_to_input_weights", "int8", "weight_types", IGNORED),
    (SEQUENCE, "uint8 hybrid", "input_to_cell_weights", "int8", "weight_types", IGNORED),
    (SEQUENCE, "uint8 projected hybrid", "projection_weights", "int8", "weight_types", IGNORED),
    (SEQUENCE, "uint8 hybrid", "input_to_output_weights", "int8", "weight_types", LOAD),
    (SEQUENCE, "uint8 hybrid", "recurrent_to_cell_weights", "int8", "weight_types", LOAD),
    (SEQUENCE, "uint8 hybrid", "input_to_cell_weights", "uint8", "", ""),
]


def base_of(opcode: str, form: str) -> Base:
    """Return the float model of an operator, or its model with this form."""
    return next(b for b in bases()[opcode] if b.name == f"{opcode} {form}".strip())


def with_type(opcode: str, form: str, role: str, dtype: str) -> tuple[Model, Values]:
    base = base_of(opcode, form)
    places = list(roles_of(base.rule, base.model.subgraphs[0].operators[0]))
    return retyped(
        base, tuple(dtype if r == role else c for r, c in zip(places, base.signature, strict=True))
    )


def distances(model: Model, inputs: Values, sound: Model, usual: Values) -> tuple[float | str, ...]:
    """Return the largest distance of three inferences from the sound model by resolver, or the stage of a failure."""
    with LiteRT() as litert:
        good = litert.ask_all(model_bytes(sound), [usual] * 3, RESOLVERS)
        found = litert.ask_all(model_bytes(model), [inputs] * 3, RESOLVERS)
    return tuple(
        a.stage if a.stage != "runs" else float(np.abs(np.subtract(a.outputs, good[r].outputs)).max())
        for r, a in found.items()
    )


@pytest.mark.runtime
@pytest.mark.parametrize("case", CASES, ids=lambda case: " ".join(case[:4]))
def test_uncompared_types_have_the_measured_impact(case: tuple[str, str, str, str, str, str]) -> None:
    opcode, form, role, dtype, limit, impact = case
    base = base_of(opcode, form)
    model, inputs = with_type(opcode, form, role, dtype)
    found = [(f.path, f.effect) for f in validate(model).findings if f.path.endswith(("_types", "_states"))]
    assert found == ([(f"{opcode}/limits/{limit}", impact)] if limit else [])
    apart = distances(model, inputs, base.model, base.inputs)
    if impact == LOAD:
        assert apart == ("refused",) * 3
    elif impact == WRONG:
        assert all(isinstance(d, float) and d > 0.1 for d in apart)
    else:
        assert all(isinstance(d, float) and d < 0.02 for d in apart)


@pytest.mark.parametrize("role", ["input_to_forget_weights", "recurrent_to_output_weights"])
def test_tflm_rejects_an_integer_weight_of_a_float_lstm(role: str) -> None:
    runtime = pytest.importorskip("tflite_micro.python.tflite_micro.runtime", reason="needs tflite-micro")
    tflm, path = (load_profile("tflm"),), f"{SEQUENCE}/limits/integer_weights"
    base, (model, _) = base_of(SEQUENCE, ""), with_type(SEQUENCE, "", role, "int8")
    assert [(f.path, f.effect) for f in validate(model, tflm).findings] == [(path, LOAD)]
    assert validate(base.model, tflm).findings == ()
    with pytest.raises(RuntimeError, match="allocate"):
        runtime.Interpreter.from_bytes(model_bytes(model), arena_size=1 << 21)
    runtime.Interpreter.from_bytes(model_bytes(base.model), arena_size=1 << 21)
