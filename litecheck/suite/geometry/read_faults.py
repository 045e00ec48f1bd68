"""Faults of reading: a device computes correctly on inputs that it read from wrong places or overwrote."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from litecheck.arrays import Array
from litecheck.suite.geometry.fault import GeometryFault, Inference, Spoil

#: Number of elements that a 16-bit index distinguishes.
_COUNTED = 1 << 16


def read_faults() -> Iterator[GeometryFault]:
    """Yield every fault of reading."""
    yield _read("read-counter-16", "wraps the element index of inputs to 16 bits", _wrap_index)
    yield _read(
        "read-image-1", "reads the inputs of the first image for all images", _repeat_first_image, "batch"
    )
    yield _read(
        "read-pitch-4", "reads dense input rows with a pitch of a multiple of 4 elements", _read_pitched
    )
    yield _read("read-tail-16", "reads the last incomplete block of 16 input elements as zeros", _tail)
    yield GeometryFault(
        "output-over-input",
        "overwrites the first input with the first half of the output before computing the second half",
        frozenset(),
        _overwrite_input,
        ordered=True,
    )


def _read(name: str, description: str, misread: Callable[[Array], Array], *needs: str) -> GeometryFault:
    return GeometryFault(name, description, frozenset(needs), _computed_on(misread))


def _computed_on(misread: Callable[[Array], Array]) -> Spoil:
    """Return the fault of a device that computes on inputs that ``misread`` changes."""

    def spoil(inference: Inference) -> Array | None:
        read = tuple(map(misread, inference.inputs))
        if all(map(np.array_equal, read, inference.inputs)):
            return None
        made = inference.compute(read)
        return None if np.array_equal(made, inference.output) else made

    return spoil


def _wrap_index(values: Array) -> Array:
    """Read elements by a 16-bit index. Example: element 65,537 is element 1."""
    wrapped: Array = values.reshape(-1)[np.arange(values.size) % _COUNTED].reshape(values.shape)
    return wrapped


def _repeat_first_image(values: Array) -> Array:
    return np.broadcast_to(values[:1], values.shape).copy() if values.ndim > 1 else values


def _read_pitched(values: Array) -> Array:
    """Read rows of a multiple of four elements. Example: rows of 3 are read from elements 0, 4, 8, ..., with zeros at
    the end."""
    width = values.shape[-1] if values.ndim > 1 else 0
    if not width % 4:
        return values
    pitch = -(-width // 4) * 4
    rows = values.size // width
    stored = np.zeros(rows * pitch, values.dtype)
    stored[: values.size] = values.reshape(-1)
    read: Array = stored.reshape(rows, pitch)[:, :width].reshape(values.shape)
    return read


def _tail(values: Array) -> Array:
    read: Array = np.array(values, order="C")
    if read.size > 16:
        read.reshape(-1)[read.size - read.size % 16 :] = 0
    return read


def _overwrite_input(inference: Inference) -> Array | None:
    first, *others = inference.inputs
    half = inference.output.size // 2
    written = np.frombuffer(inference.output.reshape(-1)[:half].tobytes(), np.uint8)
    stored = np.frombuffer(first.tobytes(), np.uint8).copy()
    count = min(stored.size, written.size)
    stored[:count] = written[:count]
    made = inference.compute((stored.view(first.dtype).reshape(first.shape), *others)).reshape(-1).copy()
    made[:half] = inference.output.reshape(-1)[:half]
    spoiled = made.reshape(inference.output.shape)
    return None if np.array_equal(spoiled, inference.output) else spoiled
