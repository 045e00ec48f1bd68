"""Reasons of differences between TOSA's reference model and LiteRT's reference kernels: each computes TOSA's outputs.

A reason that does not predict TOSA's outputs element by element explains nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.flatbuffer.table import Table
from litecheck.model.types import Model
from litecheck.reference.engine.arithmetic import Arithmetic, load_arithmetic
from litecheck.reference.engine.interpreter import run
from litecheck.reference.engine.prepared_constants import constant
from litecheck.reference.numerics.fixedpoint import multiply_single, quantize_multiplier, round_half_away
from tests.differential.one_operator import Trial, changed

REASONS = {
    "double rounding": "LiteRT's reference FULLY_CONNECTED multiplies by a float64 scale, TOSA rescales with two roundings",
    "single rounding": "the converter rescales before the RELU family with one rounding, LiteRT with two",
    "activation bounds": "the converter adds the zero point to an activation's bounds, in float64, before it rounds them",
    "float32 scaling": "TOSA scales each summand in 20 more bits; LiteRT's reference SUM multiplies and rounds twice",
    "no activation": "the converter drops the fused activation of pooling",
    "no axes": "without axes the converter copies the stored values, LiteRT rescales them",
    "negative padding": "if the output ends after the last window, the converter halves the negative padding",
    "nearest, not floor": "without align_corners and half_pixel_centers LiteRT reads the pixel before, TOSA the nearest",
    "exact weights": "TOSA interpolates with exact fractions and rescales once, LiteRT with positions of ten binary digits",
    "the size -1": "the converter splits off the rest of the axis, and adds -1 to the start of the next part",
    "strided masks": "the converter does not shrink an axis with an end mask, but slices to its end",
    "condition broadcast": "LiteRT's SELECT broadcasts a condition of rank 1 along the first axis, TOSA along the last",
    "another exp": "both compute their table in float32 with exp of different libraries: ties differ",
    "beyond int32": "entries of the converter's table beyond int32 become its smallest value, LiteRT's saturate",
    "tanh of -infinity": "the converter's table has (1 - exp(-2x)) / (1 + exp(-2x)), which is NaN below about -44",
}  # fmt: skip

#: Stages of an arithmetic that describes TOSA; all further stages are those of litert-reference.
STAGES: dict[str, dict[str, str]] = {
    **{opcode: {"requantize": "single"} for opcode in ("RELU", "RELU6", "RELU_N1_TO_1", "RELU_0_TO_1")},
    "SUM": {"requantize": "float32"},
}

BOUNDS = {"RELU6": (0, 6), "RELU_N1_TO_1": (-1, 1), "RELU_0_TO_1": (0, 1)}

Outputs = list[NDArray[Any]]
#: Function of a trial, litecheck's outputs and TOSA's outputs: it returns the predicted outputs, or None.
Explain = Callable[[Trial, Outputs, Outputs], Outputs | None]
EXPLAIN: dict[str, list[tuple[str, Explain]]] = {}


def explains(reason: str, *opcodes: str) -> Callable[[Explain], Explain]:
    """Register a function under its reason for some operators."""
    assert reason in REASONS

    def register(function: Explain) -> Explain:
        for opcode in opcodes:
            EXPLAIN.setdefault(opcode, []).append((reason, function))
        return function

    return register


def explained(case: Trial, ours: Outputs, theirs: Outputs) -> str:
    """Return the reason that predicts all of TOSA's outputs, or ""."""
    for reason, function in EXPLAIN.get(case.model.subgraphs[0].operators[0].opcode, ()):
        expected = function(case, ours, theirs)
        if expected is not None and all(np.array_equal(a, b) for a, b in zip(expected, theirs, strict=True)):
            return reason
    return ""


@cache
def as_tosa() -> Arithmetic:
    """Return litert-reference with STAGES, and FULLY_CONNECTED of tflm."""
    dense = {"FULLY_CONNECTED": load_arithmetic("tflm").variants("FULLY_CONNECTED")}
    return changed(load_arithmetic("litert-reference"), {**STAGES, **dense})


def _options(case: Trial) -> Mapping[str, Any]:
    options = case.model.subgraphs[0].operators[0].options
    return options.fields if options is not None else {}


