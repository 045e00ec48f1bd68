"""Sources of a conversion: a model with float32 operators, from a LiteRT, TensorFlow or Keras file."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from litecheck.conversion.request import REAL
from litecheck.conversion.tensorflow_formats import DEFAULT, is_tensorflow
from litecheck.errors import InputError
from litecheck.model.graph import name_of
from litecheck.model.load import load_model, model_from
from litecheck.model.stored_values import stored_integers
from litecheck.model.submodels import with_entry_point
from litecheck.model.types import Model, Operator, Subgraph, Tensor
from litecheck.quantization import INTEGER_RANGES

#: Types of activations that can be shifted.
_EIGHT_BITS = ("int8", "uint8")


def load_source(path: str | Path, member: str = "", signature: str | None = None) -> Model:
    """Return the model of a .tflite file. TensorFlow converts SavedModel folders, .keras and .h5 in a child process.

    For a SavedModel with several signatures, only ``signature`` is converted if it is given. Otherwise all are
    converted, and the default signature comes first.

    Raises ModelError, and ConfigError if TensorFlow is needed and not installed.
    """
    if not is_tensorflow(path):
        return load_model(path, member)
    from litecheck.conversion.tensorflow import float_from_tensorflow

    content = float_from_tensorflow(path, signature=signature)
    model = model_from(content, str(path))
    keys = {one.key for one in model.signatures}
    return with_entry_point(model, DEFAULT) if len(keys) > 1 and DEFAULT in keys else model


def check_real(model: Model, to: str) -> None:
    """Raise InputError for a model that is not a float model."""
    name = model.file or "the model"
    operators = [(s, op) for s in model.subgraphs for op in s.operators]
    mixed = next(((s, op) for s, op in operators if _weights(s, op)), None)
    if mixed and to != "float16":
        subgraph, op = mixed
        raise InputError(
            f"{name}: {op.opcode} #{op.index} '{name_of(subgraph, op)}' has {_weights(*mixed)} weights under float32 "
            "activations: the weights are quantized already; start from the float model"
        )
    spoiled = next((t for s in model.subgraphs for t in s.tensors if t.dtype == REAL and _has_nan(t)), None)
    if spoiled is not None:
        raise InputError(
            f"{name}: constant '{spoiled.name}' (tensor {spoiled.index}) holds a NaN: no number stands for it"
        )
    if not any(_kinds(s, op) == {REAL} for s, op in operators):
        types = sorted({t.dtype for s in model.subgraphs for t in s.tensors if t.quantization.scale.size})
        state = f"it is quantized already ({', '.join(types)})" if types else "nothing in it can be quantized"
        raise InputError(f"{name}: no operator computes in float32: {state}")


def is_quantized(model: Model) -> bool:
    """Return True if a model computes only with 8-bit integers, except for its inputs and outputs."""
    computed = [t for s in model.subgraphs for op in s.operators for t in _outputs_of(s, op)]
    stored = [t for t in computed if t.dtype in _EIGHT_BITS and t.quantization.scale.size]
    real = [t for t in computed if t.dtype == REAL]
    return bool(stored) and len(real) <= sum(len(s.outputs) for s in model.subgraphs)


def _has_nan(tensor: Tensor) -> bool:
    values = stored_integers(tensor)
    return values is not None and bool(np.isnan(values).any())


def _kinds(subgraph: Subgraph, operator: Operator) -> set[str]:
    """Return the types of an operator's tensors that are float32 or quantized."""
    indexes = (i for i in (*operator.inputs, *operator.outputs) if i >= 0)
    tensors = [subgraph.tensors[i] for i in indexes]
    return {
        t.dtype
        for t in tensors
        if t.dtype == REAL or (t.quantization.scale.size and t.dtype in INTEGER_RANGES)
    }


def _weights(subgraph: Subgraph, operator: Operator) -> str:
    """Return the type of quantized constants of an operator that also reads and writes real values, or ""."""
    inputs = [subgraph.tensors[i] for i in operator.inputs if i >= 0]
    outputs = _outputs_of(subgraph, operator)
    has_real_io = all(any(t.dtype == REAL for t in side) for side in (inputs, outputs))
    stored = (t for t in inputs if has_real_io and t.is_constant)
    return next((t.dtype for t in stored if t.quantization.is_set), "")


def _outputs_of(subgraph: Subgraph, operator: Operator) -> list[Tensor]:
    return [subgraph.tensors[i] for i in operator.outputs if i >= 0]
