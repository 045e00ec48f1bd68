"""Many inferences of an operator as one: what a kernel costs beside its numbers is paid once for all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np

from litecheck.arrays import Arrays
from litecheck.cases.inputs import has_codes
from litecheck.model.types import Model, Subgraph
from litecheck.profile.operators import facts_of
from litecheck.reference.engine.dispatch import find_kernel
from litecheck.reference.engine.interpreter import Machine
from litecheck.reference.operands import RunError

#: Vector loops compute so many elements at a time or a part of that, and some what is left at the end otherwise: where
#: nothing is left, it makes no difference to an element how many there are beside it.
_VECTOR = 16
#: Elements computed at once, where they are made of elements and where of sums; a tensor that has as many is computed
#: by itself.
_ELEMENTS, _SUMS = 1 << 16, 1 << 14
#: What is true of an operator that makes each image of the output from that of the input.
_IMAGES = {"input": 0, "output": 0}


def together(model: Model) -> int:
    """How many inferences of a model can be one: several where it is one operator on integers of 16 bits at most, and
    each element of the output is made of the elements there of inputs of the same shape, or each image of the input's,
    exactly added up under weights that are constant."""
    main = model.subgraphs[0]
    used = [main.tensors[index] for index in (*main.inputs, *main.outputs)]
    size = max((t.size for t in used), default=0)
    alike = all(has_codes(t) and t.quantization.scale.size == 1 for t in used)
    if (
        len(main.operators) != 1
        or not size
        or not alike
        or not set(main.outputs) <= set(main.operators[0].outputs)
    ):
        return 1
    try:
        whole = size % _VECTOR == 0 or not find_kernel(main, main.operators[0]).in_vectors
    except RunError:
        return 1
    if _by_elements(main):
        return max(1, _ELEMENTS // size) if whole else 1
    return max(1, _SUMS // size) if _by_images(main) else 1


def _by_elements(main: Subgraph) -> bool:
    """Whether inputs and outputs have one shape, and the operator makes each element of those there."""
    (operator,) = main.operators
    shapes = {main.tensors[index].shape for index in (*main.inputs, *main.outputs)}
    elementwise = bool(facts_of(operator.kind).elementwise)
    return elementwise and len(shapes) == 1 and () not in shapes and set(operator.inputs) <= set(main.inputs)


def _by_images(main: Subgraph) -> bool:
    """Whether the operator adds up products of the only input, image by image, and constant weights."""
    (operator,) = main.operators
    facts, (data, *others) = facts_of(operator.kind), operator.inputs
    images = _IMAGES in facts.ties and facts.products == ("input", "weight") and main.inputs == (data,)
    constant = all(main.tensors[index].is_constant for index in others if index >= 0)
    return images and constant and len(main.tensors[data].shape) > 1


def outputs_of(machine: Machine, several: Sequence[Arrays]) -> Iterator[Arrays]:
    """The outputs of each inference, none of which goes on from another.

    Raises RunError as :meth:`Machine.run` does.
    """
    left, count = iter(several), together(machine.model)
    while group := list(islice(left, count)):
        if len(group) > 1 and len({array.shape for arrays in group for array in arrays}) == 1:
            made = _run(machine, tuple(map(np.concatenate, zip(*group, strict=True))))
            yield from zip(*(np.split(array, len(group)) for array in made), strict=True)
        else:
            yield from (_run(machine, arrays) for arrays in group)


def _run(machine: Machine, inputs: Arrays) -> Arrays:
    main = machine.model.subgraphs[0]
    tensors = machine.run(main, inputs)
    return tuple(tensors[index] for index in main.outputs)
