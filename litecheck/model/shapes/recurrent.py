"""Shapes of recurrent layers: SVDF, simple recurrent cells, LSTM; single steps and sequences, one or both directions."""

from __future__ import annotations

from litecheck.model.shapes.call import Call, Shape, ShapeError, Shapes
from litecheck.model.shapes.dimensions import at_least, check_rank, differ, elements, shape_text, words


def check_shape(call: Call, role: str, *dims: int | None) -> Shape | None:
    """Return the shape of an input, None if it is absent. Raises ShapeError for lengths other than ``dims`` (None: any)."""
    if not call.has(role):
        return None
    shape = check_rank(call, role, len(dims))
    if shape is not None and any(map(differ, shape, dims)):
        raise ShapeError(role, f"the {words(role)} is {shape_text(shape)}, {shape_text(dims)} wanted")
    return shape


def check_leading(call: Call, role: str, *dims: int | None) -> None:
    """Raise ShapeError if the first dimensions of an input differ from ``dims`` (None: any)."""
    shape = at_least(call, role, len(dims))
    if shape is not None and any(map(differ, shape, dims)):
        raise ShapeError(role, f"the {words(role)} is {shape_text(shape)}, {shape_text(dims)} wanted")


def check_count(call: Call, role: str, number: int | None) -> None:
    """Raise ShapeError if an input is present and has another number of values."""
    values = elements(call, role) if call.has(role) else None
    if differ(values, number):
        raise ShapeError(role, f"the {words(role)} has {values} values, {number} wanted")


def svdf(call: Call) -> Shapes:
    """Return [b, f / rank] for input [b, i], feature weights [f, i], time weights [f, m] and state [b, m * f]."""
    batch, length = (at_least(call, "input", 2) or (None, None))[:2]
    filters, taken = (at_least(call, "weights_feature", 2) or (None, None))[:2]
    rank = int(call.option("rank"))
    if rank < 1 or (filters is not None and filters % rank):
        raise ShapeError(None, f"rank is {rank}, the feature weights have {filters} filters")
    if differ(taken, length):
        raise ShapeError(
            "weights_feature", f"the input has {length} values, the feature weights take {taken}"
        )
    rows, memory = (at_least(call, "weights_time", 2) or (None, None))[:2]
    if differ(rows, filters):
        raise ShapeError(
            "weights_time", f"the time weights have {rows} filters, the feature weights {filters}"
        )
    units = None if filters is None else filters // rank
    if call.has("bias"):
        check_leading(call, "bias", units)
    check_shape(call, "state", batch, None if None in (memory, filters) else memory * filters)  # type: ignore[operator]
    return ((batch, units),)


def rnn(call: Call) -> Shapes:
    """Return [b, u] for input [b, i], weights [u, i], recurrent weights [u, u], bias [u] and state [b, u]."""
    batch, length = (at_least(call, "input", 2) or (None, None))[:2]
    return ((batch, _check_cell(call, "", batch, length)),)


def _check_cell(call: Call, prefix: str, batch: int | None, length: int | None) -> int | None:
    """Return the number of units of a simple recurrent cell, and check its inputs. Raises ShapeError."""
    weights = f"{prefix}input_weights"
    units, taken = (at_least(call, weights, 2) or (None, None))[:2]
    if differ(taken, length):
        raise ShapeError(weights, f"the input has {length} values, the {words(weights)} take {taken}")
    recurrent = at_least(call, f"{prefix}recurrent_weights", 2)
    if recurrent is not None and (differ(recurrent[0], units) or differ(recurrent[1], units)):
        name = f"{prefix}recurrent_weights"
        raise ShapeError(
            name, f"the {words(name)} is {shape_text(recurrent)}, {shape_text((units, units))} wanted"
        )
    check_leading(call, f"{prefix}bias", units)
    check_shape(call, f"{prefix}hidden_state", batch, units)
    return units


def _sequence_lengths(call: Call, major: bool) -> tuple[int | None, int | None, int | None]:
    """Return steps, batch size and length of a sequence [t, b, i] (``major``) or [b, t, i]."""
    first, second, length = check_rank(call, "input", 3) or (None, None, None)
    return (first, second, length) if major else (second, first, length)


def _sequence_shape(major: bool, steps: int | None, batch: int | None, units: int | None) -> Shape:
    return (steps, batch, units) if major else (batch, steps, units)


def sequence_rnn(call: Call) -> Shapes:
    """Return [t, b, u] for input [t, b, i] (``time_major``), or [b, t, u] for [b, t, i]."""
    major = bool(call.option("time_major", False))
    steps, batch, length = _sequence_lengths(call, major)
    check_rank(call, "bias", 1)
    check_rank(call, "input_weights", 2)
    check_rank(call, "recurrent_weights", 2)
    return (_sequence_shape(major, steps, batch, _check_cell(call, "", batch, length)),)


def _merge_directions(call: Call, ahead: Shape, back: Shape) -> Shapes:
    """Return the outputs of both directions: two, or one concatenated output (``merge_outputs``). Raises ShapeError."""
    wanted_results = 1 if call.option("merge_outputs", False) else 2
    if call.results != wanted_results:
        raise ShapeError(None, f"there are {call.results} outputs, merge_outputs wants {wanted_results}")
    if wanted_results == 2:
        return ahead, back
    a, b = ahead[-1], back[-1]
    return ((*ahead[:-1], None if a is None or b is None else a + b),)


