"""Models whose signatures are varied: every operator that LiteRT or TFLM has a kernel for, in each of its forms."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

from litecheck import load_profile
from litecheck.model.types import Model
from tests.differential import rules_cases, rules_cases_hybrid, rules_cases_tflm, rules_cases_uint8
from tests.differential.operator_types.signatures import Base
from tests.differential.structure.specimens_stateful import stateful
from tests.differential.structure_cases import structures

#: Operators without a table: their tensors belong to subgraphs, variables or tables.
UNTYPED = {
    "CALL", "CALL_ONCE", "HASHTABLE", "HASHTABLE_FIND", "HASHTABLE_IMPORT", "HASHTABLE_SIZE", "IF", "READ_VARIABLE",
    "ASSIGN_VARIABLE", "STABLEHLO_CASE", "STABLEHLO_COMPOSITE", "STABLEHLO_REDUCE_WINDOW", "VAR_HANDLE", "WHILE",
    "CONCAT_EMBEDDINGS", "DENSIFY", "SKIP_GRAM", "SUBGRAPH",
}  # fmt: skip

#: Models of one operator.
_MOST = 24
#: Operators that reduce a bool: the value that the last element alone does not have.
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
            found.setdefault(opcode, []).append(Base(name, rules[opcode], model, given))
    return {opcode: tuple(_different(made))[:_MOST] for opcode, made in sorted(found.items())}


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
    for s in stateful():
        yield s.model.subgraphs[0].operators[0].opcode, s.name, s.model, s.inputs


def _sparse(values: np.ndarray, usual: bool) -> np.ndarray:
    """Values whose reduction depends on the last element."""
    made = np.full(values.shape, usual)
    made.reshape(-1)[-1] = not usual
    return made


def _different(made: list[Base]) -> Iterator[Base]:
    """The first model of each signature, and the first with one scale for every tensor."""
    seen = set()
    for base in made:
        coarse = all(t.quantization.scale.size < 2 for t in base.model.subgraphs[0].tensors)
        if base.signature not in {s for s, _ in seen} or (coarse and (base.signature, True) not in seen):
            seen.add((base.signature, coarse))
            yield base
