"""LiteRT for Microcontrollers as an oracle, from the package tflite_micro: ``with Tflm() as tflm: tflm.run(...)``.

It runs in a child process, which ends if an assertion of TFLM fails.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from litecheck.flatbuffer.table import Table
from litecheck.model.build import qparams
from litecheck.model.load import load_model
from litecheck.reference.engine.arithmetic import load_arithmetic
from litecheck.reference.engine.dispatch import find_kernel, signature
from tests.differential.layers import random_inputs
from tests.differential.one_operator import Score, Trial, score
from tests.differential.operands import given, places, with_options
from tests.differential.oracle import SERVE, Oracle
from tests.differential.shrink import Make
from tests.differential.sweep import Family

Random = np.random.Generator
#: Number of tensors of an LSTM without extensions: input, 8 matrices, 4 biases, 2 states, output.
_PLAIN = 16
#: FLOAT32 (not stated), INT32, INT64 in the schema's TensorType, and kinds with a bias of int32 or int64.
BIAS_TYPES = (0, 2, 4)
BIASED = ("CONV_2D int16", "CONV_2D int16 grouped", "FULLY_CONNECTED int16", "TRANSPOSE_CONV int16")

_CHILD = r"""
import os, pickle, struct, sys, tempfile
from tflite_micro.python.tflite_micro import runtime
from tflite_micro.tensorflow.lite.micro.python.schema_py_generated import Model
log = tempfile.TemporaryFile()
def load(model):
    outputs = Model.GetRootAs(model).Subgraphs(0).OutputsLength()
    return outputs, runtime.Interpreter.from_bytes(model, arena_size=1 << 24)
def answer(outputs, interpreter, runs):
    results = []
    for inputs in runs:
        interpreter.reset()
        for at, x in enumerate(inputs): interpreter.set_input(x, at)
        interpreter.invoke()
        results.append([interpreter.get_output(at).copy() for at in range(outputs)])
    return results
def reply(request):
    model, runs, _, _ = request
    os.dup2(log.fileno(), 1); os.dup2(log.fileno(), 2)
    log.seek(0); log.truncate()
    stage = "load"
    try:
        loaded = load(model)
        stage = "run"
        return answer(*loaded, runs)
    except (RuntimeError, ValueError) as error:
        log.seek(0)
        return f"{stage}: " + (log.read().decode(errors="replace").split("\n")[0] or str(error))
"""


class Tflm(Oracle):
    """TFLM's interpreter, for every resolver; it shows no variables.

    Its error messages begin with ``load:`` or ``run:``.
    """

    program = _CHILD + SERVE
    shows_variables = False


def _of(trial: Trial) -> tuple[str, str, Table | None]:
    """Return the operator, the type of the input that determines its kernel, and the options."""
    graph = trial.model.subgraphs[0]
    operator = graph.operators[0]
    kernel = find_kernel(graph, operator)
    role = kernel.type_role or signature(kernel.function).inputs[0]
    return operator.opcode, graph.tensors[places(trial)[role]].dtype, operator.options


def faulty(trial: Trial) -> bool:
    """Return True for trials with a known fault of TFLM: see rules/arithmetic/known-faults.yaml."""
    opcode, dtype, options = _of(trial)
    graph = trial.model.subgraphs[0]
    if opcode == "TRANSPOSE_CONV" and dtype == "int16":
        return any(graph.tensors[i].dtype == "int32" for i in graph.operators[0].inputs[3:] if i >= 0)
    if opcode == "ADD" and dtype == "int32":
        return options is not None and bool(options.get("fused_activation_function", 0))
    if opcode == "SPACE_TO_BATCH_ND":
        return bool(np.any(given(trial, "paddings")))
    return (opcode, dtype) == ("GREATER", "int16")


def unknown(trial: Trial) -> bool:
    """Return True for an LSTM with CIFG, peepholes, projections or normalization: TFLM rejects them."""
    roles = places(trial)
    return "cell_state" in roles and "input_to_cell_weights" in roles and len(roles) != _PLAIN


def rejected_by_litert(trial: Trial) -> bool:
    """Return True for an index along an empty computed axis: LiteRT rejects it, TFLM gives an empty output or crashes."""
    graph = trial.model.subgraphs[0]
    operator = graph.operators[0]
    axis = given(trial, "axis") if operator.opcode in ("ARG_MAX", "ARG_MIN") else None
    return axis is not None and graph.tensors[operator.inputs[0]].shape[int(axis)] == 0


def _sound(make: Make) -> Make:
    def drawn(random: Random) -> Trial:
        while unknown(trial := make(random)) or faulty(trial) or rejected_by_litert(trial):
            pass
        return trial

    return drawn


def _any_bias_type(make: Make) -> Make:
    """Return trials with any stated bias type: TFLM uses the tensor's type."""

    def drawn(random: Random) -> Trial:
        return with_options(make(random), quantized_bias_type=int(random.choice(BIAS_TYPES)))

    return drawn


def _tanh(make: Make) -> Make:
    """Return trials with the only output parameters that TFLM's TANH supports."""

    def drawn(random: Random) -> Trial:
        trial = make(random)
        graph = trial.model.subgraphs[0]
        tensors = tuple(
            replace(t, quantization=qparams(1 / 128, 0)) if t.index in graph.outputs else t
            for t in graph.tensors
        )
        return replace(trial, model=replace(trial.model, subgraphs=(replace(graph, tensors=tensors),)))

    return drawn


def served(family: Family) -> Family:
    """Return a family without the kinds and trials that TFLM miscomputes."""
    kinds = {k: _sound(make) for k, make in family.kinds.items() if not k.endswith("GREATER int16")}
    tanh = {k: _tanh(make) for k, make in kinds.items() if k.startswith("TANH int8")}
    biases = {k: _any_bias_type(make) for k, make in kinds.items() if k in BIASED}
    return replace(family, kinds={**kinds, **tanh, **biases})


#: Public models with kernels of TFLM for every operator.
MODELS = (
    "kws_ref_model.tflite",
    "pretrainedResnet_quant.tflite",
    "ad01_int8.tflite",
    "tf2_mobilenet_v2_1.0_224_ptq.tflite",
    "trained_lstm_int8.tflite",
)


def whole(path: Path, tflm: Tflm, arithmetic: str = "tflm", runs: int = 3) -> Score:
    """Return the score of a model's outputs on random inputs."""
    model = load_model(path)
    inputs = tuple(tuple(random_inputs(model, seed)) for seed in range(runs))
    return score(Trial(path.name, model, inputs), tflm, "tflm", load_arithmetic(arithmetic))
