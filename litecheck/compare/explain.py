"""The worst element of an operator followed from its exact value to what every known way of rounding makes of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from litecheck.arrays import Arrays
from litecheck.cases.parts import Case
from litecheck.compare.accumulator import exact
from litecheck.compare.element import ElementSite, Exact, Index, Operands, crop, crop_narrowly, needed
from litecheck.compare.types import Candidate, Difference, Explained, Spot, Variant
from litecheck.model.types import Operator
from litecheck.quantization import INTEGER_RANGES
from litecheck.reference.defects.defects import defects_of
from litecheck.reference.defects.registry import DEFECTS
from litecheck.reference.engine.arithmetic import Arithmetic
from litecheck.reference.engine.dispatch import BoundKernel, bind, compute, compute_noting
from litecheck.reference.engine.interpreter import Machine
from litecheck.reference.numerics.fixedpoint import quantize_multiplier
from litecheck.reference.numerics.fused import stored_bounds
from litecheck.reference.operands import Operand, OutputSpec, RunError
from litecheck.reference.registry import Cell

#: Digits behind the point that are always shown, and the most that tell a value from a tie.
DIGITS, MOST_DIGITS = 4, 20
_HALF = Fraction(1, 2)
Cut = tuple[BoundKernel, Operands, Index]
_ROUNDINGS: dict[str, Callable[[Fraction], int]] = {
    "half away": lambda q: (1 if q >= 0 else -1) * math.floor(abs(q) + _HALF),
    "half up": lambda q: math.floor(q + _HALF),
    "half even": round,
    "truncation": math.trunc,
}


def explain_outputs(
    case: Case,
    inputs: Sequence[Arrays],
    found: Sequence[Difference],
    arithmetic: Arithmetic,
    others: Sequence[Arithmetic],
    runs: Sequence[str] = (),
    spots: Sequence[Spot | None] | None = None,
) -> tuple[Difference, ...]:
    """Every output with an element explained: the worst at which neither side is at a rail, the worst where there is
    none, or the one that ``spots`` has for it. Real outputs stay as they are.

    ``inputs`` are those of each run, ``runs`` what sentences call them.
    """
    told = []
    chosen = [d.free or d.worst for d in found] if spots is None else spots
    for output, spot in zip(found, chosen, strict=True):
        why = None
        if spot is not None and output.unit == "LSB":
            name = runs[spot.run] if runs else ""
            shown = replace(output, worst=spot)
            why = explain(case, inputs[spot.run], shown, arithmetic, others, name)
            if why is not None and spot != output.worst:
                why = replace(why, spot=spot)
        told.append(replace(output, explained=why))
    return tuple(told)


def explain(
    case: Case,
    inputs: Arrays,
    difference: Difference,
    arithmetic: Arithmetic,
    others: Sequence[Arithmetic],
    run: str = "",
) -> Explained | None:
    """The worst element of ``difference``, an output of a case of one operator, under the arithmetic it was judged by.

    ``inputs`` are those of the run the worst element is from, in the order of the case's; ``run`` is that run's name.
    ``others`` are arithmetics to look at beside it. None for segments, for real outputs, and where there is no kernel.
    """
    if len(case.operators) != 1 or difference.worst is None or difference.unit != "LSB":
        return None
    if difference.tensor not in case.cut.outputs:
        return None
    try:
        element = _Element.of(case, inputs, difference, arithmetic)
        known = element.candidates(others, int(difference.worst.expected))
    except RunError:
        return None
    value = exact(element.operator.opcode, element.site)
    rounded = element.rounded(value) if value else ()
    device = int(difference.worst.actual)
    found = Explained(
        index=difference.worst.index,
        run=repr(run) if run else str(difference.worst.run),
        arithmetic=arithmetic.name,
        variants=tuple(Variant(cell.path, element.bound.variants[cell.step]) for cell in element.active),
        expected=int(difference.worst.expected),
        device=device,
        candidates=(*rounded, *known),
    )
    return found if value is None else _followed(found, value, element.bounds)


def _followed(found: Explained, value: Exact, bounds: tuple[int, int]) -> Explained:
    """The element with its exact value, from the accumulator on where it has one."""
    shown = decimals(value.quotient)
    found = replace(
        found,
        quotient=shown,
        precise=value.exact and Fraction(shown) == value.quotient,
        real=not value.exact,
        zero_point=value.zero_point,
        shifted=decimals(value.quotient + value.zero_point) if value.zero_point else "",
        needs=None if found.device == found.expected else needed(value, found.device, *bounds),
    )
    if value.accumulator is None or value.multiplier is None:
        return found
    multiplier = float(value.multiplier)
    fixed = quantize_multiplier(multiplier)
    return replace(found, accumulator=value.accumulator, multiplier=multiplier, fixed=fixed)


def decimals(value: Fraction) -> str:
    """A fraction in decimals: four, or as many more as tell it from a tie it is not: ``6.5000``, ``6.49999994``."""
    tie = math.floor(value) + _HALF
    for digits in range(DIGITS, MOST_DIGITS + 1):
        scaled = round(abs(value) * 10**digits)
        if value == tie or Fraction(scaled, 10**digits) != abs(tie):
            break
    whole, part = divmod(scaled, 10**digits)
    return f"{'-' if value < 0 and scaled else ''}{whole}.{part:0{digits}d}"


def active_cells(case: Case, inputs: Arrays, arithmetic: Arithmetic) -> tuple[Cell, ...]:
    """The steps that decide what a case's one operator makes of these inputs. Raises RunError without a kernel."""
    machine, subgraph = Machine(case.cut.model, arithmetic), case.cut.model.subgraphs[0]
    operator, tensors = subgraph.operators[0], dict(zip(subgraph.inputs, inputs, strict=True))
    operands = tuple(machine.operand(subgraph, i, tensors) if i >= 0 else None for i in operator.inputs)
    bound = bind(subgraph, operator, arithmetic, machine)
    return compute_noting(bound, operands)[1]


