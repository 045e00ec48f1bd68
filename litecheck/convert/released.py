"""A quantized model as the float model it stands for: constants as real values, and the forms its tensors had."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from litecheck.convert.binding import Port
from litecheck.convert.borrowed import Borrowed
from litecheck.convert.groups import Interval, Key
from litecheck.convert.plan import Form
from litecheck.convert.request import REAL
from litecheck.errors import ConfigError
from litecheck.model.edit import with_subgraphs
from litecheck.model.types import Model, Operator, Subgraph, Tensor
from litecheck.model.values import bytes_of, stored_integers
from litecheck.quantization import Quantization
from litecheck.quantizer.litert_resolvers import INTO_INTEGERS, OUT_OF_INTEGERS

#: What a tensor of each type becomes, and how much lower its stored integers are then.
_SHIFTS = {"uint8": ("int8", 128), "int8": ("int8", 0)}
_STORED = (*_SHIFTS, "int32")
_BORDERS = (INTO_INTEGERS, OUT_OF_INTEGERS)


@dataclass(frozen=True, slots=True, eq=False)
class Released:
    """A float model; ``borrowed`` has the forms of its tensors in the quantized one, shifted to int8, ``ranges`` the real
    values these can hold."""

    model: Model
    borrowed: Borrowed
    ranges: Mapping[Key, Interval]


def release(model: Model) -> Released:
    """The float model of a quantized one. Raises ConfigError for custom operators on integers."""
    forms: dict[Key, Form] = {}
    read: dict[Port, Form] = {}
    subgraphs = []
    for subgraph in model.subgraphs:
        _check_known(subgraph)
        tensors = tuple(_real(tensor) if _is_stored(tensor) else tensor for tensor in subgraph.tensors)
        stored = {
            tensor.index: _form(tensor)
            for tensor in subgraph.tensors
            if tensor.dtype in _SHIFTS and _is_stored(tensor) and not tensor.is_constant
        }
        subgraphs.append(_without_borders(replace(subgraph, tensors=tensors), stored, read))
        forms.update(((subgraph.index, index), form) for index, form in stored.items())
    ranges = {key: form.reach for key, form in forms.items()}
    return Released(with_subgraphs(model, subgraphs), Borrowed(forms, read=read), ranges)


def _check_known(subgraph: Subgraph) -> None:
    """Raise ConfigError for a custom operator that reads or writes stored integers."""
    for operator in subgraph.operators:
        indexes = [i for i in (*operator.inputs, *operator.outputs) if i >= 0]
        stored = next((subgraph.tensors[i].dtype for i in indexes if _is_stored(subgraph.tensors[i])), "")
        if operator.custom_code and stored:
            raise ConfigError(
                f"{operator.kind} #{operator.index} computes on {stored}, and nothing says whether it takes other "
                "types: cut the model in front of it, or convert the float model"
            )


def _is_stored(tensor: Tensor) -> bool:
    return tensor.dtype in _STORED and tensor.quantization.scale.size > 0


def _real(tensor: Tensor) -> Tensor:
    """A tensor of real values; those of a constant are scale * (stored - zero point), rounded once to float32."""
    data = None
    stored = stored_integers(tensor)
    if stored is not None:
        q = tensor.quantization
        shape = [-1 if i == q.axis and q.scale.size > 1 else 1 for i in range(max(stored.ndim, 1))]
        scale, zero = q.scale.astype(np.float64).reshape(shape), _zeros(tensor).reshape(shape)
        values = (scale * (stored.astype(np.float64) - zero)).astype(np.float32)
        data = bytes_of(values)
    return replace(tensor, dtype=REAL, data=data, buffer=0, quantization=Quantization())


def _zeros(tensor: Tensor) -> NDArray[np.int64]:
    q = tensor.quantization
    return q.zero_point if q.zero_point.size == q.scale.size else np.zeros(q.scale.size, np.int64)


def _form(tensor: Tensor) -> Form:
    dtype, shift = _SHIFTS[tensor.dtype]
    scale = tensor.quantization.scale
    because = "the scale it had" + (", stored 128 lower" if shift else "")
    return Form(dtype, scale, _zeros(tensor) - shift, tensor.quantization.axis, because=because)


def _without_borders(subgraph: Subgraph, stored: dict[int, Form], read: dict[Port, Form]) -> Subgraph:
    """Without the operators that crossed into integers, out of them, or from one form into another: their results are what
    went in. ``stored`` gains what a border made of a real value, ``read`` the places that a rescaled tensor is read at."""
    same: dict[int, int] = {}
    operators: list[Operator] = []
    for operator in subgraph.operators:
        if operator.opcode not in _BORDERS:
            operators.append(operator)
            continue
        source, target = operator.inputs[0], operator.outputs[0]
        root = same[target] = same.get(source, source)
        if target in stored:
            stored.setdefault(root, stored[target])

    def of(indexes: tuple[int, ...], number: int) -> tuple[int, ...]:
        for place, index in enumerate(indexes):
            root = same.get(index, index)
            if index in stored and not stored[index].same(stored[root]):
                read[Port(subgraph.index, number, "input", place)] = stored[index]
        return tuple(same.get(index, index) for index in indexes)

    moved = tuple(replace(op, index=n, inputs=of(op.inputs, n)) for n, op in enumerate(operators))
    return replace(subgraph, operators=moved, outputs=of(subgraph.outputs, -1))
