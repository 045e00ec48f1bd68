"""Measurements of an operator's options table."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import isfinite, isnan

import numpy as np

from litecheck.flatbuffer.schema import load_schema
from litecheck.profile.measurements.measured_operator import (
    Measured,
    Operands,
    integer,
    number,
    one_scale,
    word,
)
from litecheck.profile.measurements.register import measures, option, option_fields, option_stated
from litecheck.profile.measurements.vocabulary import OPTION_TABLES, YES_OR_NO, of_enum
from litecheck.profile.operator_plan import Plan
from litecheck.quantization import INTEGER_RANGES

_RESULT_TYPES = ("output_type", "out_type", "idx_out_type")
_ACTIVATIONS = of_enum("ActivationFunctionType", "an activation function")
_CLIPS = ("cell_clip", "proj_clip")


def _set_unknown_types(plan: Plan, value: int) -> Plan | None:
    types = [name for name, field in option_fields(plan.opcode).items() if field.enum == "TensorType"]
    plan = option_stated(plan, 0, *types) or plan
    return option_stated(plan, 100, *types[:value]) if value > 0 else plan


def _set_result_type(plan: Plan, value: str) -> Plan | None:
    return option_stated(plan, value, *_RESULT_TYPES)


def _set_result_mismatch(plan: Plan, value: str) -> Plan | None:
    role = "indices" if "indices" in plan.operands else "output"
    plan = plan.edit(role, lambda tensor: tensor.but(dtype="int32"))
    return _set_result_type(plan, "INT64" if value == "yes" else "INT32")


def _set_clips(plan: Plan, value: int) -> Plan | None:
    plan = option_stated(plan, 0, *_CLIPS) or plan
    return option_stated(plan, -1, *_CLIPS[:value]) if value > 0 else plan


@measures(lambda plan, value: plan.but(version=value))
def version(operands: Operands) -> Measured:
    """Version of the operator in the file. Example: version 3 of CONV_2D gives 3."""
    return operands.operator.version


@measures(lambda plan, value: plan.but(version=value))
def reference_version(operands: Operands) -> Measured:
    """Version of an operator with fewer versions in LiteRT's reference resolver. Example: version 3 gives 3."""
    return operands.operator.version


@measures(_set_unknown_types, beside_faults=False)
def unknown_types(operands: Operands) -> Measured:
    """Number of options that name a dtype outside the schema. Example: output_type 99 of SHAPE gives 1."""
    options = operands.operator.options
    if options is None:
        return None
    schema = load_schema("tflite")
    fields = [f for f in schema.tables.get(options.type, ()) if f.enum == "TensorType"]
    return sum(schema.enum_name("TensorType", int(options.get(f.name, f.default))) is None for f in fields)


@measures(lambda plan, value: plan.but(options=None if value == "none" else {}), "none", gives=OPTION_TABLES)
def options_table(operands: Operands) -> Measured:
    """Type of the options table, ``none`` without a table. Example: Conv2DOptions."""
    options = operands.operator.options
    return "none" if options is None else options.type


@measures(option("padding"), "SAME", "7", gives=of_enum("Padding", "a padding"))
def padding(operands: Operands) -> Measured:
    """Padding: ``SAME``, ``VALID``, or the number of an unknown padding. Example: option 0 gives ``SAME``."""
    return word(operands, "padding")


@measures(option("fused_activation_function"), "RELU6", "TANH", "77", gives=_ACTIVATIONS)
def fused_activation(operands: Operands) -> Measured:
    """Fused activation function, or the number of an unknown function. Example: option 3 gives ``RELU6``."""
    return word(operands, "fused_activation_function")


#: The bound farthest from 0 of each bounded function.
_BOUNDS = {"RELU": 0, "RELU_N1_TO_1": 1, "RELU6": 6}


def _set_fused_bound(plan: Plan, value: Fraction) -> Plan | None:
    plan = plan.option(fused_activation_function="RELU6")
    return plan.with_scale("output", float(6 / Fraction(value))) if value > 0 else None


