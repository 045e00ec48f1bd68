"""Blocks with probes, and the test files that a mutant of a block runs."""

from __future__ import annotations

import ast
import builtins
import json
from pathlib import Path

import pytest

from tests.mutation.probes import compile_with_probes, find_blocks
from tests.mutation.reach import Reach, find_block
from tests.mutation.sites import find_mutants

SOURCE = '''"""Text."""
from __future__ import annotations
N = 1

class A:
    """Text."""
    M = 2

    def f(self, x):
        """Text."""
        if x > 3:
            return 4
        elif x:
            return 5
        for _ in range(6):
            x += 7
        return x

def g(x):
    try:
        return 8 // x
    except ZeroDivisionError:
        return 9
'''
NAMES = ("<module>:0", "A.f:0", "A.f:1", "A.f:2", "A.f:3", "A.f:4", "g:0", "g:1", "g:2")


def test_names_of_blocks() -> None:
    assert tuple(name for name, _ in find_blocks(ast.parse(SOURCE))) == NAMES


@pytest.mark.parametrize(
    ("number", "name"),
    [
        (1, "<module>:0"),
        (2, "<module>:0"),
        (3, "A.f:0"),
        (4, "A.f:1"),
        (5, "A.f:3"),
        (7, "A.f:4"),
        (8, "g:1"),
        (9, "g:2"),
    ],
)
def test_the_block_of_a_mutant(number: int, name: str) -> None:
    places = [m.start for m in find_mutants("m.py", SOURCE) if m.before == str(number)]
    assert [find_block(SOURCE, place) for place in places] == [name]


@pytest.mark.parametrize(
    ("call", "numbers"),
    [
        ("pass", [10]),
        ("A().f(4)", [10, 11, 12]),
        ("A().f(1)", [10, 11, 13, 14]),
        ("A().f(0); g(0)", [10, 11, 13, 15, 16, 17, 18]),
    ],
)
def test_probes_note_each_block_once(call: str, numbers: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    seen, noted = bytearray(20), []

    def note(number: int) -> None:
        seen[number] = 1
        noted.append(number)

    monkeypatch.setattr(builtins, "_probe_seen", seen, raising=False)
    monkeypatch.setattr(builtins, "_probe_note", note, raising=False)
    code, names = compile_with_probes(SOURCE, "m.py", 10)
    assert names == NAMES
    space: dict[str, object] = {}
    exec(code, space)
    exec(call, space)
    exec(call, space)
    assert sorted(noted) == numbers
    assert space["__doc__"] == "Text."


def test_files_that_execute_the_block_are_selected(tmp_path: Path) -> None:
    """A file that was not measured is selected too."""
    (tmp_path / "litecheck").mkdir()
    (tmp_path / "litecheck/m.py").write_text(SOURCE)
    (tmp_path / "blocks.json").write_text(json.dumps([f"litecheck/m.py:{name}" for name in NAMES]))
    measured = {"tests/a.py": [0, 1, 2], "tests/b.py": [0, 6, 7], "tests/c.py": [0, 1]}
    lines = (json.dumps({"file": file, "blocks": blocks}) for file, blocks in measured.items())
    (tmp_path / "files.jsonl").write_text("\n".join(lines))
    reach = Reach(tmp_path, tmp_path)
    (mutant,) = (m for m in find_mutants("litecheck/m.py", SOURCE) if m.before == "4")
    files = ("tests/d.py", "tests/c.py", "tests/b.py", "tests/a.py")
    assert reach.select(mutant, files, ()) == ("tests/d.py", "tests/a.py")
    assert reach.select(mutant, files, ("tests/d.py",)) == ("tests/a.py",)
    assert reach.unreached() == tuple(f"litecheck/m.py:{name}" for name in NAMES[3:6] + NAMES[8:])
