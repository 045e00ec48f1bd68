"""Values of the options of ``litecheck convert``: parsing, and rejection of conflicting options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from litecheck.errors import ConfigError

if TYPE_CHECKING:
    from litecheck.conversion.by_converter import Via
    from litecheck.conversion.formulas import Generation

#: Values of ``--match``, and TensorFlow's quantizer for each.
MATCHES: dict[str, Generation] = {
    "tensorflow": "verbatim", "tensorflow:new": "verbatim", "tensorflow:old": "old",
}  # fmt: skip

#: Largest number of random samples: ranges of random values do not change after a few.
_RANDOM = 10_000
CONVERTERS: tuple[Via, ...] = ("litecheck", "tensorflow", "ai-edge-quantizer")


def parse_data(texts: list[str] | None) -> tuple[tuple[str, ...], int | None]:
    """Return the paths of ``--data`` and N of ``random:N``. Raise ConfigError.

    For example, ``["random:8"]`` gives ``((), 8)``. A file of this name is written ``./random:8``.
    """
    given = texts or []
    paths = tuple(text for text in given if not text.startswith("random:"))
    counts = [text.removeprefix("random:") for text in given if text.startswith("random:")]
    wrong = next((n for n in counts if not (n.isascii() and n.isdigit() and 0 < int(n) <= _RANDOM)), None)
    if wrong is not None:
        raise ConfigError(
            f"--data random:{wrong}: got {wrong!r}, expected 1 to {_RANDOM:,} samples, as in random:8"
        )
    if len(counts) > 1:
        raise ConfigError("--data random:N: got several, expected one")
    return paths, int(counts[0]) if counts else None


def parse_match(text: str | None) -> Generation:
    """Return the quantizer of TensorFlow that ``--match`` names. Raise ConfigError."""
    from litecheck.spelling import suggestion

    if text is None:
        return "new"
    if text not in MATCHES:
        hint = suggestion(text, MATCHES, "there are")
        raise ConfigError(f"--match {text}: no such converter{hint}")
    return MATCHES[text]


def parse_sensitivity(text: str | None) -> int:
    """Return the number of operators that ``--sensitivity`` ranks, -1 for all. Raise ConfigError."""
    if text is None:
        return 0
    if text != "all" and not (text.isascii() and text.isdigit() and int(text)):
        raise ConfigError(f"--sensitivity {text}: give a number of operators, or all")
    return -1 if text == "all" else int(text)


def parse_ties(texts: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return the pairs of ``NAME=NAME``. Raise ConfigError."""
    pairs = [(one, other) for one, _, other in (text.partition("=") for text in texts)]
    odd = next((text for text, pair in zip(texts, pairs, strict=True) if not all(pair)), None)
    if odd is not None:
        raise ConfigError(f"--tie {odd}: expected NAME=NAME, such as state_in=state_out")
    return tuple(pairs)


def parse_vias(text: str, compare: bool) -> tuple[Via, ...]:
    """Return the converters to run: all, or the converter that ``--via`` names. Raise ConfigError."""
    from litecheck.spelling import suggestion

    found = tuple(name for name in CONVERTERS if compare or name == text)
    if text not in CONVERTERS:
        hint = suggestion(text, CONVERTERS, "there are")
        raise ConfigError(f"--via {text}: no such converter{hint}")
    if compare and text != "litecheck":
        raise ConfigError("--compare asks all converters, --via one: give one of them")
    return found


def check_others(own: Mapping[str, object], target: str | None, compare: bool) -> None:
    """Raise ConfigError for options of litecheck's own conversion, and for a missing or superfluous output file.

    ``--compare`` writes no model, and ``--via`` needs an output file.
    """
    asked = next((name for name, value in own.items() if value), None)
    if asked:
        raise ConfigError(
            f"{asked}: other converters do not take this; it goes with litecheck's own conversion"
        )
    if compare and target:
        raise ConfigError(
            "--compare writes no model; -o OUT.tflite goes with --via or litecheck's own conversion"
        )
    if not compare and not target:
        raise ConfigError("give -o OUT.tflite for the new model")


def check_targets(target: str | None, dry_run: bool, decided: Mapping[str, object], plan: str | None) -> None:
    """Raise ConfigError for a missing or conflicting output, and for options that the plan has already decided."""
    if target and dry_run:
        raise ConfigError(f"-o {target} and --dry-run, which writes no model: give one of them")
    if not target and not dry_run:
        raise ConfigError("give -o OUT.tflite for the new model, or --dry-run, which writes none")
    twice = next((name for name, value in decided.items() if value), None)
    if plan and twice:
        raise ConfigError(f"--plan and {twice}: the plan has decided that")


def check_recipe(recipe: str | None, to: str | None) -> None:
    """Raise ConfigError for a kind of conversion in addition to a recipe."""
    if recipe and to:
        raise ConfigError(f"--recipe {recipe} and --to {to}: the rules of the recipe decide the kind")
