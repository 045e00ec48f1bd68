"""Geometric faults: the elements that each fault changes, and designs that show every fault."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.cases.geometry.design import _designs, design_of
from litecheck.profile.load import load_profile
from litecheck.reference.engine.arithmetic import load_arithmetic
from litecheck.suite.equivalent_mutants import reason_of
from litecheck.suite.geometry.fault import Inference
from litecheck.suite.geometry.geometry_faults import FAULTS, faults_of
from litecheck.suite.geometry_cases import geometric
from litecheck.suite.mutants import columns_of
from litecheck.suite.mutation_coverage import inferences_of, is_shown


def places(name: str, shape: tuple[int, ...], shared: bool = False) -> list[tuple[int, ...]] | None:
    output = np.arange(np.prod(shape), dtype=np.int32).reshape(shape)
    made = FAULTS[name].spoil(Inference((), output, shared, lambda inputs: output))
    return None if made is None else sorted({tuple(map(int, i)) for i in np.argwhere(made != output)})


@pytest.mark.parametrize(
    ("name", "shape", "lost"),
    [
        ("batch-index", (2, 1), [(1, 0)]),
        ("batch-index", (1, 3), None),
        ("images-beyond-4", (5, 1, 1, 1), [(4, 0, 0, 0)]),
        ("images-beyond-4", (4, 1, 1, 1), None),
        ("column-counter-8", (1, 1, 257, 1), [(0, 0, 256, 0)]),
        ("column-counter-8", (1, 1, 256, 1), None),
        ("row-counter-8", (1, 257, 1, 1), [(0, 256, 0, 0)]),
        ("channel-counter-8", (2, 257), [(0, 256), (1, 256)]),
        ("element-counter-16", (257, 256), [(256, n) for n in range(256)]),
        ("element-counter-16", (256, 256), None),
        ("last-column-tile-16", (1, 1, 17, 1), [(0, 0, 16, 0)]),
        ("last-column-tile-16", (1, 1, 32, 1), None),
        ("last-column-tile-16", (1, 1, 15, 1), None),
        ("last-row-tile-4", (1, 5, 1, 1), [(0, 4, 0, 0)]),
        ("last-bytes-16", (3, 6), [(2, 4), (2, 5)]),
        ("last-bytes-16", (4, 8), None),
        ("same-operand", (2,), None),
        ("single-row", (1, 1, 2, 1), [(0, 0, 0, 0), (0, 0, 1, 0)]),
        ("single-row", (1, 2, 2, 1), None),
        ("last-vector-4", (6,), [(4,), (5,)]),
        ("last-vector-4", (3,), None),
        ("row-pitch-4", (2, 3), [(1, 0), (1, 1), (1, 2)]),
        ("row-pitch-4", (2, 4), None),
    ],
)
def test_lost_places(name: str, shape: tuple[int, ...], lost: list[tuple[int, ...]] | None) -> None:
    assert places(name, shape) == lost


def test_one_tensor_as_two_operands_loses_the_output() -> None:
    assert places("same-operand", (2,), shared=True) == [(0,), (1,)]


@pytest.mark.parametrize(
    ("opcode", "has"),
    [
        ("CONV_2D", True),
        ("TRANSPOSE", True),
        ("ADD", False),
        ("RESHAPE", False),
        ("SLICE", False),
        ("MEAN", False),
    ],
)
def test_elementwise_operators_have_no_fault_of_overwriting(opcode: str, has: bool) -> None:
    design = design_of(opcode)
    assert design is not None
    assert ("output-over-input" in {fault.name for fault in faults_of(opcode, design)}) is has


def test_a_factor_or_a_value_makes_a_fault_possible() -> None:
    """GATHER has a factor ``count`` without the value for the same tensor as several operands."""
    having = [name for name in ("ADD", "CONCATENATION", "GATHER", "SOFTMAX") if "same-operand" in names(name)]
    assert having == ["ADD", "CONCATENATION"]
    assert "batch-index" not in names("SOFTMAX")


def names(opcode: str) -> set[str]:
    design = design_of(opcode)
    return {fault.name for fault in faults_of(opcode, design)} if design else set()


@pytest.mark.slow
@pytest.mark.parametrize("opcode", list(_designs())[::2])  # 'litecheck suite prove' tests all designs
def test_the_design_shows_every_fault(opcode: str) -> None:
    design = design_of(opcode)
    assert design is not None
    inferences = [
        inference
        for case in geometric(load_profile("litert-runtime"), opcode, "standard", 0)
        for inference in inferences_of(case, columns_of(case.expected), load_arithmetic("litert-reference"))
    ]
    hidden = {f.name for f in faults_of(opcode, design) if not any(is_shown(f, i) for i in inferences)}
    assert {
        name for name in hidden if not reason_of(opcode, "int8", f"geometry: {name}", "litert-runtime")
    } == set()
