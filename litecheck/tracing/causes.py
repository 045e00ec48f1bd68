"""Causes of losses: the part of a quantized operator (weights, bias, option, operands) with the largest error.

The error of a part is that of the float model with this part alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

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
from litecheck.summary_text import count_of
from litecheck.tracing.bias_scales import bias_scale_words
from litecheck.tracing.constant_faults import (
    channel_fit,
    clipping_text,
    exchange_text,
    relative_error,
    scale_words,
    value_words,
)
from litecheck.tracing.float_forms import (
    PARTS,
    WITHOUT_MEANING,
    HeldConstant,
    accumulator_scale,
    constants_of,
    float_form,
    kernel_values,
    other_integers,
    permutation,
    twin_values,
)
from litecheck.tracing.isolated_operators import IsolatedOperator
from litecheck.tracing.measures import Tensors
from litecheck.tracing.moved_constants import bias_words, order_text
from litecheck.tracing.storage import is_quantized
from litecheck.tracing.trace_result import Cause
from litecheck.tracing.twin import Twin

#: Number of integers above which the text of a constant is shortened.
_SHOWN = 16


def part_errors(
    match: ModelMatch, part: SubgraphMatch, matched: IsolatedOperator, samples: Sequence[Tensors]
) -> dict[str, float]:
    """Return the error of each part of an operator alone, relative to the signal."""
    errors = {}
    for name in PARTS:
        interpreter = ReferenceInterpreter(float_form(match.first, part, (name,), (matched.one,)))
        subgraph = interpreter.model.subgraphs[part.first.index]
        signal = noise = 0.0
        for real in samples:
            outputs = _compute_outputs(interpreter, subgraph.operators[matched.one], part, real, name)
            homes = {new: old for old, new in matched.outputs}
            for new, got in zip(matched.operator.outputs, outputs, strict=False):
                want = real.get(homes.get(new, -1))
                if want is not None and want.shape == got.shape:
                    signal += power(want)
                    noise += squares(want, got)
        errors[name] = noise / signal if signal else 0.0
    return errors


def _compute_outputs(
    interpreter: ReferenceInterpreter, operator: Operator, part: SubgraphMatch, real: Tensors, name: str
) -> tuple[NDArray[np.float32], ...]:
    subgraph = interpreter.model.subgraphs[part.first.index]
    interpreter.reset()
    try:
        outputs = interpreter.step(subgraph, operator, real).outputs
        for number in part.absorbed.get(operator.index, ()) if name != "option" else ():
            absorbed = subgraph.operators[number]
            outputs = interpreter.step(
                subgraph, absorbed, {**real, **dict(zip(operator.outputs, outputs, strict=True))}
            ).outputs
            operator = absorbed
    except (RunError, ValueError):
        return ()
    return outputs


def operator_cause(
    part: SubgraphMatch, twin: Twin | None, matched: IsolatedOperator, errors: Mapping[str, float]
) -> tuple[Cause, str]:
    """Return the cause and a text on the fault, from the errors of the operator's parts."""
    mine, theirs = part.first.operators[matched.one], part.second.operators[matched.other]
    constants = sorted(
        ((one, _twin_constant(part, twin, one)) for one in constants_of(part, matched.one, matched.other)),
        key=lambda pair: -relative_error(pair[0]),
    )
    worst = max(errors, key=lambda name: errors[name])
    if worst == "operands":
        order = permutation(part, mine, theirs)
        return "operands", f"its inputs are in the order {', '.join(map(str, order))} of the float model's"
    if worst == "option":
        return _option_cause(part, mine, theirs)
    weights = [(one, ideal) for one, ideal in constants if one.kind != "bias"]
    scale_fault = _first_text(weights, lambda one, ideal: scale_words(one))
    order_fault = exchange_text([one for one, _ in weights]) or _first_text(
        weights, lambda one, ideal: order_text(one, _channel_axis(ideal))
    )
    if worst == "bias" and not order_fault:
        if (
            scale_fault
            and accumulator_scale(part, matched.other) is not None
            and not _bias_is_wrong(part, matched, constants)
        ):
            return "weight_scale", scale_fault
        return "bias", _bias_text(part, matched, constants)
    if axis := axis_words(part, twin, matched):
        return "weight_axis", axis
    if order_fault := order_fault or _first_text(weights, lambda one, ideal: clipping_text(one)):
        return "weights", order_fault
    if scale_fault:
        return "weight_scale", scale_fault
    return "weights", _first_text(weights, lambda one, ideal: value_words(one, _channel_axis(ideal)))


def _first_text(
    constants: Sequence[tuple[HeldConstant, Ideal]], words_of: Callable[[HeldConstant, Ideal], str]
) -> str:
    """Return the first text that is not empty, with the role of the constant if the operator has several constants."""
    for one, ideal in constants:
        if words := words_of(one, ideal):
            return words if len(constants) == 1 else f"{one.role}: {words}"
    return ""


