"""Measurements of options: what an operator's options table says.

An option that the file leaves out has the schema's default. Of an operator without options table, or with a table that
has no such option, an option is None: what LiteRT makes of that is judged by ``options_table``.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache, lru_cache
from itertools import pairwise
from math import isfinite

from litecheck.flatbuffer.schema import Field, load_schema
from litecheck.profile.measurements.bound import Measured, Operands, one_scale
from litecheck.profile.measurements.wiring import DELEGATED
from litecheck.quantization import INTEGER_RANGES

_STRIDES = ("stride_w", "stride_h", "stride_d")
_DILATIONS = ("dilation_w_factor", "dilation_h_factor", "dilation_d_factor")
_FILTERS = ("filter_width", "filter_height")
_RESULT_TYPES = ("output_type", "out_type", "idx_out_type")


@cache
def _field(table: str, name: str) -> Field | None:
    """A number among the fields of an options table."""
    fields = load_schema().tables.get(table, ())
    return next((field for field in fields if field.name == name and field.kind == "scalar"), None)


def _number(operands: Operands, name: str) -> int | float | None:
    options = operands.operator.options
    field = None if options is None else _field(options.type, name)
    if options is None or field is None:
        return None
    value = options.fields.get(name, field.default)
    return value if isinstance(value, (int, float)) else None


def _integer(operands: Operands, name: str) -> int | None:
    value = _number(operands, name)
    return value if type(value) is int else int(value) if value is not None and isfinite(value) else None


def _word(operands: Operands, name: str) -> str | None:
    """The name of an option's member, or its number where the schema knows none."""
    value, options = _integer(operands, name), operands.operator.options
    return None if value is None or options is None else _member(options.type, name, value)


@lru_cache(maxsize=1024)
def _member(table: str, name: str, value: int) -> str | None:
    field = _field(table, name)
    if field is None or field.enum is None:
        return None
    return load_schema().enum_name(field.enum, value) or str(value)


@cache
def _steps(table: str, names: tuple[str, ...]) -> tuple[tuple[str, int | float], ...]:
    """Those options of the names that a table has, with their defaults."""
    fields = [_field(table, name) for name in names]
    return tuple((field.name, field.default) for field in fields if field is not None)


def _several(operands: Operands, names: tuple[str, ...]) -> list[int]:
    options = operands.operator.options
    if options is None:
        return []
    values = [options.fields.get(name, default) for name, default in _steps(options.type, names)]
    return [value for value in values if isinstance(value, int)]


def _smallest(operands: Operands, names: tuple[str, ...]) -> int | None:
    return min(_several(operands, names), default=None)


def version(operands: Operands) -> Measured:
    """The operator's version, which the runtime looks up together with its name."""
    return operands.operator.version


def reference_version(operands: Operands) -> Measured:
    """Version of the operator, where LiteRT's reference resolver registers fewer than the others."""
    return operands.operator.version


def unknown_types(operands: Operands) -> Measured:
    """How many of the operator's options name a type of tensors that the schema does not have."""
    options = operands.operator.options
    if options is None:
        return None
    schema = load_schema("tflite")
    fields = [f for f in schema.tables.get(options.type, ()) if f.enum == "TensorType"]
    return sum(schema.enum_name("TensorType", int(options.get(f.name, f.default))) is None for f in fields)


def options_table(operands: Operands) -> Measured:
    """The type of the operator's options table, ``none`` where it has none."""
    options = operands.operator.options
    return "none" if options is None else options.type


def padding(operands: Operands) -> Measured:
    """``SAME`` or ``VALID``, or the number where it is neither."""
    return _word(operands, "padding")


def fused_activation(operands: Operands) -> Measured:
    """The activation function fused into the operator, or its number where the schema knows none."""
    return _word(operands, "fused_activation_function")


def mirror_mode(operands: Operands) -> Measured:
    """How MIRROR_PAD mirrors: ``REFLECT`` or ``SYMMETRIC``, or the number where it is neither."""
    return _word(operands, "mode")


def weights_format(operands: Operands) -> Measured:
    """How the weights of a fully connected layer are laid out."""
    return _word(operands, "weights_format")


def kernel_type(operands: Operands) -> Measured:
    """Which of its two forms an LSTM has: ``FULL`` or ``BASIC``."""
    return _word(operands, "kernel_type")


def lsh_type(operands: Operands) -> Measured:
    """How LSH_PROJECTION packs its result: ``SPARSE`` or ``DENSE``."""
    return _word(operands, "type")


def reduce_function(operands: Operands) -> Measured:
    """What REDUCE_WINDOW does with the values of a window."""
    return _word(operands, "reduce_function")


def random_algorithm(operands: Operands) -> Measured:
    """Which generator draws random bits."""
    return _word(operands, "algorithm")


def result_type(operands: Operands) -> Measured:
    """The type of the indices or sizes a kernel writes, as its options state it."""
    return next((word for name in _RESULT_TYPES if (word := _word(operands, name)) is not None), None)


def result_type_differs(operands: Operands) -> Measured:
    """``yes`` where only one of the options and the tensor that takes the indices says they are of type int64."""
    stated, output = result_type(operands), operands.one("indices") or operands.one("output")
    if stated is None or output is None:
        return None
    return "yes" if (stated == "INT64") != (output.dtype == "int64") else "no"


def narrow_range(operands: Operands) -> Measured:
    """``yes`` where FAKE_QUANT leaves out the lowest of its steps."""
    value = _integer(operands, "narrow_range")
    return None if value is None else "yes" if value else "no"


def smallest_stride(operands: Operands) -> Measured:
    """The smallest stride among the options of a convolution or pooling."""
    return _smallest(operands, _STRIDES)


