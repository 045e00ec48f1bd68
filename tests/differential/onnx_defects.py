"""Defects of onnx.reference 1.23 and onnxruntime 1.31 and 1.32 against ONNX's documents, each with the sentence.

A defect *refuses* its cases, *changes* them (litecheck's output for the changed case equals the engine's bit for bit),
or concerns single *elements* with an accidental value in the engine.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib import metadata

import numpy as np

from litecheck.quantizer.onnx_types import NUMBERS, RANGES, name_of
from tests.differential.onnx_cases import SHAPE, Case

REFERENCE, RUNTIME = "onnx.reference", "onnxruntime"


def _version(name: str) -> tuple[int, ...]:
    """Return the first two numbers of an installed package's version, empty without the package."""
    if importlib.util.find_spec(name) is None:
        return ()
    return tuple(int(part) for part in metadata.version(name).split(".")[:2])


#: From 1.32 on onnxruntime accepts a scale of a different type than x, and divides in the scale's type or in precision.
FROM_1_32 = _version("onnxruntime") >= (1, 32)
_FLOATS = ("float32", "float16")
FLOAT8 = ("float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz")


@dataclass(frozen=True)
class Defect:
    """Defect: ``sentence`` of the document, stated or missing, in litecheck's words; ``cases`` selects the affected
    cases.
    """

    engine: str
    operator: str
    sentence: str
    reason: str
    cases: Callable[[Case], bool]
    refuses: bool = False
    changes: Callable[[Case], Case] | None = None
    elements: Callable[[Case], np.ndarray] | None = None


def engine_type(engine: str, case: Case) -> str:
    """Return the type in which an engine divides."""
    if engine == RUNTIME and not (FROM_1_32 and case.version >= 23):
        return "float32"
    if engine == RUNTIME:
        return case.types.get("precision") or case.types["scale"]
    x, scale = (np.ones(1, v.dtype) for v in case.inputs[:2])
    return case.types.get("precision") or name_of(x / scale)


def divided_in(engine: str) -> Callable[[Case], Case]:
    def change(case: Case) -> Case:
        attributes = {**case.attributes, "precision": NUMBERS[engine_type(engine, case)]}
        return replace(case, version=25, attributes=attributes)

    return change


def not_int32(engine: str) -> Callable[[Case], np.ndarray]:
    def beyond(case: Case) -> np.ndarray:
        quotient = np.rint(case.quotient(engine_type(engine, case)))
        return ~(
            np.abs(quotient) < 2.0**31 - 2**16
        )  # leaves room for the zero point, which is added in int32

    return beyond


def without_zero_point(case: Case) -> Case:
    return replace(case, inputs=(*case.inputs[:2], np.zeros_like(case.inputs[2])))


def multiplied_in_float32(case: Case) -> Case:
    x, scale, *zero_point = case.inputs
    attributes = {k: v for k, v in case.attributes.items() if k != "output_dtype"}
    inputs = (x, scale.astype(np.float32), *zero_point)
    return replace(case, version=25, inputs=inputs, attributes=attributes, finish=case.types["target"])


def has_zero_point(case: Case) -> bool:
    return len(case.inputs) > 2 and bool(np.any(case.inputs[2].astype(np.float32)))


def float8_zero_point(key: str) -> Callable[[Case], bool]:
    return lambda case: case.types[key] in FLOAT8 and has_zero_point(case)


def integer(case: Case) -> bool:
    return case.types["target"] in RANGES


def plain_loop(case: Case) -> bool:
    """Return True for cases without vectors in onnxruntime: float16 inputs, blocks, 2-bit types, single 4-bit values."""
    target, blocked = case.types["target"], "block_size" in case.attributes
    alone = target in ("int4", "uint4") and case.inputs[1].shape == (SHAPE[-1],)
    two_bits = target in ("int2", "uint2")
    return integer(case) and (case.types["x"] == "float16" or blocked or two_bits or alone)


def whole_zero_point(case: Case) -> bool:
    """Return True if a zero point is not 0 after conversion to uint8, as onnx.reference checks it."""
    with np.errstate(invalid="ignore"):
        return len(case.inputs) > 2 and bool(np.any(case.inputs[2].astype(np.uint8)))


def between(low: float, high: float) -> Callable[[Case], np.ndarray]:
    def elements(case: Case) -> np.ndarray:
        quotient = np.abs(case.quotient(engine_type(RUNTIME, case)))
        return (quotient >= low) & (quotient <= high)

    return elements


def unsaturated(target: str) -> Callable[[Case], bool]:
    return lambda case: case.types["target"] == target and case.attributes.get("saturate") == 0


