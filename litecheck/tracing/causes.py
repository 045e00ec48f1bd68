"""Causes: the part of an operator whose error exceeds the twin's, found by giving the float model one part at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from litecheck.conversion.binding import TensorUse
from litecheck.conversion.powers import power, squares
from litecheck.model.constant_values import constant_values
from litecheck.model.matching import ModelMatch, SubgraphMatch
from litecheck.model.options import option_text, options_of
from litecheck.model.stored_values import stored_integers
from litecheck.model.types import Operator, Tensor
from litecheck.profile.operators import traits_of
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from litecheck.reference.runtime_tensors import RunError
from litecheck.summary_text import counted
from litecheck.tracing.bias_scales import MISFIT, ROUNDED, bias_scale_words
from litecheck.tracing.fed_operators import FedOperator
from litecheck.tracing.float_forms import (
    PARTS,
    WITHOUT_MEANING,
    HeldConstant,
    accumulator_scale,
    constants_of,
    own_form,
    own_values,
    permutation,
    twin_values,
)
from litecheck.tracing.measures import Tensors
from litecheck.tracing.moved_constants import bias_words, by_channel, moved_words
from litecheck.tracing.storage import is_quantized
from litecheck.tracing.trace_result import Cause
from litecheck.tracing.twin import Twin

#: Share of the error that another scale must remove for the scale to be the cause.
_EXPLAINED = 0.5
#: Bits of weights that have at most this number of levels.
_LEVELS = 16


def part_errors(
    match: ModelMatch, part: SubgraphMatch, matched: FedOperator, samples: Sequence[Tensors]
) -> dict[str, float]:
    """Return the error of each part of an operator alone, relative to the signal."""
    found = {}
    for name in PARTS:
        interpreter = ReferenceInterpreter(own_form(match.first, part, (name,), (matched.one,)))
        subgraph = interpreter.model.subgraphs[part.first.index]
        signal = noise = 0.0
        for real in samples:
            made = _outputs(interpreter, subgraph.operators[matched.one], part, real, name)
            homes = {new: old for old, new in matched.outputs}
            for new, got in zip(matched.operator.outputs, made, strict=False):
                want = real.get(homes.get(new, -1))
                if want is not None:
                    signal += power(want)
                    noise += squares(want, got)
        found[name] = noise / signal if signal else 0.0
    return found


def _outputs(
    interpreter: ReferenceInterpreter, operator: Operator, part: SubgraphMatch, real: Tensors, name: str
) -> tuple[NDArray[np.float32], ...]:
    subgraph = interpreter.model.subgraphs[part.first.index]
    interpreter.reset()
    try:
        made = interpreter.step(subgraph, operator, real).outputs
        for number in part.absorbed.get(operator.index, ()) if name != "option" else ():
            behind = subgraph.operators[number]
            made = interpreter.step(
                subgraph, behind, {**real, **dict(zip(operator.outputs, made, strict=True))}
            ).outputs
            operator = behind
    except (RunError, ValueError):
        return ()
    return made


def operator_cause(
    part: SubgraphMatch, twin: Twin | None, matched: FedOperator, errors: Mapping[str, float]
) -> tuple[Cause, str]:
    """Return the cause and what is wrong, from the errors of the operator's parts."""
    mine, theirs = part.first.operators[matched.one], part.second.operators[matched.other]
    held = [(one, _twin_of(part, twin, one)) for one in constants_of(part, matched.one, matched.other)]
    worst = max(errors, key=lambda name: errors[name])
    if worst == "operands":
        order = permutation(part, mine, theirs)
        return "operands", f"its inputs are in the order {', '.join(map(str, order))} of the float model's"
    if worst == "option":
        return _of_option(mine, theirs)
    weights = [pair for pair in held if pair[0].kind != "bias"]
    scaled = [found for one, _ in weights if (found := _misfit(one))]
    moved = [found for one, ideal in weights if (found := moved_words(one, _channel_axis(ideal)))]
    if worst == "bias" and not moved:
        if (
            scaled
            and accumulator_scale(part, matched.other) is not None
            and not _bias_is_wrong(part, matched, held)
        ):
            return "weight_scale", scaled[0]
        return "bias", _of_bias(part, matched, held)
    if axis := axis_words(part, twin, matched):
        return "weight_axis", axis
    if moved:
        return "weights", moved[0]
    if scaled:
        return "weight_scale", scaled[0]
    return "weights", next((words for one, ideal in weights if (words := _of_weights(one, ideal))), "")


