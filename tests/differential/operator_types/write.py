"""Measurement of every operator in worker processes, and the files ``rules/types/*.json``."""

from __future__ import annotations

import json
import multiprocessing
import sys
from collections.abc import Mapping
from fnmatch import fnmatchcase
from functools import partial

from litecheck import load_profile
from litecheck.data import rules_dir
from litecheck.profile.type_table import operator_types
from tests.differential.operator_types.bases import bases
from tests.differential.operator_types.explore import Tried, explore, explore_kept
from tests.differential.operator_types.runtimes import Runtimes
from tests.differential.operator_types.signatures import Signature
from tests.differential.operator_types.table import entry, entry_kept, table_text

#: Tried combinations.
Found = Mapping[Signature, Tried]
#: Tried combinations by the role whose tensor keeps its parameters.
Kept = Mapping[tuple[str, Signature], Tried]


def measured(opcode: str, kept: bool = False) -> tuple[str, Found, Kept]:
    """Return every tried combination of an operator, with fitting and with kept parameters; only the latter if ``kept``."""
    with Runtimes() as runtimes:
        fitting = {} if kept else explore(runtimes, bases()[opcode])
        return opcode, fitting, explore_kept(runtimes, bases()[opcode])


def write(pattern: str, jobs: int, kept: bool = False) -> None:
    """Measure operators, the smallest first, and write their entries; entries of further operators stay."""
    wanted = [opcode for opcode in bases() if any(fnmatchcase(opcode, one) for one in pattern.split("|"))]
    wanted.sort(key=lambda opcode: (len(bases()[opcode][0].signature), len(bases()[opcode])))
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        work = partial(measured, kept=kept)
        for done, (opcode, tried, more) in enumerate(pool.imap_unordered(work, wanted), 1):
            _add(opcode, tried, more)
            text = f"{opcode}: {len(tried) + len(more):,} combinations, {done} of {len(wanted)}"
            print(text, file=sys.stderr, flush=True)


def _add(opcode: str, tried: Found, kept: Kept) -> None:
    """Write the entry of an operator into both tables."""
    rule = load_profile("litert-structure").operators[opcode]
    for name, profile in (("litert", "litert-structure"), ("tflm", "tflm")):
        file = rules_dir() / "types" / f"{name}.json"
        entries = json.loads(file.read_text())["operators"] if file.exists() else {}
        if tried:
            entries[opcode] = entry(rule, tried, {base.signature for base in bases()[opcode]}, name)
        apart = entry_kept(operator_types(entries[opcode], 0), kept, name)
        entries[opcode] = {k: v for k, v in entries[opcode].items() if k != "kept"} | (
            {"kept": apart} if apart else {}
        )
        file.parent.mkdir(exist_ok=True)
        file.write_text(table_text(load_profile(profile).runtime, dict(sorted(entries.items()))))
