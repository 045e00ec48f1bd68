"""Explanation of an element of an operator: its exact value, and the value under every known rounding and variant."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from litecheck.arrays import Arrays
from litecheck.cases.model_parts import Case
from litecheck.comparison.element import (
    ElementSite,
    Exact,
    Index,
    Operands,
    crop,
    crop_narrowly,
    required_accumulators,
)
from litecheck.comparison.exact_accumulator import exact
from litecheck.comparison.types import Candidate, Difference, ExplainedElement, MismatchExample, Variant
from litecheck.model.types import Operator
from litecheck.quantization import INTEGER_RANGES
from litecheck.reference.defects.defects import defects_of
from litecheck.reference.defects.registry import DEFECTS
from litecheck.reference.engine.arithmetic import Arithmetic
from litecheck.reference.engine.dispatch import BoundKernel, bind, compute, compute_with_slots
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from litecheck.reference.numerics.fixedpoint import quantize_multiplier
from litecheck.reference.numerics.fused_activation import stored_bounds
from litecheck.reference.registry import VariantSlot
from litecheck.reference.runtime_tensors import Operand, OutputSpec, RunError

#: Smallest number of decimals, and the largest number used to distinguish a value from a tie.
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
    spots: Sequence[MismatchExample | None] | None = None,
) -> tuple[Difference, ...]:
    """Add the explanation of an element to every integer output; float outputs stay unchanged.

    The element is the worst that is not saturated on either side, else the worst, or the element in ``spots``.
    ``inputs`` has the inputs of each run, ``runs`` the names of the runs.
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
) -> ExplainedElement | None:
    """Explain the worst element of ``difference``, an output of a case of one operator, under the arithmetic of its
    verdict.

    ``inputs`` are the inputs of that element's run, in the order of the case; ``run`` is the name of the run.
    ``others`` are further arithmetics to compare. Return None for segments, for float outputs, and without a kernel.
    """
    if len(case.operators) != 1 or difference.worst is None or difference.unit != "LSB":
        return None
    if difference.tensor not in case.submodel.outputs:
        return None
    try:
        element = _Element.of(case, inputs, difference, arithmetic)
        known = element.candidates(others, int(difference.worst.expected))
    except RunError:
        return None
    value = exact(element.operator.opcode, element.site)
    rounded = element.round_value(value) if value else ()
    device = int(difference.worst.actual)
    found = ExplainedElement(
        index=difference.worst.index,
        run=repr(run) if run else str(difference.worst.run),
        arithmetic=arithmetic.name,
        variants=tuple(Variant(cell.path, element.bound.variants[cell.step]) for cell in element.active),
        expected=int(difference.worst.expected),
        device=device,
        candidates=(*rounded, *known),
    )
    return found if value is None else _add_exact_value(found, value, element.bounds)


def _add_exact_value(found: ExplainedElement, value: Exact, bounds: tuple[int, int]) -> ExplainedElement:
    """Add the exact value to the explanation, with accumulator and multiplier if the operator has them."""
    shown, limit = decimals(value.quotient), _limit(value, bounds)
    found = replace(
        found,
        quotient=shown,
        precise=value.exact and Fraction(shown) == value.quotient,
        real=not value.exact,
        zero_point=value.zero_point,
        shifted=decimals(value.quotient + value.zero_point) if value.zero_point else "",
        needs=None
        if limit is not None or found.device == found.expected
        else required_accumulators(value, found.device, *bounds),
        limit=limit,
    )
    if value.accumulator is None or value.multiplier is None:
        return found
    multiplier = float(value.multiplier)
    fixed = quantize_multiplier(multiplier)
    return replace(found, accumulator=value.accumulator, multiplier=multiplier, fixed=fixed)


def _limit(value: Exact, bounds: tuple[int, int]) -> int | None:
    """Return the limit that the value rounded to nearest exceeds. For example, 255.4 within -128..127 gives 127."""
    rounded = round(value.quotient) + value.zero_point
    limited = min(max(rounded, bounds[0]), bounds[1])
    return None if limited == rounded else limited


def decimals(value: Fraction) -> str:
    """Format a fraction with four decimals, or as many as distinguish it from a tie: ``6.5000``, ``6.49999994``."""
    tie = math.floor(value) + _HALF
    for digits in range(DIGITS, MOST_DIGITS + 1):
        scaled = round(abs(value) * 10**digits)
        if value == tie or Fraction(scaled, 10**digits) != abs(tie):
            break
    whole, part = divmod(scaled, 10**digits)
    return f"{'-' if value < 0 and scaled else ''}{whole}.{part:0{digits}d}"


def active_slots(case: Case, inputs: Arrays, arithmetic: Arithmetic) -> tuple[VariantSlot, ...]:
    """Return the steps that decide the outputs of a case's one operator for these inputs. Raise RunError without a
    kernel."""
    return compute_with_slots(*_bound(ReferenceInterpreter(case.submodel.model, arithmetic), inputs))[1]


