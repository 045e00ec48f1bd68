"""The test files that execute a block of ``litecheck/``, as ``python -m tests.mutation.measure FOLDER`` measured them."""

from __future__ import annotations

import ast
import json
from collections.abc import Sequence
from pathlib import Path

from tests.mutation.probes import find_blocks
from tests.mutation.sites import Mutant
from tests.mutation.targets import ROOT


class Reach:
    """The blocks that each test file executes, read from the folder of the measurement."""

    def __init__(self, folder: Path, root: Path = ROOT) -> None:
        self._root = root
        self.blocks: list[str] = json.loads((folder / "blocks.json").read_text("utf-8"))
        self._numbers = {name: number for number, name in enumerate(self.blocks)}
        lines = (folder / "files.jsonl").read_text("utf-8").splitlines()
        self.files = {each["file"]: frozenset(each["blocks"]) for each in map(json.loads, lines)}

    def select(self, mutant: Mutant, files: Sequence[str], done: Sequence[str]) -> tuple[str, ...]:
        """Return the files that execute the mutant's block, and those not measured, without the files ``done``."""
        source = (self._root / mutant.module).read_text("utf-8")
        name = find_block(source, mutant.start)
        number = self._numbers.get(f"{mutant.module}:{name}")
        return tuple(
            file
            for file in files
            if file not in done and (file not in self.files or number in self.files[file])
        )

    def unreached(self) -> tuple[str, ...]:
        """Return the blocks that no test file executes, e.g. ``litecheck/model/submodels.py:cut_model:2``."""
        reached = frozenset[int]().union(*self.files.values())
        return tuple(name for number, name in enumerate(self.blocks) if number not in reached)


def find_block(source: str, place: int) -> str:
    """Return the name of the innermost block around a place of the source text."""
    line = source.count("\n", 0, place) + 1
    innermost = "<module>:0"
    for name, body in find_blocks(ast.parse(source)):
        if body[0].lineno <= line <= (body[-1].end_lineno or 0):
            innermost = name  # outer blocks come before inner blocks
    return innermost
