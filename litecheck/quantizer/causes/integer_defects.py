"""Deviations of devices from the reference, by name, and the recipes of the documents that they deviate from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from litecheck.arrays import Array
from litecheck.quantizer.causes.variants import Arithmetic, Recipe
from litecheck.quantizer.comparison_result import IntegerCause, Mismatch
from litecheck.quantizer.rounding import ROUNDINGS
from litecheck.quantizer.types import Parameters, QuantizerError


@dataclass(frozen=True, slots=True)
class IntegerDefect:
    """A choice that differs from the reference's: the recipe's ``field`` set to ``value``."""

    name: str
    field: str
    value: Any
    sentence: str

    def of(self, recipe: Recipe) -> Recipe:
        """Return the recipe with this choice."""
        return replace(recipe, **{self.field: self.value})


_ROUNDING_WORDS = {
    "half-away": "rounds ties away from zero",
    "half-even": "rounds ties to even",
    "half-up": "rounds ties up",
    "half-down": "rounds ties down",
    "toward-zero": "cuts the fraction off",
    "floor": "rounds down",
    "ceil": "rounds up",
}


def integer_defects(
    base: Recipe, semantics: str, parameters: Parameters, shape: tuple[int, ...], limits: tuple[int, int]
) -> Iterator[IntegerDefect]:
    """Yield every single deviation from ``base`` that a tensor with this shape and these parameters can show."""
    yield from _roundings(base, semantics)
    yield from _arithmetics(base)
    yield from _zero_points()
    yield from _SCALES
    if parameters.axis is not None:
        yield from _PER_TENSOR
        yield from _axes(parameters, shape)
    yield from _saturations(*limits)


def _roundings(base: Recipe, semantics: str) -> Iterator[IntegerDefect]:
    own = f"where {semantics} {_ROUNDING_WORDS[base.rounding]}"
    for mode in ROUNDINGS:
        if mode != base.rounding:
            yield IntegerDefect(mode, "rounding", mode, f"The device {_ROUNDING_WORDS[mode]} {own}.")
    if base.zero_point_first:
        name, words = "zero-point-after-rounding", "after"
    else:
        name, words = "zero-point-before-rounding", "before"
    sentence = f"The device adds the zero point {words} rounding."
    yield IntegerDefect(name, "zero_point_first", not base.zero_point_first, sentence)


def _arithmetics(base: Recipe) -> Iterator[IntegerDefect]:
    for name, sentence in (
        ("float32", "The device divides in float32."),
        ("float64", "The device divides in float64."),
        ("float16", "The device divides in float16."),
        ("reciprocal", "The device multiplies by the float32 reciprocal of the scale instead of dividing."),
    ):
        if name != base.arithmetic:
            label = "reciprocal-multiply" if name == "reciprocal" else f"{name}-arithmetic"
            yield IntegerDefect(label, "arithmetic", name, sentence)


def _zero_points() -> Iterator[IntegerDefect]:
    for value, sentence in (
        ("plus-1", "The device's zero point is too large by one."),
        ("minus-1", "The device's zero point is too small by one."),
        ("negated", "The device's zero point has the wrong sign."),
        ("ignored", "The device ignores the zero point."),
    ):
        yield IntegerDefect(f"zero-point-{value}", "zero_point", value, sentence)


def _axes(parameters: Parameters, shape: tuple[int, ...]) -> Iterator[IntegerDefect]:
    if parameters.block_size or parameters.axis is None:
        return
    own = parameters.axis % len(shape)
    for n in range(len(shape)):
        if n != own:
            sentence = f"The device takes the scales along axis {n} instead of {own}."
            yield IntegerDefect("other-axis", "axis", n, sentence)


def _saturations(low: int, high: int) -> Iterator[IntegerDefect]:
    if low < 0:
        sentence = f"The device saturates at {-high} instead of {low}."
        yield IntegerDefect("symmetric-saturation", "saturation", "symmetric", sentence)
    bits = (high - low).bit_length() - 1
    sentence = f"The device saturates to the range of {bits} bits."
    yield IntegerDefect(f"saturation-{bits}-bit", "saturation", "7-bit", sentence)
    yield IntegerDefect(
        "wrap-around", "saturation", "wrap-around", "The device wraps around instead of saturating."
    )


_SCALES = tuple(
    IntegerDefect(f"scale-{name}", "scale", name, f"The device rounds the scale to {name}.")
    for name in ("float16", "bfloat16")
)
_PER_TENSOR = (
    IntegerDefect(
        "per-tensor-largest", "scale", "largest", "The device uses the largest scale for all of them."
    ),
    IntegerDefect("per-tensor-first", "scale", "first", "The device uses the first scale for all of them."),
)


#: LiteRT's interpreters, the default first, and their descriptions.
_INTERPRETERS = {
    "litert:xnnpack": "LiteRT's default interpreter, with XNNPACK,",
    "litert:optimized": "LiteRT with its optimized kernels and no delegate",
    "litert:reference": "LiteRT with its reference kernels",
}
_WIDTHS: tuple[Arithmetic, ...] = ("float32", "float64", "float16")


@dataclass(frozen=True, slots=True)
class Base:
    """The arithmetic of a document: a recipe, and a second recipe for a tail shorter than a vector, if any."""

    body: Recipe
    tail: Recipe

    def with_defects(self, defects: Iterable[IntegerDefect]) -> Base:
        """Return the arithmetic with the deviations in body and tail."""
        body, tail = self.body, self.tail
        for defect in defects:
            body, tail = defect.of(body), defect.of(tail)
        return Base(body, tail)


def bases(semantics: str) -> tuple[Base, ...]:
    """Return the possible arithmetics of a semantics. The actual arithmetic depends on the types that it was given."""
    family, _, detail = semantics.partition(":")
    plain = Recipe("half-away" if family == "litert" else "half-even", family == "onednn")
    if family == "onednn" and detail:
        plain = replace(plain, rounding=detail)
    known = [Base(recipe, recipe) for recipe in (replace(plain, arithmetic=width) for width in _WIDTHS)]
    if family == "litert" and detail:
        vector = Recipe("half-even", arithmetic="reciprocal")
        known += [Base(vector, vector), Base(vector, Recipe("half-away", arithmetic="float64"))]
    return tuple(known)


def interpreters(case: Mismatch, real: Array, parameters: Parameters) -> Iterator[IntegerCause]:
    """Yield the LiteRT interpreter that gives the device's integers exactly, if a different interpreter was expected."""
    from litecheck.quantizer.semantics import semantics

    if case.semantics.partition(":")[0] != "litert":
        return
    for name, words in _INTERPRETERS.items():
        if name == case.semantics:
            continue
        try:
            made = semantics(name).quantize(real.reshape(case.shape), parameters, case.dtype)
        except QuantizerError:
            continue
        if np.array_equal(made.reshape(-1), case.actual):
            sentence = f"{words} gives the same: expect it with --semantics {name}."
            yield IntegerCause(name, sentence, True, case.mismatches)
            return
