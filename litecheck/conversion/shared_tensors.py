"""Tensors that must have one quantization by the rules of their operators, and values that spread through them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from litecheck.conversion.binding import BoundFloatOperator, TensorUse, bind
from litecheck.conversion.groups import Key
from litecheck.conversion.recurrent_intermediates import same_as_state, to_be_made
from litecheck.model.types import Model
from litecheck.profile.types import Profile

Value = TypeVar("Value")


def bind_operators(model: Model, profile: Profile, activation: str = "") -> list[BoundFloatOperator]:
    """Return all operators with their rules for a type of activations."""
    return [bind(model, s, op, profile, activation) for s in model.subgraphs for op in s.operators]


def shared_tensors(
    operators: Iterable[BoundFloatOperator], inputs: int | None = None
) -> Iterator[tuple[Key, ...]]:
    """Yield the computed tensors that share a quantization, operator by operator.

    ``inputs`` selects operators with that number of computed inputs in the group. Example: 1 leaves out CONCATENATION of
    two tensors.
    """
    for bound in operators:
        for ports in (*(ports for _, ports in bound.groups()), *same_as_state(bound)):
            computed = [port for port in ports if _is_computed(bound, port)]
            if inputs is None or inputs == sum(port.side == "input" for port in computed):
                yield tuple((bound.subgraph.index, bound.tensor(port).index) for port in computed)


def _is_computed(bound: BoundFloatOperator, port: TensorUse) -> bool:
    if to_be_made(bound, port):
        return False
    tensor = bound.tensor(port)
    return tensor.is_variable or not tensor.is_constant


def spread_values(
    known: Mapping[Key, Value],
    groups: Iterable[Sequence[Key]],
    joined: Callable[[list[Value]], Value] = lambda values: values[0],
) -> dict[Key, Value]:
    """Return values with those that follow for tensors that have none. ``joined`` combines the values of a group.

    Example: the range of an image is also that of the image after RESHAPE and MAX_POOL_2D.
    """
    found, before, several = dict(known), -1, list(groups)
    while len(found) > before:
        before = len(found)
        for keys in several:
            there = [found[key] for key in keys if key in found]
            if there and len(there) < len(keys):
                found = {**dict.fromkeys(keys, joined(there)), **found}
    return found
