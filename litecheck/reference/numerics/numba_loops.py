"""Two inner loops compiled by numba, for the optional extra ``speed``. A test compares them with numpy.

Callers use numpy if :func:`numba_loops` returns None. numba is imported late, when its import time is small compared
with the time of the computation. It caches compiled code on disk.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from typing import Any

import numpy as np

#: Output elements that numpy computes before numba is loaded: this takes as long as loading and compiling.
WORTH = 1 << 28


@dataclass(frozen=True, slots=True)
class NumbaLoops:
    """Compiled loops. Both write into their last argument."""

    depthwise: Callable[..., None]
    """(rows, columns, channels) image, (kernel_h, kernel_w, channels) taps, first row, (stride, dilation) down and
    across, (rows, columns, channels) sums; taps and sums of one float type."""
    proven: Callable[..., None]
    """(pixels, channels) float32 sums, then float32 constants of a channel: offset, factor; then low, high, zero point and
    the (pixels, channels) stored values. The same steps as :mod:`~litecheck.reference.numerics.proven_rescale`."""


class _Work:
    """Elements computed in this process so far."""

    elements = 0


def numba_loops(elements: int) -> NumbaLoops | None:
    """Return the loops for an output of ``elements``; None without numba, and until loading numba saves time."""
    _Work.elements += elements
    return _load() if _Work.elements > WORTH else None


#: numba reads options from a file of this name in the current folder at import, so it is not imported then.
CONFIGURATION = ".numba_config.yaml"


@cache
def _load() -> NumbaLoops | None:
    if find_spec("numba") is None or os.path.lexists(CONFIGURATION):
        return None
    from numba import njit

    compile_: Callable[[Any], Any] = njit(cache=True, nogil=True)
    return NumbaLoops(compile_(_depthwise), compile_(_proven))


def _depthwise(
    image: Any, taps: Any, first: int, down: tuple[int, int], across: tuple[int, int], sums: Any
) -> None:
    for y in range(sums.shape[0]):
        for x in range(sums.shape[1]):
            pixel = sums[y, x]
            pixel[:] = 0
            for i in range(taps.shape[0]):
                for j in range(taps.shape[1]):
                    seen = image[first + y * down[0] + i * down[1], x * across[0] + j * across[1]]
                    tap = taps[i, j]
                    for c in range(pixel.shape[0]):
                        pixel[c] += seen[c] * tap[c]


def _proven(sums: Any, offset: Any, factor: Any, low: Any, high: Any, zero_point: Any, out: Any) -> None:
    for p in range(sums.shape[0]):
        for c in range(sums.shape[1]):
            x = min(max((sums[p, c] + offset[c]) * factor[c], low), high)
            out[p, c] = np.int32(np.rint(x) + zero_point)
