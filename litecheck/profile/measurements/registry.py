"""Named measurements: what the rule language cannot say with values, as one pure function each.

A measurement of the whole operator has a plain name (``stride_w``); one of an operand is written
``role.measurement`` (``input.channels``). Both yield an exact number, a word, or None where they do not apply.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

import numpy as np

from litecheck.flatbuffer.schema import load_schema
from litecheck.model.types import Tensor
from litecheck.model.values import stored
from litecheck.profile.measurements.accumulators import ACCUMULATORS
from litecheck.profile.measurements.blockwise import BLOCKS
from litecheck.profile.measurements.borders import BORDERS
from litecheck.profile.measurements.bound import Measured, Operands, one_scale, one_zero_point
from litecheck.profile.measurements.hybrid import DYNAMIC
from litecheck.profile.measurements.indices import INDICES, OPERAND_INDICES
from litecheck.profile.measurements.lstm_gates import GATES
from litecheck.profile.measurements.options import OPTIONS
from litecheck.profile.measurements.recurrent import RECURRENT
from litecheck.profile.measurements.scales import STEPS
from litecheck.profile.measurements.slices import PARTS
from litecheck.profile.measurements.wiring import WIRING
from litecheck.quantization import INTEGER_RANGES

Measurement = Callable[[Operands], Measured]
OperandMeasurement = Callable[[Tensor], Measured]
_TYPES = {code: name.lower() for name, code in load_schema("tflite").enums["TensorType"].items()}
_GROUPS = (STEPS, ACCUMULATORS, GATES, BORDERS, BLOCKS, DYNAMIC, RECURRENT, OPTIONS, INDICES, PARTS, WIRING)
_OPERATOR: dict[str, Measurement] = {function.__name__: function for group in _GROUPS for function in group}
_OPERAND: dict[str, OperandMeasurement] = {function.__name__: function for function in OPERAND_INDICES}
#: Measurements of a whole operator, by name.
MEASUREMENTS: Mapping[str, Measurement] = MappingProxyType(_OPERATOR)
#: Measurements of one operand, by the name behind the dot.
OPERAND_MEASUREMENTS: Mapping[str, OperandMeasurement] = MappingProxyType(_OPERAND)


def measurement_names(roles: tuple[str, ...] = ()) -> Iterator[str]:
    """Every name ``limits`` may use for an operator with these roles."""
    yield from _OPERATOR
    yield from (f"{role}.{name}" for role in roles for name in _OPERAND)


def measurement(name: str) -> Measurement:
    """The measurement of that name."""
    if "." not in name:
        return _OPERATOR[name]
    role, _, what = name.rpartition(".")
    of_tensor = _OPERAND[what]

    def of_role(operands: Operands) -> Measured:
        tensor = operands.one(role)
        return None if tensor is None else of_tensor(tensor)

    return of_role


def _of_operator(function: Measurement) -> Measurement:
    _OPERATOR[function.__name__] = function
    return function


def _of_operand(function: OperandMeasurement) -> OperandMeasurement:
    _OPERAND[function.__name__] = function
    return function


@_of_operand
def lowest(tensor: Tensor) -> Measured:
    """The smallest value a tensor of one zero point can hold, in steps: 0 where none is negative."""
    zero_point = one_zero_point(tensor)
    return (
        None
        if zero_point is None or tensor.dtype not in INTEGER_RANGES
        else INTEGER_RANGES[tensor.dtype][0] - zero_point
    )


@_of_operand
def rank(tensor: Tensor) -> Measured:
    """Number of dimensions."""
    return len(tensor.shape)


@_of_operand
def channels(tensor: Tensor) -> Measured:
    """Length of the last dimension."""
    return tensor.shape[-1] if tensor.shape else None


@_of_operand
def batch(tensor: Tensor) -> Measured:
    """Length of the first dimension."""
    return tensor.shape[0] if tensor.shape else None


@_of_operand
def height(tensor: Tensor) -> Measured:
    """Length of dimension 1 of a tensor with four."""
    return tensor.shape[1] if len(tensor.shape) == 4 else None


@_of_operand
def width(tensor: Tensor) -> Measured:
    """Length of dimension 2 of a tensor with four."""
    return tensor.shape[2] if len(tensor.shape) == 4 else None


@_of_operand
def elements(tensor: Tensor) -> Measured:
    """Number of elements."""
    return tensor.size


@_of_operand
def int4_scales(tensor: Tensor) -> Measured:
    """How many scales it states, where it is int4."""
    return int(tensor.quantization.scale.size) if tensor.dtype == "int4" else None


@_of_operand
def channel_zero_points(tensor: Tensor) -> Measured:
    """How many channels state another zero point than 0, where each has a scale of its own."""
    q = tensor.quantization
    return int(np.count_nonzero(q.zero_point)) if q.scale.size > 1 else None


@_of_operand
def largest(tensor: Tensor) -> Measured:
    """The largest magnitude among a constant's stored integers."""
    values = stored(tensor) if tensor.dtype in INTEGER_RANGES else None
    return max(int(values.max()), -int(values.min())) if values is not None and values.size else None


@_of_operand
def constant(tensor: Tensor) -> Measured:
    """``yes`` where the file holds the values, else ``no``."""
    return "yes" if tensor.is_constant else "no"


@_of_operand
def scale(tensor: Tensor) -> Measured:
    """The one scale, as an exact number."""
    return one_scale(tensor)


