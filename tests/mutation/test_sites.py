"""Mutants of small sources: each replacement, and the parts of a module that are left out."""

from __future__ import annotations

import ast

import pytest

from tests.mutation.sites import find_mutants


def changed(source: str) -> set[str]:
    """Return the sources with a single mutant each, as ``ast.unparse`` writes them."""
    return {ast.unparse(ast.parse(mutant.apply(source))) for mutant in find_mutants("m.py", source)}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a + b", {"a - b"}),
        ("a - b", {"a + b"}),
        ("a * b", {"a // b"}),
        ("a // b", {"a * b"}),
        ("(a + b) * c", {"(a - b) * c", "(a + b) // c"}),
        ("a < b", {"a <= b"}),
        ("a <= b < c", {"a < b < c", "a <= b <= c"}),
        ("a == b", {"a != b"}),
        ("a is None", {"a is not None"}),
        ("a in b", {"a not in b"}),
        ("a and b and c", {"a or b or c"}),
        ("a or b", {"a and b"}),
        ("a += b", {"a -= b"}),
        ("f(7)", {"f(8)"}),
        ("f(0.5)", {"f(1.5)"}),
        ("f(-1)", {"f(0)"}),
        ("f(-3)", {"f(-2)"}),
        ("f(-a)", set()),
        ("f(True)", {"f(False)"}),
        ("a if b else c", {"a if not b else c"}),
        ("[a for a in b if c]", {"[a for a in b if not c]", "[a for a in b if True]"}),
        ("if a:\n    b", {"if not a:\n    b", "if True:\n    b"}),
        ("while a:\n    b", {"while not a:\n    b"}),
        ("f(f'{a + b}')", {"f(f'{a - b}')"}),
        ("'ä' < a", {"'ä' <= a"}),
    ],
)
def test_replacements(source: str, expected: set[str]) -> None:
    assert changed(source) == {ast.unparse(ast.parse(text)) for text in expected}


@pytest.mark.parametrize(
    ("annotation", "expected"),
    [("bool", "not a"), ("int", "a + 1"), ("str", '""'), ("tuple[int, ...]", "()"), ("Model", "None")],
)
def test_returned_values_follow_the_annotation(annotation: str, expected: str) -> None:
    source = f"def f(a) -> {annotation}:\n    return a"
    assert changed(source) == {ast.unparse(ast.parse(source.replace("return a", f"return {expected}")))}


@pytest.mark.parametrize(
    "source",
    [
        '"""A docstring of 3 words."""',
        "a: Literal[1, 2]",
        "def f(a: tuple[int, Literal[3]]) -> Literal[4]:\n    pass",
        "A = Literal[0, 1]",
        "__slots__ = ('a',) * 2",
        "__all__ = [*A, *(B + C)]",
        "if TYPE_CHECKING:\n    a = 1 + b",
        "if __name__ == '__main__':\n    f(1)",
        "@dataclass(frozen=True)\nclass A:\n    pass",
        "assert a is not None",
        "A = int | None",
        "'a' + b",
        "def f(a):\n    return None",
        "def f(a) -> tuple[int, ...]:\n    return ()",
    ],
)
def test_parts_that_are_left_out(source: str) -> None:
    assert find_mutants("m.py", source) == ()


def test_places() -> None:
    (mutant,) = find_mutants("m.py", "a = 1\n".replace("1", "b\nc") + "d = e - f\n")
    assert (mutant.line, mutant.before, mutant.after) == (3, "e - f", "((e) + (f))")
