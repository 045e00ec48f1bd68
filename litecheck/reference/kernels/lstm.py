"""UNIDIRECTIONAL_SEQUENCE_LSTM and LSTM with int8 activations and weights and an int16 cell (8x8_16 and 8x8_8).

Fixed-point formats: a gate's sum is Q3.12 unless layer normalization gives another scale; its activation is Q0.15. A
cell with scale 2^(m-15) has m integer bits.
Sources: tflite/kernels/lstm_eval.cc, EvalInteger8x8_16; unidirectional_sequence_lstm.cc and lstm.cc,
PopulateQuantizedLstmParams8x8_16; internal/reference/portable_tensor_utils.cc.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from litecheck.reference.compute_limits import check_time, reserve
from litecheck.reference.kernels.lstm_8x8_8 import CELL, NarrowGate, projection, step
from litecheck.reference.kernels.lstm_parts import (
    CELL_ACTIVATIONS,
    CellActivations,
    GateProduct,
    LayerNorm,
    Peephole,
    product,
)  # fmt: skip
from litecheck.reference.numerics.fixedpoint import Ints, multiply_double, quantize_multiplier, saturate
from litecheck.reference.registry import Variants, kernel
from litecheck.reference.runtime_tensors import Operand, Options, Outputs, OutputSpec, RunError

Q12, Q15 = np.float32(2.0**-12), 2.0**-15
_WORD = -(2**15), 2**15 - 1
_PEEPHOLES = ("by-outputs", "by-cells")


@kernel(
    "UNIDIRECTIONAL_SEQUENCE_LSTM",
    "int8",
    curves=tuple(CELL_ACTIVATIONS),
    recurrent=("sum", "saturated"),
    peepholes=_PEEPHOLES,
)
@kernel("LSTM", "int8", output_gate=("complete", "input-alone"), peepholes=_PEEPHOLES)
def lstm(
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
    output: OutputSpec, options: Options, intermediates: tuple[OutputSpec, ...], variants: Variants,
) -> Outputs:  # fmt: skip
    """c' = f * c + i * g and h' = o * tanh(c'), for each step, with gates i, f, o = logistic(...), g = tanh(...).

    Each gate (:class:`IntegerGate`) sums weights * input, recurrent weights * h and, with peepholes, weights * c.
    ``recurrent: saturated`` saturates the recurrent product first; ``peepholes: by-cells`` uses every cell. Without
    input gate (CIFG), i = 1 - f. A projection is a matrix product after h'. input (batch, time, n), with ``time_major``
    (time, batch, n), or (batch, n) for one step; weights (cells, n) and (cells, outputs), output_state (batch, outputs),
    cell_state int16 (batch, cells). ``intermediates``: the gates' sums before normalization, and o * tanh(c'). The
    8x8_8 form has 12 intermediates. Source: tflite/kernels/lstm_eval.cc.
    """
    ends, sums = (input, output_state, cell_state), intermediates
    if len(sums) == 12 and "output_gate" in variants:
        three = (
            (input_to_forget_weights, recurrent_to_forget_weights, forget_layer_norm_coefficients, forget_gate_bias),
            (input_to_cell_weights, recurrent_to_cell_weights, cell_layer_norm_coefficients, cell_gate_bias),
            (input_to_output_weights, recurrent_to_output_weights, output_layer_norm_coefficients, output_gate_bias),
        )  # fmt: skip
        made, complete = (projection_weights, projection_bias, output), variants["output_gate"] == "complete"
        return compute_8x8_8(ends, three, made, options, sums, complete)
    if len(sums) != 5:
        raise RunError(f"no kernel for an LSTM with {len(sums)} intermediate tensors; 8x8_16 has 5")
    gates = Gates(
        make_gate(ends, input_to_input_weights, recurrent_to_input_weights, cell_to_input_weights, input_gate_bias,
             input_layer_norm_coefficients, sums[0]),
        _require_gate(make_gate(ends, input_to_forget_weights, recurrent_to_forget_weights, cell_to_forget_weights,
                     forget_gate_bias, forget_layer_norm_coefficients, sums[1])),
        _require_gate(make_gate(ends, input_to_cell_weights, recurrent_to_cell_weights, None, cell_gate_bias,
                     cell_layer_norm_coefficients, sums[2])),
        _require_gate(make_gate(ends, input_to_output_weights, recurrent_to_output_weights, cell_to_output_weights,
                     output_gate_bias, output_layer_norm_coefficients, sums[3])),
    )  # fmt: skip
    if cell_to_forget_weights is not None and variants["peepholes"] == "by-outputs":
        gates = gates.with_counted_peepholes(output_state.data.shape[-1], _batch_first(input.data, options))
    hidden = output_for(options, output_state, sums[4], projection_weights, projection_bias, output)
    curves, gates = (
        CELL_ACTIVATIONS[variants.get("curves", "gemmlowp")],
        gates.with_saturation(variants.get("recurrent", "sum")),
    )
    return unroll(input.data, gates, hidden, output_state, cell_state, options, curves)


@dataclass(frozen=True, slots=True, eq=False)
class IntegerGate:
    """Sum of a gate, saturated to int16 after each term: Q3.12 before its activation.

    With ``apart``, the product with the output state is saturated separately before the sum.
    """

    input: GateProduct
    recurrent: GateProduct
    peephole: Peephole | None
    norm: LayerNorm | None
    apart: bool = False

    def __call__(self, fed: Ints, h: Ints, c: Ints) -> Ints:
        """Return the sum of the gate. ``fed`` is its product with the input, h and c are the states, all (batch, ...)."""
        recurrent = saturate(self.recurrent(h), *_WORD) if self.apart else self.recurrent(h)
        total = saturate(saturate(fed, *_WORD) + recurrent, *_WORD)
        if self.peephole is not None:
            total = saturate(total + self.peephole(c), *_WORD)
        return total if self.norm is None else self.norm(total)

    def with_counted_peepholes(self, outputs: int, alone: bool) -> IntegerGate:
        """Return the gate with peepholes counted by outputs, of rows that are computed together, or each ``alone``."""
        seen = self.peephole
        return self if seen is None else replace(self, peephole=replace(seen, count=outputs, alone=alone))


@dataclass(frozen=True, slots=True)
class Gates:
    """Gates of a cell. Without input gate, the complement of the forget gate is used (CIFG)."""

    input: IntegerGate | None
    forget: IntegerGate
    cell: IntegerGate
    output: IntegerGate

    def with_saturation(self, recurrent: str) -> Gates:
        """Return the same gates. With ``saturated``, each saturates its recurrent product separately."""
        return self._map_gates(lambda gate: replace(gate, apart=recurrent == "saturated"))

    def with_counted_peepholes(self, outputs: int, alone: bool) -> Gates:
        """Return the same gates with peepholes counted by outputs."""
        return self._map_gates(lambda gate: gate.with_counted_peepholes(outputs, alone))

    def _map_gates(self, change: Callable[[IntegerGate], IntegerGate]) -> Gates:
        alone = None if self.input is None else change(self.input)
        return Gates(alone, *(change(gate) for gate in (self.forget, self.cell, self.output)))


def make_gate(
    ends: tuple[Operand, Operand, Operand], weights: Operand | None, recurrent: Operand | None, peephole: Operand | None,
    bias: Operand | None, norm: Operand | None, total: OutputSpec,
) -> IntegerGate | None:  # fmt: skip
    """Return a gate from its operands, None if it has none; ``ends`` are input, output state and cell state.

    With layer normalization, the bias is added after it, and the sum has the scale of the intermediate tensor.
    """
    if weights is None or recurrent is None:
        return None
    source, output_state, cell_state = ends
    scale = Q12 if norm is None else total.scale
    seen = None
    if peephole is not None:
        real = np.float32(2.0 ** cell_bits(cell_state, 0) * float(peephole.scale) / float(scale))
        seen = Peephole(peephole.data.astype(np.int64), quantize_multiplier(float(real)), len(peephole.data))
    return IntegerGate(
        product(
            weights, source.zero_point, weights.scale * source.scale / scale, bias if norm is None else None
        ),
        product(recurrent, output_state.zero_point, recurrent.scale * output_state.scale / scale),
        seen,
        None if norm is None else LayerNorm.of(norm, bias),
    )


def _require_gate(found: IntegerGate | None) -> IntegerGate:
    if found is None:
        raise RunError("only the input gate may be absent")
    return found


def cell_bits(cell_state: Operand, fraction: int = 15) -> int:
    """Return ``fraction`` plus the exponent of the cell's scale, a power of two. Example: scale 2^-12 gives 3."""
    mantissa, exponent = math.frexp(float(cell_state.scale))
    if mantissa != 0.5:
        raise RunError(f"the cell's scale {cell_state.scale} is not a power of two")
    return fraction + exponent - 1


