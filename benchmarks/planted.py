"""Number of 16 planted faults that a budget detects: ``python benchmarks/verify.py budget``.

The device is the reference in this process, with a fault: a wrong variant, a defect, or outputs that are stale, late,
rarely wrong, or wrong for rare values. Exit code 1 if a device without a fault fails, or a budget is exceeded.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from litecheck.arrays import Arrays
from litecheck.devices.port import Answer, Failure, Job
from litecheck.model.load import load_model
from litecheck.model.types import Model
from litecheck.reference.engine.arithmetic import load_arithmetic
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from litecheck.verification.device_run import verify
from litecheck.verification.settings import Budget, Settings

MODEL = Path(__file__).parents[1] / "fixtures" / "conv_int8.tflite"
BUDGETS = (20, 50, 100)
#: Faults in the computation of an operator: a step and its variant, or a defect.
COMPUTED = {
    "CONV_2D rounded once": ("CONV_2D", "requantize", "single"),
    "CONV_2D without the input's zero point": ("CONV_2D", "defect", "no-input-zero-point"),
    "CONV_2D with sums of 16 bits": ("CONV_2D", "defect", "accumulator-16"),
    "CONV_2D with one scale for all channels": ("CONV_2D", "defect", "first-weight-scale"),
    "DEPTHWISE_CONV_2D truncated": ("DEPTHWISE_CONV_2D", "requantize", "truncate"),
    "DEPTHWISE_CONV_2D without bias": ("DEPTHWISE_CONV_2D", "defect", "no-bias"),
    "ADD rounded down": ("ADD", "requantize", "floor"),
    "ADD without the output's zero point": ("ADD", "defect", "no-output-zero-point"),
    "AVERAGE_POOL_2D truncated": ("AVERAGE_POOL_2D", "round", "truncate"),
    "FULLY_CONNECTED that wraps": ("FULLY_CONNECTED", "defect", "wraps"),
}
Change = Callable[[int, Arrays, Arrays], Arrays]


def _last_is_stale(number: int, made: Arrays, before: Arrays) -> Arrays:
    """Replace the last element by that of the previous inference."""
    changed = made[0].copy()
    changed.reshape(-1)[-1] = before[0].reshape(-1)[-1]
    return (changed,)


def _previous(number: int, made: Arrays, before: Arrays) -> Arrays:
    """Return the previous outputs in every second inference."""
    return before if number % 2 else made


def _one_in(count: int) -> Change:
    """Return a fault that changes the lowest bit of the first element in every ``count``-th inference."""

    def change(number: int, made: Arrays, before: Arrays) -> Arrays:
        changed = made[0].copy()
        changed.reshape(-1)[0] ^= number % count == count - 1
        return (changed,)

    return change


def _short_of_the_rail(number: int, made: Arrays, before: Arrays) -> Arrays:
    """Limit outputs to 126."""
    return (np.minimum(made[0], 126),)


def _one_element(number: int, made: Arrays, before: Arrays) -> Arrays:
    """Subtract 1 from element 3 if it is -5."""
    changed = made[0].copy()
    changed.reshape(-1)[3] -= changed.reshape(-1)[3] == -5
    return (changed,)


#: Faults in the outputs of an operator.
HANDED = {
    "RESHAPE whose last element is stale": ("RESHAPE", _last_is_stale),
    "AVERAGE_POOL_2D that gives the answer before": ("AVERAGE_POOL_2D", _previous),
    "SOFTMAX, one answer in 20": ("SOFTMAX", _one_in(20)),
    "FULLY_CONNECTED, one answer in 200": ("FULLY_CONNECTED", _one_in(200)),
    "FULLY_CONNECTED that never gives 127": ("FULLY_CONNECTED", _short_of_the_rail),
    "DEPTHWISE_CONV_2D, one element where it is -5": ("DEPTHWISE_CONV_2D", _one_element),
}
FAULTS = (*COMPUTED, *HANDED)


class Faulty:
    """Reference with a fault, or without a fault, and the number of its invocations."""

    def __init__(self, fault: str = "") -> None:
        self.name = self.described = fault or "without a fault"
        self.invocations = 0
        found = load_arithmetic("litert-reference")
        if fault in COMPUTED:
            opcode, stage, variant = COMPUTED[fault]
            own = {**found.variants(opcode), stage: variant}
            found = replace(found, stages={**found.stages, opcode: own})
        self._arithmetic = found
        self._handed = HANDED.get(fault)

    def run(self, job: Job) -> Answer | Failure:
        """Compute all runs in order."""
        main = job.model.subgraphs[0]
        interpreter, made = ReferenceInterpreter(job.model, self._arithmetic), []
        change = self._handed[1] if self._handed and self._handed[0] in job.name else None
        before: Arrays | None = None
        for number, inputs in enumerate(job.runs):
            self.invocations += 1
            interpreter.restart()
            tensors = interpreter.run(main, inputs)
            outputs = tuple(tensors[i].copy() for i in main.outputs)
            made.append(change(number, outputs, before or outputs) if change else outputs)
            before = outputs
        return Answer(tuple(made))

    def close(self) -> None:
        """Do nothing: there is no process."""


def found(model: Model, fault: str, budget: int) -> tuple[bool, int]:
    """Return True if a verification detects a fault, and the number of invocations. A budget of 0 is no budget."""
    device = Faulty(fault)
    settings = Settings(budget=Budget(invocations=budget) if budget else None)
    report = verify(model, device, settings)
    return report.verdict == "fails", device.invocations


def main() -> int:
    """Print a row for each budget and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--model", default=str(MODEL), help="verified model")
    parser.add_argument("--budgets", type=int, nargs="*", default=BUDGETS, help="numbers of invocations")
    asked = parser.parse_args()
    model = load_model(asked.model)
    table = Table(title=f"{len(FAULTS)} planted faults, {Path(asked.model).name}")
    for head in ("budget", "invocations", "found", "found per 100", "missed"):
        table.add_column(head, justify="left" if head == "missed" else "right")
    wrong = False
    for budget in (*asked.budgets, 0):
        results = {fault: found(model, fault, budget) for fault in FAULTS}
        most = max(count for _, count in results.values())
        number = sum(seen for seen, _ in results.values())
        missed = ", ".join(fault for fault, (seen, _) in results.items() if not seen)
        table.add_row(str(budget or "none"), f"{most:,}", str(number), f"{100 * number / most:.1f}", missed)
        wrong |= found(model, "", budget)[0] or bool(budget and most > budget)
    Console().print(table)
    return int(wrong)


if __name__ == "__main__":
    raise SystemExit(main())
