"""Outputs of an operator compiled for an Ethos-U, computed from the constants of the compiled model.

Covered are lookup tables, and sums of products of the model's own weights: they are rescaled with the compiled multipliers,
shifts and biases, and clamped to the compiled bounds. Operators that compile to several steps or to hardware functions raise
NotSupported.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from litecheck.arrays import Array
from litecheck.devices.port import NotDelegated, NotSupported
from litecheck.model.stored_values import stored_integers
from litecheck.model.types import Model, Operator, Subgraph, Tensor
from litecheck.profile.operators import OperatorTraits, traits_of
from litecheck.quantization import INTEGER_RANGES
from litecheck.reference.numerics.fixedpoint import Ints
from litecheck.reference.numerics.requantize import wide_sums
from litecheck.reference.numerics.rescale import Scales
from litecheck.reference.numerics.windows import axes, pad_image, windows
from litecheck.reference.runtime_tensors import NUMPY_TYPES, Operand, OutputSpec
from litecheck.summary_text import count_of
from litecheck.targets.ethos_u.constants.command_stream import (
    NpuOperation,
    OperationCode,
    Register,
    operations,
)
from litecheck.targets.ethos_u.constants.layer import (
    ChannelConstants,
    Multipliers,
    channel_constants,
    differences,
    expected_multipliers,
    rescale_sums,
    rounding,
)

_CODE = "ethos-u"
#: Operations that compute sums of products.
_SUMS = (OperationCode.CONVOLUTION, OperationCode.DEPTHWISE)
_U55_LOOKUPS = range(16, 24)
_U85_LOOKUPS = {"uint8": (1,), "int8": (4,), "int16": (8,)}
#: Entries of an 8-bit lookup table, and (value, slope) pairs of a 16-bit lookup table.
_ENTRIES, _PAIRS = 256, 512
#: A function from stored input values to stored output values.
Compute = Callable[[Array], Array]


@dataclass(frozen=True, slots=True, eq=False)
class CompiledOperator:
    """A compiled operator: ``reason`` describes differences from LiteRT, ``litert`` uses LiteRT's constants."""

    compute: Compute
    reason: str = ""
    litert: Compute | None = None

    def outputs(self, inputs: Iterable[Array]) -> tuple[Array, ...]:
        """Return the output for each input. Raises RuntimeError if constants differ from LiteRT and no output differs."""
        computed, hidden = list[Array](), bool(self.reason)
        for x in inputs:
            computed.append(self.compute(x))
            hidden = hidden and self.litert is not None and np.array_equal(computed[-1], self.litert(x))
        if hidden:
            raise RuntimeError(f"constants differ from LiteRT, but no output differs: {self.reason}")
        return tuple(computed)


@dataclass(frozen=True, slots=True, eq=False)
class _CompiledPart:
    """An operator with its computed input, its output, and its NPU operations."""

    subgraph: Subgraph
    operator: Operator
    facts: OperatorTraits
    input: Tensor
    output: Tensor
    operations: tuple[NpuOperation, ...]
    u85: bool

    def same(self, register: Register) -> int:
        """Return a register that is equal for all operations. Raises NotSupported if it differs."""
        found = {operation.read_int16(register) for operation in self.operations}
        if len(found) != 1:
            raise NotSupported(
                f"not covered: {len(self.operations)} operations differ in register {register.name}"
            )
        return found.pop()

    def bounds(self) -> tuple[int, int]:
        """Return the bounds of values before a lookup table or the output."""
        low, high = self.same(Register.ACTIVATION_LOW), self.same(Register.ACTIVATION_HIGH)
        return low, high if high >= low else high + (1 << 16)


def compiled_operator(model: Model, compiled: Model, u85: bool) -> CompiledOperator:
    """Return the compiled form of a one-operator model.

    Raises NotDelegated if the operator stays on the CPU, and NotSupported if its constants do not determine the output.
    """
    piece = _read_part(model, compiled, u85)
    codes = {operation.code for operation in piece.operations}
    if piece.facts.elementwise == "unary" and codes == {OperationCode.POOLING}:
        return CompiledOperator(_pointwise(piece))
    last = tuple(itertools.dropwhile(lambda operation: operation.code in _SUMS, piece.operations))
    bounded = all(operation.code is OperationCode.POOLING for operation in last)
    if piece.facts.over in ("window", "plane", "row") and bounded and len(last) < len(piece.operations):
        return _layer(piece, last)
    names = ", ".join(sorted(code.name.lower() for code in codes))
    raise NotSupported(
        f"not covered: the constants are neither a lookup table nor scales per channel (operations: {names})"
    )


