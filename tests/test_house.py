"""Order of the package: unique class names, modules of limited length, a docstring for every module and
folder."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "litecheck"
parsed = cache(ast.parse)
#: Lines a module may have.
LONGEST = 300
SOURCES = {
    path.relative_to(PACKAGE).as_posix(): path.read_text(encoding="utf-8")
    for path in sorted(PACKAGE.rglob("*.py"))
}


def several_meanings(sources: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the class names that several modules define, with these modules."""
    homes = defaultdict(list)
    for name, source in sources.items():
        for node in ast.walk(parsed(source)):
            if isinstance(node, ast.ClassDef):
                homes[node.name].append(name)
    return {name: found for name, found in homes.items() if len(found) > 1}


def test_a_class_name_has_one_meaning() -> None:
    assert several_meanings(SOURCES) == {}


def test_a_second_meaning_is_seen() -> None:
    assert several_meanings({"a.py": "class Case: pass", "b.py": "if x:\n    class Case: pass"}) == {
        "Case": ["a.py", "b.py"]
    }


def test_no_module_exceeds_the_line_limit() -> None:
    assert {name: n for name, text in SOURCES.items() if (n := len(text.splitlines())) > LONGEST} == {}


def test_every_module_has_a_docstring() -> None:
    silent = [name for name, text in SOURCES.items() if not (ast.get_docstring(parsed(text)) or "").strip()]
    assert silent == []


def test_folders_are_packages_with_a_sentence() -> None:
    folders = {path.parent for path in PACKAGE.rglob("*.py")}
    assert [folder.name for folder in folders if not (folder / "__init__.py").exists()] == []
