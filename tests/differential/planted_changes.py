"""Changes planted in models, with the kind, the operator and the role that ``litecheck diff`` must name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from litecheck.model.edit import SubgraphEditor, with_subgraphs
from litecheck.model.graph import wiring_of
from litecheck.model.stored_values import bytes_of, stored_integers
from litecheck.model.types import Model, Operator, Subgraph, Tensor
from litecheck.profile.operators import traits_of
from litecheck.quantization import Blockwise, MultiAxis, Quantization

#: Kind, operator in the first model (-1 for none), role.
Expected = tuple[str, int, str]


@dataclass(frozen=True)
class PlantedChange:
    """Changed model, and the only cause that a difference must list."""

    name: str
    model: Model
    expected: Expected


Draw = np.random.Generator
Planter = Callable[[Model, Draw], "PlantedChange | None"]
PLANTERS: dict[str, Planter] = {}


def planter(function: Planter) -> Planter:
    """Register a kind of change under its function's name."""
    PLANTERS[function.__name__] = function
    return function


def shuffled(model: Model, draw: Draw) -> Model:
    """Return the model with its operators in a different valid order, tensors renumbered and inner tensors renamed."""
    return replace(
        with_subgraphs(model, [_shuffled(s, draw) for s in model.subgraphs]),
        signatures=tuple(
            replace(s, inputs=_through(s.inputs, n), outputs=_through(s.outputs, n))
            for s in model.signatures
            for n in [_numbers(model.subgraphs[s.subgraph], draw)]
        ),
    )


def _through(ends: tuple[tuple[str, int], ...], numbers: list[int]) -> tuple[tuple[str, int], ...]:
    return tuple((name, numbers[index]) for name, index in ends)


def _numbers(subgraph: Subgraph, draw: Draw) -> list[int]:
    seed = int(draw.bit_generator.seed_seq.entropy)  # type: ignore[attr-defined]
    return np.random.default_rng((seed, subgraph.index)).permutation(len(subgraph.tensors)).tolist()


def _shuffled(subgraph: Subgraph, draw: Draw) -> Subgraph:
    numbers = _numbers(subgraph, draw)
    tensors: list[Tensor | None] = [None] * len(numbers)
    ends = {*subgraph.inputs, *subgraph.outputs}
    for tensor in subgraph.tensors:
        name = tensor.name if tensor.index in ends else f"t{numbers[tensor.index]}"
        details = tensor.quantization.details
        if isinstance(details, Blockwise | MultiAxis):
            places = (numbers[i] if i >= 0 else i for i in (details.scales, details.zero_points))
            moved = dict(zip(("scales", "zero_points"), places, strict=True))
            tensor = replace(
                tensor, quantization=replace(tensor.quantization, details=replace(details, **moved))
            )
        tensors[numbers[tensor.index]] = replace(tensor, index=numbers[tensor.index], name=name)
    operators = []
    for place, index in enumerate(_another_order(subgraph, draw)):
        op = subgraph.operators[index]
        sides = {
            side: tuple(numbers[i] if i >= 0 else -1 for i in getattr(op, side))
            for side in ("inputs", "outputs", "intermediates")
        }
        operators.append(replace(op, index=place, **sides))
    return replace(
        subgraph,
        tensors=tuple(t for t in tensors if t is not None),
        operators=tuple(operators),
        inputs=tuple(numbers[i] for i in subgraph.inputs),
        outputs=tuple(numbers[i] for i in subgraph.outputs),
    )


def _another_order(subgraph: Subgraph, draw: Draw) -> list[int]:
    producer = wiring_of(subgraph).last_writer
    left, done, order = set(range(len(subgraph.operators))), set(), list[int]()
    stateful = any(t.is_variable or t.dtype == "resource" for t in subgraph.tensors)
    while left:
        ready = [
            n for n in sorted(left)
            if all(producer.get(i, -1) < 0 or producer[i] in done for i in subgraph.operators[n].inputs)
        ]  # fmt: skip
        chosen = ready[0] if stateful else ready[int(draw.integers(len(ready)))]
        left.remove(chosen)
        done.add(chosen)
        order.append(chosen)
    return order


