"""Random valid layers for the shape functions: convolutions, pools, products, recurrent cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from litecheck.model.build import qparams
from tests.differential.shapes_draws import (
    FIRST,
    Draw,
    Make,
    Part,
    Random,
    broadcastable,
    dims,
    index,
    out,
    size,
    x,
)


def conv(rng: Random, dtype: str, opcode: str = "CONV_2D", high: int = 3) -> Draw:
    groups, depth, height, width = (size(rng, 1, n) for n in (3, 3, 8, 8))
    window = (size(rng, 1, high), size(rng, 1, high))
    deep = opcode == "DEPTHWISE_CONV_2D"
    channels = groups * depth
    outputs = channels * size(rng, 1, 3) if deep else groups * size(rng, 1, 3)
    weight = (1, *window, outputs) if deep else (outputs, *window, depth)
    parts: list[Part | None] = [
        x(rng, (size(rng, 1, 2), height, width, channels), dtype),
        _weight(rng, weight, dtype, 3 if deep else 0),
    ]
    parts.append(_bias(rng, outputs, dtype, True))
    options = _window(rng, 2, deep)
    if deep:
        options["depth_multiplier"] = outputs // channels
    return Draw(opcode, _trimmed(parts), (out(dtype, qparams(0.5, 1)),), options, 3)


def _weight(rng: Random, shape: Sequence[int], dtype: str, axis: int = 0) -> Part:
    q = qparams(np.full(shape[axis], 0.01), 0, axis)
    return x(rng, shape, dtype, dtype == "int8" or rng.random() < 0.8, q)


def _bias(rng: Random, outputs: int, dtype: str, always: bool = False) -> Part | None:
    if dtype == "int8":
        return Part(
            np.zeros(outputs, np.int32),
            qparams(np.full(outputs, np.float32(0.05) * np.float32(0.01))),
            True,
        )
    return x(rng, (outputs,), dtype, rng.random() < 0.8) if always or rng.random() < 0.8 else None


def _trimmed(parts: Sequence[Part | None]) -> tuple[Part | None, ...]:
    """Return the inputs without absent inputs at the end, which some kernels do not accept."""
    return _trimmed(parts[:-1]) if parts and parts[-1] is None else tuple(parts)


def _window(rng: Random, axes: int = 2, deep: bool = False, dilate: bool = True) -> dict[str, Any]:
    names = ("d", "h", "w")[-axes:]
    found: dict[str, Any] = {"padding": "SAME" if rng.random() < 0.5 else "VALID"}
    found |= {f"stride_{n}": size(rng, 1, 3) for n in names}
    if dilate and rng.random() < 0.4:
        found |= {f"dilation_{n}_factor": size(rng, 1, 3) for n in names}
    return found


def depthwise(rng: Random, dtype: str) -> Draw:
    return conv(rng, dtype, "DEPTHWISE_CONV_2D")


def conv_3d(rng: Random, dtype: str) -> Draw:
    depth, outputs = size(rng, 1, 3), size(rng, 1, 3)
    weight = (*(size(rng, 1, 3) for _ in range(3)), depth, outputs)
    parts = (
        x(rng, (size(rng, 1, 2), *(size(rng, 1, 6) for _ in range(3)), depth), dtype),
        x(rng, weight, dtype, True),
        _bias(rng, outputs, dtype),
    )
    return Draw("CONV_3D", _trimmed(parts), (out(dtype),), _window(rng, 3))


def transposed(rng: Random, dtype: str, opcode: str = "TRANSPOSE_CONV") -> Draw:
    deep = opcode == "CONV_3D_TRANSPOSE"
    axes = 3 if deep else 2
    options = _window(rng, axes, dilate=deep)
    depth, outputs, batch = (size(rng, 1, 3) for _ in range(3))
    lengths = [size(rng, 1, 4) for _ in range(axes)]
    window = [size(rng, 1, 3) for _ in range(axes)]
    strides = [options[f"stride_{n}"] for n in ("d", "h", "w")[-axes:]]
    spans = [
        (w - 1) * options.get(f"dilation_{n}_factor", 1) + 1
        for w, n in zip(window, ("d", "h", "w")[-axes:], strict=True)
    ]
    if options["padding"] == "SAME":
        spatial = [n * s - size(rng, 0, s - 1) for n, s in zip(lengths, strides, strict=True)]
    else:
        spatial = [
            (n - 1) * s + w + size(rng, 0, s - 1) for n, s, w in zip(lengths, strides, spans, strict=True)
        ]
    weight = (*window, outputs, depth) if deep else (outputs, *window, depth)
    parts = [
        index(rng, [batch, *spatial, outputs]),
        _weight(rng, weight, dtype),
        x(rng, (batch, *lengths, depth), dtype),
    ]
    return Draw(
        opcode,
        _trimmed((*parts, _bias(rng, outputs, dtype))),
        (out(dtype, qparams(0.5, 1)),),
        options,
        1 if deep else 3,
    )


def pool(opcode: str) -> Make:
    def make(rng: Random, dtype: str) -> Draw:
        options = _window(rng, 2, dilate=False) | {
            "filter_height": size(rng, 1, 4),
            "filter_width": size(rng, 1, 4),
        }
        shape = (size(rng, 1, 2), size(rng, 1, 9), size(rng, 1, 9), size(rng, 1, 3))
        return Draw(opcode, (x(rng, shape, dtype),), (out(dtype),), options, 1 if opcode in FIRST else 2)

    return make


def fully_connected(rng: Random, dtype: str) -> Draw:
    shape, units, keep = dims(rng, 1, 4), size(rng), bool(rng.random() < 0.4)
    depth = shape[-1] if keep or rng.random() < 0.5 else int(np.prod(shape[size(rng, 0, len(shape) - 1) :]))
    parts = (x(rng, shape, dtype), _weight(rng, (units, depth), dtype), _bias(rng, units, dtype))
    return Draw(
        "FULLY_CONNECTED", _trimmed(parts), (out(dtype, qparams(0.5, 1)),), {"keep_num_dims": keep}, 4
    )


def batch_matmul(rng: Random, dtype: str) -> Draw:
    left, right = broadcastable(rng, 2, 4)
    rows, inner, columns = (size(rng) for _ in range(3))
    options = {"adj_x": bool(rng.random() < 0.3), "adj_y": bool(rng.random() < 0.3)}
    a = (inner, rows) if options["adj_x"] else (rows, inner)
    b = (columns, inner) if options["adj_y"] else (inner, columns)
    parts = (x(rng, (*left, *a), dtype), x(rng, (*right, *b), dtype, rng.random() < 0.3))
    return Draw("BATCH_MATMUL", parts, (out(dtype, qparams(0.5, 1)),), options, 2)


def svdf(rng: Random, dtype: str) -> Draw:
    batch, n, units, rank, memory = (size(rng, 1, 4) for _ in range(5))
    filters = units * rank
    if dtype == "int8":
        state = Part(np.zeros((batch, filters * memory), np.int16), qparams(0.002), variable=True)
        time = Part(np.ones((filters, memory), np.int16), qparams(0.0002), True)
        bias = Part(np.ones(units, np.int32), qparams(np.float32(0.0002) * np.float32(0.002)), True)
        parts = (
            x(rng, (batch, n), dtype),
            x(rng, (filters, n), dtype, True, qparams(0.01)),
            time,
            bias,
            state,
        )
    else:
        state = Part(np.zeros((batch, filters * memory), np.float32), variable=True)
        parts = (x(rng, (batch, n), dtype), x(rng, (filters, n), dtype, True), x(rng, (filters, memory), dtype, True),
                 _bias(rng, units, dtype), state)  # fmt: skip
    return Draw("SVDF", parts, (out(dtype),), {"rank": rank, "fused_activation_function": "RELU"}, 3)


def _state(*shape: int) -> Part:
    return Part(np.zeros(shape, np.float32), variable=True)


def _cell(rng: Random, batch: int, length: int, units: int) -> tuple[Part, ...]:
    shapes = ((units, length), (units, units), (units,))
    return (*(x(rng, shape, "float32", True) for shape in shapes), _state(batch, units))


def rnn(rng: Random, dtype: str) -> Draw:
    batch, length, units = (size(rng, 1, 4) for _ in range(3))
    parts = (x(rng, (batch, length), dtype), *_cell(rng, batch, length, units))
    return Draw("RNN", parts, (out(dtype),), {"fused_activation_function": "RELU"})


def sequence_rnn(rng: Random, dtype: str, ways: int = 1) -> Draw:
    steps, batch, length = (size(rng, 1, 4) for _ in range(3))
    major = bool(rng.random() < 0.5)
    shape = (steps, batch, length) if major else (batch, steps, length)
    parts: list[Part | None] = [x(rng, shape, dtype)]
    for _ in range(ways):
        parts += _cell(rng, batch, length, size(rng, 1, 4))
    options: dict[str, Any] = {"time_major": major, "fused_activation_function": "RELU"}
    if ways == 1:
        return Draw("UNIDIRECTIONAL_SEQUENCE_RNN", tuple(parts), (out(dtype),), options)
    options["merge_outputs"] = bool(rng.random() < 0.5)
    parts += [None, None, None]
    return Draw(
        "BIDIRECTIONAL_SEQUENCE_RNN",
        tuple(parts),
        (out(dtype),) * (1 if options["merge_outputs"] else 2),
        options,
    )


def both_rnn(rng: Random, dtype: str) -> Draw:
    return sequence_rnn(rng, dtype, 2)


def _gates(
    rng: Random, length: int, cells: int, outputs: int, projected: bool, cifg: bool, peephole: bool
) -> list[Part | None]:
    def c(*shape: int) -> Part:
        return x(rng, shape, "float32", True)

    skip = [cifg, False, False, False]
    found = [None if s else c(cells, length) for s in skip] + [None if s else c(cells, outputs) for s in skip]
    found += [None if not peephole or (s and cifg) else c(cells) for s in (True, False, False)]
    found += [None if s else c(cells) for s in skip]
    return [
        *found,
        c(outputs, cells) if projected else None,
        c(outputs) if projected and rng.random() < 0.5 else None,
    ]


def lstm(opcode: str) -> Make:
    def make(rng: Random, dtype: str) -> Draw:
        steps, batch, length, cells, outputs = (size(rng, 1, 4) for _ in range(5))
        projected, cifg, peephole, norm, major = (bool(rng.random() < 0.4) for _ in range(5))
        outputs = outputs if projected and not peephole else cells
        one = opcode == "LSTM"
        shape = (batch, length) if one else (steps, batch, length) if major else (batch, steps, length)
        parts = [x(rng, shape, dtype), *_gates(rng, length, cells, outputs, projected, cifg, peephole)]
        parts += [_state(batch, outputs), _state(batch, cells)]
        parts += (
            [None if not norm or (cifg and g == 0) else x(rng, (cells,), dtype, True) for g in range(4)]
            if norm or rng.random() < 0.5
            else []
        )
        options: dict[str, Any] = {"fused_activation_function": "TANH"} | (
            {} if one else {"time_major": major}
        )
        return Draw(opcode, tuple(parts), (out(dtype),), options)

    return make


def basic_lstm(rng: Random, dtype: str) -> Draw:
    batch, length, depth = (size(rng, 1, 4) for _ in range(3))
    parts = (x(rng, (batch, length), dtype), _state(batch, depth), x(rng, (4 * depth, depth + length), dtype, True),
             x(rng, (4 * depth,), dtype, True), _state(batch, depth))  # fmt: skip
    return Draw(
        "LSTM", parts, (out(dtype),) * 4, {"fused_activation_function": "TANH", "kernel_type": "BASIC"}, 2
    )


def both_lstm(rng: Random, dtype: str) -> Draw:
    steps, batch, length, major, merged = (
        *(size(rng, 1, 4) for _ in range(3)),
        bool(rng.random() < 0.5),
        bool(rng.random() < 0.5),
    )
    parts: list[Part | None] = [x(rng, (steps, batch, length) if major else (batch, steps, length), dtype)]
    states = []
    for _ in range(2):
        cells = size(rng, 1, 4)
        parts += _gates(rng, length, cells, cells, False, bool(rng.random() < 0.3), False)
        states += [_state(batch, cells), _state(batch, cells)]
    options = {"time_major": major, "merge_outputs": merged, "fused_activation_function": "TANH"}
    return Draw(
        "BIDIRECTIONAL_SEQUENCE_LSTM",
        (*parts, *states, *(None,) * 9),
        (out(dtype),) * (1 if merged else 2),
        options,
    )
