"""Choice of int8, int16x8 or float32 for each operator: the highest SNR within a size, or the smallest file with an SNR.

Each operator's cost is measured alone. A greedy order of moves, the largest gain per byte first, gives a chain of models. A
bisection finds the last that fits the size, or the first with the SNR, and measures it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from litecheck.errors import ConfigError
from litecheck.files import bytes_text
from litecheck.summary_text import count_of

#: Bytes of the QUANTIZE and DEQUANTIZE around an operator of another type, roughly.
BORDER = 256
#: Ratio of the sizes of files that count as equally small.
NEAR = 1.02
#: SNRs that differ by at most so many dB count as equal.
EQUAL_SNR = 0.1
_UNITS = {"KB": 10**3, "MB": 10**6, "GB": 10**9, "B": 1}


@dataclass(frozen=True, slots=True)
class ConversionBudget:
    """A limit of a conversion: the size of the file in bytes, or the SNR in dB of the lowest output channel."""

    kind: Literal["size", "snr"]
    limit: float
    text: str = field(default="", compare=False)

    def __str__(self) -> str:
        return self.text


def parse_budget(text: str) -> ConversionBudget:
    """Return the budget of a text. Raises ConfigError. Examples: ``size=2MB``, ``snr=30``."""
    kind, equals, number = text.partition("=")
    unit = next((unit for unit in _UNITS if number.upper().endswith(unit)), "") if kind == "size" else ""
    try:
        limit = float(number[: len(number) - len(unit)]) * _UNITS.get(unit, 1)
    except ValueError:
        limit = math.nan
    if not equals or kind not in ("size", "snr") or not 0 < limit < math.inf:
        raise ConfigError(f"--budget {text}: expected a size or an SNR in dB, as in size=2MB or snr=30")
    return ConversionBudget("size" if kind == "size" else "snr", limit, text)


def check_size(budget: ConversionBudget, int8: int, operators: int) -> None:
    """Raise ConfigError for a size that no choice can reach, before costs are measured.

    An operator in float32 saves less than ``BORDER`` bytes of scales. Example: 16 operators and an int8 file of 96 kB
    rule out ``size=90KB``.
    """
    if budget.kind == "size" and budget.limit < int8 - BORDER * operators:
        raise ConfigError(
            f"--budget {budget}: no choice of operators is within it; int8 has {bytes_text(int8)}"
        )


@dataclass(frozen=True, slots=True)
class OperatorCost:
    """The costs of an operator: the noise it adds as int8 and as int16x8, relative to the outputs' power.

    ``wide`` is None if the operator has no int16x8 form. ``weights`` is the number of its 8-bit weights. ``steps`` are the
    operators of the other steps of an unrolled loop, which get the same type; the costs are those of all steps.
    """

    number: int
    narrow: float
    wide: float | None
    weights: int
    steps: tuple[int, ...] = ()

    @property
    def numbers(self) -> tuple[int, ...]:
        """All operators, by number."""
        return (self.number, *self.steps)


@dataclass(frozen=True, slots=True)
class TypeAssignment:
    """The operators with 16-bit activations and those in float32, by number. All others are int8."""

    int16x8: frozenset[int] = frozenset()
    real: frozenset[int] = frozenset()

    def __str__(self) -> str:
        wide, real = len(self.int16x8), len(self.real)
        parts = ((wide, "int16x8"), (real, "float32"))
        return ", ".join(f"{count_of(n, 'operator')} {to}" for n, to in parts if n) or "int8"


@dataclass(frozen=True, slots=True)
class TriedAssignment:
    """An assignment with the size of its file in bytes and the SNR in dB of its lowest output channel."""

    assignment: TypeAssignment
    size: int
    snr: float


@dataclass(frozen=True, slots=True)
class BudgetChoice:
    """The chosen assignment, and the uniform assignments for comparison: all int8, and all int16x8."""

    budget: ConversionBudget
    trial: TriedAssignment
    uniform: tuple[TriedAssignment, ...]


@dataclass(slots=True)
class Trials:
    """Assignments that were tried, each once."""

    measure: Callable[[TypeAssignment], TriedAssignment]
    trials: dict[TypeAssignment, TriedAssignment] = field(default_factory=dict)

    def __call__(self, assignment: TypeAssignment) -> TriedAssignment:
        """Return an assignment with its size and SNR."""
        if assignment not in self.trials:
            self.trials[assignment] = self.measure(assignment)
        return self.trials[assignment]


def choose_assignment(
    budget: ConversionBudget,
    costs: Sequence[OperatorCost],
    measure: Callable[[TypeAssignment], TriedAssignment],
    real: int,
) -> BudgetChoice:
    """Return the best assignment that was tried within a budget. Raises ConfigError if none is within it.

    ``real`` is the size of the float model in bytes. Mixed files larger than this and than int8 are no choice.
    """
    trials = Trials(measure)
    wide = TypeAssignment(frozenset(n for one in costs if one.wide is not None for n in one.numbers))
    uniform = (TypeAssignment(), wide)
    for start in uniform:
        _bisect(budget, chain(start, costs), trials)
    found = [trials(one) for one in uniform]
    small = [one for one in trials.trials.values() if one.size <= max(real, found[0].size)]
    fitting = [one for one in small if _fits(budget, one)]
    if not fitting and budget.kind == "size":
        least = min(one.size for one in small)
        raise ConfigError(
            f"--budget {budget}: no choice of operators is within it; the nearest has {bytes_text(least)}"
        )
    if not fitting:
        most = max(one.snr for one in small)
        largest = bytes_text(max(real, found[0].size))
        raise ConfigError(
            f"--budget {budget}: no tried choice of operators reaches it in a file of at most {largest}, the size of the "
            f"float model or of int8; the nearest has {most:.1f} dB in its lowest channel"
        )
    return BudgetChoice(budget, _best(budget, fitting), tuple(found))


def budget_warning(choice: BudgetChoice | None, samples: int, snr: float) -> tuple[str, ...]:
    """Return a warning if the SNR of the choice is lower on all samples than the budget."""
    if choice is None or choice.budget.kind == "size" or snr >= choice.budget.limit:
        return ()
    return (
        f"--budget {choice.budget}: the lowest channel has {snr:.1f} dB on all {count_of(samples, 'sample')}, and "
        f"{choice.trial.snr:.1f} dB on those of the search. Next step: search on more --samples",
    )


def _best(budget: ConversionBudget, fitting: Sequence[TriedAssignment]) -> TriedAssignment:
    """Return the assignment for a budget: for an SNR, that with most operators in int8 of the smallest files.

    For a size, it is the assignment with the highest SNR. Of equal SNRs, the fewest float32 operators and the smallest file
    count. Example: 33.98 dB in 7.5 kB without float32 operators comes before 33.99 dB in 8.0 kB with one.
    """
    if budget.kind == "size":
        most = max(one.snr for one in fitting)
        equal = (one for one in fitting if one.snr >= most - EQUAL_SNR)
        return min(equal, key=lambda one: (len(one.assignment.real), one.size, -one.snr))
    smallest = min(one.size for one in fitting)
    near = (one for one in fitting if one.size <= smallest * NEAR)
    return min(near, key=lambda one: (len(one.assignment.real), len(one.assignment.int16x8), one.size))


def chain(start: TypeAssignment, costs: Sequence[OperatorCost]) -> list[TypeAssignment]:
    """Return assignments from a start on, each with one more operator in int16x8 or float32, largest gain per byte first.

    At least one operator stays quantized.
    """
    moves = sorted(_moves(start, costs), key=lambda move: -move[0])
    found, wide, real = [start], set(start.int16x8), set(start.real)
    for _, one, to in moves:
        (wide if to == "int16x8" else real).update(one.numbers)
        wide -= real
        if len(real) < sum(len(cost.numbers) for cost in costs):
            found.append(TypeAssignment(frozenset(wide), frozenset(real)))
    return found


def _moves(start: TypeAssignment, costs: Sequence[OperatorCost]) -> list[tuple[float, OperatorCost, str]]:
    """Return (gain per byte, operator, type) of every move. The gain of a later move of an operator is not larger."""
    moves: list[tuple[float, OperatorCost, str]] = []
    for one in costs:
        noise, most, border = one.narrow, math.inf, BORDER * len(one.numbers)
        if one.wide is not None:
            if one.number not in start.int16x8:
                most = max(noise - one.wide, 0.0) / border
                moves.append((most, one, "int16x8"))
            noise = one.wide
        moves.append((min(noise / (border + 3 * one.weights), most), one, "float32"))
    return moves


def _bisect(budget: ConversionBudget, states: Sequence[TypeAssignment], trials: Trials) -> None:
    """Try the last assignment of a chain within a size, or the first with an SNR. Sizes and SNRs rise along the chain."""
    low, high = 0, len(states) - 1
    while low < high:
        middle = (low + high + (budget.kind == "size")) // 2
        fits = _fits(budget, trials(states[middle]))
        if budget.kind == "size":
            low, high = (middle, high) if fits else (low, middle - 1)
        else:
            low, high = (low, middle) if fits else (middle + 1, high)
    trials(states[low])


def _fits(budget: ConversionBudget, one: TriedAssignment) -> bool:
    return one.size <= budget.limit if budget.kind == "size" else one.snr >= budget.limit


def noise_of(snr: float) -> float:
    """Return the power of an error relative to the signal. Example: 20 dB give 0.01."""
    return 0.0 if snr == math.inf else 10.0 ** (-snr / 10)


def operator_costs(
    narrow: Mapping[int, float],
    wide: Mapping[int, float],
    can_widen: frozenset[int],
    weights: Mapping[int, int],
    steps: Mapping[int, tuple[int, ...]],
) -> tuple[OperatorCost, ...]:
    """Return the costs of operators from the SNRs of each alone, as int8 and as int16x8.

    Operators without a measured int16x8 form add no noise there: they have no 8-bit weights.
    """
    return tuple(
        OperatorCost(
            number,
            noise_of(snr),
            noise_of(wide.get(number, math.inf)) if number in can_widen else None,
            weights.get(number, 0),
            steps.get(number, ()),
        )
        for number, snr in narrow.items()
    )
