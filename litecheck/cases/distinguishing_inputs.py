"""Inputs for an operator: largest sums, values halfway between two integers, elements that distinguish variants."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from litecheck.arrays import Array, Arrays, column
from litecheck.cases.inputs import DIRECTED, DrawnInputs, has_codes, only
from litecheck.cases.merged_inferences import merged_inputs, split_outputs
from litecheck.cases.model_parts import Case
from litecheck.cases.stimulus import Stimuli, Stimulus
from litecheck.model.stored_values import stored_integers
from litecheck.model.types import Tensor
from litecheck.quantization import INTEGER_RANGES
from litecheck.reference.engine.arithmetic import Arithmetic
from litecheck.reference.engine.dispatch import bind, compute
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from litecheck.reference.numerics.windows import axes
from litecheck.reference.registry import Variants
from litecheck.reference.runtime_tensors import NUMPY_TYPES, RunError


def extreme_inputs(case: Case, tensors: Mapping[int, Array]) -> Iterator[Stimulus]:
    """Yield inputs for a single operator with one input that is not constant; none for other cases.

    For sums of products, every input is the extreme that makes a sum large, then small. Then half of the weights each
    get the opposite extreme, so that intermediate sums are large. For float inputs that are quantized: values halfway
    between all neighboring quantized values.
    """
    if len(case.operators) != 1 or len(case.submodel.inputs) != 1:
        return
    x = case.subgraph.tensors[case.submodel.inputs[0]]
    known = tensors.get(x.index)
    shape = x.shape if known is None else known.shape
    made = case.subgraph.tensors[case.submodel.outputs[0]]
    if only(case).elementwise == "unary" and x.dtype == "float32" and has_codes(made):
        yield Stimulus(DIRECTED, (_halfway_values(made, shape),))
    elif has_codes(x):
        low, high = INTEGER_RANGES[x.dtype]
        for turning in (False, True):
            if (signs := _signs(case, shape, turning)) is not None:
                for rails in ((high, low), (low, high)):
                    yield Stimulus(DIRECTED, (np.where(signs, *rails).astype(NUMPY_TYPES[x.dtype]),))


def _halfway_values(output: Tensor, shape: tuple[int, ...]) -> NDArray[np.float32]:
    """Return float inputs halfway between neighboring quantized values, from below the type's range to above it.

    For example, scale 0.5 and zero point 0 of int8 give -64.75, -64.25, ..., 64.25, and then -64.75 again.
    """
    low, high = INTEGER_RANGES[output.dtype]
    scale, zero = output.quantization.scale, output.quantization.zero_point
    size = int(np.prod(shape))
    steps = low - 2 + np.arange(size) % (high - low + 4) - (int(zero[0]) if zero.size else 0) + 0.5
    reals: NDArray[np.float32] = steps.astype(np.float32) * np.float32(scale[0] if scale.size else 1)
    return reals.reshape(shape)


def _signs(case: Case, shape: tuple[int, ...], turning: bool) -> NDArray[np.bool_] | None:
    """Return a mask that is True where an input is multiplied by a positive weight; None without weights.

    The rows of a fully connected layer cover different units; the positions of an image cover the filters in turn. With
    ``turning``, the mask is inverted for the second half of each filter.
    """
    operator, facts = case.operators[0], only(case)
    second = facts.role(1) if len(operator.inputs) > 1 and facts.inputs else ""
    tensor = case.subgraph.tensors[operator.inputs[1]] if facts.inputs.get(second) == "weight" else None
    weights = stored_integers(tensor) if tensor is not None and tensor.dtype in INTEGER_RANGES else None
    if tensor is None or weights is None or not weights.size:
        return None
    zero = tensor.quantization.zero_point
    positive: NDArray[np.bool_] = weights.astype(np.int64) > (int(zero[0]) if zero.size == 1 else 0)
    depth = shape[-1] if shape else 0
    if facts.over == "row" and weights.ndim == 2:
        units, inputs = weights.shape
        rows, rest = divmod(int(np.prod(shape)), inputs)
        order = np.argsort(-_reach(weights), kind="stable") if rows < units else np.arange(units)
        met = _invert_half(positive.T, turning).T[order[np.arange(rows) % units]]
        return None if rest else met.reshape(shape)
    if facts.over not in ("window", "plane") or len(shape) != 4 or weights.ndim != 4:
        return None
    if facts.over == "window":
        filters = positive[int(_reach(weights.reshape(len(weights), -1)).argmax())]
        filters = _invert_half(filters.reshape(-1), turning).reshape(filters.shape)
    else:
        filters = positive[0, :, :, :: max(1, weights.shape[3] // max(depth, 1))]
        filters = _invert_half(filters.reshape(-1, filters.shape[2]), turning).reshape(filters.shape)
    if filters.shape[2] != depth:
        return None
    down, across = (
        (np.arange(n) + axis.before) // axis.dilation % axis.kernel
        for n, axis in zip(shape[1:3], axes(shape, filters.shape[:2], operator.options), strict=True)
    )
    return np.broadcast_to(filters[down][:, across], shape)


def _reach(weights: Array) -> NDArray[np.int64]:
    """Return, per row, the larger of two sums: of the positive weights and of the absolute negative weights."""
    wide = weights.astype(np.int64)
    reach: NDArray[np.int64] = np.maximum(np.maximum(wide, 0).sum(1), np.maximum(-wide, 0).sum(1))
    return reach


def _invert_half(signs: NDArray[np.bool_], turning: bool) -> NDArray[np.bool_]:
    """Return the mask, inverted in the second half of the first dimension if ``turning``."""
    later = np.arange(len(signs)) >= len(signs) // 2
    return signs ^ (later & turning).reshape(-1, *(1,) * (signs.ndim - 1))


#: Largest output for which inputs are searched, elements of all candidates together, largest number of candidates.
_LARGEST, _POOL, _CANDIDATES = 1 << 14, 1 << 16, 128


def distinguishing(case: Case, drawn: DrawnInputs, arithmetic: Arithmetic) -> Iterator[Stimulus]:
    """Yield a set of inputs whose elements distinguish variants of the operator's kernel from the arithmetic's.

    Rare variants come first, and only found values are used. Yield nothing for operators that are not element-wise.
    """
    size = int(np.prod(case.subgraph.tensors[case.submodel.outputs[0]].shape))
    if not only(case).elementwise or not 0 < size <= _LARGEST:
        return
    pool = Stimuli.join(drawn.first(min(_CANDIDATES, -(-_POOL // size)))).runs
    differs = list(_differing_elements(case, arithmetic, pool))
    if differs:
        yield Stimulus(DIRECTED, _choose_elements(pool, differs))


def _differing_elements(
    case: Case, arithmetic: Arithmetic, pool: Sequence[Arrays]
) -> Iterator[NDArray[np.bool_]]:
    """Yield a mask for each variant of a single step, (candidates, elements): its first output differs there from that
    of the arithmetic.

    Variants without differences, and those that the reference cannot compute, have no mask.
    """
    model, operator = case.submodel.model, case.submodel.model.subgraphs[0].operators[0]
    interpreter, main = ReferenceInterpreter(model, arithmetic), model.subgraphs[0]
    with suppress(RunError, ValueError):
        bound = bind(main, operator, arithmetic, interpreter)
        merged = [
            (count, interpreter.operands(main, operator, dict(zip(main.inputs, inputs, strict=True))))
            for count, inputs in merged_inputs(model, pool)
        ]

        def outputs(variants: Variants) -> Array:
            runs = (
                split_outputs(model, compute(bound.under(variants), operands).outputs, count)
                for count, operands in merged
            )
            return np.concatenate([np.asarray(column(run, 0)).reshape(len(run), -1) for run in runs])

        expected = outputs(bound.variants)
        if expected.shape[1] > _LARGEST:
            return
        others = ((slot.step, v) for slot in bound.slots for v in slot.variants)
        for step, variant in others:
            if variant == bound.variants[step]:
                continue
            with suppress(RunError, ValueError):
                made = outputs({**bound.variants, step: variant})
                if made.shape == expected.shape and (made != expected).any():
                    yield made != expected


def _choose_elements(pool: Sequence[Arrays], differs: list[NDArray[np.bool_]]) -> Arrays:
    """Return inputs that take each element from a candidate: variants take turns, the rarest difference first."""
    elements = differs[0].shape[1]
    source = np.zeros(elements, np.int64)
    free = np.ones(elements, np.bool_)
    share = -(-elements // len(differs))
    for found in sorted(differs, key=np.count_nonzero):
        places = np.flatnonzero(found.any(0) & free)[:share]
        source[places] = found[:, places].argmax(0)
        free[places] = False
    at = np.arange(elements)
    return tuple(
        np.asarray(column(pool, n)).reshape(len(pool), -1)[source, at].reshape(first.shape)
        if first.size == elements
        else first
        for n, first in enumerate(pool[0])
    )
