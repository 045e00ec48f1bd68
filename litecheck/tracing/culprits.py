"""Culprits: operators and inputs whose error exceeds the twin's, with the cause."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from litecheck.conversion.groups import Interval, Key
from litecheck.conversion.input_ranges import is_cut
from litecheck.conversion.shared_scales import SharedQuantization
from litecheck.model.graph import name_of
from litecheck.model.matching import ModelMatch
from litecheck.profile.operators import traits_of
from litecheck.quantization import BITS
from litecheck.tracing.bench import Bench
from litecheck.tracing.bias_scales import input_scale_factor
from litecheck.tracing.causes import axis_words, operator_cause, part_errors
from litecheck.tracing.isolated_operators import IsolatedOperator, edges_of
from litecheck.tracing.measures import Errors, Tensors
from litecheck.tracing.rewired_inputs import rewiring_text
from litecheck.tracing.storage import is_quantized, stores_alike
from litecheck.tracing.trace_result import LEAST_LOSS, Cause, Culprit
from litecheck.tracing.twin import SLACK

#: Root mean square difference of an integer kernel from float32, in LSB, up to which rounding explains it.
_ORDINARY = 1.0
_LEAST = 1e-12
UNPREPROCESSED = "are these data preprocessed as the model expects?"
_NONE: Mapping[tuple[int, int], str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Loss:
    """Avoidable errors of an operator relative to its signal: storage of its output, its parts, its kernel.

    ``total`` is the error of the isolated operator, infinite if it is not known. ``base`` is the error that a better
    quantization leaves.
    """

    storage: float
    parts: float
    kernel: float
    base: float
    total: float

    @property
    def excess(self) -> float:
        """Sum of the avoidable errors."""
        return self.storage + self.parts + self.kernel

    @property
    def decibels(self) -> float:
        """Avoidable loss in dB, at most 120. Example: an error of 0.1 with 0.099 avoidable is 20 dB.

        A wrong scale can count in the parts and in the kernel, so the error of the isolated operator limits the loss.
        """
        error = min(self.base + self.excess, max(self.base, self.total))
        return 120.0 if math.isinf(error) else min(120.0, 10 * math.log10(error / self.base))


def loss_of(bench: Bench, fed: IsolatedOperator) -> Loss:
    """Return the avoidable errors of an operator."""
    errors = bench.errors[fed.other]
    storage = 0.0 if _keeps_input_quantization(bench, fed) else errors.storage_excess
    parts = _excess_ratio(errors, "own", "twin")
    kernel = _kernel_error(bench, fed)
    excess = storage + parts + kernel
    # the error of the isolated operator on the samples of the largest avoidable error
    excesses = {"alone": storage, "alone_parts": parts, "alone_kernel": kernel}
    whole = errors.ratio(max(excesses, key=lambda name: excesses[name]))
    least = sum(errors.ratio(name) or 0.0 for name in ("twin_stored", "twin"))
    base = max((whole or 0.0) - excess, least, _LEAST)
    return Loss(storage, parts, kernel, base, math.inf if whole is None else whole)


def _excess_ratio(errors: Errors, name: str, other: str) -> float:
    mine, theirs = errors.ratio(name), errors.ratio(other)
    if mine is None or theirs is None or math.isinf(theirs):
        return 0.0
    return max(0.0, mine - theirs)


def _keeps_input_quantization(bench: Bench, fed: IsolatedOperator) -> bool:
    """Return True if the output has the quantization of an input: its range is chosen at the input's producer.

    The quantization of sums and products is their own, even if it happens to be that of an input.
    """
    facts = traits_of(fed.operator.kind)
    if facts.products or (facts.elementwise == "binary" and facts.result == "rescaled"):
        return False
    tensors = bench.part.second.tensors
    sides = [[tensors[new] for new, _ in fed.feeds], [tensors[new] for _, new in fed.outputs]]
    return any(stores_alike(one, other) for one in sides[0] for other in sides[1])


def _kernel_error(bench: Bench, fed: IsolatedOperator) -> float:
    """Return the error of the integer kernel, if it is more than rounding explains."""
    steps = _kernel_steps(bench, fed)
    return bench.errors[fed.other].ratio("kernel") or 0.0 if steps > _ORDINARY else 0.0


def _kernel_steps(bench: Bench, fed: IsolatedOperator) -> float:
    """Return the root mean square difference of the integer kernel from float32, in LSB of the output."""
    sums = bench.errors[fed.other].sums
    if "kernel" not in sums:
        return 0.0
    _, noise, count = sums["kernel"]
    tensors = bench.part.second.tensors
    step = max(float(tensors[new].quantization.scale.max(initial=0)) for _, new in fed.outputs)
    return math.sqrt(noise / count) / step if count and step else 0.0


def culprits(
    match: ModelMatch,
    bench: Bench,
    samples: Sequence[Tensors],
    ranges: Mapping[Key, Interval],
    shared: Sequence[SharedQuantization] = (),
    violated: Mapping[tuple[int, int], str] = _NONE,
) -> tuple[Culprit, ...]:
    """Return the culprits of a subgraph, worst first.

    ``samples`` have all tensors of the float model for some calls, and ``ranges`` the least and largest values of each
    tensor over all samples. ``violated`` are violations of operators, which explain an error of their kernels.
    """
    found = [
        *_operator_culprits(match, bench, samples, ranges),
        *_input_culprits(bench, ranges),
        *_shared_range_culprits(bench, shared),
        *_copy_culprits(bench),
    ]
    found = [
        replace(one, detail=f"{one.detail} ({violated[place]})")
        if one.cause == "arithmetic" and (place := (one.subgraph, one.operator)) in violated else one
        for one in _exclude_derived(bench, found)
    ]  # fmt: skip
    return tuple(sorted(found, key=lambda one: -one.avoidable_db))


def _exclude_derived(bench: Bench, found: Sequence[Culprit]) -> list[Culprit]:
    """Return the culprits without biases that fit another scale of their input, if the range of this input is a culprit.

    Then the scale of the input was changed, and the bias was not.
    """
    operators, derived = bench.part.second.operators, set[int]()
    tensors = {one.tensor if one.tensor >= 0 else operators[one.operator].outputs[0]: one for one in found
               if one.cause in ("input_range", "output_range")}  # fmt: skip
    factors = dict[Culprit, str]()
    for fed in bench.operators:
        facts = traits_of(fed.operator.kind)
        source = facts.tensors(fed.operator).get(facts.products[0], -1) if facts.products else -1
        factor = input_scale_factor(bench.part, fed) if source in tensors else 1.0
        if factor != 1.0:
            derived.add(fed.other)
            place = f"{fed.operator.kind} #{fed.other}"
            factors[tensors[source]] = f"; the bias of {place} fits a scale {factor:.3g} times as large"
    remaining = (one for one in found if one.cause != "bias" or one.operator not in derived)
    return [replace(one, detail=one.detail + factors.get(one, "")) for one in remaining]


def _operator_culprits(
    match: ModelMatch, bench: Bench, samples: Sequence[Tensors], ranges: Mapping[Key, Interval]
) -> Iterator[Culprit]:
    for fed in bench.operators:
        loss = loss_of(bench, fed)
        if loss.decibels < LEAST_LOSS:
            continue
        cause: Cause
        if loss.storage >= max(loss.parts, loss.kernel):
            cause, detail = "output_range", _range_words(bench, fed.outputs[0][1], ranges)
        elif loss.parts >= loss.kernel:
            errors = part_errors(match, bench.part, fed, samples)
            cause, detail = operator_cause(bench.part, bench.twin, fed, errors)
        elif axis := axis_words(bench.part, bench.twin, fed):
            cause, detail = "weight_axis", axis
        elif rewired := rewiring_text(bench.part, fed):
            cause, detail = "operands", rewired
        else:
            steps = _kernel_steps(bench, fed)
            cause, detail = "arithmetic", f"its integer kernel differs from float32 by {steps:.3g} LSB (rms)"
        yield _make_culprit(bench, fed.other, cause, loss.decibels, detail)


def _make_culprit(
    bench: Bench, number: int, cause: Cause, decibels: float, detail: str, tensor: int = -1
) -> Culprit:
    subgraph = bench.part.second
    operator = subgraph.operators[number]
    name = name_of(subgraph, operator)
    return Culprit(subgraph.index, number, operator.kind, name, cause, decibels, detail, tensor=tensor)


def _input_culprits(bench: Bench, ranges: Mapping[Key, Interval]) -> Iterator[Culprit]:
    """Yield inputs of the model, and outputs of QUANTIZE, whose range does not fit."""
    for index, reader in edges_of(bench.part):
        is_model_input = index in bench.part.second.inputs
        if is_model_input and not bench.entry:  # the caller of the subgraph sets the range
            continue
        errors = bench.edges[index]
        excess = errors.storage_excess
        base = max(errors.ratio("twin_stored") or 0.0, _LEAST)
        decibels = min(120.0, 10 * math.log10(1 + excess / base)) if math.isfinite(excess) else 120.0
        if decibels >= LEAST_LOSS:
            tensor = bench.part.second.tensors[index]
            detail = f"at its input '{tensor.name}', {_range_words(bench, index, ranges)}"
            if is_model_input:
                detail += _input_range_cause(bench, index, ranges)
            yield _make_culprit(bench, reader, "input_range", decibels, detail, index)


def _copy_culprits(bench: Bench) -> Iterator[Culprit]:
    """Yield operators without a partner whose output values differ from their input values.

    Example: a RESHAPE whose output has another zero point than its input.
    """
    for index, (_, operator) in bench.copies.items():
        errors = bench.edges[index]
        base = sum(errors.ratio(name) or 0.0 for name in ("stored", "source")) or _LEAST
        decibels = min(120.0, 10 * math.log10(max(errors.ratio("copied") or 0.0, base) / base))
        if decibels >= LEAST_LOSS:
            detail = "the float model has no such operator, and it changes the values that it passes on"
            cause: Cause = "activation" if traits_of(operator.kind).elementwise == "unary" else "arithmetic"
            yield _make_culprit(bench, operator.index, cause, decibels, detail, index)


def _input_range_cause(bench: Bench, index: int, ranges: Mapping[Key, Interval]) -> str:
    """Return the probable cause of an input's range that does not fit: the calibration, or the preprocessing."""
    tensor = bench.part.second.tensors[index]
    seen = ranges.get((bench.part.first.index, bench.part.tensors[index]))
    if seen is not None and is_cut(tensor.quantization.real_range(tensor.dtype), seen):
        return "; the calibration of the model cut such values off"
    return f"; {UNPREPROCESSED}"


