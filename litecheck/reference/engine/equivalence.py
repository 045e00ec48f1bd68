"""Arithmetics that give the same outputs for a model, because they differ only in steps that its operators do not have."""

from __future__ import annotations

from collections.abc import Hashable

from litecheck.model.types import Model, Operator, Subgraph
from litecheck.reference.engine.arithmetic import Arithmetic
from litecheck.reference.engine.dispatch import bind_kernel
from litecheck.reference.runtime_tensors import RunError


def active_variants(model: Model, arithmetic: Arithmetic) -> Hashable:
    """Return a key that is equal for arithmetics with the same variants of all steps under the conditions that hold.

    Example: ADD of int8 has the same key under two arithmetics that differ only in the steps of ADD for int16.
    """
    return tuple(
        _operator_variants(subgraph, operator, arithmetic)
        for subgraph in model.subgraphs
        for operator in subgraph.operators
    )


def _operator_variants(subgraph: Subgraph, operator: Operator, arithmetic: Arithmetic) -> Hashable:
    chosen = arithmetic.variants_of(subgraph, operator)
    try:
        slots = bind_kernel(subgraph, operator).slots
    except RunError:
        return ()
    return tuple(slot.variant(chosen) for slot in slots), chosen.get("defect")
