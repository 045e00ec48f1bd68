"""Changes of operators and connections: options, versions, lists of tensors, inputs and outputs of subgraphs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from litecheck.flatbuffer.schema import Field, Schema, load_schema
from litecheck.flatbuffer.table import Table
from litecheck.model.types import Model, Operator, Subgraph, Tensor
from tests.differential.structure.edit import Mutant, added, with_graph, with_operator, with_tensor

INTEGERS = (0, -1, 1, 2, 3, 7, 1000, 2**31 - 1)
FLOATS = (0.0, -1.0, 0.5, 10.0, 1e30, float("nan"), float("inf"))
VERSIONS = (0, 2, 3, 99)
#: An options table of a different operator, and a substitute for operators with this table.
OTHERS = ("Pool2DOptions", "SoftmaxOptions")


def changed_graph(model: Model) -> Iterator[Mutant]:
    """Yield mutants with a single operator, or one list of tensors, changed."""
    for graph in model.subgraphs:
        for op in graph.operators:
            for place, change, table in _options(op):
                changed = with_operator(model, graph, replace(op, options=table))
                yield Mutant("options", op.opcode, place, change, changed)
            for version in dict.fromkeys((*VERSIONS, op.version + 1)):
                if version != op.version:
                    changed = with_operator(model, graph, replace(op, version=version))
                    yield Mutant("version", op.opcode, "version", f"{op.version} -> {version}", changed)
            yield from _lists(model, graph, op)
        yield from _tensors(model, graph)
        yield from _ends(model, graph)
        yield from _order(model, graph)


def _options(op: Operator) -> Iterator[tuple[str, str, Table | None]]:
    schema = load_schema("tflite")
    other = OTHERS[op.options is not None and op.options.type == OTHERS[0]]
    yield "options", f"are {other}", Table(other)
    if op.options is None:
        return
    yield "options", "missing", None
    if op.options.fields:
        yield "options", "empty", Table(op.options.type)
    for field in schema.tables[op.options.type]:
        now = op.options.get(field.name, field.default)
        for new in _alternatives(schema, field, now):
            fields = {**op.options.fields, field.name: new}
            shown = new.tolist() if isinstance(new, np.ndarray) else new
            yield f"option {field.name}", f"= {shown}", Table(op.options.type, fields)


def _alternatives(
    schema: Schema, field: Field, now: object
) -> Iterator[bool | int | float | str | np.ndarray]:
    if field.kind == "string":
        yield from (s for s in ("", "other") if s != now)
    elif field.kind == "scalars" and field.type == "int32" and isinstance(now, np.ndarray):
        for at in range(len(now)):
            yield from (np.where(np.arange(len(now)) == at, v, now) for v in (-1, 0, 5, 100) if v != now[at])
        yield from (now[:-1], np.append(now, 1))
    elif field.kind != "scalar":
        return
    elif field.type == "bool":
        yield not now
    elif field.type.startswith("float"):
        yield from (f for f in FLOATS if f != now)
    elif field.enum:
        members = sorted(schema.enums[field.enum].values())
        yield from (v for v in dict.fromkeys((*members[:7], 17, 100, -1)) if v != now)
    else:
        yield from (v for v in INTEGERS if v != now)


def _lists(model: Model, graph: Subgraph, op: Operator) -> Iterator[Mutant]:
    """Yield changes of an operator's inputs, outputs and intermediates."""
    for side in ("inputs", "outputs", "intermediates"):
        listed = getattr(op, side)
        for place, change, new in _relisted(side[:-1], listed, graph):
            changed = with_operator(model, graph, replace(op, **{side: new}))
            yield Mutant(
                "intermediates" if side == "intermediates" else "wiring", op.opcode, place, change, changed
            )
    for at, index in enumerate(op.inputs):
        if index >= 0 and op.outputs:
            into = with_operator(model, graph, replace(op, outputs=(index, *op.outputs[1:])))
            yield Mutant("wiring", op.opcode, f"input{at}", "is the output too", into)


