"""Mutants of an operator: their outputs compared with the expected outputs, and stacks of several runs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from litecheck.cases.probes.catalogue import probes
from litecheck.model.build import ModelBuilder, qparams
from litecheck.reference.engine.arithmetic import load_arithmetic
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from litecheck.reference.runtime_tensors import RunError
from litecheck.suite.case import SuiteCase
from litecheck.suite.manifest import DetectedMutant
from litecheck.suite.mutants import (
    FAR,
    Mutant,
    columns_of,
    compute_outputs,
    detected_mutants,
    even,
    find_detecting_runs,
    mutants,
)

NAN, INF = math.nan, math.inf


def array(*runs: Any, dtype: str = "int8") -> np.ndarray:
    return np.array(runs, dtype)


@pytest.mark.parametrize(
    ("wanted", "given", "flag"),
    [
        (array([1, 2], [3, 4]), array([1, 2], [3, 4]), None),
        (array([1, 2], [3, 4]), array([1, 2], [3, 7]), ((1,), 3)),
        (array([1, 2], [3, 4]), array([0, 2], [3, -3]), ((0, 1), 7)),
        (array([-128], [0]), array([127], [0]), ((0,), 255)),
        (array([1, 2], [3, 4]), array([1], [3]), ((0, 1), FAR)),
        (array([1, 2], [3, 4]), array([1, 2], [3, 4], dtype="int16"), ((0, 1), FAR)),
        (array([-(2**62)], dtype="int64"), array([2**62], dtype="int64"), ((0,), FAR)),
        # Units in the last place of 4.0 are 2^-21: 4.0 to 4.0 + 3 * 2^-21 are 3 of them.
        (array([4.0, 1.0], dtype="float32"), array([4.0 + 3 * 2**-21, 1.0], dtype="float32"), ((0,), 3)),
        # A difference below one unit of the largest expected value counts as 1.
        (array([4.0, 1.0], dtype="float32"), array([4.0 + 2**-21, 1.0 + 2**-23], dtype="float32"), ((0,), 1)),
        (array([NAN, 1.0], dtype="float32"), array([NAN, 1.0], dtype="float32"), None),
        (array([NAN, 1.0], dtype="float32"), array([2.0, 1.0], dtype="float32"), ((0,), FAR)),
        (array([1.0, 1.0], dtype="float32"), array([INF, 1.0], dtype="float32"), ((0,), FAR)),
    ],
)
def test_first_and_worst_difference_of_a_mutant(
    wanted: np.ndarray, given: np.ndarray, flag: tuple[tuple[int, ...], int] | None
) -> None:
    expected = None if flag is None else DetectedMutant("floor", *flag)
    assert find_detecting_runs("floor", [wanted], [given]) == expected


def test_all_outputs_count() -> None:
    same, other = array([1], [2]), array([1], [4])
    assert find_detecting_runs("m", [same, same], [same, other]) == DetectedMutant("m", (1,), 2)


def test_runs_are_stacked_by_output() -> None:
    first, second = columns_of([(array(1, 2), array(5)), (array(3, 4), array(6))])
    assert (first.tolist(), second.tolist()) == ([[1, 2], [3, 4]], [[5], [6]])
    with pytest.raises(RunError, match="other shapes"):
        columns_of([(array(1, 2),), (array(3),)])


def addition() -> SuiteCase:
    probe = next(p for p in probes("ADD") if p.name.startswith("one operand"))
    return SuiteCase("ADD/int8/still", "ADD", "int8", "", "still", "smoke", probe.model, probe.runs, ())


def test_mutants_of_an_operator() -> None:
    """The variants of each step but the arithmetic's own, then defects."""
    found = [m.name for m in mutants(addition(), load_arithmetic("litert-reference", quoting=False))]
    assert len({*found}) == len(found)
    steps = {name.partition(": ")[0] for name in found}
    assert "defect" in steps
    assert "requantize: double" not in found
    assert "requantize: single" in found
    last = [name.startswith("defect: ") for name in found]
    assert last == sorted(last)


def test_a_mutant_replaces_one_step() -> None:
    base = load_arithmetic("litert-reference", quoting=False)
    changed = Mutant("requantize", "single").under(base, addition())
    assert {**base.variants("ADD"), "requantize": "single"} == changed.variants("ADD")
    assert changed.variants("MUL") == base.variants("MUL")


def test_flags_are_the_mutants_that_show() -> None:
    base, case = load_arithmetic("litert-reference", quoting=False), addition()
    expected = compute_outputs(case, ReferenceInterpreter(case.model, base))
    found = [*detected_mutants(case, base, expected)]
    assert found
    assert {f.mistake for f in found} <= {m.name for m in mutants(case, base)}
    assert all(f.worst >= 1 for f in found)


def test_several_operators_have_no_mutants_of_steps() -> None:
    builder = ModelBuilder()
    main = builder.subgraph()
    x, y, z = (main.tensor(name, (2,), "int8", qparams(0.5)) for name in "xyz")
    main.add("RELU", [x], [y])
    main.add("RELU", [y], [z])
    main.inputs(x)
    main.outputs(z)
    case = SuiteCase("n", "RELU", "int8", "", "t", "smoke", builder.finish(), ((array(-1, 2),),), ())
    base = load_arithmetic("litert-reference", quoting=False)
    assert {m.step for m in mutants(case, base)} <= {"defect"}
    (made,) = compute_outputs(case, ReferenceInterpreter(case.model, base))
    assert made.tolist() == [[0, 2]]


def test_outputs_in_series_keep_their_state() -> None:
    """Two series of two: the second starts from the initial state again."""
    probe = next(p for p in probes("SVDF") if p.series)
    run = probe.runs[0]
    case = SuiteCase("n", "SVDF", "int8", "", "t", "smoke", probe.model, (run,) * 4, (2, 2))
    (made,) = compute_outputs(
        case, ReferenceInterpreter(case.model, load_arithmetic("litert-reference", quoting=False))
    )
    assert (made[0] == made[2]).all()
    assert (made[1] == made[3]).all()
    assert (made[0] != made[1]).any()


def test_runs_of_one_shape() -> None:
    """WHERE has as many output rows as its input has nonzero values."""
    builder = ModelBuilder()
    main = builder.subgraph()
    x, y = main.tensor("x", (3,), "bool"), main.tensor("y", (3, 1), "int64")
    main.add("WHERE", [x], [y])
    main.inputs(x)
    main.outputs(y)
    runs = tuple((np.array(values, np.bool_),) for values in ([1, 0, 1], [1, 1, 1], [0, 1, 1]))
    case = SuiteCase("n", "WHERE", "bool", "", "t", "smoke", builder.finish(), runs, ())
    interpreter = ReferenceInterpreter(case.model, load_arithmetic("litert-reference", quoting=False))
    kept = even(case, interpreter)
    assert [run[0].tolist() for run in kept.runs] == [[True, False, True], [False, True, True]]
    assert [a.tolist() for a in compute_outputs(kept, interpreter)] == [[[[0], [2]], [[1], [2]]]]
