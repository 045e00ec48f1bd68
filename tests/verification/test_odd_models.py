"""Unusual and invalid models: every operator has an outcome, and no exception is raised."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from litecheck.devices.outcome import Outcome
from litecheck.errors import LitecheckError
from litecheck.model.build import ModelBuilder, SubgraphBuilder, qparams
from litecheck.model.types import Model
from litecheck.verification.device_run import verify
from litecheck.verification.settings import Settings
from tests.verification.inprocess import InProcess

Q = qparams(0.1, 3)
MODES = ({}, {"whole": True}, {"segment": 2})
EXACT, NONE = Outcome.EXACT, Outcome.NO_REFERENCE


def built(fill: Callable[[SubgraphBuilder], None]) -> Model:
    builder = ModelBuilder()
    fill(builder.subgraph())
    return builder.finish()


def tensor(main: SubgraphBuilder, name: str, shape: tuple[int, ...] = (2, 3), dtype: str = "int8") -> int:
    return main.tensor(name, shape, dtype, Q if dtype == "int8" else None)


def relu(main: SubgraphBuilder, x: int, name: str, shape: tuple[int, ...] = (2, 3)) -> int:
    y = tensor(main, name, shape)
    main.add("RELU", [x], [y])
    return y


def strings(main: SubgraphBuilder) -> None:
    """Add a string input and an int8 input."""
    s, x, y = tensor(main, "s", (2,), "string"), tensor(main, "x"), tensor(main, "y", (2,), "int32")
    main.add("HASHTABLE_LOOKUP", [s, s, s], [y])
    main.inputs(s, x)
    main.outputs(y, relu(main, x, "z"))


def passed_through(main: SubgraphBuilder) -> None:
    """Add outputs that are an unread input, a constant, and the same tensor twice."""
    x, other = tensor(main, "x"), tensor(main, "other")
    constant = main.constant("c", np.ones((2, 3), np.int8), Q)
    y = relu(main, x, "y")
    main.inputs(x, other)
    main.outputs(other, constant, y, y)


def unusual_types(main: SubgraphBuilder) -> None:
    """Add types that numpy supports and the reference has no kernel for, and a type that numpy lacks."""
    inputs, outputs = [], []
    for dtype in ("complex64", "bfloat16", "variant", "float64"):
        x, y = tensor(main, f"x {dtype}", (2,), dtype), tensor(main, f"y {dtype}", (2,), dtype)
        main.add("RESHAPE", [x], [y], new_shape=[2])
        inputs.append(x)
        outputs.append(y)
    main.inputs(*inputs)
    main.outputs(*outputs)


def missing_operands(main: SubgraphBuilder) -> None:
    x, y, z, u = (tensor(main, name) for name in "xyzu")
    main.add("ADD", [x], [y])
    main.add("RELU", [], [z])
    main.add("ADD", [x, -1], [u])
    main.add("RELU", [x], [])
    main.inputs(x)
    main.outputs(y, z, u)


def no_shape(main: SubgraphBuilder) -> None:
    x = tensor(main, "x", (-1, 3))
    main.inputs(x)
    main.outputs(relu(main, x, "y", (-1, 3)))


def unforeseen_types(main: SubgraphBuilder) -> None:
    """Add an output of a type that the kernel cannot store."""
    x, y = tensor(main, "x"), tensor(main, "y", dtype="bool")
    main.add("RELU", [x], [y])
    main.inputs(x)
    main.outputs(y)


def empty(main: SubgraphBuilder) -> None:
    x = tensor(main, "x", (0, 3))
    s = tensor(main, "s", (0, 3))
    main.add("ADD", [x, relu(main, x, "y", (0, 3))], [s])
    main.inputs(x)
    main.outputs(s)


def the_same_twice(main: SubgraphBuilder) -> None:
    x, y = tensor(main, "x"), tensor(main, "y")
    main.add("ADD", [x, x], [y])
    main.inputs(x, x)
    main.outputs(y, y)


def constants_alone(main: SubgraphBuilder) -> None:
    main.outputs(relu(main, main.constant("c", np.ones((2, 3), np.int8), Q), "y"))


def per_axis_activations(main: SubgraphBuilder) -> None:
    x = main.tensor("x", (2, 3), "int8", qparams([0.1, 0.2, 0.3], 0, 1))
    main.inputs(x)
    main.outputs(relu(main, x, "y"))


def no_number_for_a_scale(main: SubgraphBuilder) -> None:
    x = main.tensor("x", (2, 3), "int8", qparams(np.nan, 0))
    main.inputs(x)
    main.outputs(relu(main, x, "y"))


CASES: dict[Callable[[SubgraphBuilder], None], list[Outcome]] = {
    strings: [NONE, EXACT],
    passed_through: [EXACT],
    unusual_types: [NONE, NONE, NONE, EXACT],
    missing_operands: [NONE] * 4,
    no_shape: [NONE],
    unforeseen_types: [NONE],
    empty: [EXACT, EXACT],
    the_same_twice: [EXACT],
    constants_alone: [EXACT],
    per_axis_activations: [NONE],
    no_number_for_a_scale: [NONE],
}


@pytest.mark.parametrize("fill", CASES, ids=lambda f: f.__name__)
def test_each_operator_has_its_outcome(fill: Callable[[SubgraphBuilder], None]) -> None:
    found = verify(built(fill), InProcess()).verdicts
    assert [v.outcome for v in found] == CASES[fill]
    assert all(v.message for v in found if v.outcome is NONE)


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES[1:], ids=lambda m: next(iter(m)))
@pytest.mark.parametrize("fill", CASES, ids=lambda f: f.__name__)
def test_larger_parts_raise_no_exception(
    fill: Callable[[SubgraphBuilder], None], mode: dict[str, int]
) -> None:
    report = verify(built(fill), InProcess(), Settings(**mode))  # type: ignore[arg-type]
    assert sum(len(v.operators) for v in report.verdicts) == len(report.operations)


def test_operators_on_resources_are_verified_together() -> None:
    builder = ModelBuilder()
    main = builder.subgraph()
    handle, x, v, s = (tensor(main, n, t, d) for n, t, d in (
        ("handle", (), "resource"), ("x", (2, 3), "int8"), ("v", (2, 3), "int8"), ("s", (2, 3), "int8")
    ))  # fmt: skip
    main.add("CALL_ONCE", [], [], init_subgraph_index=1)
    main.add("VAR_HANDLE", [], [handle], container="", shared_name="v")
    main.add("READ_VARIABLE", [handle], [v])
    main.add("ADD", [x, v], [s])
    main.add("ASSIGN_VARIABLE", [handle, s], [])
    main.inputs(x)
    main.outputs(s)
    first = builder.subgraph("first")
    own = tensor(first, "handle", (), "resource")
    ones = first.constant("ones", np.ones((2, 3), np.int8), Q)
    first.add("VAR_HANDLE", [], [own], container="", shared_name="v")
    first.add("ASSIGN_VARIABLE", [own, ones], [])
    model = builder.finish()
    found = [v.outcome for v in verify(model, InProcess()).verdicts]
    assert found == [NONE, NONE, NONE, EXACT, NONE, EXACT], (
        "the last case is the whole model, over a series of samples"
    )
    (whole,) = verify(model, InProcess(), Settings(whole=True)).verdicts
    assert whole.outcome is EXACT


def test_an_input_beyond_all_memory_is_refused_in_words() -> None:
    def fill(main: SubgraphBuilder) -> None:
        x = tensor(main, "x", (1 << 30, 1 << 20))
        main.inputs(x)
        main.outputs(relu(main, x, "y", (1 << 30, 1 << 20)))

    with pytest.raises(LitecheckError, match=r"input 'x' of .* GB: got"):
        verify(built(fill), InProcess())


def test_a_type_no_kernel_has_beside_another_is_no_reference() -> None:
    builder = ModelBuilder()
    main = builder.subgraph()
    x = main.tensor("x", (4,), "int8", qparams(0.1))
    y = main.tensor("y", (4,), "float32", qparams(0.1))
    main.add("LOGISTIC", [x], [y])
    main.inputs(x)
    main.outputs(y)
    (verdict,) = verify(builder.finish(), InProcess()).verdicts
    assert verdict.outcome is Outcome.NO_REFERENCE
    assert "no kernel for a float32 operand beside the others" in verdict.message


@pytest.mark.parametrize(
    "place", ["litecheck.verification.jobs.DrawnInputs", "litecheck.verification.case_verdict.difference"]
)
def test_no_memory_is_the_outcome_of_an_operator(monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    def exhausted(*_: object, **__: object) -> None:
        raise MemoryError

    def fill(main: SubgraphBuilder) -> None:
        x = tensor(main, "x", (4,))
        main.inputs(x)
        main.outputs(relu(main, x, "y", (4,)))

    monkeypatch.setattr(place, exhausted)
    (verdict,) = verify(built(fill), InProcess()).verdicts
    assert (verdict.outcome, verdict.message) == (
        Outcome.NO_REFERENCE,
        "this system has no memory for the tensors",
    )
