"""Models with hostile names in every string, valid or damaged, and mutants of the fixtures."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from litecheck.flatbuffer.schema import load_schema
from litecheck.flatbuffer.table import Table
from litecheck.flatbuffer.write import write
from tests.fuzz.atlas import Seed, seed_of
from tests.fuzz.hostile.case import Case
from tests.fuzz.hostile.commands import DEVICE, on_model
from tests.fuzz.hostile.sandbox import Sandbox
from tests.fuzz.hostile.words import file_name, name
from tests.fuzz.mutate import mutant
from tests.fuzz.seeds import FIXTURES, built
from tests.fuzz.trees import changed


@cache
def seeds() -> tuple[Seed, ...]:
    """Return the fixtures of a single model each, also broken models: findings about them print names."""
    damaged = ("damaged_", "appended_", "outside_")
    return tuple(seed_of(p) for p in sorted(FIXTURES.glob("*.tflite")) if not p.name.startswith(damaged))


def renamed(rng: Random, value: Any, share: float) -> Any:
    """Return a tree of tables with this share of strings replaced by hostile text."""
    if isinstance(value, str):
        return name(rng) if rng.random() < share else value
    if isinstance(value, Table):
        return replace(value, fields={k: renamed(rng, v, share) for k, v in value.fields.items()})
    return tuple(renamed(rng, child, share) for child in value) if isinstance(value, tuple) else value


def content(rng: Random) -> tuple[str, bytes]:
    """Return a description and the bytes of a model with hostile names, and up to two damaged tables."""
    seed = rng.choice(seeds())
    root = seed.tables.record("Model", 0)
    damage = rng.choice((0, 0, 1, 1, 2))
    for _ in range(damage):
        root = changed(rng, root)
    root = renamed(rng, root, rng.choice((0.3, 1.0)))
    return f"{seed.name} renamed, {damage} changes", bytes(
        write(root, load_schema("tflite"), drop_unknown=True)
    )


def model_file(rng: Random, box: Sandbox) -> str:
    """Return the name of the model's file, hostile in 3 of 10 cases."""
    (box.work / "device").write_text(DEVICE, encoding="utf-8")
    (box.work / "device").chmod(0o755)
    return file_name(rng, ".tflite") if rng.random() < 0.3 else "m.tflite"


def named(rng: Random, box: Sandbox, stock: Path) -> Case:
    """Return a case with hostile names, and failures that print them."""
    title, data = content(rng)
    file = model_file(rng, box)
    (box.work / file).write_bytes(data)
    return on_model(rng, file, title)


def mutated(rng: Random, box: Sandbox, stock: Path) -> Case:
    """Return a case with a mutant of a fixture."""
    made = mutant(built(), rng.randrange(1 << 30), rng.randrange(1 << 30))
    file = model_file(rng, box)
    (box.work / file).write_bytes(made.content)
    return on_model(rng, file, f"{made.seed} by {made.operator}")
