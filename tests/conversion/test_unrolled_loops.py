"""Ranges of unrolled loops: tensors of all steps share their range, all further tensors keep theirs."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.conversion.groups import Interval
from litecheck.conversion.unrolled_loops import loop_steps, widen_loop_ranges
from litecheck.model.build import ModelBuilder
from litecheck.model.types import Model
from tests.conversion.small_models import reals


def steps(shared: bool = True, opcodes: tuple[str, str] = ("TANH", "TANH")) -> Model:
    """Return two steps h = TANH(W x + W h) of an unrolled loop; without ``shared``, each step has its own weights."""
    builder = ModelBuilder()
    main = builder.subgraph()
    weights = [main.constant(f"w{n}", reals(n, 4, 4)) for n in range(4)]
    state = main.tensor("h0", (1, 4), "float32")
    inputs = [state]
    for step, opcode in enumerate(opcodes, 1):
        x, product, own, total, new = (
            main.tensor(f"{name}{step}", (1, 4), "float32") for name in ("x", "p", "q", "s", "h")
        )
        inputs.append(x)
        at = 0 if shared else 2 * step - 2
        main.add("FULLY_CONNECTED", [x, weights[at], -1], [product])
        main.add("FULLY_CONNECTED", [state, weights[at + 1], -1], [own])
        main.add("ADD", [product, own], [total])
        main.add(opcode, [total], [new])
        state = new
    main.inputs(*inputs)
    main.outputs(state)
    return builder.finish()


def ranges_of(model: Model, known: dict[str, Interval]) -> dict[str, Interval]:
    names = [tensor.name for tensor in model.subgraphs[0].tensors]
    found = widen_loop_ranges(model, {(0, names.index(name)): extent for name, extent in known.items()})
    return {names[tensor]: extent for (_, tensor), extent in found.items()}


KNOWN = {"s1": (-1.0, 1.5), "s2": (-1.2, 1.1), "h1": (-0.7, 0.9), "h2": (-0.8, 0.8)}


def test_all_steps_have_the_range_of_all_steps() -> None:
    found = ranges_of(steps(), KNOWN)
    assert found["s1"] == found["s2"] == (-1.2, 1.5)
    assert found["h1"] == found["h2"] == (-0.8, 0.9)


@pytest.mark.parametrize(
    "model", [steps(shared=False), steps(opcodes=("TANH", "LOGISTIC"))], ids=["own weights", "other operator"]
)
def test_tensors_that_do_not_correspond_keep_their_range(model: Model) -> None:
    assert ranges_of(model, {"h1": (-0.7, 0.9), "h2": (-0.8, 0.8)})["h2"] == (-0.8, 0.8)


def test_operators_of_later_steps_follow_the_first_step() -> None:
    assert loop_steps(steps().subgraphs[0]) == {0: (4,), 1: (5,), 2: (6,), 3: (7,)}
    assert loop_steps(steps(opcodes=("TANH", "LOGISTIC")).subgraphs[0]) == {0: (4,), 1: (5,), 2: (6,)}
    assert loop_steps(steps(shared=False).subgraphs[0]) == {}


def test_a_range_that_would_more_than_double_stays() -> None:
    found = ranges_of(steps(), {"s1": (-4.0, 1.0), "s2": (-1.0, 1.0)})
    assert found == {"s1": (-4.0, 1.0), "s2": (-1.0, 1.0)}


def test_a_range_without_zero_stays_without_zero() -> None:
    assert ranges_of(steps(), {"s1": (0.2, 0.9), "s2": (0.3, 0.8)})["s2"] == (0.2, 0.9)


def test_layers_without_an_input_are_not_joined_by_it() -> None:
    """Both layers lack the bias, which is -1."""
    model = steps()
    weights = {t.name: t for t in model.subgraphs[0].tensors}["w0"]
    assert widen_loop_ranges(model, {(0, weights.index): (0.0, 1.0)}) == {(0, weights.index): (0.0, 1.0)}
    assert np.all([op.inputs[2] == -1 for op in model.subgraphs[0].operators if len(op.inputs) == 3])