def stored_ints(case: Trial, operand: int) -> NDArray[np.int64]:
    """Return the values of a constant input."""
    graph = case.model.subgraphs[0]
    value = constant(graph, graph.tensors[graph.operators[0].inputs[operand]])
    assert value is not None
    return value.data.astype(np.int64)


@explains("double rounding", "FULLY_CONNECTED")
@explains("single rounding", "RELU", "RELU6", "RELU_N1_TO_1", "RELU_0_TO_1")
@explains("float32 scaling", "SUM")
def _stages(case: Trial, ours: Outputs, theirs: Outputs) -> Outputs | None:
    return list(run(case.model, case.inputs, arithmetic=as_tosa()).outputs.values())


@explains(
    "activation bounds",
    "RELU6",
    "RELU_N1_TO_1",
    "RELU_0_TO_1",
    "CONV_2D",
    "DEPTHWISE_CONV_2D",
    "FULLY_CONNECTED",
)
@explains("activation bounds", "TRANSPOSE_CONV", "ADD", "SUB", "MUL")
def _tighter(case: Trial, ours: Outputs, theirs: Outputs) -> Outputs | None:
    graph = case.model.subgraphs[0]
    fused = {2: "RELU_N1_TO_1", 3: "RELU6"}.get(_options(case).get("fused_activation_function", 0), "")
    low, high = BOUNDS.get(fused or graph.operators[0].opcode, (-math.inf, math.inf))
    if math.isinf(low):
        return None
    stated = graph.tensors[graph.outputs[0]].quantization
    bounds = np.array([low, high]) / float(stated.scale[0])
    ends = np.clip(round_half_away(bounds + stated.zero_point[0]), -128, 127).astype(int)
    (free,) = run(_bare(case) if fused else case.model, case.inputs, arithmetic=as_tosa()).outputs.values()
    return [np.clip(free, *ends).astype(np.int8)]


def _bare(case: Trial) -> Model:
    """Return the model without its fused activation."""
    graph = case.model.subgraphs[0]
    (operator,) = graph.operators
    assert operator.options is not None
    bare = Table(operator.options.type, {**operator.options.fields, "fused_activation_function": 0})
    return replace(case.model, subgraphs=(replace(graph, operators=(replace(operator, options=bare),)),))


@explains("no activation", "AVERAGE_POOL_2D", "MAX_POOL_2D")
def _without_activation(case: Trial, ours: Outputs, theirs: Outputs) -> Outputs | None:
    return list(run(_bare(case), case.inputs).outputs.values())


@explains("no axes", "MEAN", "SUM")
def _unchanged_input(case: Trial, ours: Outputs, theirs: Outputs) -> Outputs | None:
    return None if stored_ints(case, 1).size else [case.inputs[0]]


