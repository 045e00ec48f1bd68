"""Many inferences of an operator on elements as one: what a kernel costs beside its numbers is paid once for all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np

from litecheck.arrays import Arrays
from litecheck.cases.inputs import has_codes, only
from litecheck.cases.parts import Case
from litecheck.reference.engine.interpreter import Machine

#: Vector loops compute so many elements at a time or a part of that, and what is left at the end otherwise: where
#: nothing is left, it makes no difference to an element how many there are beside it.
_VECTOR = 16
#: Elements computed at once; a tensor that has as many is computed by itself.
_ELEMENTS = 1 << 16


def together(case: Case) -> int:
    """How many inferences of a case can be one: several where each element of the output is made of the elements there
    of inputs of the same shape, all of them integers of 16 bits at most."""
    main = case.cut.model.subgraphs[0]
    if not only(case).elementwise or not set(main.operators[0].inputs) <= set(main.inputs):
        return 1
    used = [main.tensors[index] for index in (*main.inputs, *main.outputs)]
    alike = all(t.shape == used[-1].shape and has_codes(t) and t.quantization.scale.size == 1 for t in used)
    size = used[-1].size
    return max(1, _ELEMENTS // size) if alike and size > 0 and size % _VECTOR == 0 else 1


def outputs_of(machine: Machine, case: Case, several: Sequence[Arrays]) -> Iterator[Arrays]:
    """The outputs of each inference, none of which goes on from another, on a machine of the case's model.

    Raises RunError as :meth:`Machine.run` does.
    """
    main, left, count = machine.model.subgraphs[0], iter(several), together(case)
    while group := list(islice(left, count)):
        joined = len(group) > 1 and len({array.shape for arrays in group for array in arrays}) == 1
        fed = [tuple(map(np.stack, zip(*group, strict=True)))] if joined else group
        for arrays in fed:
            tensors = machine.run(main, arrays)
            outputs = tuple(tensors[index] for index in main.outputs)
            yield from zip(*outputs, strict=True) if joined else (outputs,)
