"""Shape inference of a subgraph: each operator's law is applied in execution order."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

import numpy as np

from litecheck.flatbuffer.table import Table
from litecheck.model.links import links_of
from litecheck.model.shapes.call import (
    Call,
    Called,
    Entry,
    LawOf,
    Shape,
    ShapedOperand,
    ShapeError,
    Shapes,
    unknown_subgraph,
)
from litecheck.model.shapes.called_subgraphs import CallShapes, call_shapes
from litecheck.model.shapes.constant_folding import fold, folds, folds_late
from litecheck.model.types import Model, Operator, Subgraph, Tensor

#: Kinds that only apply to shapes known when the model is loaded.
_KINDS_AT_LOAD = ("bias_length", "inferred_zero", "padded_rank", "pointwise", "repeated_axis")


@dataclass(slots=True)
class InferredShapes:
    """Shapes that the laws give for a subgraph.

    ``shapes`` are the tensors' shapes by index, None for an unknown rank. ``results`` are the shapes that each law
    computed, and ``misfits`` the contradictions, both by operator.
    """

    shapes: list[Shape | None]
    misfits: dict[int, ShapeError] = field(default_factory=dict)
    results: dict[int, Shapes] = field(default_factory=dict)


def infer(model: Model, subgraph: Subgraph, law_of: LawOf, stored: bool = False) -> InferredShapes:
    """Apply the laws to a subgraph, from its inputs and constants. An unknown or violated law gives None.

    A tensor that no operator writes has the shape in the file, with None for unknown dimensions in ``shape_signature``.
    Output shapes in the file are ignored, because LiteRT sets them. It also sets the input shapes of called subgraphs, to
    the shapes of the call.
    ``model`` contains the subgraph. With ``stored``, every operator starts from the shapes in the file instead.
    """
    if not (subgraph.index < len(model.subgraphs) and model.subgraphs[subgraph.index] is subgraph):
        raise ValueError("the subgraph is none of the model's")
    if stored:
        return _apply_laws(subgraph, law_of, [tensor.shape for tensor in subgraph.tensors], stored=True)
    if len(model.subgraphs) > 1:
        calls = _find_call_shapes(model, law_of)
        if subgraph.index in links_of(model).called_subgraphs:
            return _apply_laws(subgraph, law_of, _called_shapes(subgraph, calls), called=calls.find_outputs)
        called: Called = calls.find_outputs
    else:
        called = unknown_subgraph
    shapes = _initial_shapes(subgraph)
    found = _apply_laws(subgraph, law_of, list(shapes), called=called)
    if _only_batch_unknown(shapes):
        # A file without a resized input runs with the batch in the file.
        shapes = _with_file_batch(subgraph, shapes)
        found.misfits |= _apply_laws(subgraph, law_of, shapes, called=called).misfits
    return found


def _find_call_shapes(model: Model, law_of: LawOf) -> CallShapes:
    """Return the shapes of the calls of a model."""

    def apply(subgraph: Subgraph, given: Shapes | None, called: Called) -> Shapes:
        shapes = _initial_shapes(subgraph) if given is None else _with_inputs(subgraph, given)
        found = _apply_laws(subgraph, law_of, shapes, called=called).shapes
        return tuple(found[index] if index >= 0 else None for index in subgraph.outputs)

    return call_shapes(model, law_of, apply)


def _called_shapes(subgraph: Subgraph, calls: CallShapes) -> list[Shape | None]:
    """Return the shapes of a called subgraph before its first operator."""
    return _with_inputs(subgraph, calls.inputs.get(subgraph.index, (None,) * len(subgraph.inputs)))


def _with_inputs(subgraph: Subgraph, given: Shapes) -> list[Shape | None]:
    shapes = _initial_shapes(subgraph)
    for index, shape in zip(subgraph.inputs, given, strict=True):
        if index >= 0:
            shapes[index] = shape
    return shapes


def _apply_laws(
    subgraph: Subgraph,
    law_of: LawOf,
    shapes: list[Shape | None],
    stored: bool = False,
    called: Called = unknown_subgraph,
) -> InferredShapes:
    """Apply the laws in execution order. ``shapes`` are the shapes before the first operator, and are updated in place."""
    found, kept = InferredShapes(shapes), _Cache()
    tensors = list(subgraph.tensors)  # tensors with folded values become constants here
    late: set[int] = set()  # tensors whose values or shapes LiteRT computes when the model runs
    for operator in subgraph.operators:
        entry = law_of(operator)
        if entry is None:
            continue
        result_shapes = _apply_law(kept, entry, operator, tensors, shapes, called)
        at_run_time = bool(late) and not late.isdisjoint(operator.inputs)
        if at_run_time:
            late.update(operator.outputs)
        if isinstance(result_shapes, ShapeError):
            plain = at_run_time and result_shapes.kind in ("", *_KINDS_AT_LOAD)
            found.misfits[operator.index] = result_shapes.at_run_time() if plain else result_shapes
            continue
        found.results[operator.index] = result_shapes
        for index, shape in zip(operator.outputs, result_shapes, strict=False):
            if index >= 0 and not stored:
                shapes[index] = shape
        if len(result_shapes) != 1 or not operator.outputs[:1] >= (0,):
            continue
        result = operator.outputs[0]
        if folds(entry[0], tensors[result]):
            call = call_of(operator, entry, tensors, shapes)
            values = fold(entry[0], call, tensors[result], result_shapes[0])
            if values is not None:
                tensors[result] = values
                late.update({result} if folds_late(entry[0]) else ())
    return found


def _only_batch_unknown(shapes: Sequence[Shape | None]) -> bool:
    """Return True if only first dimensions are unknown, and at least one is. Example: (None, 4, 4, 8)."""
    known = [shape for shape in shapes if shape]
    return any(shape[0] is None for shape in known) and not any(None in shape[1:] for shape in known)


def _with_file_batch(subgraph: Subgraph, shapes: Sequence[Shape | None]) -> list[Shape | None]:
    """Return the shapes with the batch in the file. Example: (None, 4) of a tensor with shape (1, 4) gives (1, 4)."""
    return [
        shape if shape is None or None not in shape else (tensor.shape[0], *shape[1:])
        for tensor, shape in zip(subgraph.tensors, shapes, strict=True)
    ]


def _initial_shapes(subgraph: Subgraph) -> list[Shape | None]:
    shapes: list[Shape | None] = [_dynamic_shape(tensor) for tensor in subgraph.tensors]
    for operator in subgraph.operators:
        for index in operator.outputs:
            if index >= 0:
                shapes[index] = None
    return shapes


def _dynamic_shape(tensor: Tensor) -> Shape:
    signature = tensor.shape_signature
    if tensor.data is not None or not signature or len(signature) != len(tensor.shape):
        return tensor.shape
    return tuple(None if s == -1 else dim for s, dim in zip(signature, tensor.shape, strict=True))


#: Cached results of laws that read only shapes and options.
_Cache = dict[Hashable, "Shapes | ShapeError"]


def _apply_law(
    kept: _Cache,
    entry: Entry,
    operator: Operator,
    tensors: Sequence[Tensor],
    shapes: list[Shape | None],
    called: Called,
) -> Shapes | ShapeError:
    """Return the result of an operator's law, from the cache if its shapes and options have occurred before."""
    law, roles = entry[0], entry[1]
    sources = tuple([shapes[index] if index >= 0 else -1 for index in operator.inputs])
    options, number = operator.options, len(operator.outputs)
    key: Hashable = (
        law,
        roles,
        sources,
        number,
        tuple(options.fields.items()) if options is not None else None,
    )
    try:
        result_shapes = kept.get(key)
    except TypeError:  # an option is a vector
        key = (law, roles, sources, number, _hashable(options))
        result_shapes = kept.get(key)
    if result_shapes is None:
        call = call_of(operator, entry, tensors, shapes, called)
        try:
            result_shapes = law(call)
        except ShapeError as misfit:
            result_shapes = misfit
        if not call.other_reads:
            kept[key] = result_shapes
    return result_shapes