@explains("negative padding", "TRANSPOSE_CONV")
def _rolled(case: Trial, ours: Outputs, theirs: Outputs) -> Outputs | None:
    """Return outputs in which half of the bias-only elements after the last window come before the first."""
    graph, options = case.model.subgraphs[0], _options(case)
    _, weight, given = (graph.tensors[i].shape for i in graph.operators[0].inputs[:3])
    beyond = [
        out - ((n - 1) * stride + k)
        for n, k, stride, out in zip(
            given[1:3],
            weight[1:3],
            (options["stride_h"], options["stride_w"]),
            ours[0].shape[1:3],
            strict=True,
        )
    ]
    return [np.roll(ours[0], [max(0, n) // 2 for n in beyond], (1, 2))]


@explains("nearest, not floor", "RESIZE_NEAREST_NEIGHBOR")
def _nearest(case: Trial, ours: Outputs, theirs: Outputs) -> Outputs | None:
    options, x = _options(case), case.inputs[0]
    if options.get("align_corners") or options.get("half_pixel_centers"):
        return None
    rows, columns = (
        np.minimum((2 * n * np.arange(m) + m) // (2 * m), n - 1)
        for n, m in zip(x.shape[1:3], ours[0].shape[1:3], strict=True)
    )
    return [x[:, rows][:, :, columns]]


@explains("exact weights", "RESIZE_BILINEAR")
def _bilinear(case: Trial, ours: Outputs, theirs: Outputs) -> Outputs | None:
    x = case.inputs[0].astype(np.int64)
    y0, y1, fy, dy = _side(x.shape[1], ours[0].shape[1], _options(case))
    x0, x1, fx, dx = _side(x.shape[2], ours[0].shape[2], _options(case))
    fy, fx = fy[:, None, None], fx[:, None]
    rows = x[:, y0] * (dy - fy) + x[:, y1] * fy
    total = rows[:, :, x0] * (dx - fx) + rows[:, :, x1] * fx
    return [multiply_single(total, *quantize_multiplier(1 / (dx * dy))).astype(np.int8)]


def _side(n: int, m: int, options: Mapping[str, Any]) -> tuple[Any, Any, NDArray[np.int64], int]:
    """Return (lower pixel, upper pixel, numerator of the distance from the lower, denominator) of positions along a side."""
    if options.get("align_corners") and min(n, m) > 1:
        n_step, m_step = n - 1, m - 1
    else:
        n_step, m_step = n, m
    common = math.gcd(n_step, m_step)
    n_step, m_step = 2 * n_step // common, 2 * m_step // common
    at = np.arange(m) * n_step + ((n_step - m_step) // 2 if options.get("half_pixel_centers") else 0)
    lower = at // m_step
    return np.clip(lower, 0, n - 1), np.clip(lower + 1, 0, n - 1), at - lower * m_step, m_step


@explains("the size -1", "SPLIT_V")
def _rest(case: Trial, ours: Outputs, theirs: Outputs) -> Outputs | None:
    x, start, made = case.inputs[0], 0, []
    axis = int(stored_ints(case, 2).reshape(())) % x.ndim
    for size in stored_ints(case, 1):
        end = x.shape[axis] if size < 0 else start + int(size)
        made.append(x[(slice(None),) * axis + (slice(start, end),)])
        start += int(size)
    return made


@explains("strided masks", "STRIDED_SLICE")
def _wrong_masks(case: Trial, ours: Outputs, theirs: Outputs) -> Outputs | None:
    options = _options(case)
    begins, ends, shrinks = (int(options.get(f"{m}_mask", 0)) for m in ("begin", "end", "shrink_axis"))
    index: list[int | slice] = []
    for i, (begin, end, step) in enumerate(
        zip(*(stored_ints(case, k).tolist() for k in (1, 2, 3)), strict=True)
    ):
        if shrinks >> i & 1 and not ends >> i & 1:
            index.append(0 if begins >> i & 1 else begin)
        else:
            index.append(slice(None if begins >> i & 1 else begin, None if ends >> i & 1 else end, step))
    return [case.inputs[0][tuple(index)]]


@explains("condition broadcast", "SELECT")
def _broadcast(case: Trial, ours: Outputs, theirs: Outputs) -> Outputs | None:
    return [np.where(*case.inputs)]


def _reals(case: Trial) -> NDArray[np.float64]:
    graph = case.model.subgraphs[0]
    stated = graph.tensors[graph.inputs[0]].quantization
    real: NDArray[np.float64] = (case.inputs[0] - float(stated.zero_point[0])) * float(stated.scale[0])
    return real


@explains("another exp", "LOGISTIC")
def _near_ties(case: Trial, ours: Outputs, theirs: Outputs) -> Outputs | None:
    """Return either neighbor for outputs within 2^-16 of a tie: float32 has 24 bits for 0..256."""
    with np.errstate(over="ignore"):
        exact = 256 / (1 + np.exp(-_reals(case)))
    tied = np.abs(exact - np.floor(exact) - 0.5) < 2.0**-16
    near = np.abs(ours[0].astype(int) - theirs[0]) <= 1
    return [np.where(tied & near, theirs[0], ours[0])]


@explains("beyond int32", "EXP")
def _smallest(case: Trial, ours: Outputs, theirs: Outputs) -> Outputs | None:
    graph = case.model.subgraphs[0]
    scale = float(graph.tensors[graph.outputs[0]].quantization.scale[0])
    return [np.where(np.exp(_reals(case)) / scale >= 2.0**31, np.int8(-128), ours[0])]


@explains("tanh of -infinity", "TANH")
def _not_a_number(case: Trial, ours: Outputs, theirs: Outputs) -> Outputs | None:
    """Return any value if exp(-2x) exceeds float32."""
    return [np.where(_reals(case) < -math.log(np.finfo(np.float32).max) / 2, theirs[0], ours[0])]
