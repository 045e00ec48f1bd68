"""Measurements of what accelerators compute in parts, a RESIZE or several filters per channel, where the result is itself
a part of a larger tensor: a compiler that writes it there in place has the parts of one only, along the same direction."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from functools import partial
from math import prod
from typing import Any

import numpy as np

from litecheck.model.graph import Graph, has_ends
from litecheck.model.shapes.call import constant_integers
from litecheck.model.types import Operator, Tensor
from litecheck.model.visits import visits_of
from litecheck.profile.measurements.bound import Measured, Operands, word
from litecheck.profile.measurements.register import dimensions, measures
from litecheck.profile.operators import facts_of
from litecheck.profile.plan import Plan
from litecheck.targets.ethos_u.measurements.resizing import Resize, resize_of
from litecheck.targets.generators.resizing import stretched
from litecheck.targets.measurements.quantization import quantizations_of

#: Directions as dimensions from the last: of images, those and all in front.
_CHANNELS, _WIDTH, _HEIGHT, _IMAGES = range(4)


def _joined(plan: Plan, value: Any, axis: int, factor: int, option: str = "") -> Plan | None:
    """An image stretched, which goes on into a larger tensor, or does not."""
    if value not in (0, 1):
        return None
    made = stretched(plan, factor, **({option: True} if option else {}))
    return made and made.but(joined=axis if value else None)


@measures(partial(_joined, axis=0, factor=4))
def in_place_resize_batch(operands: Operands) -> Measured:
    """1 where RESIZE stretches by more than 2, and its result is written in place among other images, else 0."""
    return _parts(operands, lambda found, factor, along: factor > 2 and _IMAGES in along)


@measures(partial(_joined, axis=0, factor=2, option="half_pixel_centers"))
def in_place_resize_half_pixel(operands: Operands) -> Measured:
    """1 where RESIZE stretches with pixels that have their centers at a half, and its result is written in place among other
    images, else 0."""
    return _parts(operands, lambda found, factor, along: found.half and _IMAGES in along)


@measures(partial(_joined, axis=3, factor=2, option="align_corners"))
def in_place_resize_align_corners(operands: Operands) -> Measured:
    """1 where RESIZE aligns corners, and its result is written in place among other pixels along a side that is stretched,
    or else among other channels while it is doubled, else 0."""

    def taken(found: Resize, factor: Any, along: set[int]) -> bool:
        sides = zip((_HEIGHT, _WIDTH), found.source, found.result, strict=True)
        if {side for side, before, behind in sides if before != behind} & along:
            return found.aligned and not found.half
        return found.aligned and factor == 2 and _CHANNELS in along

    return _parts(operands, taken)


def _parts(operands: Operands, taken: Callable[[Resize, Any, set[int]], bool]) -> Measured:
    """1 where a result is a part along directions in which it is made in parts."""
    found = resize_of(operands)
    if found is None or found.factors is None:
        return 0
    _, along = _written(operands, found.made)
    return int(bool(along) and taken(found, max(found.factors), along))


def _filters(plan: Plan, value: Any) -> Plan | None:
    """Two filters for each of at least two channels, which go on among others, or do not."""
    source, result = plan.one("input"), plan.one("output")
    if (
        value not in (0, 1)
        or source is None
        or result is None
        or len(source.shape) != 4
        or len(result.shape) != 4
    ):
        return None
    depth = max(source.shape[3], 2)
    plan = plan.edit("input", lambda t: dimensions(t, (1, *t.shape[1:3], depth)))
    plan = plan.edit("weight", lambda t: dimensions(t, (*t.shape[:3], 2 * depth)))
    plan = plan.edit("bias", lambda t: dimensions(t, (2 * depth,)))
    plan = plan.edit("output", lambda t: dimensions(t, (1, *t.shape[1:3], 2 * depth)))
    plan = plan.option(depth_multiplier=2, fused_activation_function="NONE")
    return plan.but(joined=3 if value else None)


@measures(_filters)
def in_place_depthwise(operands: Operands) -> Measured:
    """1 where a convolution of one image has several filters per channel and no activation, and its result is written in
    place among other channels, so many that filters and channels counted from all of them are others, else 0."""
    source, weight, made = (operands.one(role) for role in ("input", "weight", "output"))
    if source is None or weight is None or made is None or not source.shape or not weight.shape:
        return 0
    depth = source.shape[-1]
    filters = weight.shape[-1] // max(depth, 1)
    if (
        depth < 2
        or filters < 2
        or prod(made.shape[:-3]) != 1
        or word(operands, "fused_activation_function") != "NONE"
    ):
        return 0
    whole, along = _written(operands, made)
    if whole is None or _CHANNELS not in along:
        return 0
    channels = whole.shape[-1] // filters
    return int(channels < depth or channels // (channels // depth) != depth)


def _written(operands: Operands, made: Tensor) -> tuple[Tensor | None, set[int]]:
    """The larger tensor into which a result is written in place, and the directions in which it is a part of that; None
    where it is a tensor of its own: another operator or the caller reads it, too, its reader stays aside, or it is copied
    with other parameters."""
    whole, along = _next(operands, made)
    return (whole, set(along)) if whole is not None and along else (None, set())


def _next(operands: Operands, made: Tensor) -> tuple[Tensor | None, Iterable[int]]:
    subgraph = operands.subgraph
    visits = visits_of(operands.model, subgraph)
    readers = [reader for reader in visits.graph.consumers[made.index] if reader in visits.operators]
    if len(readers) != 1 or made.index in visits.outputs:
        return None, ()
    reader = subgraph.operators[readers[0]]
    if not reader.outputs or reader.outputs[0] < 0:
        return None, ()
    if reader.index in operands.aside:
        return None, ()
    joins, last = facts_of(reader.kind).joins, len(made.shape) - 1
    whole = subgraph.tensors[reader.outputs[0]]
    if joins == "axis":
        if len(reader.inputs) < 2 or reader.options is None or len(quantizations_of((made, whole))) > 1:
            return None, ()
        axis = int(reader.options.get("axis", 0))
        return whole, (min(last - axis if axis >= 0 else -1 - axis, _IMAGES),)
    if joins == "margins" and np.array_equal(whole.quantization.zero_point, made.quantization.zero_point):
        return whole, _margins(visits.graph, reader, visits.operators)
    return None, ()


def _margins(graph: Graph, reader: Operator, needed: Container[int]) -> Iterable[int]:
    """The directions of margins, unless they become the padding of a convolution."""
    tensors = graph.subgraph.tensors
    if not has_ends(reader, 1):
        return ()
    values = constant_integers(tensors[reader.inputs[1]])
    if values is None or values.size != 2 * len(tensors[reader.inputs[0]].shape):
        return ()
    sides = values.reshape(-1, 2)[::-1]
    along = {min(at, _IMAGES) for at, side in enumerate(sides) if side.any()}
    readers = [r for r in graph.consumers[reader.outputs[0]] if r in needed]
    if len(reader.inputs) == 2 and len(readers) == 1 and along <= {_WIDTH, _HEIGHT}:
        window = _window(graph.subgraph.operators[readers[0]], tensors)
        if all(sides[at].max() < window.get(at, 0) for at in along):
            return ()
    return along


def _window(operator: Operator, tensors: Sequence[Tensor]) -> Mapping[int, int]:
    """Height and width of the window of a convolution that pads nothing itself, by their directions."""
    facts, options = facts_of(operator.kind), operator.options
    if (
        facts.over not in ("window", "plane")
        or not facts.products
        or options is None
        or not options.get("padding")
    ):
        return {}
    shape = tensors[operator.inputs[1]].shape if len(operator.inputs) > 1 else ()
    if len(shape) != 4:
        return {}
    _, height, width, _ = shape
    factors = (int(options.get(f"dilation_{side}_factor", 1)) for side in "hw")
    return {
        side: (length - 1) * factor + 1
        for side, length, factor in zip((_HEIGHT, _WIDTH), (height, width), factors, strict=True)
    }