def _bound(interpreter: ReferenceInterpreter, inputs: Arrays) -> tuple[BoundKernel, Operands]:
    """Return the one operator of a model, bound to its kernel, and its operands."""
    subgraph = interpreter.model.subgraphs[0]
    operator, tensors = subgraph.operators[0], dict(zip(subgraph.inputs, inputs, strict=True))
    operands = tuple(interpreter.operand(subgraph, i, tensors) if i >= 0 else None for i in operator.inputs)
    return bind(subgraph, operator, interpreter.arithmetic, interpreter), operands


@dataclass(frozen=True, slots=True, eq=False)
class _Element:
    """One output element of an operator, to be computed under many variants."""

    operator: Operator
    interpreter: ReferenceInterpreter
    bound: BoundKernel
    operands: tuple[Operand | None, ...]
    site: ElementSite
    output: int
    active: tuple[VariantSlot, ...]
    """The steps that the kernel asks for, in its order."""
    whole: bool
    """True if the operator must not be cropped to the element."""

    @staticmethod
    def of(case: Case, inputs: Arrays, difference: Difference, arithmetic: Arithmetic) -> _Element:
        interpreter = ReferenceInterpreter(case.submodel.model, arithmetic)
        subgraph = case.submodel.model.subgraphs[0]
        operator, worst = subgraph.operators[0], difference.worst
        index = worst.index if worst else ()
        bound, operands = _bound(interpreter, inputs)
        output = operator.outputs.index(case.submodel.tensors[difference.tensor])
        smaller, window, place = crop(bound, operands, index)
        computed, active = compute_with_slots(smaller, window)
        made = computed.outputs[output]
        tensor = subgraph.tensors[operator.outputs[output]]
        shape = difference.shape if window is not operands else made.shape
        wanted = OutputSpec(tensor.dtype, shape, tensor.quantization)
        roles = zip(bound.roles.inputs, operands, strict=False)
        site = ElementSite({role: v for role, v in roles if v is not None}, wanted, operator.options, index)
        # A defect can read inputs that cropping removes: then the cropped operator gives another value.
        whole = worst is None or int(made[place]) != worst.expected
        return _Element(operator, interpreter, bound, operands, site, output, active, whole)

    def candidates(self, others: Sequence[Arithmetic], expected: int) -> tuple[Candidate, ...]:
        """Return the values under published arithmetics, variants of the active steps, and defects that change the
        value."""
        defective = (c for c in self._defects() if c.value != expected)
        return (*self._arithmetics(others), *self._variants(), *defective)

    @property
    def bounds(self) -> tuple[int, int]:
        """Limits that the output is clamped to, by its type and by a fused activation."""
        output = self.site.output
        if output.quantization.scale.size == 1:
            return stored_bounds(self.operator.options, output)
        return INTEGER_RANGES[output.dtype]

    def _arithmetics(self, others: Sequence[Arithmetic]) -> Iterator[Candidate]:
        known: dict[tuple[str | None, ...], int | None] = {}
        named = {a.name: a for a in (self.interpreter.arithmetic, *others)}
        for name, arithmetic in named.items():
            variants = arithmetic.variants_of(self.interpreter.model.subgraphs[0], self.operator)
            bound = self._bind_arithmetic(arithmetic)
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
        opcode, base = self.operator.opcode, self.interpreter.arithmetic
        variants = base.variants_of(self.interpreter.model.subgraphs[0], self.operator)
        if "defect" in variants:
            return
        for name in defects_of(opcode):
            other = replace(base.under(opcode, {**variants, "defect": name}), name=name)
            try:
                bound = self._bind_arithmetic(other)
            except RunError:
                continue
            value = self._value(bound, crop_narrowly if DEFECTS[name].windowed else None)
            if value is not None:
                yield Candidate(f"defect: {name}", value, kind="defect")

    def _bind_arithmetic(self, arithmetic: Arithmetic) -> BoundKernel:
        """Return the operator bound to its kernel under another arithmetic."""
        model = self.interpreter.model
        return bind(model.subgraphs[0], self.operator, arithmetic, ReferenceInterpreter(model, arithmetic))

    def _value(self, bound: BoundKernel, cut: Callable[..., Cut] | None = crop) -> int | None:
        """Return the element as a kernel computes it, from the operator cropped by ``cut``; None if a variant cannot
        compute it."""
        try:
            whole = bound, self.operands, self.site.index
            smaller, operands, index = whole if self.whole or cut is None else cut(*whole)
            return int(compute(smaller, operands).outputs[self.output][index])
        except RunError:
            return None

    def round_value(self, value: Exact) -> tuple[Candidate, ...]:
        """Return the exact value under every rounding, with zero point and clamping."""
        low, high = self.bounds
        return tuple(
            Candidate(name, min(max(rounding(value.quotient) + value.zero_point, low), high), kind="rounding")
            for name, rounding in _ROUNDINGS.items()
        )