Ideal = tuple[NDArray[np.float64], int] | None


def _twin_of(part: SubgraphMatch, twin: Twin | None, held: HeldConstant) -> Ideal:
    """Return the values of a constant in the twin, and the axis of its scales (-1 for one scale)."""
    port = TensorUse(part.first.index, held.operator, "input", held.place)
    form = None if twin is None else twin.reads.get(port)
    values = twin_values(held, form)
    if form is None or values is None:
        return None
    return values, form.axis if form.scale.size > 1 else -1


def _channel_axis(ideal: Ideal) -> int:
    return max(ideal[1], 0) if ideal is not None else 0


def _of_option(mine: Operator, theirs: Operator) -> tuple[Cause, str]:
    if mine.kind != theirs.kind:
        return "activation" if _is_activation(mine, theirs) else "option", f"{mine.kind} became {theirs.kind}"
    old, new = options_of(mine), options_of(theirs)
    names = [n for n in dict.fromkeys((*old, *new)) if old.get(n) != new.get(n) and n not in WITHOUT_MEANING]
    if not names:
        return "option", "its option of a fused operator is not the float model's"
    first = "fused_activation_function" if "fused_activation_function" in names else names[0]
    cause: Cause = "activation" if first == "fused_activation_function" else "option"
    label = "fused activation" if cause == "activation" else f"option {first}"
    made, real = (option_text(options.get(first)) for options in (new, old))
    return cause, f"its {label} is {made}, and the float model's is {real}"


def _is_activation(*operators: Operator) -> bool:
    return all(traits_of(one.kind).elementwise == "unary" for one in operators)


def _bias_is_wrong(
    part: SubgraphMatch, matched: FedOperator, held: Sequence[tuple[HeldConstant, Ideal]]
) -> bool:
    """Return True if a bias is wrong also with the scales that fit the weights."""
    bias = next((one for one, _ in held if one.kind == "bias"), None)
    weight = next((one for one, _ in held if one.kind == "weight"), None)
    if bias is None or bias.stored is None or weight is None or weight.stored is None:
        return bias is not None
    stored, scale, real = (
        stored_integers(bias.stored),
        accumulator_scale(part, matched.other),
        constant_values(bias.real),
    )
    if stored is None or scale is None or real is None:
        return True
    fit = channel_fit(weight.real, weight.stored)
    fitted = stored.astype(np.float64) * scale * (fit if fit.size in (1, stored.size) else 1.0)
    return bool(np.square(fitted - real).sum() > 0.1 * np.square(real).sum())


def _of_bias(part: SubgraphMatch, matched: FedOperator, held: Sequence[tuple[HeldConstant, Ideal]]) -> str:
    bias = next((one for one, _ in held if one.kind == "bias"), None)
    if bias is None:
        return "its bias is not the float model's"
    if bias.stored is None:
        return "it has no bias"
    own, real = own_values(part, matched.other, bias), constant_values(bias.real)
    if own is None or real is None or own.size != real.size:
        return "its bias is not the float model's"
    if words := bias_scale_words(part, matched, bias.stored, real) or bias_words(part, matched, bias):
        return words
    off = np.abs(own.reshape(-1) - real.reshape(-1))
    wrong = int(np.count_nonzero(off > 0.05 * np.abs(real).max(initial=1e-12)))
    return f"{wrong:,} of {counted(real.size, 'bias', 'biases')} are not the float model's"


def channel_fit(real: Tensor, stored: Tensor) -> NDArray[np.float64]:
    """Return per scale the factor by which it fits the stored integers best: 0.5 for a scale that is twice too large."""
    want, got = constant_values(real), constant_values(stored)
    q = stored.quantization
    if want is None or got is None or want.shape != got.shape:
        return np.ones(1)
    if q.scale.size > 1 and q.axis < got.ndim:
        want, got = (np.moveaxis(v, q.axis, 0).reshape(q.scale.size, -1) for v in (want, got))
    else:
        want, got = want.reshape(1, -1), got.reshape(1, -1)
    power = np.square(got).sum(axis=1)
    fit: NDArray[np.float64] = np.where(
        power > 0, (want * got).sum(axis=1) / np.where(power > 0, power, 1), 1.0
    )
    return fit


