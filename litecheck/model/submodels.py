"""Parts of a model as models: operators with their constants and called subgraphs; a model with another entry point."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from litecheck.flatbuffer.table import Table
from litecheck.model.links import subgraph_calls
from litecheck.model.types import Buffer, Model, Operator, Subgraph
from litecheck.quantization import Blockwise, MultiAxis, Quantization


@dataclass(frozen=True, slots=True, eq=False)
class Submodel:
    """Operators of a subgraph as a model.

    ``inputs`` and ``outputs`` are the tensors of the whole model that correspond to the inputs and outputs of the cut
    model, in the same order. ``tensors`` maps tensors of the whole model to tensors of the cut model.
    """

    model: Model
    subgraph: int
    operators: tuple[int, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    tensors: Mapping[int, int]


def cut_operators(
    model: Model, subgraph: Subgraph, operators: Sequence[Operator], outputs: Sequence[int] = ()
) -> Submodel:
    """Return these operators, in execution order, as a model with a single entry point.

    Its inputs are the tensors that the operators read and that neither the operators nor the file provide. Its outputs
    are ``outputs``, or all outputs of the operators that are read elsewhere. Quantization, options, constants,
    variables, the tensors of block scales and called subgraphs are included; names stay.
    """
    made = tuple(outputs) or writes(subgraph, operators)
    inputs = reads(subgraph, operators, made)
    used = sorted(_find_used(subgraph, operators) | set(inputs) | set(made))
    numbers = {old: new for new, old in enumerate(used)}
    callees = tuple(_find_callees(model, operators))
    places = {old: new for new, old in enumerate(callees, 1)}
    main = replace(
        subgraph,
        index=0,
        tensors=tuple(
            replace(t, index=n, buffer=0, external_buffer=0, quantization=_remap(t.quantization, numbers))
            for n, t in enumerate(subgraph.tensors[old] for old in used)
        ),
        operators=tuple(_renumber(op, n, numbers, places) for n, op in enumerate(operators)),
        inputs=tuple(numbers[i] for i in inputs),
        outputs=tuple(numbers[i] for i in made),
        debug_metadata_index=-1,
    )
    others = (_copy_subgraph(model.subgraphs[old], new, places) for old, new in places.items())
    alone = replace(
        model,
        subgraphs=(main, *others),
        buffers=(Buffer(np.empty(0, np.uint8)),),
        operator_codes=(),
        signatures=(),
        metadata=(),
        fields=None,
        unknown_content=(),
    )
    return Submodel(alone, subgraph.index, tuple(op.index for op in operators), inputs, made, numbers)


def reads(subgraph: Subgraph, operators: Sequence[Operator], outputs: Sequence[int] = ()) -> tuple[int, ...]:
    """Return the tensors that operators read and that neither the operators, the file nor a variable provides, in order.

    Tensors of this kind in ``outputs`` follow.
    """
    made = {index for op in operators for index in op.outputs}
    read = dict.fromkeys(i for ends in (*(op.inputs for op in operators), outputs) for i in ends if i >= 0)
    given = {t.index for t in subgraph.tensors if t.is_constant or t.is_variable}
    return tuple(i for i in read if i not in made and i not in given)


def writes(subgraph: Subgraph, operators: Sequence[Operator]) -> tuple[int, ...]:
    """Return the outputs of operators that are read outside, are outputs of the subgraph, or are never read, in order."""
    inside = {op.index for op in operators}
    read = {i for op in operators for i in op.inputs}
    elsewhere = {i for op in subgraph.operators if op.index not in inside for i in op.inputs}
    wanted = elsewhere | set(subgraph.outputs)
    made = dict.fromkeys(i for op in operators for i in op.outputs if i >= 0)
    return tuple(i for i in made if i in wanted or i not in read)


def _find_used(subgraph: Subgraph, operators: Iterable[Operator]) -> set[int]:
    used = {i for op in operators for i in (*op.inputs, *op.outputs, *op.intermediates) if i >= 0}
    for index in tuple(used):
        details = subgraph.tensors[index].quantization.details
        if isinstance(details, Blockwise | MultiAxis):
            used |= {i for i in (details.scales, details.zero_points) if 0 <= i < len(subgraph.tensors)}
    return used


def with_entry_point(model: Model, key: str) -> Model:
    """Return the model with this signature and its subgraph first. This entry point runs if no signature is named."""
    signature = next(one for one in model.signatures if one.key == key)
    places = {signature.subgraph: 0, 0: signature.subgraph}
    order = sorted(model.subgraphs, key=lambda subgraph: places.get(subgraph.index, subgraph.index))
    subgraphs = (
        replace(one, index=number, operators=tuple(_redirect(operator, places) for operator in one.operators))
        for number, one in enumerate(order)
    )
    signatures = (signature, *(one for one in model.signatures if one is not signature))
    moved = (replace(one, subgraph=places.get(one.subgraph, one.subgraph)) for one in signatures)
    return replace(model, subgraphs=tuple(subgraphs), signatures=tuple(moved))


def _find_callees(model: Model, operators: Iterable[Operator]) -> Iterator[int]:
    """Yield the subgraphs that these operators call, at any depth, each once."""
    found: dict[int, None] = {}
    left = [index for op in operators for _, index in subgraph_calls(op)]
    while left:
        index = left.pop(0)
        if index not in found and 0 <= index < len(model.subgraphs):
            found[index] = None
            left += [i for op in model.subgraphs[index].operators for _, i in subgraph_calls(op)]
    return iter(found)


def _remap(quantization: Quantization, numbers: Mapping[int, int]) -> Quantization:
    details = quantization.details
    if not isinstance(details, Blockwise | MultiAxis):
        return quantization
    scales, zeros = (numbers.get(i, -1) for i in (details.scales, details.zero_points))
    return replace(quantization, details=replace(details, scales=scales, zero_points=zeros))


def _renumber(
    operator: Operator, index: int, numbers: Mapping[int, int], places: Mapping[int, int]
) -> Operator:
    def new(old: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(numbers[i] if i >= 0 else i for i in old)

    return replace(
        _redirect(operator, places),
        index=index,
        inputs=new(operator.inputs),
        outputs=new(operator.outputs),
        intermediates=new(operator.intermediates),
        code_index=0,
        fields=_without_debug(operator.fields),
    )


def _redirect(operator: Operator, places: Mapping[int, int]) -> Operator:
    options, calls = operator.options, dict[str, list[int]]()
    for name, old in subgraph_calls(operator):
        calls.setdefault(name, []).append(places.get(old, old))
    if not calls or options is None:
        return operator
    # STABLEHLO_CASE lists its branches; every other option names one subgraph.
    new = {n: np.array(c, np.int32) if n.endswith("indices") else c[0] for n, c in calls.items()}
    return replace(operator, options=replace(options, fields={**options.fields, **new}))


def _copy_subgraph(subgraph: Subgraph, index: int, places: Mapping[int, int]) -> Subgraph:
    """Return a called subgraph with all its content, under a new number."""
    return replace(
        subgraph,
        index=index,
        tensors=tuple(replace(t, buffer=0, external_buffer=0) for t in subgraph.tensors),
        operators=tuple(replace(_redirect(op, places), code_index=0) for op in subgraph.operators),
        debug_metadata_index=-1,
    )


def _without_debug(fields: Table | None) -> Table | None:
    if fields is None or "debug_metadata_index" not in fields:
        return fields
    left = {k: v for k, v in fields.fields.items() if k != "debug_metadata_index"}
    return replace(fields, fields=left) if left else None
