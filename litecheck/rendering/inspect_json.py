"""Complete contents of a model file as plain values for JSON, without a verdict."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from litecheck.errors import ConfigError, wrong_type
from litecheck.model.options import options_of, plain
from litecheck.model.types import Model, Operator, Subgraph, Tensor
from litecheck.public_call import shows_call
from litecheck.rendering.escape import json_document, visible


def select_subgraphs(model: Model, subgraph: int | None, op: int | None) -> tuple[Subgraph, ...]:
    """Return the selected subgraphs. Raise ConfigError if the subgraph or operator does not exist."""
    if subgraph is None and op is None:
        return model.subgraphs
    name = model_name(model)
    number = subgraph or 0
    if not 0 <= number < len(model.subgraphs):
        raise ConfigError(f"{name}: there is no subgraph {number}; it has {len(model.subgraphs)}")
    sub = model.subgraphs[number]
    if op is not None and not 0 <= op < len(sub.operators):
        count = len(sub.operators)
        raise ConfigError(f"{name}: there is no operator {op} in subgraph {number}; it has {count}")
    return (sub,)


def model_name(model: Model) -> str:
    """Return the file, and its member if any, in printable characters."""
    return visible(f"{model.file}!{model.member}" if model.member else model.file)


def json_text(models: Iterable[Model], subgraph: int | None = None, op: int | None = None) -> str:
    """Return models as a JSON document."""
    values = [model_values(model, subgraph=subgraph, op=op) for model in models]
    return json_document({"litecheck_inspect": 1, "models": values})


@shows_call("litecheck.inspect(litecheck.load_model('model.tflite'), subgraph=0, op=3)")
def model_values(model: Model, *, subgraph: int | None = None, op: int | None = None) -> dict[str, Any]:
    """Return a complete model as plain values; ``op`` selects one operator and its tensors.

    Raise ConfigError as ``model_text`` does.
    """
    if not isinstance(model, Model):
        call = "litecheck.inspect(litecheck.load_model('model.tflite'))"
        raise wrong_type("inspect", "a Model", model, call)
    return {
        "file": model.file,
        "member": model.member,
        "size": model.size,
        "schema_version": model.version,
        "description": model.description,
        "metadata": [key for key, _ in model.metadata],
        "remarks": list(model.remarks),
        "signatures": [
            {"key": s.key, "subgraph": s.subgraph, "inputs": dict(s.inputs), "outputs": dict(s.outputs)}
            for s in model.signatures
        ],
        "subgraphs": [_subgraph_values(sub, op) for sub in select_subgraphs(model, subgraph, op)],
    }


def _subgraph_values(sub: Subgraph, op: int | None) -> dict[str, Any]:
    operators = [o for o in sub.operators if op in (None, o.index)]
    touched = {i for o in operators for i in (*o.inputs, *o.outputs, *o.intermediates)}
    return {
        "index": sub.index,
        "name": sub.name,
        "inputs": list(sub.inputs),
        "outputs": list(sub.outputs),
        "operators": [_operator_values(o) for o in operators],
        "tensors": [_tensor_values(t) for t in sub.tensors if op is None or t.index in touched],
    }


def _operator_values(op: Operator) -> dict[str, Any]:
    return {
        "index": op.index,
        "opcode": op.opcode,
        "custom_code": op.custom_code,
        "version": op.version,
        "inputs": list(op.inputs),
        "outputs": list(op.outputs),
        "intermediates": list(op.intermediates),
        "options": options_of(op),
    }


def _tensor_values(tensor: Tensor) -> dict[str, Any]:
    q = tensor.quantization
    quantization = {"scale": plain(q.scale), "zero_point": plain(q.zero_point), "axis": q.axis}
    if q.details is not None:
        names = [name for name in q.details.__slots__ if name != "data"]
        kind = {"kind": type(q.details).__name__.lower()}
        quantization["details"] = kind | {name: plain(getattr(q.details, name)) for name in names}
    return {
        "index": tensor.index,
        "name": tensor.name,
        "dtype": tensor.dtype,
        "shape": list(tensor.shape),
        "shape_signature": None if tensor.shape_signature is None else list(tensor.shape_signature),
        "constant_bytes": None if tensor.data is None else int(tensor.data.size),
        "variable": tensor.is_variable,
        "quantization": quantization if q.is_set else None,
    }
