"""A subgraph with the shapes that a compiler reads: those of the file, with batch 1 for a dynamic batch."""

from __future__ import annotations

from collections.abc import Mapping, Set
from copy import copy
from dataclasses import replace
from functools import cached_property

from litecheck.checks.context import Context, TensorFacts
from litecheck.model.types import Subgraph, Tensor


class DeclaredShapes(Context):
    """A subgraph whose shapes are those that the file declares; core infers them instead, as LiteRT does."""

    @cached_property
    def reshaped_tensors(self) -> dict[int, Tensor]:
        """No tensor has another shape than declared."""
        return {}

    @property
    def runtime_facts(self) -> list[TensorFacts]:
        """Facts about the tensors in the file: compilers do not write other types."""
        return self.facts

    def with_cpu_operators(self, indices: Set[int]) -> DeclaredShapes:
        """Return the subgraph with these operators known to be on the CPU."""
        other = copy(self)
        other.on_cpu = indices
        return other

    def with_tensors(self, tensors: Mapping[int, Tensor]) -> DeclaredShapes:
        """Return the subgraph with these tensors, by index, in place of its own."""
        other = copy(self)
        other.facts = [*self.facts]
        for index, tensor in tensors.items():
            other.facts[index] = TensorFacts(tensor)
        return other


def with_batch_of_one(subgraph: Subgraph) -> Subgraph:
    """Return the subgraph with a first dimension of 1 where the signature of a shape leaves it dynamic.

    For example, shape (8, 4) with signature (-1, 4) becomes (1, 4). Constants keep their shape.
    """
    dynamic = {
        t.index: replace(t, shape=(1, *t.shape[1:]))
        for t in subgraph.tensors
        if t.shape_signature and t.shape_signature[0] < 0 and t.shape and t.shape[0] != 1 and t.data is None
    }
    if not dynamic:
        return subgraph
    return replace(subgraph, tensors=tuple(dynamic.get(t.index, t) for t in subgraph.tensors))
