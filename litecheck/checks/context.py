"""Context of the checks of one subgraph: cached facts about its tensors, and their shapes at run time."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Set
from dataclasses import replace
from functools import cached_property, lru_cache
from itertools import count
from weakref import WeakKeyDictionary

from litecheck.model.known_zeros import known_zeros
from litecheck.model.links import links_of
from litecheck.model.shapes.infer import InferredShapes, infer
from litecheck.model.types import Model, Operator, Subgraph, Tensor
from litecheck.model.written_types import written_types
from litecheck.profile.known_faults import KnownFault
from litecheck.profile.load import law_of
from litecheck.profile.measurements.estimates import Estimate
from litecheck.profile.operators import traits_of
from litecheck.quantization import INTEGER_RANGES, NARROW

_NUMBERS = count()
_NAN, _INF = float("nan"), float("inf")
#: Estimate of a measurement, and the ends of a range.
EstimatedRange = tuple[Estimate, float, float]


@lru_cache(maxsize=2**16)
def _number_of_form(*form: Hashable) -> int:
    """Return a number that no other form has. Numbers are compared faster than forms, once for every operator."""
    return next(_NUMBERS)


class TensorFacts:
    """Type and counts of a tensor; its scale and zero point if it has exactly one of each (``single``).

    ``form`` numbers everything that an operator's structure depends on: type, shape, flags (constant, variable,
    sparse), and the index of a constant without scales, because it can hold indices. ``proved`` has one bit per check
    that the tensor has passed.
    """

    __slots__ = (
        "details", "dtype", "form", "largest", "proved", "scale", "scales", "single", "span", "tensor", "zero_point",
        "zero_points",
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
        self.largest: float | None = None
        """Largest magnitude of the real values with a valid single scale, else None."""
        self.span: tuple[float, float] | None = None
        """Smallest and largest real value of an int16 or narrower tensor with such a scale, else None."""
        bounds = INTEGER_RANGES.get(tensor.dtype)
        if bounds is not None and 0 < self.scale < _INF:
            low, high = self.scale * (bounds[0] - self.zero_point), self.scale * (bounds[1] - self.zero_point)
            self.largest = high if high > -low else -low
            if tensor.dtype in NARROW:
                self.span = low, high
        steers = tensor.data is not None and not self.scales
        self.form = _number_of_form(
            tensor.dtype, tensor.shape, tensor.data is not None, tensor.is_variable, tensor.sparsity is not None,
            tensor.index if steers else -1,
        )  # fmt: skip

    @property
    def has_quantization(self) -> bool:
        """Return True if the file states any quantization parameter."""
        return bool(self.scales or self.zero_points or self.details is not None)


class Form:
    """Results that hold for all operators with the same rule, options, types and shapes.

    ``sound`` is True if their structure has no findings. ``supported`` are the runtimes that support their types.
    ``faults`` are the known faults by runtime that their structure does not exclude, each with its estimates.
    """

    __slots__ = ("faults", "sound", "supported")

    def __init__(self) -> None:
        self.sound = False
        self.supported: set[str] = set()
        self.faults: dict[str, tuple[tuple[KnownFault, tuple[EstimatedRange, ...]], ...]] = {}


class Context:
    """Subgraph of a model with cached facts, each computed on first access."""

    def __init__(self, model: Model, subgraph: Subgraph) -> None:
        self.model = model
        self.subgraph = subgraph
        self.facts = [TensorFacts(tensor) for tensor in subgraph.tensors]
        self.on_cpu: Set[int] = frozenset()
        """Indices of the operators that are known to be on the CPU of a target."""
        self.forms: dict[Hashable, Form] = {}
        """Results by rule and structure: operators with the same form are not checked again."""
        self.types_of_callers: Mapping[int, str] = {}
        """Types that the calls of this subgraph write over those in the file, by tensor."""

    @cached_property
    def reshaped_tensors(self) -> dict[int, Tensor]:
        """Tensors whose shape at run time differs from the shape in the file, with the shape at run time.

        LiteRT continues with the shapes that it computes. Dimensions known only at run time stay as stated in the file.
        """
        found = ((tensor, with_runtime_shape(tensor, self.shapes)) for tensor in self.subgraph.tensors)
        return {tensor.index: new for tensor, new in found if new is not tensor}

    @cached_property
    def has_details(self) -> bool:
        """True if a tensor has blockwise or custom quantization."""
        return any(facts.details is not None for facts in self.facts)

    @cached_property
    def shapes(self) -> InferredShapes:
        """Shapes of the tensors when the model runs, computed operator by operator."""
        return inferred_shapes(self.model, self.subgraph)

    @cached_property
    def runtime_facts(self) -> list[TensorFacts]:
        """Facts about the tensors as operators read them: with the types that kernels write over those in the file."""
        read, subgraph = list(self.written_facts), self.subgraph
        if self.types_of_callers:
            subgraph = replace(subgraph, tensors=tuple(facts.tensor for facts in read))
        for index, dtype in written_types(subgraph, law_of, _written_of).items():
            read[index] = TensorFacts(replace(subgraph.tensors[index], dtype=dtype))
        return read

    @cached_property
    def written_facts(self) -> list[TensorFacts]:
        """Facts about the tensors as operators write them: with the types of the calls of this subgraph."""
        if not self.types_of_callers:
            return self.facts
        facts = list(self.facts)
        for index, dtype in self.types_of_callers.items():
            facts[index] = TensorFacts(replace(facts[index].tensor, dtype=dtype))
        return facts

    @cached_property
    def initializes(self) -> bool:
        """True if the subgraph only initializes variables: the runtime prepares it when the model runs."""
        return len(self.model.subgraphs) > 1 and self.subgraph.index in links_of(self.model).initializers

    @cached_property
    def zeros(self) -> frozenset[int]:
        """Indices of the tensors that hold only the real value 0."""
        return known_zeros(self.subgraph, law_of)

    @cached_property
    def stored_shapes(self) -> InferredShapes:
        """Shapes that each operator computes from the shapes of its inputs in the file."""
        return infer(self.model, self.subgraph, law_of, stored=True)


def _written_of(operator: Operator) -> int | str:
    return traits_of(operator.kind).written_type(operator)


def with_runtime_shape(tensor: Tensor, inferred: InferredShapes) -> Tensor:
    """Return the tensor with its shape at run time; the same object if the file states it, or if it is not known."""
    shape = inferred.shapes[tensor.index]
    if shape is None or shape == tensor.shape or None in shape:
        return tensor
    return replace(tensor, shape=shape)  # type: ignore[arg-type]


#: Shapes by model and index of the subgraph, dropped with the model.
_SHAPES: WeakKeyDictionary[Model, dict[int, InferredShapes]] = WeakKeyDictionary()


def inferred_shapes(model: Model, subgraph: Subgraph) -> InferredShapes:
    """Return the shapes that LiteRT computes for the tensors of a model's subgraph, inferred once."""
    if model.subgraphs[subgraph.index] is not subgraph:  # an edited copy, which the cache does not describe
        return infer(model, subgraph, law_of)
    known = _SHAPES.setdefault(model, {})
    if subgraph.index not in known:
        known[subgraph.index] = infer(model, subgraph, law_of)
    return known[subgraph.index]