def _finish(name: str, model: Model, editor: SubgraphEditor, expected: Expected) -> PlantedChange:
    subgraph, _ = editor.finish()
    others = [subgraph if s.index == subgraph.index else s for s in model.subgraphs]
    return PlantedChange(name, with_subgraphs(model, others), expected)


def _reached(subgraph: Subgraph) -> list[Operator]:
    """Return the operators that lead to an output: further operators do not change it."""
    producer = wiring_of(subgraph).last_writer
    seen: set[int] = set()
    todo = [producer[i] for i in subgraph.outputs if i in producer]
    while todo:
        n = todo.pop()
        if n not in seen:
            seen.add(n)
            todo += [producer[i] for i in subgraph.operators[n].inputs if i in producer]
    return [op for op in subgraph.operators if op.index in seen]


def _pick(
    model: Model, draw: Draw, fits: Callable[[Subgraph, Operator], bool]
) -> tuple[Subgraph, Operator] | None:
    found = [(s, op) for s in model.subgraphs[:1] for op in _reached(s) if fits(s, op)]
    return found[int(draw.integers(len(found)))] if found else None


def _readers(subgraph: Subgraph, index: int) -> int:
    return len(wiring_of(subgraph).readers.get(index, ()))


def _role(subgraph: Subgraph, op: Operator, role: str) -> Tensor | None:
    index = traits_of(op.kind).tensors(op).get(role, -1)
    return subgraph.tensors[index] if index >= 0 else None


def _has_constant(role: str, *dtypes: str) -> Callable[[Subgraph, Operator], bool]:
    def fits(subgraph: Subgraph, op: Operator) -> bool:
        tensor = _role(subgraph, op, role)
        alone = tensor is not None and _readers(subgraph, tensor.index) == 1
        return bool(alone and tensor and tensor.is_constant and tensor.dtype in dtypes and tensor.size > 1)

    return fits


def _has_axis(subgraph: Subgraph, op: Operator) -> bool:
    weight = _role(subgraph, op, "weight")
    return (
        _has_constant("weight", "int8")(subgraph, op)
        and weight is not None
        and weight.quantization.scale.size > 1
    )


def _own_quantization(subgraph: Subgraph, op: Operator) -> bool:
    """Return True if the operator chooses the quantization of its output."""
    out = subgraph.tensors[op.outputs[0]] if len(op.outputs) == 1 else None
    return bool(
        out is not None and out.dtype in ("int8", "uint8", "int16") and out.quantization.scale.size == 1
        and traits_of(op.kind).accumulates
    )  # fmt: skip


@planter
def weights(model: Model, draw: Draw) -> PlantedChange | None:
    """Change some weights."""
    return _values("weights", model, draw, "weight", ("int8", "uint8", "float32"))


@planter
def biases(model: Model, draw: Draw) -> PlantedChange | None:
    """Change some biases."""
    return _values("biases", model, draw, "bias", ("int32", "float32"))


