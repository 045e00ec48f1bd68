"""Mutants that explain all outputs of a device."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from litecheck.model.load import model_from
from litecheck.reference.engine.arithmetic import Arithmetic
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from litecheck.reference.runtime_tensors import RunError
from litecheck.suite.case import SuiteCase
from litecheck.suite.manifest import CaseEntry, Suite
from litecheck.suite.mutants import Mutant, compute_outputs, mutants

#: A case with the device's outputs, all runs stacked.
Given = tuple[CaseEntry, Sequence[NDArray[Any]]]


def explaining(suite: Suite, cases: Sequence[Given], base: Arithmetic) -> tuple[str, ...]:
    """Return the mutants of an arithmetic that give exactly the device's outputs in all cases."""
    loaded = [(loaded_case(suite, case), outputs) for case, outputs in cases]
    left = list(dict.fromkeys(mutant for case, _ in loaded for mutant in mutants(case, base)))
    # Cases with the fewest output elements come first, so that a mutant that does not fit is excluded cheaply.
    for case, outputs in sorted(loaded, key=lambda pair: sum(a.size for a in pair[1])):
        left = [mutant for mutant in left if _gives(case, mutant, base, outputs)]
        if not left:
            break
    return tuple(mutant.name for mutant in left)


def loaded_case(suite: Suite, entry: CaseEntry) -> SuiteCase:
    """Restore a case from the suite's files."""
    return SuiteCase(
        entry.name, entry.opcode, entry.kind, entry.granularity, entry.title, entry.level,
        model_from(suite.model(entry), entry.model), suite.inputs(entry), entry.lengths,
    )  # fmt: skip


def _gives(case: SuiteCase, mutant: Mutant, base: Arithmetic, outputs: Sequence[NDArray[Any]]) -> bool:
    try:
        actual = compute_outputs(case, ReferenceInterpreter(case.model, mutant.under(base, case)))
    except RunError:
        return False
    return len(actual) == len(outputs) and all(
        a.dtype == b.dtype and a.tobytes() == b.tobytes() for a, b in zip(actual, outputs, strict=True)
    )
