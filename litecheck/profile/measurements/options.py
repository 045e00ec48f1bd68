"""Measurements of options: what an operator's options table says."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import isfinite

import numpy as np

from litecheck.flatbuffer.schema import load_schema
from litecheck.profile.measurements.bound import Measured, Operands, integer, number, one_scale, word
from litecheck.profile.measurements.register import measures, option, option_fields, option_stated
from litecheck.profile.measurements.vocabulary import OPTION_TABLES, YES_OR_NO, of_enum
from litecheck.profile.plan import Plan
from litecheck.quantization import INTEGER_RANGES

_RESULT_TYPES = ("output_type", "out_type", "idx_out_type")
_ACTIVATIONS = of_enum("ActivationFunctionType", "an activation function")
_CLIPS = ("cell_clip", "proj_clip")


def _unknown(plan: Plan, value: int) -> Plan | None:
    types = [name for name, field in option_fields(plan.opcode).items() if field.enum == "TensorType"]
    plan = option_stated(plan, 0, *types) or plan
    return option_stated(plan, 100, *types[:value]) if value > 0 else plan


def _typed(plan: Plan, value: str) -> Plan | None:
    return option_stated(plan, value, *_RESULT_TYPES)


def _misstated(plan: Plan, value: str) -> Plan | None:
    role = "indices" if "indices" in plan.operands else "output"
    plan = plan.edit(role, lambda tensor: tensor.but(dtype="int32"))
    return _typed(plan, "INT64" if value == "yes" else "INT32")


def _clipped(plan: Plan, value: int) -> Plan | None:
    plan = option_stated(plan, 0, *_CLIPS) or plan
    return option_stated(plan, -1, *_CLIPS[:value]) if value > 0 else plan


@measures(lambda plan, value: plan.but(version=value))
def version(operands: Operands) -> Measured:
    """The operator's version, which the runtime looks up together with its name."""
    return operands.operator.version


@measures(lambda plan, value: plan.but(version=value))
def reference_version(operands: Operands) -> Measured:
    """Version of the operator, where LiteRT's reference resolver registers fewer than the others."""
    return operands.operator.version


@measures(_unknown)
def unknown_types(operands: Operands) -> Measured:
    """How many of the operator's options name a type of tensors that the schema does not have."""
    options = operands.operator.options
    if options is None:
        return None
    schema = load_schema("tflite")
    fields = [f for f in schema.tables.get(options.type, ()) if f.enum == "TensorType"]
    return sum(schema.enum_name("TensorType", int(options.get(f.name, f.default))) is None for f in fields)


@measures(lambda plan, value: plan.but(options=None if value == "none" else {}), "none", gives=OPTION_TABLES)
def options_table(operands: Operands) -> Measured:
    """The type of the operator's options table, ``none`` where it has none."""
    options = operands.operator.options
    return "none" if options is None else options.type


@measures(option("padding"), "SAME", "7", gives=of_enum("Padding", "a padding"))
def padding(operands: Operands) -> Measured:
    """``SAME`` or ``VALID``, or the number where it is neither."""
    return word(operands, "padding")


@measures(option("fused_activation_function"), "RELU6", "TANH", "77", gives=_ACTIVATIONS)
def fused_activation(operands: Operands) -> Measured:
    """The activation function fused into the operator, or its number where the schema knows none."""
    return word(operands, "fused_activation_function")


#: The bound farthest from 0 of each function that has one.
_BOUNDS = {"RELU_N1_TO_1": 1, "RELU6": 6}


def _bounded(plan: Plan, value: Fraction) -> Plan | None:
    plan = plan.option(fused_activation_function="RELU6")
    return plan.scaled("output", float(6 / Fraction(value))) if value > 0 else None


@measures(_bounded)
def fused_bound(operands: Operands) -> Measured:
    """How many output steps from 0 the farthest bound of the fused activation lies: 6, or 1, over the output's scale."""
    bound, scale = _BOUNDS.get(str(fused_activation(operands))), one_scale(operands.one("output"))
    return bound / scale if bound and scale else None


@measures(option("mode"), "77", gives=of_enum("MirrorPadMode", "a mode"))
def mirror_mode(operands: Operands) -> Measured:
    """How MIRROR_PAD mirrors: ``REFLECT`` or ``SYMMETRIC``, or the number where it is neither."""
    return word(operands, "mode")


@measures(
    option("weights_format"), "1", gives=of_enum("FullyConnectedOptionsWeightsFormat", "a format of weights")
)
def weights_format(operands: Operands) -> Measured:
    """How the weights of a fully connected layer are laid out."""
    return word(operands, "weights_format")


@measures(option("kernel_type"), "77", gives=of_enum("LSTMKernelType", "a form of LSTM"))
def kernel_type(operands: Operands) -> Measured:
    """Which of its two forms an LSTM has: ``FULL`` or ``BASIC``."""
    return word(operands, "kernel_type")


@measures(option("type"), "UNKNOWN", gives=of_enum("LSHProjectionType", "a type of projection"))
def lsh_type(operands: Operands) -> Measured:
    """How LSH_PROJECTION packs its result: ``SPARSE`` or ``DENSE``."""
    return word(operands, "type")


