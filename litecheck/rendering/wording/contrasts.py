"""Sentences on probes: traits that separate failing from passing probes, and answers that do not repeat."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from litecheck.diagnosis.result import Contrast, NonDeterministic, PropertyBound, SharedTraits
from litecheck.summary_text import count_of

#: Largest number of named inferences.
_NAMED = 4
_TOGETHER = {1: "", 2: " both", 3: " all three"}


def contrast_sentences(contrast: Contrast) -> Iterator[str]:
    """Yield ``all that fail have channels of 33 or more (next is 32); none that passes has``."""
    if not contrast.failing:
        return
    if not contrast.passing:
        yield "no probe passes"
    elif not contrast.apart:
        yield "nothing that is measured of them"
    yield from trait_sentences(contrast.apart, len(contrast.passing))


def trait_sentences(apart: Iterable[SharedTraits], passing: int) -> Iterator[str]:
    """Yield a sentence for each group of traits; ``passing`` is the number of probes or cases that pass."""
    yield from (_shared_text(shared, passing) for shared in apart)


def _shared_text(shared: SharedTraits, passing: int) -> str:
    told = f"all that fail have {' and '.join(map(_trait, shared.traits))}; "
    if shared.passing:
        return f"{told}so have {shared.passing} of {passing} that pass"
    return f"{told}none that passes has{_TOGETHER[len(shared.traits)]}"


def _trait(trait: PropertyBound) -> str:
    if trait.relation == "is":
        return f"{trait.property} {trait.value}"
    if trait.relation in ("has", "has not"):
        return trait.property if trait.relation == "has" else f"no {trait.property.removeprefix('no ')}"
    if trait.relation == "not a multiple of":
        return f"{trait.property} that are no multiple of {trait.value}"
    nearest = f" (next is {trait.next:,})" if trait.next is not None else ""
    return f"{trait.property} of {trait.value:,} or {'more' if trait.relation == 'at least' else 'less'}{nearest}"


def unsteady_sentence(unsteady: NonDeterministic) -> str:
    """Return ``inferences 4, 8, 12, every 4; one element differs each time``."""
    if unsteady.delayed:
        return f"{_elements(unsteady)} as the input of the inference before has it"
    return "; ".join(_irregular(unsteady))


def _irregular(u: NonDeterministic) -> Iterator[str]:
    names = ", ".join(map(str, u.inferences[:_NAMED])) + (", ..." if u.odd > _NAMED else "")
    rhythm = f", every {u.every}" if u.every else ""
    yield f"inference {names}{rhythm}" if u.odd == 1 else f"inferences {names}{rhythm}"
    if u.repeats:
        yield "the different values equal those of the previous inference"
    if u.moving == 1:
        yield f"only {_elements(u)} differs"
    elif u.most == 1:
        yield "one element differs each time"
    else:
        yield f"{_elements(u)} differ"


def _elements(u: NonDeterministic) -> str:
    """Return ``all 19 elements``, ``element 18 of 19, the last``, ``7 of 19 elements``."""
    if u.moving == u.size:
        return f"all {count_of(u.size, 'element')}"
    if u.moving == 1:
        return f"element {u.element} of {u.size:,}" + (", the last," if u.element == u.size - 1 else "")
    return f"{u.moving:,} of {u.size:,} elements"
