"""Cost of a target in `validate`: ``python benchmarks/targets.py [FOLDER]``.

The benchmark validates every model of a folder (LITECHECK_MODELS, or the fixtures) alternately with and without each
target in a process, and prints medians of processor time. Exit code 1 if a target costs more than 1.4 times as much.
Two models of 50,000 operators are listed without a goal: without a target, equal operators are checked once.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from built import build
from rich.console import Console
from rich.table import Table

from litecheck import LitecheckError, load_model, validate
from litecheck.profile.load import load_profile

TARGETS = ("ethos-u55", "ethos-u85")
LIMIT = 1.4
HERE = Path(__file__).resolve().parent


def cost(path: Path, target: str | None) -> float:
    """Return the processor time of reading and validation in seconds."""
    profiles = None if target is None else [load_profile(target)]
    start = time.process_time()
    validate(load_model(path), profiles)
    return time.process_time() - start


def costs(path: Path, repetitions: int) -> tuple[float, list[float]]:
    """Return the median seconds without a target, and for each target the median ratio to this time."""
    ways = (None, *TARGETS)
    for way in ways:
        cost(path, way)
    rounds = [[cost(path, way) for way in ways] for _ in range(repetitions)]
    return median(one[0] for one in rounds), [
        median(one[n] / one[0] for one in rounds) for n in range(1, len(ways))
    ]


def main() -> int:
    """Print the table and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    default = Path(os.environ.get("LITECHECK_MODELS") or HERE.parent / "fixtures")
    parser.add_argument("folder", type=Path, nargs="?", default=default)
    parser.add_argument("--repetitions", type=int, default=21)
    options = parser.parse_args()
    table = Table("model", "without", *TARGETS, f"at most {LIMIT}x")
    missed = 0
    for path in sorted(options.folder.glob("*.tflite")):
        try:
            alone, ratios = costs(path, options.repetitions)
        except LitecheckError:
            continue
        missed += max(ratios) > LIMIT
        cells = (f"{ratio:.2f}x" for ratio in ratios)
        table.add_row(path.name, f"{1e3 * alone:.1f} ms", *cells, "met" if max(ratios) <= LIMIT else "MISSED")
    with tempfile.TemporaryDirectory() as folder:
        for name in ("50k operators", "50k own scales"):
            alone, ratios = costs(build(name, Path(folder)), 3)
            table.add_row(name, f"{1e3 * alone:.0f} ms", *(f"{ratio:.2f}x" for ratio in ratios), "")
    Console().print(table)
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
