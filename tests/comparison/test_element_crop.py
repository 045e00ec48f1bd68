"""An element computed from a crop of its window equals the element of the whole output."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from litecheck.comparison.element import Operands, crop, crop_narrowly
from litecheck.reference.defects.registry import DEFECTS
from litecheck.reference.engine.arithmetic import Arithmetic, load_arithmetic
from litecheck.reference.engine.dispatch import BoundKernel, bind, compute
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from tests.verification import elements
from tests.verification.elements import Made, Rng

WINDOWS: dict[str, Callable[[Rng], Made]] = {
    "same": elements.conv,
    "valid": lambda rng: elements.conv(rng, padding="VALID", stride=1),
    "dilated": lambda rng: elements.conv(rng, stride=1, gap=2),
    "grouped": lambda rng: elements.conv(rng, groups=2),
    "uint8": lambda rng: elements.conv(rng, "uint8", stride=1),
    "int16": lambda rng: elements.conv(rng, "int16", stride=1),
    "depthwise": elements.depthwise,
}


def bound(made: Made, arithmetic: Arithmetic) -> tuple[BoundKernel, Operands]:
    interpreter, subgraph = ReferenceInterpreter(made.model), made.model.subgraphs[0]
    operator = subgraph.operators[0]
    tensors = dict(zip(subgraph.inputs, made.inputs, strict=True))
    operands = tuple(interpreter.operand(subgraph, i, tensors) for i in operator.inputs)
    return bind(subgraph, operator, arithmetic), operands


@pytest.mark.parametrize("arithmetic", ["litert-reference", "litert-optimized", "litert-xnnpack"])
@pytest.mark.parametrize("name", WINDOWS)
def test_a_window_has_the_element_of_the_whole(name: str, arithmetic: str) -> None:
    made = WINDOWS[name](np.random.default_rng(5))
    kernel, operands = bound(made, load_arithmetic(arithmetic))
    (whole,) = compute(kernel, operands).outputs
    for index in list(np.ndindex(whole.shape))[::7]:
        smaller, window, place = crop(kernel, operands, index)
        (part,) = compute(smaller, window).outputs
        assert part.shape == (1, 1, 1, whole.shape[3])
        assert part[place] == whole[index]


def test_a_crop_at_another_window_has_another_element() -> None:
    """Negative control: a neighboring window gives the neighbor's values."""
    made = elements.conv(np.random.default_rng(5), stride=1)
    kernel, operands = bound(made, load_arithmetic("litert-reference"))
    (whole,) = compute(kernel, operands).outputs
    smaller, window, _ = crop(kernel, operands, (0, 2, 3, 0))
    (part,) = compute(smaller, window).outputs
    np.testing.assert_array_equal(part[0, 0, 0], whole[0, 2, 3])
    assert (part[0, 0, 0] != whole[0, 2, 2]).any()


@pytest.mark.parametrize("make", [elements.dense, elements.pair("ADD"), elements.reduced("MEAN", True)])
def test_other_operators_stay_whole(make: Callable[[Rng], Made]) -> None:
    kernel, operands = bound(make(np.random.default_rng(0)), load_arithmetic("litert-reference"))
    assert crop(kernel, operands, (0, 0)) == (kernel, operands, (0, 0))


@pytest.mark.parametrize("defect", [name for name, d in DEFECTS.items() if d.windowed])
@pytest.mark.parametrize("make", [elements.dense, elements.depthwise, elements.conv])
def test_defects_of_a_window_have_the_element_of_the_whole(make: Callable[[Rng], Made], defect: str) -> None:
    made = make(np.random.default_rng(5))
    opcode = made.case.opcodes[0]
    base = load_arithmetic("litert-reference")
    stages = {**base.stages, opcode: {**base.variants(opcode), "defect": defect}}
    kernel, operands = bound(made, replace(base, stages=stages))
    (whole,) = compute(kernel, operands).outputs
    for index in list(np.ndindex(whole.shape))[::23]:
        smaller, part, place = crop_narrowly(kernel, operands, index)
        (alone,) = compute(smaller, part).outputs
        assert alone.size == whole.shape[-1]
        assert alone[place] == whole[index]
