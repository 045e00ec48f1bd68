"""Public functions called with arguments of another type: a TypeError that shows the correct call."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from inspect import Parameter, isfunction, signature
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

import litecheck
from litecheck.public_call import shows_call

FUNCTIONS = {n: getattr(litecheck, n) for n in litecheck.__all__ if isfunction(getattr(litecheck, n))}
FIXED = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
#: Values of the right type, by annotation. Values for further annotations are made without their constructor.
RIGHT = {
    **dict.fromkeys(("ArrayLike", "NDArray"), np.ones(2, np.int8)),
    **dict.fromkeys(("str", "Any", "Source"), "x"),
    **dict.fromkeys(("Sequence", "Iterable", "object"), ()),
    "int": 1,
    "Scales": 0.5,
    "Mapping": {},
    "Callable": print,
    "Reported": None,
    "Model": litecheck.load_model("fixtures/fc_int8.tflite"),
}


class Odd:
    """Type that no function accepts."""


def right(annotation: str, names: Mapping[str, Any]) -> object:
    name = annotation.partition(" |")[0].partition("[")[0]
    if name in RIGHT:
        return RIGHT[name]
    return object.__new__(names[name]) if isinstance(names.get(name), type) else None


def wrong_calls() -> Iterator[Any]:
    """Yield each function with each argument of a wrong type, and a text for a sequence, and an array for a path."""
    for name, function in FUNCTIONS.items():
        inner = getattr(function, "__wrapped__", function)
        several = [p for p in signature(function).parameters.values() if p.kind in FIXED]
        needed = {
            p.name: right(str(p.annotation), inner.__globals__) for p in several if p.default is p.empty
        }
        for one in several:
            words = str(one.annotation)
            values: list[object] = [Odd()]
            values += ["ADD"] if words.startswith("Sequence") else []
            values += [np.ones(2)] if "Path" in words or words == "str" else []
            for value in values:
                yield pytest.param(
                    function, {**needed, one.name: value}, id=f"{name}-{one.name}-{type(value).__name__}"
                )


@pytest.mark.parametrize(("function", "arguments"), list(wrong_calls()))
def test_an_argument_of_another_type_shows_the_call(
    function: Callable[..., Any], arguments: Mapping[str, Any]
) -> None:
    with pytest.raises(TypeError, match=r"\(\) takes .*(litecheck\.\w+\(|open)"):
        list(function(**arguments) or ())


def test_a_missing_argument_shows_the_call() -> None:
    with pytest.raises(TypeError, match=r"^diff\(\): missing .*'second': litecheck\.diff\('a\.tflite', "):
        litecheck.diff(litecheck.load_model("fixtures/fc_int8.tflite"))  # type: ignore[call-arg]


Told = Callable[[int], None]
Kind = Literal["a", "b"]


@shows_call("litecheck.sample(1)")
def sample(
    number: int, names: Sequence[str | int] = (), path: str | Path | None = None, told: Told | None = None,
    kind: Kind = "a", share: float = 0.0, flag: bool = False, other: litecheck.Device | None = None,
) -> int:  # fmt: skip
    return number


@pytest.mark.parametrize(
    "arguments",
    [
        {"number": np.int64(3)}, {"number": 3, "names": ["a", 2]}, {"number": 3, "path": Path("x"), "told": print},
        {"number": 3, "kind": "b", "share": 1, "flag": True}, {"number": 3, "path": None, "names": {"a"}},
    ],
)  # fmt: skip
def test_arguments_of_the_right_type_pass(arguments: dict[str, Any]) -> None:
    assert sample(**arguments) == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"number": "3"}, "takes a whole number, not str"),
        ({"number": 1, "names": "abc"}, "takes a sequence of str | ints as names, not str"),
        ({"number": 1, "names": [0.5]}, "as names, not float"),
        ({"number": 1, "path": 3}, "takes a path as path, not int"),
        ({"number": 1, "told": 3}, "takes a Told as told, not int"),
        ({"number": 1, "share": "1"}, "takes a number as share, not str"),
        ({"number": 1, "flag": "yes"}, "takes True or False as flag, not str"),
    ],
)
def test_wrong_types_of_arguments_are_named(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError) as raised:
        sample(**arguments)
    assert message in str(raised.value)
    assert str(raised.value).endswith(": litecheck.sample(1)")
