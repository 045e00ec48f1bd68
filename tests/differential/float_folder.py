"""Conversion of all float models of a folder in four modes: made, refused, violates, not loading, not exact.

    python -m tests.differential.float_folder FOLDER --samples 2

Every ``.tflite`` file with float32 operators is converted to int8, int16x8, dynamic and float16 on random samples. A
new model must conform and load on LiteRT's three resolvers. If only integers compute, the reference resolver must give
the same bytes as litecheck's kernels. An exception other than litecheck's own errors is a fault.
"""

from __future__ import annotations

import argparse
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from litecheck.conversion.calibration.calibration_data import open_data
from litecheck.conversion.pipeline import convert_model
from litecheck.conversion.source import check_real
from litecheck.errors import LitecheckError
from litecheck.model.load import load_model
from litecheck.model.types import Model
from tests.differential.conversion import Runs, compared
from tests.differential.oracle import Oracle

Ending = Literal["made", "refused", "violates", "not loading", "not exact", "exception"]
MODES = ("int8", "int16x8", "dynamic", "float16")


@dataclass(frozen=True)
class FolderCase:
    """Float model in a mode, its ending, and the reason if it is not made."""

    file: str
    mode: str
    ending: Ending
    reason: str = ""


def float_models(folder: Path) -> Iterator[tuple[Path, Model]]:
    """Yield the models of a folder and its subfolders that have an operator to convert."""
    for file in sorted(folder.rglob("*.tflite")):
        try:
            model = load_model(file)
            check_real(model, "int8")
        except LitecheckError:
            continue
        yield file, model


def convert_and_run(oracle: Oracle, file: Path, model: Model, mode: str, samples: int) -> FolderCase:
    """Convert a model in a mode, and run the new model."""
    data = mode in ("int8", "int16x8")
    try:
        record = convert_model(
            model, to=mode, random=samples if data else None, device="litecheck", agreement=False
        )
        if record.verdict == "violates":
            return FolderCase(file.name, mode, "violates", record.report.active[0].path)
        runs = _runs(model, samples)
    except LitecheckError as error:
        return FolderCase(file.name, mode, "refused", str(error))
    except Exception:  # any exception except litecheck's own errors is a fault
        return FolderCase(file.name, mode, "exception", traceback.format_exc(limit=-1))
    # Real values may differ in the last bits of their sums.
    faults = [fault for fault in compared(oracle, record.conversion, runs) if data or "differs" not in fault]
    if not faults:
        return FolderCase(file.name, mode, "made")
    return FolderCase(file.name, mode, "not exact" if "differs" in faults[0] else "not loading", faults[0])


def _runs(model: Model, samples: int) -> Runs:
    """Return random inputs of the first subgraph."""
    chains = open_data(None, model, random=samples)
    arranged = (sample.arrange(model) for chain in chains for sample in chain)
    return tuple(arrays for number, arrays in arranged if number == 0)


def main() -> int:
    """Print the table; return 1 for exceptions, violations, and models that do not load or are not exact."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", type=Path, nargs="+", metavar="FOLDER", help="folders of float models")
    parser.add_argument("--samples", type=int, default=2, help="random samples [default: 2]")
    options = parser.parse_args()
    table: dict[str, Counter[str]] = {mode: Counter() for mode in MODES}
    with Oracle() as oracle:
        for folder in options.folders:
            for file, model in float_models(folder):
                for mode in MODES:
                    case = convert_and_run(oracle, file, model, mode, options.samples)
                    table[mode][case.ending] += 1
                    if case.ending != "made":
                        print(f"{case.file} to {mode}: {case.ending}: {case.reason}", flush=True)
    for mode, counts in table.items():
        print(f"{mode}: " + ", ".join(f"{counts[ending]} {ending}" for ending in get_args(Ending)))
    wrong = sum(
        counts[e] for counts in table.values() for e in ("violates", "not loading", "not exact", "exception")
    )
    return int(wrong > 0)


if __name__ == "__main__":
    raise SystemExit(main())
