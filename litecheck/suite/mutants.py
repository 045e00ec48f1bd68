"""Mutants of an operator, run on a case: those that its inputs detect, and the size of their differences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.arrays import Arrays, StackedRuns, stack_inferences
from litecheck.cases.merged_inferences import outputs_of, together
from litecheck.reference.defects.defects import defects_of
from litecheck.reference.engine.arithmetic import Arithmetic
from litecheck.reference.engine.dispatch import bind, compute_with_slots
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from litecheck.reference.registry import Variants, VariantSlot
from litecheck.reference.runtime_tensors import RunError
from litecheck.suite.case import SuiteCase
from litecheck.suite.manifest import DetectedMutant

#: Prefix of the name of a defect, as in an arithmetic file.
DEFECT = "defect"


@dataclass(frozen=True, slots=True)
class Mutant:
    """A mutant: another variant of a step, or a defect of the operator."""

    step: str
    variant: str

    @property
    def name(self) -> str:
        """Name of the mutant: ``requantize: single``, ``defect: no-bias``."""
        return f"{self.step}: {self.variant}"

    def under(self, arithmetic: Arithmetic, case: SuiteCase) -> Arithmetic:
        """Return the arithmetic with the mutant."""
        variants = {**_variants(case, arithmetic), self.step: self.variant}
        return arithmetic.under(case.opcode, variants)


def mutants(case: SuiteCase, arithmetic: Arithmetic) -> Iterator[Mutant]:
    """Yield every mutant of a case's operator: other variants of its active steps, then defects."""
    for cell in _active_steps(case, arithmetic):
        for variant in cell.others(_variants(case, arithmetic)):
            yield Mutant(cell.path, variant)
    for name in defects_of(case.opcode):
        yield Mutant(DEFECT, name)


def _variants(case: SuiteCase, arithmetic: Arithmetic) -> Variants:
    main = case.model.subgraphs[0]
    return arithmetic.variants_of(main, main.operators[0])


def _active_steps(case: SuiteCase, arithmetic: Arithmetic) -> tuple[VariantSlot, ...]:
    """Return the active steps of a case's operator; nothing for several operators, or if it cannot be computed."""
    main = case.model.subgraphs[0]
    if len(main.operators) != 1 or not case.runs:
        return ()
    operator, interpreter = main.operators[0], ReferenceInterpreter(case.model, arithmetic)
    tensors = dict(zip(main.inputs, case.runs[0], strict=True))
    try:
        operands = [interpreter.operand(main, i, tensors) if i >= 0 else None for i in operator.inputs]
        return compute_with_slots(bind(main, operator, arithmetic, interpreter), operands)[1]
    except RunError:
        return ()


def detected_mutants(
    case: SuiteCase, arithmetic: Arithmetic, expected: Sequence[NDArray[Any]]
) -> Iterator[DetectedMutant]:
    """Yield the mutants that a case detects; ``expected`` are the arithmetic's outputs with all runs stacked."""
    for mutant in mutants(case, arithmetic):
        try:
            actual = compute_outputs(case, ReferenceInterpreter(case.model, mutant.under(arithmetic, case)))
        except RunError:
            continue
        if found := find_detecting_runs(mutant.name, expected, actual):
            yield found


def find_detecting_runs(
    mutant: str, expected: Sequence[NDArray[Any]], actual: Sequence[NDArray[Any]]
) -> DetectedMutant | None:
    """Return the runs that detect a mutant; None if it gives the expected outputs. Other shapes have the distance FAR."""
    runs: set[int] = set()
    worst = 0
    for wanted, given in zip(expected, actual, strict=True):
        if wanted.shape != given.shape or wanted.dtype != given.dtype:
            return DetectedMutant(mutant, tuple(range(len(wanted))), FAR)
        differ = wanted != given
        if wanted.dtype.kind == "f":
            differ &= ~(np.isnan(wanted) & np.isnan(given))
        if differ.any():
            runs.update(np.flatnonzero(differ.reshape(len(differ), -1).any(1)).tolist())
            worst = max(worst, _distance(wanted[differ], given[differ]))
    return DetectedMutant(mutant, tuple(sorted(runs)), worst) if runs else None


#: Distance above every tolerance.
FAR = 2**31


def _distance(wanted: NDArray[Any], given: NDArray[Any]) -> int:
    """Return the largest difference: in LSB for integers, in units in the last place of the largest expected float."""
    if wanted.dtype.kind == "f":
        unit = np.spacing(np.abs(wanted[np.isfinite(wanted)]).max(initial=np.finfo(wanted.dtype).tiny))
        off = np.abs(given.astype(np.float64) - wanted.astype(np.float64)) / float(unit)
        return FAR if not np.isfinite(off).all() else int(min(FAR, np.ceil(off.max())))
    off = np.abs(given.astype(np.float64) - wanted.astype(np.float64))
    return int(min(FAR, off.max()))


def compute_outputs(case: SuiteCase, interpreter: ReferenceInterpreter) -> tuple[NDArray[Any], ...]:
    """Return the reference's outputs of a case, each with all runs stacked. Raise RunError."""
    if not case.lengths and together(case.model) > 1:
        return columns_of(outputs_of(interpreter, case.runs))
    return columns_of(list(_compute_one_by_one(case, interpreter)))


def columns_of(runs: Sequence[Arrays]) -> tuple[NDArray[Any], ...]:
    """Stack all runs of each output. Raise RunError if they differ in shape."""
    stacks = stack_inferences(runs)
    if isinstance(stacks, StackedRuns):
        return stacks.columns
    several = tuple(zip(*runs, strict=True))
    if any(len({array.shape for array in arrays}) > 1 for arrays in several):
        raise RunError("an output has other shapes for other inputs")
    return tuple(map(np.stack, several))


def even(case: SuiteCase, interpreter: ReferenceInterpreter) -> SuiteCase:
    """Return the case with the runs whose outputs have the shapes of the first run."""
    if case.lengths or not case.runs:
        return case
    shapes = [[array.shape for array in outputs] for outputs in _compute_one_by_one(case, interpreter)]
    kept = tuple(run for run, made in zip(case.runs, shapes, strict=True) if made == shapes[0])
    return replace(case, runs=kept, expected=())


def _compute_one_by_one(case: SuiteCase, interpreter: ReferenceInterpreter) -> Iterator[Arrays]:
    main, runs = case.model.subgraphs[0], iter(case.runs)
    for length in case.lengths or (1,) * len(case.runs):
        interpreter.restart()
        for _ in range(length):
            tensors = interpreter.run(main, next(runs))
            yield tuple(tensors[index] for index in main.outputs)
