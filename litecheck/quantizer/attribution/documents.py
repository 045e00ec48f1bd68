"""The recipes that are the documents' own, from which devices deviate, and devices that are another of LiteRT's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from litecheck.arrays import Array
from litecheck.quantizer.attribution.deviations import Deviation
from litecheck.quantizer.attribution.failure import Attribution, Mismatch
from litecheck.quantizer.attribution.variants import Arithmetic, Recipe
from litecheck.quantizer.types import Parameters, QuantizerError

#: LiteRT's interpreters, the one that is the default first, and what they are called.
_INTERPRETERS = {
    "litert:xnnpack": "LiteRT's default interpreter, with XNNPACK,",
    "litert:optimized": "LiteRT with its optimized kernels and no delegate",
    "litert:reference": "LiteRT with its reference kernels",
}
_WIDTHS: tuple[Arithmetic, ...] = ("float32", "float64", "float16")


@dataclass(frozen=True, slots=True)
class Base:
    """How a document computes: one recipe, and another for a tail shorter than a vector where there is one."""

    body: Recipe
    tail: Recipe

    def changed(self, deviations: Iterable[Deviation]) -> Base:
        """The same with these deviations everywhere."""
        body, tail = self.body, self.tail
        for deviation in deviations:
            body, tail = deviation.of(body), deviation.of(tail)
        return Base(body, tail)


def bases(semantics: str) -> tuple[Base, ...]:
    """Those a semantics of this name may have computed by, which depends on the types it was given."""
    family, _, detail = semantics.partition(":")
    plain = Recipe("half-away" if family == "litert" else "half-even", family == "onednn")
    if family == "onednn" and detail:
        plain = replace(plain, rounding=detail)
    known = [Base(recipe, recipe) for recipe in (replace(plain, arithmetic=width) for width in _WIDTHS)]
    if family == "litert" and detail:
        vector = Recipe("half-even", arithmetic="reciprocal")
        known += [Base(vector, vector), Base(vector, Recipe("half-away", arithmetic="float64"))]
    return tuple(known)


def interpreters(case: Mismatch, real: Array, parameters: Parameters) -> Iterator[Attribution]:
    """The interpreter of LiteRT that gives exactly what the device gives, where another one was expected."""
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
            sentence = f"This is what {words} gives: --semantics {name} expects it."
            yield Attribution(name, sentence, True, case.mismatches)
            return