def _read_part(model: Model, compiled: Model, u85: bool) -> _CompiledPart:
    main, compiled_main = model.subgraphs[0], compiled.subgraphs[0]
    if len(main.operators) != 1:
        raise NotSupported(
            f"not covered: {len(main.operators)} operators in one model; isolated operators can be"
        )
    if any(operator.custom_code != _CODE for operator in compiled_main.operators):
        raise NotDelegated(
            "stays on the CPU; `litecheck validate` with the target's profile prints the reason"
        )
    if len(compiled_main.operators) != 1:
        raise NotSupported("not covered: the compiler optimized the operator out")
    constants = [
        bytes(b"" if (data := compiled_main.tensors[i].data) is None else data)
        for i in compiled_main.operators[0].inputs[:2]
    ]
    (operator,) = main.operators
    computed = [main.tensors[i] for i in operator.inputs if i >= 0 and not main.tensors[i].is_constant]
    if len(computed) != 1 or len(operator.outputs) != 1:
        io = f"{count_of(len(computed), 'computed input')} and {count_of(len(operator.outputs), 'output')}"
        raise NotSupported(f"not covered: {io}, expected one of each")
    output = main.tensors[operator.outputs[0]]
    found = tuple(operations(*constants))
    if not found:
        raise NotSupported("not covered: the NPU only copies the input")
    return _CompiledPart(main, operator, traits_of(operator.kind), computed[0], output, found, u85)


def _pointwise(piece: _CompiledPart) -> Compute:
    """Return a function for an elementwise operator: a table lookup, or a rescale and clamp."""
    tables = piece.operations[-1].tables()
    if not tables:
        return _rescaling(piece)
    _check_no_window(piece)
    if piece.same(Register.ACTIVATION) & 0x1F not in _lookups(piece):
        raise NotSupported("not covered: a hardware function")
    (_, shift), multiplier = _scale(piece), piece.operations[0].payload(Register.OFM_SCALE)
    shifted = piece.same(Register.IFM_ZERO_POINT) != piece.same(Register.OFM_ZERO_POINT)
    if len(tables) != 1 or (shift, multiplier) != (0, 1) or shifted:
        raise NotSupported("not covered: a lookup table after a rescale")
    if piece.bounds() != INTEGER_RANGES[piece.input.dtype]:
        raise NotSupported("not covered: a lookup table after bounds")
    return _lookup_function(piece, tables[0])


def _check_no_window(piece: _CompiledPart) -> None:
    """Raise NotSupported for operations on more than one element."""
    window = (Register.KERNEL_HEIGHT, Register.KERNEL_WIDTH, Register.KERNEL_STRIDE, Register.IFM_UPSCALE)
    if any(piece.same(register) for register in window):
        raise NotSupported("not covered: pooling with a window")


def _lookups(piece: _CompiledPart) -> range | tuple[int, ...]:
    """Return the activation codes of lookup tables: eight codes on U55, by dtype on U85."""
    return _U85_LOOKUPS.get(piece.input.dtype, ()) if piece.u85 else _U55_LOOKUPS


def _lookup_function(piece: _CompiledPart, table: bytes) -> Compute:
    """Return a function that looks values up. int16: value + slope * (lower 7 bits) of the pair of the upper 9 bits."""
    low = INTEGER_RANGES[piece.input.dtype][0]
    dtype = np.dtype(NUMPY_TYPES[piece.output.dtype])
    if dtype.itemsize == 1 and len(table) == _ENTRIES:
        entries = np.frombuffer(table, dtype)
        return lambda x: entries[x.astype(np.int64) - low]
    if (piece.input.dtype, piece.output.dtype) == ("int16", "int16") and len(table) == 4 * _PAIRS:
        values, slopes = np.frombuffer(table, "<i2").reshape(_PAIRS, 2).astype(np.int64).T

        def interpolated(x: Array) -> Array:
            index = x.astype(np.int64) - low
            values_between: Array = values[index >> 7] + ((slopes[index >> 7] * (index & 127) + 64) >> 7)
            return values_between.astype(dtype)

        return interpolated
    raise NotSupported(f"not covered: a lookup table of {len(table)} bytes for {piece.input.dtype} values")


def _scale(piece: _CompiledPart) -> tuple[str, int]:
    """Return (rounding, shift) of the multiplier. Raises NotSupported if operations differ."""
    operation = piece.operations[0]
    if len({k.registers.get(Register.OFM_SCALE) for k in piece.operations}) != 1:
        raise NotSupported("not covered: the operations rescale differently")
    return rounding(operation, piece.u85), operation.parameter(Register.OFM_SCALE) & 63


def _rescaling(piece: _CompiledPart) -> Compute:
    """Return a function that rescales by one multiplier and clamps."""
    _check_no_window(piece)
    (mode, shift), multiplier = _scale(piece), piece.operations[0].payload(Register.OFM_SCALE)
    factor, right = np.array(multiplier, np.int64), np.array(shift, np.int64)
    before = piece.same(Register.IFM_ZERO_POINT)
    stored = _store_function(piece)
    return lambda x: stored(rescale_sums(x.astype(np.int64) - before, factor, right, mode))


def _store_function(piece: _CompiledPart) -> Callable[[Ints], Array]:
    """Return a function that adds the output zero point and clamps to the compiled bounds."""
    _check_no_activation(piece)
    zero, (low, high) = piece.same(Register.OFM_ZERO_POINT), piece.bounds()
    dtype = NUMPY_TYPES[piece.output.dtype]
    return lambda y: np.clip(y + zero, low, high).astype(dtype)


