"""Replay of the documentation: recognized commands, and detection of a wrong page."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from docs.commands import steps
from docs.replay import Folder, lowest, pages
from docs.sessions import ROOT

PAGE = """# A page

    litecheck run MODEL [--seed SEED]
    litecheck run model.tflite --seed 0

```console
$ litecheck validate a.tflite
conforms
$ litecheck validate b.tflite
violates
$ echo $?
1
```

```sh
./simulate | cat
```

```text
0 1
```

```yaml
job:
  script:
    - litecheck validate models/
  note: litecheck is not meant here
```

```python
>>> 1 + 1
2
```

```python
def test_model(): pass
```
"""


def test_commands_of_a_page_are_found() -> None:
    assert [(s.line, s.kind, s.command.strip(), s.output, s.code) for s in steps(PAGE)] == [
        (3, "pattern", "litecheck run MODEL [--seed SEED]", None, None),
        (4, "script", "litecheck run model.tflite --seed 0", None, None),
        (7, "session", "litecheck validate a.tflite", "conforms\n", None),
        (9, "session", "litecheck validate b.tflite", "violates\n", 1),
        (15, "script", "./simulate | cat", "0 1\n", None),
        (23, "script", "litecheck validate models/", None, None),
        (30, "python", ">>> 1 + 1\n2", None, None),
        (35, "pytest", "def test_model(): pass", None, None),
    ]


@pytest.mark.parametrize(
    ("page", "outcome"),
    [
        ("```console\n$ echo one\none\n```\n", "same, 0"),
        ("```console\n$ echo one\n...\n```\n", "same, 0"),
        ("```console\n$ echo one\ntwo\n```\n", "DIFFERS"),
        ("```console\n$ (exit 2)\n```\n", "same, 2"),
        ("```console\n$ (exit 64)\n```\n", "DIFFERS"),
        ("```console\n$ (exit 64)\n$ echo $?\n64\n```\n", "same, 64"),
        ("```console\n$ (exit 1)\n$ echo $?\n0\n```\n", "DIFFERS"),
        ("```sh\nfalse | cat\n```\n", "ran, 1"),
        ("```sh\n(exit 2) | cat\n```\n", "DIFFERS"),
        ("```sh\necho one\n```\n\n```text\ntwo\n```\n", "DIFFERS"),
        ("```sh\necho Traceback '(most recent call last):'\n```\n", "DIFFERS"),
        ("```python\n>>> 1 + 1\n2\n```\n", "same"),
        ("```python\n>>> 1 + 1\n3\n```\n", "DIFFERS"),
        ("```python\n# conftest\ndef test_it():\n    assert not 1\n```\n", "DIFFERS"),
        ("    pip install .\n", "in a checkout"),
        ("    litecheck run MODEL [-o OUT]\n", "a pattern"),
    ],
)
def test_a_page_that_is_wrong_differs(page: str, outcome: str, tmp_path: Path) -> None:
    (one,) = Folder("page.md", page, Path(sys.executable), tmp_path).replayed()
    assert one.outcome == outcome
    assert bool(one.difference) == (outcome == "DIFFERS")


def test_a_page_has_only_the_files_that_it_names(tmp_path: Path) -> None:
    Folder("page.md", "of `fixtures/float.tflite`, `model.tflite`", Path(sys.executable), tmp_path)
    there = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    assert there == {"fixtures/float.tflite", "model.tflite"}


def test_every_page_of_the_guide_is_replayed() -> None:
    kinds = [step.kind for path in pages([]) for step in steps(path.read_text("utf-8"))]
    assert {kind: kinds.count(kind) > 5 for kind in ("session", "script", "pattern")} == dict.fromkeys(
        ("session", "script", "pattern"), True
    )
    assert (kinds.count("python"), kinds.count("pytest")) == (2, 1)


def test_the_floors_are_those_of_the_project() -> None:
    floors = dict(bound.split("==") for bound in lowest())
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    assert {"numpy", "typer", "ai-edge-litert"} <= set(floors)
    assert all(f"{name}>={version.removesuffix('.*')}" in text for name, version in floors.items())