@dataclass(frozen=True, slots=True, eq=False)
class _Element:
    """One element of an output of an operator that can be computed in many ways."""

    operator: Operator
    machine: Machine
    bound: BoundKernel
    operands: tuple[Operand | None, ...]
    site: ElementSite
    output: int
    active: tuple[Cell, ...]
    """The steps that the kernel asks for, in its order."""
    whole: bool
    """Whether the operator must not be cut down to the element."""

    @staticmethod
    def of(case: Case, inputs: Arrays, difference: Difference, arithmetic: Arithmetic) -> _Element:
        machine = Machine(case.cut.model, arithmetic)
        subgraph = case.cut.model.subgraphs[0]
        operator, worst = subgraph.operators[0], difference.worst
        index = worst.index if worst else ()
        tensors = dict(zip(subgraph.inputs, inputs, strict=True))
        operands = tuple(machine.operand(subgraph, i, tensors) if i >= 0 else None for i in operator.inputs)
        output = operator.outputs.index(case.cut.tensors[difference.tensor])
        bound = bind(subgraph, operator, arithmetic, machine)
        smaller, window, place = crop(bound, operands, index)
        computed, active = compute_noting(smaller, window)
        made = computed.outputs[output]
        tensor = subgraph.tensors[operator.outputs[output]]
        shape = difference.shape if window is not operands else made.shape
        wanted = OutputSpec(tensor.dtype, shape, tensor.quantization)
        roles = zip(bound.roles.inputs, operands, strict=False)
        site = ElementSite({role: v for role, v in roles if v is not None}, wanted, operator.options, index)
        # A defect may look at what is cut off: then the element is another one.
        whole = worst is None or int(made[place]) != worst.expected
        return _Element(operator, machine, bound, operands, site, output, active, whole)

    def candidates(self, others: Sequence[Arithmetic], expected: int) -> tuple[Candidate, ...]:
        """What published arithmetics, every variant of the active steps, and defects that change something give."""
        defective = (c for c in self._defects() if c.value != expected)
        return (*self._arithmetics(others), *self._variants(), *defective)

    @property
    def bounds(self) -> tuple[int, int]:
        """What the output is clamped to, by its type and by a fused activation."""
        output = self.site.output
        if output.quantization.scale.size == 1:
            return stored_bounds(self.operator.options, output)
        return INTEGER_RANGES[output.dtype]

    def _arithmetics(self, others: Sequence[Arithmetic]) -> Iterator[Candidate]:
        subgraph = self.machine.model.subgraphs[0]
        known: dict[tuple[str | None, ...], int | None] = {}
        named = {a.name: a for a in (self.machine.arithmetic, *others)}
        for name, arithmetic in named.items():
            variants = arithmetic.variants(self.operator.opcode)
            bound = bind(subgraph, self.operator, arithmetic, Machine(self.machine.model, arithmetic))
            key = variants.get("defect"), *(bound.variants.get(cell.step) for cell in self.active)
            if key not in known:
                known[key] = self._value(bound, None if "defect" in variants else crop)
            if (value := known[key]) is not None:
                yield Candidate(name, value, kind="arithmetic")

    def _variants(self) -> Iterator[Candidate]:
        for cell in self.active:
            for variant in cell.variants:
                value = self._value(self.bound.under({**self.bound.variants, cell.step: variant}))
                if value is not None:
                    yield Candidate(f"{cell.path}: {variant}", value, kind="step")

    def _defects(self) -> Iterator[Candidate]:
        subgraph, opcode = self.machine.model.subgraphs[0], self.operator.opcode
        base = self.machine.arithmetic
        if "defect" in base.variants(opcode):
            return
        for name in defects_of(opcode):
            variants = {**base.variants(opcode), "defect": name}
            other = replace(base, name=name, stages={**base.stages, opcode: variants})
            try:
                bound = bind(subgraph, self.operator, other, Machine(self.machine.model, other))
            except RunError:
                continue
            value = self._value(bound, crop_narrowly if DEFECTS[name].windowed else None)
            if value is not None:
                yield Candidate(f"defect: {name}", value, kind="defect")

    def _value(self, bound: BoundKernel, cut: Callable[..., Cut] | None = crop) -> int | None:
        """The element as a kernel gives it, computed from what ``cut`` leaves of the operator; None where a variant
        cannot compute it."""
        try:
            whole = bound, self.operands, self.site.index
            smaller, operands, index = whole if self.whole or cut is None else cut(*whole)
            return int(compute(smaller, operands).outputs[self.output][index])
        except RunError:
            return None

    def rounded(self, value: Exact) -> tuple[Candidate, ...]:
        """The exact value under every rounding, with zero point and clamp."""
        low, high = self.bounds
        return tuple(
            Candidate(name, min(max(rounding(value.quotient) + value.zero_point, low), high), kind="rounding")
            for name, rounding in _ROUNDINGS.items()
        )
