"""Measurement of every operator in worker processes, and the files ``rules/types/*.json``."""

from __future__ import annotations

import json
import multiprocessing
import sys
from collections.abc import Mapping
from fnmatch import fnmatchcase

from litecheck import load_profile
from litecheck.data import rules_dir
from tests.differential.operator_types.bases import bases
from tests.differential.operator_types.explore import Tried, explore
from tests.differential.operator_types.runtimes import Runtimes
from tests.differential.operator_types.signatures import Signature
from tests.differential.operator_types.table import entry, table_text


def measured(opcode: str) -> tuple[str, Mapping[Signature, Tried]]:
    """Return every combination that was tried for an operator."""
    with Runtimes() as runtimes:
        return opcode, explore(runtimes, bases()[opcode])


def write(pattern: str, jobs: int) -> None:
    """Measure operators, the smallest first, and write their entries; entries of other operators stay."""
    wanted = [opcode for opcode in bases() if any(fnmatchcase(opcode, one) for one in pattern.split("|"))]
    wanted.sort(key=lambda opcode: (len(bases()[opcode][0].signature), len(bases()[opcode])))
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        for done, (opcode, tried) in enumerate(pool.imap_unordered(measured, wanted), 1):
            _add(opcode, tried)
            text = f"{opcode}: {len(tried):,} combinations, {done} of {len(wanted)}"
            print(text, file=sys.stderr, flush=True)


def _add(opcode: str, tried: Mapping[Signature, Tried]) -> None:
    """Write the entry of an operator into both tables."""
    rule = load_profile("litert-structure").operators[opcode]
    for name, profile in (("litert", "litert-structure"), ("tflm", "tflm")):
        file = rules_dir() / "types" / f"{name}.json"
        entries = json.loads(file.read_text())["operators"] if file.exists() else {}
        entries[opcode] = entry(rule, tried, {base.signature for base in bases()[opcode]}, name)
        file.parent.mkdir(exist_ok=True)
        file.write_text(table_text(load_profile(profile).runtime, dict(sorted(entries.items()))))
