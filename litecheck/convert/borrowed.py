"""Parameters taken over from another quantized form of the same model, tensor by tensor, by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from litecheck.convert.binding import Port
from litecheck.convert.groups import Key
from litecheck.convert.plan import Form
from litecheck.convert.request import REAL
from litecheck.errors import ConfigError
from litecheck.model.types import Model, Tensor

#: What converters add to the names of what goes in and out once that is quantized.
_SUFFIXES = ("_int8", "_int16", "_uint8", "/int8", "/int16", "/uint8")


@dataclass(frozen=True, slots=True)
class Borrowed:
    """The forms of computed tensors, and for constants whether each channel has a scale of its own; ``read`` has the forms
    at places that read a tensor in another one than its own."""

    forms: Mapping[Key, Form] = field(default_factory=dict)
    per_axis: Mapping[Key, bool] = field(default_factory=dict)
    read: Mapping[Port, Form] = field(default_factory=dict)


def borrow(model: Model, quantized: Model) -> Borrowed:
    """What a quantized model says of the tensors of a float model. Raises ConfigError where they share no name."""
    forms: dict[Key, Form] = {}
    per_axis: dict[Key, bool] = {}
    for subgraph, other in zip(model.subgraphs, quantized.subgraphs, strict=False):
        named = {_plain(t.name): t for t in other.tensors if t.quantization.scale.size and t.name}
        for tensor in subgraph.tensors:
            found = named.get(tensor.name) if tensor.dtype == REAL else None
            if found is None:
                continue
            if tensor.is_constant:
                per_axis[subgraph.index, tensor.index] = found.quantization.scale.size > 1
            elif found.quantization.scale.size == 1:
                forms[subgraph.index, tensor.index] = _form(found, quantized.file)
    if not forms:
        raise ConfigError(
            f"{quantized.file}: none of its quantized tensors has the name of one of this model's"
        )
    return Borrowed(forms, per_axis)


def _plain(name: str) -> str:
    return next((name.removesuffix(s) for s in _SUFFIXES if name.endswith(s)), name)


def _form(tensor: Tensor, file: str) -> Form:
    q = tensor.quantization
    form = Form(tensor.dtype, q.scale, q.zero_point, because=f"the parameters that {file} has")
    low, high = form.reach
    return replace(form, low=low, high=high)