@measures(_set_fused_bound)
def fused_bound(operands: Operands) -> Measured:
    """Bound of the fused activation (0, 1 or 6) / output scale, or ``not finite`` for a scale of 0 or NaN. Example: RELU6
    and output scale 0.5 give 12."""
    bound, output = _BOUNDS.get(str(fused_activation(operands))), operands.one("output")
    if bound is None or output is None or output.quantization.scale.size != 1:
        return None
    scale = one_scale(output)
    if scale is None:
        return "not finite" if isnan(output.quantization.scale[0]) else None
    return "not finite" if not scale else bound / scale if bound and scale > 0 else None


@measures(option("mode"), "77", gives=of_enum("MirrorPadMode", "a mode"))
def mirror_mode(operands: Operands) -> Measured:
    """Mode of MIRROR_PAD: ``REFLECT``, ``SYMMETRIC``, or the number of an unknown mode. Example: option 0
    gives ``REFLECT``."""
    return word(operands, "mode")


@measures(
    option("weights_format"), "1", gives=of_enum("FullyConnectedOptionsWeightsFormat", "a format of weights")
)
def weights_format(operands: Operands) -> Measured:
    """Format of the weights of FULLY_CONNECTED. Example: option 0 gives ``DEFAULT``."""
    return word(operands, "weights_format")


@measures(option("kernel_type"), "77", gives=of_enum("LSTMKernelType", "a form of LSTM"))
def kernel_type(operands: Operands) -> Measured:
    """Form of an LSTM: ``FULL`` or ``BASIC``. Example: option 1 gives ``BASIC``."""
    return word(operands, "kernel_type")


@measures(option("type"), "UNKNOWN", gives=of_enum("LSHProjectionType", "a type of projection"))
def lsh_type(operands: Operands) -> Measured:
    """Output format of LSH_PROJECTION: ``SPARSE`` or ``DENSE``. Example: option 2 gives ``DENSE``."""
    return word(operands, "type")


@measures(option("reduce_function"), "77", gives=of_enum("ReduceWindowFunction", "a function"))
def reduce_function(operands: Operands) -> Measured:
    """Function that REDUCE_WINDOW applies to a window. Example: option 1 gives ``ADD``."""
    return word(operands, "reduce_function")


@measures(option("algorithm"), "77", gives=of_enum("RngAlgorithm", "an algorithm"))
def random_algorithm(operands: Operands) -> Measured:
    """Algorithm of the random bit generator. Example: option 1 gives ``PHILOX``."""
    return word(operands, "algorithm")


@measures(_set_result_type, "INT8", "INT32", "INT64", gives=of_enum("TensorType", "a type of the schema"))
def result_type(operands: Operands) -> Measured:
    """Dtype of output indices or sizes in the options. Example: output_type 4 of ARG_MAX gives ``INT64``."""
    return next(
        (stated_word for name in _RESULT_TYPES if (stated_word := word(operands, name)) is not None), None
    )


@measures(_set_result_mismatch, "yes", "no", gives=YES_OR_NO)
def result_type_differs(operands: Operands) -> Measured:
    """``yes`` if only the option or only the output tensor is int64, else ``no``. Example: option INT64 and
    an int32 output give ``yes``."""
    option_stated, output = result_type(operands), operands.one("indices") or operands.one("output")
    if option_stated is None or output is None:
        return None
    return "yes" if (option_stated == "INT64") != (output.dtype == "int64") else "no"


@measures(lambda plan, value: plan.option(narrow_range=value == "yes"), "yes", "no", gives=YES_OR_NO)
def narrow_range(operands: Operands) -> Measured:
    """``yes`` if FAKE_QUANT omits its lowest step, else ``no``. Example: narrow_range true gives ``yes``."""
    value = integer(operands, "narrow_range")
    return None if value is None else "yes" if value else "no"