def _relisted(
    word: str, listed: tuple[int, ...], graph: Subgraph
) -> Iterator[tuple[str, str, tuple[int, ...]]]:
    for at, index in enumerate(listed):
        if index != -1:
            yield f"{word}{at}", "absent (-1)", (*listed[:at], -1, *listed[at + 1 :])
        yield f"{word}{at}", "left out", (*listed[:at], *listed[at + 1 :])
        yield f"{word}{at}", "no such tensor", (*listed[:at], len(graph.tensors) + 5, *listed[at + 1 :])
        for other in range(at + 1, min(len(listed), at + 3)):
            if listed[other] != index:
                swapped = list(listed)
                swapped[at], swapped[other] = swapped[other], swapped[at]
                yield f"{word}{at}", f"swapped with {word}{other}", tuple(swapped)
                twice = (*listed[:other], index, *listed[other + 1 :])
                yield f"{word}{other}", f"is {word}{at} again", twice
    if listed:
        yield f"{word}s", "one more", (*listed, listed[0])
        yield f"{word}s", "one more, absent", (*listed, -1)
        yield f"{word}s", "none", ()
    elif graph.tensors:
        yield f"{word}s", "one that is not wanted", (0,)


def _tensors(model: Model, graph: Subgraph) -> Iterator[Mutant]:
    """Yield constants and variables marked as the opposite."""
    met: dict[int, tuple[str, str]] = {}
    for op in graph.operators:
        for at, index in enumerate(op.inputs):
            met.setdefault(index, (op.opcode, f"input{at}"))
        for at, index in enumerate(op.outputs):
            met.setdefault(index, (op.opcode, f"output{at}"))
    for t in graph.tensors:
        if t.index not in met:
            continue
        opcode, place = met[t.index]
        turned = with_tensor(model, graph, replace(t, is_variable=not t.is_variable))
        yield Mutant("wiring", opcode, place, f"{'no' if t.is_variable else 'a'} variable", turned)
        if t.is_constant:
            bare = replace(t, data=None, buffer=0)
            yield Mutant("wiring", opcode, place, "without its values", with_tensor(model, graph, bare))
            given = replace(graph, inputs=(*graph.inputs, t.index))
            fed = with_tensor(with_graph(model, given), given, bare)
            yield Mutant("wiring", opcode, place, "given at run time", fed)
        elif t.index in graph.inputs and t.dtype in ("int8", "int16", "float32", "int32", "bool"):
            zeros = np.zeros(t.size * np.dtype(t.dtype).itemsize, np.uint8)
            kept = replace(graph, inputs=tuple(i for i in graph.inputs if i != t.index))
            constant = with_tensor(with_graph(model, kept), kept, replace(t, data=zeros))
            yield Mutant("wiring", opcode, place, "a constant", constant)


def _ends(model: Model, graph: Subgraph) -> Iterator[Mutant]:
    """Yield changes of a subgraph's inputs and outputs."""
    kind, opcode = ("ends", graph.operators[0].opcode if graph.operators else "none")
    word = "subgraph" if graph.index else "model"

    def mutant(place: str, change: str, new: Subgraph) -> Mutant:
        return Mutant(kind, opcode, f"{word} {place}", change, with_graph(model, new))

    for side in ("inputs", "outputs"):
        listed = getattr(graph, side)
        for place, change, new in _relisted(side[:-1], listed, graph):
            yield mutant(place, change, replace(graph, **{side: new}))
    free = Tensor(0, "nobody writes this", "int8", (2, 3))
    more, index = added(graph, free)
    yield mutant("outputs", "and one nobody writes", replace(more, outputs=(*graph.outputs, index)))
    yield mutant("outputs", "only one nobody writes", replace(more, outputs=(index,)))
    if graph.inputs:
        yield mutant("outputs", "and an input", replace(graph, outputs=(*graph.outputs, graph.inputs[0])))
        yield mutant("outputs", "only an input", replace(graph, outputs=(graph.inputs[0],)))
    constants = [t.index for t in graph.tensors if t.is_constant]
    if constants:
        yield mutant("outputs", "and a constant", replace(graph, outputs=(*graph.outputs, constants[0])))
    written = [i for op in graph.operators for i in op.outputs if i >= 0]
    if written:
        more_inputs = replace(graph, inputs=(*graph.inputs, written[0]))
        yield mutant("inputs", "and what an operator writes", more_inputs)


def _order(model: Model, graph: Subgraph) -> Iterator[Mutant]:
    """Yield operators reordered, doubled or removed."""
    ops = graph.operators
    for at, op in enumerate(ops):
        doubled = replace(graph, operators=(*ops[: at + 1], *ops[at:]))
        yield Mutant("order", op.opcode, "operator", "done twice", with_graph(model, doubled))
        if len(ops) > 1:
            left = replace(graph, operators=(*ops[:at], *ops[at + 1 :]))
            yield Mutant("order", op.opcode, "operator", "left out", with_graph(model, left))
        if at + 1 < len(ops):
            turned = replace(graph, operators=(*ops[:at], ops[at + 1], op, *ops[at + 2 :]))
            yield Mutant("order", op.opcode, "operator", "behind the next", with_graph(model, turned))