def call_of(
    operator: Operator,
    entry: Entry,
    tensors: Sequence[Tensor],
    shapes: list[Shape | None],
    called: Called = unknown_subgraph,
) -> Call:
    """Return the operator as input of its law: inputs with inferred shapes, outputs with the types in the file."""
    _, roles, results, repeated = entry
    operands = [ShapedOperand(tensors[i], shapes[i]) if i >= 0 else None for i in operator.inputs]
    written = [ShapedOperand(tensors[i], None) if i >= 0 else None for i in operator.outputs]
    bound = {**bind(operands, roles, repeated), **bind(written, results, repeated)}
    return Call(operator.opcode, bound, operator.options, len(operator.outputs), called=called)


def bind(
    operands: list[ShapedOperand | None], roles: tuple[str, ...], repeated: frozenset[str]
) -> dict[str, tuple[ShapedOperand, ...]]:
    """Return operands by role. A repeated role, always the last, gets all remaining operands; absent operands are left
    out."""
    bound: dict[str, tuple[ShapedOperand, ...]] = {}
    for at, role in enumerate(roles):
        taken = operands[at:] if role in repeated else operands[at : at + 1]
        there = tuple(operand for operand in taken if operand is not None)
        if there:
            bound[role] = there
    return bound


def _hashable(value: object) -> Hashable:
    """Return a key for an option, equal for equal scalars and vectors."""
    if isinstance(value, Table):
        return tuple((name, _hashable(value.get(name))) for name in value)
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.tobytes()
    return value if isinstance(value, (bool, int, float, str)) else id(value)