@measures(option("reduce_function"), "77", gives=of_enum("ReduceWindowFunction", "a function"))
def reduce_function(operands: Operands) -> Measured:
    """What REDUCE_WINDOW does with the values of a window."""
    return word(operands, "reduce_function")


@measures(option("algorithm"), "77", gives=of_enum("RngAlgorithm", "an algorithm"))
def random_algorithm(operands: Operands) -> Measured:
    """Which generator draws random bits."""
    return word(operands, "algorithm")


@measures(_typed, "INT8", "INT32", "INT64", gives=of_enum("TensorType", "a type of the schema"))
def result_type(operands: Operands) -> Measured:
    """The type of the indices or sizes a kernel writes, as its options state it."""
    return next(
        (stated_word for name in _RESULT_TYPES if (stated_word := word(operands, name)) is not None), None
    )


@measures(_misstated, "yes", "no", gives=YES_OR_NO)
def result_type_differs(operands: Operands) -> Measured:
    """``yes`` where only one of the options and the tensor that takes the indices says they are of type int64."""
    option_stated, output = result_type(operands), operands.one("indices") or operands.one("output")
    if option_stated is None or output is None:
        return None
    return "yes" if (option_stated == "INT64") != (output.dtype == "int64") else "no"


@measures(lambda plan, value: plan.option(narrow_range=value == "yes"), "yes", "no", gives=YES_OR_NO)
def narrow_range(operands: Operands) -> Measured:
    """``yes`` where FAKE_QUANT leaves out the lowest of its steps."""
    value = integer(operands, "narrow_range")
    return None if value is None else "yes" if value else "no"


@measures(option("block_size"))
def block_size(operands: Operands) -> Measured:
    """Side of the blocks that SPACE_TO_DEPTH and DEPTH_TO_SPACE move."""
    return integer(operands, "block_size")


@measures(option("beta"), "not finite")
def beta(operands: Operands) -> Measured:
    """What SOFTMAX multiplies numbers of any kind by; ``not finite`` where that is no number."""
    value = number(operands, "beta")
    return None if value is None else Fraction(value) if isfinite(value) else "not finite"


@measures(_clipped)
def clips_below_zero(operands: Operands) -> Measured:
    """How many of the options at which an LSTM clips its cell and projection are negative or no number."""
    values = (number(operands, name) for name in ("cell_clip", "proj_clip"))
    return sum(value is not None and not value >= 0 for value in values)


@measures(option("beta"), "not finite")
def quantized_beta(operands: Operands) -> Measured:
    """What SOFTMAX multiplies integers by; ``not finite`` where that is no number. Floats take any number."""
    value, given = number(operands, "beta"), operands.one("input")
    if value is None or given is None or given.dtype not in INTEGER_RANGES:
        return None
    return Fraction(value) if isfinite(value) else "not finite"


@measures(lambda plan, value: option_stated(plan.scaled("input", float(value) / 2), 2, "beta"))
def exponent_step(operands: Operands) -> Measured:
    """By how much the exponent of SOFTMAX changes with one step of its input: ``beta`` times the input's scale."""
    beta, scale = quantized_beta(operands), one_scale(operands.one("input"))
    return beta * scale if isinstance(beta, Fraction) and scale is not None else None


@measures(option("alpha"), "not finite")
def quantized_alpha(operands: Operands) -> Measured:
    """What LEAKY_RELU multiplies negative integers by; ``not finite`` where that is no number."""
    value, given = number(operands, "alpha"), operands.one("input")
    if value is None or given is None or given.dtype not in INTEGER_RANGES:
        return None
    return Fraction(value) if isfinite(value) else "not finite"


@measures(option("radius"))
def radius(operands: Operands) -> Measured:
    """How far LOCAL_RESPONSE_NORMALIZATION looks to either side."""
    return integer(operands, "radius")


@measures(option("rank"))
def svdf_rank(operands: Operands) -> Measured:
    """How many filters of an SVDF make one unit."""
    return integer(operands, "rank")


@measures(option("axis"))
def axis_option(operands: Operands) -> Measured:
    """The axis as the options state it."""
    return integer(operands, "axis")


@measures(lambda plan, value: plan.option(interior_padding=np.full(2, value, np.int64)))
def smallest_interior_padding(operands: Operands) -> Measured:
    """The smallest number of values that STABLEHLO_PAD puts between two."""
    values = _vector(operands, "interior_padding")
    return min(values, default=None)


@measures(lambda plan, value: plan.option(boundaries=np.arange(max(value, 0), -1, -1).astype(np.float32)))
def boundaries_descending(operands: Operands) -> Measured:
    """How many of BUCKETIZE's boundaries are below the one before."""
    options = operands.operator.options
    values = options.get("boundaries", ()) if options is not None else ()
    if not hasattr(values, "tolist"):
        return None
    numbers: list[float] = values.tolist()
    return sum(b < a for a, b in pairwise(numbers))


def _vector(operands: Operands, name: str) -> list[int]:
    options = operands.operator.options
    values = options.get(name, ()) if options is not None else ()
    return [int(v) for v in values] if not isinstance(values, (str, int, float)) else []