def _values(name: str, model: Model, draw: Draw, role: str, dtypes: tuple[str, ...]) -> PlantedChange | None:
    found = _pick(model, draw, _has_constant(role, *dtypes))
    if found is None:
        return None
    subgraph, op = found
    tensor = _role(subgraph, op, role)
    values = np.array(stored_integers(tensor)).reshape(-1)
    chosen = draw.choice(values.size, max(1, values.size // 10), replace=False)
    values[chosen] = (
        (values[chosen] + 1).astype(values.dtype) if values.dtype.kind in "iu" else values[chosen] + 1
    )
    editor = SubgraphEditor(subgraph)
    editor.set_tensor(tensor.index, data=bytes_of(values))
    return _finish(name, model, editor, ("constant", op.index, role))


def _requantized(
    name: str, model: Model, draw: Draw, role: str, fits: Callable[[Subgraph, Operator], bool],
    change: Callable[[Quantization], Quantization], expected: str, bias: bool = False,
) -> PlantedChange | None:  # fmt: skip
    found = _pick(model, draw, fits)
    if found is None:
        return None
    subgraph, op = found
    tensor = subgraph.tensors[op.outputs[0]] if role == "output" else _role(subgraph, op, role)
    new, editor = change(tensor.quantization), SubgraphEditor(subgraph)
    editor.set_tensor(tensor.index, quantization=new)
    other, source = _role(subgraph, op, "bias"), _role(subgraph, op, "input")
    if bias and other is not None and source is not None and other.quantization.scale.size:
        scale = (source.quantization.scale.astype(np.float64) * new.scale).astype(np.float32)
        editor.set_tensor(other.index, quantization=replace(other.quantization, scale=scale))
    return _finish(name, model, editor, (expected, op.index, role))


@planter
def weight_scales(model: Model, draw: Draw) -> PlantedChange | None:
    """Enlarge all weight scales and the bias scales."""
    return _requantized(
        "weight_scales", model, draw, "weight", _has_constant("weight", "int8", "uint8"),
        lambda q: replace(q, scale=(q.scale * np.float32(1.25))), "scale", bias=True,
    )  # fmt: skip


@planter
def one_weight_scale(model: Model, draw: Draw) -> PlantedChange | None:
    """Double one weight scale."""

    def change(q: Quantization) -> Quantization:
        scale = q.scale.copy()
        scale[int(draw.integers(scale.size))] *= 2
        return replace(q, scale=scale)

    return _requantized("one_weight_scale", model, draw, "weight", _has_axis, change, "scale")


@planter
def output_scale(model: Model, draw: Draw) -> PlantedChange | None:
    """Change the scale of an activation."""
    return _requantized(
        "output_scale", model, draw, "output", _own_quantization,
        lambda q: replace(q, scale=q.scale * np.float32(1.5)), "scale",
    )  # fmt: skip


@planter
def zero_point(model: Model, draw: Draw) -> PlantedChange | None:
    """Change the zero point of an activation."""
    return _requantized(
        "zero_point", model, draw, "output", _own_quantization,
        lambda q: replace(q, zero_point=q.zero_point + (1 if q.zero_point[0] < 0 else -1)), "zero-point",
    )  # fmt: skip


@planter
def axis(model: Model, draw: Draw) -> PlantedChange | None:
    """Quantize the weights along a different dimension."""
    return _requantized(
        "axis", model, draw, "weight", _has_axis, lambda q: replace(q, axis=q.axis ^ 1), "axis"
    )


@planter
def granularity(model: Model, draw: Draw) -> PlantedChange | None:
    """Change weights per channel to weights per tensor."""
    return _requantized(
        "granularity", model, draw, "weight", _has_axis,
        lambda q: replace(q, scale=q.scale[:1], zero_point=q.zero_point[:1]), "granularity",
    )  # fmt: skip


def _changed(
    name: str, model: Model, draw: Draw, fits: Callable[[Subgraph, Operator], bool],
    fields: Callable[[Operator], dict[str, object]], expected: str, role: str = "",
) -> PlantedChange | None:  # fmt: skip
    found = _pick(model, draw, fits)
    if found is None:
        return None
    editor = SubgraphEditor(found[0])
    editor.change(found[1].index, **fields(found[1]))
    return _finish(name, model, editor, (expected, found[1].index, role))


@planter
def option(model: Model, draw: Draw) -> PlantedChange | None:
    """Change the fused activation of an operator."""

    def fields(op: Operator) -> dict[str, object]:
        old = int(op.options.get("fused_activation_function", 0))
        new = {**op.options.fields, "fused_activation_function": 3 if old != 3 else 1}
        return {"options": replace(op.options, fields=new)}

    def fits(subgraph: Subgraph, op: Operator) -> bool:
        return op.options is not None and op.kind in (
            "CONV_2D",
            "ADD",
            "FULLY_CONNECTED",
            "DEPTHWISE_CONV_2D",
            "MUL",
        )

    return _changed("option", model, draw, fits, fields, "option", "fused_activation_function")


@planter
def version(model: Model, draw: Draw) -> PlantedChange | None:
    """Change the version of an operator."""
    return _changed(
        "version", model, draw, lambda s, op: True, lambda op: {"version": op.version + 1}, "operator-version"
    )


@planter
def replaced(model: Model, draw: Draw) -> PlantedChange | None:
    """Replace an operator by a different kind."""
    swaps = {"ADD": "SUB", "SUB": "ADD", "MUL": "DIV", "MAX_POOL_2D": "AVERAGE_POOL_2D",
             "AVERAGE_POOL_2D": "MAX_POOL_2D", "SOFTMAX": "LOGISTIC", "LOGISTIC": "TANH", "RELU": "RELU6"}  # fmt: skip

    def fields(op: Operator) -> dict[str, object]:
        return {"opcode": swaps[op.opcode], "options": None}

    return _changed("replaced", model, draw, lambda s, op: op.opcode in swaps, fields, "operator-replaced")


@planter
def swapped(model: Model, draw: Draw) -> PlantedChange | None:
    """Swap two inputs of an operator."""

    def fits(subgraph: Subgraph, op: Operator) -> bool:
        if op.kind not in ("ADD", "MUL", "SUB", "DIV", "CONCATENATION", "FLOOR_DIV") or len(op.inputs) < 2:
            return False
        two = [subgraph.tensors[i] for i in op.inputs[:2]]
        return op.inputs[0] != op.inputs[1] and not any(t.is_constant for t in two)

    return _changed(
        "swapped", model, draw, fits,
        lambda op: {"inputs": (op.inputs[1], op.inputs[0], *op.inputs[2:])}, "operand-order",
    )  # fmt: skip


@planter
def no_bias(model: Model, draw: Draw) -> PlantedChange | None:
    """Remove the bias of a layer."""
    return _changed(
        "no_bias", model, draw, lambda s, op: len(op.inputs) == 3 and _has_constant("bias", "int32", "float32")(s, op),
        lambda op: {"inputs": (*op.inputs[:2], -1)}, "operand-presence", "bias",
    )  # fmt: skip


@planter
def removed(model: Model, draw: Draw) -> PlantedChange | None:
    """Remove an operator between tensors of one shape and type."""

    def fits(subgraph: Subgraph, op: Operator) -> bool:
        if len(op.outputs) != 1 or not op.inputs or op.inputs[0] < 0 or op.outputs[0] in subgraph.outputs:
            return False
        source, target = subgraph.tensors[op.inputs[0]], subgraph.tensors[op.outputs[0]]
        alike = source.shape == target.shape and source.dtype == target.dtype
        # A removed operator must be the only reader of its input; then no further operator is lost.
        acts = [i for i in op.inputs if i >= 0 and not subgraph.tensors[i].is_constant]
        return alike and not source.is_constant and len(acts) == 1

    found = _pick(model, draw, fits)
    if found is None:
        return None
    subgraph, op = found
    operators = [
        replace(o, inputs=tuple(op.inputs[0] if i == op.outputs[0] else i for i in o.inputs))
        for o in subgraph.operators
        if o.index != op.index
    ]
    changed = replace(subgraph, operators=tuple(replace(o, index=n) for n, o in enumerate(operators)))
    others = [changed if s.index == subgraph.index else s for s in model.subgraphs]
    return PlantedChange("removed", with_subgraphs(model, others), ("operator-removed", op.index, ""))


@planter
def added(model: Model, draw: Draw) -> PlantedChange | None:
    """Insert an operator after an operator."""
    found = _pick(model, draw, lambda s, op: len(op.outputs) == 1 and op.outputs[0] not in s.outputs)
    if found is None:
        return None
    subgraph, op = found
    present = {operator.kind for operator in subgraph.operators}
    kinds = [kind for kind in ("RELU", "LOGISTIC", "ABS", "QUANTIZE", "ELU") if kind not in present]
    editor, kind = SubgraphEditor(subgraph), str(draw.choice(kinds))
    old = subgraph.tensors[op.outputs[0]]
    new = editor.add_like(old, "inserted", old.dtype, old.quantization)
    for other in subgraph.operators:
        if old.index in other.inputs:
            editor.change(other.index, inputs=tuple(new if i == old.index else i for i in other.inputs))
    editor.insert(op.index, kind, old.index, new, None, 1)
    return _finish("added", model, editor, ("operator-added", -1, ""))


@planter
def rewired(model: Model, draw: Draw) -> PlantedChange | None:
    """Rewire an operator to a different tensor of the same shape."""

    def others(subgraph: Subgraph, op: Operator) -> list[int]:
        if not op.inputs or op.inputs[0] < 0 or subgraph.tensors[op.inputs[0]].is_constant:
            return []
        old, producer = subgraph.tensors[op.inputs[0]], wiring_of(subgraph).last_writer
        reached = {operator.index for operator in _reached(subgraph)}
        if _readers(subgraph, old.index) < 2:
            return []
        return [
            t.index for t in subgraph.tensors
            if t.index in producer and producer[t.index] < op.index and t.shape == old.shape
            and t.dtype == old.dtype and t.index not in op.inputs and producer[t.index] in reached
        ]  # fmt: skip

    found = _pick(model, draw, lambda s, op: bool(others(s, op)))
    if found is None:
        return None
    subgraph, op = found
    editor = SubgraphEditor(subgraph)
    editor.change(op.index, inputs=(int(draw.choice(others(subgraph, op))), *op.inputs[1:]))
    role = traits_of(op.kind).role(0) or "input 0"
    return _finish("rewired", model, editor, ("rewired", op.index, role))


@planter
def more_outputs(model: Model, draw: Draw) -> PlantedChange | None:
    """Make an inner tensor an output of the model."""
    found = _pick(model, draw, lambda s, op: len(op.outputs) == 1 and op.outputs[0] not in s.outputs)
    if found is None or model.signatures:
        return None
    editor = SubgraphEditor(found[0])
    editor.outputs.append(found[1].outputs[0])
    return _finish("more_outputs", model, editor, ("model-outputs", -1, ""))


@planter
def output_name(model: Model, draw: Draw) -> PlantedChange | None:
    """Rename an output of the model."""
    subgraph = model.subgraphs[0]
    if not subgraph.outputs:
        return None
    number = int(draw.integers(len(subgraph.outputs)))
    editor = SubgraphEditor(subgraph)
    editor.set_tensor(subgraph.outputs[number], name="another name")
    return _finish("output_name", model, editor, ("name", -1, f"model output {number}"))


@planter
def open_batch(model: Model, draw: Draw) -> PlantedChange | None:
    """Make the first dimension of an input open."""
    subgraph = model.subgraphs[0]
    places = [
        i for i in subgraph.inputs if subgraph.tensors[i].shape and not subgraph.tensors[i].shape_signature
    ]
    if not places:
        return None
    tensor = subgraph.tensors[int(draw.choice(places))]
    editor = SubgraphEditor(subgraph)
    editor.set_tensor(tensor.index, shape_signature=(-1, *tensor.shape[1:]))
    return _finish("open_batch", model, editor, ("shape", -2, ""))


@planter
def signature(model: Model, draw: Draw) -> PlantedChange | None:
    """Rename an input of a signature."""
    if not model.signatures or not model.signatures[0].inputs:
        return None
    first, *rest = model.signatures
    (_, index), *others = first.inputs
    changed = replace(first, inputs=(("another", index), *others))
    return PlantedChange("signature", replace(model, signatures=(changed, *rest)), ("signature", -1, ""))


@planter
def constant_type(model: Model, draw: Draw) -> PlantedChange | None:
    """Store weights in a wider type."""
    found = _pick(model, draw, _has_constant("weight", "int8"))
    if found is None:
        return None
    subgraph, op = found
    tensor = _role(subgraph, op, "weight")
    values = np.array(stored_integers(tensor)).astype(np.int16)
    editor = SubgraphEditor(subgraph)
    editor.set_tensor(tensor.index, dtype="int16", data=bytes_of(values.reshape(-1)))
    return _finish("constant_type", model, editor, ("dtype", op.index, "weight"))
