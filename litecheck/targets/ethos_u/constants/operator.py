"""What an operator compiled for an Ethos-U computes, by the constants of the compiled model.

Nothing is executed but what the constants say: a table is looked up; sums of products, whose weights are the model's
own, are rescaled with the compiled multipliers, shifts and biases, between the compiled bounds. What is made of several
steps or of functions of the hardware is not covered, and says so.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from litecheck.arrays import Array
from litecheck.devices.port import NotDelegated, NotSupported
from litecheck.model.types import Model, Operator, Subgraph, Tensor
from litecheck.model.values import stored_integers
from litecheck.profile.operators import OperatorFacts, facts_of
from litecheck.quantization import INTEGER_RANGES
from litecheck.reference.numerics.fixedpoint import Ints
from litecheck.reference.numerics.requantize import wide_sums
from litecheck.reference.numerics.rescale import Scales
from litecheck.reference.numerics.windows import axes, padded, windows
from litecheck.reference.operands import NUMPY_TYPES, Operand, OutputSpec
from litecheck.tallies import counted
from litecheck.targets.ethos_u.constants.command_stream import (
    NpuOperation,
    OperationCode,
    Register,
    operations,
)
from litecheck.targets.ethos_u.constants.layer import (
    ChannelConstants,
    Expected,
    channel_constants,
    defects,
    expected,
    rescaled,
    rounding,
)

_CODE = "ethos-u"
#: What adds up products.
_SUMS = (OperationCode.CONVOLUTION, OperationCode.DEPTHWISE)
_U55_LOOKUPS = range(16, 24)
_U85_LOOKUPS = {"uint8": (1,), "int8": (4,), "int16": (8,)}
#: Entries of a table of 8-bit values, and of the pairs (value, slope) of a table of 16-bit values.
_ENTRIES, _PAIRS = 256, 512
#: From stored input values to stored output values.
Compute = Callable[[Array], Array]


@dataclass(frozen=True, slots=True, eq=False)
class CompiledOperator:
    """How the one computed input becomes the output, and in words which constants are not LiteRT's; ``litert`` computes
    with those of LiteRT instead, rounding as compiled."""

    compute: Compute
    said: str = ""
    litert: Compute | None = None

    def outputs(self, inputs: Iterable[Array]) -> tuple[Array, ...]:
        """What comes out for each input. Raises RuntimeError where constants are not LiteRT's and no output shows it."""
        made, hidden = list[Array](), bool(self.said)
        for x in inputs:
            made.append(self.compute(x))
            hidden = hidden and self.litert is not None and np.array_equal(made[-1], self.litert(x))
        if hidden:
            raise RuntimeError(f"constants that are not LiteRT's, though no output shows it: {self.said}")
        return tuple(made)


@dataclass(frozen=True, slots=True, eq=False)
class _Piece:
    """An operator, the operand it computes with, its result, and the NPU's operations for it."""

    subgraph: Subgraph
    operator: Operator
    facts: OperatorFacts
    input: Tensor
    output: Tensor
    operations: tuple[NpuOperation, ...]
    u85: bool

    def same(self, register: Register) -> int:
        """A register that all operations find alike. Raises NotSupported where they do not."""
        found = {operation.signed(register) for operation in self.operations}
        if len(found) != 1:
            raise NotSupported(
                f"not covered: its {len(self.operations)} operations differ in {register.name}"
            )
        return found.pop()

    def bounds(self) -> tuple[int, int]:
        """The least and the largest value in front of a table or the output."""
        low, high = self.same(Register.ACTIVATION_LOW), self.same(Register.ACTIVATION_HIGH)
        return low, high if high >= low else high + (1 << 16)


def compiled_operator(model: Model, compiled: Model, u85: bool) -> CompiledOperator:
    """What the compiled form of a model of one operator computes.

    Raises NotDelegated where the compiler leaves it to the CPU, and NotSupported where its constants do not say it.
    """
    piece = _piece(model, compiled, u85)
    codes = {operation.code for operation in piece.operations}
    if piece.facts.elementwise == "unary" and codes == {OperationCode.POOLING}:
        return CompiledOperator(_pointwise(piece))
    last = tuple(itertools.dropwhile(lambda operation: operation.code in _SUMS, piece.operations))
    bounded = all(operation.code is OperationCode.POOLING for operation in last)
    if piece.facts.over in ("window", "plane", "row") and bounded and len(last) < len(piece.operations):
        return _layer(piece, last)
    names = ", ".join(sorted(code.name.lower() for code in codes))
    raise NotSupported(
        f"not covered: its constants are no table and no scales of channels (operations: {names})"
    )


