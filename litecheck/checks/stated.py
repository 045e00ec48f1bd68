"""A subgraph as a compiler sees it: with the shapes that the file states, and then with one image where batches are open."""

from __future__ import annotations

from collections.abc import Mapping, Set
from copy import copy
from dataclasses import replace
from functools import cached_property

from litecheck.checks.context import Context, TensorFacts
from litecheck.model.types import Subgraph, Tensor


class AsStated(Context):
    """A subgraph whose shapes are those the file states: a compiler goes by them."""

    @cached_property
    def reshaped(self) -> dict[int, Tensor]:
        """None."""
        return {}

    def beside(self, aside: Set[int]) -> AsStated:
        """The same, where these operators are known to stay on the processor."""
        other = copy(self)
        other.aside = aside
        return other

    def but(self, tensors: Mapping[int, Tensor]) -> AsStated:
        """The same, where some tensors are others, by their indices."""
        other = copy(self)
        other.facts = [*self.facts]
        for index, tensor in tensors.items():
            other.facts[index] = TensorFacts(tensor)
        return other


def closed(subgraph: Subgraph) -> Subgraph:
    """A subgraph whose first dimensions are 1 where its signatures leave them open."""
    opened = {
        t.index: replace(t, shape=(1, *t.shape[1:]))
        for t in subgraph.tensors
        if t.shape_signature and t.shape_signature[0] < 0 and t.shape and t.shape[0] != 1 and t.data is None
    }
    if not opened:
        return subgraph
    return replace(subgraph, tensors=tuple(opened.get(t.index, t) for t in subgraph.tensors))
