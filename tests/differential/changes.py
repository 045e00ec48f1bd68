"""Planted changes and ``litecheck diff``: each change must be the only cause, also in reordered models.

``python -m tests.differential.changes --cases 2000`` draws changes of all kinds in the models of LITECHECK_MODELS and
LITECHECK_CONVERSION and in the fixtures. ``--twins 500`` compares reordered models without a change, ``--pairs 300``
compares models with two changes.
"""

from __future__ import annotations

import argparse
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from litecheck.differences.change import ModelDifference
from litecheck.differences.model_difference import diff
from litecheck.errors import LitecheckError
from litecheck.model.load import load_model
from litecheck.model.types import Model
from tests.differential.planted_changes import PLANTERS, Expected, PlantedChange, shuffled

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
NAMES = ("conv_int8", "fc_int8", "float_detector", "uint8", "hybrid", "int16x8", "two_signatures", "float")
#: Cases between two lines of progress.
_STEP = 100


def models() -> Iterator[Model]:
    """Yield the fixtures and the public models."""
    paths = [FIXTURES / f"{name}.tflite" for name in NAMES]
    for variable in ("LITECHECK_MODELS", "LITECHECK_CONVERSION"):
        if folder := os.environ.get(variable):
            paths += sorted(Path(folder).glob("*.tflite"))
    for path in paths:
        try:
            yield load_model(path)
        except LitecheckError:
            continue


def causes_of(found: ModelDifference) -> list[Expected]:
    """Return the causes of a difference; an open batch and its consequences count once."""
    return sorted({(c.kind, c.operator, c.role) for c in found.causes})


def fails(found: ModelDifference, *planted: PlantedChange) -> str:
    """Return the wrong rows of a difference, or "" if it lists the planted changes only."""
    causes = {cause for cause in causes_of(found) if not cause[0].startswith("finding")}
    wanted = {change.expected for change in planted}
    loose = {(kind, -2, "") if (kind, -2, "") in wanted else (kind, op, role) for kind, op, role in causes}
    return "" if loose == wanted else f"expected {sorted(wanted)}, got {sorted(causes)}"


def check_change(base: Model, kinds: list[str], seed: int) -> tuple[str, str] | None:
    """Plant a change of a kind, reorder every second model, and return the kind and the error."""
    draw = np.random.default_rng(seed)
    planted = PLANTERS[kinds[0]](base, draw)
    if planted is None:
        return None
    after = shuffled(planted.model, draw) if seed % 2 else planted.model
    return planted.name, fails(diff(base, after), planted)


def check_pair(base: Model, kinds: list[str], seed: int) -> tuple[str, str] | None:
    """Plant two changes that keep the operators' indices, and return the kinds and the error."""
    draw = np.random.default_rng(seed)
    first = PLANTERS[kinds[0]](base, draw)
    second = None if first is None else PLANTERS[kinds[1]](first.model, draw)
    if first is None or second is None or first.expected[1:] == second.expected[1:]:
        return None
    after = shuffled(second.model, draw) if seed % 2 else second.model
    return f"{first.name} + {second.name}", fails(diff(base, after), first, second)


def main() -> int:
    """Run the campaign, print wrong causes, and return 1 if there are any."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=200, help="models with one change [default: 200]")
    parser.add_argument(
        "--twins", type=int, default=20, help="reordered models without a change [default: 20]"
    )
    parser.add_argument("--pairs", type=int, default=0, help="models with two changes [default: 0]")
    parser.add_argument("--seed", type=int, default=0, help="seed of the changes [default: 0]")
    options = parser.parse_args()
    bases, kinds = list(models()), list(PLANTERS)
    steady = [kind for kind in kinds if kind not in ("removed", "added", "signature")]
    wrong: Counter[str] = Counter()
    for label, number, run in (
        ("changes", options.cases, check_change),
        ("pairs", options.pairs, check_pair),
    ):
        done: Counter[str] = Counter()
        seed = options.seed
        while sum(done.values()) < number:
            seed += 1
            base = bases[seed % len(bases)]
            drawn = np.random.default_rng((seed, 7)).permutation(steady if run is check_pair else kinds)
            if (found := run(base, list(drawn), seed)) is None:
                continue
            done[found[0]] += 1
            if found[1]:
                wrong[label] += 1
                print(f"{label} {seed} {Path(base.file).name} {found[0]}: {found[1]}", flush=True)
            if (count := sum(done.values())) % _STEP == 0 or count == number:
                exact = f"{count - wrong[label]} of {count} exact"
                print(f"{label}: {exact}, {len(done)} kinds, {len(bases)} models", flush=True)
    for seed in range(options.seed, options.seed + options.twins):
        base = bases[seed % len(bases)]
        found = diff(base, shuffled(base, np.random.default_rng(seed)))
        if found.changes:
            wrong["twins"] += 1
            print(f"twin {seed} {Path(base.file).name}: {causes_of(found)}", flush=True)
    print(f"twins: {options.twins - wrong['twins']} of {options.twins} without a row")
    return int(bool(wrong))


if __name__ == "__main__":
    raise SystemExit(main())