@dataclass(frozen=True, slots=True, eq=False)
class HiddenState:
    """o * tanh(c) in the output's quantization, directly or through a projection."""

    multiplier: tuple[int, int]
    zero_point: int
    projection: GateProduct | None
    clip: int
    output_zero_point: int

    def __call__(self, gate: Ints, squashed: Ints) -> Ints:
        """Return the output for both factors in Q0.15. The projection uses its operand with a negated zero point."""
        wide = multiply_double(gate * squashed, *self.multiplier)
        if self.projection is None:
            return saturate(wide + self.zero_point, -128, 127)
        made = self.projection(saturate(wide - self.zero_point, -128, 127))
        made = saturate(made + self.output_zero_point, -128, 127)
        return saturate(made, -self.clip, self.clip) if self.clip > 0 else made


def output_for(
    options: Options, output_state: Operand, hidden: OutputSpec, weights: Operand | None, bias: Operand | None,
    output: OutputSpec,
) -> HiddenState:  # fmt: skip
    """Return the computation of outputs. The clip value is the real clip divided by the output's scale, truncated."""
    scale = np.float32(Q15 / float(hidden.scale) * Q15)
    clip = float(np.float32(_real(options, "proj_clip")) / output.scale)
    projection = None
    if weights is not None:
        projection = product(
            weights, -hidden.zero_point, weights.scale * hidden.scale / output_state.scale, bias
        )
    zero_point = output_state.zero_point
    return HiddenState(
        quantize_multiplier(float(scale)), hidden.zero_point, projection, int(min(clip, 127.0)), zero_point
    )