@measures(option("block_size"))
def block_size(operands: Operands) -> Measured:
    """Side of the blocks of SPACE_TO_DEPTH and DEPTH_TO_SPACE. Example: blocks of 2 x 2 give 2."""
    return integer(operands, "block_size")


@measures(option("beta"), "not finite")
def beta(operands: Operands) -> Measured:
    """Factor of the SOFTMAX input for every dtype, or ``not finite``. Example: beta 0.5 gives 1/2."""
    value = number(operands, "beta")
    return None if value is None else Fraction(value) if isfinite(value) else "not finite"


@measures(_set_clips)
def clips_below_zero(operands: Operands) -> Measured:
    """Number of clip options of an LSTM (cell_clip, proj_clip) that are negative or NaN. Example: cell_clip
    -1 and proj_clip 0 give 1."""
    values = (number(operands, name) for name in ("cell_clip", "proj_clip"))
    return sum(value is not None and not value >= 0 for value in values)


@measures(option("beta"), "not finite")
def quantized_beta(operands: Operands) -> Measured:
    """Factor of the SOFTMAX input for an integer input, or ``not finite``; None for float inputs. Example:
    int8 input and beta 0.5 give 1/2."""
    return _factor(operands, "beta")


def _factor(operands: Operands, name: str) -> Measured:
    """Return an option that multiplies an integer input; None for float inputs."""
    value, given = number(operands, name), operands.one("input")
    if value is None or given is None or given.dtype not in INTEGER_RANGES:
        return None
    return Fraction(value) if isfinite(value) else "not finite"


def _set_exponent_step(plan: Plan, value: Fraction | str) -> Plan | None:
    if isinstance(value, str):
        return plan.option(beta=float("nan"))
    return option_stated(plan.with_scale("input", float(value) / 2), 2, "beta")


@measures(_set_exponent_step, "not finite")
def exponent_step(operands: Operands) -> Measured:
    """Change of the SOFTMAX exponent per input step: beta * input scale, or ``not finite`` for a beta of NaN. Example: beta
    2 and input scale 0.25 give 0.5."""
    beta, scale = quantized_beta(operands), one_scale(operands.one("input"))
    if beta == "not finite" and isnan(number(operands, "beta") or 0):
        return "not finite"
    return beta * scale if isinstance(beta, Fraction) and scale is not None else None


@measures(option("alpha"), "not finite")
def quantized_alpha(operands: Operands) -> Measured:
    """Negative slope of LEAKY_RELU for an integer input, or ``not finite``; None for float inputs. Example:
    int8 input and alpha 0.25 give 1/4."""
    return _factor(operands, "alpha")


@measures(option("radius"))
def radius(operands: Operands) -> Measured:
    """Number of channels on each side in LOCAL_RESPONSE_NORMALIZATION. Example: a window of 5 channels has
    radius 2."""
    return integer(operands, "radius")


@measures(option("rank"))
def svdf_rank(operands: Operands) -> Measured:
    """Number of filters per unit of an SVDF. Example: 8 filters for 4 units give 2."""
    return integer(operands, "rank")


@measures(option("axis"))
def axis_option(operands: Operands) -> Measured:
    """Axis in the options. Example: axis -1 of ONE_HOT gives -1."""
    return integer(operands, "axis")


@measures(lambda plan, value: plan.option(interior_padding=np.full(2, value, np.int64)))
def smallest_interior_padding(operands: Operands) -> Measured:
    """Smallest interior padding of STABLEHLO_PAD. Example: interior_padding (0, 2) gives 0."""
    values = _vector(operands, "interior_padding")
    return min(values, default=None)


@measures(lambda plan, value: plan.option(boundaries=np.arange(max(value, 0), -1, -1).astype(np.float32)))
def boundaries_descending(operands: Operands) -> Measured:
    """Number of boundaries of BUCKETIZE below the previous boundary. Example: boundaries (1, 3, 2) give 1."""
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
