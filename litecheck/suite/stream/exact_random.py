"""Random numbers of streams, exact on every machine: no C library function computes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from litecheck.model.build import Option, qparams
from litecheck.reference.numerics.fixedpoint import round_half_away
from litecheck.reference.numerics.fused_activation import REAL

#: Zero points in turn: both limits, 0, and values between them.
ZERO_POINTS = (-128, 127, 0, 5, -7, 126, -127, 31)
#: Fused activations in turn, by the names of the schema's ActivationFunctionType.
ACTIVATIONS = ("NONE", "RELU6", "NONE", "RELU", "RELU_N1_TO_1")
_CODES = {"NONE": 0, "RELU": 1, "RELU_N1_TO_1": 2, "RELU6": 3}


def reals(
    rng: np.random.Generator, exponents: tuple[int, int], count: int, powers: bool = False
) -> NDArray[np.float32]:
    """Draw numbers m * 2^e, with m in [1, 2) and e in the half-open range ``exponents``; with ``powers``, m is 1."""
    mantissa = np.full(count, 1 << 23) if powers else rng.integers(1 << 23, 1 << 24, count)
    drawn: NDArray[np.float32] = np.ldexp(mantissa * 2.0**-23, rng.integers(*exponents, count)).astype(
        np.float32
    )
    return drawn


def pick(numbers: Sequence[int], turn: int) -> int:
    """Return the next of the numbers, in turn. For example, turns 0 to 3 of (3, 5, 7) give 3, 5, 7, 3."""
    return numbers[turn % len(numbers)]


def draw_activation(turn: int, scale: float, zero_point: int) -> dict[str, Option]:
    """Return the option of a fused activation, in turn; NONE if runtimes round its bounds differently from LiteRT."""
    name = ACTIVATIONS[turn % len(ACTIVATIONS)]
    output = qparams(scale, zero_point)
    for bound in REAL.get(_CODES[name], ()):
        steps = np.float32(bound) / output.scale
        if np.isfinite(bound) and (round_half_away(steps) != np.rint(steps)).any():
            name = "NONE"
    return {"fused_activation_function": name}


def merge_options(*some: Mapping[str, Option]) -> dict[str, Option]:
    """Merge several sets of options."""
    return {name: value for one in some for name, value in one.items()}