QUANTIZE, DEQUANTIZE = "QuantizeLinear", "DequantizeLinear"

DEFECTS = (
    Defect(
        REFERENCE, QUANTIZE,
        "23, 24, 25, summary: the type of y_scale determines the precision of the division, unless precision is "
        "given. 10 and 13 say nothing; y_scale is float32 there.",
        "It divides in the type numpy promotes x and y_scale to.",
        lambda c: "precision" not in c.types and c.types["x"] != c.types["scale"],
        changes=divided_in(REFERENCE),
    ),
    Defect(
        REFERENCE, QUANTIZE,
        "All versions, summary: y = saturate(...); each integer type's whole range is listed.",
        "It converts the quotient to int32 before it saturates; values outside int32, infinities included, wrap.",
        integer,
        elements=not_int32(REFERENCE),
    ),
    Defect(
        REFERENCE, QUANTIZE,
        "19 to 25, summary: with float8 the formula, which adds y_zero_point, remains the same.",
        "It ignores the zero point of a float8 type.",
        float8_zero_point("target"),
        changes=without_zero_point,
    ),
    Defect(
        REFERENCE, QUANTIZE,
        "23, 24, 25: y is float4e2m1, which has no NaN; ONNX's page on 4-bit floats, table of casts: NaN becomes 6.",
        "ml_dtypes converts it to 0.",
        lambda c: c.types["target"] == "float4e2m1",
        elements=lambda c: np.isnan(c.quotient(engine_type(REFERENCE, c))),
    ),
    Defect(
        RUNTIME, QUANTIZE,
        "All versions, type constraints: x may also be int32 and bfloat16, from 23 y_scale any of its types, y "
        "float4e2m1.",
        "It has kernels for float32 and float16 only, before 1.32 with a scale of the same type, and none for float4e2m1.",
        lambda c: (
            c.types["x"] not in _FLOATS
            or c.types["target"] == "float4e2m1"
            or (c.types["scale"] not in _FLOATS if FROM_1_32 else c.types["scale"] != c.types["x"])
            or (FROM_1_32 and c.types.get("precision", "float32") not in _FLOATS)
        ),
        refuses=True,
    ),
    Defect(
        RUNTIME, QUANTIZE,
        "23, 24, 25, summary and attribute precision: the division has the type of y_scale, or precision. 19 and 21 "
        "say nothing; x and y_scale have the same type there.",
        "It divides in float32 and ignores precision: always before 1.32, then up to version 21 of the operator.",
        lambda c: (
            not (FROM_1_32 and c.version >= 23)
            and (c.types.get("precision") or c.types["scale"]) != "float32"
        ),
        changes=divided_in(RUNTIME),
    ),
    *([] if FROM_1_32 else [Defect(
        RUNTIME, QUANTIZE,
        "All versions, summary: y = saturate(...); each integer type's whole range is listed.",
        "Its plain loop converts the quotient to int32 before it saturates; its vector loop saturates first.",
        plain_loop,
        elements=not_int32(RUNTIME),
    )]),
    Defect(
        RUNTIME, QUANTIZE,
        "19 to 25, summary: with float8 the formula, which adds y_zero_point, remains the same.",
        "It ignores the zero point of a float8 type.",
        float8_zero_point("target"),
        changes=without_zero_point,
    ),
    Defect(
        RUNTIME, QUANTIZE,
        "19 to 25, attribute saturate: all cases are in Cast's tables; saturate 0 makes NaN beyond float8e4m3fn's "
        "largest value, 448.",
        "Quotients in (480, 496] become 448.",
        unsaturated("float8e4m3fn"),
        elements=between(480, 496),
    ),
    Defect(
        RUNTIME, QUANTIZE,
        "19 to 25, attribute saturate: all cases are in Cast's tables; saturate 0 makes infinity beyond float8e5m2's "
        "largest value, 57344.",
        "Quotients in [61440, 65536] become NaN.",
        unsaturated("float8e5m2"),
        elements=between(61440, 65536),
    ),
    Defect(
        REFERENCE, DEQUANTIZE,
        "10 and 13 are separate versions of the operator.",
        "It begins with 19.",
        lambda c: c.version < 19,
        refuses=True,
    ),
    Defect(
        REFERENCE, DEQUANTIZE,
        "23, 24, 25, summary: the output type also determines the precision of the multiplication. 19 and 21 say "
        "nothing; the output has the scale's type there.",
        "It multiplies in float32 and rounds the product.",
        lambda c: c.types["target"] != "float32",
        changes=multiplied_in_float32,
    ),
    Defect(
        REFERENCE, DEQUANTIZE,
        "19 to 25, summary: with float8 the formula, which subtracts x_zero_point, remains the same.",
        "It rejects zero points of float8 types that are not 0 as integers.",
        lambda c: c.types["x"] in FLOAT8 and whole_zero_point(c),
        refuses=True,
    ),
    Defect(
        REFERENCE, DEQUANTIZE,
        "19 to 25, summary: with float8 the formula, which subtracts x_zero_point, remains the same.",
        "It ignores zero points that are 0 as integers, such as 0.5.",
        lambda c: c.types["x"] in FLOAT8 and has_zero_point(c) and not whole_zero_point(c),
        changes=without_zero_point,
    ),
    Defect(
        REFERENCE, DEQUANTIZE,
        "23, 24, 25, summary: with 4-bit types the formula, which subtracts x_zero_point, remains the same.",
        "It ignores the zero point of float4e2m1.",
        lambda c: c.types["x"] == "float4e2m1" and has_zero_point(c),
        changes=without_zero_point,
    ),
    Defect(
        RUNTIME, DEQUANTIZE,
        "19 to 25, type constraints: the scale may also be bfloat16, from 24 float8e8m0, the output bfloat16, x "
        "float4e2m1.",
        "It has kernels for float32 and float16 scales and outputs only, and none for float4e2m1.",
        lambda c: not {c.types["scale"], c.types["target"]} <= {"float32", "float16"} or c.types["x"] == "float4e2m1",
        refuses=True,
    ),
    Defect(
        RUNTIME, DEQUANTIZE,
        "23, 24, 25, summary: the output type also determines the precision of the multiplication. 19 and 21 say "
        "nothing; the output has the scale's type there.",
        "It multiplies in float32 and rounds the product.",
        lambda c: c.types["target"] == "float16",
        changes=multiplied_in_float32,
    ),
    Defect(
        RUNTIME, DEQUANTIZE,
        "19 to 25, summary: with float8 the formula, which subtracts x_zero_point, remains the same.",
        "It rejects zero points of float8 types other than 0.",
        float8_zero_point("x"),
        refuses=True,
    ),
)  # fmt: skip


