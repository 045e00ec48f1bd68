"""Input shapes of called subgraphs, which LiteRT takes from the calls, and the output shapes that follow from them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from litecheck.model.links import links_of, subgraph_calls
from litecheck.model.shapes import calls
from litecheck.model.shapes.call import Called, Law, LawOf, Shape, Shapes
from litecheck.model.types import Model, Subgraph

#: Laws of operators that pass their shapes to the subgraphs that they call.
_PASSING: tuple[Law, ...] = (calls.branch, calls.loop)
#: Depth of calls within calls, and number of different input shapes of a subgraph, that are followed. Further shapes are
#: unknown: their number can grow exponentially with the size of a file.
_DEPTH, _FORMS = 8, 4
#: Function from a subgraph and the input shapes of a call, None for an entry of the model, to its output shapes.
Apply = Callable[[Subgraph, "Shapes | None", Called], Shapes]


@dataclass(frozen=True, slots=True)
class CallShapes:
    """Shapes of the calls of a model.

    ``inputs`` are the shapes of the inputs of a called subgraph by its number, None for an input whose shape is unknown.
    ``outputs`` are the output shapes of a called subgraph by its number and input shapes.
    """

    inputs: dict[int, Shapes] = field(default_factory=dict)
    outputs: dict[tuple[int, Shapes], Shapes] = field(default_factory=dict)

    def find_outputs(self, number: int, given: Shapes) -> Shapes | None:
        """Return the output shapes of a subgraph for these input shapes, None if they are unknown."""
        return self.outputs.get((number, given))


_KNOWN: WeakKeyDictionary[Model, dict[LawOf, CallShapes]] = WeakKeyDictionary()


def call_shapes(model: Model, law_of: LawOf, apply: Apply) -> CallShapes:
    """Return the shapes of the calls of a model, computed once."""
    known = _KNOWN.setdefault(model, {})
    if law_of not in known:
        known[law_of] = _Walk(model, apply).shapes(law_of)
    return known[law_of]


class _Walk:
    """Inference of a model's subgraphs, from its entries into the subgraphs that they call."""

    def __init__(self, model: Model, apply: Apply) -> None:
        self._subgraphs, self._apply, self._entries = model.subgraphs, apply, _find_entries(model)
        self._found = CallShapes()
        self._given: dict[int, list[Shapes]] = {}
        self._unknown: set[int] = set()
        self._open: list[int] = []

    def shapes(self, law_of: LawOf) -> CallShapes:
        """Return the shapes of all calls that an entry of the model can reach."""
        for subgraph in self._subgraphs:
            for operator in subgraph.operators:
                entry = law_of(operator)
                if entry is None or entry[0] not in _PASSING:
                    self._unknown.update(number for _, number in subgraph_calls(operator))
        for number in self._entries:
            self._apply(self._subgraphs[number], None, self._follow_call)
        for number, given in self._given.items():
            if number not in self._unknown:
                self._found.inputs[number] = tuple(map(_common_shape, zip(*given, strict=True)))
        return self._found

    def _follow_call(self, number: int, given: Shapes) -> Shapes | None:
        """Return the output shapes of a called subgraph, and note its input shapes."""
        if not 0 <= number < len(self._subgraphs):
            return None
        subgraph, several = self._subgraphs[number], self._given.setdefault(number, [])
        known = self._found.outputs.get((number, given))
        if known is not None:
            return known
        too_many = len(several) >= _FORMS or len(self._open) >= _DEPTH
        if too_many or number in (*self._open, *self._entries) or len(given) != len(subgraph.inputs):
            self._unknown.add(number)
            return None
        several.append(given)
        self._open.append(number)
        outputs = self._found.outputs[number, given] = self._apply(subgraph, given, self._follow_call)
        self._open.pop()
        return outputs


def _find_entries(model: Model) -> Sequence[int]:
    """Return the subgraphs at which the model can start."""
    called = links_of(model).called_subgraphs
    free = (n for n in range(len(model.subgraphs)) if n not in called)
    signed = (s.subgraph for s in model.signatures if 0 <= s.subgraph < len(model.subgraphs))
    return sorted({0, *free, *signed})


def _common_shape(shapes: Sequence[Shape | None]) -> Shape | None:
    """Return the shape that an input has in all calls. Example: (2, 3) and (4, 3) give (None, 3)."""
    ranks = {None if shape is None else len(shape) for shape in shapes}
    if len(ranks) > 1 or None in ranks:
        return None
    return tuple(dims[0] if len(set(dims)) == 1 else None for dims in zip(*shapes, strict=True))
