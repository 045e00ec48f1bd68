"""Measurements of outputs that the compiler writes in place into a larger tensor, the output of CONCATENATION or PAD.

The compiler computes RESIZE, and depthwise convolutions with several filters per channel, in several steps that write
slices of the output. Vela 5.2.0 rejects a model if the output itself is a slice along the same dimension.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from functools import partial
from math import prod
from typing import Any

import numpy as np

from litecheck.model.graph import Graph, has_ends
from litecheck.model.output_first_order import visit_order_of
from litecheck.model.shapes.call import constant_integers
from litecheck.model.types import Operator, Tensor
from litecheck.profile.measurements.measured_operator import Measured, Operands, word
from litecheck.profile.measurements.register import dimensions, measures
from litecheck.profile.operator_plan import Plan
from litecheck.profile.operators import traits_of
from litecheck.targets.ethos_u.measurements.resizing import Resize, resize_of
from litecheck.targets.generators.resizing import resize_by
from litecheck.targets.measurements.quantization import quantizations_of

#: Dimensions, counted from the last; _BATCH also stands for all dimensions before it.
_CHANNELS, _WIDTH, _HEIGHT, _BATCH = range(4)


def _set_in_place_resize(plan: Plan, value: Any, axis: int, factor: int, option: str = "") -> Plan | None:
    """Resize by a factor; for 1, a CONCATENATION along the axis reads the output."""
    if value not in (0, 1):
        return None
    resized = resize_by(plan, factor, **({option: True} if option else {}))
    return resized and resized.but(concatenation_axis=axis if value else None)


@measures(partial(_set_in_place_resize, axis=0, factor=4))
def in_place_resize_batch(operands: Operands) -> Measured:
    """1 if a RESIZE by more than 2 is written in place into one batch of a larger tensor, else 0. Example: RESIZE by 4
    read only by a CONCATENATION along axis 0 gives 1."""
    return _resize_in_place(operands, lambda found, factor, along: factor > 2 and _BATCH in along)


@measures(partial(_set_in_place_resize, axis=0, factor=2, option="half_pixel_centers"))
def in_place_resize_half_pixel(operands: Operands) -> Measured:
    """1 if a RESIZE with half_pixel_centers is written in place into one batch of a larger tensor, else 0. Example: RESIZE
    by 2 with half_pixel_centers read only by a CONCATENATION along axis 0 gives 1."""
    return _resize_in_place(
        operands, lambda found, factor, along: found.half_pixel_centers and _BATCH in along
    )


@measures(partial(_set_in_place_resize, axis=3, factor=2, option="align_corners"))
def in_place_resize_align_corners(operands: Operands) -> Measured:
    """1 if a RESIZE with align_corners is written in place into a larger tensor, along a resized side, or along channels
    for a factor of 2, else 0. Example: RESIZE from 5x5 to 9x9 with align_corners, read only by a CONCATENATION along
    axis 3, gives 1."""

    def is_rejected(found: Resize, factor: Any, along: set[int]) -> bool:
        sides = zip((_HEIGHT, _WIDTH), found.input_sides, found.output_sides, strict=True)
        if {side for side, before, after in sides if before != after} & along:
            return found.align_corners and not found.half_pixel_centers
        return found.align_corners and factor == 2 and _CHANNELS in along

    return _resize_in_place(operands, is_rejected)


def _resize_in_place(operands: Operands, is_rejected: Callable[[Resize, Any, set[int]], bool]) -> Measured:
    """Return 1 if the output is a slice of a larger tensor along dimensions that meet the condition, else 0."""
    found = resize_of(operands)
    if found is None or found.factors is None:
        return 0
    _, along = _larger_tensor(operands, found.output)
    return int(bool(along) and is_rejected(found, max(found.factors), along))


def _set_in_place_depthwise(plan: Plan, value: Any) -> Plan | None:
    """Make two filters for each of at least two channels; for 1, a CONCATENATION along channels reads the output."""
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
    return plan.but(concatenation_axis=3 if value else None)


@measures(_set_in_place_depthwise)
def in_place_depthwise(operands: Operands) -> Measured:
    """1 if a depthwise convolution of batch 1, with several filters per channel and no activation, is written in place
    into channels of a larger tensor, and the channels of that tensor give a wrong number of input channels, else 0.
    Example: 2 channels, 6 filters and a CONCATENATION to 9 channels give 1.

    The compiler divides the channels of the larger tensor by the filters per channel: 9 // 3 = 3 input channels.
    """
    source, weight, output = (operands.one(role) for role in ("input", "weight", "output"))
    if source is None or weight is None or output is None or not source.shape or not weight.shape:
        return 0
    depth = source.shape[-1]
    filters = weight.shape[-1] // max(depth, 1)
    if (
        depth < 2
        or filters < 2
        or prod(output.shape[:-3]) != 1
        or word(operands, "fused_activation_function") != "NONE"
    ):
        return 0
    whole, along = _larger_tensor(operands, output)
    if whole is None or _CHANNELS not in along:
        return 0
    channels = whole.shape[-1] // filters
    return int(channels < depth or channels // (channels // depth) != depth)


def _larger_tensor(operands: Operands, output: Tensor) -> tuple[Tensor | None, set[int]]:
    """Return the larger tensor into which the output is written in place, and the dimensions along which it is a slice.

    None for an output with a second reader, a reader on the CPU, or a reader that rescales the output.
    """
    whole, along = _concatenated_or_padded(operands, output)
    return (whole, set(along)) if whole is not None and along else (None, set())


def _concatenated_or_padded(operands: Operands, output: Tensor) -> tuple[Tensor | None, Iterable[int]]:
    subgraph = operands.subgraph
    visits = visit_order_of(operands.model, subgraph)
    readers = [reader for reader in visits.graph.consumers[output.index] if reader in visits.operators]
    if len(readers) != 1 or output.index in visits.outputs:
        return None, ()
    reader = subgraph.operators[readers[0]]
    if not reader.outputs or reader.outputs[0] < 0:
        return None, ()
    if reader.index in operands.aside:
        return None, ()
    joins, last = traits_of(reader.kind).concatenates, len(output.shape) - 1
    whole = subgraph.tensors[reader.outputs[0]]
    if joins == "axis":
        if len(reader.inputs) < 2 or reader.options is None or len(quantizations_of((output, whole))) > 1:
            return None, ()
        axis = int(reader.options.get("axis", 0))
        return whole, (min(last - axis if axis >= 0 else -1 - axis, _BATCH),)
    if joins == "margins" and np.array_equal(whole.quantization.zero_point, output.quantization.zero_point):
        return whole, _padded_dimensions(visits.graph, reader, visits.operators)
    return None, ()


def _padded_dimensions(graph: Graph, reader: Operator, needed: Container[int]) -> Iterable[int]:
    """Return the padded dimensions, or none if the compiler fuses the PAD into the padding of a convolution."""
    tensors = graph.subgraph.tensors
    if not has_ends(reader, 1):
        return ()
    values = constant_integers(tensors[reader.inputs[1]])
    if values is None or values.size != 2 * len(tensors[reader.inputs[0]].shape):
        return ()
    sides = values.reshape(-1, 2)[::-1]
    along = {min(at, _BATCH) for at, side in enumerate(sides) if side.any()}
    readers = [r for r in graph.consumers[reader.outputs[0]] if r in needed]
    if len(reader.inputs) == 2 and len(readers) == 1 and along <= {_WIDTH, _HEIGHT}:
        window = _window(graph.subgraph.operators[readers[0]], tensors)
        if all(sides[at].max() < window.get(at, 0) for at in along):
            return ()
    return along


def _window(operator: Operator, tensors: Sequence[Tensor]) -> Mapping[int, int]:
    """Return height and width of the window of a convolution with padding VALID, by dimension."""
    facts, options = traits_of(operator.kind), operator.options
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