def _real(options: Options, name: str) -> float:
    return float(options.get(name, 0.0)) if options is not None else 0.0


def _batch_first(data: NDArray[np.int8], options: Options) -> bool:
    """Return True if each row of a batch is computed separately, step after step."""
    return data.ndim == 3 and not (options is not None and options.get("time_major", False))


def unroll(
    data: NDArray[np.int8],
    gates: Gates,
    hidden: HiddenState,
    output_state: Operand,
    cell_state: Operand,
    options: Options,
    curves: CellActivations,
) -> Outputs:
    """Return the outputs of all steps in the input's layout, and the final states, from the given states."""
    batch_first = _batch_first(data, options)
    steps = data[None] if data.ndim == 2 else data.swapaxes(0, 1) if batch_first else data
    reserve((*steps.shape[:2], output_state.shape[-1] + 8 * cell_state.shape[-1]), 8)
    fed = {
        g: g.input(steps.astype(np.int64)) for g in (gates.input, gates.forget, gates.cell, gates.output) if g
    }
    h, c = output_state.data.astype(np.int64), cell_state.data.astype(np.int64)
    bits = cell_bits(cell_state)
    if not 0 <= bits <= 6:
        raise RunError(f"a cell with {bits} integer bits; there is a tanh for 0 to 6")
    clip = int(min(float(np.float32(_real(options, "cell_clip")) / cell_state.scale), 32767.0))
    made = np.empty((*steps.shape[:2], h.shape[-1]), np.int8)
    for t in range(len(steps)):
        check_time()
        f = curves.logistic(gates.forget(fed[gates.forget][t], h, c))
        i = 32767 - f
        if gates.input is not None:
            i = curves.logistic(gates.input(fed[gates.input][t], h, c))
        g = curves.tanh(gates.cell(fed[gates.cell][t], h, c), 3)
        c = curves.shift_right(f * c, 15) + curves.shift_right(i * g, 15 + bits)
        c = saturate(c, -(2**15), 2**15 - 1)
        c = saturate(c, -clip, clip) if clip > 0 else c
        o = curves.logistic(gates.output(fed[gates.output][t], h, c))
        h = hidden(o, curves.tanh(c, bits))
        made[t] = h
    result = made[0] if data.ndim == 2 else made.swapaxes(0, 1) if batch_first else made
    return Outputs((result,), {"output_state": h.astype(np.int8), "cell_state": c.astype(np.int16)})


def compute_8x8_8(
    ends: tuple[Operand, Operand, Operand],
    gates: tuple[tuple[Operand, Operand, Operand | None, Operand], ...],
    end: tuple[Operand | None, Operand | None, OutputSpec],
    options: Options,
    sums: tuple[OutputSpec, ...],
    complete: bool,
) -> Outputs:
    """Return a step of the 8x8_8 form; ``gates`` are forget, cell and output, each with three of the ``sums``.

    ``ends`` are input, output state and cell state, ``end`` the projection's weights and bias, and the output. Without
    ``complete``, the output gate omits its recurrent product.
    """
    source, output_state, cell_state = ends
    if source.data.ndim != 2 or cell_state.scale != CELL:
        raise RunError("an 8x8_8 LSTM takes one step, input (batch, n), and has a cell in steps of 2^-15")
    forget, cell, last = (
        NarrowGate.of((w, source), (r, output_state), norm, bias, sums[at : at + 3])
        for at, (w, r, norm, bias) in zip((3, 6, 9), gates, strict=True)
    )
    last = last if complete else replace(last, recurrent=None)
    clips = float(np.float32(_real(options, "proj_clip")) / end[2].scale), _real(options, "cell_clip")
    bound = int(np.float32(clips[1]) / CELL) if 0 < clips[1] < 1 else 0
    made = projection(end[0], end[1], output_state, int(min(clips[0], 127.0)))
    x, h, c = (v.data.astype(np.int64) for v in ends)
    h, c = step(x, h, c, (forget, cell, last), made, bound)
    kept = h.astype(np.int8)
    return Outputs((kept,), {"output_state": kept, "cell_state": c.astype(np.int16)})
