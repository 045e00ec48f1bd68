"""Single changes of a valid model: in the quantization, type or presence of a single tensor."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

import numpy as np

from litecheck.model.stored_values import pack, stored_integers
from litecheck.model.types import Buffer, Model, Tensor
from litecheck.profile.types import OperatorRule
from litecheck.quantization import BITS, Quantization
from tests.differential.rules_cases import Case

Change = Callable[[Tensor], Tensor | None]


def stored_values(t: Tensor) -> np.ndarray:
    """Return a constant's values in their shape."""
    values = stored_integers(t)
    assert values is not None
    return np.asarray(values)


def parameters(**fields: object) -> Change:
    """Return a change of quantization fields, by functions of the tensor's quantization."""

    def change(t: Tensor) -> Tensor | None:
        q = t.quantization
        if not q.scale.size:
            return None
        new = {k: v(q) if callable(v) else v for k, v in fields.items()}
        return replace(t, quantization=replace(q, **new))

    return change


def _scales(function: Callable[[np.ndarray], np.ndarray]) -> Change:
    return parameters(scale=lambda q: function(q.scale).astype(np.float32))


def _zeros(function: Callable[[np.ndarray], np.ndarray]) -> Change:
    return parameters(zero_point=lambda q: function(q.zero_point))


def _first(value: float) -> Change:
    return _scales(lambda s: np.concatenate([[np.float32(value)], s[1:]]))


def _per_axis(t: Tensor) -> Tensor | None:
    q = t.quantization
    axis = int(np.argmax(t.shape)) if t.shape else 0
    if q.scale.size != 1 or not t.shape or t.shape[axis] < 2:
        return None
    n = t.shape[axis]
    scales = (q.scale[0] * (1 + np.arange(n) / 4)).astype(np.float32)
    return replace(t, quantization=Quantization(scales, np.full(n, q.zero_point[0]), axis))


def _per_tensor(t: Tensor) -> Tensor | None:
    q = t.quantization
    return (
        replace(t, quantization=Quantization(q.scale[:1], q.zero_point[:1], 0)) if q.scale.size > 1 else None
    )


def _axis(wanted: int) -> Change:
    def change(t: Tensor) -> Tensor | None:
        q = t.quantization
        return replace(t, quantization=replace(q, axis=wanted)) if q.scale.size and q.axis != wanted else None

    return change


def _quantized(t: Tensor) -> Tensor | None:
    if t.quantization.scale.size or t.dtype == "bool":
        return None
    return replace(t, quantization=Quantization(np.ones(1, np.float32) / 4, np.zeros(1, np.int64), 0))


def _minimum(t: Tensor) -> Tensor | None:
    if not t.is_constant or t.dtype != "int8":
        return None
    values = stored_values(t).copy()
    values.reshape(-1)[0] = -128
    return replace(t, data=values.reshape(-1).view(np.uint8))


def _dtype(wanted: str) -> Change:
    def change(t: Tensor) -> Tensor | None:
        if t.dtype == wanted or not (t.quantization.scale.size or t.dtype == "int8"):
            return None
        return replace(t, dtype=wanted, data=None if t.data is None else _stored_as(stored_values(t), wanted))

    return change


def _stored_as(values: np.ndarray, dtype: str) -> np.ndarray:
    return pack(values, dtype) if BITS[dtype] < 8 else values.astype(dtype).reshape(-1).view(np.uint8)


def _plain(wanted: str) -> Change:
    """Return a change of an unquantized tensor's type: floats, bools, computed integers; not constant indices."""

    def change(t: Tensor) -> Tensor | None:
        if t.quantization.scale.size or t.quantization.details is not None or t.dtype == wanted:
            return None
        if t.is_constant and t.dtype != "float32":
            return None
        return replace(t, dtype=wanted, data=None if t.data is None else _stored_as(stored_values(t), wanted))

    return change


def _parameters(t: Tensor) -> Tensor | None:
    """Add a scale to a tensor without quantization."""
    if t.quantization.scale.size or t.quantization.details is not None:
        return None
    return replace(t, quantization=Quantization(np.ones(1, np.float32) / 4, np.zeros(1, np.int64), 0))


def _beyond_int8(t: Tensor) -> Tensor | None:
    if not t.is_constant or t.dtype != "uint8":
        return None
    values = stored_values(t).copy()
    values.reshape(-1)[::3] = 200
    return replace(t, data=values.reshape(-1).view(np.uint8))


