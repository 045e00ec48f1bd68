"""Models of quantization-aware training: simulated quantization becomes the parameters of a float model.

A trained model simulates integers by FAKE_QUANT, or by pairs of QUANTIZE and DEQUANTIZE, after float32 tensors.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from litecheck.conversion.binding import BoundFloatOperator
from litecheck.conversion.conversion_plan import QuantParams
from litecheck.conversion.dequantized_model import DequantizedModel, dequantize_model, real_tensor
from litecheck.conversion.derived_constants import store_constant
from litecheck.conversion.groups import Interval, Key
from litecheck.conversion.parameter_transfer import TransferredParams
from litecheck.conversion.request import REAL
from litecheck.conversion.shared_tensors import bind_operators, shared_tensors, spread_values
from litecheck.model.edit import with_subgraphs
from litecheck.model.node_signatures import CONVERSIONS
from litecheck.model.stored_values import bytes_of, stored_integers
from litecheck.model.types import Model, Operator, Subgraph, Tensor
from litecheck.profile.types import Profile
from litecheck.quantization import INTEGER_RANGES, Quantization
from litecheck.quantizer.litert_resolvers import INTO_INTEGERS, OUT_OF_INTEGERS

(_FAKE,) = CONVERSIONS - {INTO_INTEGERS, OUT_OF_INTEGERS}
_EIGHT_BITS = ("int8", "uint8")


def is_trained(model: Model) -> bool:
    """Return True if a float model simulates quantization and stores integers for nothing else."""
    pairs = [has_pairs for s in model.subgraphs if (has_pairs := _simulates(s)) is not None]
    return len(pairs) == len(model.subgraphs) and any(pairs)


def _simulates(subgraph: Subgraph) -> bool | None:
    """Return True if a subgraph simulates quantization, False if it has no integers, None if an operator computes on
    integers."""
    found = False
    for op in subgraph.operators:
        inputs, outputs = ([subgraph.tensors[i] for i in side if i >= 0] for side in (op.inputs, op.outputs))
        if op.opcode in CONVERSIONS and not len(inputs) == len(outputs) == 1:
            return None
        simulates = op.opcode == _FAKE or (
            op.opcode == INTO_INTEGERS and inputs[0].dtype == REAL and _is_8bit(outputs[0])
        )
        leaves = op.opcode == OUT_OF_INTEGERS and _is_8bit(inputs[0])
        if not simulates and not leaves and any(map(_is_8bit, (*inputs, *outputs))):
            return None
        found = found or simulates
    outer = (subgraph.tensors[i] for i in (*subgraph.inputs, *subgraph.outputs))
    return None if any(map(_is_8bit, outer)) else found


def _is_8bit(tensor: Tensor) -> bool:
    return tensor.dtype in _EIGHT_BITS and tensor.quantization.scale.size > 0


def import_trained(model: Model, dtype: str = "int8") -> DequantizedModel:
    """Return a trained model without its simulation, and the parameters that it was trained for.

    Constants have the values of their stored integers. Example: a weight of 0.3 with FAKE_QUANT from -1 to 1 with
    narrow range becomes 38 * 2 / 254 = 0.2992.
    """
    released = dequantize_model(with_subgraphs(model, [_insert_pairs(s) for s in model.subgraphs]), dtype)
    forms, constants = dict(released.params.forms), dict(released.params.constants)
    per_axis: dict[Key, bool] = {}
    subgraphs = []
    for subgraph in released.model.subgraphs:
        tensors = list(subgraph.tensors)
        for tensor in subgraph.tensors:
            key = subgraph.index, tensor.index
            if tensor.is_constant and key in forms:
                constants[key] = forms.pop(key)
                tensors[tensor.index] = _store_exactly(tensor, constants[key])
            if key in constants:
                per_axis[key] = constants[key].scale.size > 1
        subgraphs.append(replace(subgraph, tensors=tuple(tensors)))
    borrowed = TransferredParams(forms, per_axis, released.params.read, constants)
    ranges = {key: form.reach for key, form in forms.items() if form.scale.size == 1}
    return DequantizedModel(with_subgraphs(released.model, subgraphs), borrowed, ranges)


def _insert_pairs(subgraph: Subgraph) -> Subgraph:
    """Return a subgraph with a pair of QUANTIZE and DEQUANTIZE for each FAKE_QUANT of 8 bits."""
    tensors, operators = list(subgraph.tensors), list[Operator]()
    for op in subgraph.operators:
        quantization = _quantization(op)
        if quantization is None:
            operators.append(op)
            continue
        inner = replace(
            tensors[op.outputs[0]],
            index=len(tensors),
            dtype="uint8",
            quantization=quantization,
            buffer=0,
            data=None,
        )
        tensors.append(inner)
        operators.append(Operator(-1, INTO_INTEGERS, op.inputs, (inner.index,)))
        operators.append(Operator(-1, OUT_OF_INTEGERS, (inner.index,), op.outputs))
    numbered = tuple(replace(op, index=n) for n, op in enumerate(operators))
    return replace(subgraph, tensors=tuple(tensors), operators=numbered)


def _quantization(op: Operator) -> Quantization | None:
    """Return the uint8 parameters of a FAKE_QUANT of 8 bits, None for other operators.

    The zero point is the integer nearest to that of the range, computed in float64, so that 0 is representable. Example:
    -1..1 gives scale 2/255 and zero point 128; with narrow range 2/254 and 128.
    """
    if op.opcode != _FAKE or op.options is None or int(op.options.get("num_bits", 0) or 0) != 8:
        return None
    low, high = (float(op.options.get(name) or 0) for name in ("min", "max"))
    if not low <= 0 <= high or low == high:
        return None
    least = 1 if op.options.get("narrow_range") else 0
    scale = (high - low) / (255 - least)
    zero_point = min(max(int(np.floor(least - low / scale + 0.5)), least), 255)
    return Quantization(np.array([scale], np.float32), np.array([zero_point], np.int64))


def _store_exactly(tensor: Tensor, form: QuantParams) -> Tensor:
    """Return a float constant with the real values of its stored integers.

    Symmetric integers do not use the lowest value of the type, which the rules of weights do not allow.
    """
    values = stored_integers(tensor)
    assert values is not None
    integers = store_constant(values, form, "", "new").astype(np.int64)
    if not form.zero_point.any():
        integers = np.maximum(integers, INTEGER_RANGES[form.dtype][0] + 1)
    data = bytes_of(integers.astype(form.dtype))
    return real_tensor(replace(tensor, dtype=form.dtype, data=data, buffer=0, quantization=form.quantization))


def propagate_ranges(
    model: Model, profile: Profile, ranges: Mapping[Key, Interval], activation: str = ""
) -> Mapping[Key, Interval]:
    """Return ranges, with those that follow from rules for tensors that have none.

    Roles with the same quantization have the same range, and a fixed scale has the range of its type. Example: the output
    of MAX_POOL_2D has the range of its input, and the output of SOFTMAX 0..255/256.
    """
    operators = bind_operators(model, profile, activation)
    fixed = {key: extent for bound in operators for key, extent in _fixed_ranges(bound)}
    return spread_values({**fixed, **ranges}, shared_tensors(operators), _hull)


def with_trained_ranges(
    model: Model,
    profile: Profile,
    calibrated: Mapping[Key, Interval],
    trained: DequantizedModel,
    activation: str,
) -> Mapping[Key, Interval]:
    """Return the ranges of training and those that follow from them, and calibrated ranges of all other tensors.

    Example: the output of MAX_POOL_2D has the trained range of its input, although samples gave it another.
    """
    known = propagate_ranges(model, profile, trained.ranges, activation)
    return propagate_ranges(model, profile, {**calibrated, **known}, activation)


def _fixed_ranges(bound: BoundFloatOperator) -> Iterator[tuple[Key, Interval]]:
    """Yield the tensors with a fixed scale, with the range of their type."""
    for role, storage in bound.storage.items():
        for port in bound.ports[role] if storage.scale is not None else ():
            (zero, _), scale = storage.zero_points, storage.scale or 0.0
            extent = scale * (storage.low - zero), scale * (storage.high - zero)
            yield (bound.subgraph.index, bound.tensor(port).index), extent


def _hull(ranges: list[Interval]) -> Interval:
    return min(low for low, _ in ranges), max(high for _, high in ranges)
