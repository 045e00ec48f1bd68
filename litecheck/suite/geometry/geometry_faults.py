"""Geometric faults for mutation coverage: outputs of a device that computes correctly and addresses elements
wrongly."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from litecheck.arrays import Array
from litecheck.cases.geometry.design import Design
from litecheck.profile.operators import traits_of
from litecheck.suite.geometry.fault import GeometryFault, Inference, Spoil
from litecheck.suite.geometry.option_faults import option_faults
from litecheck.suite.geometry.read_faults import read_faults


def _leave_unwritten(output: Array, places: Array) -> Array | None:
    """Return the output with other values at some places; None without any place."""
    if not places.any():
        return None
    other = ~output if output.dtype.kind == "b" else output + np.asarray(1, output.dtype)
    spoiled: Array = np.where(places, other, output)
    return spoiled


def _leave_along(output: Array, axis: int, lost: Callable[[Array, int], Array]) -> Array | None:
    """Leave places unwritten by their index along an axis; ``lost`` gets all indexes and the length."""
    if output.ndim < -axis:
        return None
    length = output.shape[axis]
    line = lost(np.arange(length), length)
    shape = [1] * output.ndim
    shape[axis] = length
    return _leave_unwritten(output, np.broadcast_to(line.reshape(shape), output.shape))


def _remainder(vector: int) -> Callable[[Array, int], Array]:
    """Return a function that loses the last incomplete vector. Example: of 33 channels in vectors of 8 the last."""
    return lambda index, length: (index >= length - length % vector) & (length > vector)


def _repeat_first_image(output: Array) -> Array | None:
    images = np.broadcast_to(output[:1], output.shape) if output.ndim > 1 else output
    return None if np.array_equal(images, output) else images


def _image(lost: Callable[[Array, int], Array]) -> Callable[[Array], Array | None]:
    return lambda output: _leave_along(output, -output.ndim, lost) if output.ndim > 1 else None


def _single_row(inference: Inference) -> Array | None:
    """Lose images of height 1."""
    output = inference.output
    return _leave_along(output, -3, lambda i, n: np.full(n, n == 1)) if output.ndim in (3, 4) else None


def _pitch(output: Array) -> Array | None:
    """Write rows of a multiple of four elements, and read them as rows without padding."""
    width = output.shape[-1] if output.ndim > 1 else 0
    if not width % 4 or not output.size:
        return None
    rows = output.reshape(-1, width)
    padded = np.zeros((len(rows), -(-width // 4) * 4), output.dtype)
    padded[:, :width] = rows
    packed = padded.reshape(-1)[: output.size].reshape(output.shape)
    return None if np.array_equal(packed, output) else packed


def _write_fault(spoil: Callable[[Array], Array | None]) -> Spoil:
    return lambda inference: spoil(inference.output)


def _loss_fault(axis: int, lost: Callable[[Array, int], Array]) -> Spoil:
    return _write_fault(lambda output: _leave_along(output, axis, lost))


def _from_index(first: int) -> Callable[[Array, int], Array]:
    return lambda index, length: index >= first


def _leave_elements(lost: Callable[[Array, int], Array]) -> Spoil:
    """Leave elements unwritten by their number in the whole output."""

    def spoil(output: Array) -> Array | None:
        spoiled = _leave_along(output.reshape(-1), -1, lost)
        return None if spoiled is None else spoiled.reshape(output.shape)

    return _write_fault(spoil)


def _leave_shared(inference: Inference) -> Array | None:
    return (
        _leave_unwritten(inference.output, np.ones(inference.output.shape, bool))
        if inference.shared
        else None
    )


#: Factors of the last dimension, of columns and of rows of an image.
_LAST = frozenset(("channels", "outputs", "depth", "units", "elements", "inner"))
_WIDE = frozenset(("width", "new_width", "columns"))
_HIGH = frozenset(("height", "new_height"))


def _faults() -> Iterator[GeometryFault]:
    batch = frozenset(("batch",))
    yield GeometryFault(
        "batch-index", "repeats the first image of the batch", batch, _write_fault(_repeat_first_image)
    )
    yield GeometryFault(
        "images-beyond-4",
        "leaves images from index 4 on unwritten",
        batch,
        _write_fault(_image(_from_index(4))),
    )
    for name, axis, needs in (("column", -2, _WIDE), ("row", -3, _HIGH), ("channel", -1, _LAST)):
        description = f"leaves {name}s from index 256 on unwritten"
        yield GeometryFault(f"{name}-counter-8", description, needs, _loss_fault(axis, _from_index(256)))
    yield GeometryFault(
        "element-counter-16",
        "leaves elements from index 65,536 on unwritten",
        frozenset(),
        _leave_elements(_from_index(1 << 16)),
    )
    for name, axis, tile, needs in (("column", -2, 16, _WIDE), ("row", -3, 4, _HIGH)):
        description = f"leaves the last incomplete tile of {tile} {name}s unwritten"
        yield GeometryFault(
            f"last-{name}-tile-{tile}", description, needs, _loss_fault(axis, _remainder(tile))
        )
    yield GeometryFault(
        "single-row", "leaves images of height 1 unwritten", frozenset(("height",)), _single_row
    )
    for vector in (4, 8, 16, 32):
        description = f"leaves the last incomplete vector of {vector} elements of a row unwritten"
        yield GeometryFault(f"last-vector-{vector}", description, _LAST, _loss_fault(-1, _remainder(vector)))
    yield GeometryFault(
        "last-bytes-16",
        "leaves the last incomplete block of 16 output elements unwritten",
        frozenset(),
        _leave_elements(_remainder(16)),
    )
    yield GeometryFault(
        "row-pitch-4",
        "writes rows with a pitch of a multiple of 4 elements, and reads them without padding",
        _LAST,
        _write_fault(_pitch),
    )
    yield GeometryFault(
        "same-operand",
        "leaves the output unwritten if two inputs are the same tensor",
        frozenset(("same tensor", "2 same")),
        _leave_shared,
    )
    yield from read_faults()
    yield from option_faults()


FAULTS: Mapping[str, GeometryFault] = {fault.name: fault for fault in _faults()}


#: Layouts of operators that read each place before they write it, or leave it unchanged.
_IN_PLACE = ("reduction", "updating", "new_diagonal")


def faults_of(opcode: str, design: Design) -> tuple[GeometryFault, ...]:
    """Return the faults that an operator with a design can have."""
    facts = traits_of(opcode)
    in_place = facts.elementwise or facts.view or facts.slices or design.layout in _IN_PLACE
    known = {part for value in design.values() for part in value}
    return tuple(
        fault
        for fault in FAULTS.values()
        if not (fault.needs and fault.needs.isdisjoint(known)) and not (fault.ordered and in_place)
    )
