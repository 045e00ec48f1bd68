"""Comparison of a device's outputs of a case with the expected outputs, and the verdict on the case."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.cases.inputs import quantize_input
from litecheck.comparison.difference import difference
from litecheck.comparison.errata import known_fault
from litecheck.comparison.missing_kernels import missing_kernel
from litecheck.comparison.types import Difference
from litecheck.comparison.vector_tails import SharedTail, shared_tail
from litecheck.devices.outcome import Outcome
from litecheck.model.load import model_from
from litecheck.model.types import Model, Tensor
from litecheck.profile.operators import traits_of
from litecheck.suite.case_outcome import CaseOutcome
from litecheck.suite.executed_case import ENDINGS, ExecutedCase, broken_ending, delegation_status
from litecheck.suite.expected_outputs import ExpectedOutputs
from litecheck.suite.manifest import CaseEntry, Suite
from litecheck.suite.repetition import history, messages
from litecheck.suite.results import CaseResult, SuiteResults
from litecheck.suite.verdict import CaseVerdict
from litecheck.verification.case_verdict import Tolerances

#: Outcomes with known faults, by ending.
_OUTCOMES = {CaseOutcome.FAILED: Outcome.MISMATCH, CaseOutcome.FLAKY: Outcome.FLAKY}


def _outputs_of(content: bytes, name: str) -> tuple[Tensor, ...]:
    main = model_from(content, name).subgraphs[0]
    return tuple(main.tensors[i] for i in main.outputs)


@dataclass(frozen=True, slots=True, eq=False)
class CaseComparison:
    """A suite with a device's results, tolerances and expected outputs."""

    suite: Suite
    results: SuiteResults
    tolerances: Tolerances
    answers: ExpectedOutputs

    def compare_case(self, case: CaseEntry, claimed: Sequence[str]) -> ExecutedCase:
        """Return a case with the device's outputs and the names of the arithmetics that give all of them."""
        result = self.results.cases.get(case.name)
        if result is None or not result.answered or case.broken:
            return ExecutedCase(case, result)
        tensors = cache(partial(_outputs_of, self.suite.model(case), case.model))
        outputs = self.results.outputs(result)
        wanted = case.answers[0].outputs
        if len(outputs) != len(wanted):
            return ExecutedCase(case, result, wrong=f"{len(outputs)} outputs, the model has {len(wanted)}")
        if any(a.dtype.kind == "f" != np.dtype(e.dtype).kind for a, e in zip(outputs, wanted, strict=True)):
            outputs = tuple(map(quantize_input, tensors(), outputs))
        for number, (entry, given) in enumerate(zip(wanted, outputs, strict=True)):
            if given.shape != entry.shape or given.dtype.name != entry.dtype:
                told = f"output {number} is {given.dtype} of shape {list(given.shape[1:])}"
                told += f", it should be {entry.dtype} of shape {list(entry.shape[1:])}"
                return ExecutedCase(case, result, tensors, outputs, wrong=told)
        one = ExecutedCase(case, result, tensors, outputs)
        every = self.answers.every(case, claimed)
        fits = [name for names, expected in every if self._is_equal(one, expected) for name in names]
        return ExecutedCase(case, result, tensors, outputs, tuple(fits))

    def _is_equal(self, one: ExecutedCase, expected: Sequence[NDArray[Any]]) -> bool:
        """Return True if integers are equal and floats are within the tolerance (sums in another order)."""
        pairs = zip(expected, one.outputs, strict=True)
        if all(e.tobytes() == a.tobytes() for e, a in pairs):
            return True
        if all(e.dtype.kind != "f" for e in expected):
            return False
        return not any(
            d.mismatches if d.unit == "LSB" else d.beyond for d in self._differences(one, expected)
        )

    def _differences(self, one: ExecutedCase, expected: Sequence[NDArray[Any]]) -> list[Difference]:
        return [
            difference(tensor, list(e), list(a), self.tolerances.of(one.case.opcode, tensor.dtype)[0])
            for tensor, e, a in zip(one.tensors(), expected, one.outputs, strict=True)
        ]

    def verdict(self, one: ExecutedCase, arithmetic: str) -> CaseVerdict:
        """Return the verdict on an executed case under an arithmetic."""
        case, result = one.case, one.result
        head = (case.name, case.opcode, case.kind, case.granularity, case.title)
        if result is None:
            absent = CaseOutcome.NOT_TESTED if case.broken else CaseOutcome.MISSING
            return CaseVerdict(*head, absent, broken=case.broken, effect=case.effect)
        tail: dict[str, Any] = {
            "seconds": result.seconds, "delegated": delegation_status(result), "broken": case.broken, "effect": case.effect,
        }  # fmt: skip
        if case.broken:
            return CaseVerdict(*head, broken_ending(case, result), message=result.message, **tail)
        if not result.answered or one.wrong:
            outcome = Outcome.WRONG_SHAPE if result.answered else Outcome(result.outcome)
            if reason := missing_kernel(self.results.facts.device, self._model(case), outcome):
                said = f"{reason}\n{result.message}"
                return CaseVerdict(*head, CaseOutcome.NOT_SUPPORTED, message=said, **tail)
            fault = self._fault(case, outcome)
            return CaseVerdict(
                *head, ENDINGS[outcome.value], message=one.wrong or result.message, fault=fault, **tail
            )
        if result.delegated is not None and not all(result.delegated):
            return CaseVerdict(*head, CaseOutcome.NOT_DELEGATED, message=result.message, **tail)
        name, expected = self.answers.under(case, arithmetic)
        differences = [] if arithmetic in one.fits else self._differences(one, expected)
        worst = max(differences, key=lambda d: (d.beyond, abs(d.largest)), default=None)
        ending, message = self._find_ending(one, result, differences, expected)
        spot = None if worst is None else worst.worst
        return CaseVerdict(
            *head,
            ending,
            elements=sum(int(array.size) for array in expected),
            mismatches=sum(d.mismatches for d in differences),
            arithmetic=name,
            fits=one.fits,
            tolerance=max(self.tolerances.of(case.opcode, e.dtype)[0] for e in case.answers[0].outputs),
            unit=worst.unit if worst else "LSB",
            worst=float(worst.largest) if worst else 0.0,
            at=spot,
            operands=self._operands(case, spot.run, spot.index) if spot else (),
            patterns=worst.patterns if worst and ending is CaseOutcome.FAILED else (),
            message=message,
            fault=self._fault(case, _OUTCOMES[ending]) if ending in _OUTCOMES else "",
            **tail,
        )

    def _find_ending(
        self,
        one: ExecutedCase,
        result: CaseResult,
        differences: Sequence[Difference],
        expected: Sequence[NDArray[Any]],
    ) -> tuple[CaseOutcome, str]:
        """Return the ending of a case with comparable outputs, and its message."""
        if result.outcome == Outcome.FLAKY.value:
            return CaseOutcome.FLAKY, result.message
        if not any(d.mismatches for d in differences):
            return CaseOutcome.PASSED, result.message
        beyond = any(d.beyond for d in differences)
        ending = CaseOutcome.FAILED if beyond else CaseOutcome.TOLERATED
        if one.case.lengths:  # an inference with state depends on the inferences before
            return ending, result.message
        flaky, said = messages(history(self.suite, one.case, expected, one.outputs))
        if flaky:
            ending = CaseOutcome.FLAKY
        told = said if flaky or beyond else ()
        return ending, "\n".join(filter(None, (*told, result.message)))

    def tail(self, compared: Sequence[ExecutedCase], verdicts: Sequence[CaseVerdict]) -> SharedTail | None:
        """Return the tail that has all differences of the failing cases in their first outputs."""
        found = []
        for one, verdict in zip(compared, verdicts, strict=True):
            if verdict.ending is CaseOutcome.FAILED and verdict.mismatches and verdict.unit == "LSB":
                expected = self.answers.under(one.case, verdict.arithmetic)[1][0]
                wrong = (expected != one.outputs[0]).reshape(len(expected), -1).any(axis=0)
                found.append((expected.shape[1:], np.flatnonzero(wrong)))
        return shared_tail(found)

    def _fault(self, case: CaseEntry, outcome: Outcome) -> str:
        """Return the known fault of the device's runtime for this case."""
        return known_fault(self.results.facts.device, self._model(case), outcome)

    def _model(self, case: CaseEntry) -> Model:
        return model_from(self.suite.model(case), case.model)

    def _operands(self, case: CaseEntry, run: int, index: tuple[int, ...]) -> tuple[float, ...]:
        """Return the inputs of an element, for elementwise operators."""
        if not traits_of(case.opcode).elementwise:
            return ()
        stacks = [self.suite.stack(entry)[run] for entry in case.inputs]
        shape = case.answers[0].outputs[0].shape[1:]
        try:
            return tuple(float(np.broadcast_to(stack, shape)[index]) for stack in stacks)
        except (ValueError, IndexError):
            return ()
