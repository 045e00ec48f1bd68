"""The work of validate grows with the model and not with its square, counted in function calls."""

from __future__ import annotations

import cProfile
import pstats
from collections.abc import Callable

import pytest

import litecheck
from litecheck.model.build import ModelBuilder
from litecheck.model.types import Model

SMALL = 150


def chain(count: int) -> Model:
    """Return a chain of subgraphs in which each calls the next."""
    builder = ModelBuilder()
    for number in range(count):
        sub = builder.subgraph()
        x, y = sub.tensor("x", (4,), "float32"), sub.tensor("y", (4,), "float32")
        condition = sub.tensor("c", (1,), "bool", data=b"\1")
        if number < count - 1:
            sub.add("IF", [condition, x], [y], then_subgraph_index=number + 1, else_subgraph_index=number + 1)
        else:
            sub.add("ABS", [x], [y])
        sub.inputs(x)
        sub.outputs(y)
    return builder.finish()


def readers(count: int) -> Model:
    """Return a main subgraph that reads a variable repeatedly before a called subgraph assigns it."""
    builder = ModelBuilder()
    main, then = builder.subgraph(), builder.subgraph()
    for sub in (main, then):
        handle = sub.tensor("handle", (), "resource")
        sub.add("VAR_HANDLE", [], [handle], shared_name="v")
        x = sub.tensor("x", (4,), "float32")
        sub.inputs(x)
        if sub is then:
            sub.add("ASSIGN_VARIABLE", [handle, x], [])
            sub.outputs(x)
    handle, x = 0, 1
    for _ in range(count):
        y = main.tensor("y", (4,), "float32")
        main.add("READ_VARIABLE", [handle], [y])
    condition, z = main.tensor("c", (1,), "bool", data=b"\1"), main.tensor("z", (4,), "float32")
    main.add("IF", [condition, x], [z], then_subgraph_index=1, else_subgraph_index=1)
    main.outputs(z)
    return builder.finish()


def separate(count: int) -> Model:
    """Return subgraphs with a signature each."""
    builder = ModelBuilder()
    for number in range(count):
        sub = builder.subgraph()
        x, y = sub.tensor("x", (4,), "float32"), sub.tensor("y", (4,), "float32")
        sub.add("ABS", [x], [y])
        sub.inputs(x)
        sub.outputs(y)
        builder.signature(f"s{number}", sub, {"x": x}, {"y": y})
    return builder.finish()


def calls(model: Model) -> int:
    """Return the number of function calls of ``validate``."""
    profile = cProfile.Profile()
    profile.runcall(litecheck.validate, model)
    return int(pstats.Stats(profile).total_calls)  # type: ignore[attr-defined]


@pytest.mark.parametrize("build", [chain, readers, separate])
def test_twice_the_model_is_at_most_a_little_more_than_twice_the_work(build: Callable[[int], Model]) -> None:
    litecheck.validate(build(3))  # rules are read once
    once, twice = calls(build(SMALL)), calls(build(2 * SMALL))
    assert twice < 2.15 * once
