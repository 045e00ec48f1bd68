"""Edited plans and LiteRT: an edited plan is rejected with a place, or its model is exact.

    python -m tests.differential.edited --to int8 --graphs 40 --seed 0 --edits 4 --verify

The plans of the models of :mod:`tests.differential.conversion` are edited at random
(:mod:`tests.conversion.edited_plans`) and executed as by `litecheck convert --plan`. The unchanged plan must give the
same bytes. A rejected plan and a violating model are not written. A conforming model runs on LiteRT's resolvers and is
compared bit for bit; only a warning "wrong results" excuses a difference.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from litecheck.cases.inputs import quantize_input
from litecheck.conversion.pipeline import convert_model
from litecheck.conversion.plan_file import plan_values
from litecheck.conversion.record import ConversionRecord
from litecheck.devices.port import Device
from litecheck.devices.registry import open_device
from litecheck.errors import ConfigError, LitecheckError
from litecheck.model.save import model_bytes
from litecheck.model.types import Model
from litecheck.reference.runtime_tensors import RunError
from tests.conversion.edited_plans import Values, edited
from tests.differential.conversion import Outcome, Runs, compared, converted, models, verified
from tests.differential.oracle import Oracle

#: Places of an error in a plan or in a model.
_PLACE = re.compile(
    r"\w+\[\d+\]|#-?\d+|tensor -?\d+|profile |every operator stays|litecheck_plan|activations of"
)
_WRONG = "wrong results"


@dataclass
class Drawn:
    """Outcomes of edited plans, reasons of rejections, and faults."""

    ends: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)


def convert_by_plan(model: Model, values: Values, folder: Path) -> ConversionRecord:
    """Convert a model by the values of a plan, as the command does."""
    file = folder / "plan.json"
    file.write_text(json.dumps(values))
    return convert_model(model, plan=str(file), agreement=False)


def check_plans(
    oracle: Oracle, case: tuple[str, Model, Runs], to: str, seeds: range, device: Device | None, into: Drawn
) -> None:
    """Run a model's plan unchanged, and edited once for each seed."""
    name, model, runs = case
    try:
        done = converted(model, runs, to)
    except (LitecheckError, RunError):
        return
    values = plan_values(done.plan)
    with tempfile.TemporaryDirectory(prefix="litecheck-") as path:
        try:
            again = convert_by_plan(model, values, Path(path))
        except ConfigError as error:
            if "nothing to quantize" not in str(error):
                into.faults.append(f"{to} {name}: its own plan is refused: {error}")
            return
        if model_bytes(again.conversion.model) != model_bytes(done.model):
            into.faults.append(f"{to} {name}: its own plan gives other bytes")
        for seed in seeds:
            plan, changes = edited(model, values, seed * 100_003 + sum(map(ord, name)))
            faults = _check_plan(oracle, model, runs, plan, device, Path(path), into)
            into.faults += [f"{to} {name} {seed}: {fault} ({'; '.join(changes)})" for fault in faults]


def _check_plan(
    oracle: Oracle, model: Model, runs: Runs, plan: Values, device: Device | None, folder: Path, into: Drawn
) -> list[str]:
    """Return the faults: an error of a wrong type or without a place, or a conforming model that does not run exactly."""
    try:
        record = convert_by_plan(model, plan, folder)
    except ConfigError as error:
        into.ends["refused"] += 1
        into.refused[re.sub(r"\d+", "0", str(error).replace(str(folder), ""))[:100]] += 1
        return [] if _PLACE.search(str(error)) else [f"refused without a place: {error}"]
    except Exception as error:
        return [f"{type(error).__name__}: {error}"]
    into.ends[record.verdict] += 1
    if record.verdict == "violates":
        return []
    if record.verdict == "not checked":
        return ["not checked"]
    faults = _check_outputs(oracle, record, runs, device)
    if faults and any(f.effect == _WRONG for f in record.report.findings):
        into.ends["differs as warned"] += 1
        return []
    return faults


def _check_outputs(oracle: Oracle, record: ConversionRecord, runs: Runs, device: Device | None) -> list[str]:
    made = record.conversion.model
    graph = made.subgraphs[0]
    given: Any = tuple(
        tuple(quantize_input(graph.tensors[i], array) for i, array in zip(graph.inputs, run, strict=True))
        for run in runs
    )
    try:
        faults = compared(oracle, record.conversion, given)
        outcome = Outcome("", "")
        if device is not None and not faults:
            verified(outcome, made, given, device)
    except RunError as error:
        return [f"litecheck's kernels: {error}"]
    return faults + outcome.faults


def main() -> int:
    """Print the faults, the outcomes of plans, and the reasons of rejections; return 1 for a fault."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--to", action="append", help="convert to this type (repeatable) [default: int8, int16x8]"
    )
    parser.add_argument("--graphs", type=int, default=40, help="number of random graphs [default: 40]")
    parser.add_argument(
        "--seed", type=int, default=0, help="seed of the first graph and of the first edit [default: 0]"
    )
    parser.add_argument(
        "--edits", type=int, default=4, help="number of edited plans of each model [default: 4]"
    )
    parser.add_argument("--only", default="", help="run models with this text in their name")
    parser.add_argument(
        "--verify", action="store_true", help="also run `litecheck verify --device litert:reference`"
    )
    options = parser.parse_args()
    device = open_device("litert:reference") if options.verify else None
    seeds, total = range(options.seed, options.seed + options.edits), Drawn()
    for to in options.to or ("int8", "int16x8"):
        with Oracle() as oracle:
            for case in models(options.graphs, options.only, options.seed):
                before = len(total.faults)
                check_plans(oracle, case, to, seeds, device, total)
                for fault in total.faults[before:]:
                    print(fault, flush=True)
    if device is not None:
        device.close()
    for reason, count in total.refused.most_common():
        print(f"{count:6} {reason}")
    print(f"{dict(total.ends)}, {len(total.faults)} faults")
    return int(bool(total.faults))


if __name__ == "__main__":
    sys.exit(main())