def _piece(model: Model, compiled: Model, u85: bool) -> _Piece:
    main, made = model.subgraphs[0], compiled.subgraphs[0]
    if len(main.operators) != 1:
        raise NotSupported(f"not covered: {len(main.operators)} operators together; each by itself may be")
    if any(operator.custom_code != _CODE for operator in made.operators):
        raise NotDelegated(
            "Vela leaves it to the CPU; `litecheck validate` with the target's profile says why"
        )
    if len(made.operators) != 1:
        raise NotSupported("not covered: the compiler folded it away")
    constants = [
        bytes(b"" if (data := made.tensors[i].data) is None else data) for i in made.operators[0].inputs[:2]
    ]
    (operator,) = main.operators
    computed = [main.tensors[i] for i in operator.inputs if i >= 0 and not main.tensors[i].is_constant]
    if len(computed) != 1 or len(operator.outputs) != 1:
        ends = f"{counted(len(computed), 'computed operand')} and {counted(len(operator.outputs), 'result')}"
        raise NotSupported(f"not covered: {ends}, where one of each can be judged")
    output = main.tensors[operator.outputs[0]]
    found = tuple(operations(*constants))
    if not found:
        raise NotSupported("not covered: the NPU only copies it")
    return _Piece(main, operator, facts_of(operator.kind), computed[0], output, found, u85)


def _pointwise(piece: _Piece) -> Compute:
    """A window of one element: looked up in a table, or rescaled and clamped."""
    tables = piece.operations[-1].tables()
    if not tables:
        return _rescaling(piece)
    _unwindowed(piece)
    if piece.same(Register.ACTIVATION) & 0x1F not in _lookups(piece):
        raise NotSupported("not covered: a function of the hardware")
    (_, shift), multiplier = _scale(piece), piece.operations[0].payload(Register.OFM_SCALE)
    moved = piece.same(Register.IFM_ZERO_POINT) != piece.same(Register.OFM_ZERO_POINT)
    if len(tables) != 1 or (shift, multiplier) != (0, 1) or moved:
        raise NotSupported("not covered: a table behind a rescaling")
    if piece.bounds() != INTEGER_RANGES[piece.input.dtype]:
        raise NotSupported("not covered: a table behind bounds")
    return _looked_up(piece, tables[0])


def _unwindowed(piece: _Piece) -> None:
    """Refuses operations that look at more than one element."""
    window = (Register.KERNEL_HEIGHT, Register.KERNEL_WIDTH, Register.KERNEL_STRIDE, Register.IFM_UPSCALE)
    if any(piece.same(register) for register in window):
        raise NotSupported("not covered: pooling with a window")


def _lookups(piece: _Piece) -> range | tuple[int, ...]:
    """The numbers of activations that are tables: eight of them on the U55, by type on the U85."""
    return _U85_LOOKUPS.get(piece.input.dtype, ()) if piece.u85 else _U55_LOOKUPS


def _looked_up(piece: _Piece, table: bytes) -> Compute:
    """The entry of each value; of 16-bit values the pair of its upper 9 bits, and the slope times the lower 7."""
    low = INTEGER_RANGES[piece.input.dtype][0]
    dtype = np.dtype(NUMPY_TYPES[piece.output.dtype])
    if dtype.itemsize == 1 and len(table) == _ENTRIES:
        entries = np.frombuffer(table, dtype)
        return lambda x: entries[x.astype(np.int64) - low]
    if (piece.input.dtype, piece.output.dtype) == ("int16", "int16") and len(table) == 4 * _PAIRS:
        values, slopes = np.frombuffer(table, "<i2").reshape(_PAIRS, 2).astype(np.int64).T

        def interpolated(x: Array) -> Array:
            place = x.astype(np.int64) - low
            made: Array = values[place >> 7] + ((slopes[place >> 7] * (place & 127) + 64) >> 7)
            return made.astype(dtype)

        return interpolated
    raise NotSupported(f"not covered: a table of {len(table)} bytes for {piece.input.dtype} values")


def _scale(piece: _Piece) -> tuple[str, int]:
    """(rounding, shift) behind the one multiplier. Raises NotSupported where operations differ in it."""
    operation = piece.operations[0]
    if len({k.registers.get(Register.OFM_SCALE) for k in piece.operations}) != 1:
        raise NotSupported("not covered: its operations rescale differently")
    return rounding(operation, piece.u85), operation.parameter(Register.OFM_SCALE) & 63


def _rescaling(piece: _Piece) -> Compute:
    """One multiplier between the zero points, and the bounds."""
    _unwindowed(piece)
    (mode, shift), multiplier = _scale(piece), piece.operations[0].payload(Register.OFM_SCALE)
    factor, right = np.array(multiplier, np.int64), np.array(shift, np.int64)
    before = piece.same(Register.IFM_ZERO_POINT)
    stored = _stored(piece)
    return lambda x: stored(rescaled(x.astype(np.int64) - before, factor, right, mode))


