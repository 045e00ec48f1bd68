"""Conversion against LiteRT: what comes out of `convert` conforms, loads on every resolver, and runs exactly.

    python -m tests.differential.conversion [--to int8] [--graphs 300] [--seed 0] [--only NAME]

Every operator with a float form, and random graphs: calibrated by LiteRT on a few inputs, converted, judged by litecheck,
then run by LiteRT's three resolvers; the reference resolver must give what litecheck's kernels give, bit for bit.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from litecheck.convert.conversion import Conversion, Request, convert
from litecheck.errors import LitecheckError
from litecheck.model.save import model_bytes
from litecheck.model.types import Model
from litecheck.reference.engine.interpreter import Machine
from litecheck.reference.operands import RunError
from tests.convert.one_operator import float_cases
from tests.convert.random_graphs import random_graph, random_inputs
from tests.differential.oracle import Oracle, Refused

Runs = tuple[tuple[NDArray, ...], ...]
KERNELS = ("reference", "optimized", "xnnpack")
#: Operators that a resolver has no kernel for.
WITHOUT = {
    "reference": {"ELU", "STABLEHLO_CASE"},
    "optimized": {"STABLEHLO_CASE"},
    "xnnpack": {"STABLEHLO_CASE"},
}
#: Operators that the reference resolver computes wrongly (rules/arithmetic/known-faults.yaml).
WRONG = {"SUM"}


@dataclass
class Outcome:
    """What came of one conversion."""

    name: str
    to: str
    becomes: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    stays: list[str] = field(default_factory=list)


def models(graphs: int, only: str, first: int = 0) -> Iterator[tuple[str, Model, Runs]]:
    """The float models and inputs for them; ``first`` is the seed of the first random graph."""
    for case in float_cases():
        if only in case.name:
            yield case.name, case.model, case.runs
    for seed in range(first, first + graphs):
        name = f"graph-{seed}"
        if only in name:
            model = random_graph(seed)
            yield name, model, tuple(random_inputs(model, seed, 4))


def ranges_of(model: Model, runs: Runs) -> dict[tuple[int, int], tuple[float, float]]:
    """The smallest and largest value of every float tensor, by litecheck's own kernels."""
    found: dict[tuple[int, int], tuple[float, float]] = {}

    def watch(subgraph, indexes, arrays) -> None:
        for index, values in zip(indexes, arrays, strict=True):
            if index >= 0 and values.dtype == np.float32 and values.size:
                low, high = found.get((subgraph.index, index), (np.inf, -np.inf))
                found[subgraph.index, index] = min(low, float(values.min())), max(high, float(values.max()))

    machine = Machine(model)
    machine.watch = watch
    for run in runs:
        machine.restart()
        machine.run(model.subgraphs[0], tuple(run))
    return found


def tried(oracle: Oracle, name: str, model: Model, runs: Runs, to: str) -> Outcome:
    """One model converted and compared."""
    outcome = Outcome(name, to)
    try:
        done = convert(model, Request(to=to), ranges_of(model, runs))
    except RunError as error:
        outcome.faults.append(f"no float kernel: {error}")
        return outcome
    except LitecheckError as error:
        outcome.faults.append(f"refused: {error}")
        return outcome
    outcome.becomes.update(decision.becomes for decision in done.plan.operators)
    outcome.stays += [f"{d.opcode}: {d.because}" for d in done.plan.operators if d.because]
    new = [f for f in done.report.findings if f.level != "note" and f.waiver is None]
    outcome.faults += [f"{f.path} ({f.level}): {f.found}" for f in new]
    outcome.faults += compared(oracle, done, runs)
    return outcome


def compared(oracle: Oracle, done: Conversion, runs: Runs) -> list[str]:
    """What LiteRT makes of it."""
    content, faults = model_bytes(done.model), []
    opcodes = {op.opcode for s in done.model.subgraphs for op in s.operators}
    for kernels in KERNELS:
        if opcodes & WITHOUT.get(kernels, set()):
            continue
        outputs = oracle.run_many(content, runs, kernels)
        if isinstance(outputs, Refused):
            faults.append(f"{kernels}: {outputs.message[-200:]}")
        elif kernels == "reference" and not opcodes & WRONG and not _islands(done):
            faults += _exact(done.model, runs, outputs)
    return faults


def _islands(done: Conversion) -> bool:
    """Whether anything is still computed in float32, where sums differ in their last bits."""
    return any(decision.becomes == "float32" for decision in done.plan.operators)


def _exact(model: Model, runs: Runs, outputs) -> list[str]:
    machine = Machine(model)
    for run, theirs in zip(runs, outputs, strict=True):
        machine.restart()
        mine = machine.run(model.subgraphs[0], tuple(run))
        ours = [mine[i] for i in model.subgraphs[0].outputs]
        for one, other in zip(ours, theirs, strict=True):
            if not np.array_equal(one, other, equal_nan=one.dtype.kind == "f"):
                return [f"reference differs: {int((one != other).sum())} of {one.size}"]
    return []


def main() -> int:
    """Print what does not hold, and a count."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--to", action="append")
    parser.add_argument("--graphs", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0, help="of the first graph")
    parser.add_argument("--only", default="")
    parser.add_argument("--stays", action="store_true", help="list what stays float32")
    options = parser.parse_args()
    failed = 0
    for to in options.to or ("int8", "int16x8"):
        total: Counter[str] = Counter()
        with Oracle() as oracle:
            for name, model, runs in models(options.graphs, options.only, options.seed):
                outcome = tried(oracle, name, model, runs, to)
                total.update(outcome.becomes)
                failed += bool(outcome.faults)
                for fault in outcome.faults:
                    print(f"{to} {name}: {fault}", flush=True)
                for line in outcome.stays if options.stays else ():
                    print(f"  {to} {name} stays {line}")
        print(f"{to}: operators {dict(total)}")
    print(f"{failed} models with faults")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
