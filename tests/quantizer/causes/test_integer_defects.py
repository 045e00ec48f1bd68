"""Deviations of a device from a document: names, recipes and sentences."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.quantizer.causes.integer_defects import Base, bases, integer_defects, interpreters
from litecheck.quantizer.causes.variants import Recipe
from litecheck.quantizer.comparison_result import Mismatch
from litecheck.quantizer.semantics import semantics
from litecheck.quantizer.types import Parameters

ONE = Parameters(np.ones(1, np.float32), np.zeros(1, np.int64))
CHANNELS = Parameters(np.ones(4, np.float32), np.zeros(4, np.int64), 1)
INT8 = (-128, 127)


def rows(
    base: Recipe, parameters: Parameters = ONE, limits: tuple[int, int] = INT8
) -> dict[str, tuple[str, object, str]]:
    found = integer_defects(base, "onnx", parameters, (2, 4, 3), limits)
    return {one.name: (one.field, one.value, one.sentence) for one in found if one.name != "other-axis"}


def test_deviations_of_one_scale() -> None:
    assert rows(Recipe("half-even")) == {
        "half-away": ("rounding", "half-away", "The device rounds ties away from zero where onnx rounds ties to even."),
        "half-up": ("rounding", "half-up", "The device rounds ties up where onnx rounds ties to even."),
        "half-down": ("rounding", "half-down", "The device rounds ties down where onnx rounds ties to even."),
        "toward-zero": ("rounding", "toward-zero", "The device cuts the fraction off where onnx rounds ties to even."),
        "floor": ("rounding", "floor", "The device rounds down where onnx rounds ties to even."),
        "ceil": ("rounding", "ceil", "The device rounds up where onnx rounds ties to even."),
        "zero-point-before-rounding": ("zero_point_first", True, "The device adds the zero point before rounding."),
        "float64-arithmetic": ("arithmetic", "float64", "The device divides in float64."),
        "float16-arithmetic": ("arithmetic", "float16", "The device divides in float16."),
        "reciprocal-multiply": ("arithmetic", "reciprocal",
                                "The device multiplies by the float32 reciprocal of the scale instead of dividing."),
        "zero-point-plus-1": ("zero_point", "plus-1", "The device's zero point is too large by one."),
        "zero-point-minus-1": ("zero_point", "minus-1", "The device's zero point is too small by one."),
        "zero-point-negated": ("zero_point", "negated", "The device's zero point has the wrong sign."),
        "zero-point-ignored": ("zero_point", "ignored", "The device ignores the zero point."),
        "scale-float16": ("scale", "float16", "The device rounds the scale to float16."),
        "scale-bfloat16": ("scale", "bfloat16", "The device rounds the scale to bfloat16."),
        "symmetric-saturation": ("saturation", "symmetric", "The device saturates at -127 instead of -128."),
        "saturation-7-bit": ("saturation", "7-bit", "The device saturates to the range of 7 bits."),
        "wrap-around": ("saturation", "wrap-around", "The device wraps around instead of saturating."),
    }  # fmt: skip


def test_deviations_from_a_recipe_with_deviations() -> None:
    found = rows(Recipe("half-away", True, "reciprocal"), limits=(0, 15))
    assert {"half-even", "zero-point-after-rounding", "float32-arithmetic", "saturation-3-bit"} <= set(found)
    assert not {"half-away", "reciprocal-multiply", "symmetric-saturation"} & set(found)
    assert found["zero-point-after-rounding"] == (
        "zero_point_first",
        False,
        "The device adds the zero point after rounding.",
    )


def test_deviations_of_a_scale_for_each_channel() -> None:
    found = rows(Recipe(), CHANNELS)
    assert found["per-tensor-largest"][2] == "The device uses the largest scale for all of them."
    assert found["per-tensor-first"] == (
        "scale",
        "first",
        "The device uses the first scale for all of them.",
    )
    assert not {"per-tensor-largest", "per-tensor-first"} & set(rows(Recipe()))


@pytest.mark.parametrize(("axis", "block", "others"), [(1, 0, [0, 2]), (-1, 0, [0, 1]), (1, 2, [])])
def test_deviations_of_the_axis(axis: int, block: int, others: list[int]) -> None:
    parameters = Parameters(np.ones(4, np.float32), np.zeros(4, np.int64), axis, block)
    found = [
        one
        for one in integer_defects(Recipe(), "onnx", parameters, (4, 4, 4), INT8)
        if one.name == "other-axis"
    ]
    assert [(one.field, one.value) for one in found] == [("axis", other) for other in others]
    own = axis % 3
    assert [one.sentence for one in found] == [
        f"The device takes the scales along axis {other} instead of {own}." for other in others
    ]


def test_a_deviation_changes_one_field_of_body_and_tail() -> None:
    (floor,) = (one for one in integer_defects(Recipe(), "onnx", ONE, (4,), INT8) if one.name == "floor")
    base = Base(Recipe("half-even", arithmetic="reciprocal"), Recipe(arithmetic="float64"))
    assert base.with_defects([floor]) == Base(
        Recipe("floor", arithmetic="reciprocal"), Recipe("floor", arithmetic="float64")
    )
    assert base.with_defects([]) == base


WIDTHS = ("float32", "float64", "float16")


@pytest.mark.parametrize(
    ("name", "rounding", "first"),
    [
        ("litert", "half-away", False),
        ("onnx", "half-even", False),
        ("onednn", "half-even", True),
        ("onednn:half-away", "half-away", True),
    ],
)
def test_recipes_of_documents(name: str, rounding: str, first: bool) -> None:
    recipes = [Recipe(rounding, first, width) for width in WIDTHS]  # type: ignore[arg-type]
    assert bases(name) == tuple(Base(recipe, recipe) for recipe in recipes)


def test_recipes_of_interpreters() -> None:
    vector = Recipe("half-even", arithmetic="reciprocal")
    tail = Recipe("half-away", arithmetic="float64")
    assert bases("litert:xnnpack")[3:] == (Base(vector, vector), Base(vector, tail))


def attributed(expected: str, actual: str) -> list[tuple[str, str]]:
    real = (np.arange(-40, 40) * 0.0625).astype(np.float32)
    parameters = Parameters(np.full(1, 0.125, np.float32), np.zeros(1, np.int64))
    wanted, given = (semantics(name).quantize(real, parameters, "int8") for name in (expected, actual))
    differing = int((wanted != given).sum())
    case = Mismatch(wanted, given, "int8", (80,), differing, semantics=expected)
    found = list(interpreters(case, real, parameters))
    assert all(one.exact and one.explained == differing for one in found)
    return [(one.name, one.sentence) for one in found]


def test_interpreters() -> None:
    """XNNPACK rounds ties to even, the reference kernels away from zero."""
    sentence = "{} gives the same: expect it with --semantics {}."
    assert attributed("litert:reference", "litert:xnnpack") == [
        ("litert:xnnpack", sentence.format("LiteRT's default interpreter, with XNNPACK,", "litert:xnnpack"))
    ]
    assert attributed("onnx", "litert:xnnpack") == []
