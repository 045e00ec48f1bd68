"""The program of the child process that runs a user's script with ``get_calibration_data()``."""

from __future__ import annotations

import itertools
import os
import runpy
import sys
from typing import Any

import numpy as np


def main() -> None:
    """Write a .npz for each sample. Arguments: script, folder, signature or nothing, largest number of samples."""
    script, folder, signature, most = sys.argv[1:]
    data = call(script)
    if isinstance(data, dict) and data and not isinstance(next(iter(data.values())), np.ndarray):
        data = data[signature] if signature in data else next(iter(data.values()))
    data = [data] if isinstance(data, dict) else data
    for number, sample in enumerate(itertools.islice(iter(data), int(most))):
        arrays: dict[str, Any] = {name: np.asarray(values) for name, values in by_name(sample).items()}
        np.savez(f"{folder}/{number:06d}.npz", **arrays)


def call(script: str) -> Any:
    """Run a script as ``python SCRIPT`` does, so that it can import its neighbors, and return its data."""
    sys.path.insert(0, os.path.dirname(os.path.abspath(script)))
    defined = runpy.run_path(script)
    if "get_calibration_data" not in defined:
        sys.exit("it defines no get_calibration_data()")
    return defined["get_calibration_data"]()


def by_name(sample: Any) -> dict[str, Any]:
    """Return the arrays of a sample by input name; a list, a tuple and a single array are named by position."""
    if not isinstance(sample, dict):
        sample = dict(enumerate(sample if isinstance(sample, (list, tuple)) else [sample]))
    return {str(name): values for name, values in sample.items()}