CHANGES: dict[str, Change] = {
    "scale*1.5": _scales(lambda s: s * 1.5),
    "scale +1ulp": _scales(lambda s: np.nextafter(s, np.float32(np.inf))),
    "scale*1.001": _scales(lambda s: s * 1.001),
    "scale*100": _scales(lambda s: s * 100),
    "scale*1e+06": _scales(lambda s: s * 1e6),
    "scale/100": _scales(lambda s: s / 100),
    "scale[0]=0": _first(0.0),
    "scale[0]<0": _first(-0.05),
    "scale[0]=nan": _first(np.nan),
    "scale[0]=inf": _first(np.inf),
    "scale[0] subnormal": _first(1e-40),
    "zp+1": _zeros(lambda z: z + 1),
    "zp=200": _zeros(lambda z: np.full_like(z, 200)),
    "zp=-200": _zeros(lambda z: np.full_like(z, -200)),
    "zp=40000": _zeros(lambda z: np.full_like(z, 40000)),
    "zp 2**33": _zeros(lambda z: z + 2**33),
    "no-quant": parameters(scale=np.empty(0, np.float32), zero_point=np.empty(0, np.int64)),
    "zp array absent": _zeros(lambda z: z[:0]),
    "zp array one longer": _zeros(lambda z: np.append(z, z[0])),
    "zp array len1": parameters(
        zero_point=lambda q: q.zero_point[:1] if q.scale.size > 1 else np.zeros(2, np.int64)
    ),
    "scale absent": _scales(lambda s: s[:0]),
    "n scales-1": parameters(scale=lambda q: q.scale[:-1], zero_point=lambda q: q.zero_point[:-1]),
    "n scales+1": parameters(
        scale=lambda q: np.append(q.scale, q.scale[:1]),
        zero_point=lambda q: np.append(q.zero_point, q.zero_point[0]),
    ),
    "per-axis": _per_axis,
    "1 scale": _per_tensor,
    "qdim=0": _axis(0),
    "qdim=1": _axis(1),
    "qdim=3": _axis(3),
    "qdim=9": _axis(9),
    "qdim=-1": _axis(-1),
    "has -128": _minimum,
    "quantized": _quantized,
    **{d: _dtype(d) for d in ("int8", "uint8", "int16", "int32", "int64", "float32", "bool")},
}

#: Changes with an effect that rounding or saturation may hide.
FAINT = (
    "scale +1ulp", "scale*1.0005", "scale*1.001", "scale*100", "scale*1e+06", "scale/100", "scale/1000",
    "scale/1e+06", "scale/1e+09",
)  # fmt: skip
#: Changes after which scales and zero points do not fit each other or the shape; LiteRT rejects them at load.
MALFORMED = (
    "zp array absent", "zp array one longer", "zp array len1", "scale absent", "n scales-1", "n scales+1", "qdim=9",
    "qdim=-1",
)  # fmt: skip
#: Further changes for measuring every effect: types of unquantized tensors, and far scales.
WIDER: dict[str, Change] = {
    **{f"plain {d}": _plain(d) for d in ("int8", "int16", "int32", "float32", "float16")},
    "parameters": _parameters,
    "scale*1.0005": _scales(lambda s: s * 1.0005),
    "scale/1000": _scales(lambda s: s / 1000),
    "scale/1e+06": _scales(lambda s: s / 1e6),
    "scale/1e+09": _scales(lambda s: s / 1e9),
}
#: Further changes of weights with float activations.
HYBRID: dict[str, Change] = {
    **{d: _dtype(d) for d in ("int4", "int2", "uint4", "float16")},
    "has 200": _beyond_int8,
}


def changed(
    case: Case, rule: OperatorRule, changes: Mapping[str, Change] = MappingProxyType(CHANGES)
) -> Iterator[tuple[str, Model]]:
    """Yield every change of every tensor, named ``role change``."""
    graph = case.model.subgraphs[0]
    operator = graph.operators[0]
    for side in ("inputs", "outputs"):
        indexes = getattr(operator, side)
        for at, index in enumerate(indexes):
            role = getattr(rule, side)[min(at, len(getattr(rule, side)) - 1)]
            for name, change in changes.items():
                tensor = change(graph.tensors[index]) if index >= 0 else None
                if tensor is not None:
                    yield f"{side[:-1]}{at} {role} {name}", _with(case.model, index, tensor)
            if index >= 0 and side == "inputs":
                gone = replace(operator, inputs=(*indexes[:at], -1, *indexes[at + 1 :]))
                yield f"input{at} {role} absent -1", _operator(case.model, gone)
        less = replace(operator, **{side: indexes[:-1]})
        yield f"{side} one fewer", _operator(case.model, less)
        yield f"{side} one more", _operator(case.model, replace(operator, **{side: (*indexes, indexes[0])}))


def _operator(model: Model, operator: object) -> Model:
    graph = model.subgraphs[0]
    return replace(model, subgraphs=(replace(graph, operators=(operator, *graph.operators[1:])),))


def _with(model: Model, index: int, tensor: Tensor) -> Model:
    graph = model.subgraphs[0]
    buffers = list(model.buffers)
    if tensor.data is not None:
        buffers[tensor.buffer] = Buffer(tensor.data)
    tensors = (*graph.tensors[:index], tensor, *graph.tensors[index + 1 :])
    return replace(model, buffers=tuple(buffers), subgraphs=(replace(graph, tensors=tensors),))
