"""Random operators with long dimensions: products of two dimensions are within and beyond 16 bits."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

import numpy as np

from tests.differential.vela_models import FAMILIES, Dice, Drawn

_SIDES = (1, 2, 3, 7, 16, 255, 256, 257, 300, 511, 512, 1024, 1100, 4096, 4097, 16384, 65536)
#: Largest number of elements of a drawn tensor, and of any tensor that a family makes of it.
_LARGEST, _MADE = 1 << 22, 1 << 23


class Long(Dice):
    """Source of random numbers with as many long dimensions as the compiler finishes within seconds."""

    def dtype(self) -> str:
        return str(self.pick("int8", "int8", "int8", "int16", "uint8", "int32"))

    def shape(self, rank: int | None = None) -> tuple[int, ...]:
        if self.chance(0.3):
            return super().shape(rank)
        dims = [1] * (self.pick(1, 2, 3, 4, 4, 4, 5) if rank is None else rank)
        for at in self.random.permutation(len(dims)):
            side = self.pick(*_SIDES)
            if prod(dims) * side <= _LARGEST:
                dims[at] = side
        if len(dims) > 3 and self.chance(0.8):
            dims[0] = 1
        return tuple(dims)


def long_operators(seed: int, count: int) -> Iterator[Drawn]:
    """Yield at most ``count`` operators, the same for the same seed."""
    opcodes = sorted(FAMILIES)
    for number in range(count):
        dice = Long(np.random.default_rng((seed, number)))
        opcode = dice.pick(*opcodes)
        drawn = FAMILIES[opcode](dice, opcode)
        tensors = [t for t in (*drawn.inputs, *drawn.outputs) if t is not None]
        given = any(t is not None and t.values is None for t in drawn.inputs)
        if given and max(prod(t.shape) for t in tensors) <= _MADE:
            yield drawn
