"""One subgraph under judgement: the facts of its tensors, and the shapes LiteRT gives them."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from functools import cached_property

from litecheck.checks.tensor_facts import TensorFacts
from litecheck.model.shapes.infer import Inferred, infer
from litecheck.model.types import Model, Subgraph, Tensor
from litecheck.profile.laws import law_of


class Context:
    """A subgraph of a model; what is costly is worked out when it is first asked for."""

    def __init__(self, model: Model, subgraph: Subgraph) -> None:
        self.model = model
        self.subgraph = subgraph
        self.facts = [TensorFacts(tensor) for tensor in subgraph.tensors]
        self.sound_forms: set[Hashable] = set()
        """Operators, by rule and form, in whose structure nothing was found: others like them need no second look."""

    @cached_property
    def reshaped(self) -> dict[int, Tensor]:
        """The tensors whose shape at run time is another than the file states, with that one.

        LiteRT goes on with the shapes it works out; what is known only at run time stays as stated.
        """
        changed = {}
        for tensor, shape in zip(self.subgraph.tensors, self.shapes.shapes, strict=True):
            if shape is not None and shape != tensor.shape and None not in shape:
                changed[tensor.index] = replace(tensor, shape=shape)  # type: ignore[arg-type]
        return changed

    @cached_property
    def shapes(self) -> Inferred:
        """The shapes the tensors have when the model runs, operator by operator."""
        return infer(self.model, self.subgraph, law_of)