def bidirectional_rnn(call: Call) -> Shapes:
    """Return the outputs of both directions: two, or one concatenated output (``merge_outputs``)."""
    major = bool(call.option("time_major", False))
    steps, batch, length = _sequence_lengths(call, major)
    ahead, back = _check_cell(call, "fw_", batch, length), _check_cell(call, "bw_", batch, length)
    return _merge_directions(
        call, _sequence_shape(major, steps, batch, ahead), _sequence_shape(major, steps, batch, back)
    )


def lstm(call: Call) -> Shapes:
    """Return [b, o] for input [b, i] of a single step. BASIC kernels have four outputs, see :func:`_basic`."""
    if int(call.option("kernel_type")) == 1:
        return _basic(call)
    batch, length = (at_least(call, "input", 2) or (None, None))[:2]
    return ((batch, _check_gates(call, "", batch, length)),)


def _basic(call: Call) -> Shapes:
    """Return the shapes of output, state, concatenated inputs and activations of a BASIC kernel.

    Input [b, i], previous output [b, d], weights [4 d, d + i], bias [4 d], state [b, d].
    """
    names = ("input", "input_to_input_weights", "input_to_forget_weights", "input_to_cell_weights")
    batch, length = check_rank(call, names[0], 2) or (None, None)
    activation = check_rank(call, names[1], 2) or (None, None)
    depth = activation[1]
    check_shape(call, names[1], batch, depth)
    wide = None if depth is None else 4 * depth
    check_shape(call, names[2], wide, None if depth is None or length is None else depth + length)
    check_shape(call, names[3], wide)
    check_shape(call, "input_to_output_weights", batch, depth)
    joined = None if depth is None or length is None else depth + length
    return ((batch, depth), (batch, depth), (batch, joined), (batch, wide))[: call.results]


def sequence_lstm(call: Call) -> Shapes:
    """Return [t, b, o] for input [t, b, i] (``time_major``), or [b, t, o] for [b, t, i]."""
    major = bool(call.option("time_major", False))
    steps, batch, length = _sequence_lengths(call, major)
    return (_sequence_shape(major, steps, batch, _check_gates(call, "", batch, length)),)


def bidirectional_lstm(call: Call) -> Shapes:
    """Return the outputs of both directions: two, or one concatenated output (``merge_outputs``)."""
    major = bool(call.option("time_major", True))
    steps, batch, length = _sequence_lengths(call, major)
    ahead, back = _check_gates(call, "fw_", batch, length), _check_gates(call, "bw_", batch, length)
    cells = [call.shape(f"{way}input_to_output_weights") for way in ("fw_", "bw_")]
    if cells[0] and cells[1] and differ(cells[0][0], cells[1][0]):
        raise ShapeError(
            "bw_input_to_output_weights", f"there are {cells[1][0]} cells backwards, {cells[0][0]} forwards"
        )
    return _merge_directions(
        call, _sequence_shape(major, steps, batch, ahead), _sequence_shape(major, steps, batch, back)
    )


def _check_gates(call: Call, prefix: str, batch: int | None, length: int | None) -> int | None:
    """Return the output length of an LSTM, and check that all inputs fit c cells and o outputs. Raises ShapeError."""
    cells = (check_rank(call, f"{prefix}input_to_output_weights", 2) or (None, None))[0]
    diagonal = bool(call.option("diagonal_recurrent_tensors", False))
    recurrent = check_rank(call, f"{prefix}recurrent_to_output_weights", *((1,) if diagonal else (2,)))
    outputs = None if recurrent is None else recurrent[-1]
    for gate in ("input", "forget", "cell", "output"):
        check_shape(call, f"{prefix}input_to_{gate}_weights", cells, length)
        check_shape(
            call, f"{prefix}recurrent_to_{gate}_weights", *((outputs,) if diagonal else (cells, outputs))
        )
        check_shape(call, f"{prefix}cell_to_{gate}_weights", cells)
        check_shape(call, f"{prefix}{gate}_layer_norm_coefficients", cells)
        check_shape(call, f"{prefix}{'cell_gate' if gate == 'cell' else gate + '_gate'}_bias", cells)
    _check_groups(call, prefix)
    check_shape(call, f"{prefix}projection_weights", outputs, cells)
    check_shape(call, f"{prefix}projection_bias", outputs)
    if call.has(f"{prefix}projection_bias") and not call.has(f"{prefix}projection_weights"):
        raise ShapeError(f"{prefix}projection_bias", "there is a projection bias without projection weights")
    for role, size in (("output_state", outputs), ("cell_state", cells)):
        number = None if batch is None or size is None else batch * size
        check_count(call, f"{prefix}{role}", number)
    return outputs


def _check_groups(call: Call, prefix: str) -> None:
    """Raise ShapeError if some inputs of the input gate, or some peepholes, are present and others are absent."""
    gate = [
        f"{prefix}input_to_input_weights",
        f"{prefix}recurrent_to_input_weights",
        f"{prefix}input_gate_bias",
    ]
    there = [role for role in gate if call.has(role)]
    if there and len(there) < len(gate):
        missing = next(role for role in gate if role not in there)
        raise ShapeError(missing, f"the input gate has {words(there[0])} and no {words(missing)}")
    peepholes = [f"{prefix}cell_to_forget_weights", f"{prefix}cell_to_output_weights"]
    peepholes += [f"{prefix}cell_to_input_weights"] if there else []
    some = [role for role in (*peepholes, f"{prefix}cell_to_input_weights") if call.has(role)]
    lacking = [role for role in peepholes if not call.has(role)]
    if some and lacking:
        raise ShapeError(lacking[0], f"there are {words(some[0])} and no {words(lacking[0])}")


__all__ = [
    "bidirectional_lstm", "bidirectional_rnn", "lstm", "rnn", "sequence_lstm", "sequence_rnn", "svdf",
]  # fmt: skip
