"""Outputs of every kernel on random inputs, in the forms of the suites: unchanged in each version."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

import numpy as np

from litecheck.arrays import Array
from litecheck.model.types import Model, Tensor
from litecheck.profile.assemble import assemble
from litecheck.profile.load import load_profile
from litecheck.profile.parser import ANY_OPERATOR
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from litecheck.reference.runtime_tensors import RunError
from tests.differential.vela_bounds import sound_plans
from tests.whole import summed

#: Forms of an operator.
FORMS = 4


def drawn(tensor: Tensor, rng: np.random.Generator) -> Array:
    """Return random stored values. Wide types are indices and sums, and get small values."""
    if tensor.dtype == "bool":
        return rng.integers(0, 2, tensor.shape).astype(np.bool_)
    if tensor.dtype.startswith("float"):
        return rng.uniform(-4, 4, tensor.shape).astype(tensor.dtype)
    ends = {"int8": (-128, 128), "uint8": (0, 256), "int16": (-32768, 32768)}.get(tensor.dtype, (0, 2))
    return rng.integers(*ends, tensor.shape).astype(tensor.dtype)


def outputs(model: Model) -> str:
    """Return the outputs of a model as shapes and weighted sums, in which the order of elements counts."""
    (main, *_) = model.subgraphs
    rng = np.random.default_rng(5)
    try:
        tensors = ReferenceInterpreter(model).run(
            main, tuple(drawn(main.tensors[i], rng) for i in main.inputs)
        )
    except RunError as error:
        return str(error)
    return ", ".join(summed(np.asarray(tensors[i])) for i in main.outputs)


def lines() -> Iterator[str]:
    """Yield the outputs of the first forms of every operator."""
    for opcode in load_profile("litert-runtime").operators:
        if opcode == ANY_OPERATOR:
            continue
        for number, plan in enumerate(islice(sound_plans(opcode), FORMS)):
            yield f"{opcode} {number}: {outputs(assemble(plan))}"


def test_whole_kernels(golden: Callable[[str, str], None]) -> None:
    golden("kernels.txt", "".join(f"{line}\n" for line in lines()))