def _range_words(bench: Bench, index: int, ranges: Mapping[Key, Interval]) -> str:
    """Return the fault of a tensor's range for its values."""
    tensor = bench.part.second.tensors[index]
    step, own = float(tensor.quantization.scale[0]), tensor.quantization.real_range(tensor.dtype)
    seen = ranges.get((bench.part.first.index, bench.part.tensors[index]))
    if seen is None:
        return f"its range is {own[0]:.3g}..{own[1]:.3g}"
    return range_fault(own, seen, step)


def range_fault(own: Interval, seen: Interval, step: float) -> str:
    """Return the fault of a range for values that it does not fit.

    Example: -40..2 for values of -4..4 is too wide below and too narrow above.
    """
    below, above = seen[0] < own[0] - step, seen[1] > own[1] + step
    wide = own[0] < SLACK * min(seen[0], 0.0) - step, own[1] > SLACK * max(seen[1], 0.0) + step
    fault = "too narrow" if below or above else "too wide"
    if below != above and wide[below]:
        fault = "too wide below and too narrow above" if above else "too narrow below and too wide above"
    return f"the range {own[0]:.3g}..{own[1]:.3g} is {fault} for values of {seen[0]:.3g}..{seen[1]:.3g}"


def _shared_range_culprits(bench: Bench, shared: Sequence[SharedQuantization]) -> Iterator[Culprit]:
    """Yield operators that join tensors, if a tensor has few effective bits in the shared range."""
    partners = dict(bench.part.operators)
    named: set[int] = set()
    for group in shared:
        for member in group.members:
            for joint in member.joints if member.low_resolution else ():
                if traits_of(joint.opcode).concatenates not in ("axis", "stack"):
                    continue
                number = partners.get(joint.operator, -1)
                if joint.subgraph != bench.part.first.index or number < 0 or number in named:
                    continue
                if not any(
                    is_quantized(bench.part.second.tensors[i])
                    for i in bench.part.second.operators[number].outputs
                ):
                    continue
                named.add(number)
                bits, most = member.bits or 0.0, BITS[group.dtype]
                detail = (
                    f"'{member.name}' shares a wider range: effective resolution {bits:.1f} of {most} bits"
                )
                yield _make_culprit(bench, number, "shared_range", 6.02 * (most - bits), detail)
