"""Signature of an operator: the types of its tensors by role. ``retyped`` gives a model a different signature.

A signature has one word per role, in the order of the rule: inputs, then outputs; ``-`` for an absent tensor. Example:
``("int8", "int8", "int32", "int8")`` for CONV_2D. A repeated role has one word, and ``float32+int32`` if its tensors
differ.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import yaml

from litecheck.data import rules_dir
from litecheck.flatbuffer.schema import load_schema
from litecheck.flatbuffer.table import Table
from litecheck.model.stored_values import pack, stored_integers
from litecheck.model.types import Model, Operator, Tensor
from litecheck.profile.operators import traits_of
from litecheck.profile.type_table import ABSENT, SCALED
from litecheck.profile.types import OperatorRule
from litecheck.quantization import INTEGER_RANGES, Quantization
from tests.differential.effects_meaning import in_floats, real

Signature = tuple[str, ...]
Values = tuple[np.ndarray, ...]
#: Types that are tried in all combinations.
TYPES = (
    "float32", "float16", "bfloat16", "float64", "int8", "uint8", "int16", "int32", "uint32", "int64", "bool",
    "string", "complex64", "int4", "int2",
)  # fmt: skip
#: Types that are tried only in place of a type of the models.
RARE = ("uint16", "uint64", "complex128", "uint4", "float8_e4m3fn", "float8_e5m2")
#: Option that states the type of a bias.
_BIAS = "quantized_bias_type"
_PACKED = ("int4", "uint4", "int2")
#: Largest value of a float model that narrow types can hold.
_REACH = 4.4
#: Operators that compute with stored integers, independent of their real values.
_STORED = ("BITCAST", "BITWISE_XOR", "CAST", "RIGHT_SHIFT")
#: Roles with rows of bytes: the operator reads their bytes and ignores their type.
BYTES = {"LSH_PROJECTION": "input"}
_NUMPY = {
    "int4": "int8", "int2": "int8", "uint4": "uint8", "bfloat16": "uint16", "float8_e4m3fn": "uint8",
    "float8_e5m2": "uint8",
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Base:
    """Model of a single operator that a runtime runs, and its inputs."""

    name: str
    rule: OperatorRule
    model: Model
    inputs: Values

    @property
    def signature(self) -> Signature:
        """Signature of the operator."""
        places = roles_of(self.rule, self.model.subgraphs[0].operators[0])
        tensors = self.model.subgraphs[0].tensors
        return tuple(word([tensors[i].dtype for i in places[role]]) for role in places)

    @property
    def idle(self) -> bool:
        """True if an index input has only zeros, which are zeros in every type."""
        graph, traits = self.model.subgraphs[0], traits_of(self.rule.opcode)
        given = dict(zip(graph.inputs, self.inputs, strict=True))
        places = roles_of(self.rule, graph.operators[0])
        steering = (i for role in self.rule.inputs if traits.steers(role) for i in places[role])
        values = (given.get(i, graph.tensors[i].data) for i in steering)
        return any(v is not None and v.dtype.kind in "iufb" and not v.any() for v in values)


def word(dtypes: Sequence[str]) -> str:
    """Return the word of a role. Examples: ``-`` without a tensor, ``float32+int32`` for two types."""
    return "+".join(sorted(set(dtypes))) or "-"


def roles_of(rule: OperatorRule, operator: Operator) -> dict[str, tuple[int, ...]]:
    """Return the tensors of an operator by role; the last role takes the rest if it is repeated."""
    found: dict[str, tuple[int, ...]] = {}
    for roles, side in ((rule.inputs, operator.inputs), (rule.outputs, operator.outputs)):
        for at, role in enumerate(roles):
            part = side[at:] if role in rule.repeated else side[at : at + 1]
            found[role] = tuple(i for i in part if i >= 0)
    return found


def retyped(base: Base, signature: Signature, kept: bool = False) -> tuple[Model, Values]:
    """Return the base model with a different signature, and its inputs; real values are kept if the type can hold them.

    Numbers get the parameters that fit their values, or keep those of the model if ``kept``; integers without
    parameters, as indices, keep none.
    """
    model, graph = base.model, base.model.subgraphs[0]
    places, tensors = roles_of(base.rule, graph.operators[0]), list(graph.tensors)
    given = dict(zip(graph.inputs, base.inputs, strict=True))
    absent = {
        i for role, wanted in zip(places, signature, strict=True) if wanted == ABSENT for i in places[role]
    }
    for role, wanted in zip(places, signature, strict=True):
        for at, index in enumerate(places[role]):
            dtype = (
                tensors[index].dtype if wanted == ABSENT else wanted.split("+")[min(at, wanted.count("+"))]
            )
            tensors[index], values = _tensor(
                tensors[index], given.get(index), dtype, base.rule.opcode not in _STORED, kept
            )
            if values is not None:
                given[index] = values
    _follow(graph.tensors, tensors, places)
    stated = dict(zip(places, signature, strict=True))
    operator = replace(
        graph.operators[0], options=_options(base.rule.opcode, graph.operators[0], stated),
        inputs=tuple(-1 if i in absent else i for i in graph.operators[0].inputs),
    )  # fmt: skip
    inputs = tuple(i for i in graph.inputs if i not in absent and not tensors[i].is_constant)
    changed = replace(graph, tensors=tuple(tensors), operators=(operator,), inputs=inputs)
    return replace(model, subgraphs=(changed, *model.subgraphs[1:])), tuple(given[i] for i in inputs)


def disturbed(base: Base, at: int) -> Iterator[tuple[Model, Values]]:
    """Yield the base model with the values of one input role negated and halved; zeros and strings stay."""
    graph = base.model.subgraphs[0]
    indices = list(roles_of(base.rule, graph.operators[0]).values())[at]
    for change in (lambda v: -v, lambda v: v / 2):
        given, tensors = dict(zip(graph.inputs, base.inputs, strict=True)), list(graph.tensors)
        for index in indices:
            tensor = tensors[index]
            stored = stored_integers(tensor) if tensor.is_constant else given.get(index)
            if stored is None or tensor.dtype == "string":
                continue
            real = np.asarray(real_values(tensor, np.asarray(stored)))
            values = ~real if tensor.dtype == "bool" else _stored(change(real), tensor)
            if tensor.is_constant:
                tensors[index] = replace(tensor, data=_bytes(values, tensor.dtype))
            else:
                given[index] = values
        changed = replace(graph, tensors=tuple(tensors))
        model = replace(base.model, subgraphs=(changed, *base.model.subgraphs[1:]))
        yield model, tuple(given[i] for i in graph.inputs)


def scaled(tensor: Tensor, values: np.ndarray, factor: float) -> np.ndarray:
    """Return values of a tensor with their real values times a factor; bools and strings stay."""
    plain = tensor.dtype in ("bool", "string") or tensor.dtype.startswith("float8")
    return values if plain else _stored(np.asarray(real_values(tensor, values)) * factor, tensor)


def in_real_numbers(base: Base) -> tuple[Model, Values]:
    """Return the base model in float32 on the same real values, and its inputs."""
    graph = base.model.subgraphs[0]
    pairs = zip(base.inputs, (graph.tensors[i] for i in graph.inputs), strict=True)
    inputs = tuple(
        real(values, t).astype(np.float32) if t.quantization.scale.size else values for values, t in pairs
    )
    return in_floats(base.model), inputs


def twin(base: Base, model: Model, inputs: Values) -> tuple[Model, Values]:
    """Return the base model with the real values of a retyped model, and its inputs."""
    graph, others = base.model.subgraphs[0], model.subgraphs[0].tensors
    given, tensors = dict(zip(graph.inputs, base.inputs, strict=True)), list(graph.tensors)
    given |= dict(zip(model.subgraphs[0].inputs, inputs, strict=True))
    hashed = roles_of(base.rule, graph.operators[0]).get(BYTES.get(base.rule.opcode, ""), ())
    for index, tensor in enumerate(graph.tensors):
        stored = stored_integers(others[index]) if others[index].is_constant else given.get(index)
        if others[index].dtype == tensor.dtype or stored is None or others[index].dtype == "string":
            continue
        if index in hashed and (same := _same_bytes(tensor, others[index], np.asarray(stored))):
            tensors[index], given[index] = same
            continue
        values = _stored(real_values(others[index], np.asarray(stored)), tensor)
        if tensor.is_constant:
            tensors[index] = replace(tensor, data=_bytes(values, tensor.dtype))
        given[index] = values
    kept = model.subgraphs[0].operators[0].inputs
    operator = replace(
        graph.operators[0],
        inputs=tuple(i if k >= 0 else -1 for i, k in zip(graph.operators[0].inputs, kept, strict=True)),
    )
    there = tuple(i for i in graph.inputs if i in operator.inputs or i not in graph.operators[0].inputs)
    changed = replace(graph, tensors=tuple(tensors), operators=(operator,), inputs=there)
    return replace(base.model, subgraphs=(changed, *base.model.subgraphs[1:])), tuple(given[i] for i in there)


def _same_bytes(tensor: Tensor, other: Tensor, stored: np.ndarray) -> tuple[Tensor, np.ndarray] | None:
    """Return a tensor and values with the bytes of a tensor of another type, None if the bytes fill no elements.

    Example: int32 of shape (3, 4) for int8 of shape (3, 16).
    """
    data, rows = _bytes(stored, other.dtype), other.shape[0]
    item = np.dtype(stored_type(tensor.dtype)).itemsize
    if data.size % (rows * item):
        return None
    values = data.view(stored_type(tensor.dtype)).reshape(rows, -1)
    return replace(tensor, shape=values.shape, shape_signature=None), values


def _tensor(
    tensor: Tensor, given: np.ndarray | None, dtype: str, quantize: bool, kept: bool
) -> tuple[Tensor, np.ndarray | None]:
    """Return the tensor with a different type, and its values at run time if it is an input."""
    if dtype == tensor.dtype:
        return tensor, given
    stored = stored_integers(tensor) if tensor.is_constant else given
    real = None if stored is None else real_values(tensor, np.asarray(stored))
    scale, zero = _parameters(tensor, dtype) if quantize else (None, 0)
    parameters = Quantization() if scale is None else replace(
        tensor.quantization, scale=scale, zero_point=np.full(scale.shape, zero, np.int64)
    )  # fmt: skip
    parameters = tensor.quantization if kept else parameters
    made = replace(tensor, dtype=dtype, quantization=parameters)
    if real is None:
        return replace(made, data=None if tensor.data is None else np.zeros(64, np.uint8)), None
    same = kept and stored is not None and {dtype, tensor.dtype} == {"int8", "uint8"}
    values = np.asarray(stored).astype(dtype) if same else _stored(real, made)
    if tensor.is_constant or dtype in _PACKED:  # no program can set packed values at run time
        return replace(made, data=_bytes(values, dtype)), None
    return made, values


def _follow(before: Sequence[Tensor], tensors: list[Tensor], places: Mapping[str, tuple[int, ...]]) -> None:
    """Give a constant bias the scale that follows from the new scales of input and weight, and scale its values."""
    roles = [places.get(role, ()) for role in ("input", "weight", "bias")]
    if not all(roles):
        return
    steps = [[ts[i].quantization.scale for (i, *_) in roles] for ts in (before, tensors)]
    bias, (old, new) = roles[2][0], steps
    tensor = tensors[bias]
    if not all(s.size for s in (*old, *new)) or not tensor.is_constant or tensor.dtype not in INTEGER_RANGES:
        return
    factor = (new[0] * new[1]).max() / (old[0] * old[1]).max()
    stored = stored_integers(tensor)
    if factor == 1 or stored is None:
        return
    scaled = replace(tensor, quantization=replace(tensor.quantization, scale=new[2] * np.float32(factor)))
    values = _stored(real_values(tensor, stored), scaled)
    tensors[bias] = replace(scaled, data=_bytes(values, tensor.dtype))


def real_values(tensor: Tensor, stored: np.ndarray) -> np.ndarray:
    """Return the real values of a tensor; stored integers without parameters are real values."""
    q = tensor.quantization
    if tensor.dtype == "bfloat16" and stored.dtype == np.uint16:
        return (stored.astype(np.uint32) << 16).view(np.float32)
    if not q.scale.size or stored.dtype.kind not in "iub":
        return stored
    shape = [1] * stored.ndim
    if q.scale.size > 1:
        shape[q.axis] = -1
    return (stored.astype(np.float64) - q.zero_point.reshape(shape)) * q.scale.reshape(shape)


def _parameters(tensor: Tensor, dtype: str) -> tuple[np.ndarray | None, int]:
    """Return scales and zero point for a type, from those of the tensor if it has any."""
    q = tensor.quantization
    if dtype not in SCALED or (tensor.dtype in (*INTEGER_RANGES, "bool") and not q.scale.size):
        whole = ("int32", "int64")
        return (q.scale if q.scale.size and dtype in whole and tensor.dtype in whole else None), 0
    least, most = INTEGER_RANGES[dtype]
    zero = 0 if least else (most + 1) // 2
    if q.scale.size and tensor.dtype in SCALED:
        before = INTEGER_RANGES[tensor.dtype]
        ratio = max(1.0, (before[1] - before[0]) / (most - least))
        return (q.scale * np.float32(ratio)).astype(np.float32), zero
    # A single scale for all tensors of a float model: operators that move values do not rescale.
    return np.array([_REACH / ((most - least) / 2)], np.float32), zero


def stored_type(dtype: str) -> str:
    """Return the type of numpy that holds a type. Example: int8 for int4."""
    return _NUMPY.get(dtype, dtype)


def _stored(real: np.ndarray, tensor: Tensor) -> np.ndarray:
    """Return the real values as a tensor stores them."""
    dtype, q = tensor.dtype, tensor.quantization
    if dtype == "string":
        return np.array([b"a"] * real.size, object).reshape(real.shape)
    if q.scale.size and dtype in INTEGER_RANGES:
        shape = [1] * real.ndim
        if q.scale.size > 1:
            shape[q.axis] = -1
        real = np.rint(real.real.astype(np.float64) / q.scale.reshape(shape)) + q.zero_point.reshape(shape)
    kind = np.dtype(stored_type(dtype))
    if dtype in INTEGER_RANGES and real.dtype.kind == "f":
        real = np.copysign(np.ceil(np.abs(real)), real)  # no zeros: kernels reject a division by 0
    if dtype in INTEGER_RANGES:
        least, most = INTEGER_RANGES[dtype]
        real = np.clip(np.asarray(real.real, np.float64), least, min(most, 2.0**62))
    if dtype == "bfloat16":
        return (np.asarray(real.real, np.float32).view(np.uint32) >> 16).astype(np.uint16)
    with np.errstate(all="ignore"):
        return np.asarray(real if kind.kind == "c" else real.real).astype(kind)


def _bytes(values: np.ndarray, dtype: str) -> np.ndarray:
    if dtype == "string":
        texts = [bytes(v) for v in values.reshape(-1)]
        starts = np.cumsum([0, *map(len, texts)]) + 4 * (len(texts) + 2)
        head = np.array([len(texts), *starts], np.int32).tobytes()
        return np.frombuffer(head + b"".join(texts), np.uint8)
    if dtype in _PACKED:
        return pack(values, dtype)
    return np.frombuffer(values.tobytes(), np.uint8)


def _options(opcode: str, operator: Operator, stated: Mapping[str, str]) -> Table | None:
    """Return the operator's options, with the types that they state."""
    table, typed = operator.options, _typed().get(opcode, {})
    codes = load_schema().enums["TensorType"]
    if table is None:
        return None
    named = {field.name for field in load_schema().tables[table.type]}
    if _BIAS in named and stated.get("bias") in ("int32", "int64"):
        typed = {**typed, _BIAS: "bias"}
    new = {
        name: codes[stated[role].split("+")[0].upper()] for name, role in typed.items() if stated[role] != "-"
    }
    return Table(table.type, {**table.fields, **new}) if new else table


@cache
def _typed() -> dict[str, dict[str, str]]:
    """Return the options of each operator that state the type of a tensor, with its role."""
    entries = yaml.safe_load((rules_dir() / "case_templates.yaml").read_text())["ops"]
    return {opcode: entry["typed"] for opcode, entry in entries.items() if "typed" in entry}
