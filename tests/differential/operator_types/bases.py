"""Base models of signatures: every operator with a kernel of LiteRT or TFLM, in each of its forms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from litecheck import load_profile
from litecheck.cases.one_operator import one_operator, run_time
from litecheck.model.types import Model
from litecheck.profile.type_table import ABSENT
from tests.differential import rules_cases, rules_cases_hybrid, rules_cases_tflm, rules_cases_uint8
from tests.differential.operator_types.signatures import Base, retyped
from tests.differential.structure.specimens_stateful import stateful
from tests.differential.structure_cases import structures

#: Operators without a table: their tensors belong to subgraphs, variables or tables.
UNTYPED = {
    "CALL", "CALL_ONCE", "HASHTABLE", "HASHTABLE_FIND", "HASHTABLE_IMPORT", "HASHTABLE_SIZE", "IF", "READ_VARIABLE",
    "ASSIGN_VARIABLE", "STABLEHLO_CASE", "STABLEHLO_COMPOSITE", "STABLEHLO_REDUCE_WINDOW", "VAR_HANDLE", "WHILE",
    "CONCAT_EMBEDDINGS", "DENSIFY", "SKIP_GRAM", "SUBGRAPH",
}  # fmt: skip

#: Maximum of models of a single operator.
_MOST = 24
#: Operators that reduce a bool: the value that all elements except the last have.
_SPARSE = {"REDUCE_ALL": True, "REDUCE_ANY": False}


@cache
def bases() -> dict[str, tuple[Base, ...]]:
    """Return the models by operator."""
    rules, found = load_profile("litert-structure").operators, {}
    for opcode, name, model, inputs in _models():
        graph = model.subgraphs[0]
        plain = all(t.quantization.details is None for t in graph.tensors)
        if opcode in rules and opcode not in UNTYPED and plain and len(graph.operators) == 1:
            given = tuple(inputs) if opcode not in _SPARSE else (_sparse(inputs[0], _SPARSE[opcode]),)
            base = Base(name, rules[opcode], model, given)
            base = replace(base, model=retyped(base, base.signature)[0])
            found.setdefault(opcode, []).extend((base, *_without_shape(base)))
    return {
        opcode: tuple(_different(sorted(made, key=lambda b: b.idle)))[:_MOST]
        for opcode, made in sorted(found.items())
    }


def varied(bases: Sequence[Base]) -> dict[Base, Base]:
    """Return the model that is varied in place of each: for an idle model, the first not idle model with the same
    tensors.
    """
    lively = {tuple(c == ABSENT for c in b.signature): b for b in reversed(bases) if not b.idle}
    return {b: lively.get(tuple(c == ABSENT for c in b.signature), b) if b.idle else b for b in bases}


def _models() -> Iterator[tuple[str, str, Model, tuple[np.ndarray, ...]]]:
    for c in structures():
        yield c.opcode, c.name, c.model, c.inputs
    for dtype in ("int8", "int16"):
        for c in (*rules_cases.cases(dtype), *rules_cases_tflm.cases(dtype)):
            yield c.opcode, f"{c.name} {dtype}", c.model, c.inputs
    for c in rules_cases_uint8.cases():
        yield c.opcode, f"{c.name} uint8", c.model, c.inputs
    for c in rules_cases_hybrid.cases():
        yield c.opcode, f"{c.name} hybrid", c.model, c.inputs
    powers = np.array([1, 2, 3, 4, -2, -3], np.int32), np.array([3, 2, 0, 1, 3, 2], np.int32)
    yield "POW", "POW int32", _powers(), powers
    for s in stateful():
        yield s.model.subgraphs[0].operators[0].opcode, s.name, s.model, s.inputs


def _without_shape(base: Base) -> Iterator[Base]:
    """Yield a RESHAPE whose shape is only in its option, for a model with a constant shape.

    A shape that is listed as absent is a different form, which crashes.
    """
    graph = base.model.subgraphs[0]
    operator = graph.operators[0]
    if base.rule.opcode == "RESHAPE" and len(operator.inputs) == 2 and len(graph.inputs) == 1:
        changed = replace(graph, operators=(replace(operator, inputs=operator.inputs[:1]),))
        model = replace(base.model, subgraphs=(changed, *base.model.subgraphs[1:]))
        yield replace(base, name=f"{base.name} without shape", model=model)


def _powers() -> Model:
    """Return a POW of int32, whose kernel rejects negative exponents."""
    sides = [run_time(name, (6,), "int32") for name in ("x", "n")]
    return one_operator("POW", sides, [run_time("y", (6,), "int32")])


def _sparse(values: np.ndarray, usual: bool) -> np.ndarray:
    """Return values with a reduction that depends on the last element."""
    made = np.full(values.shape, usual)
    made.reshape(-1)[-1] = not usual
    return made


def _different(made: list[Base]) -> Iterator[Base]:
    """Yield the first model of each signature, the first with one scale per tensor, and the first with the same
    parameters for all tensors.
    """
    seen = set()
    for base in made:
        q = [t.quantization for t in base.model.subgraphs[0].tensors if t.quantization.scale.size]
        coarse = all(p.scale.size < 2 for p in q)
        alike = coarse and len({(float(p.scale[0]), int(p.zero_point[0])) for p in q}) < 2
        keys = {(base.signature, ""), *({(base.signature, "coarse")} if coarse else ())}
        keys |= {(base.signature, "alike")} if alike else set()
        if not keys <= seen:
            seen |= keys
            yield base
