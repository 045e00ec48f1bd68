"""Shapes of inputs in words, and the text for an array with another shape than its input, with the fix."""

from __future__ import annotations

from collections.abc import Sequence


def shape_words(shape: Sequence[int]) -> str:
    """Return a shape in words; -1 is a dimension of any size. Example: ``1x?x?x3``."""
    return "x".join("?" if size < 0 else str(size) for size in shape)


def shape_mismatch(
    name: str, given: Sequence[int], wanted: Sequence[int], leading: Sequence[str] = ()
) -> str:
    """Return the text for an array that does not fit an input, with the fix if the error is evident.

    ``wanted`` has -1 for dimensions of any size. ``leading`` names axes before the input's own shape; the input's batch
    of 1 can be omitted after them. Example: "input 'x': got shape (50, 639), expected (N, 640)".
    """
    batched = bool(leading) and len(wanted) > 1 and wanted[0] in (1, -1)
    own = tuple(wanted[1:] if batched else wanted)
    sizes = [
        *leading,
        *(("N" if at + len(leading) == 0 else "?") if n < 0 else str(n) for at, n in enumerate(own)),
    ]
    expected = f"({', '.join(sizes)}{',' * (len(sizes) == 1)})"
    return f"input {name!r}: got shape {tuple(given)}, expected {expected}{_cure(tuple(given), own, len(leading))}"


def _cure(given: tuple[int, ...], own: tuple[int, ...], leading: int) -> str:
    """Return the fix for a missing first axis, several samples, or channels in front; "" for other errors."""
    if given and leading < 2 and _fits(given, own if leading else own[1:]):
        return ". Add a first axis: array[numpy.newaxis]"
    if not leading and own[:1] == (1,) and len(given) == len(own) and _fits((1, *given[1:]), own):
        return ". Give one sample: array[:1]"
    first = len(given) - 3
    if len(own) >= 3 and first >= leading:
        moved = (*given[leading:first], *given[first + 1 :], given[first])
        if _fits(moved, own):
            return f". Channels first? Move them to the end: numpy.moveaxis(array, {first}, -1)"
    return ""


def _fits(given: Sequence[int], wanted: Sequence[int]) -> bool:
    return len(given) == len(wanted) and all(w in (-1, g) for g, w in zip(given, wanted, strict=True))
