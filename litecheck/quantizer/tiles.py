"""Elementwise computation on arrays of any size, in tiles that fit the cache, with scratch arrays allocated once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

#: Elements per tile: 1 MB of float32, so that a tile and its scratch stay in the second-level cache during the dozen numpy
#: calls of a kernel.
TILE = 1 << 18


def run(
    kernel: Callable[..., None],
    inputs: Sequence[NDArray[Any]],
    out: NDArray[Any],
    scratch: Sequence[DTypeLike] = (),
    tile: int = TILE,
) -> None:
    """Call ``kernel(*inputs, out, *scratch)`` for every tile of ``out``. Arguments are one-dimensional and equally long.

    ``inputs`` broadcast against ``out``'s shape and are passed tile by tile, copied only if their strides require it.
    An input with a single element is passed as a scalar if ``out`` has more elements. ``scratch`` lists the types of
    uninitialized arrays that the kernel may overwrite. The kernel must write all of the tile of ``out``. Extra memory
    is at most ``tile`` elements per argument. Raise ValueError for shapes that do not broadcast.
    """
    if not out.size:
        return
    length = min(tile, out.size)
    spare = [np.empty(length, dtype) for dtype in scratch]
    scalars = {i: a.reshape(())[()] for i, a in enumerate(inputs) if a.size == 1 < out.size}
    moving = [a for i, a in enumerate(inputs) if i not in scalars]
    modes: list[Any] = [["readonly"]] * len(moving) + [["writeonly"]]
    chunks = np.nditer(
        [*moving, out],
        flags=["external_loop", "buffered"],
        op_flags=modes,
        itershape=out.shape,
        buffersize=length,
    )
    with chunks:
        for chunk in chunks:
            *parts, into = chunk if moving else (chunk,)
            moved = iter(parts)
            arguments = [scalars[i] if i in scalars else next(moved) for i in range(len(inputs))]
            kernel(*arguments, into, *(s[: len(into)] for s in spare))