def _check_no_activation(piece: _CompiledPart) -> None:
    """Raise NotSupported for hardware functions and lookup tables after the bounds."""
    if piece.same(Register.ACTIVATION) & 0x1F:
        raise NotSupported("not covered: a hardware function, or a lookup table after a rescale")


def _layer(whole: _CompiledPart, last: tuple[NpuOperation, ...]) -> CompiledOperator:
    """Return a convolution or FULLY_CONNECTED: sums of products, rescaled as compiled. The ``last`` operations can clamp."""
    piece = replace(whole, operations=whole.operations[: len(whole.operations) - len(last)])
    bounded = _rescaling(replace(whole, operations=last)) if last else None
    tensors = piece.facts.tensors(piece.operator)
    weight = piece.subgraph.tensors[tensors[piece.facts.products[1]]]
    stored = stored_integers(weight)
    if stored is None or stored.dtype.kind == "f" or piece.input.dtype not in INTEGER_RANGES:
        raise NotSupported("not covered: the weights are not integer constants")
    channels = stored.shape[piece.facts.accumulates.channels] if piece.facts.accumulates else 0
    found = channel_constants(piece.operations, channels, piece.u85)
    modes, finish = {rounding(operation, piece.u85) for operation in piece.operations}, _store_function(piece)
    if len(modes) != 1:
        raise NotSupported("not covered: the operations round differently")
    (mode,) = modes
    sums = _sums(piece, weight, stored.astype(np.int64))
    shape, has_32bit_sums = piece.output.shape, not piece.same(Register.ACCUMULATOR) & 1

    def computed(x: Array, constants: ChannelConstants) -> Array:
        total = sums(x) + constants.bias
        if has_32bit_sums and np.abs(total).max(initial=0) >= 1 << 31:
            raise NotSupported("not covered: sums that exceed the 32-bit accumulator")
        scaled = finish(rescale_sums(total, constants.multiplier, constants.shift, mode))
        return (bounded(scaled) if bounded else scaled).reshape((-1, *shape[1:]))

    bias_index = tensors.get("bias", -1)
    bias = stored_integers(piece.subgraph.tensors[bias_index]) if bias_index >= 0 else None
    own = np.zeros(channels, np.int64) if bias is None else bias.reshape(-1).astype(np.int64)
    variants = _expected_constants(piece, weight, channels)
    litert = ChannelConstants(own, variants[0].multiplier, variants[0].shift)
    said = "; ".join(differences(found, own, variants))
    return CompiledOperator(lambda x: computed(x, found), said, lambda x: computed(x, litert))


def _expected_constants(piece: _CompiledPart, weight: Tensor, channels: int) -> tuple[Multipliers, ...]:
    """Return the variants of the operator's multipliers, LiteRT's variant first, as in the reference kernels."""
    data = Operand(np.empty(0), piece.input.dtype, piece.input.quantization)
    filters = Operand(np.empty(0), weight.dtype, weight.quantization)
    output = OutputSpec(piece.output.dtype, piece.output.shape, piece.output.quantization)
    scales = Scales.of(data, filters, output, channels)
    single = piece.facts.over == "row" and weight.quantization.scale.size == 1
    uses_float32 = piece.input.dtype == "uint8" or single
    wide = wide_sums(data, piece.operator.options)
    return expected_multipliers(scales.double(), scales.narrow(), uses_float32, wide)


def _sums(piece: _CompiledPart, weight: Tensor, stored: Ints) -> Compute:
    """Return a function that computes sums of products without zero points, int64 with channels last."""
    # float64 is exact: the products have at most 24 bits, and there are far fewer than 2^30 of them.
    zero = int(piece.input.quantization.zero_point[0]) if piece.input.quantization.zero_point.size else 0
    offsets = weight.quantization.zero_point
    centred = (stored - (int(offsets[0]) if offsets.size == 1 else 0)).astype(np.float64)
    options, over = piece.operator.options, piece.facts.over
    if over == "row":
        return lambda x: _to_int64((x.reshape(-1, centred.shape[-1]) - float(zero)) @ centred.T)
    height, width = centred.shape[1:3]
    if over == "window" and centred.shape[3] != piece.input.shape[-1]:
        raise NotSupported("not covered: a grouped convolution")

    def summed(x: Array) -> Array:
        rows, columns = axes(x.shape, (height, width), options)
        view = windows(pad_image(x - float(zero), rows, columns, 0, np.float64), rows, columns)
        if over == "window":
            return _to_int64(np.tensordot(view, centred, ((3, 4, 5), (1, 2, 3))))
        filters = centred[0].reshape(height, width, x.shape[3], -1)
        return _to_int64(np.einsum("nyxijd,ijdm->nyxdm", view, filters)).reshape(*view.shape[:3], -1)

    return summed


def _to_int64(sums: Array) -> Ints:
    converted: Ints = sums.astype(np.int64)
    return converted