def smallest_dilation(operands: Operands) -> Measured:
    """The smallest dilation factor among the options of a convolution."""
    return _smallest(operands, _DILATIONS)


def largest_step(operands: Operands) -> Measured:
    """The largest stride or dilation factor among the options of a convolution."""
    return max(_several(operands, _STRIDES + _DILATIONS), default=None)


def smallest_filter(operands: Operands) -> Measured:
    """The smaller side of a pooling's window."""
    return _smallest(operands, _FILTERS)


def block_size(operands: Operands) -> Measured:
    """Side of the blocks that SPACE_TO_DEPTH and DEPTH_TO_SPACE move."""
    return _integer(operands, "block_size")


def beta(operands: Operands) -> Measured:
    """What SOFTMAX multiplies numbers of any kind by; ``not finite`` where that is no number."""
    value = _number(operands, "beta")
    return None if value is None else Fraction(value) if isfinite(value) else "not finite"


def clips_below_zero(operands: Operands) -> Measured:
    """How many of the options at which an LSTM clips its cell and projection are negative or no number."""
    values = (_number(operands, name) for name in ("cell_clip", "proj_clip"))
    return sum(value is not None and not value >= 0 for value in values)


def quantized_beta(operands: Operands) -> Measured:
    """What SOFTMAX multiplies integers by; ``not finite`` where that is no number. Floats take any number."""
    value, given = _number(operands, "beta"), operands.one("input")
    if value is None or given is None or given.dtype not in INTEGER_RANGES:
        return None
    return Fraction(value) if isfinite(value) else "not finite"


def exponent_step(operands: Operands) -> Measured:
    """By how much the exponent of SOFTMAX changes with one step of its input: ``beta`` times the input's scale."""
    beta, scale = quantized_beta(operands), one_scale(operands.one("input"))
    return beta * scale if isinstance(beta, Fraction) and scale is not None else None


def quantized_alpha(operands: Operands) -> Measured:
    """What LEAKY_RELU multiplies negative integers by; ``not finite`` where that is no number."""
    value, given = _number(operands, "alpha"), operands.one("input")
    if value is None or given is None or given.dtype not in INTEGER_RANGES:
        return None
    return Fraction(value) if isfinite(value) else "not finite"


def radius(operands: Operands) -> Measured:
    """How far LOCAL_RESPONSE_NORMALIZATION looks to either side."""
    return _integer(operands, "radius")


def svdf_rank(operands: Operands) -> Measured:
    """How many filters of an SVDF make one unit."""
    return _integer(operands, "rank")


def axis_option(operands: Operands) -> Measured:
    """The axis as the options state it."""
    return _integer(operands, "axis")


def depth_multiplier_gap(operands: Operands) -> Measured:
    """By how much output channels over ``depth_multiplier`` miss the input's channels, float32 and int8 alone.

    The kernels work the multiplier out from the shapes; the XNNPACK delegate believes the option, where it divides the
    output channels.
    """
    multiplier = _integer(operands, "depth_multiplier")
    given, weight = operands.one("input"), operands.one("weight")
    if given is None or weight is None or given.dtype not in DELEGATED or not given.shape or not weight.shape:
        return None
    channels = weight.shape[-1]
    if multiplier is None or multiplier < 1 or channels % multiplier:
        return None
    return abs(channels // multiplier - given.shape[-1])


def smallest_interior_padding(operands: Operands) -> Measured:
    """The smallest number of values that STABLEHLO_PAD puts between two."""
    values = _vector(operands, "interior_padding")
    return min(values, default=None)


def boundaries_descending(operands: Operands) -> Measured:
    """How many of BUCKETIZE's boundaries are below the one before."""
    options = operands.operator.options
    values = options.get("boundaries", ()) if options is not None else ()
    if not hasattr(values, "tolist"):
        return None
    numbers: list[float] = values.tolist()
    return sum(b < a for a, b in pairwise(numbers))


def absent_lstm_operands(operands: Operands) -> Measured:
    """How many operands an LSTM of the full form lacks that only the basic form does without.

    The input gate has all its three or none.
    """
    if kernel_type(operands) != "FULL":
        return None
    needed = ["output_state", "cell_state"]
    for gate in ("forget", "cell", "output"):
        needed += _gate(gate)
    whole = sum(operands.one(role) is None for role in _gate("input"))
    return sum(operands.one(role) is None for role in needed) + whole % 3


def _gate(name: str) -> list[str]:
    return [f"input_to_{name}_weights", f"recurrent_to_{name}_weights", f"{name}_gate_bias"]


def _vector(operands: Operands, name: str) -> list[int]:
    options = operands.operator.options
    values = options.get(name, ()) if options is not None else ()
    return [int(v) for v in values] if not isinstance(values, (str, int, float)) else []


def miscounted_results(operands: Operands) -> Measured:
    """How many results a recurrent layer has more or fewer than its options say: one, two both ways, or four."""
    merged, basic = _integer(operands, "merge_outputs"), kernel_type(operands)
    if merged is None and basic is None:
        return None
    wanted = (1 if merged else 2) if merged is not None else 4 if basic == "BASIC" else 1
    return abs(len(operands.operator.outputs) - wanted)


#: By their names, in the order the documentation lists them.
OPTIONS = (
    version, reference_version, unknown_types, options_table, padding, fused_activation, smallest_stride,
    smallest_dilation, largest_step, smallest_filter, depth_multiplier_gap, block_size, beta,
    clips_below_zero, quantized_beta, exponent_step, quantized_alpha, axis_option, mirror_mode, weights_format,
    kernel_type, absent_lstm_operands, svdf_rank, lsh_type, reduce_function, random_algorithm, result_type,
    result_type_differs, narrow_range, radius, smallest_interior_padding, boundaries_descending,
    miscounted_results,
)  # fmt: skip
