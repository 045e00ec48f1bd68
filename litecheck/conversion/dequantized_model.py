"""The float model of a quantized model: constants as real values, and the forms of its tensors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from litecheck.conversion.binding import TensorUse
from litecheck.conversion.conversion_plan import QuantParams
from litecheck.conversion.groups import Interval, Key
from litecheck.conversion.parameter_transfer import ZERO_POINT_OFFSET, TransferredParams
from litecheck.conversion.request import REAL
from litecheck.errors import ConfigError
from litecheck.model.edit import with_subgraphs
from litecheck.model.stored_values import bytes_of, stored_integers
from litecheck.model.types import Model, Operator, Subgraph, Tensor
from litecheck.quantization import Quantization
from litecheck.quantizer.litert_resolvers import INTO_INTEGERS, OUT_OF_INTEGERS
from litecheck.reference.runtime_tensors import NUMPY_TYPES

_STORED = (*ZERO_POINT_OFFSET, "int32")
_BORDERS = (INTO_INTEGERS, OUT_OF_INTEGERS)
#: ULPs by which two bias scales may differ to count as equal.
_ULPS = 2


@dataclass(frozen=True, slots=True, eq=False)
class DequantizedModel:
    """A float model with the forms of the quantized model.

    ``params`` has the forms of its tensors, shifted to a common type. ``ranges`` has the real values that the forms
    represent.
    """

    model: Model
    params: TransferredParams
    ranges: Mapping[Key, Interval]


def dequantize_model(model: Model, dtype: str = "int8") -> DequantizedModel:
    """Return the float model of a quantized model, with forms shifted to a type.

    Raises ConfigError for custom operators on integers.
    """
    forms: dict[Key, QuantParams] = {}
    constants: dict[Key, QuantParams] = {}
    read: dict[TensorUse, QuantParams] = {}
    subgraphs = []
    for subgraph in model.subgraphs:
        _check_known(subgraph)
        # Intermediates have only parameters, and no other part of the model determines these.
        inside = {index for operator in subgraph.operators for index in operator.intermediates}
        released = [t for t in subgraph.tensors if _is_stored(t) and t.index not in inside]
        real = {t.index: real_tensor(t) for t in released}
        tensors = tuple(real.get(t.index, t) for t in subgraph.tensors)
        held = [t for t in released if t.dtype in ZERO_POINT_OFFSET]
        stored = {t.index: _form(t, dtype) for t in held if not t.is_constant}
        constants.update(((subgraph.index, t.index), _form(t, dtype)) for t in held if t.is_constant)
        subgraphs.append(_remove_conversions(replace(subgraph, tensors=tensors), stored, read))
        forms.update(((subgraph.index, index), form) for index, form in stored.items())
    ranges = {key: form.reach for key, form in forms.items()}
    return DequantizedModel(
        with_subgraphs(model, subgraphs), TransferredParams(forms, read=read, constants=constants), ranges
    )


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


def real_tensor(tensor: Tensor) -> Tensor:
    """Return a tensor of real values. A constant's values are scale * (stored - zero point), rounded once to float32."""
    data = None
    stored = stored_integers(tensor)
    if stored is not None:
        q = tensor.quantization
        shape = [-1 if i == q.axis and q.scale.size > 1 else 1 for i in range(max(stored.ndim, 1))]
        scale, zero = q.scale.astype(np.float64).reshape(shape), _zero_points(tensor).reshape(shape)
        values = (scale * (stored.astype(np.float64) - zero)).astype(np.float32)
        data = bytes_of(values)
    return replace(tensor, dtype=REAL, data=data, buffer=0, quantization=Quantization())


def _zero_points(tensor: Tensor) -> NDArray[np.int64]:
    q = tensor.quantization
    return q.zero_point if q.zero_point.size == q.scale.size else np.zeros(q.scale.size, np.int64)


def _form(tensor: Tensor, dtype: str) -> QuantParams:
    """Return the form of an 8-bit tensor, moved to another 8-bit type."""
    q, shift = tensor.quantization, ZERO_POINT_OFFSET[dtype] - ZERO_POINT_OFFSET[tensor.dtype]
    moved = f", stored 128 {'higher' if shift > 0 else 'lower'}" if shift else ""
    return QuantParams(
        dtype, q.scale, _zero_points(tensor) + shift, q.axis, because=f"the scale it had{moved}"
    )


def with_own_integers(old: Model, new: Model, pairs: Iterable[tuple[int, int, int]]) -> Model:
    """Return the new model with the old model's stored integers in constants whose parameters are equal up to the shift.

    ``pairs`` are a subgraph, a tensor of the old model and a tensor of the new model. Real values are float32, which
    does not represent every int32.
    """
    changed: dict[int, dict[int, Tensor]] = {}
    for number, before, after in pairs:
        one, other = old.subgraphs[number].tensors[before], new.subgraphs[number].tensors[after]
        stored = stored_integers(one)
        if stored is not None and other.is_constant and _is_stored(one) and _are_alike(one, other):
            shift = ZERO_POINT_OFFSET.get(other.dtype, 0) - ZERO_POINT_OFFSET.get(one.dtype, 0)
            data = bytes_of((stored.astype(np.int64) + shift).astype(NUMPY_TYPES[other.dtype]))
            changed.setdefault(number, {})[after] = replace(other, data=data, buffer=0)
    if not changed:
        return new
    subgraphs = [
        replace(s, tensors=tuple(changed.get(s.index, {}).get(t.index, t) for t in s.tensors))
        for s in new.subgraphs
    ]
    return with_subgraphs(new, subgraphs)


def _are_alike(one: Tensor, other: Tensor) -> bool:
    """Return True if stored integers have equal meaning in both, up to the shift. Bias scales may differ by 2 ULP."""
    if one.shape != other.shape or {one.dtype, other.dtype} - set(_STORED):
        return False
    shift = ZERO_POINT_OFFSET.get(other.dtype, 0) - ZERO_POINT_OFFSET.get(one.dtype, 0)
    q, r = one.quantization, other.quantization
    several = [p.axis for p in (q, r) if p.scale.size > 1]
    if len(set(several)) > 1 or (q.scale.size > 1 and r.scale.size not in (1, q.scale.size)):
        return False
    if one.dtype == "int32" or other.dtype == "int32":
        close = bool(np.all(np.abs(q.scale - r.scale) <= _ULPS * np.spacing(r.scale)))
        return one.dtype == other.dtype and close
    return bool(np.all(q.scale == r.scale) and np.all(_zero_points(one) + shift == _zero_points(other)))


def _remove_conversions(
    subgraph: Subgraph, stored: dict[int, QuantParams], read: dict[TensorUse, QuantParams]
) -> Subgraph:
    """Return a subgraph without the operators between real values and integers, or between two forms.

    Their outputs are replaced by their inputs. ``stored`` gains the form that such an operator gave a real value,
    ``read`` the ports that read a rescaled tensor.
    """
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

    def replace_indices(indexes: tuple[int, ...], number: int) -> tuple[int, ...]:
        for place, index in enumerate(indexes):
            root = same.get(index, index)
            if index in stored and not stored[index].same(stored[root]):
                read[TensorUse(subgraph.index, number, "input", place)] = stored[index]
        return tuple(same.get(index, index) for index in indexes)

    moved = tuple(
        replace(op, index=n, inputs=replace_indices(op.inputs, n)) for n, op in enumerate(operators)
    )
    return replace(subgraph, operators=moved, outputs=replace_indices(subgraph.outputs, -1))
