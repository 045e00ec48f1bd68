"""Changes of matched operators: options, versions, operands, and their tensors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from litecheck.differences.change import Change
from litecheck.differences.tensors import tensor_changes
from litecheck.flatbuffer.schema import load_schema
from litecheck.model.graph import name_of, wiring_of
from litecheck.model.matching import SubgraphMatch
from litecheck.model.node_signatures import CONVERSIONS
from litecheck.model.options import option_text
from litecheck.model.tensor_matching import operand_order
from litecheck.model.types import Operator, Subgraph
from litecheck.profile.operators import traits_of
from litecheck.quantization import Blockwise, MultiAxis


@dataclass(frozen=True, slots=True)
class PlacedChange:
    """A change with its tensors: numbers in the first and in the second subgraph, -1 for none."""

    change: Change
    tensors: tuple[int, int] = (-1, -1)


def operator_changes(match: SubgraphMatch) -> Iterator[PlacedChange]:
    """Yield the changes of all matched operators and of their tensors, each tensor once."""
    compared: set[tuple[int, int]] = set()
    for one, other in match.operators:
        mine, theirs = match.first.operators[one], match.second.operators[other]
        for found in _changes(match, mine, theirs, compared):
            yield replace(found, change=_place_change(match.first, mine, theirs, found.change))
    yield from _input_changes(match, compared)


def _place_change(subgraph: Subgraph, mine: Operator, theirs: Operator, change: Change) -> Change:
    return replace(
        change,
        subgraph=subgraph.index,
        operator=mine.index,
        other=theirs.index,
        opcode=mine.kind,
        name=name_of(subgraph, mine),
    )


def _changes(
    match: SubgraphMatch, mine: Operator, theirs: Operator, compared: set[tuple[int, int]]
) -> Iterator[PlacedChange]:
    if mine.kind != theirs.kind:
        yield PlacedChange(Change("operator-replaced", before=mine.kind, after=theirs.kind))
    if mine.version != theirs.version:
        yield PlacedChange(Change("operator-version", before=str(mine.version), after=str(theirs.version)))
    yield from map(PlacedChange, _option_changes(mine, theirs))
    order = operand_order(match.tensors, mine, theirs)
    yield from map(PlacedChange, _operand_changes(match, mine, theirs, order))
    facts = traits_of(mine.kind)
    for place, index in enumerate(theirs.inputs):
        old = order[place] if order[place] >= 0 else place
        if old < len(mine.inputs) and min(mine.inputs[old], index) >= 0:
            pair = mine.inputs[old], index
            if order[place] < 0 and not _are_stored(match, *pair) and not _is_converted(match, *pair):
                continue
            role = facts.role(old) or f"input {old}"
            yield from _tensor(match, *pair, role, compared)
    outputs = tuple(facts.outputs)
    for place, (old, index) in enumerate(zip(mine.outputs, theirs.outputs, strict=False)):
        if min(old, index) >= 0:
            role = outputs[min(place, len(outputs) - 1)] if outputs else "output"
            yield from _tensor(match, old, index, role, compared)


def _tensor(
    match: SubgraphMatch, old: int, new: int, role: str, compared: set[tuple[int, int]]
) -> Iterator[PlacedChange]:
    if (old, new) in compared:
        return
    compared.add((old, new))
    one, other = match.first.tensors[old], match.second.tensors[new]
    for change in tensor_changes(one, other):
        yield PlacedChange(replace(change, role=role), (old, new))
    details = one.quantization.details, other.quantization.details
    if all(isinstance(d, Blockwise | MultiAxis) for d in details):
        for field, words in (("scales", "block scales"), ("zero_points", "block zero points")):
            places = [getattr(d, field) for d in details]
            if min(places) >= 0:
                yield from _tensor(match, places[0], places[1], f"{role}, {words}", compared)


def _are_stored(match: SubgraphMatch, old: int, new: int) -> bool:
    tensors = match.first.tensors[old], match.second.tensors[new]
    return (
        all(t.is_constant or t.is_variable for t in tensors)
        or tensors[0].is_constant != tensors[1].is_constant
    )


def _is_converted(match: SubgraphMatch, old: int, new: int) -> bool:
    """Return True if the first model converts the partner of a tensor: QUANTIZE of an input that the second has as int8."""
    writer = wiring_of(match.first).last_writer.get(old, -1)
    operator = match.first.operators[writer] if writer >= 0 else None
    home = match.tensors.get(new, -1)
    return operator is not None and operator.kind in CONVERSIONS and operator.inputs[0] == home >= 0


def _option_changes(mine: Operator, theirs: Operator) -> Iterator[Change]:
    old, new = _options(mine), _options(theirs)
    for name in sorted(old.keys() | new.keys()):
        if old.get(name) != new.get(name):
            yield Change(
                "option",
                role=name,
                before=_option_text(mine, name, old),
                after=_option_text(theirs, name, new),
                changed=1,
            )
    one, other = mine.custom_options, theirs.custom_options
    if (b"" if one is None else one.tobytes()) != (b"" if other is None else other.tobytes()):
        yield Change("option", role="custom_options", text="other bytes", changed=1)


def _options(operator: Operator) -> dict[str, Any]:
    """Return the options of an operator without the values of absent fields: 0 and False."""
    fields = {} if operator.options is None else operator.options.fields
    plain = {name: v.tolist() if isinstance(v, np.ndarray) else v for name, v in fields.items()}
    return {name: value for name, value in plain.items() if isinstance(value, list) or value}


def _option_text(operator: Operator, name: str, values: Mapping[str, Any]) -> str:
    """Return an option in words, members of an enum by name. Example: fused activation 1 gives ``RELU``.

    An absent type is not float32, although float32 has the value 0.
    """
    value, schema = values.get(name), load_schema()
    fields = () if operator.options is None else schema.tables.get(operator.options.type, ())
    enum = next((field.enum for field in fields if field.name == name), None)
    if value is None and enum in (None, "TensorType"):
        return "not set"
    member = schema.enum_name(enum, int(value or 0)) if enum else None
    return member or option_text(value)


def _operand_changes(
    match: SubgraphMatch, mine: Operator, theirs: Operator, order: tuple[int, ...]
) -> Iterator[Change]:
    old, new = (tuple(i >= 0 for i in one.inputs) for one in (mine, theirs))
    for place in range(max(len(old), len(new))):
        there = [place < len(side) and side[place] for side in (old, new)]
        if there[0] != there[1]:
            role = traits_of(mine.kind).role(place) or f"input {place}"
            words = ["present" if one else "absent" for one in there]
            yield Change("operand-presence", role=role, before=words[0], after=words[1], changed=1)
    moved = [place for place, source in enumerate(order) if source >= 0 and source != place]
    if moved and sorted(order[place] for place in moved) == moved:
        yield Change(
            "operand-order", before=_join_numbers(moved), after=_join_numbers([order[n] for n in moved])
        )
        return
    for place, source in enumerate(order):
        if place < len(mine.inputs) and source != place and _is_rewired(match, mine, theirs, place):
            role = traits_of(mine.kind).role(place) or f"input {place}"
            names = [
                subgraph.tensors[one.inputs[place]].name
                for subgraph, one in ((match.first, mine), (match.second, theirs))
            ]
            yield Change("rewired", role=role, before=names[0], after=names[1], changed=1)


def _join_numbers(places: list[int]) -> str:
    return ", ".join(map(str, places))


def _is_rewired(match: SubgraphMatch, mine: Operator, theirs: Operator, place: int) -> bool:
    """Return True if an input has another source, and no added or removed operator is the reason."""
    old, new = mine.inputs[place], theirs.inputs[place]
    if min(old, new) < 0 or _are_stored(match, old, new):
        return False
    producers = (
        wiring_of(match.first).last_writer.get(old, -1),
        wiring_of(match.second).last_writer.get(new, -1),
    )
    known = {one for one, _ in match.operators}, {other for _, other in match.operators}
    return all(number < 0 or number in side for number, side in zip(producers, known, strict=True))


def _input_changes(match: SubgraphMatch, compared: set[tuple[int, int]]) -> Iterator[PlacedChange]:
    """Yield changes of inputs of the subgraph, which can have no operator that reads them."""
    for number, index in enumerate(match.second.inputs):
        old = match.tensors.get(index, -1)
        if old >= 0:
            for found in _tensor(match, old, index, f"model input {number}", compared):
                yield replace(found, change=replace(found.change, subgraph=match.first.index))
