"""One subgraph under judgement: what verbs ask about its tensors, worked out once, and the shapes LiteRT gives them."""

from __future__ import annotations

from collections.abc import Hashable, Set
from dataclasses import replace
from functools import cached_property
from weakref import WeakKeyDictionary

from litecheck.model.shapes.infer import Inferred, infer
from litecheck.model.types import Model, Subgraph, Tensor
from litecheck.profile.load import law_of

_NAN = float("nan")


class TensorFacts:
    """A tensor's type and counts; its scale and zero point where it has exactly one of each (``single``).

    ``form`` is all that an operator's structure can depend on: type, shape, whether the file holds the values, and
    which tensor it is where those may be indices, being numbers without a scale. ``proved`` has a bit for everything
    that was asked of the tensor and is so.
    """

    __slots__ = (
        "details", "dtype", "form", "proved", "scale", "scales", "single", "tensor", "zero_point", "zero_points",
    )  # fmt: skip

    def __init__(self, tensor: Tensor) -> None:
        q = tensor.quantization
        self.tensor = tensor
        self.dtype = tensor.dtype
        self.details = q.details
        self.proved = 0
        self.scales = q.scale.size
        self.zero_points = q.zero_point.size
        self.single = self.scales == 1 and self.zero_points == 1
        self.scale = q.scale.item(0) if self.single else _NAN
        self.zero_point = q.zero_point.item(0) if self.single else 0
        steers = tensor.data is not None and not self.scales
        self.form = (
            tensor.dtype, tensor.shape, tensor.data is not None, tensor.is_variable, tensor.sparsity is not None,
            tensor.index if steers else -1,
        )  # fmt: skip

    @property
    def quantized(self) -> bool:
        """Whether the file states any parameter."""
        return bool(self.scales or self.zero_points or self.details is not None)


class Context:
    """A subgraph of a model; what is costly is worked out when it is first asked for."""

    def __init__(self, model: Model, subgraph: Subgraph) -> None:
        self.model = model
        self.subgraph = subgraph
        self.facts = [TensorFacts(tensor) for tensor in subgraph.tensors]
        self.on_cpu: Set[int] = frozenset()
        """Indices of the operators that are known to be on the CPU of a target."""
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
        return inferred_shapes(self.model, self.subgraph)


#: Shapes by model and index of the subgraph, forgotten with the model.
_SHAPES: WeakKeyDictionary[Model, dict[int, Inferred]] = WeakKeyDictionary()


def inferred_shapes(model: Model, subgraph: Subgraph) -> Inferred:
    """Return the shapes that LiteRT computes for the tensors of a model's subgraph, inferred once."""
    if model.subgraphs[subgraph.index] is not subgraph:  # a changed copy
        return infer(model, subgraph, law_of)
    known = _SHAPES.setdefault(model, {})
    if subgraph.index not in known:
        known[subgraph.index] = infer(model, subgraph, law_of)
    return known[subgraph.index]
