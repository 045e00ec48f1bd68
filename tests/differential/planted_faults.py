"""Faults planted in quantized models, with the operator and the causes that ``litecheck trace`` must name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from litecheck.model.edit import SubgraphEditor, with_subgraphs
from litecheck.model.graph import wiring_of
from litecheck.model.stored_values import bytes_of, stored_integers
from litecheck.model.types import Model, Operator, Subgraph, Tensor
from litecheck.profile.operators import traits_of
from litecheck.quantization import INTEGER_RANGES

#: Operators whose output has the quantization of an input.
PASSING = frozenset(
    "RESHAPE MAX_POOL_2D AVERAGE_POOL_2D CONCATENATION STRIDED_SLICE TRANSPOSE PAD SPLIT UNPACK PACK SQUEEZE "
    "EXPAND_DIMS RESIZE_BILINEAR RESIZE_NEAREST_NEIGHBOR GATHER SLICE MAXIMUM MINIMUM".split()
)


@dataclass(frozen=True)
class PlantedFault:
    """Faulty model, the operators that may be named for it, and the causes."""

    kind: str
    model: Model
    operators: frozenset[int]
    causes: frozenset[str]


Draw = np.random.Generator
FaultPlanter = Callable[[Model, Operator, Draw], "PlantedFault | None"]
FAULTS: dict[str, FaultPlanter] = {}


def fault(function: FaultPlanter) -> FaultPlanter:
    """Register a kind of fault under its function's name."""
    FAULTS[function.__name__] = function
    return function


def plant(kind: str, model: Model, draw: Draw) -> PlantedFault | None:
    """Plant a fault of a kind in an operator that can have it, or return None."""
    for number in draw.permutation(len(model.subgraphs[0].operators)):
        found = FAULTS[kind](model, model.subgraphs[0].operators[number], draw)
        if found is not None:
            return found
    return None


def finish(
    kind: str, model: Model, editor: SubgraphEditor, op: Operator, *causes: str, tensor: int = -1
) -> PlantedFault:
    """Return the fault of an edited first subgraph, at an operator or at all readers of a tensor."""
    subgraph, _ = editor.finish()
    changed = replace(with_subgraphs(model, [subgraph, *model.subgraphs[1:]]), signatures=model.signatures)
    readers = wiring_of(subgraph).readers.get(tensor, ())
    return PlantedFault(kind, changed, frozenset((op.index, *readers)), frozenset(causes))


def held(subgraph: Subgraph, op: Operator, role: str, least: int = 8) -> Tensor | None:
    """Return a quantized constant of an operator, or None. Steps of an unrolled loop share it."""
    facts = traits_of(op.kind)
    names = [name for name, meaning in facts.inputs.items() if meaning == role]
    index = facts.tensors(op).get(names[0], -1) if names and facts.products else -1
    tensor = subgraph.tensors[index] if index >= 0 else None
    if tensor is None or not tensor.is_constant or not tensor.quantization.scale.size or tensor.size < least:
        return None
    return tensor


def _axis(tensor: Tensor, op: Operator) -> int:
    return (
        tensor.quantization.axis
        if tensor.quantization.scale.size > 1
        else 3 * (op.kind == "DEPTHWISE_CONV_2D")
    )


def reweighted(
    kind: str, model: Model, op: Operator, change: Callable[[np.ndarray, int], np.ndarray], *causes: str
) -> PlantedFault | None:
    """Return the fault of changed weights; ``change`` gets integers by channel and the dimension of channels."""
    subgraph = model.subgraphs[0]
    weight = held(subgraph, op, "weight")
    if weight is None or weight.dtype not in ("int8", "uint8"):
        return None
    zero = int(weight.quantization.zero_point[0])
    values = np.array(stored_integers(weight)).astype(np.int64) - zero
    axis = _axis(weight, op)
    rows = np.moveaxis(values, axis, 0)
    changed = np.moveaxis(change(rows.copy(), axis), 0, axis) + zero
    low, high = INTEGER_RANGES[weight.dtype]
    editor = SubgraphEditor(subgraph)
    data = np.clip(changed, low, high).astype(weight.dtype)
    editor.set_tensor(weight.index, data=bytes_of(data.reshape(-1)))
    return finish(kind, model, editor, op, *causes, tensor=weight.index)