Ideal = tuple[NDArray[np.float64], int] | None


def _twin_constant(part: SubgraphMatch, twin: Twin | None, held: HeldConstant) -> Ideal:
    """Return the values of a constant in the twin, and the axis of its scales (-1 for one scale)."""
    port = TensorUse(part.first.index, held.operator, "input", held.place)
    form = None if twin is None else twin.reads.get(port)
    values = twin_values(held, form)
    if form is None or values is None:
        return None
    return values, form.axis if form.scale.size > 1 else -1


def _channel_axis(ideal: Ideal) -> int:
    return max(ideal[1], 0) if ideal is not None else 0


def _option_cause(part: SubgraphMatch, mine: Operator, theirs: Operator) -> tuple[Cause, str]:
    if mine.kind != theirs.kind:
        return "activation" if _is_activation(mine, theirs) else "option", f"{mine.kind} became {theirs.kind}"
    old, new = options_of(mine), options_of(theirs)
    names = [n for n in dict.fromkeys((*old, *new)) if old.get(n) != new.get(n) and n not in WITHOUT_MEANING]
    for place, number in other_integers(part, mine, theirs).items() if not names else ():
        quantized, real = (_list_integers(side.tensors[i]) for side, i in
                      ((part.second, number), (part.first, mine.inputs[place])))  # fmt: skip
        return (
            "option",
            f"its input {traits_of(mine.kind).role(place)} is {quantized}, and the float model's is {real}",
        )
    if not names:
        return "option", "its option of a fused operator is not the float model's"
    first = "fused_activation_function" if "fused_activation_function" in names else names[0]
    cause: Cause = "activation" if first == "fused_activation_function" else "option"
    label = "fused activation" if cause == "activation" else f"option {first}"
    quantized, real = (option_text(options.get(first)) for options in (new, old))
    return cause, f"its {label} is {quantized}, and the float model's is {real}"


def _list_integers(tensor: Tensor) -> str:
    """Return the integers of a constant: ``[[0, 0], [1, 0]]``, shortened above 16 values."""
    values = stored_integers(tensor)
    return "not known" if values is None else np.array2string(
        values.reshape(tensor.shape), separator=", ", threshold=_SHOWN, edgeitems=2
    ).replace("\n", "")  # fmt: skip


def _is_activation(*operators: Operator) -> bool:
    return all(traits_of(one.kind).elementwise == "unary" for one in operators)


def _bias_is_wrong(
    part: SubgraphMatch, matched: IsolatedOperator, constants: Sequence[tuple[HeldConstant, Ideal]]
) -> bool:
    """Return True if a bias remains wrong with the scales that fit the weights."""
    bias = next((one for one, _ in constants if one.kind == "bias"), None)
    weight = next((one for one, _ in constants if one.kind == "weight"), None)
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


def _bias_text(
    part: SubgraphMatch, matched: IsolatedOperator, held: Sequence[tuple[HeldConstant, Ideal]]
) -> str:
    biases = [(one, ideal) for one, ideal in held if one.kind == "bias"]
    return (
        _first_text(biases, lambda one, _: _bias_fault_text(part, matched, one))
        or "its bias is not the float model's"
    )


def _bias_fault_text(part: SubgraphMatch, matched: IsolatedOperator, bias: HeldConstant) -> str:
    if bias.stored is None:
        return "it has no bias"
    own, real = kernel_values(part, matched.other, bias), constant_values(bias.real)
    if own is None or real is None or own.size != real.size:
        return ""
    if words := bias_scale_words(part, matched, bias.stored, real) or bias_words(part, matched, bias):
        return words
    off = np.abs(own.reshape(-1) - real.reshape(-1))
    wrong = int(np.count_nonzero(off > 0.05 * np.abs(real).max(initial=1e-12)))
    return f"{wrong:,} of {count_of(real.size, 'bias', 'biases')} are not the float model's"


def axis_words(part: SubgraphMatch, twin: Twin | None, matched: IsolatedOperator) -> str:
    """Return a text on a wrong dimension of an operator's weight scales, or ""."""
    held = (one for one in constants_of(part, matched.one, matched.other) if one.kind != "bias")
    return next(
        (words for one in held if (words := _axis_fault_text(one, _twin_constant(part, twin, one)))), ""
    )


def _axis_fault_text(held: HeldConstant, ideal: Ideal) -> str:
    if held.stored is None or not is_quantized(held.stored) or ideal is None or ideal[1] < 0:
        return ""
    q = held.stored.quantization
    if q.scale.size > 1 and q.axis != ideal[1]:
        return f"its weight scales belong to dimension {q.axis}, and the operator's channels are dimension {ideal[1]}"
    return ""
