"""Geometric faults: outputs of a device that computes correctly and loses count of places, for mutation coverage."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from litecheck.arrays import Array
from litecheck.suite.geometry.design import Design

#: From the correct output of one inference to the faulty one; None if the shape does not show the fault.
Spoil = Callable[[Array], "Array | None"]


@dataclass(frozen=True, slots=True, eq=False)
class GeometryFault:
    """A fault of places. ``needs`` are factors of a design, of which one makes the fault possible."""

    name: str
    does: str
    needs: frozenset[str]
    spoil: Spoil


def _unwritten(output: Array, places: Array) -> Array | None:
    """Return the output with other values at some places; None without any place."""
    if not places.any():
        return None
    other = ~output if output.dtype.kind == "b" else output + np.asarray(1, output.dtype)
    spoiled: Array = np.where(places, other, output)
    return spoiled


def _along(output: Array, axis: int, lost: Callable[[Array, int], Array]) -> Array | None:
    """Leave places unwritten by their index along an axis; ``lost`` gets all indexes and the length."""
    if output.ndim < -axis:
        return None
    length = output.shape[axis]
    line = lost(np.arange(length), length)
    shape = [1] * output.ndim
    shape[axis] = length
    return _unwritten(output, np.broadcast_to(line.reshape(shape), output.shape))


def _remainder(vector: int) -> Callable[[Array, int], Array]:
    """Return a function that loses the last incomplete vector. Example: of 33 channels in vectors of 8 the last."""
    return lambda index, length: (index >= length - length % vector) & (length > vector)


def _first_image(output: Array) -> Array | None:
    images = np.broadcast_to(output[:1], output.shape) if output.ndim > 1 else output
    return None if np.array_equal(images, output) else images


def _image(lost: Callable[[Array, int], Array]) -> Spoil:
    return lambda output: _along(output, -output.ndim, lost) if output.ndim > 1 else None


def _pitch(output: Array) -> Array | None:
    """Place rows at multiples of four elements, and read them back without gaps."""
    width = output.shape[-1] if output.ndim > 1 else 0
    if not width % 4 or not output.size:
        return None
    rows = output.reshape(-1, width)
    padded = np.zeros((len(rows), -(-width // 4) * 4), output.dtype)
    padded[:, :width] = rows
    packed = padded.reshape(-1)[: output.size].reshape(output.shape)
    return None if np.array_equal(packed, output) else packed


def _faults() -> Iterator[GeometryFault]:
    last = frozenset(("channels", "outputs", "depth", "units", "elements", "inner"))
    wide = frozenset(("width", "new_width", "columns"))
    yield GeometryFault("batch-index", "every image is the first", frozenset(("batch",)), _first_image)
    yield GeometryFault(
        "images-beyond-4",
        "the fifth image is not written",
        frozenset(("batch",)),
        _image(lambda i, n: i >= 4),
    )
    yield GeometryFault(
        "width-counter-8",
        "columns from 256 on are not written",
        wide,
        lambda output: _along(output, -2, lambda i, n: i >= 256),
    )
    yield GeometryFault(
        "last-tile-16",
        "the last incomplete tile of 16 columns is not written",
        wide,
        lambda output: _along(output, -2, _remainder(16)),
    )
    yield GeometryFault(
        "single-row",
        "an image of height 1 is not written",
        frozenset(("height",)),
        lambda output: _along(output, -3, lambda i, n: np.full(n, n == 1)) if output.ndim == 4 else None,
    )
    for vector in (4, 8, 16, 32):
        yield GeometryFault(
            f"last-vector-{vector}",
            f"the last incomplete vector of {vector} elements of a row is not written",
            last,
            lambda output, vector=vector: _along(output, -1, _remainder(vector)),  # type: ignore[misc]
        )
    yield GeometryFault(
        "row-pitch-4", "rows are stored at multiples of 4 elements and read densely", last, _pitch
    )


FAULTS: Mapping[str, GeometryFault] = {fault.name: fault for fault in _faults()}


def faults_of(design: Design) -> tuple[GeometryFault, ...]:
    """Return the faults that an operator with a design can have."""
    return tuple(fault for fault in FAULTS.values() if not fault.needs.isdisjoint(design.factors))