def _misfit(held: HeldConstant) -> str:
    """Return how many scales do not fit, if other scales explain most of the error of the weights."""
    if held.stored is None or not is_quantized(held.stored):
        return ""
    want, got, q = constant_values(held.real), constant_values(held.stored), held.stored.quantization
    if want is None or got is None or want.shape != got.shape:
        return ""
    fit = channel_fit(held.real, held.stored)
    wrong = np.abs(np.log(np.maximum(fit, 1e-9))) > MISFIT
    shape = [-1 if n == q.axis and fit.size > 1 else 1 for n in range(got.ndim)]
    before, after = np.square(got - want).sum(), np.square(got * fit.reshape(shape) - want).sum()
    if not wrong.any() or after > (1 - _EXPLAINED) * before:
        return ""
    logs = np.log(np.maximum(fit[wrong], 1e-9))
    factor = 1 / float(fit[wrong][np.argmax(np.abs(logs))])
    if factor <= 0 or factor > 1e6:
        return ""
    size = f"{factor:.3g} times too large" if factor > 1 else f"{1 / factor:.3g} times too small"
    verb = "is" if wrong.sum() == 1 else "are" if np.ptp(logs) < MISFIT else "do not fit, the worst is"
    return f"{int(wrong.sum())} of {counted(fit.size, 'weight scale')} {verb} {size}"


def axis_words(part: SubgraphMatch, twin: Twin | None, matched: FedOperator) -> str:
    """Return what is wrong with the dimension of an operator's weight scales, or ""."""
    held = (one for one in constants_of(part, matched.one, matched.other) if one.kind != "bias")
    return next((words for one in held if (words := _other_axis(one, _twin_of(part, twin, one)))), "")


def _other_axis(held: HeldConstant, ideal: Ideal) -> str:
    if held.stored is None or not is_quantized(held.stored) or ideal is None or ideal[1] < 0:
        return ""
    q = held.stored.quantization
    if q.scale.size > 1 and q.axis != ideal[1]:
        return f"its weight scales belong to dimension {q.axis}, and the operator's channels are dimension {ideal[1]}"
    return ""


def _of_weights(held: HeldConstant, ideal: Ideal) -> str:
    """Return what is wrong with weights: channels of zeros, few levels, or values."""
    if held.stored is None:
        return ""
    want, got, stored = constant_values(held.real), constant_values(held.stored), stored_integers(held.stored)
    if want is None or got is None or stored is None or want.shape != got.shape:
        return "its weights are not the float model's"
    rows, real = (by_channel(values, _channel_axis(ideal)) for values in (got, want))
    dead = np.all(rows == rows[:, :1], axis=1) & (np.ptp(real, axis=1) > 0)
    if dead.any() and rows.shape[1] > 1:
        verb = "have equal weights" if rows[dead].any() else "are 0" if dead.sum() > 1 else "is 0"
        return f"{int(dead.sum())} of {counted(len(rows), 'channel')} {verb}"
    levels = np.unique(stored).size
    if stored.size > 4 * _LEVELS and levels <= _LEVELS:
        return f"its weights have {levels} levels"
    off, norm = np.sqrt(np.square(rows - real).sum(axis=1)), np.sqrt(np.square(real).sum(axis=1))
    wrong = int(np.count_nonzero(off > 0.1 * np.maximum(norm, 1e-12)))
    negated = np.flatnonzero(np.square(rows + real).sum(axis=1) < ROUNDED * np.square(real).sum(axis=1))
    if 0 < wrong == negated.size:
        verb = (
            "have the opposite sign, the first is channel" if wrong > 1 else "has the opposite sign: channel"
        )
        return f"{wrong} of {counted(len(rows), 'channel')} {verb} {negated[0]}"
    share = float(np.sqrt(np.square(got - want).sum() / max(np.square(want).sum(), 1e-300)))
    return f"its weights differ by {100 * share:.2g} % (rms), most in {wrong:,} of {counted(len(rows), 'channel')}"