#: (y, scale, zero point) of DynamicQuantizeLinear.
Outputs = Sequence[np.ndarray]


@dataclass(frozen=True)
class DynamicDefect:
    """Defect of DynamicQuantizeLinear: ``holds(x, ours, theirs)`` returns True if it explains the whole difference."""

    engine: str
    sentence: str
    reason: str
    holds: Callable[[np.ndarray, Outputs, Outputs], bool]


def empty_range(scale: float) -> Callable[[np.ndarray, Outputs, Outputs], bool]:
    """Return a check of tensors of zeros: only the scale differs; integers and zero point are 0 in both."""
    return lambda x, ours, theirs: (
        not x.any()
        and ours[1] == 0
        and theirs[1] == np.float32(scale)
        and not theirs[0].any()
        and not theirs[2]
    )


def nan_zero_point(x: np.ndarray, ours: Outputs, theirs: Outputs) -> bool:
    """Return True if min(x) / y_scale is 0 / 0 or has an infinity or NaN on both sides, and the scales are equal."""
    with np.errstate(all="ignore"):
        undefined = np.isnan(np.minimum(np.float32(0), x.min()) / ours[1])
    return (
        bool(undefined)
        and np.array_equal(ours[1], theirs[1], equal_nan=True)
        and (ours[2], theirs[2]) == (0, 255)
    )


FORMULA = "Summary: y_scale = (maximum(0, max(x)) - minimum(0, min(x))) / (qmax - qmin)."
OPEN = "Summary: y_zero_point = cast(round(saturate(...))); the integer of NaN is not specified."
NAN_255 = "Its saturation turns NaN into 255; ours into the smallest, 0."

DYNAMIC = (
    DynamicDefect(
        REFERENCE, FORMULA, "It replaces an empty range by 1: the scale is 1/255.", empty_range(1 / 255)
    ),
    DynamicDefect(RUNTIME, FORMULA, "It replaces the scale of an empty range by 1.", empty_range(1)),
    DynamicDefect(REFERENCE, OPEN, NAN_255, nan_zero_point),
    DynamicDefect(RUNTIME, OPEN, NAN_255, nan_zero_point),
    DynamicDefect(
        RUNTIME,
        FORMULA + " The maximum of numbers and NaN is not specified; ours is NaN.",
        "Its minimum and maximum ignore some NaN.",
        lambda x, ours, theirs: bool(np.isnan(x).any() and np.isnan(ours[1]) and not np.isnan(theirs[1])),
    ),
)

#: Versions in which all defects were measured.
MEASURED = {"onnx": ("1.23.",), "onnxruntime": ("1.31.", "1.32.")}