@_of_operator
def stride_w(operands: Operands) -> Measured:
    """Horizontal stride of a convolution or pooling."""
    return operands.option("stride_w") or None


@_of_operator
def stride_h(operands: Operands) -> Measured:
    """Vertical stride of a convolution or pooling."""
    return operands.option("stride_h") or None


def _kernel(operands: Operands, axis: int, pool: str) -> int | None:
    weight = operands.one("weight")
    if weight is not None and len(weight.shape) == 4:
        return weight.shape[axis]
    return operands.option(pool) or None


@_of_operator
def kernel_h(operands: Operands) -> Measured:
    """Height of a convolution's or pooling's window."""
    return _kernel(operands, 1, "filter_height")


@_of_operator
def kernel_w(operands: Operands) -> Measured:
    """Width of a convolution's or pooling's window."""
    return _kernel(operands, 2, "filter_width")


@_of_operator
def dilated_kernel_h(operands: Operands) -> Measured:
    """Height of the window with the gaps dilation leaves in it."""
    size = _kernel(operands, 1, "filter_height")
    return None if size is None else (size - 1) * operands.option("dilation_h_factor", 1) + 1


@_of_operator
def dilated_kernel_w(operands: Operands) -> Measured:
    """Width of the window with the gaps dilation leaves in it."""
    size = _kernel(operands, 2, "filter_width")
    return None if size is None else (size - 1) * operands.option("dilation_w_factor", 1) + 1


@_of_operator
def accumulation_depth(operands: Operands) -> Measured:
    """How many products one output value of a convolution or fully connected layer adds up."""
    weight = operands.one("weight")
    if weight is None or not weight.shape:
        return None
    if operands.operator.opcode == "DEPTHWISE_CONV_2D":
        return weight.shape[1] * weight.shape[2] if len(weight.shape) == 4 else None
    return weight.size // weight.shape[0] if weight.shape[0] else None


@_of_operator
def zero_point_sum(operands: Operands) -> Measured:
    """Input zero point plus output zero point: 0 where negating stored integers negates real values."""
    a, b = one_zero_point(operands.one("input")), one_zero_point(operands.one("output"))
    return None if a is None or b is None else a + b


@_of_operator
def int16_zero_point(operands: Operands) -> Measured:
    """The zero point farthest from 0 where int16 is turned into int16."""
    tensors = [t for role in operands.roles.values() for t in role]
    zero_points = [z for t in tensors for z in t.quantization.zero_point.tolist()]
    return max(zero_points, key=abs, default=0) if {t.dtype for t in tensors} == {"int16"} else None


@_of_operator
def miscounted_operands(operands: Operands) -> Measured:
    """How many operands more or fewer there are than the operator's options say."""
    op = operands.operator
    counts = {"num_splits": op.outputs, "num": op.outputs, "values_count": op.inputs}
    stated = {name: operands.option(name) for name in counts if op.options and name in op.options.fields}
    return next((abs(len(counts[name]) - count) for name, count in stated.items()), None)


@_of_operator
def absent_at_end(operands: Operands) -> Measured:
    """How many operands at the end are listed as absent, rather than left out."""
    inputs = operands.operator.inputs
    return next((n for n, index in enumerate(reversed(inputs)) if index >= 0), len(inputs))


@_of_operator
def different_scales(operands: Operands) -> Measured:
    """How many different scales the operands that go in state."""
    tensors = operands.operator.inputs
    given = [operands.subgraph.tensors[i].quantization.scale for i in tensors if i >= 0]
    return len({scale.tobytes() for scale in given if scale.size}) or None


@_of_operator
def conversion(operands: Operands) -> Measured:
    """The types of input and output: ``int8_to_int16``."""
    given, made = operands.one("input"), operands.one("output")
    return f"{given.dtype}_to_{made.dtype}" if given is not None and made is not None else None


@_of_operator
def unquantized_integers(operands: Operands) -> Measured:
    """How many integer operands state no scale."""
    tensors = [t for role in operands.roles.values() for t in role]
    return sum(t.dtype in INTEGER_RANGES and not t.quantization.scale.size for t in tensors)


@_of_operator
def zero_points_outside_type(operands: Operands) -> Measured:
    """How many operands have a zero point that their own integer type cannot hold."""
    count = 0
    for tensor in (t for role in operands.roles.values() for t in role):
        low, high = INTEGER_RANGES.get(tensor.dtype, (-(2**63), 2**63 - 1))
        count += any(not low <= z <= high for z in tensor.quantization.zero_point.tolist())
    return count


@_of_operator
def bias_type_mismatch(operands: Operands) -> Measured:
    """``no`` where the option ``quantized_bias_type`` states the bias's type, or is unset and that is int64.

    Else what the kernel takes the bias for: int64 where the option is unset (int32 beside weights of int16), whatever it
    states otherwise.
    """
    bias, weight, code = operands.one("bias"), operands.one("weight"), operands.option("quantized_bias_type")
    unset = "int32" if weight is not None and weight.dtype == "int16" else "int64"
    read = _TYPES.get(code, f"type {code}") if code else unset
    if bias is None:
        return None if read in ("int32", "int64") else f"stated as {read}"
    return "no" if read == bias.dtype and read in ("int32", "int64") else f"{bias.dtype} read as {read}"
