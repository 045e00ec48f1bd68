"""Properties that distinguish failing from passing probes, and the text if no property does."""

from __future__ import annotations

from collections.abc import Sequence

from litecheck.diagnosis import contrast
from litecheck.diagnosis.properties import Properties
from litecheck.diagnosis.result import Contrast
from litecheck.rendering.wording.contrasts import contrast_sentences


def like(strides: bool = False, channels: int = 8, padding: str = "SAME", fed: bool = True) -> Properties:
    return {"different strides": strides, "channels": channels, "padding": padding, "inputs that count": fed}


def contrast_words(failing: Sequence[Properties], passing: Sequence[Properties]) -> tuple[str, ...]:
    """Return the sentences on probes with these properties."""
    names = [tuple(f"probe {n}" for n in range(len(some))) for some in (failing, passing)]
    return tuple(contrast_sentences(Contrast(*names, contrast.distinguishing_traits(failing, passing))))


def test_a_peculiarity() -> None:
    assert contrast_words([like(True), like(True, 9)], [like(), like(channels=10)]) == (
        "all that fail have different strides; none that passes has",
    )


def test_a_number_with_the_next_one_that_passes() -> None:
    found = contrast_words([like(channels=33), like(channels=83)], [like(), like(channels=32)])
    assert found == ("all that fail have channels of 33 or more (next is 32); none that passes has",)
    found = contrast_words([like(channels=3)], [like(), like(channels=32)])
    assert found == ("all that fail have channels of 3 or less (next is 8); none that passes has",)


def test_a_word() -> None:
    assert contrast_words([like(padding="VALID")], [like()]) == (
        "all that fail have padding VALID; none that passes has",
    )


def test_two_together_where_neither_is_enough() -> None:
    passing = [like(), like(channels=32), like(channels=4099, fed=False)]
    (found,) = contrast_words([like(channels=33), like(channels=83)], passing)
    assert found == (
        "all that fail have inputs that count and channels of 33 or more (next is 32); none that passes has both"
    )


def test_a_property_that_nearly_distinguishes_has_its_exceptions() -> None:
    passing = [like(True, 8, "VALID"), *(like(False, 7, "VALID") for _ in range(3))]
    failing = [like(True, 8, "VALID"), like(True, 9, "VALID")]
    rare = ("different strides", "channels of 8 or more (next is 7)")
    assert contrast_words(failing, passing) == tuple(
        f"all that fail have {trait}; so have 1 of 4 that pass" for trait in rare
    )
    assert contrast_words(failing, passing[:3]) == ("nothing that is measured of them",)
    assert contrast_words(failing, [*passing[:1] * 2, *passing[1:] * 3]) == (
        "nothing that is measured of them",
    )


def test_without_a_distinguishing_property_none_is_reported() -> None:
    assert contrast_words([like()], [like()]) == ("nothing that is measured of them",)
    assert contrast_words([like()], []) == ("no probe passes",)
    assert contrast_words([], [like()]) == ()


def test_a_number_that_is_no_multiple_of_a_vector_length() -> None:
    passing = [like(channels=n) for n in (4, 8, 64, 12)]
    assert contrast_words([like(channels=n) for n in (17, 6, 35)], passing) == (
        "all that fail have channels that are no multiple of 4; none that passes has",
    )
    # Two passing probes with multiples prove no pattern.
    assert contrast_words([like(channels=n) for n in (17, 6, 35)], passing[:2]) == (
        "nothing that is measured of them",
    )


def test_the_shortest_distinguishing_vector_length_is_named() -> None:
    passing = [like(channels=n) for n in (16, 48, 80)]
    failing = [like(channels=n) for n in (8, 24, 40)]
    assert contrast_words(failing, passing)[0] == (
        "all that fail have channels that are no multiple of 16; none that passes has"
    )
