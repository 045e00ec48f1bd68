"""Comparison of a device's outputs with the admissible arithmetics, within the tolerances of a profile."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from litecheck.arrays import Arrays, column, has_equal_layout, same
from litecheck.cases.inputs import quantize_input
from litecheck.cases.saturation import saturates
from litecheck.cases.sequences import access_pattern
from litecheck.cases.sweeps import exhaustive
from litecheck.comparison.difference import difference
from litecheck.comparison.types import Difference
from litecheck.comparison.whole_outputs import OutputHistory, similarity
from litecheck.comparison.wording import left_over_sentence, likeness_sentence, unrepeated_sentence
from litecheck.devices.outcome import Outcome
from litecheck.devices.port import Answer, Failure
from litecheck.profile.conformance import EVERY
from litecheck.profile.load import load_profile
from litecheck.profile.types import Conformance, Profile
from litecheck.quantization import INTEGER_RANGES
from litecheck.reference.engine.arithmetic import Arithmetic
from litecheck.summary_text import count_of
from litecheck.verification.jobs import CaseJob

#: Profile whose tolerances apply without a profile, and to operators that a profile does not mention.
DEFAULT_TOLERANCES_PROFILE = "litert-runtime"


@dataclass(frozen=True, slots=True, eq=False)
class JudgedAnswer:
    """Comparison of an answer: outcome, message, and the compared outputs of each inference.

    ``still_possible`` are the published arithmetics that agree with this case and with all earlier cases; an answer
    that cannot be compared excludes none. ``nearest`` is the admissible arithmetic that fits, or the arithmetic with
    the fewest elements beyond the tolerance. Its name is in ``arithmetic`` if it fits within the tolerance, in
    ``against`` if it does not and several are admissible. ``exact_under`` are the admissible arithmetics that fit
    exactly, ``also`` the published arithmetics outside them that do.
    """

    outcome: Outcome
    message: str
    still_possible: frozenset[str]
    actual: Sequence[Arrays] = ()
    differences: tuple[Difference, ...] = ()
    nearest: Arithmetic | None = None
    arithmetic: str = ""
    against: str = ""
    also: tuple[str, ...] = ()
    exact_under: tuple[str, ...] = ()

    @property
    def mismatches(self) -> int:
        """Number of differing elements in all outputs."""
        return sum(d.mismatches for d in self.differences)


@dataclass(frozen=True, slots=True, eq=False)
class _NearestComparison:
    """The nearest admissible arithmetic, the differences from it, and the published and admissible arithmetics that
    fit."""

    nearest: Arithmetic
    differences: tuple[Difference, ...]
    fits: frozenset[str]
    exact_under: tuple[str, ...]

    @property
    def outcome(self) -> Outcome:
        if any(d.beyond for d in self.differences):
            return Outcome.MISMATCH
        return Outcome.WITHIN if any(d.mismatches for d in self.differences) else Outcome.EXACT


@dataclass(frozen=True, slots=True, eq=False)
class Judge:
    """Admissible arithmetics, published arithmetics for comparison, and tolerances."""

    admissible: tuple[Arithmetic, ...]
    published: tuple[Arithmetic, ...]
    tolerances: Tolerances

    def __call__(self, job: CaseJob, answer: Answer | Failure, viable: frozenset[str]) -> JudgedAnswer:
        """Compare an answer with the expected outputs. ``viable`` names the published arithmetics to compare."""
        if isinstance(answer, Failure):
            return JudgedAnswer(answer.outcome, answer.message, viable)
        message = answer.message or job.note
        if answer.delegated is not None and not all(answer.delegated):
            return JudgedAnswer(Outcome.NOT_DELEGATED, _not_delegated_text(answer.delegated, message), viable)
        known = (job.expected(a) for a in self.admissible)
        expected = next((outputs for outputs in known if outputs is not None), None)
        if expected is None:
            return JudgedAnswer(Outcome.NO_REFERENCE, message, viable)
        actual = _arrange_outputs(job, answer, expected)
        if isinstance(actual, str):
            return JudgedAnswer(Outcome.WRONG_SHAPE, actual, frozenset())
        first_runs = actual[: len(job.stimuli)]
        compared = self._compare(job, first_runs, viable)
        outcome, said = self._outcome_and_messages(job, answer, compared, actual)
        name, fitting = compared.nearest.name, compared.outcome.good
        admissible = frozenset(a.name for a in self.admissible)
        return JudgedAnswer(
            outcome=outcome,
            message="\n".join(filter(None, (*said, message if not answer.ended else ""))),
            still_possible=compared.fits & viable,
            actual=first_runs,
            differences=compared.differences,
            nearest=compared.nearest,
            arithmetic=name if fitting else "",
            against="" if fitting or len(admissible) == 1 else name,
            also=() if _integers_exact(compared.differences) else tuple(sorted(compared.fits - admissible)),
            exact_under=compared.exact_under,
        )

    def _outcome_and_messages(
        self, job: CaseJob, answer: Answer, compared: _NearestComparison, actual: Sequence[Arrays]
    ) -> tuple[Outcome, tuple[str, ...]]:
        """Return the outcome of a comparable case and its messages.

        Messages cover answers that differ between inferences, outputs left over from an earlier inference, a
        crash after the answer, and the device's handling of state.
        """
        outcome, said = compared.outcome, tuple[str, ...]()
        expected = job.expected(compared.nearest)
        if expected is not None:
            history = OutputHistory(job.order, job.stimuli.kinds, expected, actual)
            if unrepeated := history.flaky():
                outcome, said = Outcome.FLAKY, (unrepeated_sentence(unrepeated),)
            if outcome in (Outcome.FLAKY, Outcome.MISMATCH) and (stale := history.find_stale_output()):
                said = (*said, left_over_sentence(stale))
        if outcome is Outcome.EXACT and _is_saturated(job, actual):
            outcome = Outcome.SATURATED
        if job.state_unchecked and outcome.good:
            outcome = Outcome.INITIAL_ONLY
        if answer.ended:
            told = f"{answer.ended} after it had answered; its answer: {outcome.value}. {answer.message}"
            return Outcome.CRASHED, (told.strip(),)
        if job.memory and outcome is Outcome.MISMATCH:
            fed = actual[: len(job.stimuli)]
            said = (access_pattern(job.case, job.stimuli, fed, compared.nearest), *said)
        return outcome, said

    def _compare(self, job: CaseJob, actual: Sequence[Arrays], viable: frozenset[str]) -> _NearestComparison:
        tried = [(a, self._differences(job, actual, a)) for a in self.admissible]
        known = [(a, found) for a, found in tried if found is not None]
        arithmetic, found = next(
            (pair for pair in known if not any(d.mismatches for d in pair[1])),
            next((pair for pair in known if not any(d.beyond for d in pair[1])), None),
        ) or min(known, key=lambda pair: _distance(pair[1]))
        # After a mismatch, every published arithmetic is compared: the report names those that fit.
        asked = viable if _integers_exact(found) else frozenset(a.name for a in self.published)
        fits = {a.name for a in self.published if a.name in asked and self._agrees_with(job, actual, a)}
        exact_under = tuple(a.name for a, differences in known if _integers_exact(differences))
        return _NearestComparison(arithmetic, found, frozenset(fits), exact_under)

    def _agrees_with(self, job: CaseJob, actual: Sequence[Arrays], arithmetic: Arithmetic) -> bool:
        """Return True if the outputs agree with an arithmetic. Equal arrays are the cheap, usual case."""
        expected = job.expected(arithmetic)
        if expected is None:
            return False
        if same(expected, actual):
            return True
        if all(a.dtype.kind != "f" for a in actual[0]):
            return False
        return _integers_exact(self._differences(job, actual, arithmetic) or ())

    def _differences(
        self, job: CaseJob, actual: Sequence[Arrays], arithmetic: Arithmetic
    ) -> tuple[Difference, ...] | None:
        expected = job.expected(arithmetic)
        if expected is None:
            return None
        case, found = job.case, []
        for at, index in enumerate(case.submodel.outputs):
            tensor = case.subgraph.tensors[index]
            tolerance = max(self.tolerances.of(op.opcode, tensor.dtype)[0] for op in case.operators)
            found.append(
                difference(tensor, column(expected, at), column(actual, at), tolerance, job.stimuli.kinds)
            )
        return tuple(found)


def _is_saturated(job: CaseJob, actual: Sequence[Arrays]) -> bool:
    """Return True if all outputs saturate, and the inputs were not tried completely."""
    return saturates(job.case, actual) and not exhaustive(job.case, job.stimuli)


def _integers_exact(found: tuple[Difference, ...]) -> bool:
    """Return True if integers are equal and floats are within the tolerance (sums in another order)."""
    return not any(d.mismatches if d.unit == "LSB" else d.beyond for d in found)


def _distance(found: tuple[Difference, ...]) -> tuple[int, int]:
    """Return the distance from an arithmetic: (elements beyond the tolerance, elements that differ)."""
    return sum(d.beyond for d in found), sum(d.mismatches for d in found)


def _not_delegated_text(delegated: Sequence[bool], message: str) -> str:
    left = delegated.count(False)
    what = "the device did not take it" if left == len(delegated) else f"{left} of its outputs were left"
    return f"{what}: the runtime computed it. {message}".strip()


def _arrange_outputs(job: CaseJob, answer: Answer, expected: Sequence[Arrays]) -> Sequence[Arrays] | str:
    """Return the answer, with floats quantized if the model has integers; or a description of the misfit."""
    case = job.case
    tensors = [case.subgraph.tensors[i] for i in case.submodel.outputs]
    order = job.order
    if len(answer.runs) != len(order):
        return f"{len(answer.runs)} answers to {count_of(len(order), 'inference')}"
    if has_equal_layout(expected, answer.runs):
        return answer.runs
    arranged = []
    for number, run in zip(order, answer.runs, strict=True):
        if len(run) != len(tensors):
            return f"{count_of(len(run), 'output')}, the model has {len(tensors)}"
        arrays = tuple(quantize_input(t, a) for t, a in zip(tensors, run, strict=True))
        for tensor, array, like in zip(tensors, arrays, expected[number], strict=True):
            if array.dtype != like.dtype or array.shape != like.shape:
                given, wanted = _array_text(array), _array_text(like)
                guess = similarity(tensor, array, like)
                hint = f": {likeness_sentence(guess, str(like.dtype))}" if guess else ""
                return f"'{tensor.name}' is {given}, it should be {wanted}{hint}"
        arranged.append(arrays)
    return arranged


def _array_text(array: NDArray[Any]) -> str:
    return f"{array.dtype} of shape {list(array.shape)}"


@dataclass(frozen=True, slots=True)
class Tolerances:
    """Conformance entries of profiles, in order of precedence."""

    stated: tuple[Mapping[str, Conformance], ...]

    def of(self, opcode: str, dtype: str) -> tuple[float, str]:
        """Return (tolerance, reason) for an operator's output of a type; (0, "") if no profile declares a tolerance.

        The unit is LSB for integers, and a share of the largest magnitude for floats.
        """
        for entry in self._entries(opcode):
            value = entry.tolerance if dtype in INTEGER_RANGES or dtype == "bool" else entry.reals
            if value is not None:
                return float(value), entry.because
        return 0.0, ""

    def _entries(self, opcode: str) -> Iterator[Conformance]:
        for conformance in self.stated:
            yield from (conformance[key] for key in (opcode, EVERY) if key in conformance)


def tolerances(profile: Profile | None) -> Tolerances:
    """Return the tolerances of a profile; litert-runtime supplies the entries that the profile omits."""
    fallback = load_profile(DEFAULT_TOLERANCES_PROFILE).conformance
    return Tolerances((profile.conformance, fallback) if profile else (fallback,))
