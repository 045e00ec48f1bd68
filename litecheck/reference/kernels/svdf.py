"""SVDF: a layer of filters over time, factored into one that sees the input and one that sees its own memory."""

from __future__ import annotations

import numpy as np

from litecheck.quantization import INTEGER_RANGES
from litecheck.reference.numerics.fixedpoint import MULTIPLY, quantize_multiplier, saturate, wrap32
from litecheck.reference.operands import Computed, Operand, Options, OutputSpec, RunError
from litecheck.reference.registry import Variants, kernel

_RELU = 1


@kernel("SVDF", "int8", requantize=("double", "single"), activation=("relu", "ignored"))
def svdf(
    input: Operand, weights_feature: Operand, weights_time: Operand, bias: Operand | None, state: Operand,
    output: OutputSpec,
    options: Options, variants: Variants,
) -> Computed:  # fmt: skip
    """out[u] = bias[u] + sum over the unit's filters f and time t of weights_time[f, t] * memory[f, t].

    1. Memory moves one step; the newest entry is sum over n of weights_feature[f, n] * (q[n] - z), rescaled by input
       scale * feature scale / state scale, a float32, and clamped to the state's type.
    2. Each filter's memory times its time weights, int32; sums over the ``rank`` filters of a unit; plus bias.
    3. Rescaled by state scale * time scale / output scale, plus zero point, clamped to int8. No fused activation is
       computed: ``relu``, LiteRT refuses all others; ``ignored``, none is looked at.

    input (batch, n), weights_feature (units * rank, n), weights_time (units * rank, memory), state (batch, units *
    rank * memory) of int16, or int8 as LiteRT for Microcontrollers has it. Source: tflite/kernels/svdf.cc,
    internal/reference/svdf.h, EvalIntegerSVDF.
    """
    rank = int(options.get("rank", 0)) if options is not None else 0
    fused = options.get("fused_activation_function", 0) if options is not None else 0
    if rank < 1 or (fused != _RELU and variants["activation"] == "relu"):
        raise RunError("the integer kernel wants RELU and a rank of at least 1")
    multiply = MULTIPLY[variants["requantize"]]
    batch, (filters, steps) = input.shape[0], weights_time.shape
    first = float(input.scale * weights_feature.scale / state.scale)
    second = float(state.scale * weights_time.scale / output.scale)
    centered = input.data.astype(np.float64) - input.zero_point
    newest = (centered @ weights_feature.data.astype(np.float64).T).astype(np.int64)
    memory = np.roll(state.data.astype(np.int64).reshape(batch, filters, steps), -1, axis=2)
    memory[:, :, -1] = saturate(
        multiply(wrap32(newest), *quantize_multiplier(first)), *INTEGER_RANGES[state.dtype]
    )
    sums = (
        (memory * weights_time.data.astype(np.int64))
        .sum(axis=2)
        .reshape(batch, filters // rank, rank)
        .sum(axis=2)
    )
    if bias is not None:
        sums = sums + bias.data
    made = saturate(multiply(wrap32(sums), *quantize_multiplier(second)) + output.zero_point, -128, 127)
    return Computed((made.astype(np.int8),), {"state": memory.reshape(state.shape).astype(state.data.dtype)})
