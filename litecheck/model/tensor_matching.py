"""Tensors of matched operators, activations that a converter fused, and reasons for operators without a partner."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from litecheck.flatbuffer.schema import load_schema
from litecheck.model.graph import has_ends, wiring_of
from litecheck.model.node_signatures import CONVERSIONS, is_transparent
from litecheck.model.types import Operator, Subgraph

#: Reason for an operator that was added, removed or replaced.
NO_PARTNER = "no operator of this kind at this place"


def homes_of(
    first: Subgraph, second: Subgraph, partners: Sequence[tuple[int, int]]
) -> tuple[dict[int, int], dict[int, tuple[int, ...]]]:
    """Return the tensor of the first subgraph for each tensor of the second, and absorbed activations."""
    matched = {one for one, _ in partners}
    absorbed: dict[int, tuple[int, ...]] = {}
    homes = dict(zip(second.inputs, _order_inputs(first, second), strict=False))
    for one, other in partners:
        mine, theirs = first.operators[one], second.operators[other]
        fused = _find_absorbed(first, mine, theirs, matched)
        if fused:
            absorbed[one] = fused
        outputs = first.operators[fused[-1]].outputs if fused else mine.outputs
        for old, new in zip(outputs, theirs.outputs, strict=False):
            if min(old, new) >= 0:
                homes[new] = old
    _map_conversions(first, second, homes, {other: one for one, other in partners})
    _map_constants(first, second, partners, homes)
    return homes, absorbed


def _order_inputs(first: Subgraph, second: Subgraph) -> list[int]:
    """Return the inputs of the first subgraph in the order of the second: by name if all names agree."""
    names = {first.tensors[i].name: i for i in first.inputs}
    wanted = [second.tensors[i].name for i in second.inputs]
    if len(names) == len(first.inputs) and set(wanted) == set(names):
        return [names[name] for name in wanted]
    return list(first.inputs)


def _find_absorbed(
    first: Subgraph, mine: Operator, theirs: Operator, matched: Collection[int]
) -> tuple[int, ...]:
    """Return the activation after an operator that its partner fuses."""
    wiring, options = wiring_of(first), theirs.options
    if options is None or len(mine.outputs) != 1 or not options.get("fused_activation_function"):
        return ()
    readers = wiring.readers.get(mine.outputs[0], ())
    if len(readers) != 1 or readers[0] in matched or mine.outputs[0] in wiring.outputs:
        return ()
    behind = first.operators[readers[0]]
    activations = load_schema().enums["ActivationFunctionType"]
    return (readers[0],) if activations.get(behind.kind) == options.get("fused_activation_function") else ()


def _map_conversions(
    first: Subgraph, second: Subgraph, homes: dict[int, int], partners: Mapping[int, int]
) -> None:
    """Give outputs of QUANTIZE, DEQUANTIZE and inserted operators the meaning of their input, in either direction."""
    for operators in (second.operators, tuple(reversed(second.operators))):
        for operator in operators:
            if not has_ends(operator):
                continue
            old, new = operator.inputs[0], operator.outputs[0]
            if second.tensors[old].shape != second.tensors[new].shape:
                continue
            if operator.kind not in CONVERSIONS and not _is_inserted(
                first, second, homes, partners, operator
            ):
                continue
            if old in homes:
                homes.setdefault(new, homes[old])
            elif new in homes:
                homes.setdefault(old, homes[new])
    for operator in first.operators:
        if (
            operator.kind in CONVERSIONS
            and has_ends(operator)
            and first.tensors[operator.inputs[0]].is_constant
        ):
            stored, real = operator.inputs[0], operator.outputs[0]
            homes.update({new: stored for new, old in homes.items() if old == real})


def _is_inserted(
    first: Subgraph,
    second: Subgraph,
    homes: Mapping[int, int],
    partners: Mapping[int, int],
    operator: Operator,
) -> bool:
    """Return True if the partners of all readers of an operator without a partner read the tensor in front of it.

    Examples: a RELU or a RESHAPE that only the second subgraph has.
    """
    if operator.index in partners or not is_transparent(second, operator):
        return False
    readers = wiring_of(second).readers.get(operator.outputs[0], ())
    source = homes.get(operator.inputs[0], -1)
    return bool(readers) and all(
        _reads(first, second, partners, reader, operator.outputs[0], source) for reader in readers
    )


def _reads(
    first: Subgraph, second: Subgraph, partners: Mapping[int, int], reader: int, index: int, source: int
) -> bool:
    """Return True if the partner of an operator reads ``source`` at the place of the tensor ``index``."""
    place = second.operators[reader].inputs.index(index)
    inputs = first.operators[partners[reader]].inputs if reader in partners else ()
    return (
        place < len(inputs)
        and inputs[place] >= 0
        and source in (inputs[place], origin_of(first, inputs[place]))
    )


def _map_constants(
    first: Subgraph, second: Subgraph, partners: Sequence[tuple[int, int]], homes: dict[int, int]
) -> None:
    """Give constants and variables the tensor at the same input of the partner."""
    for one, other in partners:
        mine, theirs = first.operators[one], second.operators[other]
        for old, new in zip(mine.inputs, theirs.inputs, strict=False):
            if min(old, new) >= 0 and new not in homes and _is_held(second, new) and _is_held(first, old):
                homes[new] = origin_of(first, old)
        for old, new in zip(mine.intermediates, theirs.intermediates, strict=False):
            if min(old, new) >= 0:
                homes.setdefault(new, old)


def _is_held(subgraph: Subgraph, index: int) -> bool:
    tensor = subgraph.tensors[origin_of(subgraph, index)]
    return tensor.is_constant or tensor.is_variable


def origin_of(subgraph: Subgraph, index: int) -> int:
    """Return the tensor before type conversions, or the tensor itself.

    Examples: float16 weights before DEQUANTIZE; weights of quantization-aware training before QUANTIZE and DEQUANTIZE.
    """
    return before_operators(subgraph, index, lambda operator: operator.kind in CONVERSIONS)


def before_operators(subgraph: Subgraph, index: int, passes: Callable[[Operator], bool]) -> int:
    """Return the first input before the operators that compute a tensor and for which ``passes`` is True."""
    wiring = wiring_of(subgraph)
    for _ in subgraph.operators:
        writer = wiring.last_writer.get(index, -1)
        if writer < 0 or not passes(subgraph.operators[writer]) or not has_ends(subgraph.operators[writer]):
            break
        index = subgraph.operators[writer].inputs[0]
    return index


def reason_for(subgraph: Subgraph, operator: Operator, matched: Collection[int], fused: bool) -> str:
    """Return the reason why an operator has no partner, as display text."""
    wiring = wiring_of(subgraph)
    near = [wiring.last_writer.get(i, -1) for i in operator.inputs]
    behind = [n for i in operator.outputs for n in wiring.readers.get(i, ())]
    before = next((n for n in near if n in matched), None)
    if fused:
        return f"fused into {_label(subgraph, before)}"
    if operator.kind in CONVERSIONS:
        return _describe_conversion(subgraph, operator)
    if is_transparent(subgraph, operator) and _is_reshape(subgraph, operator):
        return "changes the shape only"
    if before is not None and len(operator.inputs) == 2 and _has_constant(subgraph, operator):
        return f"constant of {_label(subgraph, before)}"
    if not any(i in wiring.outputs for i in operator.outputs) and not behind:
        return "its output is not used"
    return NO_PARTNER


def _describe_conversion(subgraph: Subgraph, operator: Operator) -> str:
    types = {subgraph.tensors[i].dtype for i in (*operator.inputs, *operator.outputs) if i >= 0}
    return "converts between types" if len(types) > 1 else "changes the scale or zero point"


def _label(subgraph: Subgraph, index: int | None) -> str:
    return "its neighbor" if index is None else f"{subgraph.operators[index].kind} #{index}"


def _is_reshape(subgraph: Subgraph, operator: Operator) -> bool:
    sides = operator.inputs[:1], operator.outputs[:1]
    return (
        len({subgraph.tensors[i].shape for side in sides for i in side if i >= 0}) > 1
        or len(operator.inputs) > 1
    )


def _has_constant(subgraph: Subgraph, operator: Operator) -> bool:
    held = [subgraph.tensors[i] for i in operator.inputs if i >= 0 and subgraph.tensors[i].is_constant]
    return any(t.dtype == "float32" or t.quantization.scale.size for t in held)


def operand_order(homes: Mapping[int, int], mine: Operator, theirs: Operator) -> tuple[int, ...]:
    """Return for each input of the second operator the input of the first with the same meaning, -1 if there is none.

    Example: SUB(a, b) and SUB(b, a) give (1, 0).
    """
    places = {index: place for place, index in reversed(tuple(enumerate(mine.inputs)))}
    found = []
    for place, index in enumerate(theirs.inputs):
        home = homes.get(index, -1)
        same = place < len(mine.inputs) and mine.inputs[place] == home
        found.append(place if same else places.get(home, -1))
    return tuple(found)