@fault
def weights(model: Model, op: Operator, draw: Draw) -> PlantedFault | None:
    """Replace a third of the weights."""

    def change(rows: np.ndarray, axis: int) -> np.ndarray:
        flat = rows.reshape(-1)
        chosen = draw.choice(flat.size, flat.size // 3, replace=False)
        flat[chosen] = flat[draw.permutation(chosen)]
        return flat.reshape(rows.shape)

    return reweighted("weights", model, op, change, "weights")


@fault
def four_bits(model: Model, op: Operator, draw: Draw) -> PlantedFault | None:
    """Round weights to 16 levels."""
    return reweighted(
        "four_bits", model, op, lambda rows, axis: np.rint(rows / 17).astype(np.int64) * 17, "weights"
    )


@fault
def dead_channel(model: Model, op: Operator, draw: Draw) -> PlantedFault | None:
    """Set all weights of a channel to 0."""

    def change(rows: np.ndarray, axis: int) -> np.ndarray:
        rows[int(draw.integers(len(rows)))] = 0
        return rows

    return reweighted("dead_channel", model, op, change, "weights")


@fault
def clipped_constants(model: Model, op: Operator, draw: Draw) -> PlantedFault | None:
    """Clip weights to a third of their range."""
    return reweighted(
        "clipped_constants", model, op, lambda rows, axis: np.clip(rows, -42, 42), "weights", "weight_scale"
    )


@fault
def weight_scales(model: Model, op: Operator, draw: Draw) -> PlantedFault | None:
    """Double up to three weight scales."""
    weight = held(model.subgraphs[0], op, "weight")
    if weight is None:
        return None
    scale = weight.quantization.scale.copy()
    scale[draw.choice(scale.size, min(3, scale.size), replace=False)] *= 2
    editor = SubgraphEditor(model.subgraphs[0])
    editor.set_tensor(weight.index, quantization=replace(weight.quantization, scale=scale))
    return finish("weight_scales", model, editor, op, "weight_scale", tensor=weight.index)


@fault
def axes(model: Model, op: Operator, draw: Draw) -> PlantedFault | None:
    """Move weight scales to a different dimension of the same length."""
    weight = held(model.subgraphs[0], op, "weight")
    if weight is None or weight.quantization.scale.size < 2 or weight.dtype != "int8":
        return None
    q = weight.quantization
    others = [n for n, size in enumerate(weight.shape) if n != q.axis and size == q.scale.size]
    if not others:
        return None
    along = [np.moveaxis(np.ones(weight.shape) * 1.0, axis, -1) * q.scale for axis in (q.axis, others[0])]
    old, new = (np.moveaxis(v, -1, axis) for v, axis in zip(along, (q.axis, others[0]), strict=True))
    values = np.clip(np.rint(stored_integers(weight) * old / new), -127, 127).astype(np.int8)
    editor = SubgraphEditor(model.subgraphs[0])
    editor.set_tensor(
        weight.index, data=bytes_of(values.reshape(-1)), quantization=replace(q, axis=others[0])
    )
    return finish("axes", model, editor, op, "weight_axis", tensor=weight.index)


@fault
def biases(model: Model, op: Operator, draw: Draw) -> PlantedFault | None:
    """Negate half of the biases."""
    bias = held(model.subgraphs[0], op, "bias")
    if bias is None:
        return None
    values = np.array(stored_integers(bias)).reshape(-1)
    chosen = draw.choice(values.size, values.size // 2, replace=False)
    values[chosen] = -values[chosen]
    editor = SubgraphEditor(model.subgraphs[0])
    editor.set_tensor(bias.index, data=bytes_of(values))
    return finish("biases", model, editor, op, "bias", tensor=bias.index)


def _group(subgraph: Subgraph, index: int) -> set[int]:
    """Return the tensors that share the quantization of a tensor through operators that pass it on."""
    q, group, todo = subgraph.tensors[index].quantization, {index}, [index]
    while todo:
        at = todo.pop()
        for op in subgraph.operators:
            ends = {i for i in (*op.inputs, *op.outputs) if i >= 0}
            if op.kind not in PASSING or at not in ends:
                continue
            for other in ends - group:
                own = subgraph.tensors[other].quantization
                if own.scale.tobytes() == q.scale.tobytes() and not subgraph.tensors[other].is_constant:
                    group.add(other)
                    todo.append(other)
    return group


def _ranged(kind: str, model: Model, op: Operator, factor: float, shift: int) -> PlantedFault | None:
    """Change the range of an operator's output; biases of its readers keep their real values."""
    subgraph = model.subgraphs[0]
    if op.kind in PASSING or op.kind in ("SOFTMAX", "LOGISTIC", "TANH", "QUANTIZE", "DEQUANTIZE", "SPLIT"):
        return None
    tensor = subgraph.tensors[op.outputs[0]]
    if len(op.outputs) != 1 or tensor.dtype not in ("int8", "uint8") or tensor.quantization.scale.size != 1:
        return None
    group, q, editor = _group(subgraph, tensor.index), tensor.quantization, SubgraphEditor(subgraph)
    if group & {*subgraph.inputs}:
        return None
    low, high = INTEGER_RANGES[tensor.dtype]
    scale = (q.scale * np.float32(factor)).astype(np.float32)
    zero = np.clip(q.zero_point, low, high) if not shift else np.clip(q.zero_point + shift, low, high)
    if factor > 1 and not shift:
        middle = (high + low + 1) // 2
        zero = np.rint(middle + (q.zero_point - middle) / factor).astype(np.int64)
    for index in group:
        editor.set_tensor(index, quantization=replace(q, scale=scale, zero_point=zero.astype(np.int64)))
    for reader in subgraph.operators:
        bias = held(subgraph, reader, "bias", 1)
        facts = traits_of(reader.kind)
        source = facts.tensors(reader).get(facts.products[0], -1) if facts.products else -1
        if source in group and bias is not None:
            values = np.rint(stored_integers(bias).astype(np.float64) / factor).astype(bias.dtype)
            new = replace(bias.quantization, scale=(bias.quantization.scale * np.float32(factor)))
            editor.set_tensor(bias.index, data=bytes_of(values.reshape(-1)), quantization=new)
    found = finish(kind, model, editor, op, "output_range")
    writers = {o.index for o in subgraph.operators if set(o.outputs) & group and o.kind not in PASSING}
    return replace(found, operators=frozenset(writers | {op.index}))


@fault
def too_wide(model: Model, op: Operator, draw: Draw) -> PlantedFault | None:
    """Widen a range by a factor of 8."""
    return _ranged("too_wide", model, op, 8.0, 0)


@fault
def too_narrow(model: Model, op: Operator, draw: Draw) -> PlantedFault | None:
    """Narrow a range by a factor of 3."""
    return _ranged("too_narrow", model, op, 1 / 3, 0)


@fault
def zero_points(model: Model, op: Operator, draw: Draw) -> PlantedFault | None:
    """Shift a range by a quarter of its width."""
    zero = (
        int(model.subgraphs[0].tensors[op.outputs[0]].quantization.zero_point[:1].sum()) if op.outputs else 0
    )
    return _ranged("zero_points", model, op, 1.0, 64 if zero < 0 else -64)


@fault
def swapped_operands(model: Model, op: Operator, draw: Draw) -> PlantedFault | None:
    """Swap two inputs."""
    subgraph = model.subgraphs[0]
    two = [subgraph.tensors[i] for i in op.inputs[:2] if i >= 0]
    if op.kind not in ("SUB", "DIV", "CONCATENATION", "PACK", "SQUARED_DIFFERENCE") or len(two) < 2:
        return None
    if two[0].index == two[1].index or any(t.is_constant for t in two):
        return None
    if two[0].shape != two[1].shape and op.kind != "CONCATENATION":
        return None
    editor = SubgraphEditor(subgraph)
    editor.change(op.index, inputs=(op.inputs[1], op.inputs[0], *op.inputs[2:]))
    return finish("swapped_operands", model, editor, op, "operands")


@fault
def wrong_activation(model: Model, op: Operator, draw: Draw) -> PlantedFault | None:
    """Remove a fused activation, or add RELU to an operator without an activation."""
    if op.options is None or op.kind not in (
        "CONV_2D",
        "DEPTHWISE_CONV_2D",
        "FULLY_CONNECTED",
        "ADD",
        "MUL",
        "SUB",
    ):
        return None
    old = int(op.options.get("fused_activation_function", 0))
    new = {**op.options.fields, "fused_activation_function": 0 if old else 1}
    editor = SubgraphEditor(model.subgraphs[0])
    editor.change(op.index, options=replace(op.options, fields=new))
    return finish("wrong_activation", model, editor, op, "activation")


@fault
def integer_constants(model: Model, op: Operator, draw: Draw) -> PlantedFault | None:
    """Swap the sides of paddings, or move a slice by its length."""
    subgraph = model.subgraphs[0]
    held = [subgraph.tensors[i] for i in op.inputs[1:] if i >= 0]
    if op.kind not in ("PAD", "STRIDED_SLICE") or not all(t.is_constant for t in held):
        return None
    values = [np.array(stored_integers(t)).reshape(t.shape) for t in held]
    if op.kind == "PAD":
        changed = [values[0][:, ::-1], *values[1:]]
    else:
        sizes, least = subgraph.tensors[op.outputs[0]].shape, subgraph.tensors[op.inputs[0]].shape
        step = np.array([0] * (len(sizes) - 1) + [-sizes[-1] if values[0][-1] else sizes[-1]])
        changed = [values[0] + step, values[1] + step, values[2]]
        if len(least) != len(sizes) or changed[0].min() < 0 or np.any(changed[1] > least):
            return None
    if all(map(np.array_equal, changed, values)):
        return None
    editor, inputs = SubgraphEditor(subgraph), [op.inputs[0]]
    for tensor, array in zip(held, changed, strict=True):
        data = bytes_of(np.ascontiguousarray(array, tensor.dtype).reshape(-1))
        inputs.append(editor.add_tensor("other", tensor.shape, tensor.dtype, None, data))
    editor.change(op.index, inputs=tuple(inputs))
    return finish("integer_constants", model, editor, op, "option")


@fault
def gates(model: Model, op: Operator, draw: Draw) -> PlantedFault | None:
    """Exchange the weights of two gates of an LSTM, or move the weights of a gate by a row."""
    facts = traits_of(op.kind)
    named = [
        role
        for role, tensor in facts.tensors(op).items()
        if facts.inputs.get(role) == "weight" and tensor >= 0
    ]
    if len(named) < 4:
        return None
    subgraph, found = model.subgraphs[0], facts.tensors(op)
    side = draw.choice(["input_to", "recurrent_to"])
    one, other = (found[r] for r in draw.choice([n for n in named if n.startswith(side)], 2, replace=False))
    editor = SubgraphEditor(subgraph)
    if draw.random() < 0.5:
        moved = {one: other, other: one}
        editor.change(op.index, inputs=tuple(moved.get(i, i) for i in op.inputs))
    else:
        tensor = subgraph.tensors[one]
        rows = np.roll(np.array(stored_integers(tensor)).reshape(tensor.shape), 1, axis=0)
        editor.set_tensor(one, data=bytes_of(rows.astype(tensor.dtype).reshape(-1)))
    return finish("gates", model, editor, op, "weights")
