"""SVDF in integers; LSTM, UNIDIRECTIONAL_SEQUENCE_LSTM and SVDF in float32, except for the order of additions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from litecheck.quantization import INTEGER_RANGES
from litecheck.reference.compute_limits import check_time, reserve
from litecheck.reference.kernels.hybrid import dynamic, products
from litecheck.reference.numerics.fixedpoint import MULTIPLY, quantize_multiplier, saturate, wrap32
from litecheck.reference.numerics.fused_activation import clamp_real
from litecheck.reference.registry import Variants, kernel
from litecheck.reference.runtime_tensors import Array, Operand, Options, Outputs, OutputSpec, RunError

_RELU = 1


@kernel("SVDF", "int8", requantize=("double", "single"), activation=("relu", "ignored"))
def svdf(
    input: Operand, weights_feature: Operand, weights_time: Operand, bias: Operand | None, state: Operand,
    output: OutputSpec,
    options: Options, variants: Variants,
) -> Outputs:  # fmt: skip
    """out[u] = bias[u] + sum over the unit's filters f and time t of weights_time[f, t] * memory[f, t].

    1. Memory is shifted by one step. The newest entry is sum over n of weights_feature[f, n] * (q[n] - z), rescaled by
       input scale * feature scale / state scale, a float32, and clamped to the state's type.
    2. Each filter's memory times its time weights, int32; sums over the ``rank`` filters of a unit; plus bias.
    3. Rescaled by state scale * time scale / output scale, plus zero point, clamped to int8. The fused activation is not
       computed. With ``relu``, other functions are rejected, as in LiteRT; with ``ignored``, all are accepted.

    input (batch, n), weights_feature (units * rank, n), weights_time (units * rank, memory), state (batch, units *
    rank * memory) of int16, or of int8 as in LiteRT for Microcontrollers. Source: tflite/kernels/svdf.cc,
    internal/reference/svdf.h, EvalIntegerSVDF.
    """
    rank = int(options.get("rank", 0)) if options is not None else 0
    fused = options.get("fused_activation_function", 0) if options is not None else 0
    if rank < 1 or (fused != _RELU and variants["activation"] == "relu"):
        raise RunError("the integer kernel wants RELU and a rank of at least 1")
    multiply = MULTIPLY[variants["requantize"]]
    batch, (filters, steps) = input.shape[0], weights_time.shape
    reserve((batch, filters, steps + 1), 48)
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
    return Outputs((made.astype(np.int8),), {"state": memory.reshape(state.shape).astype(state.data.dtype)})


Floats = NDArray[np.float32]
#: Added to the variance of a layer normalization, so that it is not 0.
_GUARD = np.float32(1e-8)
_TANH = 4


@kernel(
    "UNIDIRECTIONAL_SEQUENCE_LSTM",
    "float32",
    type_role="input_to_forget_weights",
    activation=("fused", "tanh-only"),
)
@kernel("LSTM", "float32", type_role="input_to_forget_weights")
def lstm_float(
    input: Operand,
    input_to_input_weights: Operand | None, input_to_forget_weights: Operand,
    input_to_cell_weights: Operand, input_to_output_weights: Operand,
    recurrent_to_input_weights: Operand | None, recurrent_to_forget_weights: Operand,
    recurrent_to_cell_weights: Operand, recurrent_to_output_weights: Operand,
    cell_to_input_weights: Operand | None, cell_to_forget_weights: Operand | None, cell_to_output_weights: Operand | None,
    input_gate_bias: Operand | None, forget_gate_bias: Operand, cell_gate_bias: Operand, output_gate_bias: Operand,
    projection_weights: Operand | None, projection_bias: Operand | None, output_state: Operand, cell_state: Operand,
    input_layer_norm_coefficients: Operand | None, forget_layer_norm_coefficients: Operand | None,
    cell_layer_norm_coefficients: Operand | None, output_layer_norm_coefficients: Operand | None,
    output: OutputSpec, options: Options, variants: Variants,
) -> Outputs:  # fmt: skip
    """c' = f * c + i * g and h' = o * a(c'), with gates i, f, o = logistic(...) and g = a(...), a the fused activation.

    A gate sums bias, weights * input, recurrent weights * h (element by element if they are a vector) and, with
    peepholes, weights * c. With layer normalization, the bias is added last. Without input gate, i = 1 - f. Cell and
    projection may be clipped. LiteRT for Microcontrollers uses ``tanh-only``: a(c) is always tanh, and g has no
    activation unless it is tanh. Shapes as in the integer form.
    Source: tflite/kernels/lstm_eval.cc, LstmStepFloat.
    """
    gates = (
        _gate(input_to_input_weights, recurrent_to_input_weights, cell_to_input_weights, input_gate_bias,
              input_layer_norm_coefficients),
        _gate(input_to_forget_weights, recurrent_to_forget_weights, cell_to_forget_weights, forget_gate_bias,
              forget_layer_norm_coefficients),
        _gate(input_to_cell_weights, recurrent_to_cell_weights, None, cell_gate_bias, cell_layer_norm_coefficients),
        _gate(input_to_output_weights, recurrent_to_output_weights, cell_to_output_weights, output_gate_bias,
              output_layer_norm_coefficients),
    )  # fmt: skip
    steps, batch_first = _time_major(input, options)
    h, c, outputs, tanh_only = (
        output_state.data,
        cell_state.data,
        [],
        variants.get("activation") == "tanh-only",
    )
    reserve((*steps.shape[:2], h.shape[-1]), 2 * h.itemsize)
    for x in steps:
        check_time()
        h, c = _step(x, h, c, gates, (projection_weights, projection_bias), options, tanh_only)
        outputs.append(h)
    result = np.stack(outputs, 1 if batch_first else 0)
    return Outputs((result[0] if input.data.ndim == 2 else result,), {"output_state": h, "cell_state": c})


def _time_major(input: Operand, options: Options) -> tuple[Floats, bool]:
    """Return the input as (time, batch, n), and True if the operator has the batch first."""
    batch_first = input.data.ndim == 3 and not (options is not None and options.get("time_major", False))
    steps = input.data[None] if input.data.ndim == 2 else input.data
    return (steps.swapaxes(0, 1) if batch_first else steps), batch_first


def lstm_inner(operands: Mapping[str, Operand | None], options: Options) -> dict[str, Floats]:
    """Return the values inside a float LSTM that are in no tensor, for all steps.

    ``cell`` is the cell state; ``hidden`` is the output gate times the activated cell, before any projection;
    ``input_gate`` and so on are the sums of a gate with layer normalization. ``operands`` are by role, with the states
    before the first step.
    """
    gates: Gates = tuple(_gate_of(operands, name) for name in _GATES)  # type: ignore[assignment]
    projection = operands.get("projection_weights"), operands.get("projection_bias")
    steps, _ = _time_major(_require_operand(operands, "input"), options)
    h, c = (_require_operand(operands, f"{name}_state").data for name in ("output", "cell"))
    found: dict[str, list[Floats]] = {}
    for x in steps:
        check_time()
        hidden, new = _compute_cell(x, h, c, gates, options, False)
        for name, gate in zip(_GATES, gates, strict=True):
            if gate is not None and gate.norm is not None:
                # The peephole of the output gate uses the new cell state.
                found.setdefault(f"{name}_gate", []).append(gate.total(x, h, new if name == "output" else c))
        found.setdefault("cell", []).append(new)
        found.setdefault("hidden", []).append(hidden)
        h, c = _project(hidden, projection, options), new
    return {name: np.stack(values) for name, values in found.items()}


def _require_operand(operands: Mapping[str, Operand | None], role: str) -> Operand:
    operand = operands.get(role)
    if operand is None:
        raise RunError(f"{role} is missing")
    return operand


@dataclass(frozen=True, slots=True, eq=False)
class FloatGate:
    """Sum of a gate before its activation."""

    weights: Floats
    recurrent: Floats
    peephole: Floats | None
    bias: Floats | None
    norm: Floats | None

    def total(self, x: Floats, h: Floats, c: Floats) -> Floats:
        """Return the sum for ``x`` (batch, n), h (batch, outputs) and c (batch, cells), of shape (batch, cells), not
        normalized."""
        seen = h * self.recurrent if self.recurrent.ndim == 1 else h @ self.recurrent.T
        bias = np.float32(0) if self.bias is None else self.bias
        total = (x @ self.weights.T + (bias if self.norm is None else np.float32(0))) + seen
        if self.peephole is not None:
            total = total + self.peephole * c
        return np.asarray(total, np.float32)

    def __call__(self, x: Floats, h: Floats, c: Floats) -> Floats:
        """Return the sum, normalized if the gate has layer normalization."""
        total = self.total(x, h, c)
        if self.norm is None:
            return total
        bias = np.float32(0) if self.bias is None else self.bias
        difference = total - total.mean(axis=1, keepdims=True, dtype=np.float32)
        deviation = np.sqrt((difference * difference).mean(axis=1, keepdims=True, dtype=np.float32) + _GUARD)
        return np.asarray(difference / deviation * self.norm + bias, np.float32)


Gates = tuple[FloatGate | None, FloatGate | None, FloatGate | None, FloatGate | None]
_GATES = ("input", "forget", "cell", "output")


def _gate_of(operands: Mapping[str, Operand | None], name: str) -> FloatGate | None:
    roles = (
        f"input_to_{name}_weights",
        f"recurrent_to_{name}_weights",
        f"cell_to_{name}_weights",
        f"{name}_gate_bias",
        f"{name}_layer_norm_coefficients",
    )
    return _gate(*(operands.get(role) for role in roles))


def _gate(
    weights: Operand | None,
    recurrent: Operand | None,
    peephole: Operand | None,
    bias: Operand | None,
    norm: Operand | None,
) -> FloatGate | None:
    if weights is None or recurrent is None:
        return None
    found = (None if v is None else v.data for v in (peephole, bias, norm))
    return FloatGate(weights.data, recurrent.data, *found)


def _step(
    x: Floats, h: Floats, c: Floats, gates: Gates, projection: tuple[Operand | None, Operand | None],
    options: Options, tanh_only: bool,
) -> tuple[Floats, Floats]:  # fmt: skip
    """Return the output state and the cell state after a step."""
    hidden, c = _compute_cell(x, h, c, gates, options, tanh_only)
    return _project(hidden, projection, options), c


def _compute_cell(
    x: Floats, h: Floats, c: Floats, gates: Gates, options: Options, tanh_only: bool
) -> tuple[Floats, Floats]:
    """Return the output before any projection, and the cell state, after a step."""
    input_gate, forget_gate, cell_gate, output_gate = gates
    if forget_gate is None or cell_gate is None or output_gate is None:
        raise RunError("only the input gate may be absent")
    f = _logistic(forget_gate(x, h, c))
    i = np.float32(1) - f if input_gate is None else _logistic(input_gate(x, h, c))
    g = cell_gate(x, h, c)
    g = g if tanh_only and not _is_tanh(options) else _activate(g, options)
    c = _clip(f * c + i * g, options, "cell_clip")
    return _logistic(output_gate(x, h, c)) * (np.tanh(c) if tanh_only else _activate(c, options)), c


def _project(hidden: Floats, projection: tuple[Operand | None, Operand | None], options: Options) -> Floats:
    weights, bias = projection
    if weights is None:
        return hidden
    made = hidden @ weights.data.T
    return _clip(made if bias is None else made + bias.data, options, "proj_clip")


def _logistic(x: Floats) -> Floats:
    with np.errstate(over="ignore"):
        made: Floats = np.float32(1) / (np.float32(1) + np.exp(-x))
    return made


def _is_tanh(options: Options) -> bool:
    return options is not None and options.get("fused_activation_function", 0) == _TANH


def _activate(x: Floats, options: Options) -> Floats:
    return np.tanh(x) if _is_tanh(options) else clamp_real(x, options)


def _clip(x: Floats, options: Options, name: str) -> Floats:
    most = np.float32(options.get(name, 0.0)) if options is not None else np.float32(0)
    return np.clip(x, -most, most) if most > 0 else x


@kernel("SVDF", "float32")
def svdf_float(
    input: Operand, weights_feature: Operand, weights_time: Operand, bias: Operand | None, state: Operand,
    output: OutputSpec, options: Options,
) -> Outputs:  # fmt: skip
    """out[u] = bias[u] + sum over the unit's filters f and time t of weights_time[f, t] * memory[f, t], activated.

    Memory is shifted by one step. Its newest entry is the sum over n of weights_feature[f, n] * input[n]. Shapes as in
    the integer form. For int8 weights, each row of the input is quantized first, and the time weights are dequantized.
    Source: tflite/kernels/internal/reference/svdf.h, EvalFloatSVDF, EvalHybridSVDF.
    """
    rank = int(options.get("rank", 0)) if options is not None else 0
    if rank < 1 or {weights_feature.dtype, weights_time.dtype} not in ({"float32"}, {"int8"}):
        raise RunError("a rank of at least 1 is needed, and float32 or int8 weights")
    batch, (filters, steps) = input.shape[0], weights_time.shape
    reserve((batch, filters, steps + 1), 16)
    memory: Array = np.roll(state.data.reshape(batch, filters, steps), -1, axis=2)
    hybrid, x, rows = weights_time.dtype == "int8", input.data, dynamic("as-asked", options)
    memory[:, :, -1] = products(x, weights_feature, None, rows) if hybrid else x @ weights_feature.data.T
    time = weights_time.data * weights_time.quantization.scale if hybrid else weights_time.data
    each = (memory * time).sum(axis=2, dtype=np.float32)
    sums = each.reshape(batch, filters // rank, rank).sum(axis=2, dtype=np.float32)
    made = _activate(sums if bias is None else sums + bias.data, options)
    return Outputs((made,), {"state": memory.reshape(state.shape)})
