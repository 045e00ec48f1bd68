"""Signatures of operators for matching: hashes of an operator and its neighbors, independent of names and file order."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass

from litecheck.model.canonical_order import canonical_order
from litecheck.model.graph import wiring_of
from litecheck.model.types import Operator, Subgraph

#: Operators that convert between types and keep real values.
CONVERSIONS = frozenset(("QUANTIZE", "DEQUANTIZE", "FAKE_QUANT"))


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """Subgraph with its operators in canonical order, and their producers and consumers.

    ``sources`` has for each operator the origin of every input: ("made", operator), ("given", input of the subgraph),
    ("constant", tensor), ("variable", tensor) or ("absent", -1). ``users`` has the operators that read an output. Both
    skip transparent operators.
    """

    subgraph: Subgraph
    order: tuple[int, ...]
    sources: tuple[tuple[tuple[str, int], ...], ...]
    users: tuple[tuple[int, ...], ...]
    transparent: frozenset[int]
    exact: tuple[Hashable, ...]
    """Kind and sizes of each operator: :func:`exact_key`."""

    def operator(self, index: int) -> Operator:
        """Return an operator by its number."""
        return self.subgraph.operators[index]

    def is_transparent(self, index: int) -> bool:
        """Return True if the first matching rounds skip this operator."""
        return index in self.transparent

    def readers(self, index: int) -> frozenset[int]:
        """Return the operators that read an output of an operator, directly or through conversions."""
        readers = wiring_of(self.subgraph).readers
        found, todo = set[int](), [index]
        while todo:
            outputs = self.operator(todo.pop()).outputs
            behind = {n for i in outputs for n in readers.get(i, ())} - found
            found |= behind
            todo += (n for n in behind if self.operator(n).kind in CONVERSIONS)
        return frozenset(n for n in found if self.operator(n).kind not in CONVERSIONS)


def is_transparent(subgraph: Subgraph, operator: Operator) -> bool:
    """Return True for one computed input, one output with the same number of elements, and no real-valued constant.

    Converters insert, remove and fuse these operators, so the operators around them must match without them. Examples:
    QUANTIZE, RELU, RESHAPE.
    """
    tensors = [subgraph.tensors[i] for i in operator.inputs if i >= 0]
    held = [t for t in tensors if t.is_constant or t.is_variable]
    computed = [t for t in tensors if not (t.is_constant or t.is_variable)]
    if len(computed) != 1 or len(operator.outputs) != 1 or operator.outputs[0] < 0:
        return False
    plain = all(t.dtype in ("int32", "int64") and not t.quantization.scale.size for t in held)
    return plain and subgraph.tensors[operator.outputs[0]].size == computed[0].size


def view_of(subgraph: Subgraph) -> View:
    """Return the view of a subgraph."""
    wiring = wiring_of(subgraph)
    places = {index: place for place, index in reversed(tuple(enumerate(subgraph.inputs)))}
    transparent = frozenset(op.index for op in subgraph.operators if is_transparent(subgraph, op))

    def through(operator: Operator) -> int:
        computed = (i for i in operator.inputs if i >= 0 and not subgraph.tensors[i].is_constant)
        return next(computed, -1)

    def source(index: int) -> tuple[str, int]:
        for _ in subgraph.operators:
            made = wiring.last_writer.get(index, -1)
            if made < 0 or made not in transparent:
                break
            index = through(subgraph.operators[made])
        if index < 0:
            return "absent", -1
        if index in wiring.last_writer:
            return "made", wiring.last_writer[index]
        if index in places:
            return "given", places[index]
        return ("variable" if subgraph.tensors[index].is_variable else "constant"), index

    sources = tuple(tuple(map(source, operator.inputs)) for operator in subgraph.operators)
    users: list[list[int]] = [[] for _ in subgraph.operators]
    for place in range(len(subgraph.operators)):
        if place not in transparent:
            for made in dict.fromkeys(number for kind, number in sources[place] if kind == "made"):
                users[made].append(place)
    exact = tuple(_make_exact_key(subgraph, *pair) for pair in zip(subgraph.operators, sources, strict=True))
    return View(subgraph, canonical_order(subgraph), sources, tuple(map(tuple, users)), transparent, exact)


def exact_key(view: View, index: int) -> Hashable:
    """Return the kind, the number of elements of each output, and the sorted numbers of elements of the constants."""
    return view.exact[index]


def _make_exact_key(subgraph: Subgraph, operator: Operator, sources: Sequence[tuple[str, int]]) -> Hashable:
    tensors = subgraph.tensors
    constants = sorted(tensors[n].size for kind, n in sources if kind in ("constant", "variable"))
    return operator.kind, tuple(tensors[i].size for i in operator.outputs if i >= 0), tuple(constants)


def kind_key(view: View, index: int) -> Hashable:
    """Return the kind and the number of inputs."""
    return view.operator(index).kind, len(view.sources[index])


Key = Callable[[View, int], Hashable]


def upward(view: View, key: Key) -> Mapping[int, int]:
    """Return a hash of each operator and of all its ancestors. The order of inputs has no effect."""
    found: dict[int, int] = {}
    for index in view.order:
        near = [
            found.get(n, 0) if kind == "made" else hash((kind, n if kind == "given" else 0))
            for kind, n in view.sources[index]
            if kind != "absent"
        ]
        found[index] = hash((key(view, index), tuple(sorted(near))))
    return found


def downward(view: View, key: Key) -> Mapping[int, int]:
    """Return a hash of each operator and of all its descendants, with the positions of the model's outputs."""
    wiring = wiring_of(view.subgraph)
    ends: dict[int, list[int]] = {}
    for place, index in enumerate(view.subgraph.outputs):
        made = wiring.last_writer.get(index, -1)
        if made >= 0 and view.is_transparent(made):
            made = next((n for kind, n in view.sources[made][:1] if kind == "made"), made)
        ends.setdefault(made, []).append(place)
    found: dict[int, int] = {}
    for index in reversed(view.order):
        near = sorted(found.get(n, 0) for n in view.users[index])
        found[index] = hash((key(view, index), tuple(near), tuple(ends.get(index, ()))))
    return found


def around(view: View, key: Key, radius: int) -> Mapping[int, int]:
    """Return a hash of each operator and of the operators within a distance of ``radius``."""
    found = {index: hash(key(view, index)) for index in view.order}
    for _ in range(radius):
        found = {
            index: hash(
                (
                    found[index],
                    tuple(sorted(found[n] if k == "made" else hash(k) for k, n in view.sources[index])),
                    tuple(sorted(found[n] for n in view.users[index])),
                )
            )
            for index in view.order
        }
    return found


def both(*hashes: Mapping[int, int]) -> Mapping[int, Hashable]:
    """Return several hashes of each operator as a tuple."""
    return {index: tuple(one[index] for one in hashes) for index in hashes[0]}


Signatures = Sequence[Callable[[View], Mapping[int, Hashable]]]

#: Signatures in the order of the matching rounds, the most specific first.
ROUNDS: Signatures = (
    lambda view: both(upward(view, exact_key), downward(view, exact_key)),
    lambda view: upward(view, exact_key),
    lambda view: downward(view, exact_key),
    lambda view: around(view, exact_key, 3),
    lambda view: around(view, exact_key, 1),
    lambda view: both(upward(view, kind_key), downward(view, kind_key)),
)
