"""Types inside called subgraphs: LiteRT's kernels write the types of the caller over those in the file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from weakref import WeakKeyDictionary

from litecheck.checks.bound_operator import BoundOperator
from litecheck.checks.context import Context
from litecheck.checks.types import types_run
from litecheck.model.links import subgraph_calls
from litecheck.model.types import Model, Operator, Subgraph, Tensor
from litecheck.profile.load import STRUCTURE, load_profile
from litecheck.profile.operators import traits_of
from litecheck.quantization import BITS

#: Beginning of the option with the condition of a loop.
_CONDITION = "cond"
#: Kinds of a difference between the types of a call and of the called subgraph, the gravest first.
DIFFERENCES = ("absent", "", "result_size", "condition_size", "replaced")
#: Types of tensors by subgraph and tensor.
Types = Mapping[int, Mapping[int, str]]
_TYPES: WeakKeyDictionary[Model, Types] = WeakKeyDictionary()


def types_of_callers(model: Model) -> Types:
    """Return the types that calls write over those of inputs and outputs of the called subgraphs.

    A type of the caller counts if the runtime supports the types of all operators that read or write the tensor with it.
    Otherwise the type of the call is wrong. Example: an IF passes int8 to a subgraph that states int16 for its input and
    adds an int8 constant to it: the input is int8.
    """
    found = _TYPES.get(model)
    if found is None:
        found = _TYPES[model] = _find_types(model) if len(model.subgraphs) > 1 else {}
    return found


def type_difference(bound: BoundOperator) -> str:
    """Return the kind of the gravest difference of types between a call and the subgraphs that it calls.

    ``absent``: the call lists an absent tensor. ``replaced``: the call replaces the type. ``result_size`` and
    ``condition_size``: an output of the call, or an input of a loop's condition, has elements of another size, and the
    kernel cannot copy its bytes. A branch can have smaller elements than the output of its call.
    """
    if bound.gaps:
        return "absent"
    model, kinds = bound.context.model, {"replaced"}
    replaced, loops = types_of_callers(model), _is_loop(bound.operator)
    for (subgraph, inner), own, kind in _crossings(model, bound.context.subgraph, bound.operator):
        tensor = model.subgraphs[subgraph].tensors[inner]
        if tensor.dtype == own.dtype:
            continue
        inside, outside = BITS.get(tensor.dtype, 0), BITS.get(own.dtype, 0)
        other_size = inside != outside if loops else inside > outside
        if inner in replaced.get(subgraph, {}):
            kinds.add("condition_size" if kind == "condition" and other_size else "replaced")
        else:
            kinds.add("" if kind != "result" else "result_size" if other_size else "replaced")
    return "" if _changes_type(bound) else min(kinds, key=DIFFERENCES.index)


def _is_loop(operator: Operator) -> bool:
    return any(name.startswith(_CONDITION) for name, _ in subgraph_calls(operator))


def _changes_type(bound: BoundOperator) -> bool:
    """Return True if the body of a loop returns a tensor with another type than it receives."""
    model, calls = bound.context.model, dict(subgraph_calls(bound.operator))
    if not _is_loop(bound.operator):
        return False
    for name, number in calls.items():
        if name.startswith(_CONDITION) or not 0 <= number < len(model.subgraphs):
            continue
        callee, types = model.subgraphs[number], types_of_callers(model).get(number, {})
        stated = [types.get(i, callee.tensors[i].dtype) for i in (*callee.inputs, *callee.outputs) if i >= 0]
        half = len(callee.inputs)
        if len(stated) == 2 * half and stated[:half] != stated[half:]:
            return True
    return False


def _find_types(model: Model) -> Types:
    wanted: dict[int, dict[int, str]] = {}
    for subgraph in model.subgraphs:
        for operator in subgraph.operators:
            for (callee, inner), own, _ in _crossings(model, subgraph, operator):
                if model.subgraphs[callee].tensors[inner].dtype != own.dtype:
                    wanted.setdefault(callee, {}).setdefault(inner, own.dtype)
    return {
        callee: dict(_accepted(model, model.subgraphs[callee], types)) for callee, types in wanted.items()
    }


def _accepted(model: Model, callee: Subgraph, types: Mapping[int, str]) -> Iterator[tuple[int, str]]:
    """Yield the types with which the runtime supports every operator that reads or writes the tensor."""
    tensors = tuple(replace(t, dtype=types.get(t.index, t.dtype)) for t in callee.tensors)
    context = Context(model, replace(callee, tensors=tensors))
    for index, dtype in types.items():
        users = (op for op in callee.operators if index in (*op.inputs, *op.outputs))
        if all(_runs(context, op) for op in users):
            yield index, dtype


def _runs(context: Context, operator: Operator) -> bool:
    profile = load_profile(STRUCTURE)
    rule = profile.operators.get(operator.opcode)
    if rule is None or profile.types is None:
        return False
    return types_run(BoundOperator(context, operator, rule), profile.types)


def _crossings(
    model: Model, subgraph: Subgraph, operator: Operator
) -> Iterator[tuple[tuple[int, int], Tensor, str]]:
    """Yield (subgraph, tensor) of each input and output of the called subgraphs, the tensor of the call, and its kind:
    ``condition`` or ``body`` for an input, ``result`` for an output.

    Only calls that forward their inputs count: they copy the types.
    """
    kinds = list(traits_of(operator.opcode).inputs.values())
    if "forwarded" not in kinds:
        return
    passed = operator.inputs[kinds.index("forwarded") :]
    for name, number in subgraph_calls(operator):
        if not 0 <= number < len(model.subgraphs):
            continue
        callee, steers = model.subgraphs[number], name.startswith(_CONDITION)
        pairs = [
            (*pair, "condition" if steers else "body") for pair in zip(passed, callee.inputs, strict=False)
        ]
        if not steers:
            pairs += [(*pair, "result") for pair in zip(operator.outputs, callee.outputs, strict=False)]
        for own, inner, kind in pairs:
            if own >= 0 and inner >= 0:
                yield (number, inner), subgraph.tensors[own], kind