def _stored(piece: _Piece) -> Callable[[Ints], Array]:
    """Rescaled integers with the output's zero point, between the compiled bounds."""
    _plain(piece)
    zero, (low, high) = piece.same(Register.OFM_ZERO_POINT), piece.bounds()
    dtype = NUMPY_TYPES[piece.output.dtype]
    return lambda y: np.clip(y + zero, low, high).astype(dtype)


def _plain(piece: _Piece) -> None:
    """Refuses what is behind the bounds: functions of the hardware, and tables."""
    if piece.same(Register.ACTIVATION) & 0x1F:
        raise NotSupported("not covered: a function of the hardware, or a table behind a rescaling")


def _layer(whole: _Piece, last: tuple[NpuOperation, ...]) -> CompiledOperator:
    """Sums of products of the model's own weights, rescaled as compiled; bounds may be set by the ``last`` operations."""
    piece = replace(whole, operations=whole.operations[: len(whole.operations) - len(last)])
    bounded = _rescaling(replace(whole, operations=last)) if last else None
    tensors = piece.facts.tensors(piece.operator)
    weight = piece.subgraph.tensors[tensors[piece.facts.products[1]]]
    stored = stored_integers(weight)
    if stored is None or stored.dtype.kind == "f" or piece.input.dtype not in INTEGER_RANGES:
        raise NotSupported("not covered: its weights are no constants of integers")
    channels = stored.shape[piece.facts.accumulates.channels] if piece.facts.accumulates else 0
    found = channel_constants(piece.operations, channels, piece.u85)
    modes, finish = {rounding(operation, piece.u85) for operation in piece.operations}, _stored(piece)
    if len(modes) != 1:
        raise NotSupported("not covered: its operations round differently")
    (mode,) = modes
    sums = _sums(piece, weight, stored.astype(np.int64))
    shape, narrow = piece.output.shape, not piece.same(Register.ACCUMULATOR) & 1

    def computed(x: Array, constants: ChannelConstants) -> Array:
        total = sums(x) + constants.bias
        if narrow and np.abs(total).max(initial=0) >= 1 << 31:
            raise NotSupported("not covered: sums that leave the accumulator's 32 bits")
        made = finish(rescaled(total, constants.multiplier, constants.shift, mode))
        return (bounded(made) if bounded else made).reshape((-1, *shape[1:]))

    given = tensors.get("bias", -1)
    bias = stored_integers(piece.subgraph.tensors[given]) if given >= 0 else None
    own = np.zeros(channels, np.int64) if bias is None else bias.reshape(-1).astype(np.int64)
    ways = _expected(piece, weight, channels)
    litert = ChannelConstants(own, ways[0].multiplier, ways[0].shift)
    said = "; ".join(defects(found, own, ways))
    return CompiledOperator(lambda x: computed(x, found), said, lambda x: computed(x, litert))


def _expected(piece: _Piece, weight: Tensor, channels: int) -> tuple[Expected, ...]:
    """What the operator's multipliers may be, LiteRT's first: see the reference's kernels for sums of products."""
    data = Operand(np.empty(0), piece.input.dtype, piece.input.quantization)
    filters = Operand(np.empty(0), weight.dtype, weight.quantization)
    output = OutputSpec(piece.output.dtype, piece.output.shape, piece.output.quantization)
    scales = Scales.of(data, filters, output, channels)
    single = piece.facts.over == "row" and weight.quantization.scale.size == 1
    narrow = piece.input.dtype == "uint8" or single
    return expected(scales.double(), scales.narrow(), narrow, wide_sums(data, piece.operator.options))


def _sums(piece: _Piece, weight: Tensor, stored: Ints) -> Compute:
    """Sums of products less the zero points, int64 with the channels last, of the model's own weights.

    float64 keeps them: products of 16 and 8 bits, and far fewer than 2^30 of them.
    """
    zero = int(piece.input.quantization.zero_point[0]) if piece.input.quantization.zero_point.size else 0
    offsets = weight.quantization.zero_point
    centred = (stored - (int(offsets[0]) if offsets.size == 1 else 0)).astype(np.float64)
    options, over = piece.operator.options, piece.facts.over
    if over == "row":
        return lambda x: _whole((x.reshape(-1, centred.shape[-1]) - float(zero)) @ centred.T)
    height, width = centred.shape[1:3]
    if over == "window" and centred.shape[3] != piece.input.shape[-1]:
        raise NotSupported("not covered: a convolution in groups")

    def summed(x: Array) -> Array:
        rows, columns = axes(x.shape, (height, width), options)
        view = windows(padded(x - float(zero), rows, columns, 0, np.float64), rows, columns)
        if over == "window":
            return _whole(np.tensordot(view, centred, ((3, 4, 5), (1, 2, 3))))
        filters = centred[0].reshape(height, width, x.shape[3], -1)
        return _whole(np.einsum("nyxijd,ijdm->nyxdm", view, filters)).reshape(*view.shape[:3], -1)

    return summed


def _whole(sums: Array) -> Ints:
    made: Ints = sums.astype(np.int64)
    return made
