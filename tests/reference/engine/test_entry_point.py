"""Names of inputs and outputs, arrays by name or in order, and random inputs."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from litecheck.model.types import Model, Signature, Subgraph, Tensor
from litecheck.reference.engine.entry_point import EntryPoint, affordable, drawable, entry, unique_names
from litecheck.reference.runtime_tensors import RunError


def subgraph(*tensors: tuple[str, str, tuple[int, ...]], inputs: tuple[int, ...] = (0, 1)) -> Subgraph:
    made = tuple(Tensor(at, name, dtype, shape) for at, (name, dtype, shape) in enumerate(tensors))
    return Subgraph(0, "main", made, (), inputs, (len(tensors) - 1,))


MAIN = subgraph(("left", "int8", (2,)), ("right", "float32", (3,)), ("out", "int8", (2,)))
LEFT, RIGHT = np.array([1, 2], np.int8), np.array([1, 2, 3], np.float32)
SIGNED = Signature("serve", 0, (("a", 0), ("b", 1)), (("c", 2),))


def model(*signatures: Signature, subgraphs: tuple[Subgraph, ...] = (MAIN,)) -> Model:
    return Model(subgraphs, signatures=signatures)


def test_the_first_subgraph_is_the_entry() -> None:
    found = entry(model(SIGNED))
    assert (found.subgraph, found.inputs, found.outputs) == (MAIN, (("left", 0), ("right", 1)), (("out", 2),))
    assert (found.name(1), found.name(2)) == ("right", "tensor 2")


def test_a_signature_is_an_entry() -> None:
    found = entry(model(SIGNED), "serve")
    assert (found.subgraph, found.inputs, found.outputs) == (MAIN, (("a", 0), ("b", 1)), (("c", 2),))


@pytest.mark.parametrize(
    ("made", "key", "text"),
    [
        (model(subgraphs=()), None, "the model has no subgraph"),
        (model(SIGNED), "x", "there is no signature 'x'; there are serve"),
        (model(SIGNED, Signature("two", 0, (), ())), "x", "there is no signature 'x'; there are serve, two"),
        (model(), "x", "there is no signature 'x'; there are none"),
    ],
)
def test_missing_entries(made: Model, key: str | None, text: str) -> None:
    with pytest.raises(RunError, match=f"^{re.escape(text)}$"):
        entry(made, key)


@pytest.mark.parametrize(
    ("names", "indexes", "expected"),
    [
        (("x", "y"), (0, 1), ("x", "y")),
        (("x", ""), (0, 1), ("x", "tensor 1")),
        (("x", "x"), (0, 1), ("x", "x (tensor 1)")),
        (("x", "y"), (0, 0), ("x", "x (tensor 0)")),
        (("x", "y"), (0, 0, 0), ("x", "x (tensor 0)", "x (tensor 0) (2)")),
    ],
)
def test_names_are_unique(
    names: tuple[str, ...], indexes: tuple[int, ...], expected: tuple[str, ...]
) -> None:
    made = subgraph(*((name, "int8", (1,)) for name in names))
    assert unique_names(made, indexes) == tuple(zip(expected, indexes, strict=True))


@pytest.mark.parametrize(
    "given",
    [
        (LEFT, RIGHT),
        {"a": LEFT, "b": RIGHT},
        {"b": RIGHT, "a": LEFT},
        {"left": LEFT, "b": RIGHT},
    ],
)
def test_arrays_by_name_or_in_order(given: Any) -> None:
    """The name of a tensor is accepted beside the name of the signature."""
    assert entry(model(SIGNED), "serve").arrange(given) == (LEFT, RIGHT)


def test_arrays_go_in_the_order_of_the_subgraph() -> None:
    turned = Signature("serve", 0, (("b", 1), ("a", 0)), ())
    assert entry(model(turned), "serve").arrange((RIGHT, LEFT)) == (LEFT, RIGHT)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ((LEFT,), "the model takes 2 inputs, 1 were given"),
        ((LEFT, RIGHT, LEFT), "the model takes 2 inputs, 3 were given"),
        ({"left": LEFT}, "input 'right' is missing"),
        ({"left": LEFT, "up": LEFT}, "there is no input 'up'; there are left, right"),
        ((LEFT.astype(np.int16), RIGHT), "input 'left' is int8, got int16"),
        ((LEFT[:1], RIGHT), "input 'left': got shape (1,), expected (2,)"),
        ((LEFT, RIGHT.reshape(1, 3)), "input 'right': got shape (1, 3), expected (3,)"),
    ],
)
def test_arrays_that_do_not_fit(given: Any, text: str) -> None:
    with pytest.raises(RunError, match=f"^{re.escape(text)}$"):
        entry(model()).arrange(given)


def test_an_entry_without_inputs() -> None:
    with pytest.raises(RunError, match="there is no input 'x'; there are none"):
        EntryPoint(MAIN, (), ()).arrange({"x": LEFT})


@pytest.mark.parametrize("given", [LEFT, [LEFT, RIGHT, 3], ([1, 2], RIGHT), {"left": [1, 2]}, 5])
def test_values_that_are_no_arrays(given: Any) -> None:
    with pytest.raises(TypeError, match="arrays, by name or in the model's order"):
        entry(model()).arrange(given)


def test_an_open_dimension_takes_any_length() -> None:
    tensor = Tensor(0, "x", "int8", (1, 3), shape_signature=(-1, 3))
    made = EntryPoint(Subgraph(0, "", (tensor,), (), (0,), ()), (("x", 0),), ())
    for count in (1, 7):
        assert made.arrange((np.zeros((count, 3), np.int8),))[0].shape == (count, 3)
    with pytest.raises(RunError, match=r"input 'x': got shape \(7, 4\), expected \(N, 3\)"):
        made.arrange((np.zeros((7, 4), np.int8),))


def test_types_without_arrays() -> None:
    made = entry(model(subgraphs=(subgraph(("x", "string", (1,)), inputs=(0,)),)))
    with pytest.raises(RunError, match="input 'x' is string, which cannot be given"):
        made.arrange((LEFT,))
    with pytest.raises(RunError, match="input 'x' is string, which cannot be drawn"):
        made.random(0)


@pytest.mark.parametrize(
    ("dtype", "low", "high"),
    [
        ("int8", -128, 127),
        ("uint8", 0, 255),
        ("int16", -32768, 32767),
        ("int4", -8, 7),
        ("int32", 0, 9),
        ("int64", 0, 9),
        ("bool", 0, 1),
    ],
)
def test_drawn_integers_fill_their_range(dtype: str, low: int, high: int) -> None:
    count = 1 << 21 if dtype == "int16" else 1 << 13
    made = entry(model(subgraphs=(subgraph(("x", dtype, (count,)), inputs=(0,)),)))
    drawn = made.random(0)["x"].astype(np.int64)
    assert (int(drawn.min()), int(drawn.max())) == (low, high)


def test_drawn_reals_are_normally_distributed() -> None:
    made = entry(model(subgraphs=(subgraph(("x", "float32", (10_000,)), inputs=(0,)),)))
    drawn = made.random(0)["x"]
    assert drawn.dtype == np.float32
    assert (float(drawn.mean()), float(drawn.std())) == pytest.approx((0, 1), abs=0.05)


def test_draws_depend_on_the_seed_and_the_input_alone() -> None:
    made = entry(model())
    first, again, other = made.random(3), made.random(3), made.random(4)
    assert list(first) == ["left", "right"]
    np.testing.assert_array_equal(first["right"], again["right"])
    assert not np.array_equal(first["right"], other["right"])
    (alone,) = made.random(3, given=("left",)).items()
    assert alone[0] == "right"
    np.testing.assert_array_equal(alone[1], first["right"])


@pytest.mark.parametrize(
    ("tensor", "drawn", "paid"),
    [
        (Tensor(0, "x", "int8", (2, 3)), True, True),
        (Tensor(0, "x", "int8", ()), True, True),
        (Tensor(0, "x", "int8", (2, 0)), True, True),
        (Tensor(0, "x", "int8", (2, -1)), False, False),
        (Tensor(0, "x", "string", (2,)), False, False),
        (Tensor(0, "x", "int8", (1 << 40,)), True, False),
    ],
)
def test_tensors_that_can_be_drawn(tensor: Tensor, drawn: bool, paid: bool) -> None:
    assert (drawable(tensor), affordable(tensor)) == (drawn, paid)
    if not drawn:
        made = EntryPoint(Subgraph(0, "", (tensor,), (), (0,), ()), (("x", 0),), ())
        form = "string" if tensor.dtype == "string" else "of shape [2, -1]"
        with pytest.raises(
            RunError, match=f"^{re.escape(f'input {chr(39)}x{chr(39)} is {form}, which cannot be drawn')}$"
        ):
            made.random(0)
